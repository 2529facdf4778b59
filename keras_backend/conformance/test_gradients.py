"""K.gradients: with respect to which tensors, inside of which structures, and the values at kinks."""

import numpy as np
import pytest

from ._check import FLOATS, all_close, close, covers, random

pytestmark = covers('gradients')


def test_result_is_a_list(K):
    """One gradient per variable, in their order; a single tensor gives a list of one."""
    a, b = K.variable([1.0, 2.0]), K.variable([3.0, 4.0])
    loss = K.sum(a * a * b)
    assert isinstance(K.gradients(loss, [a, b]), list)
    assert isinstance(K.gradients(loss, a), list)
    grads = K.gradients(loss, [b, a, b]) + K.gradients(loss, a)
    values = K.function([], grads)([])
    all_close(values, [[1, 4], [6, 16], [1, 4], [6, 16]])
    assert K.gradients(loss, []) == []


def test_variables_placeholders_intermediates(K, check):
    """Gradients exist with respect to variables, inputs, constants, and results computed from them."""
    x, v = K.placeholder((None, 2)), K.variable([[1.0, 2.0]])
    h = x * v
    y = K.exp(h)
    loss = K.sum(y * h)
    array = random((3, 2), dtype='float32')
    values = check.run(K.gradients(loss, [x, v, h, y]), [(x, array)])
    wide, w = array.astype('float64'), np.array([[1.0, 2.0]])
    hidden = wide * w
    through_h = np.exp(hidden) * (1 + hidden)
    all_close(values, [through_h * w, (through_h * wide).sum(0, keepdims=True), through_h, hidden])


def test_by_the_loss_itself(K):
    """The gradient of the sum of a tensor with respect to the tensor is one."""
    v = K.variable([1.0, 2.0])
    y = v * 3.0
    close(K.eval(K.gradients(y, [y])[0]), [1.0, 1.0])
    close(K.eval(K.gradients(v, [v])[0]), [1.0, 1.0])


def test_loss_of_any_shape(K):
    """A loss that is no scalar means its sum."""
    v = K.variable([[1.0, 2.0], [3.0, 4.0]])
    for loss in (K.square(v), K.sum(K.square(v), axis=0), K.sum(K.square(v)), K.sum(K.square(v), keepdims=True)):
        close(K.eval(K.gradients(loss, [v])[0]), [[2, 4], [6, 8]])


def test_several_losses(K):
    """A list of losses means the sum of all their elements. Their shapes and dtypes may differ."""
    v, w, far = K.variable([[1.0, 2.0], [3.0, 4.0]]), K.variable([5.0, 6.0]), K.variable(1.0)
    terms = [K.square(v), K.sum(v * w), K.cast(w, 'float64') * 3.0, K.cast(v, 'int32')]
    for losses in (terms, tuple(terms), terms[::-1]):
        by_v, by_w, none = K.gradients(losses, [v, w, far])
        close(K.eval(by_v), [[7, 10], [11, 14]])
        close(K.eval(by_w), [7, 9])
        assert none is None
    close(K.eval(K.gradients([K.square(v)], v)[0]), [[2, 4], [6, 8]])


def test_unreachable_is_none(K):
    """The gradient is None if the loss does not depend on the tensor. A path through integers does not count."""
    a, b, x = K.variable([1.0, 2.0]), K.variable([3.0, 4.0]), K.placeholder((2,))
    loss = K.sum(a * a)
    grads = K.gradients(loss, [a, b, x, loss * 2.0])
    assert [g is None for g in grads] == [False, True, True, True]
    close(K.eval(grads[0]), [2.0, 4.0])
    assert K.gradients(K.sum(K.cast(K.shape(x)[0], 'float32') * a), [x]) == [None]


def test_stop_gradient(K):
    """`stop_gradient` takes a tensor or a list. Only the paths that do not pass it count."""
    a, b = K.variable([1.0, 2.0]), K.variable([3.0, 4.0])
    stopped = K.stop_gradient([a, b])
    assert isinstance(stopped, list)
    assert len(stopped) == 2
    assert not isinstance(K.stop_gradient(a), list)
    close(K.eval(K.gradients(K.sum(a * K.stop_gradient(a * b)), [a])[0]), [3.0, 8.0])
    close(K.eval(stopped[1] + 0.0), [3.0, 4.0])
    assert K.gradients(K.sum(K.stop_gradient(a)), [a]) == [None]


@pytest.mark.parametrize('dtype', FLOATS)
def test_dtype_and_shape_of_gradients(K, check, dtype):
    """A gradient has the dtype and shape of its variable, also after broadcasting and with mixed dtypes."""
    v, s, x = K.variable([[1.0, 2.0]], dtype=dtype), K.variable(2.0, dtype=dtype), K.placeholder((None, 2))
    grads = K.gradients(K.sum(K.cast(v * s, 'float32') * x), [v, s, x])
    assert [K.dtype(g) for g in grads] == [dtype, dtype, 'float32']
    values = check.run(grads, [(x, np.ones((3, 2), 'float32'))])
    all_close(values, [[[6, 6]], 9, [[2, 4]] * 3])
    grads = K.gradients(K.sum(K.maximum(v, x)), [v, x])
    assert [K.dtype(g) for g in grads] == [dtype, 'float32']


def test_static_shapes(K):
    """The static shape of a gradient is that of its variable."""
    w, x = K.zeros((3, 2)), K.placeholder((None, 3))
    grads = K.gradients(K.sum(K.tanh(K.dot(x, w))), [w, x])
    assert K.int_shape(grads[0]) == (3, 2)
    assert K.int_shape(grads[1]) == (None, 3)


def test_inside_expressions(K, check):
    """A gradient is an ordinary tensor: it can be clipped, normed, used in updates, and differentiated again."""
    v = K.variable([1.0, -2.0, 3.0])
    g = K.gradients(K.sum(v**3), [v])[0]
    norm = K.sqrt(K.sum(K.square(g)))
    values = check.run(
        [
            K.clip(g, 0.0, 10.0),
            g / norm,
            K.gradients(K.sum(g * g), [v])[0],
            K.gradients(K.gradients(K.sum(g), [v])[0], [v])[0],
        ]
    )
    x = np.array([1.0, -2.0, 3.0])
    g = 3 * x**2
    all_close(values, [np.clip(g, 0, 10), g / np.sqrt((g**2).sum()), 36 * x**3, [6, 6, 6]])


def test_gradient_penalty(K):
    """Training with the norm of the gradient with respect to the input follows the true penalty."""
    x = K.placeholder((None, 3), dtype='float64')
    w = K.variable(random((3, 4), seed=1), dtype='float64')
    u = K.variable(random((4, 1), seed=2), dtype='float64')
    score = K.dot(K.tanh(K.dot(x, w)), u)
    by_input = K.gradients(K.sum(score), [x])[0]
    penalty = K.mean(K.square(K.sqrt(K.sum(K.square(by_input), axis=1)) - 1.0))
    grads = K.gradients(penalty, [w, u])
    function = K.function([x], [penalty] + grads)
    array, values = random((5, 3), seed=3), K.batch_get_value([w, u])
    base = function([array])
    for variable, value, gradient in zip([w, u], values, base[1:]):
        for index in [(0, 0), (2, 0), tuple(n - 1 for n in value.shape)]:
            losses = []
            for step in (1e-5, -1e-5):
                moved = value.copy()
                moved[index] += step
                K.set_value(variable, moved)
                losses.append(float(function([array])[0]))
            K.set_value(variable, value)
            np.testing.assert_allclose(gradient[index], (losses[0] - losses[1]) / 2e-5, rtol=1e-6, atol=1e-8)


def test_training_step(K):
    """Gradient descent fits a line. The loss that is returned is the loss before the step."""
    x, y = K.placeholder((None, 2)), K.placeholder((None, 1))
    w, b = K.variable(np.zeros((2, 1))), K.variable(np.zeros((1,)))
    loss = K.mean(K.square(K.dot(x, w) + b - y))
    step = K.function(
        [x, y], [loss], updates=[K.update_sub(v, 0.2 * g) for v, g in zip([w, b], K.gradients(loss, [w, b]))]
    )
    inputs = random((64, 2), seed=5, low=-1.0, high=1.0)
    targets = inputs.dot([[2.0], [-3.0]]) + 0.5
    first = step([inputs, targets])[0]
    close(first, np.mean(targets**2))
    for _ in range(200):
        last = step([inputs, targets])[0]
    assert last < 1e-6 * first
    np.testing.assert_allclose(K.get_value(w).ravel().tolist() + K.get_value(b).tolist(), [2, -3, 0.5], atol=1e-3)


def test_gather_with_repeated_indices(K):
    """The gradient of a row that is taken several times is the sum of all its gradients, over several gathers."""
    table = K.variable(np.zeros((4, 2)))
    i, j = K.placeholder((None,), dtype='int32'), K.placeholder((None, None), dtype='int32')
    loss = K.sum(K.gather(table, i) * 2.0) + K.sum(K.gather(table, j)) + K.sum(K.square(table + 1.0)) * 0.5
    g = K.gradients(loss, [table])[0]
    value = K.function([i, j], [g * 1.0])([[1, 1, 3], [[0, 1], [1, 1]]])[0]
    close(value, [[2, 2], [8, 8], [1, 1], [3, 3]])


KINKS = {
    'abs': ('abs', lambda K, x: K.abs(x), [0.0, -1.0, 2.0], [0.0, -1.0, 1.0]),
    'relu': ('relu', lambda K, x: K.relu(x), [0.0, -1.0, 2.0], [0.0, 0.0, 1.0]),
    'relu threshold': ('relu', lambda K, x: K.relu(x, threshold=1.0), [1.0, 0.5, 2.0], [0.0, 0.0, 1.0]),
    'clip': ('clip', lambda K, x: K.clip(x, -1.0, 1.0), [-1.0, 1.0, 0.0, 2.0, -2.0], [1.0, 1.0, 1.0, 0.0, 0.0]),
    'max': ('max', lambda K, x: K.max(x), [2.0, 1.0, 2.0, 2.0], [1 / 3.0, 0.0, 1 / 3.0, 1 / 3.0]),
    'min': ('min', lambda K, x: K.min(x), [1.0, 1.0, 2.0], [0.5, 0.5, 0.0]),
    'max along an axis': (
        'max',
        lambda K, x: K.max(K.reshape(x, (2, 2)), axis=1),
        [3.0, 3.0, 1.0, 2.0],
        [0.5, 0.5, 0.0, 1.0],
    ),
    'maximum': ('maximum', lambda K, x: K.maximum(x[:2], x[2:]), [1.0, 3.0, 1.0, 2.0], [1.0, 1.0, 0.0, 0.0]),
    'minimum': ('minimum', lambda K, x: K.minimum(x[:2], x[2:]), [1.0, 3.0, 1.0, 2.0], [1.0, 0.0, 0.0, 1.0]),
    'sqrt': ('sqrt', lambda K, x: K.sqrt(x), [0.0, -1.0, 4.0], [np.inf, 0.0, 0.25]),
    'max pool': (
        'pool2d',
        lambda K, x: K.pool2d(K.reshape(x, (1, 2, 2, 1)), (2, 2)),
        [5.0, 5.0, 5.0, 1.0],
        [1.0, 0, 0, 0],
    ),
    'max pool overlapping': (
        'pool2d',
        lambda K, x: K.pool2d(K.reshape(x, (1, 1, 3, 1)), (1, 2)),
        [1.0, 1.0, 1.0],
        [1.0, 1.0, 0.0],
    ),
    'tanh far out': ('tanh', lambda K, x: K.tanh(x), [1000.0, -1000.0], [0.0, 0.0]),
    'sigmoid far out': ('sigmoid', lambda K, x: K.sigmoid(x), [1000.0, -1000.0], [0.0, 0.0]),
    'softplus far out': ('softplus', lambda K, x: K.softplus(x), [1000.0, -1000.0], [1.0, 0.0]),
    'elu far out': ('elu', lambda K, x: K.elu(x), [1000.0, -1000.0], [1.0, 0.0]),
    'softmax far out': ('softmax', lambda K, x: K.softmax(x)[:1], [1000.0, -1000.0], [0.0, 0.0]),
    'logsumexp far out': ('logsumexp', lambda K, x: K.logsumexp(x), [1000.0, -1000.0], [1.0, 0.0]),
    'pow at zero': ('pow', lambda K, x: K.pow(x, 2), [0.0, -3.0], [0.0, -6.0]),
    'square root of a square': ('l2_normalize', lambda K, x: K.l2_normalize(x), [0.0, 0.0], [1e6, 1e6]),
}


@pytest.mark.parametrize('case', [pytest.param(name, marks=covers(KINKS[name][0])) for name in sorted(KINKS)])
def test_at_kinks(K, check, case):
    """At a kink the gradient is that of docs/semantics.md#gradients. For very large numbers it is no NaN."""
    _, build, at, expected = KINKS[case]
    x = check.placeholder(np.array(at, 'float32'))
    close(check.run(K.gradients(K.sum(build(K, x)), [x])[0], [(x, np.array(at, 'float32'))]), expected)


@pytest.mark.parametrize(
    'case',
    [
        pytest.param(name, marks=covers(name))
        for name in ('sign', 'round', 'argmax', 'argmin', 'greater', 'equal', 'any', 'all', 'one_hot', 'in_top_k')
    ],
)
def test_flat_functions(K, check, case):
    """Piecewise constant functions have the gradient None or 0. Other paths still count."""
    array = np.array([[-1.3, 0.4, 2.2]], 'float32')
    x = check.placeholder(array)
    flat = {
        'sign': lambda: K.sign(x),
        'round': lambda: K.round(x),
        'argmax': lambda: K.argmax(x),
        'argmin': lambda: K.argmin(x),
        'greater': lambda: K.greater(x, 0.5),
        'equal': lambda: K.equal(x, 0.5),
        'any': lambda: K.any(x),
        'all': lambda: K.all(x),
        'one_hot': lambda: K.one_hot(K.cast(x, 'int32'), 3),
        'in_top_k': lambda: K.in_top_k(x, K.constant([1], dtype='int32'), 1),
    }[case]()
    flat = K.sum(K.cast(flat, 'float32'))
    alone = K.gradients(flat, [x])[0]
    if alone is not None:
        close(check.run(alone, [(x, array)]), np.zeros((1, 3)))
    close(check.run(K.gradients(flat + K.sum(x * 2.0), [x])[0], [(x, array)]), np.full((1, 3), 2.0))


@covers('cast')
@pytest.mark.parametrize('target', ['int8', 'uint8', 'int16', 'int32', 'uint32', 'int64', 'bool'])
def test_integers_of_floats_are_flat(K, check, target):
    """No gradient goes through a cast to integers and back, beside other paths either."""
    for dtype in ('float16', 'float32', 'float64'):
        array = np.array([[0.75, 1.5, 2.25]], dtype)
        x = check.placeholder(array)
        back = K.cast(K.cast(x * 3.0, target), dtype)
        alone = K.gradients(K.sum(back), [x])[0]
        if alone is not None:
            close(check.run(alone, [(x, array)]), np.zeros((1, 3)))
        joined = K.sum(K.concatenate([back, x])) + K.sum(x + back)
        close(check.run(K.gradients(joined, [x])[0], [(x, array)]), np.full((1, 3), 2.0))


@covers('dropout', 'random_normal')
def test_random_nodes_are_the_same_forward_and_backward(K):
    """The gradient of dropout uses the mask of the forward pass. That of a noisy product uses the same noise."""
    v, w = K.variable(np.ones((20, 20))), K.variable(np.ones((20, 20)))
    dropped, noisy = K.dropout(v * 1.0, 0.5), w * K.random_normal((20, 20))
    function = K.function([], [dropped, K.gradients(K.sum(dropped), [v])[0], noisy, K.gradients(K.sum(noisy), [w])[0]])
    for _ in range(2):
        values = function([])
        close(values[1], values[0])
        close(values[3], values[2])
        assert 0 < (values[0] == 0).mean() < 1


@covers('dropout', 'rnn')
def test_random_nodes_inside_a_loop(K):
    """Dropout inside a step draws a new mask in each step. The gradient uses the mask of the step."""
    x = K.variable(np.ones((4, 5, 6)))
    _, outputs, _ = K.rnn(lambda e, s: (K.dropout(e, 0.5) * 3.0, [s[0]]), x, [K.zeros((4, 6))])
    value, gradient = K.function([], [outputs, K.gradients(K.sum(outputs), [x])[0]])([])
    close(gradient, value)
    assert any((value[:, 0] != value[:, t]).any() for t in range(1, 5))


def test_after_a_run(K):
    """A loop or a branch can be differentiated after it has run."""
    v = K.variable([[[1.0], [2.0]]])
    _, outputs, _ = K.rnn(lambda e, s: (s[0] * e, [s[0] * e]), v, [K.ones((1, 1))])
    loss = K.sum(K.switch(K.sum(v) > 0, lambda: outputs * 2.0, lambda: outputs))
    close(K.eval(loss), 6.0)
    close(K.eval(K.gradients(loss, [v])[0]), [[[6.0], [2.0]]])


def test_by_what_is_no_tensor(K):
    """An array as the loss or as a variable is an error."""
    v = K.variable([1.0])
    for arguments in ((K.sum(v), [np.ones(2)]), (np.ones(2), [v]), (K.sum(v), [None])):
        with pytest.raises((TypeError, ValueError)):
            K.gradients(*arguments)


@covers('sign', 'gradients', 'abs')
def test_the_gradient_of_a_step_is_zero(K, check):
    """The gradient of `sign` is zero, not None, and so is the second one of `abs`."""
    array = np.array([-2.0, 0.0, 3.0])
    values = check.eval(
        lambda x: (
            K.gradients(K.sum(K.sign(x)), [x])[0],
            K.gradients(K.sum(K.gradients(K.sum(K.abs(x)), [x])[0]), [x])[0],
        ),
        array,
    )
    for value in values:
        assert value.tolist() == [0.0, 0.0, 0.0]


def test_a_function_in_place_of_the_loss(K):
    """A function gets the variables and returns the loss."""
    a, b = K.variable([1.0, 2.0]), K.variable([3.0, 4.0])
    by_a, by_b = K.gradients(lambda p, q: K.sum(p * p * q), [a, b])
    close(K.eval(by_a), [6, 16])
    close(K.eval(by_b), [1, 4])
    close(K.eval(K.gradients(K.square, b)[0]), [6, 8])
