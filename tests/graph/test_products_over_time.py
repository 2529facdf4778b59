"""A product with an element of a sequence is one product over time, outside of the loop. The numbers are the same."""

import numpy as np
import pytest

import keras_backend.engines.numpy_backend as K
from keras_backend.errors import ShapeError
from keras_backend.graph.nodes.tensor import Node
from keras_backend.graph.run.program import Program

RNG = np.random.RandomState(5)
X, W, U, V = RNG.randn(2, 4, 3), RNG.randn(3, 5), RNG.randn(5, 5) / 3, RNG.randn(1, 9)


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()


def variables(*values):
    return [K.variable(v, dtype='float64') for v in values]


def products(outputs):
    """How many products there are outside of loops, and how many inside."""
    blocks = Program([], outputs, []).blocks
    found = [
        [node for node in block if isinstance(node, Node) and node.op.name == 'tensordot'] for block in blocks.values()
    ]
    outside = [block for region, block in zip(blocks, found) if region is None]
    return sum(map(len, outside)), sum(map(len, found)) - sum(map(len, outside))


def by_hand(x, w, u, backwards=False):
    """The states of h = tanh(x w + h u), in the order in which they are made."""
    h, states = np.zeros((x.shape[0], w.shape[1])), []
    for t in reversed(range(x.shape[1])) if backwards else range(x.shape[1]):
        h = np.tanh(x[:, t] @ w + h @ u)
        states.append(h)
    return np.stack(states, 1)


@pytest.mark.parametrize('backwards', [False, True])
def test_recurrent_layer(backwards):
    """The input's product leaves the loop, the state's stays; outputs and gradients are those of the loop by hand."""
    x, w, u = variables(X, W, U)

    def step(e, states):
        h = K.tanh(K.dot(e, w) + K.dot(states[0], u))
        return h, [h]

    outputs = K.rnn(step, x, [K.zeros((2, 5), dtype='float64')], go_backwards=backwards)[1]
    assert products([outputs]) == (1, 1)
    np.testing.assert_allclose(K.eval(outputs), by_hand(X, W, U, backwards), rtol=1e-12)
    weights = RNG.randn(2, 4, 5)
    gradients = K.function([], K.gradients(K.sum(outputs * weights), [x, w, u]))([])
    for i, gradient in enumerate(gradients):
        for at in np.ndindex(gradient.shape):
            moved = []
            for change in (1e-6, -1e-6):
                values = [X.copy(), W.copy(), U.copy()]
                values[i][at] += change
                moved.append(np.sum(weights * by_hand(*values, backwards)))
            assert np.isclose(gradient[at], (moved[0] - moved[1]) / 2e-6, rtol=1e-6, atol=1e-8), (i, at)


def test_vectors_and_larger_elements():
    """Elements of any rank: vectors of a map, matrices of a map, and a loop inside of a loop."""
    x, w = variables(X, W)
    rows = K.map_fn(lambda v: K.dot(v, w), x[0])
    matrices = K.map_fn(lambda m: K.dot(m, w), x)
    nested = K.map_fn(lambda m: K.map_fn(lambda v: K.dot(v, w), m), x)
    for tensor, value in ((rows, X[0] @ W), (matrices, X @ W), (nested, X @ W)):
        assert products([tensor]) == (1, 0)
        np.testing.assert_allclose(K.eval(tensor), value, rtol=1e-12)


def test_sizes_that_only_a_call_tells():
    """Steps and samples are not known while the graph is built, and may be none."""
    x, w = K.placeholder((None, None, 3), dtype='float64'), variables(W)[0]
    last = K.rnn(
        lambda e, s: (K.dot(e, w) + s[0], [K.dot(e, w) + s[0]]), x, [K.zeros_like(x[:, 0, :1]) + K.zeros_like(w[:1])]
    )[0]
    f = K.function([x], [last])
    for shape in ((2, 4, 3), (1, 7, 3), (0, 2, 3)):
        value = RNG.randn(*shape)
        np.testing.assert_allclose(f([value])[0], (value @ W).sum(1), rtol=1e-12)


def test_products_that_stay():
    """A product much larger than its sequence, one in a branch, and one with a state stay in the loop."""
    x, v, w, u = variables(X[..., :1], V, W, U)
    large = K.map_fn(lambda e: K.sum(K.dot(e, v)), x)
    assert products([large]) == (0, 1)
    np.testing.assert_allclose(K.eval(large), (X[..., :1] @ V).sum((1, 2)), rtol=1e-12)
    y = variables(X)[0]
    branch = K.map_fn(lambda e: K.switch(K.sum(e) > 0, lambda: K.dot(e, w), lambda: -K.dot(e, w)), y)
    assert products([branch]) == (0, 2)
    signs = np.sign(X.sum((1, 2)))[:, None, None]
    np.testing.assert_allclose(K.eval(branch), signs * (X @ W), rtol=1e-12)
    fold = K.foldl(lambda state, e: K.dot(state, u) + e, variables(RNG.randn(3, 2, 5))[0])
    assert products([fold]) == (0, 1)


def test_sizes_that_do_not_meet():
    """The error names what the step has multiplied."""
    w = variables(W)[0]
    with pytest.raises(ShapeError, match=r'inside_placeholder_1 of shape \(None, 4\).*axis 1 of the first has 4'):
        K.map_fn(lambda e: K.dot(e, w), K.placeholder((None, None, 4), dtype='float64'))


def test_mask_and_several_sequences():
    """Steps that a mask leaves out keep the state, and their products do not count, whatever they are."""
    x, w = variables(X, W)
    hidden = X.copy()
    hidden[1, 2] = np.nan
    mask = np.array([[1, 1, 1, 1], [1, 1, 0, 0]], bool)
    x = K.variable(hidden, dtype='float64')
    step = lambda e, s: (s[0] + K.dot(e, w), [s[0] + K.dot(e, w)])  # noqa: E731
    last = K.rnn(step, x, [K.zeros((2, 5), dtype='float64')], mask=K.constant(mask, dtype='bool'))[0]
    np.testing.assert_allclose(K.eval(last)[1], X[1, :2].sum(0) @ W, rtol=1e-12)


def of_squares(tensor, sources):
    return K.gradients(K.sum(K.square(tensor)), sources)


def test_gradients_inside_of_the_step():
    """A gradient that a step takes goes through the product of the step, for one sample, a weight or a state."""
    x, w = variables(X[0], W)
    both = K.map_fn(lambda e: K.gradients(K.sum(K.square(K.dot(e, w)) + K.sum(e * e)), [e])[0], x)
    np.testing.assert_allclose(K.eval(both), 2 * X[0] @ W @ W.T + 2 * 5 * X[0], rtol=1e-12)
    alone = K.map_fn(lambda e: of_squares(K.dot(e, w), [e])[0], x)
    np.testing.assert_allclose(K.eval(alone), 2 * X[0] @ W @ W.T, rtol=1e-12)
    weights = K.map_fn(lambda e: K.gradients(K.sum(K.square(K.dot(e, w))) + K.sum(w), [w])[0], x)
    np.testing.assert_allclose(K.eval(weights), [np.outer(e, 2 * e @ W) + 1 for e in X[0]], rtol=1e-12)
    penalty = K.sum(K.square(alone))
    np.testing.assert_allclose(K.eval(K.gradients(penalty, [x])[0]), 8 * X[0] @ (W @ W.T) @ (W @ W.T), rtol=1e-12)


def test_gradients_inside_of_loops_in_loops():
    """The gradient of an inner loop, taken in the outer step."""
    x, w = variables(X, W)
    inner = K.map_fn(lambda m: of_squares(K.map_fn(lambda v: K.dot(v, w), m), [m])[0], x)
    np.testing.assert_allclose(K.eval(inner), 2 * X @ W @ W.T, rtol=1e-12)


def test_a_recurrent_step_that_learns():
    """A step that returns the gradients of its input and of its state."""
    x, w = variables(X, W)

    def step(e, states):
        y = K.tanh(K.dot(e, w) + states[0])
        of_input, of_state = K.gradients(K.sum(y), [e, states[0]])
        return of_input, [of_state]

    outputs = K.rnn(step, x, [K.zeros((2, 5), dtype='float64')])[1]
    state, expected = np.zeros((2, 5)), []
    for t in range(X.shape[1]):
        slope = 1 - np.tanh(X[:, t] @ W + state) ** 2
        expected.append(slope @ W.T)
        state = slope
    np.testing.assert_allclose(K.eval(outputs), np.stack(expected, 1), rtol=1e-12)
