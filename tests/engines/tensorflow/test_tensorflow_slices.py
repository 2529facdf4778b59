"""What the TensorFlow engine makes faster without being asked: gates cut out by slices, and steps down a gradient."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

pytest.importorskip('tensorflow')
import keras_backend.engines.tensorflow_backend as K


@pytest.fixture(autouse=True)
def _fresh():
    """Every test starts in a graph of its own."""
    K.clear_session()


def types(tensors):
    """The types of all operations behind `tensors`, those in the bodies of loops included."""
    graph = tensors[0].graph
    found = [op.type for op in graph.get_operations()]
    for function in graph.as_graph_def().library.function:
        found += [node.op for node in function.node_def]
    return found


def lstm(n, unroll):
    """The gradients of a cell whose gates have the same size and are cut out of one product."""
    x, w = K.placeholder((2, 5, 3)), K.variable(np.full((3, 4 * n), 0.1))

    def step(e, states):
        z = K.dot(e, w)
        c = K.sigmoid(z[:, :n]) * K.tanh(z[:, n : 2 * n]) + K.sigmoid(z[:, 2 * n : 3 * n]) * states[0]
        return K.sigmoid(z[:, 3 * n :]) * K.tanh(c), [c]

    last = K.rnn(step, x, [K.zeros((2, n))], unroll=unroll)[0]
    return K.gradients(K.sum(last), [w])


@pytest.mark.parametrize('unroll', [False, True])
def test_gates_are_taken_apart_in_one_operation(unroll):
    """The gradient of a cell needs no tensors that are zero outside of one gate."""
    found = types(lstm(4, unroll))
    assert {'Split', 'SplitV'} & set(found)
    # The first of five steps is looked at; in a loop it is outside, where only the last output is cut out.
    assert found.count('StridedSliceGrad') <= (4 if unroll else 1)


def forward(x, w, spans):
    """The same recurrence in NumPy: the sum of the squares of the parts, weighted by their number."""
    state = np.zeros((len(x), w.shape[1]))
    for t in range(x.shape[1]):
        z = np.tanh(x[:, t].dot(w) + 0.5 * state)
        total = sum((i + 1) * (z[:, part] ** 2).sum(1, keepdims=True) for i, part in enumerate(spans))
        state = state + z * np.tanh(total)
    return state


bounds = st.one_of(st.none(), st.integers(-7, 7))
parts = st.lists(st.builds(slice, bounds, bounds, st.sampled_from([None, 1, 1, 2, -1])), min_size=1, max_size=6)
cuts = st.sets(st.integers(1, 5), max_size=5).map(
    lambda at: [slice(a, b) for a, b in zip([0] + sorted(at), sorted(at) + [6])]
)


@given(st.one_of(cuts, parts, st.tuples(cuts, parts).map(lambda both: both[0] + both[1])), st.booleans())
@settings(max_examples=12)
def test_any_slices(spans, unroll):
    """Whatever a step cuts out, parts of one whole or not, the values and gradients are those of NumPy."""
    K.clear_session()
    rng = np.random.RandomState(0)
    values, weights = rng.randn(2, 3, 4), rng.randn(4, 6) * 0.5
    x, w = K.constant(values, 'float64'), K.variable(weights, 'float64')

    def step(e, states):
        z = K.tanh(K.dot(e, w) + 0.5 * states[0])
        total = sum((i + 1) * K.sum(K.square(z[:, part]), 1, keepdims=True) for i, part in enumerate(spans))
        state = states[0] + z * K.tanh(total)
        return state, [state]

    last = K.rnn(step, x, [K.zeros((2, 6), 'float64')], unroll=unroll)[0]
    np.testing.assert_allclose(K.eval(last), forward(values, weights, spans), rtol=1e-10, atol=1e-12)
    gradient = K.eval(K.gradients(K.sum(last), [w])[0])
    direction, h = rng.randn(4, 6), 1e-6
    ahead, behind = [forward(values, weights + s * h * direction, spans).sum() for s in (1, -1)]
    np.testing.assert_allclose((gradient * direction).sum(), (ahead - behind) / (2 * h), rtol=1e-6, atol=1e-7)


def descents(step, **given):
    """How many updates of the function `step` TensorFlow takes in place."""
    step(**given)
    return [op.type for op in K.get_session().graph.get_operations()].count('ResourceApplyGradientDescent')


@pytest.mark.parametrize('form', ['pair', 'reversed product', 'update_sub', 'tensor rate'])
def test_a_step_down_a_gradient_is_taken_in_place(form):
    """`w - rate * gradient` is one pass over the memory, and gives what NumPy gives."""
    start, slope = np.arange(6.0).reshape(2, 3), np.linspace(-1, 1, 6).reshape(2, 3)
    w, g = K.variable(start, 'float64'), K.placeholder((2, 3), dtype='float64')
    rate = K.variable(0.1, 'float64') if form == 'tensor rate' else 0.1
    update = {
        'pair': lambda: (w, w - rate * g),
        'reversed product': lambda: (w, w - g * rate),
        'update_sub': lambda: K.update_sub(w, rate * g),
        'tensor rate': lambda: (w, w - rate * g),
    }[form]()
    before = K.function([g], [w + 0.0], updates=[update])
    assert 1 == descents(before, inputs=[slope])
    np.testing.assert_allclose(K.get_value(w), start - 0.1 * slope, rtol=1e-15)
    np.testing.assert_array_equal(before([slope])[0], start - 0.1 * slope)


def test_other_steps_are_assigned():
    """A rate per column, another variable's value and integers are no such step, and give what NumPy gives."""
    w, v, n = K.variable(np.ones((2, 3))), K.variable(np.full((2, 3), 5.0)), K.variable(np.ones((2,), 'int32'), 'int32')
    rates, g = K.constant([1.0, 2.0, 3.0]), K.constant(np.ones((2, 3)))
    f = K.function([], [], updates=[(w, v - rates * g), (v, v - rates * g), (n, n - 2 * n)])
    assert 0 == descents(f, inputs=[])
    np.testing.assert_array_equal(K.get_value(w), [[4.0, 3.0, 2.0]] * 2)
    np.testing.assert_array_equal(K.get_value(v), [[4.0, 3.0, 2.0]] * 2)
    np.testing.assert_array_equal(K.get_value(n), [-1, -1])


def test_steps_of_variables_that_need_each_other():
    """Two variables whose gradients are each other's values take their steps at once."""
    a, b = K.variable(np.full((300, 300), 1.0)), K.variable(np.full((300, 300), 2.0))
    f = K.function([], [a[0, 0] + 0.0], updates=[(a, a - 0.5 * b), (b, b - 0.5 * a)])
    x, y = 1.0, 2.0
    for _ in range(10):
        assert f([])[0] == pytest.approx(x, rel=1e-5)
        x, y = x - 0.5 * y, y - 0.5 * x
        np.testing.assert_allclose(K.get_value(a), x, rtol=1e-5)
        np.testing.assert_allclose(K.get_value(b), y, rtol=1e-5)
