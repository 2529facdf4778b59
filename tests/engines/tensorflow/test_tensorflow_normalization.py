"""The kernels that normalise a batch of large images, beside NumPy in float64."""

import numpy as np
import pytest

pytest.importorskip('tensorflow')
import keras_backend.engines.tensorflow_backend as K

# Large enough for the kernels, and without a size that is known in one case.
SHAPE = (3, 32, 16, 8)
SIZES = [(None, 32, 16, 8), (3, 32, 16, 8), (None, None, None, 8)]
AXES = [0, 1, 2]


@pytest.fixture(autouse=True)
def _fresh():
    """Every test starts in a graph of its own."""
    K.clear_session()


def drawn(shape, seed, low=-1.0, high=1.0):
    return np.random.RandomState(seed).uniform(low, high, shape).astype('float32')


def normalized(x, gamma, beta, epsilon=1e-3):
    """What K.normalize_batch_in_training returns, in NumPy."""
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    return (x - mean) / np.sqrt(variance + epsilon) * gamma + beta, mean, variance


def in_double(*arrays):
    return [a.astype('float64') for a in arrays]


def uses_kernel(t):
    return 'FusedBatchNormV3' in {op.type for op in t.graph.get_operations()}


@pytest.mark.parametrize(('sizes', 'rows'), [(SIZES[0], 3), (SIZES[0], 1), (SIZES[1], 3), (SIZES[2], 3)], ids=str)
def test_values_of_the_kernels(sizes, rows):
    """Of a batch far from 0, with scale and shift as tensors, arrays, lists and None."""
    x, gamma, beta = drawn((rows,) + SHAPE[1:], 0, 9.0, 11.0), drawn(8, 1, 0.5, 2.0), drawn(8, 2)
    p = K.placeholder(sizes)
    for scale, shift in (
        (gamma, beta),
        (K.variable(gamma), K.constant(beta)),
        (gamma.tolist(), None),
        (None, beta),
        (None, None),
    ):
        y, mean, variance = K.normalize_batch_in_training(p, scale, shift, AXES)
        assert uses_kernel(y)
        assert K.int_shape(y) == sizes
        assert K.int_shape(mean) == K.int_shape(variance) == (8,)
        expected = normalized(*in_double(x), 1.0 if scale is None else gamma, 0.0 if shift is None else beta)
        for value, right in zip(K.function([p], [y, mean, variance])([x]), expected):
            np.testing.assert_allclose(value, right, rtol=1e-4, atol=1e-4)


def test_one_number_of_each_channel():
    """The variance is 0, not 0 / 0."""
    x = drawn((1, 1, 1, 4096), 0)
    p = K.placeholder((None, 1, 1, 4096))
    y, mean, variance = K.normalize_batch_in_training(p, None, None, AXES)
    assert uses_kernel(y)
    values = K.function([p], [y, mean, variance])([x])
    for value, right in zip(values, (np.zeros_like(x), x[0, 0, 0], np.zeros(4096))):
        np.testing.assert_allclose(value, right, atol=1e-6)


def test_empty_batch():
    """Nothing has no mean. The parameters get gradients of 0."""
    p, gamma = K.placeholder(SIZES[0]), K.ones((8,))
    y, mean, variance = K.normalize_batch_in_training(p, gamma, None, AXES)
    g = K.gradients(K.sum(y) + K.sum(mean) + K.sum(variance), [p, gamma])
    values = K.function([p], [y, mean, variance, *g])([np.zeros((0,) + SHAPE[1:], 'float32')])
    assert values[0].shape == values[3].shape == (0,) + SHAPE[1:]
    assert np.isnan(values[1]).all()
    assert np.isnan(values[2]).all()
    np.testing.assert_array_equal(values[4], np.zeros(8))


def test_empty_batch_behind_a_convolution():
    """What is fed is empty: the part of the graph that cannot take it is copied, with the kernels."""
    p, kernel = K.placeholder((None, 32, 16, 3)), K.ones((3, 3, 3, 8))
    y, mean, _ = K.normalize_batch_in_training(K.conv2d(p, kernel, padding='same'), None, None, AXES)
    assert uses_kernel(y)
    f = K.function([p], [y, mean, *K.gradients(K.sum(y * y), [kernel])])
    for rows in (0, 2, 0):
        found = f([np.ones((rows, 32, 16, 3))])
        assert found[0].shape == (rows,) + SHAPE[1:]
        assert np.isnan(found[1]).all() == (rows == 0)
        if not rows:
            np.testing.assert_array_equal(found[2], np.zeros((3, 3, 3, 8)))


def test_compiled_by_xla():
    """XLA has kernels of its own: the numbers are the same."""
    p, gamma, beta = K.placeholder(SIZES[0]), K.variable(drawn(8, 1, 0.5, 2.0)), K.variable(drawn(8, 2))
    results = K.normalize_batch_in_training(p, gamma, beta, AXES)
    value = objective(*results, [K.constant(drawn(n, 3)) for n in (SHAPE, 8, 8)], K.sum)
    outputs, x = [*results, *K.gradients(value, [p, gamma, beta])], drawn(SHAPE, 0, 0.5, 3.0)
    plain, fused = [K.function([p], outputs, fuse=fuse)([x]) for fuse in (False, True)]
    for ours, theirs in zip(plain, fused):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4 * np.abs(ours).max())


def test_nan_stays_in_its_channel():
    x = drawn(SHAPE, 0)
    x[1, 2, 3, 4] = np.nan
    p = K.placeholder(SIZES[0])
    y, mean, variance = K.normalize_batch_in_training(p, None, None, AXES)
    for value in K.function([p], [y, mean, variance])([x]):
        lacking = np.isnan(value)
        assert lacking[..., 4].all()
        assert lacking.sum() == value[..., 4].size


def objective(y, mean, variance, weights, sum=np.sum):
    """A number in which everything that K.normalize_batch_in_training returns has a part."""
    first, second, third = weights
    return sum(y * y * first) + sum(mean * mean * second) + sum(variance * variance * mean * third)


@pytest.mark.parametrize('parts', [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)], ids=str)
@pytest.mark.parametrize('sizes', SIZES, ids=str)
def test_gradients_of_the_kernels(sizes, parts):
    """By way of each result, with respect to batch, scale and shift: as finite differences along random directions."""
    arrays = [drawn(SHAPE, 0, 0.5, 3.0), drawn(8, 1, 0.5, 2.0), drawn(8, 2)]
    weights = [part * drawn(size, 3 + i) for i, (part, size) in enumerate(zip(parts, (SHAPE, 8, 8)))]
    p, gamma, beta = K.placeholder(sizes), K.variable(arrays[1]), K.variable(arrays[2])
    results = K.normalize_batch_in_training(p, gamma, beta, AXES)
    assert uses_kernel(results[0])
    value = objective(*results, [K.constant(w) for w in weights], K.sum)
    # The moments do not depend on scale and shift: those have no gradient then.
    inputs = p, gamma, beta
    found = [K.zeros_like(t) if g is None else g for t, g in zip(inputs, K.gradients(value, list(inputs)))]
    gradients = K.function([p], found)([arrays[0]])
    for i, gradient in enumerate(gradients):
        step = 1e-5 * drawn(arrays[i].shape, 9).astype('float64')
        ends = []
        for sign in (1, -1):
            moved = in_double(*arrays)
            moved[i] = moved[i] + sign * step
            ends.append(objective(*normalized(*moved), in_double(*weights)))
        np.testing.assert_allclose(np.sum(gradient * step), (ends[0] - ends[1]) / 2, rtol=2e-3, atol=1e-8)


def test_second_gradient_of_the_kernels():
    """The gradient of a gradient, by way of all results."""
    x, direction, other = drawn(SHAPE, 0, 0.5, 3.0), drawn(SHAPE, 1), drawn(SHAPE, 2).astype('float64')
    weights = [drawn(size, 3 + i) for i, size in enumerate((SHAPE, 8, 8))]

    def slope(at):
        """That of the objective along `direction`, in float64."""
        step = 1e-4 * direction.astype('float64')
        ends = [objective(*normalized(at + sign * step, 1.0, 0.0), in_double(*weights)) for sign in (1, -1)]
        return (ends[0] - ends[1]) / 2e-4

    p = K.placeholder(SIZES[0])
    value = objective(*K.normalize_batch_in_training(p, None, None, AXES), [K.constant(w) for w in weights], K.sum)
    along = K.sum(K.gradients(value, p)[0] * K.constant(direction))
    gradient = K.function([p], K.gradients(along, p))([x])[0]
    expected = (slope(x + 1e-3 * other) - slope(x - 1e-3 * other)) / 2e-3
    np.testing.assert_allclose(np.sum(gradient * other), expected, rtol=2e-3)


def test_in_a_layer_that_trains():
    """Moving averages follow the batches, and a phase that does not train leaves them alone in the result."""
    p, gamma, beta = K.placeholder(SIZES[0]), K.ones((8,)), K.zeros((8,))
    averages = K.zeros((8,)), K.ones((8,))
    y, mean, variance = K.normalize_batch_in_training(p, gamma, beta, AXES)
    chosen = K.in_train_phase(y, K.batch_normalization(p, averages[0], averages[1], beta, gamma))
    loss = K.mean(K.square(chosen - 1.0))
    updates = [K.moving_average_update(a, new, 0.9) for a, new in zip(averages, (mean, variance))]
    updates += [K.update_sub(w, 0.1 * g) for w, g in zip((gamma, beta), K.gradients(loss, [gamma, beta]))]
    step = K.function([p, K.learning_phase()], [loss], updates=updates)
    x, (right_gamma, right_beta), right = (
        drawn(SHAPE, 0, 1.0, 4.0),
        (np.ones(8), np.zeros(8)),
        [np.zeros(8), np.ones(8)],
    )
    for _ in range(3):
        wide, batch_mean, batch_variance = normalized(*in_double(x), 1.0, 0.0)
        error = 2.0 * (wide * right_gamma + right_beta - 1.0) / x.size
        np.testing.assert_allclose(step([x, 1])[0], np.mean((wide * right_gamma + right_beta - 1.0) ** 2), rtol=1e-5)
        right_gamma = right_gamma - 0.1 * (error * wide).sum((0, 1, 2))
        right_beta = right_beta - 0.1 * error.sum((0, 1, 2))
        right = [0.9 * old + 0.1 * new for old, new in zip(right, (batch_mean, batch_variance))]
    for variable, value in zip((gamma, beta, *averages), (right_gamma, right_beta, *right)):
        np.testing.assert_allclose(K.get_value(variable), value, rtol=1e-5, atol=1e-6)
    tested = K.function([p, K.learning_phase()], [chosen])([x, 0])[0]
    expected = (in_double(x)[0] - right[0]) / np.sqrt(right[1] + 1e-3) * right_gamma + right_beta
    np.testing.assert_allclose(tested, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize('unroll', [False, True])
def test_in_a_loop(unroll):
    """Each step normalises its images, and the gradient goes through all of them."""
    x, w = drawn((2, 3) + SHAPE[1:], 0, 1.0, 2.0), drawn(SHAPE[1:], 1, 0.5, 1.5)
    p, weight = K.placeholder((None, 3) + SHAPE[1:]), K.variable(w)

    def step(image, states):
        state = K.tanh(K.normalize_batch_in_training(image * weight, None, None, AXES)[0] + states[0])
        return state, [state]

    last = K.rnn(step, p, [K.zeros_like(p[:, 0])], unroll=unroll)[0]
    value, gradient = K.function([p], [last, *K.gradients(K.mean(K.square(last)), [weight])])([x])

    def recurrence(w):
        state = np.zeros((2,) + SHAPE[1:])
        for t in range(3):
            state = np.tanh(normalized(x[:, t].astype('float64') * w, 1.0, 0.0)[0] + state)
        return state

    np.testing.assert_allclose(value, recurrence(w.astype('float64')), rtol=1e-4, atol=1e-5)
    way = drawn(SHAPE[1:], 2).astype('float64')
    ends = [np.mean(recurrence(w + sign * 1e-5 * way) ** 2) for sign in (1, -1)]
    np.testing.assert_allclose(np.sum(gradient * way), (ends[0] - ends[1]) / 2e-5, rtol=2e-3, atol=1e-6)


@pytest.mark.parametrize(
    ('sizes', 'options'),
    [
        ((None, 4, 4, 8), {}),
        ((None, 32, 16, 8), {'epsilon': 1e-6}),
        ((None, 32, 16, 8), {'reduction_axes': [0, 2, 3]}),
        ((None, 32, 16, 8), {'dtype': 'float64'}),
        ((None, 32, 16, 8), {'dtype': 'float16'}),
    ],
    ids=str,
)
def test_others_are_computed_in_single_operations(sizes, options):
    p = K.placeholder(sizes, dtype=options.pop('dtype', 'float32'))
    y = K.normalize_batch_in_training(p, None, None, **{'reduction_axes': AXES, **options})[0]
    assert not uses_kernel(y)
