"""Element-wise functions: values for dtypes and ranks, special numbers, the dtype of the result."""

import numpy as np
import pytest
from hypothesis import strategies as st

from . import truth
from ._check import FLOATS, all_close, close, covers, given, integers, random

NAMES = [pytest.param(name, marks=covers(name)) for name in sorted(truth.UNARY)]
SHAPES = [(), (5,), (2, 3), (2, 1, 3), (2, 2, 1, 2), (1, 2, 1, 2, 2)]


@pytest.mark.parametrize('dtype', FLOATS)
@pytest.mark.parametrize('name', NAMES)
def test_values(K, check, name, dtype):
    """Values and dtype are right for every rank from 0 to 5."""
    function, low = truth.UNARY[name][0], 0.1 if name in truth.POSITIVE else -3.0
    arrays = [random(shape, seed=i, low=low, high=3.0, dtype=dtype) for i, shape in enumerate(SHAPES)]
    feeds = [(check.placeholder(a, range(i % 2, a.ndim)), a) for i, a in enumerate(arrays)]
    outputs = [getattr(K, name)(p) for p, _ in feeds]
    for array, value in zip(arrays, check.run(outputs, feeds)):
        assert value.dtype.name == dtype
        close(value, function(array.astype('float64')), what=str(array.shape))


@pytest.mark.parametrize('name', NAMES)
def test_forms(K, check, name):
    """The same values come from placeholders of any static shape, from variables and from constants."""
    array = random((2, 3, 2), low=0.1 if name in truth.POSITIVE else -3.0, dtype='float32')
    check.everywhere(getattr(K, name), [array], truth.UNARY[name][0](array.astype('float64')), dtype='float32')


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
@pytest.mark.parametrize('name', NAMES)
def test_edges(K, check, name, dtype):
    """Zeros, infinities, NaN, huge and tiny numbers have the values that IEEE 754 and the documents say."""
    arguments, results = truth.EDGES[name]
    value = check.eval(getattr(K, name), np.array(arguments, dtype))
    assert value.dtype.name == dtype
    close(value, results, scale=0)


@pytest.mark.parametrize('dtype', ['int32', 'int64'])
@pytest.mark.parametrize(
    'name', [pytest.param(name, marks=covers(name)) for name in sorted(truth.UNARY) if truth.UNARY[name][1] is not None]
)
def test_integers(K, check, name, dtype):
    """Float functions of integers give the floatx at the time of the call. Other functions keep the dtype."""
    function, gives_float = truth.UNARY[name]
    array = integers((3, 4), low=1 if name in truth.POSITIVE else -4, high=5, dtype=dtype)
    x = check.placeholder(array, (0,))
    outputs = [getattr(K, name)(x)]
    K.set_floatx('float64')
    outputs.append(getattr(K, name)(x))
    for value, floatx in zip(check.run(outputs, [(x, array)]), ['float32', 'float64']):
        assert value.dtype.name == (floatx if gives_float else dtype)
        close(value, function(array.astype('float64')))


@covers('log')
def test_log_of_tiny_doubles(K, check):
    """In float64 the logarithm is exact far below what float32 can hold."""
    value = check.eval(K.log, np.array([1e-300, 1e-200, 1e300]))
    close(value, [-690.7755278982137, -460.51701859880916, 690.7755278982137], scale=0)


@covers('pow')
def test_pow(K, check):
    """`pow` takes a number or a tensor, and broadcasts. With a number, it keeps the dtype of the tensor."""
    array = random((2, 3), low=0.2, high=2.0, dtype='float32')
    exponents = np.array([2.0, -1.0, 0.5], 'float32')
    x, a, n = check.placeholder(array), check.placeholder(exponents), K.constant([[1, 2, 3]], dtype='int32')
    outputs = [K.pow(x, 2), K.pow(x, 0.5), K.pow(x, -1), K.pow(x, 0), K.pow(x, a), K.pow(n, 3), K.pow(n, 0.5)]
    values = check.run(outputs, [(x, array), (a, exponents)])
    wide = array.astype('float64')
    truths = [wide**2, wide**0.5, 1 / wide, np.ones((2, 3)), wide**exponents, [[1, 8, 27]], np.sqrt([[1, 2, 3]])]
    all_close(values, truths)
    assert [v.dtype.name for v in values] == ['float32'] * 5 + ['int32', 'float32']


@covers('pow')
@pytest.mark.parametrize('dtype', ['int8', 'int32', 'int64'])
def test_pow_of_integers_to_negative_numbers(K, check, dtype):
    """An integer has no negative power, which is said at once. A fraction as exponent makes a fraction."""
    x = K.constant([1, 2, 4], dtype=dtype)
    for exponent in (-1, np.array([1, -2, 0])):
        check.refuses('negative power', K.pow, x, exponent)
    with check.fails():
        K.eval(K.pow(x, K.constant([-1, 0, 2], dtype=dtype)))
    close(K.eval(K.pow(x, -1.0)), np.array([1.0, 0.5, 0.25]))


@covers('pow', 'gradients')
def test_gradients_of_pow_at_zero(K, check):
    """The power 0 is flat everywhere, and the power 1 is straight: so are their gradients at 0."""
    x, a = K.variable([0.0, 0.0, 0.0, 0.0, 2.0]), K.variable([0.0, 1.0, 2.0, 3.0, 0.0])
    by_x, by_a = K.gradients(K.sum(K.pow(x, a)), [x, a])
    second = K.gradients(K.sum(by_x), [x])[0]
    close(K.eval(by_x), [0.0, 1.0, 0.0, 0.0, 0.0])
    close(K.eval(by_a), [0.0, 0.0, 0.0, 0.0, np.log(2.0)])
    close(K.eval(second), [0.0, 0.0, 2.0, 0.0, 0.0])
    for exponent in (0, 0.0, 1):
        gradient = K.gradients(K.sum(K.pow(x, exponent)), [x])[0]
        close(K.eval(gradient), np.full(5, float(exponent)))
        close(K.eval(K.gradients(K.sum(gradient * x), [x])[0]), np.full(5, float(exponent)))


@covers('pow', 'gradients')
def test_gradients_of_pow_of_shapes_that_meet(K, check):
    """A base or an exponent that was repeated gets the sum."""
    x, a = np.array([[1.0, 2.0], [3.0, 0.5]]), np.array([2.0, 1.5])
    check.gradients(K.pow, x, a)
    check.gradients(K.pow, x, a, unknown=True)
    check.gradients(K.pow, a, x)
    check.gradients(K.pow, np.array(1.5), x)


@covers('pow')
def test_pow_edges(K, check):
    """A negative base with a whole exponent is no NaN, 0 ** 0 is 1, 0 ** -1 is infinite."""
    array = np.array([-2.0, 0.0, 3.0], 'float32')
    x = check.placeholder(array)
    values = check.run([K.pow(x, 3), K.pow(x, 0), K.pow(x, -1), K.pow(x, 2.0)], [(x, array)])
    truths = [[-8, 0, 27], [1, 1, 1], [-0.5, np.inf, 1 / 3.0], [4, 0, 9]]
    for value, expected in zip(values, truths):
        close(value, np.array(expected, 'float64'))


@covers('clip')
@pytest.mark.parametrize('dtype', FLOATS + ('int32',))
def test_clip(K, check, dtype):
    """Bounds are numbers, tensors or None. If the upper bound is below the lower one, the result is the lower one."""
    array = (integers if dtype == 'int32' else random)((3, 4), low=-5, high=6, dtype=dtype)
    x, low = check.placeholder(array, (0,)), K.constant([[-1], [0], [2]], dtype=dtype)
    outputs = [
        K.clip(x, -2, 3),
        K.clip(x, None, 1),
        K.clip(x, 1, None),
        K.clip(x, 2, -2),
        K.clip(x, low, 4),
        K.clip(x, None, None),
        K.clip(x, -1, low),
    ]
    bound = np.array([[-1], [0], [2]])
    truths = [
        np.clip(array, -2, 3),
        np.minimum(array, 1),
        np.maximum(array, 1),
        np.full((3, 4), 2),
        np.clip(array, bound, 4),
        array,
        np.maximum(-1, np.minimum(array, np.maximum(bound, -1))),
    ]
    for value, expected in zip(check.run(outputs, [(x, array)]), truths):
        assert value.dtype.name == dtype
        close(value, np.asarray(expected, 'float64' if dtype != 'int32' else dtype))


COMPARISONS = {
    'equal': np.equal,
    'not_equal': np.not_equal,
    'greater': np.greater,
    'less': np.less,
    'greater_equal': np.greater_equal,
    'less_equal': np.less_equal,
}
BINARY = dict(COMPARISONS, maximum=np.maximum, minimum=np.minimum)


@pytest.mark.parametrize('dtype', FLOATS + ('int32', 'int64'))
@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in sorted(BINARY)])
def test_binary(K, check, name, dtype):
    """Comparisons give bool, maximum and minimum keep the dtype. All broadcast, and take numbers and arrays."""
    a, b = (integers(shape, seed=i, low=-2, high=3).astype(dtype) for i, shape in enumerate([(2, 3, 4), (3, 1)]))
    x, y = check.placeholder(a, (0,)), check.placeholder(b)
    function, expected = getattr(K, name), BINARY[name]
    outputs = [
        function(x, y),
        function(y, x),
        function(x, 1),
        function(x, K.variable(b, dtype=dtype)),
        function(x, b),
        function(x, x),
    ]
    truths = [expected(a, b), expected(b, a), expected(a, 1), expected(a, b), expected(a, b), expected(a, a)]
    all_close(check.run(outputs, [(x, a), (y, b)]), truths, 'bool' if name in COMPARISONS else dtype)


@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in sorted(COMPARISONS)])
def test_comparison_edges(K, check, name):
    """NaN equals nothing, 0. equals -0., and infinities are ordered."""
    a = np.array([np.nan, np.nan, 0.0, np.inf, -np.inf, np.inf, 1.0], 'float32')
    b = np.array([np.nan, 1.0, -0.0, np.inf, np.inf, 1.0, 1.0], 'float32')
    close(check.eval(getattr(K, name), a, b), COMPARISONS[name](a, b))


@covers('equal', 'not_equal')
def test_equality_of_bools_and_large_integers(K, check):
    """Bools can be compared, and so can integers beyond 2**24, exactly."""
    a, b = np.array([True, True, False]), np.array([True, False, False])
    big, next_one = np.array([16777216, 5], 'int32'), np.array([16777217, 5], 'int32')
    tensors = [check.placeholder(v) for v in (a, b, big, next_one)]
    outputs = [f(*pair) for f in (K.equal, K.not_equal) for pair in (tensors[:2], tensors[2:])]
    values = check.run(outputs, list(zip(tensors, (a, b, big, next_one))))
    assert [v.tolist() for v in values] == [[True, False, True], [False, True], [False, True, False], [True, False]]


@pytest.mark.parametrize(('a', 'b'), truth.PAIRS)
@covers('maximum', 'minimum', 'equal', 'less')
def test_mixed_dtypes(K, check, a, b):
    """A float comes before an integer before a bool, and the wider dtype wins, also where NumPy would widen more."""
    arrays = [np.array([1, 0, 1, 3]).astype(a), np.array([0, 0, 1, 2]).astype(b)]
    x, y = (check.placeholder(array) for array in arrays)
    values = check.run([K.maximum(x, y), K.minimum(x, y), K.equal(x, y), K.less(x, y)], list(zip((x, y), arrays)))
    joined = truth.promote(a, b)
    assert [v.dtype.name for v in values] == [joined, joined, 'bool', 'bool']
    for value, function in zip(values, (np.maximum, np.minimum, np.equal, np.less)):
        assert value.tolist() == function(arrays[0].astype('float64'), arrays[1].astype('float64')).tolist()


@st.composite
def broadcastable(draw):
    """Two shapes that broadcast against each other."""
    full = draw(st.lists(st.integers(1, 3), min_size=0, max_size=4))
    cut = [draw(st.sampled_from([n, 1])) for n in full]
    return tuple(full), tuple(cut[draw(st.integers(0, len(cut))) :])


@given(shapes=broadcastable(), swap=st.booleans())
@covers('maximum', 'less')
def test_broadcasting(K, check, shapes, swap):
    """Shapes broadcast as in NumPy, in either order, and int_shape follows."""
    a, b = (random(shape, seed=i, dtype='float32') for i, shape in enumerate(shapes[::-1] if swap else shapes))
    x, y = check.placeholder(a), check.placeholder(b, range(b.ndim))
    all_close(check.run([K.maximum(x, y), K.less(x, y), x * y], [(x, a), (y, b)]), [np.maximum(a, b), a < b, a * b])


@covers('maximum')
def test_shapes_that_do_not_broadcast(K, check):
    """Known shapes that do not fit are an error when the call is made."""
    with check.rejects():
        K.maximum(K.placeholder((2, 3)), K.placeholder((2, 4)))


@covers('cast')
@pytest.mark.parametrize('to', truth.ALL)
@pytest.mark.parametrize('of', truth.ALL)
def test_cast(K, check, of, to):
    """A cast from float to integer truncates toward zero. A cast to bool is true where the value is not zero."""
    array = np.array([-2.75, -1.0, -0.5, 0.0, 0.25, 0.999, 1.5, 3.0]).astype(of)
    value = check.eval(lambda x: K.cast(x, to), array)
    assert value.dtype.name == to
    wide = array.astype('float64')
    close(value, wide != 0 if to == 'bool' else wide if to in FLOATS else np.trunc(wide).astype(to))
