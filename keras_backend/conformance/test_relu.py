"""relu: its slope, its limits, tensors as limits, integers, corners."""

import numpy as np
import pytest

from . import truth
from ._check import FLOATS, close, covers, random

X = random((3, 4), seed=1, low=-3.0, high=5.0)
RELUS = [
    {},
    {'alpha': 0.1},
    {'max_value': 2.0},
    {'threshold': 1.0},
    {'alpha': 0.25, 'max_value': 3.0, 'threshold': 0.5},
    {'max_value': 6},
    {'alpha': 1},
    {'alpha': -0.5},
    {'threshold': -1.0},
    {'alpha': 0.2, 'threshold': -1.0},
    {'max_value': 1.0, 'threshold': 0.5},
]


@covers('relu')
@pytest.mark.parametrize('dtype', FLOATS)
def test_relu(K, check, dtype):
    """Slope, cap and threshold, alone and together, also at the corners."""
    array = np.concatenate([X.ravel(), [0.0, 0.5, 1.0, 2.0, 3.0, 6.0, -1.0]]).astype(dtype)
    values = check.eval(lambda x: tuple(K.relu(x, **options) for options in RELUS), array)
    for options, value in zip(RELUS, values):
        assert value.dtype.name == dtype
        close(value, truth.relu(array.astype('float64'), **options), what=str(options))


@covers('relu')
def test_relu_by_tensor(K, check):
    """The slope may be a tensor that broadcasts, like the weights of a PReLU."""
    alpha = np.array([0.1, 0.2, -0.3, 0.0])
    expected = truth.relu(X, alpha=alpha)
    close(check.eval(lambda x, a: K.relu(x, alpha=a), X, alpha), expected)
    close(check.run(K.relu(K.constant(X), alpha=K.variable(alpha))), expected)


# Values for limits and slopes: scalars, one for each column, one for each row, and one with more axes than x.
LIMITS = [
    {'max_value': 2.0},
    {'threshold': 0.5},
    {'alpha': 0.25, 'max_value': 3.0, 'threshold': 0.5},
    {'max_value': [0.5, 1.0, 2.0, 9.0]},
    {'threshold': [-1.0, 0.0, 0.5, 2.0]},
    {'max_value': -1.0},
    {'threshold': [[0.25], [-0.5], [1.5]], 'alpha': [0.1, 0.2, -0.3, 0.0], 'max_value': 3.0},
    {'alpha': [[[0.5]], [[-0.25]]], 'threshold': 1.0},
    {'max_value': [1.0, 3.0, 0.5, 2.0], 'threshold': 1.0},
]


@covers('relu')
@pytest.mark.parametrize('dtype', ['float32', 'float64'])
@pytest.mark.parametrize('options', LIMITS, ids=lambda options: ' '.join(sorted(options)))
def test_relu_by_tensors(K, check, options, dtype):
    """Slope, cap and threshold may be tensors, arrays, or numbers of NumPy, and broadcast against `x`."""
    arrays = {name: np.array(value, dtype) for name, value in options.items()}
    expected = truth.relu(X, **arrays)
    x = check.placeholder(X.astype(dtype), (0,))
    fed = {name: check.placeholder(value) for name, value in arrays.items()}
    forms = [
        fed,
        {name: K.variable(value, dtype=dtype) for name, value in arrays.items()},
        arrays,
        {
            name: K.constant(value, dtype='float32' if dtype == 'float64' else 'float64')
            for name, value in arrays.items()
        },
    ]
    forms += [
        {name: kind(value) for name, value in options.items()}
        for kind in (np.float32, np.float64, np.array)
        if all(isinstance(value, float) for value in options.values())
    ]
    values = check.run(
        [K.relu(x, **form) for form in forms],
        [(x, X.astype(dtype))] + [(fed[name], arrays[name]) for name in sorted(fed)],
    )
    for value in values:
        assert value.dtype.name == dtype
        close(value, expected, tolerance=1e-6)


@covers('relu', 'gradients')
def test_gradients_of_relu_by_tensors(K, check):
    """Gradients with respect to `x`, the slope, the cap and the threshold."""
    alpha, cap, threshold = np.array([0.1, 0.2, -0.3, 0.4]), np.array(2.1), np.array([[0.33], [-0.52], [0.21]])
    check.gradients(lambda x, a, c, t: K.relu(x, alpha=a, max_value=c, threshold=t), X, alpha, cap, threshold)
    check.gradients(lambda x, c: K.relu(x, max_value=c), X, cap)
    # The threshold itself is a step, which has no slope.
    check.gradients(lambda x: K.relu(x, threshold=threshold), X)
    check.gradients(lambda x, t: K.relu(x, alpha=0.5, threshold=t), X, threshold)


@covers('relu')
def test_relu_of_integers(K):
    """Integers stay integers if the limits are whole numbers. A slope or a fraction gives floats."""
    numbers = np.array([-5, 3, 12, 0])
    for dtype in ('int32', 'int64'):
        x = K.constant(numbers, dtype=dtype)
        for options in (
            {},
            {'max_value': 6},
            {'max_value': 6.0},
            {'max_value': np.float64(6)},
            {'threshold': 4.0},
            {'max_value': np.array(6), 'threshold': np.float32(4)},
        ):
            value = K.eval(K.relu(x, **options))
            assert value.dtype.name == dtype
            close(value, truth.relu(numbers, **options).astype(dtype))
        for options in (
            {'alpha': 0.1},
            {'alpha': np.float64(0.1)},
            {'alpha': 1},
            {'max_value': 2.5},
            {'alpha': np.array(0.5), 'threshold': 4},
            {'threshold': np.float32(0.5)},
        ):
            value = K.eval(K.relu(x, **options))
            assert value.dtype.name == 'float32'
            close(value, truth.relu(numbers, **options))
        close(K.eval(K.relu(x, max_value=K.constant(6, dtype=dtype))), np.array([0, 3, 6, 0], dtype))
        close(K.eval(K.relu(x, max_value=K.constant(6.5))), np.array([0, 3, 6.5, 0], 'float32'))
        close(K.eval(K.relu(x, alpha=K.constant(0.5))), np.array([-2.5, 3, 12, 0], 'float32'))


@covers('relu', 'gradients')
def test_relu_at_its_corners(K, check):
    """At the threshold the value is 0; the gradient is 1 at the cap, and 0 where that is 6. A NaN stays."""
    for options, value, gradient in (
        ({'threshold': 1.0}, [0, 0, 0, 2, 3, 6], [0, 0, 0, 1, 1, 1]),
        ({'threshold': -1.0}, [0, 0, 1, 2, 3, 6], [0, 1, 1, 1, 1, 1]),
        ({'threshold': -1.0, 'max_value': 2.0}, [0, 0, 1, 2, 2, 2], [0, 1, 1, 1, 0, 0]),
        ({'threshold': 3.0, 'max_value': 2.0}, [0, 0, 0, 0, 0, 2], [0, 0, 0, 0, 0, 0]),
        ({'max_value': -1.0}, [0] * 6, [0] * 6),
        ({'max_value': 2.0}, [0, 0, 1, 2, 2, 2], [0, 0, 1, 1, 0, 0]),
        ({'max_value': 6.0}, [0, 0, 1, 2, 3, 6], [0, 0, 1, 1, 1, 0]),
        ({'alpha': 0.5, 'max_value': 2.0}, [-0.5, 0, 1, 2, 2, 2], [0.5, 0, 1, 1, 0, 0]),
        ({'alpha': 0.5, 'threshold': 1.0}, [-1, -0.5, 0, 2, 3, 6], [0.5, 0.5, 0, 1, 1, 1]),
        ({'alpha': 0.5}, [-0.5, 0, 1, 2, 3, 6], [0.5, 0.5, 1, 1, 1, 1]),
    ):
        values = check.eval(
            lambda x, options=options: (K.relu(x, **options), K.gradients(K.sum(K.relu(x, **options)), [x])[0]),
            np.array([-1.0, 0.0, 1.0, 2.0, 3.0, 6.0], 'float32'),
        )
        close(values[0], np.array(value, 'float32'), what=str(options))
        close(values[1], np.array(gradient, 'float32'), what=str(options))
        assert np.isnan(check.eval(lambda x, options=options: (K.relu(x, **options),), np.array([np.nan]))[0]).all()
