"""Python operators and indexing on K tensors, identity, truth value, and the dtypes of results."""

import operator

import numpy as np
import pytest
from hypothesis import strategies as st

from . import truth
from ._check import FLOATS, all_close, close, covers, given, integers, random

pytestmark = covers('placeholder')

ARITHMETIC = {name: getattr(operator, name) for name in 'add sub mul truediv floordiv mod pow'.split()}
COMPARISONS = {'lt': operator.lt, 'le': operator.le, 'gt': operator.gt, 'ge': operator.ge}
FLOAT_CASES = [random((2, 3), seed=1, low=-3.0, high=3.0), random((2, 3), seed=2, low=0.5, high=3.0)]


@pytest.mark.parametrize('dtype', FLOATS)
@pytest.mark.parametrize('name', sorted(ARITHMETIC))
def test_arithmetic(K, check, name, dtype):
    """Each operator takes tensors, numbers, arrays and lists on both sides, and keeps the dtype of the tensor."""
    apply = ARITHMETIC[name]
    a, b = (array.astype(dtype) for array in FLOAT_CASES)
    if name == 'pow':
        a = np.abs(a) + np.array(0.5, dtype)
    x, y, v = check.placeholder(a, (0,)), check.placeholder(b), K.variable(b, dtype=dtype)
    c = K.constant(b, dtype=dtype)
    wide, other = a.astype('float64'), b.astype('float64')
    # what the operator is given, and the numbers that this stands for
    cases = [
        ((x, y), (wide, other)),
        ((x, v), (wide, other)),
        ((v, x), (other, wide)),
        ((x, 2), (wide, 2.0)),
        ((x, 1.5), (wide, 1.5)),
        ((2, y), (2.0, other)),
        ((1.5, y), (1.5, other)),
        ((x, FLOAT_CASES[1]), (wide, other)),
        ((FLOAT_CASES[1], y), (other, other)),
        ((x, b.tolist()), (wide, other)),
        ((x, c), (wide, other)),
        ((v, v), (other, other)),
    ]
    outputs, truths = ([apply(*operands) for operands in side] for side in zip(*cases))
    for i, (value, expected) in enumerate(zip(check.run(outputs, [(x, a), (y, b)]), truths)):
        assert value.dtype.name == dtype, i
        close(value, expected, what=f'case {i}')


@pytest.mark.parametrize('dtype', ['int32', 'int64'])
def test_integer_arithmetic(K, check, dtype):
    """Integers stay integers, and // and % are those of Python. `/` and a Python float give floatx."""
    a, b = np.array([7, -7, 7, -7, 0], dtype), np.array([2, 2, -2, -2, 3], dtype)
    x, y = check.placeholder(a), check.placeholder(b)

    def results(x, y):
        whole = [x + y, x - y, x * y, x // y, x % y, -x, abs(x), x // 2, x % -3, x * 3, x**2]
        return whole + [x / y, x / 2, x * 0.5, x + 0.5, 1.5 - x]

    for i, (value, expected) in enumerate(zip(check.run(results(x, y), [(x, a), (y, b)]), results(a, b))):
        assert value.dtype.name == (dtype if i < 11 else 'float32'), i
        close(value, expected, what=f'case {i}')


@pytest.mark.parametrize(('a', 'b'), truth.PAIRS)
def test_mixed_dtypes(K, check, a, b):
    """A float comes before an integer before a bool, and the wider dtype wins. float16 with an integer is float16."""
    arrays = [np.array([1, 0, 1, 3]).astype(a), np.array([1, 2, 1, 2]).astype(b)]
    x, y = (check.placeholder(array) for array in arrays)
    apply = [operator.add, operator.mul, operator.lt] + ([operator.sub] if 'bool' not in (a, b) else [])
    apply += [operator.truediv] if 'bool' not in (a, b) else []
    values = check.run([f(x, y) for f in apply], list(zip((x, y), arrays)))
    for function, value in zip(apply, values):
        name = {operator.lt: 'bool', operator.truediv: truth.division(a, b)}.get(function, truth.arithmetic(a, b))
        assert value.dtype.name == name, function
        close(value, function(*(array.astype('float64') for array in arrays)).astype(name), what=str(function))


def test_arithmetic_of_bools(K, check):
    """Adding and multiplying two bools gives int32. A bool with a Python float gives floatx."""
    a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
    x, y = check.placeholder(a), check.placeholder(b)
    values = check.run([x + y, x * y, x * 0.5], [(x, a), (y, b)])
    assert [v.dtype.name for v in values] == ['int32', 'int32', 'float32']
    assert [v.tolist() for v in values] == [[2, 1, 1, 0], [1, 0, 0, 0], [0.5, 0.5, 0.0, 0.0]]


def test_numbers_take_floatx_at_the_time_of_the_call(K, check):
    """A Python float with an integer gives the floatx at the time of the call, not of the import."""
    n = K.constant([1, 2], dtype='int32')
    K.set_floatx('float64')
    values = check.run([n * 0.5, n / n])
    assert [v.dtype.name for v in values] == ['float64', 'float64']


def test_integers_beside_fractions(K, check):
    """A Python float with integers, also with uint8, is not cut to an integer and does not wrap around."""
    array = np.array([0, 100, 255], 'uint8')
    values = check.eval(lambda x: (x / 255.0, x / 2, x > 0.5, x * 1.5, 0.5 - x), array)
    assert [v.dtype.name for v in values] == ['float32', 'float32', 'bool', 'float32', 'float32']
    all_close(values, [array / 255.0, array / 2.0, array > 0.5, array * 1.5, 0.5 - array])


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_division_by_zero(K, check, dtype):
    """x / 0 is what IEEE 754 says."""
    a = np.array([1.0, -1.0, 0.0, 2.0], dtype)
    zero = np.array([0.0, 0.0, 0.0, -0.0], dtype)
    x, y = check.placeholder(a), check.placeholder(zero)
    for value in check.run([x / y, x / K.constant(zero, dtype=dtype)], [(x, a), (y, zero)]):
        np.testing.assert_array_equal(value, np.array([np.inf, -np.inf, np.nan, -np.inf], dtype))


@pytest.mark.parametrize('name', sorted(COMPARISONS))
def test_comparisons(K, check, name):
    """<, <=, > and >= give bool tensors, with numbers and arrays on both sides."""
    apply = COMPARISONS[name]
    a, b = integers((3, 4), seed=1).astype('float32'), integers((4,), seed=2).astype('float32')
    x, y = check.placeholder(a), check.placeholder(b)
    outputs, truths = [apply(x, y), apply(x, 0), apply(x, b)], [apply(a, b), apply(a, 0), apply(a, b)]
    all_close(check.run(outputs, [(x, a), (y, b)]), truths, 'bool')


def test_unary(K, check):
    """Minus and abs() work on tensors and variables."""
    array = random((2, 3), dtype='float32')
    check.everywhere(lambda x: -x, [array], -array, dtype='float32')
    check.everywhere(abs, [array], abs(array), dtype='float32')


def test_equality_is_identity(K):
    """== and != compare identity, because tensors are kept in lists and dicts."""
    x, y = K.placeholder((2,)), K.placeholder((2,))
    v = K.variable([1.0, 2.0])
    assert (x == x) is True
    assert (x == y) is False
    assert (x != y) is True
    assert (x != x) is False
    assert x in [y, x]
    assert x not in [y]
    assert [y, x, v].index(x) == 1
    table = {x: 'x', y: 'y', v: 'v'}
    assert (table[x], table[y], table[v]) == ('x', 'y', 'v')


def test_a_tensor_has_no_truth_value(K):
    """bool(tensor) raises TypeError. Otherwise `if x > 0` would always be true."""
    x = K.placeholder((2,))
    for tensor in (x, x > 0, K.placeholder(())):
        with pytest.raises(TypeError):
            bool(tensor)


INDICES = {
    'int': lambda x: x[1],
    'negative': lambda x: x[-1],
    'slice': lambda x: x[1:3],
    'open': lambda x: x[:, 1:],
    'from the end': lambda x: x[-2:, :-1],
    'step': lambda x: x[::2, 1::2],
    'backwards': lambda x: x[::-1],
    'backwards part': lambda x: x[:, 3:0:-2],
    'mixed': lambda x: x[0, :, 1],
    'all ints': lambda x: x[1, 2, -1],
    'ellipsis': lambda x: x[..., 0],
    'ellipsis inside': lambda x: x[0, ..., 1:],
    'new axis': lambda x: x[:, None],
    'new axes': lambda x: x[None, ..., None, 1],
    'past the end': lambda x: x[2:99, :, -99:],
    'empty': lambda x: x[1:1],
}


@pytest.mark.parametrize('name', sorted(INDICES))
def test_indexing(K, check, name):
    """Indexing by ints, slices, Ellipsis and None does the same as in NumPy, with known and unknown shapes."""
    array = random((3, 4, 2), dtype='float32')
    check.everywhere(INDICES[name], [array], INDICES[name](array), dtype='float32')


def test_index_by_tensor(K, check):
    """A scalar integer tensor is an index and a bound of a slice."""
    array = random((3, 4), dtype='float32')
    x, i = check.placeholder(array, (0, 1)), K.placeholder((), dtype='int32')
    values = check.run([x[i], x[:i], x[K.shape(x)[0] - 1]], [(x, array), (i, np.array(1))])
    all_close(values, [array[1], array[:1], array[2]])


def test_index_out_of_range(K):
    """An index beyond an axis of known size is an error when the call is made."""
    with pytest.raises((IndexError, ValueError)):
        K.placeholder((3, 4))[3]


@st.composite
def indexed(draw):
    """A shape and an index that fits it."""
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    items = []
    for n in shape[: draw(st.integers(0, len(shape)))]:
        bound = st.one_of(st.none(), st.integers(-n - 1, n + 1))
        items.append(
            draw(st.one_of(st.integers(-n, n - 1), st.builds(slice, bound, bound, st.sampled_from([None, 1, 2, 3]))))
        )
    return tuple(shape), tuple(items)


@given(case=indexed())
def test_any_index(K, check, case):
    """An index of ints and slices gives what NumPy gives."""
    shape, index = case
    array = random(shape, dtype='float32')
    x, y = check.placeholder(array), check.placeholder(array, range(array.ndim))
    for value in check.run([x[index], y[index]], [(x, array), (y, array)]):
        close(value, array[index])


# -- operators that look as if they changed a variable ---------------------------------------------------------------
@pytest.mark.parametrize('name', ['iadd', 'isub', 'imul', 'itruediv', 'ipow', 'ifloordiv', 'imod'])
def test_in_place_operators_make_tensors(K, name):
    """`loss += x` means `loss = loss + x`: a new tensor. A variable keeps its value."""
    apply, plain = getattr(operator, name), getattr(operator, name[1:])
    values = np.array([3.0, 4.0], 'float32')
    v, w = K.variable(values), K.variable([1.5, 2.5])
    others = {
        'a variable': w,
        'a tensor': w * 2.0,
        'a number': 2.0,
        'an array': np.array([2.0, 0.5], 'float32'),
        'another shape': K.constant([[2.0, 1.0]]),
    }
    truths = {
        'a variable': [1.5, 2.5],
        'a tensor': [3.0, 5.0],
        'a number': 2.0,
        'an array': [2.0, 0.5],
        'another shape': [[2.0, 1.0]],
    }
    for kind in sorted(others):
        result = apply(v, others[kind])
        assert result is not v
        assert not K.is_variable(result)
        close(K.eval(result), plain(values, np.array(truths[kind], 'float32')), scale=10, what=kind)
    assert K.is_variable(v)
    close(K.get_value(v), values)


@covers('variable', 'gradients', 'update_add', 'function')
def test_a_loss_that_starts_as_a_variable(K):
    """A loss can start as a variable, as in style transfer. The variable can still be updated."""
    w, total = K.variable([1.0, -2.0]), K.variable(0.5)
    loss = total
    for factor in (1.0, 3.0):
        loss += factor * K.sum(K.square(w))
    loss /= 2.0
    function = K.function([], [loss] + K.gradients(loss, [w, total]), updates=[K.update_add(total, 1.0)])
    for start in (0.5, 1.5):
        value, by_w, by_total = function([])
        close(value, (start + 4 * 5.0) / 2)
        close(by_w, [4.0, -8.0])
        close(by_total, 0.5)
    close(K.get_value(total), 2.5)


@pytest.mark.parametrize('rank', [1, 2])
def test_index_by_mask(K, check, rank):
    """A tensor or array of bools picks what it holds for. How much that is, is known in a run. Gradients flow back."""
    array = random((3, 4, 2), dtype='float64')
    mask = array[..., 0] > 0 if rank == 2 else array[:, 0, 0] > 0
    assert mask.any()
    assert not mask.all()
    picked = array[mask]
    x, m = check.placeholder(array, (0,)), check.placeholder(mask, (0,))
    outputs = [x[m], x[mask], K.gradients(K.sum(K.square(x[m])), [x])[0]]
    values = check.run(outputs, [(x, array), (m, mask)])
    all_close(values, [picked, picked, 2 * array * mask.reshape(mask.shape + (1,) * (3 - rank))])
    close(K.function([x], [x[x > 0]])([array])[0], array[array > 0])
    assert len(K.function([x], [x[x > 9]])([array])[0]) == 0
    with check.rejects():
        K.placeholder((3, 4))[K.constant([True, False], dtype='bool')]


def test_a_list_is_an_index_like_a_tuple(K, check):
    """x[[0, 1]] is x[0, 1], as in TensorFlow 1."""
    array = random((3, 4), dtype='float32')
    values = check.eval(lambda x: (x[[0, 1]], x[[2]]), array)
    close(values[0], array[0, 1])
    close(values[1], array[2])


def test_exclusive_or(K, check):
    """x ^ y of bools."""
    pairs = np.array([[True, False], [True, True], [False, False]])
    values = check.eval(lambda x, y: (x ^ y,), pairs[:, 0], pairs[:, 1])
    assert values[0].tolist() == [True, False, False]


@covers('pow', 'gradients')
def test_gradient_of_the_operator_at_power_zero(K):
    """The gradient of `x ** 0` at 0 is 0, as that of K.pow is."""
    x = K.variable([0.0, 2.0])
    for y in (x**0, x**0.0, x ** K.constant(0.0)):
        close(K.eval(K.gradients(K.sum(y), [x])[0]), [0.0, 0.0])
    close(K.eval(K.gradients(K.sum(x**2.0), [x])[0]), [0.0, 4.0])
