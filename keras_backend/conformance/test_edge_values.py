"""Rules for values at the edge of what a function takes: docs/semantics.md has a line for each."""

import platform

import numpy as np
import pytest

from keras_backend.errors import ShapeError

from ._check import all_close, close, covers, random

NAN, INF = np.nan, np.inf


@covers('sqrt', 'gradients')
def test_gradients_of_sqrt_beside_a_negative_number(K, check):
    """Gradients of the first and second order are 0 at a negative number, which the others do not notice."""
    mixed, weights = random((3, 3), seed=1), np.array([0.3, 0.7, 1.1])

    def build(x):
        row = K.tanh(K.dot(K.expand_dims(K.sqrt(x), 0), K.constant(mixed, dtype='float64')))
        (first,) = K.gradients(K.sum(row), [x])
        return [first, K.gradients(K.sum(first * K.constant(weights, dtype='float64')), [x])[0]]

    def truth(x):
        root = np.sqrt(x)
        row = np.tanh(np.where(x < 0, 0, root) @ mixed)
        slope = (1 - row**2) @ mixed.T
        curve = (mixed * (-2 * row * (1 - row**2))) @ mixed.T
        outer = np.where(x < 0, 0, 0.5 / root)
        first = slope * outer
        second = outer * (curve @ (outer * weights)) + np.where(x < 0, 0, -0.25 * root**-3) * slope * weights
        return first, second

    array = np.array([-1.0, 0.5, 2.0])
    with np.errstate(invalid='ignore'):
        expected = truth(array)
    all_close(check.eval(build, array), expected)


@covers('std', 'gradients')
def test_the_gradient_of_std_where_all_elements_are_equal(K, check):
    """It is 0, as that of abs at 0; the other rows have their own."""
    array = np.array([[2.0, 2.0, 2.0], [1.0, 2.0, 4.0]])
    value, slope = check.eval(lambda x: [K.std(x, axis=1), K.gradients(K.sum(K.std(x, axis=1)), [x])[0]], array)
    close(value, array.std(axis=1))
    away = array - array.mean(axis=1, keepdims=True)
    close(slope[0], np.zeros(3))
    close(slope[1], away[1] / (3 * array[1].std()))
    (lone_slope,) = check.eval(lambda x: [K.gradients(K.sum(K.std(x, axis=-1)), [x])[0]], np.array([[5.0], [1.0]]))
    close(lone_slope, np.zeros((2, 1)))


@covers('logsumexp', 'gradients')
def test_the_gradient_of_logsumexp_of_infinite_numbers(K, check):
    """An element of -inf has the gradient 0, also where all are -inf."""
    array = np.array([[-INF, -INF], [0.0, -INF], [1.0, 1.0]])
    value, slope = check.eval(
        lambda x: [K.logsumexp(x, axis=1), K.gradients(K.sum(K.logsumexp(x, axis=1)), [x])[0]], array
    )
    assert value.tolist()[:2] == [-INF, 0.0]
    close(slope, np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.5]]))


@covers('pow', 'gradients')
def test_the_gradient_of_pow_in_the_exponent(K, check):
    """It is 0 where the base is 0 or negative, for there is no logarithm."""
    x, a = np.array([-2.0, -2.0, 0.0, 0.0, 2.0, -2.0]), np.array([2.0, 3.0, 2.0, 0.0, 3.0, -1.0])
    value, slope_x, slope_a = check.eval(lambda x, a: [K.pow(x, a), *K.gradients(K.sum(K.pow(x, a)), [x, a])], x, a)
    close(value, [4.0, -8.0, 0.0, 1.0, 8.0, -0.5])
    close(slope_x, [-4.0, 12.0, 0.0, 0.0, 12.0, -0.25])
    close(slope_a, [0.0, 0.0, 0.0, 0.0, 8.0 * np.log(2.0), 0.0])


@covers('pow', 'gradients')
def test_the_gradient_of_pow_by_a_constant(K, check):
    """The slope of a square, and of a power with exponents among which is 0."""
    x = np.array([-2.0, 0.0, 3.0])
    slopes = check.eval(
        lambda x: [
            K.gradients(K.sum(K.pow(x, 2)), [x])[0],
            K.gradients(K.sum(K.pow(x, K.constant([0.0, 0.0, 2.0], dtype='float64'))), [x])[0],
        ],
        x,
    )
    close(slopes[0], 2 * x)
    close(slopes[1], [0.0, 0.0, 6.0])


@pytest.mark.skipif(
    platform.machine().lower() not in ('x86_64', 'amd64'), reason='other processors give the nearest number'
)
@covers('cast')
@pytest.mark.parametrize('given', ['float16', 'float32', 'float64'])
@pytest.mark.parametrize('dtype', ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32'])
def test_casts_of_what_the_dtype_cannot_hold(K, check, given, dtype):
    """The same wherever in an array it stands: the low bits of the int32 or int64, whose smallest number is a NaN."""
    numbers = [-2.0, -1.5, NAN, INF, -INF, 300.0, 256.0, -0.5, 0.5, 3e9, -3e9, 2.0**31, -(2.0**31), 1e10, 1e20, 127.9]
    with np.errstate(over='ignore'):
        array = np.array(numbers * 4, given)[:61]
    wide = 'int64' if dtype in ('int64', 'uint32') else 'int32'
    exact, least = array.astype('float64'), float(np.iinfo(wide).min)
    fits = (exact >= least) & (exact < -least)
    expected = np.where(fits, np.where(fits, exact, 0).astype(wide), np.iinfo(wide).min).astype(wide).astype(dtype)
    many, few = check.eval(lambda x, y: [K.cast(x, dtype), K.cast(y, dtype)], array, array[:3])
    np.testing.assert_array_equal(many, expected)
    np.testing.assert_array_equal(few, expected[:3])


@covers('ctc_decode')
def test_lengths_of_any_number_of_axes(K):
    """The lengths of ctc_decode may come from a placeholder of which nothing is known."""
    scores, lengths = K.placeholder((2, 3, 2)), K.placeholder(dtype='int64')
    array = np.array([[[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]], [[0.6, 0.4], [0.1, 0.9], [0.8, 0.2]]])
    for options in {}, {'greedy': False, 'beam_width': 4}:
        decoded, certainty = K.ctc_decode(scores, lengths, **options)
        function = K.function([scores, lengths], [decoded[0], certainty])
        ranked = K.placeholder((2,), dtype='int64')
        plain, sure = K.ctc_decode(scores, ranked, **options)
        expected = K.function([scores, ranked], [plain[0], sure])([array, [3, 2]])
        for value in ([3, 2], [[3], [2]]):
            for result, reference in zip(function([array, value]), expected):
                np.testing.assert_array_equal(result, reference)


@covers('depthwise_conv2d')
@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_a_nan_stays_in_its_channel(K, check, dtype):
    """The other channels of a depthwise convolution are numbers."""
    image = np.ones((1, 4, 4, 2), dtype)
    image[0, 0, 0, 0] = NAN
    (value,) = check.eval(lambda x, w: [K.depthwise_conv2d(x, w)], image, np.ones((2, 2, 2, 1), dtype))
    assert np.isnan(value).sum(axis=(0, 1, 2)).tolist() == [1, 0]


@covers('placeholder')
def test_division_without_a_fraction_at_its_edge(check):
    """The exact remainder decides, as in Python; infinity has none."""
    x, y = np.array([INF, -INF, 1.0, 1.0, -1.0]), np.array([2.0, 2.0, 0.1, -INF, 7.5])
    (value,) = check.eval(lambda x, y: [x // y], x, y)
    np.testing.assert_array_equal(value, [NAN, NAN, 9.0, -1.0, -1.0])


@covers('sparse_categorical_crossentropy', 'in_top_k')
@pytest.mark.parametrize('dtype', ['int64', 'uint32'])
def test_labels_beyond_32_bits(K, check, dtype):
    """They are no class, and an error or infinity. Their low bits are those of class 0."""
    scores = np.array([[0.1, 0.2, 0.7]] * 2, 'float32')
    labels = np.array([0, {'int64': 2**32, 'uint32': 2**32 - 1}[dtype]], dtype)
    assert check.eval(lambda t, y: K.in_top_k(y, t, 3), labels, scores).tolist() == [True, False]
    try:
        cost = check.eval(K.sparse_categorical_crossentropy, labels, scores)
    except Exception:  # noqa: BLE001 - of any engine: it may refuse the label
        return
    close(cost, [-np.log(0.1), INF])


@covers('reshape')
def test_sizes_beyond_32_bits(K, check):
    """Of sizes that only the run knows, none is cut to a smaller one."""
    size = K.placeholder((), dtype='int64')
    function = K.function([size], [K.reshape(K.variable(np.zeros(4)), (size, -1))])
    assert function([2])[0].shape == (2, 2)
    for n in (2**32 + 2, -(2**32) + 2):
        with check.rejects(error=ShapeError):
            function([n])


@covers('reshape')
@pytest.mark.parametrize('shape', [(6,), (2, 3)], ids=str)
def test_sizes_that_are_compared_in_the_run(K, check, shape):
    """A size that a program gives is no -1, although the other sizes leave one choice for it."""
    x, size = K.placeholder(shape), K.placeholder((), dtype='int32')
    for target, right in (((size,), 6), ((size, 1), 6), ((2, size), 3)):
        function = K.function([x, size], [K.reshape(x, target)])
        assert function([np.zeros(shape), right])[0].size == 6
        with check.rejects(error=ShapeError):
            function([np.zeros(shape), right - 1])
