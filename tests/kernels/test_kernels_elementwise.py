"""Element-wise NumPy kernels against Python's own arithmetic and decimals."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_backend.kernels import PRIMITIVES, elementwise

k = PRIMITIVES


@pytest.fixture(autouse=True)
def quiet():
    """What the runner of a function holds."""
    with np.errstate(all='ignore'):
        yield


def sigmoid(x):
    return 1 / (1 + (-Decimal(x)).exp())


def softplus(x):
    return (1 + Decimal(x).exp()).ln()


@pytest.mark.parametrize(('name', 'truth'), [('sigmoid', sigmoid), ('softplus', softplus)])
@pytest.mark.parametrize(
    ('dtype', 'lowest', 'digits'), [('float16', -9.5, 40), ('float32', -87, 80), ('float64', -708, 340)]
)
def test_relative_accuracy(name, truth, dtype, lowest, digits):
    """A few units in the last place, also where the value is tiny, as long as it is a normal number."""
    points = np.concatenate((np.linspace(lowest, -lowest, 301), np.linspace(-3, 3, 100))).astype(dtype)
    made = k[name](points)
    bound = 6 * Decimal(float(np.finfo(dtype).eps))
    with localcontext() as context:
        context.prec = digits  # 1 and exp(lowest) in one number
        for x, y in zip(points.tolist(), made.tolist()):
            exact = truth(x)
            assert abs(Decimal(y) - exact) <= bound * exact, x


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
def test_far_out(dtype):
    """Neither overflow nor NaN far from zero; NaN stays NaN."""
    x = np.array([-np.inf, -6e4, 6e4, np.inf, np.nan], dtype)
    np.testing.assert_array_equal(k['sigmoid'](x), [0, 0, 1, 1, np.nan])
    np.testing.assert_array_equal(k['softplus'](x), [0, 0, x[2], np.inf, np.nan])


def test_sigmoid_between_normal_and_zero():
    """What exp(-x) would overflow for is not zero yet."""
    assert k['sigmoid'](np.float64(-740)) == pytest.approx(math.exp(-740), rel=1e-2)


def test_sqrt_of_negative_numbers():
    """0 below zero, NaN of NaN."""
    np.testing.assert_array_equal(k['sqrt'](np.array([-4, -0.0, 0, 9, np.inf, np.nan])), [0, 0, 0, 3, np.inf, np.nan])


def test_rounding():
    """Half to even; integers stay what they are."""
    values = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.4]
    assert [round(v) for v in values] == k['round'](np.array(values)).tolist()
    big = np.array([2**62 + 1, -7])
    assert k['round'](big).tolist() == k['floor'](big).tolist() == big.tolist()


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-9, 9).filter(bool)), min_size=1, max_size=9))
def test_integer_division_follows_python(pairs):
    """floordiv and mod are Python's // and %."""
    x, y = np.array(pairs, 'int32').T
    assert [a // b for a, b in pairs] == k['floordiv'](x, y).tolist()
    assert [a % b for a, b in pairs] == k['mod'](x, y).tolist()


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(0.25, 9), st.sampled_from([1, -1])), min_size=1, max_size=9))
def test_float_division_follows_python(triples):
    """floordiv and mod of floats are Python's // and %."""
    pairs = [(a, b * sign) for a, b, sign in triples]
    x, y = np.array(pairs).T
    assert [a // b for a, b in pairs] == k['floordiv'](x, y).tolist()
    np.testing.assert_allclose(k['mod'](x, y), [a % b for a, b in pairs], 1e-12, 1e-12)


def test_division_kernels_by_zero():
    """IEEE 754 for floats; integers raise nothing."""
    np.testing.assert_array_equal(k['div'](np.array([1.0, -1, 0]), np.zeros(3)), [np.inf, -np.inf, np.nan])
    k['floordiv'](np.array([1, 2]), np.array([0, 0]))
    k['mod'](np.array([1, 2]), np.array([0, 0]))


def test_pow_of_integers():
    """Exact, and an error for negative exponents, which have no integer result."""
    assert k['pow'](np.array([3]), np.array([30])).tolist() == [3**30]
    with pytest.raises(ValueError):
        k['pow'](np.array([3]), np.array([-1]))


def test_cast_kernel():
    """To bool non-zero, to integer toward zero."""
    x = np.array([-1.9, -0.1, 0, 0.5, 2.9])
    assert k['cast'](x, 'bool').tolist() == [True, True, False, True, True]
    assert k['cast'](x, 'int32').tolist() == [-1, 0, 0, 0, 2]


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64', 'int64', 'bool'])
@pytest.mark.parametrize('size', [100, elementwise._LARGE + 3])
def test_where(dtype, size):
    """The selection of Python, whatever the size decides about the method; NaN and infinity do not spread."""
    random = np.random.RandomState(0)
    c, x, y = random.rand(size) < 0.5, random.randint(0, 2, size), random.randint(0, 2, size)
    x, y = x.astype(dtype), y.astype(dtype)
    if x.dtype.kind == 'f':
        x[c], y[~c] = 3, 4
        x[~c], y[c] = np.nan, np.inf
    for a, b in (x, y), (x, y[0]), (x[0], y), (x, np.zeros((), dtype)), (x[0], y[0]):
        expected = [p if q else r for p, q, r in zip(np.broadcast_to(a, size), c, np.broadcast_to(b, size))]
        np.testing.assert_array_equal(k['where'](c, a, b), np.array(expected, dtype))


def test_where_broadcasts():
    """Shapes that differ are broadcast as everywhere."""
    c = np.arange(200) % 3 == 0
    x = np.arange(100.0)[:, None]
    made = k['where'](c, x, np.float64(-1))
    assert made.shape == (100, 200)
    assert (made[:, ::3] == x).all()
    assert (made[:, 1::3] == -1).all()


def test_gradient_kernels():
    """The derivatives of tanh, sigmoid and relu, by differences."""
    x, g, h = np.linspace(-3, 3, 20), np.linspace(1, 2, 20), 1e-6
    for name in 'tanh', 'sigmoid':
        slope = (k[name](x + h) - k[name](x - h)) / (2 * h)
        np.testing.assert_allclose(k[name + '_grad'](k[name](x), g), g * slope, 1e-8)
    np.testing.assert_array_equal(k['relu_grad'](x, g), [b if a > 0 else 0 for a, b in zip(x, g)])


def test_relu_grad_stops_everything():
    """Where relu is flat, not even an infinite or undefined gradient passes; at 0 it is flat."""
    made = k['relu_grad'](np.array([-1.0, 0, -1, 1]), np.array([np.inf, np.nan, 5, np.inf]))
    np.testing.assert_array_equal(made, [0, 0, 0, np.inf])


def test_kernels_that_are_chosen_beforehand():
    """NumPy itself selects a scalar, a cast to the same dtype is none, and that to uint32 is ours."""
    special = elementwise.SPECIAL
    assert special['where']((0, 0, 0), {}, ('bool', 'float32', 'float32')) is np.where
    for ranks in (1, 0, 0), (0, 1, 0), (0, 0, 1):
        assert special['where'](ranks, {}, ('bool', 'float32', 'float32')) is None
    x = np.float32([1.5])
    assert special['cast']((1,), {'dtype': 'float32'}, ('float32',))(x) is x
    assert special['cast']((1,), {'dtype': 'int32'}, ('float32',))(x).dtype == 'int32'
    assert special['cast']((1,), {'dtype': 'uint32'}, ('float32',)) is None
    assert special['cast']((1,), {'dtype': 'uint32'}, ('uint32',))(x) is x
