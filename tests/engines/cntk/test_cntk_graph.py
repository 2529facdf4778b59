"""What CNTK computes, primitive by primitive, beside the NumPy kernels of the same names."""

import importlib.util

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

if importlib.util.find_spec('cntk') is None:
    pytest.skip('CNTK is not installed', allow_module_level=True)

from kernel_examples import EXAMPLES, drawer

from keras_backend.engines.cntk_backend.graph import Graph, Unfit
from keras_backend.engines.cntk_backend.primitives import BUILDERS, FITS
from keras_backend.engines.cntk_backend.vendor import cntk_py, cpu
from keras_backend.kernels import PRIMITIVES

TOLERANCE = {'float32': 1e-5, 'float64': 1e-12}
inf, nan = float('inf'), float('nan')
EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    inf,
    -inf,
    nan,
    1e-30,
    -1e-30,
    1e30,
    88.0,
    -88.0,
    1000.0,
    -1000.0,
    0.5,
    2.5,
    -2.5,
    1e-5,
    1e-20,
]


def built(name, arrays, attrs):
    """The result of a primitive by CNTK; integers among the arrays, and divisors, are known while building."""
    dtype = next(a.dtype.name for a in arrays if a.dtype.kind == 'f')
    g, feeds, symbols, alive = Graph(dtype), {}, [], []
    for i, array in enumerate(arrays):
        if array.dtype.kind != 'f' or (name == 'div' and i):
            symbols.append(g.known(array))
            continue
        symbols.append(g.input(array.shape))
        alive.append(np.ascontiguousarray(array))
        feeds[symbols[-1].variable] = cntk_py.Value(cntk_py.NDArrayView(alive[-1], cpu, False, True))
    result = BUILDERS[name](g, *symbols, **attrs)
    function, variables, _places = g.outputs([result])
    outputs = {variables[0]: None}
    cntk_py.Function._forward(function, feeds, outputs, cpu, set())
    value = outputs[variables[0]].data().to_ndarray()
    assert value.shape == tuple(result.stored)
    return np.broadcast_to(value, result.shape)


def compare(name, arrays, attrs):
    with np.errstate(all='ignore'):
        expected = PRIMITIVES[name](*arrays, **attrs)
    actual = built(name, arrays, attrs)
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    tolerance = TOLERANCE[actual.dtype.name]
    finite = expected[np.isfinite(expected)]
    scale = np.abs(finite).max() if finite.size else 0
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance * scale)


def _fits(example, arrays):
    """Whether the engine would give a call to CNTK (see FITS)."""
    spec = example.attrs.get('spec', ())
    if any([isinstance(s, tuple) and s[0] == 'tensor' for s in spec]) or any([0 in a.shape for a in arrays]):
        return False
    if set(example.attrs.get('dilation', (1,))) != {1}:
        return False
    return example.name in BUILDERS and (example.name != 'depthwise_conv' or arrays[0].ndim == 4)


CASES = [
    (e, dtype)
    for e in EXAMPLES
    for dtype in ('float32', 'float64')
    if dtype in e.dtypes and _fits(e, e.make(drawer(dtype)))
]


@pytest.mark.parametrize(('example', 'dtype'), CASES, ids=[f'{e.name}-{i}-{d}' for i, (e, d) in enumerate(CASES)])
def test_primitive(example, dtype):
    """Every call that goes to CNTK gives what the kernel of NumPy gives."""
    compare(example.name, [np.asarray(a) for a in example.make(drawer(dtype))], example.attrs)


def test_every_primitive_of_cntk_has_examples():
    """The table of builders holds no name that the test above leaves out."""
    assert set(BUILDERS) == {example.name for example, _dtype in CASES}
    assert set(FITS) <= set(BUILDERS)


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
@pytest.mark.parametrize('name', ['neg', 'abs', 'square', 'exp', 'sin', 'cos', 'tanh', 'sigmoid', 'softplus', 'floor'])
def test_edges_of_one_argument(name, dtype):
    """NaN, the infinities, the zeros, and numbers at which functions overflow or vanish: element by element."""
    array = np.array(EDGES, dtype)
    with np.errstate(all='ignore'):
        expected = PRIMITIVES[name](array)
    actual = built(name, [array], {})
    np.testing.assert_allclose(actual, expected, rtol=1e-5 if dtype == 'float32' else 1e-12)


@pytest.mark.parametrize('name', ['add', 'sub', 'mul', 'tanh_grad', 'sigmoid_grad'])
def test_edges_of_two_arguments(name):
    """All pairs of the edges."""
    a, b = np.array(EDGES, 'float32')[:, None], np.array(EDGES, 'float32')
    with np.errstate(all='ignore'):
        expected = PRIMITIVES[name](a, b)
    np.testing.assert_allclose(built(name, [a, b], {}), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ('name', 'attrs'),
    [
        ('sum', {'axes': (1,), 'keepdims': False}),
        ('mean', {'axes': (1,), 'keepdims': False}),
        ('prod', {'axes': (1,), 'keepdims': False}),
        ('softmax', {'axis': 1}),
        ('log_softmax', {'axis': 1}),
    ],
)
def test_rows_with_edges(name, attrs):
    """A NaN stays in its row; infinities add up as IEEE 754 says."""
    rows = [[1, 2, nan], [inf, 1, 2], [-inf, 1, 2], [inf, -inf, 1], [1000, 0, -1000], [1, 2, 3]]
    array = np.array(rows, 'float32')
    with np.errstate(all='ignore'):
        expected = PRIMITIVES[name](array, **attrs)
    np.testing.assert_allclose(built(name, [array], attrs), expected, rtol=1e-5)


def random(*shape):
    return np.random.RandomState(len(shape)).uniform(-2, 2, shape).astype('float32')


@given(shape=st.lists(st.integers(1, 4), min_size=1, max_size=6), data=st.data())
@settings(max_examples=60)
def test_reductions_over_any_axes(shape, data):
    """Any set of axes, also those that CNTK cannot reduce at once."""
    axes = tuple(sorted(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))))
    compare('sum', [random(*shape)], {'axes': axes, 'keepdims': data.draw(st.booleans())})


@pytest.mark.parametrize('axes', [(0,), (0, 1), (1, 2), (0, 2), (2,)])
def test_sums_of_many_elements(axes):
    """Long sums, which are products with ones, keep their accuracy: a million ones are a million."""
    array = np.ones((100, 100, 100), 'float32')
    actual = built('sum', [array], {'axes': axes, 'keepdims': False})
    assert (100.0 ** len(axes) == actual).all()


@given(full=st.lists(st.integers(1, 3), min_size=0, max_size=5), data=st.data())
@settings(max_examples=60)
def test_cntk_broadcasting(full, data):
    """Shapes broadcast as in NumPy, and what is broadcast later is what is broadcast at once."""
    cut = [data.draw(st.sampled_from([n, 1])) for n in full]
    a, b = random(*full), random(*cut[data.draw(st.integers(0, len(cut))) :])
    try:
        compare('mul', [a, b], {})
    except Unfit:
        assert len(full) > 5
    compare('broadcast_to', [b], {'shape': (2,) + tuple(full)})


@given(perm=st.permutations(range(5)), axis=st.integers(0, 4), data=st.data())
@settings(max_examples=60)
def test_broadcast_values_move(perm, axis, data):
    """A value that is still to be repeated is transposed, cut, summed and reshaped as if it had been."""
    g = Graph('float32')
    shape = tuple(data.draw(st.lists(st.integers(1, 3), min_size=5, max_size=5)))
    stored = tuple([data.draw(st.sampled_from([n, 1])) for n in shape])
    array = random(*stored)
    x, alive = g.input(stored), np.ascontiguousarray(array)
    feeds = {x.variable: cntk_py.Value(cntk_py.NDArrayView(alive, cpu, False, True))}
    y = BUILDERS['transpose'](g, BUILDERS['broadcast_to'](g, x, shape), perm)
    whole = np.broadcast_to(array, shape).transpose(perm)
    made = [
        y,
        BUILDERS['sum'](g, y, (axis,), False),
        g.reshape(y, (whole.size,)),
        BUILDERS['getitem'](g, y, (0,)),
        BUILDERS['expand_dims'](g, y, axis),
    ]
    truths = [whole, whole.sum(axis), whole.reshape(-1), whole[0], np.expand_dims(whole, axis)]
    function, variables, places = g.outputs(made)
    outputs = dict.fromkeys(variables)
    cntk_py.Function._forward(function, feeds, outputs, cpu, set())
    values = [outputs[variable].data().to_ndarray() for variable in variables]
    for symbol, place, truth in zip(made, places, truths):
        np.testing.assert_allclose(np.broadcast_to(values[place], symbol.shape), truth, rtol=1e-5, atol=1e-5)


BOUNDS = st.one_of(st.none(), st.integers(-4, 4))
ITEMS = st.one_of(
    st.integers(-3, 2),
    st.none(),
    st.builds(lambda *bounds: ('slice',) + bounds, BOUNDS, BOUNDS, st.sampled_from([None, 1, 2, 3, -1, -2])),
)


@given(spec=st.lists(ITEMS, min_size=0, max_size=3), cut=st.booleans())
@settings(max_examples=100)
def test_cntk_indexing(spec, cut):
    """Integers, slices of any step, new axes and an ellipsis; and the gradient, back at the places that were read."""
    spec = tuple(spec)
    if cut and sum([s is not None for s in spec]) <= 3:
        spec = spec[:1] + (Ellipsis,) + spec[1:]
    array = random(3, 3, 3)
    read = PRIMITIVES['getitem'](array, spec=spec)
    if not read.size:
        with pytest.raises(Unfit):
            built('getitem', [array], {'spec': spec})
        return
    compare('getitem', [array], {'spec': spec})
    compare('getitem_grad', [random(*read.shape)], {'shape': (3, 3, 3), 'spec': spec})


@pytest.mark.parametrize('pieces', [[1, 1], [3, 40, 5], [20, 20, 20]])
def test_narrow_pieces_of_many_rows(pieces):
    """Columns are cut and joined by way of the transposed matrix."""
    parts = [random(50, n) for n in pieces]
    compare('concatenate', parts, {'axis': 1})
    compare('getitem', [np.concatenate(parts, 1)], {'spec': (Ellipsis, ('slice', 1, 3, None))})
    compare('stack', [p[:, :1] for p in parts], {'axis': 2})


WINDOWS = [
    (rank, padding, stride, k)
    for rank in (1, 2, 3)
    for padding in ('valid', 'same', 'causal')
    for stride in (1, 2, 3)
    for k in (1, 2, 3, 4)
    if padding != 'causal' or rank == 1
]


@pytest.mark.parametrize(('rank', 'padding', 'stride', 'k'), WINDOWS, ids=['-'.join(map(str, w)) for w in WINDOWS])
def test_windows(rank, padding, stride, k):
    """Convolutions, their gradients, depthwise ones and averages, of odd and even windows with every padding."""
    size, strides = (7, 6, 5)[:rank], (stride,) * rank
    x, kernel = random(2, *size + (3,)), random(*(k,) * rank + (3, 4))
    attrs = {'strides': strides, 'padding': padding, 'dilation': (1,) * rank}
    compare('conv', [x, kernel], attrs)
    gradient = np.ones_like(PRIMITIVES['conv'](x, kernel, **attrs)) + random(4)
    compare('conv_input_grad', [gradient, kernel], dict(attrs, shape=x.shape))
    if rank == 2:
        compare('depthwise_conv', [x, random(k, k, 3, 2)], attrs)
    if padding != 'causal':
        compare('avg_pool', [x], {'window': (k,) * rank, 'strides': strides, 'padding': padding})


@pytest.mark.parametrize(
    ('name', 'arrays', 'attrs'),
    [
        ('add', [random(2, 1, 2, 1, 2, 1), random(1, 2, 1, 2, 1, 2)], {}),
        ('transpose', [random(2, 2, 2, 2, 2, 2)], {'perm': (5, 4, 3, 2, 1, 0)}),
        ('add', [np.zeros((0, 3), 'float32'), random(3)], {}),
        ('conv', [random(1, 2, 1), random(3, 1, 1)], {'strides': (1,), 'padding': 'valid', 'dilation': (1,)}),
    ],
)
def test_what_cntk_cannot_do(name, arrays, attrs):
    """Too many loops, empty tensors, and windows larger than what they lie in are refused before CNTK is asked."""
    with pytest.raises(Unfit):
        built(name, arrays, attrs)


@pytest.mark.parametrize('divisor', [0.0, -0.0, 1e-40, inf, nan])
def test_divisors_without_a_reciprocal(divisor):
    """CNTK divides by multiplying, so it is asked only where the reciprocal is a number like others."""
    g = Graph('float32')
    with pytest.raises(Unfit):
        BUILDERS['div'](g, g.input((2,)), g.known(np.float32(divisor)))
