"""Gradients through loops and choices, up to the third order, where sizes are known at run time only."""

import numpy as np
import pytest

import keras_backend.engines.numpy_backend as K

STEP = 1e-6


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own, in float64."""
    K.clear_session()
    K.set_floatx('float64')


def hold(build, values, orders):
    """Gradients of `build(*tensors)` of ascending order agree with differences of what they are gradients of.

    The loss of an order is a sum over the gradients of the order before; all are compared along one direction.
    """
    tensors = [K.placeholder((None,) * np.ndim(v)) for v in values]
    loss, losses, found = build(*tensors), [], []
    for _ in range(orders):
        losses.append(K.sum(loss))
        gradients = K.gradients(losses[-1], tensors)
        assert [t.ndim for t in tensors] == [g.ndim for g in gradients]
        found.append(gradients)
        loss = sum([K.sum(K.tanh(g)) * (0.7 + 0.2 * i) for i, g in enumerate(gradients)])
    f = K.function(tensors, losses + [g for gradients in found for g in gradients])
    draw = np.random.RandomState(1)
    along = [draw.randn(*np.shape(v)) for v in values]
    ahead, behind = [np.array(f([v + sign * STEP * d for v, d in zip(values, along)])[:orders]) for sign in (1, -1)]
    gradients = f(values)[orders:]
    n = len(values)
    by_gradients = [sum([np.sum(g * d) for g, d in zip(gradients[i * n : i * n + n], along)]) for i in range(orders)]
    np.testing.assert_allclose(by_gradients, (ahead - behind) / (2 * STEP), rtol=1e-5, atol=1e-7)
    return f


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_switch(sign):
    """A lazy choice of unknown size, either branch taken."""
    draw = np.random.RandomState(0)
    hold(
        lambda x, y: K.switch(K.sum(x) * sign > 0, lambda: K.exp(K.tanh(x)) * y, lambda: K.sin(x * y) * K.tanh(x)),
        [draw.rand(2, 3), draw.rand(2, 3)],
        3,
    )


def test_switch_in_switch():
    """What only an inner branch knows is absent wherever one of the two does not run."""
    draw = np.random.RandomState(0)

    def build(x, y):
        z = K.tanh(x)
        return K.switch(
            K.sum(x) > 0,
            lambda: K.switch(K.sum(y) < 0, lambda: K.exp(z * y), lambda: K.sin(z * z * y)) * K.exp(z),
            lambda: K.switch(K.sum(y) > 0, lambda: z * z, lambda: y * z),
        )

    for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        hold(build, [s * draw.rand(2, 3), t * draw.rand(2, 3)], 2)


def test_switch_in_a_loop():
    """Each step takes its branch: a value of one branch is gathered over time from some of the steps."""
    draw = np.random.RandomState(5)

    def build(x, w):
        def step(e, states):
            h = states[0]
            h = K.switch(
                K.sum(e) > 0, lambda: K.exp(K.tanh(K.dot(e, w)) * h) * h, lambda: K.tanh(K.dot(h, w) + e) * K.exp(h * e)
            )
            return h, [h]

        return K.tanh(K.rnn(step, x, [K.zeros_like(x[:, 0]) + 0.3])[1])

    f = hold(build, [draw.randn(2, 4, 3), 0.5 * draw.randn(3, 3)], 3)
    assert 'whole(' in f._run.source


def test_loop_in_a_switch_in_a_loop():
    """The same with a loop inside of one branch."""
    draw = np.random.RandomState(6)

    def build(x, w):
        def step(e, states):
            h = states[0]

            def mapped():
                rows = K.map_fn(lambda r: K.tanh(K.dot(K.expand_dims(r, 0), w))[0] * K.sum(K.tanh(h)), K.exp(e * h))
                return K.tanh(rows * h)

            h = K.switch(K.sum(e) > 0, mapped, lambda: K.tanh(h + e))
            return h, [h]

        return K.rnn(step, x, [K.zeros_like(x[:, 0]) + 0.3])[1]

    hold(build, [draw.randn(2, 4, 3), 0.5 * draw.randn(3, 3)], 2)


def test_size_of_an_inner_tensor():
    """A step may count with a size that is known only inside of it."""
    draw = np.random.RandomState(0)

    def build(x, v):
        def step(e, states):
            rows = K.shape(K.reshape(K.tanh(e * v)[:1], (-1,)))[0] + 1
            h = K.tanh(e * v * K.cast(rows, 'float64') + states[0])
            return h, [h]

        return K.rnn(step, x, [K.zeros_like(x[:, 0])])[1]

    hold(build, [draw.randn(2, 3, 4), draw.randn(4)], 2)


def test_long_arithmetic_of_sizes():
    """Sizes are read off again without recursion."""
    x, v = K.placeholder((2, None, 3)), K.variable(np.ones(3))

    def step(e, states):
        size = K.shape(K.reshape(e * v, (-1,)))[0]
        for _ in range(1500):
            size = size + 1
        return e * v * K.cast(size, 'float64'), []

    last = K.rnn(step, x, [])[0]
    f = K.function([x], K.gradients(K.sum(last), [v]))
    assert [2.0 * 1506] * 3 == f([np.ones((2, 2, 3))])[0].tolist()


def test_fold_over_nothing_but_the_first():
    """A fold whose only element is the initial value: a loop of no steps, of rows of unknown size."""
    x = K.placeholder((1, None, 2))
    y = K.foldr(lambda acc, e: K.tanh(acc * e), x)
    value, g = K.function([x], [y] + K.gradients(K.sum(K.square(y)), [x]))([np.full((1, 3, 2), 2.0)])
    assert np.full((3, 2), 2.0).tolist() == value.tolist()
    assert np.full((1, 3, 2), 4.0).tolist() == g.tolist()


def test_product_over_an_axis_of_an_empty_tensor():
    """A product along one axis has a gradient of the right shape where another axis is empty."""
    x = K.placeholder((None, None, 2))
    f = K.function([x], K.gradients(K.sum(K.prod(x, axis=1)), [x]))
    assert (0, 3, 2) == f([np.ones((0, 3, 2))])[0].shape
    assert [[[4.0, 3.0], [2.0, 1.0]]] == f([[[[2.0, 1.0], [4.0, 3.0]]]])[0].tolist()


def test_gradients_have_the_sizes_of_what_they_belong_to():
    """Where a size may be 1 at run time, the gradient is summed back, and what is known of the shape stays known."""
    x, y, w = K.placeholder((None, 3)), K.placeholder((None, 3)), K.variable(np.ones((4, 3)))
    h = K.dot(K.placeholder((None, 4)), w)
    for of, shape in ((x, (None, 3)), (h, (None, 3)), (w, (4, 3))):
        assert shape == K.int_shape(K.gradients(K.sum(K.square(x * y + h)), [of])[0])
