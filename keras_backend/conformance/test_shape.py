"""Functions that move, repeat, join and cut."""

import numpy as np
import pytest
from hypothesis import strategies as st

from ._check import FLOATS, all_close, calling, close, covers, given, integers, random

DTYPES = FLOATS + ('int32', 'int64', 'bool')


def numbers(shape, dtype, seed=0):
    if dtype == 'bool':
        return np.random.RandomState(seed).rand(*shape) < 0.5
    return (random if dtype in FLOATS else integers)(shape, seed=seed, dtype=dtype)


# name -> (K names covered, expression of K and one tensor, the same of NumPy) on a tensor of shape (2, 3, 4)
CASES = {
    'reshape': ('reshape', calling('reshape', (4, 6)), lambda x: x.reshape(4, 6)),
    'reshape -1': ('reshape', calling('reshape', (-1, 2, 4)), lambda x: x.reshape(3, 2, 4)),
    'reshape None': ('reshape', calling('reshape', (2, None)), lambda x: x.reshape(2, 12)),
    'reshape list': ('reshape', calling('reshape', [24]), lambda x: x.reshape(24)),
    'reshape to rank 6': ('reshape', calling('reshape', (1, 2, 1, 3, 4, 1)), lambda x: x.reshape(1, 2, 1, 3, 4, 1)),
    'permute': ('permute_dimensions', calling('permute_dimensions', (0, 2, 1)), lambda x: x.transpose(0, 2, 1)),
    'permute list': ('permute_dimensions', calling('permute_dimensions', [2, 0, 1]), lambda x: x.transpose(2, 0, 1)),
    'transpose': ('transpose', calling('transpose'), lambda x: x.T),
    'flatten': ('flatten', calling('flatten'), lambda x: x.reshape(-1)),
    'batch_flatten': ('batch_flatten', calling('batch_flatten'), lambda x: x.reshape(2, 12)),
    'expand last': ('expand_dims', calling('expand_dims'), lambda x: x[..., None]),
    'expand 0': ('expand_dims', calling('expand_dims', axis=0), lambda x: x[None]),
    'expand 1': ('expand_dims', calling('expand_dims', 1), lambda x: x[:, None]),
    'expand -2': ('expand_dims', calling('expand_dims', -2), lambda x: x[:, :, None]),
    'expand -4': ('expand_dims', calling('expand_dims', -4), lambda x: x[None]),
    'squeeze': ('squeeze', lambda K, x: K.squeeze(x[:, :1], 1), lambda x: x[:, 0]),
    'squeeze negative': ('squeeze', lambda K, x: K.squeeze(x[:, :, 1:2], -1), lambda x: x[:, :, 1]),
    'squeeze first': ('squeeze', lambda K, x: K.squeeze(x[1:], 0), lambda x: x[1]),
    'repeat_elements 0': ('repeat_elements', calling('repeat_elements', 2, axis=0), lambda x: x.repeat(2, 0)),
    'repeat_elements 1': ('repeat_elements', calling('repeat_elements', 3, axis=1), lambda x: x.repeat(3, 1)),
    'repeat_elements -1': ('repeat_elements', calling('repeat_elements', 2, axis=-1), lambda x: x.repeat(2, 2)),
    'repeat_elements once': ('repeat_elements', calling('repeat_elements', 1, axis=1), lambda x: x),
    'tile list': ('tile', calling('tile', [2, 1, 3]), lambda x: np.tile(x, [2, 1, 3])),
    'tile tuple': ('tile', calling('tile', (1, 2, 1)), lambda x: np.tile(x, [1, 2, 1])),
    'tile int': ('tile', calling('tile', 2), lambda x: np.tile(x, [1, 1, 2])),
    'tile shorter': ('tile', calling('tile', [3]), lambda x: np.tile(x, [1, 1, 3])),
    'reverse int': ('reverse', calling('reverse', 1), lambda x: x[:, ::-1]),
    'reverse list': ('reverse', calling('reverse', [0, 2]), lambda x: x[::-1, :, ::-1]),
    'reverse negative': ('reverse', calling('reverse', (-1,)), lambda x: x[..., ::-1]),
    'slice': ('slice', calling('slice', [0, 1, 1], [2, 2, 2]), lambda x: x[:, 1:3, 1:3]),
    'slice tuple': ('slice', calling('slice', (1, 0, 3), (1, 3, 1)), lambda x: x[1:2, :, 3:]),
    'slice to the end': ('slice', calling('slice', [0, 1, 0], [-1, -1, 2]), lambda x: x[:, 1:, :2]),
    'concatenate': (
        'concatenate',
        lambda K, x: K.concatenate([x, x[:, :, :1]]),
        lambda x: np.concatenate([x, x[:, :, :1]], -1),
    ),
    'concatenate 0': ('concatenate', lambda K, x: K.concatenate([x, x], axis=0), lambda x: np.concatenate([x, x], 0)),
    'concatenate -2': (
        'concatenate',
        lambda K, x: K.concatenate([x, x[:, 1:], x], axis=-2),
        lambda x: np.concatenate([x, x[:, 1:], x], 1),
    ),
    'concatenate one': ('concatenate', lambda K, x: K.concatenate([x]), lambda x: x),
    'stack': ('stack', lambda K, x: K.stack([x, x]), lambda x: np.stack([x, x])),
    'stack last': ('stack', lambda K, x: K.stack([x, x, x], axis=-1), lambda x: np.stack([x, x, x], -1)),
    'stack 1': ('stack', lambda K, x: K.stack([x, x], axis=1), lambda x: np.stack([x, x], 1)),
    'stack -2': ('stack', lambda K, x: K.stack([x, x], axis=-2), lambda x: np.stack([x, x], -2)),
    'temporal_padding': (
        'temporal_padding',
        calling('temporal_padding'),
        lambda x: np.pad(x, [(0, 0), (1, 1), (0, 0)], 'constant'),
    ),
    'temporal_padding left': (
        'temporal_padding',
        calling('temporal_padding', (2, 0)),
        lambda x: np.pad(x, [(0, 0), (2, 0), (0, 0)], 'constant'),
    ),
}
PARAMS = [pytest.param(name, marks=covers(CASES[name][0])) for name in sorted(CASES)]


@pytest.mark.parametrize('name', PARAMS)
def test_forms(K, check, name):
    """Values and static shape are right for every form of the argument, with any axis unknown."""
    array = random((2, 3, 4), dtype='float32')
    check.everywhere(lambda x: CASES[name][1](K, x), [array], CASES[name][2](array), dtype='float32')


@pytest.mark.parametrize('dtype', [d for d in DTYPES if d != 'float32'])
def test_dtypes(K, check, dtype):
    """Functions that move numbers keep their dtype."""
    names = sorted(name for name in CASES if not (dtype == 'bool' and CASES[name][0] == 'temporal_padding'))
    missing = [n for n in names if K._engine.origins[CASES[n][0]] == 'missing']
    names = [n for n in names if n not in missing]
    array = numbers((2, 3, 4), dtype)
    x = check.placeholder(array, (0,))
    for name, value in zip(names, check.run([CASES[n][1](K, x) for n in names], [(x, array)])):
        assert value.dtype.name == dtype, name
        close(value, CASES[name][2](array), what=name)


@covers('transpose')
def test_transpose_of_any_rank(K, check):
    """`transpose` reverses all axes, for ranks 0 to 4."""
    arrays = [random((2, 3, 4, 5)[:rank], dtype='float32') for rank in range(5)]
    feeds = [(check.placeholder(a), a) for a in arrays]
    for array, value in zip(arrays, check.run([K.transpose(p) for p, _ in feeds], feeds)):
        close(value, array.T)


@covers('repeat')
def test_repeat(K, check):
    """(samples, dim) becomes (samples, n, dim). Other ranks are errors."""
    array = random((2, 3), dtype='float32')
    check.everywhere(lambda x: K.repeat(x, 4), [array], np.repeat(array[:, None], 4, 1))
    for rank in (1, 3):
        with check.rejects():
            K.repeat(K.placeholder(ndim=rank), 2)


@covers('flatten', 'batch_flatten')
def test_flatten_any_rank(K, check):
    """`flatten` gives rank 1, `batch_flatten` (batch, -1)."""
    arrays = [random((2, 3, 1, 2)[:rank], dtype='float32') for rank in range(1, 5)]
    feeds = [(check.placeholder(a, (0,)), a) for a in arrays]
    outputs = [K.flatten(p) for p, _ in feeds] + [K.batch_flatten(p) for p, _ in feeds[1:]]
    truths = [a.reshape(-1) for a in arrays] + [a.reshape(2, -1) for a in arrays[1:]]
    all_close(check.run(outputs, feeds), truths)
    assert K.int_shape(outputs[-1]) == (None, 6)


@covers('reshape', 'shape')
def test_reshape_by_symbolic_sizes(K, check):
    """K.shape(x)[i] and arithmetic on it may be sizes, and a tensor may be the whole shape."""
    array = random((2, 3, 4), dtype='float32')
    x = check.placeholder(array, (0, 1))
    s = K.shape(x)
    outputs = [
        K.reshape(x, (s[0], -1)),
        K.reshape(x, (s[0] * s[1], 4)),
        K.reshape(x, [s[1], s[0], s[2]]),
        K.reshape(x, K.stack([s[0], s[1] * s[2]])),
        K.reshape(x, (-1, s[1] * 4)),
        K.reshape(x, K.concatenate([s[:1], K.constant([12], dtype='int32')])),
    ]
    truths = [array.reshape(*shape) for shape in [(2, 12), (6, 4), (3, 2, 4), (2, 12), (2, 12), (2, 12)]]
    all_close(check.run(outputs, [(x, array)]), truths)


@covers('reshape')
def test_reshape_that_does_not_fit(K, check):
    """A known size that does not fit, and two unknown sizes, are errors in the call. Other sizes fail in the run."""
    for shape in [(5, 2), (-1, 5), (-1, -1), (None, -1, 2)]:
        with check.rejects():
            K.reshape(K.placeholder((2, 3)), shape)
    x = K.placeholder((None, 3))
    function = K.function([x], [K.reshape(x, (2, 3))])
    with check.fails():
        function([np.zeros((3, 3), 'float32')])


@covers('reshape', 'zeros', 'ones', 'constant', 'random_normal', 'random_uniform', 'tile', 'slice')
def test_arrays_of_sizes(K):
    """A NumPy array is accepted as a shape or as a list of counts, like a tuple."""
    shape = np.array([2, 3])
    array = random((3, 2), dtype='float32')
    shaped = [
        K.zeros(shape),
        K.ones(shape),
        K.reshape(K.constant(array), shape),
        K.constant(1.5, shape=shape),
        K.random_normal(shape),
        K.random_uniform(shape),
        K.reshape(K.constant(array), np.array([-1, 3])),
    ]
    assert [K.int_shape(t) for t in shaped] == [(2, 3)] * len(shaped)
    for tensor, expected in zip(shaped, [np.zeros((2, 3)), np.ones((2, 3)), array.reshape(2, 3), np.full((2, 3), 1.5)]):
        close(K.eval(tensor), expected)
    close(K.eval(K.tile(K.constant(array), shape)), np.tile(array, (2, 3)))
    close(K.eval(K.slice(K.constant(array), np.array([1, 0]), np.array([2, 1]))), array[1:, :1])


@covers('tile', 'shape', 'slice')
def test_symbolic_counts(K, check):
    """`tile` and `slice` take sizes from K.shape."""
    array = random((2, 3), dtype='float32')
    x = check.placeholder(array, (0, 1))
    s = K.shape(x)
    i = K.placeholder((), dtype='int32')
    outputs = [
        K.tile(x, [s[0], 1]),
        K.tile(x, K.stack([s[1], s[0]])),
        K.slice(x, [0, 1], [s[0], s[1] - 1]),
        K.slice(x, K.constant([1, 0], dtype='int32'), K.stack([s[0] - 1, s[1]])),
        K.slice(x, [0, i], [-1, 1]),
    ]
    truths = [np.tile(array, [2, 1]), np.tile(array, [3, 2]), array[:, 1:], array[1:], array[:, 2:]]
    all_close(check.run(outputs, [(x, array), (i, np.array(2))]), truths)


@covers('squeeze')
def test_squeeze_of_an_unknown_axis(K, check):
    """An unknown size is taken for 1, and a run with another size is an error. So is a known size other than 1."""
    x = K.placeholder((None, 3))
    function = K.function([x], [K.squeeze(x, 0)])
    close(function([np.ones((1, 3), 'float32')])[0], np.ones(3))
    with check.fails():
        function([np.ones((2, 3), 'float32')])
    with check.rejects():
        K.squeeze(K.placeholder((2, 3)), 0)


@covers('expand_dims', 'squeeze', 'concatenate', 'stack', 'repeat_elements', 'reverse', 'permute_dimensions')
def test_axes_outside_the_rank(K, check):
    """An axis that does not exist is an error when the call is made."""
    x = K.placeholder((2, 1))
    for build in (
        lambda: K.expand_dims(x, 4),
        lambda: K.squeeze(x, 2),
        lambda: K.concatenate([x, x], axis=2),
        lambda: K.stack([x, x], axis=3),
        lambda: K.repeat_elements(x, 2, axis=2),
        lambda: K.reverse(x, 2),
        lambda: K.permute_dimensions(x, (0, 2)),
        lambda: K.permute_dimensions(x, (0, 0)),
        lambda: K.permute_dimensions(x, (0,)),
    ):
        with check.rejects():
            build()


@covers('concatenate')
def test_concatenate(K, check):
    """Unknown and known sizes can be joined. The result has the wider dtype. Parts of size 0 add nothing."""
    a, b = random((2, 3), seed=1, dtype='float32'), random((2, 2), seed=2, dtype='float32')
    check.everywhere(lambda x, y: K.concatenate([x, y], axis=1), [a, b], np.concatenate([a, b], 1))
    ints, empty = np.array([[1], [2]], 'int32'), np.zeros((2, 0), 'float32')
    x, n, e = check.placeholder(a), check.placeholder(ints), check.placeholder(empty, (1,))
    values = check.run([K.concatenate([x, n]), K.concatenate([e, x])], [(x, a), (n, ints), (e, empty)])
    close(values[0], np.concatenate([a, ints], 1).astype('float32'))
    close(values[1], a)
    assert values[0].dtype.name == 'float32'


@covers('concatenate', 'stack')
def test_joining_what_does_not_fit(K, check):
    """Ranks that differ, or known sizes that differ on another axis, are errors when the call is made."""
    for build in (
        lambda: K.concatenate([K.placeholder((2, 3)), K.placeholder((3, 3))], axis=1),
        lambda: K.concatenate([K.placeholder((2, 3)), K.placeholder((2, 3, 1))], axis=1),
        lambda: K.stack([K.placeholder((2, 3)), K.placeholder((2, 4))]),
    ):
        with check.rejects():
            build()


@covers('one_hot')
@pytest.mark.parametrize('dtype', ['int32', 'int64'])
def test_one_hot(K, check, dtype):
    """Integers of any rank get one more axis, with dtype floatx. An index out of range gives a row of zeros."""
    array = integers((2, 3), low=0, high=4, dtype=dtype)
    check.everywhere(lambda i: K.one_hot(i, 4), [array], np.eye(4)[array], dtype='float32')
    check.everywhere(
        lambda i: K.one_hot(i, 3), [np.array([0, 5, -1, 2], dtype)], [[1, 0, 0], [0] * 3, [0] * 3, [0, 0, 1]]
    )
    K.set_floatx('float64')
    assert check.eval(lambda i: K.one_hot(i, 4), np.array(2, dtype)).dtype.name == 'float64'


SPATIAL = {2: 'spatial_2d_padding', 3: 'spatial_3d_padding'}


@pytest.mark.parametrize('data_format', ['channels_last', 'channels_first', None])
@pytest.mark.parametrize('rank', [pytest.param(rank, marks=covers(name)) for rank, name in SPATIAL.items()])
def test_spatial_padding(K, check, rank, data_format):
    """Zeros are put around the spatial axes, as many on each side as the call says."""
    pad = getattr(K, SPATIAL[rank])
    array = random((2, 2, 3, 1, 2)[: rank + 2], dtype='float32')
    for padding in (((1, 1),) * rank, ((0, 2), (1, 0), (2, 1))[:rank]):
        first = data_format == 'channels_first'
        widths = [(0, 0)] + [(0, 0)] * first + list(padding) + [(0, 0)] * (not first)
        check.everywhere(
            lambda x, padding=padding: pad(x, padding, data_format),
            [array],
            np.pad(array, widths, 'constant'),
            dtype='float32',
        )
    widths = [(0, 0)] + [(1, 1)] * rank + [(0, 0)]
    close(check.eval(pad, array), np.pad(array, widths, 'constant'))
    with check.rejects('channels_middle'):
        pad(K.placeholder(ndim=rank + 2), data_format='channels_middle')


@st.composite
def permuted(draw):
    shape = draw(st.lists(st.integers(1, 3), min_size=1, max_size=6))
    return tuple(shape), draw(st.permutations(range(len(shape))))


@given(case=permuted())
@covers('permute_dimensions', 'reverse')
def test_any_permutation(K, check, case):
    """Any permutation of up to six axes, and any reversal of axes, is that of NumPy."""
    shape, pattern = case
    array = random(shape, dtype='float32')
    x = check.placeholder(array, (0,))
    half = pattern[: len(pattern) // 2]
    values = check.run([K.permute_dimensions(x, pattern), K.reverse(x, half)], [(x, array)])
    close(values[0], array.transpose(pattern))
    close(values[1], np.flip(array, tuple(half)))


@given(shape=st.lists(st.integers(1, 4), min_size=1, max_size=4), data=st.data())
@covers('reshape', 'tile', 'slice', 'stack')
def test_any_shape(K, check, shape, data):
    """Reshaping, tiling, slicing and stacking of any shape is that of NumPy."""
    array = random(tuple(shape), dtype='float32')
    target = data.draw(st.permutations(shape))
    repeats = data.draw(st.lists(st.integers(1, 3), min_size=len(shape), max_size=len(shape)))
    start = [data.draw(st.integers(0, n - 1)) for n in shape]
    size = [data.draw(st.integers(1, n - s)) for n, s in zip(shape, start)]
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    x = check.placeholder(array, (0,))
    outputs = [K.reshape(x, target), K.tile(x, repeats), K.slice(x, start, size), K.stack([x, x], axis=axis)]
    index = tuple(slice(s, s + n) for s, n in zip(start, size))
    truths = [array.reshape(target), np.tile(array, repeats), array[index], np.stack([array, array], axis)]
    all_close(check.run(outputs, [(x, array)]), truths)


@covers('reshape', 'zeros')
def test_sizes_are_integers(K):
    """A tensor in a shape holds one integer; a fraction is no size, and neither is a vector."""
    x = K.constant(np.ones((2, 3)))
    for size in (K.constant(0.5), K.constant([2, 3], dtype='int32')):
        with pytest.raises(TypeError, match=r'K.reshape: .* is no integer'):
            K.reshape(x, (size, 3))
    with pytest.raises(TypeError, match='K.zeros: an array of shape .* is no integer; a shape consists of'):
        K.zeros((np.array(['a', 'b']), 3))
    assert K.int_shape(K.reshape(x, (K.constant([3], dtype='int32'), 2))) == (3, 2)
