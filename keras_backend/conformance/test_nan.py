"""NaN and infinite numbers: no function hides a NaN, and limits are what the formula tends to."""

import numpy as np
import pytest

from ._check import covers

NAN, INF = np.nan, np.inf
ROWS = np.array([[1.0, NAN, 3.0], [NAN, 2.0, 0.0], [4.0, 5.0, 6.0]])


@covers('max', 'min', 'sum', 'mean', 'prod', 'var', 'std', 'logsumexp', 'cumsum', 'cumprod')
@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_reductions_keep_nan(K, check, dtype):
    """A row with a NaN anywhere has the result NaN, and the others have none."""
    array = ROWS.astype(dtype)
    for name in ('max', 'min', 'sum', 'mean', 'prod', 'var', 'std', 'logsumexp'):
        function = getattr(K, name)
        value = check.eval(lambda x, function=function: (function(x, axis=1), function(x)), array)
        assert np.isnan(value[0]).tolist() == [True, True, False], name
        assert np.isnan(value[1]), name
    for name in ('cumsum', 'cumprod'):
        function = getattr(K, name)
        (value,) = check.eval(lambda x, function=function: (function(x, axis=1),), array)
        assert np.isnan(value).tolist() == [[False, True, True], [True, True, True], [False, False, False]], name


@covers('argmax', 'argmin')
def test_the_place_of_a_nan(K, check):
    """The first NaN is the extreme, beside infinite numbers, too."""
    values = check.eval(lambda x: (K.argmax(x), K.argmin(x), K.argmax(x, axis=0)), ROWS)
    assert [value.tolist() for value in values] == [[1, 0, 2], [1, 0, 0], [1, 0, 2]]
    array = np.array([[INF, NAN, NAN], [-INF, NAN, INF], [-INF, 1.0, INF]])
    values = check.eval(lambda x: (K.argmax(x), K.argmin(x)), array)
    assert [value.tolist() for value in values] == [[1, 1, 2], [1, 1, 0]]


UNARY = 'abs square sign elu softplus softsign tanh sigmoid hard_sigmoid round exp sin sqrt'.split()


@covers(
    'maximum', 'minimum', 'clip', 'relu', 'abs', 'square', 'sign', 'pow', 'elu', 'softplus', 'tanh', 'sigmoid', 'round'
)
def test_element_wise_functions_keep_nan(K, check):
    """What is NaN stays NaN, whatever it is compared with."""
    array = np.array([NAN, 1.0, -2.0])
    values = check.eval(
        lambda x: (
            K.maximum(x, 0.0),
            K.maximum(0.0, x),
            K.minimum(x, 0.0),
            K.minimum(0.0, x),
            K.clip(x, -1.0, 1.0),
            K.relu(x),
            K.relu(x, 0.1, 6.0, 1.0),
            K.relu(x, max_value=6.0),
            K.relu(x, threshold=1.0),
            K.pow(x, 2),
            *[getattr(K, name)(x) for name in UNARY],
        ),
        array,
    )
    for index, value in enumerate(values):
        assert np.isnan(value).tolist() == [True, False, False], index


@covers('pool2d')
def test_average_pooling_keeps_nan(K, check):
    """Every window with a NaN has the mean NaN. (Max pooling depends on the kernels of the library.)"""
    image = np.arange(16.0).reshape(1, 4, 4, 1)
    for position in ((0, 0), (1, 1), (0, 1), (1, 0)):
        array = image.copy()
        array[0, position[0], position[1], 0] = NAN
        (value,) = check.eval(lambda x: (K.pool2d(x, (2, 2), (2, 2), pool_mode='avg'),), array)
        assert np.isnan(value[0, :, :, 0]).tolist() == [[True, False], [False, False]]


@covers('softmax', 'categorical_crossentropy', 'binary_crossentropy')
def test_losses_show_nan(K, check):
    """A row of scores with a NaN has a loss that is NaN; the other rows have none."""
    targets = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    values = check.eval(
        lambda t, x: (
            K.sum(K.softmax(x), axis=-1),
            K.categorical_crossentropy(t, x, from_logits=True),
            K.sum(K.binary_crossentropy(t, x, from_logits=True), axis=-1),
        ),
        targets,
        ROWS,
    )
    for value in values:
        assert np.isnan(value).tolist() == [True, True, False]


@covers('relu', 'sqrt', 'tanh', 'sigmoid', 'softplus', 'elu', 'exp', 'log', 'logsumexp', 'max', 'min', 'softmax')
def test_infinite_numbers(K, check):
    """The limit of each function."""
    array = np.array([INF, -INF])
    infinity = np.array([INF])
    values = check.eval(
        lambda x: (
            K.relu(x),
            K.relu(x, threshold=1.0),
            K.relu(x, max_value=6.0),
            K.tanh(x),
            K.sigmoid(x),
            K.softplus(x),
            K.elu(x),
            K.exp(x),
            K.hard_sigmoid(x),
        ),
        array,
    )
    expected = [[INF, 0], [INF, 0], [6, 0], [1, -1], [1, 0], [INF, 0], [INF, -1], [INF, 0], [1, 0]]
    for index, (value, limits) in enumerate(zip(values, expected)):
        assert value.tolist() == limits, index
    values = check.eval(lambda x: (K.sqrt(x), K.log(x), K.logsumexp(x), K.max(x), K.min(x)), infinity)
    assert [np.asarray(value).ravel().tolist() for value in values] == [[INF]] * 5
    (value,) = check.eval(lambda x: (K.softmax(x),), np.array([[1.0, -INF, 1.0]]))
    assert value.tolist() == [[0.5, 0.0, 0.5]]


@covers('pool2d', 'pool3d')
def test_max_pooling_keeps_nan(K, check):
    """A NaN anywhere in a window is its maximum. That of -inf alone is -inf."""
    row = np.array([1.0, NAN, 3.0, 4.0, -INF, -INF, NAN, -INF, -INF])
    image, volume = row.reshape(1, 1, 9, 1), row.reshape(1, 1, 1, 9, 1)
    values = check.eval(lambda x, v: (K.pool2d(x, (1, 2)), K.pool3d(v, (1, 1, 2))), image, volume)
    for value in values:
        np.testing.assert_array_equal(value.ravel(), [NAN, NAN, 4.0, 4.0, -INF, NAN, NAN, -INF])


@covers('equal', 'not_equal', 'less_equal', 'greater_equal', 'less', 'greater')
def test_a_nan_beside_itself(K, check):
    """It is neither equal to itself nor less nor greater, where both sides are one tensor."""
    values = check.eval(
        lambda x: (K.equal(x, x), K.not_equal(x, x), K.less_equal(x, x), K.greater_equal(x, x), x <= x, x > x),
        np.array([NAN, INF, 1.0]),
    )
    equal, unequal = [False, True, True], [True, False, False]
    assert [v.tolist() for v in values] == [equal, unequal, equal, equal, equal, [False] * 3]
