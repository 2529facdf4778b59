"""Every kernel beside NumPy's kernel of the same name: the same dtypes, shapes and numbers."""

import itertools
import warnings

import numpy as np
import pytest
import torch
from kernel_examples import EXAMPLES, SPARSE, drawer

from keras_backend.engines.torch_backend import arrays as _arrays
from keras_backend.engines.torch_backend import library
from keras_backend.engines.torch_backend.primitives import PRIMITIVES, VIEWS, specialize
from keras_backend.kernels import PRIMITIVES as OF_NUMPY
from keras_backend.kernels.random import Stream

CASES = [(example, dtype) for example in EXAMPLES for dtype in example.dtypes]
EDGES = {
    'float32': [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -1.5, 3e38, 1e-45, -88.0, -100.0, np.inf, -np.inf, np.nan],
    'int32': [0, 1, -1, 7, -7, 2**31 - 1, -(2**31)],
    'uint8': [0, 1, 7, 255],
    'bool': [False, True],
}
OLD = torch.__version__.startswith('2.2.')
EDGES['float16'] = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -1.5, 6e4, 6e-8, -8.0, np.inf, -np.inf, np.nan]
EDGES['float64'] = EDGES['float32'] + [1e300, 30.0, 700.0]
UNARY = 'abs sqrt round floor sign square relu exp log sin cos tanh sigmoid softplus expm1 log1p logical_not'.split()
BINARY = (
    'add sub mul div floordiv mod pow maximum minimum equal not_equal greater greater_equal less less_equal '
    'logical_and logical_or tanh_grad sigmoid_grad relu_grad'
).split()
OF_FLOATS = set('sqrt exp log sin cos tanh sigmoid softplus expm1 log1p div tanh_grad sigmoid_grad relu_grad'.split())
# not of bools
OF_NUMBERS = set('add sub mul sign square relu floordiv mod pow round floor'.split())


def pure(result):
    """A result as a list of NumPy arrays."""
    return (
        [None if each is None else library.to_numpy(each) for each in result]
        if isinstance(result, tuple)
        else [library.to_numpy(result)]
    )


def same(found, expected, exact=False, sums=False):
    """Dtypes, shapes and numbers, signs of zero included where they are exact.

    sums: an element may be a sum that cancels, of terms as large as the largest element, and be off by their roundings.
    """
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected):
        if theirs is None:
            assert ours is None
            continue
        assert ours.dtype == theirs.dtype
        assert np.shape(ours) == np.shape(theirs)
        if exact:
            np.testing.assert_array_equal(ours, theirs)
        elif theirs.dtype.kind == 'f':
            size = {2: 2e-3, 4: 2e-6, 8: 1e-14}[theirs.dtype.itemsize]
            ours, theirs = np.asarray(ours, 'float64'), np.asarray(theirs, 'float64')
            largest = np.max(np.abs(theirs), where=np.isfinite(theirs), initial=1.0) if sums else 1.0
            np.testing.assert_allclose(ours, theirs, rtol=size, atol=size * largest)
        else:
            np.testing.assert_array_equal(ours, theirs)


def by_numpy(name, arrays, attrs):
    """What NumPy's kernel gives."""
    with np.errstate(all='ignore'):
        result = OF_NUMPY[name](*arrays, **attrs)
    return [
        None if each is None else np.asarray(each)[()] for each in (result if isinstance(result, tuple) else (result,))
    ]


def call(kernel, example, values, attrs):
    """The result of a kernel as a list of arrays; draws begin anew, and a shape comes second where arrays follow it."""
    attrs = dict(attrs)
    if 'stream' in attrs:
        attrs['stream'] = Stream(3)
    if example.name == 'getitem_grad' and kernel is not None:
        values = values[:1] + [attrs.pop('shape')] + values[1:]
    return pure(kernel(*values, **attrs))


@pytest.mark.parametrize('strided', [False, True])
@pytest.mark.parametrize('case', CASES, ids=lambda case: f'{case[0].name}-{case[1]}')
def test_example_gives_what_numpy_gives(case, strided):
    """The plain kernel, the one with its attributes bound, sizes as tuples and as vectors; no operand is changed."""
    example, dtype = case
    arrays = [np.asarray(array) for array in example.make(drawer(dtype))]
    if strided:
        arrays = [np.asarray(a.T.copy().T) for a in arrays]
    before = [array.copy() for array in arrays]
    expected = [None if each is None else np.asarray(each)[()] for each in _tuple(_quietly(example, arrays))]
    values = [_arrays.tensor(array) for array in arrays]
    same(call(PRIMITIVES[example.name], example, values, example.attrs), expected, sums=True)
    special = specialize(
        example.name, tuple([a.ndim for a in arrays]), example.attrs, tuple([a.dtype.name for a in arrays])
    )
    if special is not None:
        same(pure(special(*values)), expected, sums=True)
    for size in example.sizes:
        vector = dict(example.attrs, **{size: _arrays.tensor(np.array(example.attrs[size], 'int32'))})
        same(call(PRIMITIVES[example.name], example, values, vector), expected, sums=True)
    for array, old in zip(arrays, before):
        np.testing.assert_array_equal(array, old)


def _tuple(result):
    return result if isinstance(result, tuple) else (result,)


def _quietly(example, arrays):
    attrs = dict(example.attrs)
    if 'stream' in attrs:
        attrs['stream'] = Stream(3)
    if example.name == 'getitem_grad':
        arrays = arrays[:1] + [attrs.pop('shape')] + arrays[1:]
    with np.errstate(all='ignore'):
        return OF_NUMPY[example.name](*arrays, **attrs)


@pytest.mark.parametrize('name', sorted(set(PRIMITIVES) - VIEWS - SPARSE - {'collect'}))
def test_only_views_share_memory_with_an_operand(name):
    """What the engine takes for a fresh result is one, and each of its entries has memory of its own."""
    for example in EXAMPLES:
        if example.name == name:
            for dtype in example.dtypes:
                arrays = [np.asarray(array) for array in example.make(drawer(dtype))]
                values = [_arrays.tensor(array) for array in arrays]
                special = specialize(
                    name, tuple([a.ndim for a in arrays]), example.attrs, tuple([a.dtype.name for a in arrays])
                )
                attrs = dict(example.attrs)
                if name == 'getitem_grad':
                    values[1:1] = [attrs.pop('shape')]
                kernels = [(PRIMITIVES[name], attrs, values)]
                if special is not None:
                    kernels.append((special, {}, [v for v in values if isinstance(v, torch.Tensor)]))
                for kernel, given, operands in kernels:
                    for made in _tuple(kernel(*operands, **given)):
                        if isinstance(made, torch.Tensor):
                            assert not any(np.shares_memory(made.numpy(), array) for array in arrays), example
                            assert not made.numel() or all(
                                n < 2 or step for n, step in zip(made.shape, made.stride())
                            ), example


def test_every_kernel_has_an_example():
    """No kernel of NumPy's is without one, and none is missing here."""
    assert set(PRIMITIVES) == set(OF_NUMPY)
    assert {example.name for example in EXAMPLES} | SPARSE == set(PRIMITIVES)


def edges(names, skipped):
    return [
        (name, dtype)
        for name in names
        for dtype in EDGES
        if (dtype.startswith('float') or name not in OF_FLOATS) and (dtype != 'bool' or name not in skipped)
    ]


@pytest.mark.parametrize('case', edges(UNARY, OF_NUMBERS), ids='-'.join)
def test_edges_of_functions_of_one_operand(case):
    """Zeros with signs, infinities, NaN, the largest numbers."""
    name, dtype = case
    # longer than a vector register, so that PyTorch takes its fast path, too
    array = np.array(EDGES[dtype] * 5, dtype)
    if name == 'log1p' and OLD:
        # it overflows too early
        array = array[~(np.abs(array) > 1e38)]
    expected = by_numpy(name, [array], {})
    for special in PRIMITIVES[name], specialize(name, (1,), {}, (dtype,)):
        if special is not None:
            same(pure(special(_arrays.tensor(array))), expected)
            if name not in OF_FLOATS:
                same(pure(special(_arrays.tensor(array))), expected, exact=True)
                # NumPy has both zeros for relu of -0.0
                if dtype.startswith('float') and name not in ('relu', 'logical_not'):
                    found = pure(special(_arrays.tensor(array)))[0]
                    numbers = ~np.isnan(found)
                    np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(expected[0])[numbers])


@pytest.mark.parametrize('case', edges(BINARY, OF_NUMBERS), ids='-'.join)
def test_edges_of_functions_of_two_operands(case):
    """All pairs of the same."""
    name, dtype = case
    x, y = [np.array(column, dtype) for column in zip(*itertools.product(EDGES[dtype], repeat=2))]
    if (name == 'mod' and dtype == 'float64') or (name == 'floordiv' and OLD):
        # PyTorch gives NaN where the quotient overflows
        with np.errstate(all='ignore'):
            fits = ~np.isinf(x / y) | np.isinf(x) | (y == 0)
        x, y = x[fits], y[fits]
    if name == 'pow' and not dtype.startswith('float'):
        y = np.abs(np.where(y > 100, 3, y)).astype(dtype) % np.array(9, dtype)
    if name in ('tanh_grad', 'sigmoid_grad'):
        # the first operand is a result of the function
        x = np.clip(x, -1 if name == 'tanh_grad' else 0, 1)
    expected = by_numpy(name, [x, y], {})
    for special in PRIMITIVES[name], specialize(name, (1, 1), {}, (dtype, dtype)):
        if special is not None:
            found = pure(special(_arrays.tensor(x), _arrays.tensor(y)))
            same(found, expected, exact=name not in OF_FLOATS | {'pow'})


def test_a_negative_power_of_an_integer_is_refused():
    """As by NumPy."""
    two = _arrays.tensor(np.array([2, 3]))
    with pytest.raises(ValueError, match='negative integer powers'):
        PRIMITIVES['pow'](two, -two)


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64', 'int32', 'uint8', 'bool'])
def test_reductions_of_edges(dtype):
    """NaN is the largest and the smallest, the first of equals is taken, and nothing has neutral values."""
    values = EDGES[dtype]
    arrays = [
        np.array(list(itertools.permutations(values[-4:])), dtype),
        np.zeros((3, 0), dtype),
        np.ones((2, 9), dtype),
    ]
    for array, name in itertools.product(arrays, 'max min any all sum prod argmax argmin'.split()):
        if name.startswith('arg'):
            if array.size:
                same(pure(PRIMITIVES[name](_arrays.tensor(array), axis=1)), by_numpy(name, [array], {'axis': 1}))
        elif dtype != 'bool' or (name not in ('sum', 'prod') and array.size):
            for axes, keepdims in itertools.product(((1,), (0, 1), (), (-1,)), (False, True)):
                attrs = {'axes': axes, 'keepdims': keepdims}
                if dtype == 'float16' and name == 'prod':
                    continue
                same(pure(PRIMITIVES[name](_arrays.tensor(array), **attrs)), by_numpy(name, [array], attrs))


@pytest.mark.parametrize('name', ['max_pool', 'max_pool_grad', 'max_pool_select'])
@pytest.mark.parametrize('padding', ['same', 'valid'])
@pytest.mark.parametrize('window', [(2,), (3,), (2, 3), (2, 1, 2)])
def test_pooling_of_ties_and_nan(name, padding, window):
    """The first of equal maxima gets the gradient; where NaN is the maximum, none does."""
    random = np.random.RandomState(3)
    x = random.randint(-2, 3, (2,) + (5,) * len(window) + (3,)).astype('float32')
    x[random.rand(*x.shape) < 0.1] = np.nan
    x[random.rand(*x.shape) < 0.1] = -np.inf
    attrs = {'window': window, 'strides': (2,) * len(window), 'padding': padding}
    out = by_numpy('max_pool', [x], attrs)[0]
    given = {'max_pool': [x], 'max_pool_grad': [x, random.randn(*out.shape).astype('float32')]}
    arrays = given.get(name, [x, random.randn(*x.shape).astype('float32')])
    same(pure(PRIMITIVES[name](*[_arrays.tensor(a) for a in arrays], **attrs)), by_numpy(name, arrays, attrs))


INDICES = [
    ((('slice', 4, None, -2), 1), ()),
    ((('slice', None, None, -1), ('tensor', 0)), ((3, 0, -1),)),
    ((0, ('slice', None, None, None), ('tensor', 0)), ((1, 1),)),
    ((('tensor', 0), ('slice', None, None, -1), -1), ((1, 1, 2),)),
    ((Ellipsis, ('tensor', 0), None), ((1, 1, 2),)),
    ((('tensor', 0), None, ('tensor', 1)), ((1, 1, 2), (0, 1, 0))),
    ((None, ('slice', 3, 1, -1), Ellipsis, ('slice', None, None, -2)), ()),
    ((('slice', 1, 1, -1),), ()),
]


@pytest.mark.parametrize(('spec', 'indices'), INDICES)
@pytest.mark.parametrize('kind', ['int32', 'int64', 'uint8'])
def test_indices(spec, indices, kind):
    """Backwards, beside arrays, new axes; and the gradient, which adds up at equal places."""
    indices = [np.abs(np.array(i)).astype(kind) if kind == 'uint8' else np.array(i, kind) for i in indices]
    x = np.random.RandomState(0).randn(5, 4, 3).astype('float32')
    tensors = [_arrays.tensor(i) for i in indices]
    expected = by_numpy('getitem', [x] + indices, {'spec': spec})
    same(pure(PRIMITIVES['getitem'](_arrays.tensor(x), *tensors, spec=spec)), expected)
    g, shape = np.array(expected[0]), np.array(x.shape, 'int32')
    same(
        pure(PRIMITIVES['getitem_grad'](_arrays.tensor(g), torch.from_numpy(shape), *tensors, spec=spec)),
        by_numpy('getitem_grad', [g, shape] + indices, {'spec': spec}),
    )


@pytest.mark.parametrize('wrong', [[3], [-1], [0, 5]])
@pytest.mark.parametrize(
    'call',
    [
        lambda i: PRIMITIVES['gather'](torch.ones(3, 2), i),
        lambda i: PRIMITIVES['scatter_add'](i, torch.ones(len(i), 2), 3),
        lambda i: PRIMITIVES['rows'](3, i, torch.ones(len(i), 9000)),
    ],
)
def test_places_that_are_not_there(wrong, call):
    """Lookups and their gradients refuse them, in the words of NumPy's."""
    with pytest.raises(IndexError, match=r'Index -?\d is out of range for an axis of size 3; possible are 0 to 2.'):
        call(torch.tensor(wrong))


@pytest.mark.parametrize('writeable', [True, False])
def test_arrays_that_pytorch_does_not_take(writeable):
    """Read-only ones and those with steps backwards are copied, without a warning."""
    array = np.arange(6.0)
    array.flags.writeable = writeable
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        np.testing.assert_array_equal(_arrays.tensor(array[::-1]).numpy(), array[::-1])
        made = _arrays.tensor(array)
    assert np.shares_memory(made.numpy(), array) is writeable


@pytest.mark.parametrize('size', [10, 50_000])
@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
def test_roots(dtype, size):
    """The root of max(x, 0) in NumPy's numbers: many elements go another way than few, as zeros do."""
    values = np.random.RandomState(0).randn(size).astype(dtype)
    values[::3] = 0
    values[[1, 2, 4, 5, 7]] = [-0.0, np.inf, -np.inf, np.nan, np.finfo(dtype).max]
    expected = np.sqrt(np.where(values < 0, 0, values).astype('float64')).astype(dtype)
    for out in (False, True):
        x = _arrays.tensor(values.copy())
        made = PRIMITIVES['sqrt'](x, out=x) if out else PRIMITIVES['sqrt'](x)
        assert not out or made is x
        found = library.to_numpy(made)
        assert dtype == found.dtype.name
        np.testing.assert_allclose(found, expected, rtol=2 * np.finfo(dtype).eps)
        assert not np.signbit(found[expected == 0]).any()
    least = np.full(size, np.finfo(dtype).tiny * 4, dtype)
    np.testing.assert_allclose(library.to_numpy(PRIMITIVES['sqrt'](_arrays.tensor(least))), np.sqrt(least), rtol=1e-3)


def test_gradient_of_many_roots():
    """PyTorch differentiates the kernel where a tensor asks for it, as in a module made of a function."""
    x = torch.full((10_000,), 4.0, requires_grad=True)
    PRIMITIVES['sqrt'](x).sum().backward()
    assert torch.allclose(x.grad, torch.full((10_000,), 0.25))


@pytest.mark.parametrize(('name', 'sign'), [('add_rows', 1), ('sub_rows', -1)])
def test_rows_change_in_place(name, sign):
    """The sum of a table and some rows takes the room of the table where nothing else reads it."""
    table, places = torch.ones(1000, 64), torch.tensor([3, 500])
    sums = torch.cat([torch.full((2, 64), 2.0), torch.zeros(1, 64)])
    made = PRIMITIVES[name](table, places, sums, out=table)
    expected = np.ones((1000, 64), 'float32')
    expected[[3, 500]] += sign * 2
    assert made is table
    np.testing.assert_array_equal(library.to_numpy(made), expected)
    assert name in library.IN_PLACE
