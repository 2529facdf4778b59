"""Reductions of the NumPy kernels against exact sums and loops."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_backend.kernels import PRIMITIVES, specialize

k = PRIMITIVES
RNG = np.random.RandomState(0)


def rows(x, axes):
    """The reduced numbers as lists, and the shape they belong to."""
    kept = [i for i in range(x.ndim) if i not in axes]
    shape = tuple(x.shape[i] for i in kept)
    out = []
    for index in product(*[range(n) for n in shape]):
        place = [slice(None)] * x.ndim
        for i, n in zip(kept, index):
            place[i] = n
        out.append(x[tuple(place)].ravel().tolist())
    return out, shape


TRUTHS = {
    'sum': math.fsum,
    'prod': lambda r: float(np.exp(sum(math.log(abs(v)) for v in r)) * (-1) ** sum(v < 0 for v in r)),
    'mean': lambda r: math.fsum(r) / len(r),
    'max': max,
    'min': min,
    'any': any,
    'all': all,
}


@st.composite
def shape_and_axes(draw):
    shape = draw(st.lists(st.integers(1, 4), min_size=0, max_size=4))
    axes = draw(st.lists(st.sampled_from(range(len(shape))), unique=True)) if shape else []
    return tuple(shape), tuple(axes)


@pytest.mark.parametrize('name', sorted(TRUTHS))
@settings(max_examples=40)
@given(shape_and_axes(), st.booleans())
def test_kernels_reduce_any_axes(name, case, keepdims):
    """Every shape and choice of axes; in any order, specialised or not."""
    shape, axes = case
    x = np.asarray(np.random.RandomState(len(shape)).uniform(-2, 2, shape))
    numbers, kept = rows(x, axes)
    expected = np.array([TRUTHS[name](r) for r in numbers]).reshape(kept)
    if keepdims:
        expected = expected.reshape([1 if i in axes else n for i, n in enumerate(shape)])
    special = specialize(name, (x.ndim,), {'axes': axes, 'keepdims': keepdims}, ('float64',))
    for made in [k[name](x, axes, keepdims)] + ([special(x)] if special else []):
        assert np.shape(made) == expected.shape
        np.testing.assert_allclose(made, expected, 1e-12, 1e-12)


@pytest.mark.parametrize(
    ('shape', 'axes'),
    [
        ((64, 20, 20, 3), (0, 1, 2)),
        ((3000, 2), (0,)),
        ((50, 100, 7), (1,)),
        ((40, 30, 10), (2,)),
        ((900, 5000), (1,)),
        ((20, 3000), (0,)),
        ((10, 40, 600), (1,)),
    ],
)
def test_sums_of_many(shape, axes):
    """The sums that are left to BLAS, and those that are not because rows are long, are as exact as float32 allows."""
    x = RNG.uniform(0, 1, shape).astype('float32')
    expected = x.astype('float64').sum(axes)
    np.testing.assert_allclose(k['sum'](x, axes), expected, 2e-6)
    np.testing.assert_allclose(k['mean'](x, axes), expected / (x.size / expected.size), 2e-6)


def test_infinity_in_sums():
    """Infinity and NaN stay in their rows."""
    x = np.ones((1000, 4), 'float32')
    x[3, 1], x[4, 2] = np.inf, np.nan
    np.testing.assert_array_equal(k['sum'](x, (0,)), [1000, np.inf, np.nan, 1000])


def test_float16_adds_up_in_float32():
    """Ones beyond the integers that float16 holds, and a mean whose sum it does not."""
    ones = np.ones(5000, 'float16')
    assert k['sum'](ones, (0,)) == 5000
    assert k['cumsum'](ones, 0)[-1] == 5000
    assert k['mean'](np.full((100, 3), 1000, 'float16'), (0,)).tolist() == [1000] * 3


@pytest.mark.parametrize(('name', 'truth'), [('sum', sum), ('prod', lambda r: int(np.prod(np.array(r, object))))])
def test_integers_keep_their_dtype(name, truth):
    """Integers are reduced in their own dtype and wrap around in it."""
    x = RNG.randint(1, 100, (3, 5)).astype('int8')
    expected = [(truth(r) + 128) % 256 - 128 for r in x.tolist()]
    assert k[name](x, (1,)).tolist() == expected


@pytest.mark.parametrize('shape', [(5, 3), (500, 3), (50, 20, 9), (500, 40)])
def test_extrema_of_short_and_long_rows(shape):
    """Short rows are compared as columns: the same numbers, NaN wins, ties are no matter."""
    x = RNG.randint(0, 50, shape).astype('float32')
    x[(1,) * len(shape)] = np.nan
    axes = (len(shape) - 1,)
    for name, truth in ('max', max), ('min', min):
        expected = [np.nan if np.isnan(r).any() else truth(r) for r in rows(x, axes)[0]]
        np.testing.assert_array_equal(k[name](x, axes).ravel(), expected)
        assert k[name](x, axes, True).shape == shape[:-1] + (1,)


def test_empty():
    """Nothing adds up to 0 and multiplies to 1; its maximum is below all numbers, and batches of size zero pass."""
    x = np.zeros((0, 3), 'float32')
    assert k['sum'](x, (0,)).tolist() == [0] * 3
    assert k['prod'](x, (0,)).tolist() == [1] * 3
    assert k['max'](x, (1,)).shape == (0,)
    assert k['softmax'](x, 1).shape == (0, 3)
    assert k['max'](x, (0,)).tolist() == [-np.inf] * 3
    assert k['min'](x.astype('int8'), (0, 1)) == 127


def test_places_of_extrema():
    """The first of equals."""
    x = np.array([[1, 3, 3], [2, 0, 0]])
    assert k['argmax'](x, 1).tolist() == [1, 0]
    assert k['argmin'](x, 1).tolist() == [0, 1]


def test_accumulation():
    """Sums and products up to each place."""
    x = RNG.uniform(-2, 2, (3, 4))
    sums, products = x.copy(), x.copy()
    for i in range(1, 4):
        sums[:, i] += sums[:, i - 1]
        products[:, i] *= products[:, i - 1]
    np.testing.assert_allclose(k['cumsum'](x, 1), sums)
    np.testing.assert_allclose(k['cumprod'](x, 1), products)


@pytest.mark.parametrize(('dtype', 'tolerance'), [('float16', 2e-3), ('float32', 1e-6), ('float64', 1e-14)])
@pytest.mark.parametrize('axis', [0, 1, 2])
def test_softmax_kernel(dtype, tolerance, axis):
    """The definition in exact sums; each distribution adds up to 1."""
    x = RNG.uniform(-5, 5, (3, 4, 5)).astype(dtype)
    moved = np.moveaxis(x.astype('float64'), axis, -1).reshape(-1, x.shape[axis]).tolist()
    total = [math.fsum(map(math.exp, r)) for r in moved]
    soft = np.array([[math.exp(v) / t for v in r] for r, t in zip(moved, total)])
    log = np.array([[v - math.log(t) for v in r] for r, t in zip(moved, total)])
    for name, expected in ('softmax', soft), ('log_softmax', log):
        made = np.moveaxis(k[name](x, axis), axis, -1).reshape(expected.shape)
        np.testing.assert_allclose(made.astype('float64'), expected, tolerance, tolerance)


def test_softmax_of_extremes():
    """Shifted by the maximum, so that nothing overflows; the logarithm of a vanishing probability is exact."""
    x = np.array([[1000.0, 0, -1000], [-np.inf, 0, 0]], 'float32')
    with np.errstate(all='ignore'):
        assert k['softmax'](x, 1).tolist() == [[1, 0, 0], [0, 0.5, 0.5]]
        np.testing.assert_allclose(k['log_softmax'](x, 1), [[0, -1000, -2000], [-np.inf, -np.log(2), -np.log(2)]], 1e-6)


@pytest.mark.parametrize('shape', [(1, 3), (2, 1), (1, 1), (2, 3)])
def test_sum_to_undoes_broadcasting(shape):
    """The adjoint of broadcasting."""
    x, y = RNG.randn(*shape), RNG.randn(2, 3)
    summed = k['sum_to'](y, shape)
    assert summed.shape == shape
    np.testing.assert_allclose((summed * x).sum(), (y * (x + np.zeros((2, 3)))).sum())
