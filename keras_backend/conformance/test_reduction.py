"""Reductions: values for dtypes, axes and ranks, dtypes of results, empty axes, ties and special numbers."""

import numpy as np
import pytest
from hypothesis import strategies as st

from ._check import FLOATS, all_close, close, covers, given, integers, random


def logsumexp(x, axis=None, keepdims=False):
    return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


FLOAT_REDUCTIONS = {
    'sum': np.sum,
    'prod': np.prod,
    'mean': np.mean,
    'max': np.max,
    'min': np.min,
    'var': np.var,
    'std': np.std,
    'logsumexp': logsumexp,
}
TRUTH_REDUCTIONS = {'any': np.any, 'all': np.all}
REDUCTIONS = dict(FLOAT_REDUCTIONS, **TRUTH_REDUCTIONS)
KEEPS_INTEGERS = ('sum', 'prod', 'max', 'min')
NAMES = [pytest.param(name, marks=covers(name)) for name in sorted(REDUCTIONS)]
FLOAT_NAMES = [pytest.param(name, marks=covers(name)) for name in sorted(FLOAT_REDUCTIONS)]
CUMULATIVE = {'cumsum': np.cumsum, 'cumprod': np.cumprod}
ARG = {'argmax': np.argmax, 'argmin': np.argmin}
AXES = [None, 0, 1, 2, -1, -3, [0], [0, 2], (0, 1), [-1, 0], (1, -1), [0, 1, 2]]


def as_axis(axis):
    return tuple(axis) if isinstance(axis, list) else axis


@pytest.mark.parametrize('dtype', FLOATS)
@pytest.mark.parametrize('name', FLOAT_NAMES)
def test_axes(K, check, name, dtype):
    """Axes are None, an int, or a list or tuple of ints, negative ones included, with and without keepdims."""
    array = random((2, 3, 4), low=0.2, high=1.5, dtype=dtype)
    known, unknown = check.placeholder(array), check.placeholder(array, (0, 1, 2))
    outputs, truths, labels = [], [], []
    for axis in AXES:
        for keepdims in (False, True):
            for x in (known, unknown):
                outputs.append(getattr(K, name)(x, axis=axis, keepdims=keepdims))
                truths.append(FLOAT_REDUCTIONS[name](array.astype('float64'), axis=as_axis(axis), keepdims=keepdims))
                labels.append(f'axis={axis!r}, keepdims={keepdims!r}')
    for value, expected, label in zip(check.run(outputs, [(known, array), (unknown, array)]), truths, labels):
        assert value.dtype.name == dtype, label
        close(value, expected, what=label)


@pytest.mark.parametrize('dtype', ['float32', 'int32', 'bool'])
@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in sorted(TRUTH_REDUCTIONS)])
def test_any_and_all(K, check, name, dtype):
    """`any` and `all` give bool and take numbers. A number that is not zero is true."""
    array = (np.random.RandomState(3).rand(2, 3, 4) < 0.5).astype(dtype) * (2 if dtype != 'bool' else True)
    array = array.astype(dtype)
    x = check.placeholder(array, (1,))
    cases = [(axis, keepdims) for axis in AXES for keepdims in (False, True)]
    values = check.run([getattr(K, name)(x, axis=axis, keepdims=keepdims) for axis, keepdims in cases], [(x, array)])
    for (axis, keepdims), value in zip(cases, values):
        assert value.dtype.name == 'bool'
        close(value, TRUTH_REDUCTIONS[name](array != 0, axis=as_axis(axis), keepdims=keepdims), what=str(axis))


@pytest.mark.parametrize('name', NAMES)
def test_forms(K, check, name):
    """The same values come from placeholders of any static shape, from variables and from constants."""
    array = random((2, 3, 4), low=-1.0, high=1.0, dtype='float32') + np.float32(0.05)
    check.everywhere(
        lambda x: getattr(K, name)(x, axis=[0, 2]), [array], REDUCTIONS[name](array.astype('float64'), axis=(0, 2))
    )


@pytest.mark.parametrize('name', NAMES)
def test_ranks(K, check, name):
    """Tensors of rank 0 to 5 reduce over all axes and over the last."""
    arrays = [random((2, 1, 3, 2, 2)[:rank], seed=rank, low=0.2, high=1.5, dtype='float32') for rank in range(6)]
    feeds = [(check.placeholder(a), a) for a in arrays]
    function, truth = getattr(K, name), REDUCTIONS[name]
    outputs = [function(p) for p, _ in feeds] + [function(p, axis=-1, keepdims=True) for p, _ in feeds[1:]]
    truths = [truth(a.astype('float64')) for a in arrays]
    truths += [truth(a.astype('float64'), axis=-1, keepdims=True) for a in arrays[1:]]
    all_close(check.run(outputs, feeds), truths)


@pytest.mark.parametrize('dtype', ['int32', 'int64'])
@pytest.mark.parametrize('name', FLOAT_NAMES)
def test_integers(K, check, name, dtype):
    """Sums, products and extremes of integers are integers. Means, variances and logsumexp give floatx."""
    array = integers((3, 4), low=1, dtype=dtype)
    value = check.eval(lambda x: getattr(K, name)(x, axis=0), array)
    assert value.dtype.name == (dtype if name in KEEPS_INTEGERS else 'float32')
    close(value, FLOAT_REDUCTIONS[name](array.astype('float64'), axis=0).astype(value.dtype))


@pytest.mark.parametrize(
    ('name', 'expected'),
    [
        pytest.param('sum', [2, 0, 1], marks=covers('sum')),
        pytest.param('mean', [1.0, 0.0, 0.5], marks=covers('mean')),
        pytest.param('var', [0.0, 0.0, 0.25], marks=covers('var')),
        pytest.param('std', [0.0, 0.0, 0.5], marks=covers('std')),
        pytest.param('max', [True, False, True], marks=covers('max')),
        pytest.param('min', [True, False, False], marks=covers('min')),
    ],
)
def test_bools(K, check, name, expected):
    """Sums of bools are int32, their means floatx, their extremes bools."""
    array = np.array([[True, False, True], [True, False, False]])
    value = check.eval(lambda x: getattr(K, name)(x, axis=0), array)
    assert value.dtype.name == {'sum': 'int32', 'max': 'bool', 'min': 'bool'}.get(name, 'float32')
    assert value.tolist() == expected


@covers('sum', 'mean', 'max', 'min', 'prod')
def test_integers_are_exact(K, check):
    """Reductions of integers beyond 2**24 are exact."""
    array = np.array([16777217, 1, 16777219], 'int32')
    values = check.eval(lambda x: (K.sum(x), K.max(x), K.prod(x[1:]), K.min(x[::2])), array)
    assert [v.tolist() for v in values] == [33554437, 16777219, 16777219, 16777217]


@pytest.mark.parametrize(
    'name', [pytest.param(name, marks=covers(name)) for name in ('sum', 'prod', 'mean', 'max', 'min', 'logsumexp')]
)
def test_no_axes(K, check, name):
    """Reducing over an empty list of axes returns the tensor unchanged."""
    array = random((2, 3), low=0.5, dtype='float32')
    for value in check.eval(
        lambda x: (getattr(K, name)(x, axis=[]), getattr(K, name)(x, axis=(), keepdims=True)), array
    ):
        close(value, array)


@pytest.mark.parametrize('name', NAMES)
def test_bad_axes(K, check, name):
    """An axis outside the rank, or one given twice, is an error when the call is made."""
    x = K.placeholder((2, 3))
    for axis in (2, -3, [0, 2], [0, 0], [1, -1]):
        with check.rejects():
            getattr(K, name)(x, axis=axis)


@covers('sum', 'prod', 'any', 'all')
def test_over_nothing(K, check):
    """Over an axis of size 0, a sum is 0, a product 1, `any` false and `all` true."""
    array = np.zeros((2, 0), 'float32')
    x = check.placeholder(array, (1,))
    values = check.run([K.sum(x, axis=1), K.prod(x, axis=1), K.any(x, axis=1), K.all(x, axis=1)], [(x, array)])
    assert [v.tolist() for v in values] == [[0, 0], [1, 1], [False, False], [True, True]]


@covers('logsumexp')
def test_logsumexp_is_stable(K, check):
    """Huge and tiny arguments do not overflow or underflow."""
    array = np.array([[1000.0, 1000.0], [-1000.0, -1000.0], [-1000.0, 0.0], [-np.inf, 1.0], [-np.inf, -np.inf]])
    value = check.eval(lambda x: K.logsumexp(x, axis=1), array.astype('float32'))
    close(value, [1000 + np.log(2), -1000 + np.log(2), 0.0, 1.0, -np.inf])


@covers('var', 'std')
def test_variance_far_from_zero(K, check):
    """A variance around a large mean is not lost by cancellation. It is the biased variance."""
    array = (np.array([1.0, 2.0, 3.0, 4.0]) + 10000).astype('float32')
    values = check.eval(lambda x: (K.var(x), K.std(x)), array)
    close(values[0], 1.25)
    close(values[1], np.sqrt(1.25))


@pytest.mark.parametrize('dtype', FLOATS + ('int32', 'int64'))
@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in sorted(CUMULATIVE)])
def test_cumulative(K, check, name, dtype):
    """Cumulative sums and products run along any axis and keep the dtype."""
    array = (
        integers((2, 3, 4), low=1, high=4, dtype=dtype)
        if dtype.startswith('int')
        else random((2, 3, 4), low=0.5, high=1.5, dtype=dtype)
    )
    x = check.placeholder(array, (0, 1))
    axes = [0, 1, 2, -1, -2]
    outputs = [getattr(K, name)(x)] + [getattr(K, name)(x, axis=axis) for axis in axes]
    for axis, value in zip([0] + axes, check.run(outputs, [(x, array)])):
        assert value.dtype.name == dtype
        close(value, CUMULATIVE[name](array.astype('float64'), axis=axis).astype(dtype), what=f'axis {axis}')


@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in sorted(CUMULATIVE)])
def test_cumulative_forms(K, check, name):
    """Cumulative functions give the same for every form of the argument. An axis outside the rank is an error."""
    array = random((3, 2), dtype='float32')
    check.everywhere(lambda x: getattr(K, name)(x, axis=1), [array], CUMULATIVE[name](array.astype('float64'), axis=1))
    with check.rejects():
        getattr(K, name)(K.placeholder((2, 3)), axis=2)


@pytest.mark.parametrize('dtype', FLOATS + ('int32',))
@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in sorted(ARG)])
def test_arg(K, check, name, dtype):
    """The positions of extremes are int64, along the last axis by default. Of equal elements the first counts."""
    array = integers((2, 3, 5), low=0, high=3).astype(dtype)
    x = check.placeholder(array, (1,))
    axes = [0, 1, 2, -2]
    outputs = [getattr(K, name)(x)] + [getattr(K, name)(x, axis=axis) for axis in axes]
    for axis, value in zip([-1] + axes, check.run(outputs, [(x, array)])):
        assert value.dtype.name == 'int64'
        close(value, ARG[name](array, axis=axis), what=f'axis {axis}')


@pytest.mark.parametrize('name', [pytest.param(name, marks=covers(name)) for name in sorted(ARG)])
def test_arg_forms(K, check, name):
    """Positions are right with infinities, for every form of the argument. An axis outside the rank is an error."""
    array = np.array([[np.inf, 1.0, -np.inf], [-np.inf, -np.inf, np.inf], [0.0, -0.0, 0.0]], 'float32')
    check.everywhere(getattr(K, name), [array], ARG[name](array, axis=-1), dtype='int64')
    with check.rejects():
        getattr(K, name)(K.placeholder((2, 3)), axis=2)


@st.composite
def shape_and_axes(draw):
    """A shape and any set of its axes in any order, some counted from the end."""
    shape = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    axes = draw(st.lists(st.sampled_from(range(len(shape))), unique=True, min_size=1, max_size=len(shape)))
    return tuple(shape), [axis - len(shape) if draw(st.booleans()) else axis for axis in axes]


@given(case=shape_and_axes(), keepdims=st.booleans())
@covers('sum', 'max', 'mean', 'var', 'logsumexp', 'any')
def test_any_axes(K, check, case, keepdims):
    """Reductions over any set of axes are those of NumPy, also over separated axes of high ranks."""
    shape, axes = case
    array = random(shape, dtype='float32')
    x = check.placeholder(array, (0,))
    names = ['sum', 'max', 'mean', 'var', 'logsumexp', 'any']
    values = check.run([getattr(K, name)(x, axis=axes, keepdims=keepdims) for name in names], [(x, array)])
    for name, value in zip(names, values):
        close(value, REDUCTIONS[name](array.astype('float64'), axis=tuple(axes), keepdims=keepdims), scale=1, what=name)


@covers('max', 'min')
@pytest.mark.parametrize('dtype', ['float32', 'float64', 'int32', 'uint8'])
def test_extremes_of_nothing(K, check, dtype):
    """The largest of no numbers is the smallest number there is."""
    limits = (-np.inf, np.inf) if dtype.startswith('float') else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    values = check.eval(
        lambda x: (K.max(x, axis=0), K.min(x, axis=0), K.max(x), K.max(x, axis=0, keepdims=True), K.max(x, axis=1)),
        np.zeros((0, 3), dtype),
    )
    expected = ([limits[0]] * 3, [limits[1]] * 3, limits[0], [[limits[0]] * 3], [])
    for value, extreme in zip(values, expected):
        assert value.dtype.name == dtype
        assert value.tolist() == extreme


@covers('logsumexp')
def test_logsumexp_of_a_list(K, check):
    """A list of tensors is stacked."""
    close(check.run(K.logsumexp([K.constant(1.0), K.constant(2.0)])), np.log(np.exp(1.0) + np.exp(2.0)))


@covers('max', 'min')
@pytest.mark.parametrize('dtype', ['float32', 'float16', 'int32', 'uint8'])
def test_extremes_of_what_is_fed_empty(K, check, dtype):
    """The extreme of nothing is what any number would replace, also where only the run shows that nothing is there."""
    x = K.placeholder((None, 3), dtype=dtype)
    function = K.function([x], [K.max(x, axis=0), K.min(x, axis=0), K.max(x), K.max(x, axis=0, keepdims=True)])
    low, high = (-np.inf, np.inf) if 'float' in dtype else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    values = function([np.zeros((0, 3), dtype)])
    for value, expected in zip(values, (np.full(3, low), np.full(3, high), low, np.full((1, 3), low))):
        assert value.dtype.name == dtype
        assert np.array_equal(value, expected)
    rows = np.array([[1, 2, 3], [3, 1, 2]], dtype)
    all_close(function([rows]), (rows.max(0), rows.min(0), rows.max(), rows.max(0)[None]))


@covers('argmax', 'argmin')
def test_no_place_along_an_empty_axis(K):
    """An axis that is known to be empty has no largest place; the other axes have."""
    x = K.constant(np.zeros((0, 3)))
    for function in (K.argmax, K.argmin):
        with pytest.raises(ValueError, match='axis=0 of x, of shape'):
            function(x, axis=0)
        assert K.int_shape(function(x, axis=1)) == (0,)
