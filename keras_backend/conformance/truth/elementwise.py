"""Element-wise functions in float64 NumPy, and their values at special numbers."""

import numpy as np

inf, nan = float('inf'), float('nan')


def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


def softplus(x):
    return np.logaddexp(0, x)


def sqrt(x):
    return np.sqrt(np.where(x < 0, 0, x))


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def relu(x, alpha=0.0, max_value=None, threshold=0.0):
    """x above the threshold, between 0 and max_value; alpha * (x - threshold) is added below the threshold."""
    above = np.where(x <= threshold, 0, x)
    if max_value is not None:
        above = np.maximum(np.minimum(above, max_value), 0)
    elif not np.any(threshold):
        return np.where(x > 0, x, alpha * np.where(alpha == 0, 0, x))
    return above - alpha * np.maximum(threshold - x, 0)


# name -> (truth, whether integers give floatx and not integers)
UNARY = {
    'square': (np.square, False),
    'abs': (np.abs, False),
    'sign': (np.sign, False),
    'sqrt': (sqrt, True),
    'exp': (np.exp, True),
    'log': (np.log, True),
    'sin': (np.sin, True),
    'cos': (np.cos, True),
    'tanh': (np.tanh, True),
    'sigmoid': (sigmoid, True),
    'softplus': (softplus, True),
    'softsign': (lambda x: x / (1 + np.abs(x)), True),
    'hard_sigmoid': (lambda x: np.clip(0.2 * x + 0.5, 0, 1), True),
    'elu': (elu, True),
    'relu': (relu, None),
    'round': (np.round, None),
}
POSITIVE = ('log', 'sqrt')  # functions of positive numbers

# name -> (arguments, results), for float32 and float64
EDGES = {
    'square': ([0.0, -0.0, inf, -inf, nan, -3.0, 1e-10], [0.0, 0.0, inf, inf, nan, 9.0, 1e-20]),
    'abs': ([0.0, -0.0, inf, -inf, nan, -1e-30, -1e30], [0.0, 0.0, inf, inf, nan, 1e-30, 1e30]),
    'sign': ([0.0, -0.0, inf, -inf, 1e-30, -1e-30, 1e30], [0.0, 0.0, 1.0, -1.0, 1.0, -1.0, 1.0]),
    'sqrt': ([0.0, -0.0, -1.0, -1e-30, -inf, inf, nan, 1e-20, 1e30], [0.0, 0.0, 0.0, 0.0, 0.0, inf, nan, 1e-10, 1e15]),
    'exp': ([0.0, 1000.0, -1000.0, inf, -inf, nan, -80.0], [1.0, inf, 0.0, inf, 0.0, nan, 1.8048513878454153e-35]),
    'log': (
        [1.0, 0.0, -0.0, inf, -1.0, nan, 1e-30, 1e-37, 1e30],
        [0.0, -inf, -inf, inf, nan, nan, -69.07755278982137, -85.19564844077969, 69.07755278982137],
    ),
    'sin': ([0.0, inf, -inf, nan, 1e-20, 100.0], [0.0, nan, nan, nan, 1e-20, -0.5063656411097588]),
    'cos': ([0.0, inf, -inf, nan, 1e-20, 100.0], [1.0, nan, nan, nan, 1.0, 0.8623188722876839]),
    'tanh': (
        [0.0, 1000.0, -1000.0, inf, -inf, nan, 1e-20, -1e-5],
        [0.0, 1.0, -1.0, 1.0, -1.0, nan, 1e-20, -9.9999999996666667e-06],
    ),
    'sigmoid': (
        [0.0, 1000.0, -1000.0, inf, -inf, nan, -80.0, 40.0],
        [0.5, 1.0, 0.0, 1.0, 0.0, nan, 1.8048513878454153e-35, 1.0],
    ),
    'softplus': (
        [0.0, 1000.0, -1000.0, inf, -inf, nan, -50.0, 50.0],
        [0.6931471805599453, 1000.0, 0.0, inf, 0.0, nan, 1.9287498479639178e-22, 50.0],
    ),
    'softsign': ([0.0, 1e30, -1e30, nan, 1e-20], [0.0, 1.0, -1.0, nan, 1e-20]),
    'hard_sigmoid': (
        [0.0, 2.5, -2.5, 2.6, -2.6, 1e30, -1e30, inf, -inf],
        [0.5, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0],
    ),
    'elu': ([0.0, inf, -inf, nan, -1e-10, -1000.0, 1000.0], [0.0, inf, -1.0, nan, -1e-10, -1.0, 1000.0]),
    'relu': ([0.0, -0.0, inf, -inf, -1e30, 1e30], [0.0, 0.0, inf, 0.0, 0.0, 1e30]),
    'round': (
        [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, 8388609.0, 1e20, inf, -inf, nan],
        [0.0, 2.0, 2.0, -0.0, -2.0, -2.0, 0.0, 8388609.0, 1e20, inf, -inf, nan],
    ),
}
