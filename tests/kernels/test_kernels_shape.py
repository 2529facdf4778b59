"""Rearranging and indexing NumPy kernels against NumPy's own functions and loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_backend.kernels import PRIMITIVES, shape, specialize

k = PRIMITIVES
RNG = np.random.RandomState(0)
shapes = st.lists(st.integers(0, 4), min_size=1, max_size=4).map(tuple)


def filled(size):
    return np.arange(int(np.prod(size)), dtype='float32').reshape(size)


@st.composite
def shape_and(draw, *others):
    """A shape, and for each axis a value of `others`."""
    size = draw(shapes)
    return (size,) + tuple([draw(st.tuples(*[other] * len(size))) for other in others])


@given(shape_and(st.integers(0, 3)))
def test_tile(case):
    """As numpy.tile."""
    size, reps = case
    np.testing.assert_array_equal(k['tile'](filled(size), reps), np.tile(filled(size), reps))


@given(shape_and(st.tuples(st.integers(0, 2), st.integers(0, 2))), st.sampled_from([0, 1.5, -np.inf]))
def test_pad(case, value):
    """As numpy.pad."""
    size, widths = case
    np.testing.assert_array_equal(
        k['pad'](filled(size), widths, value), np.pad(filled(size), widths, 'constant', constant_values=value)
    )


@given(shapes, st.integers(0, 3), st.data())
def test_along_an_axis(size, repeats, data):
    """As the functions of NumPy, for every axis."""
    axis = data.draw(st.sampled_from(range(len(size))))
    x, y = filled(size), filled(size) + 100
    np.testing.assert_array_equal(k['repeat'](x, repeats, axis), np.repeat(x, repeats, axis))
    np.testing.assert_array_equal(k['stack'](x, y, axis=axis), np.stack((x, y), axis))
    np.testing.assert_array_equal(k['concatenate'](x, y, x, axis=axis), np.concatenate((x, y, x), axis))
    for new in axis, axis - len(size) - 1:
        np.testing.assert_array_equal(k['expand_dims'](x, new), np.expand_dims(x, new))
    np.testing.assert_array_equal(k['reverse'](x, (axis,)), np.flip(x, axis))


@given(shape_and(st.booleans()), st.lists(st.integers(0, 3), max_size=2))
def test_broadcast_to(case, lead):
    """As numpy.broadcast_to, for every choice of axes of size 1."""
    target, ones = case
    x = filled([1 if one else n for n, one in zip(target, ones)])
    target = tuple(lead) + target
    np.testing.assert_array_equal(k['broadcast_to'](x, target), np.broadcast_to(x, target))


def test_broadcast_to_something_else():
    """Sizes that do not fit are refused, never read out of memory that is not there."""
    for size, target in ((2,), (3,)), ((2, 3), (3,)), ((3, 2), (3, 4)):
        with pytest.raises(ValueError):
            k['broadcast_to'](filled(size), target)


def test_squeeze_of_a_larger_axis():
    """An axis that is not 1 is an error."""
    with pytest.raises(ValueError):
        k['squeeze'](filled((2, 3)), 1)


def test_reshape_and_shape():
    """Sizes as a tuple or a vector, with a -1 in either."""
    x = filled((2, 6))
    for wanted in (3, -1), np.array([3, -1]), np.array([3, 4], 'int32'):
        assert k['shape'](k['reshape'](x, wanted)).tolist() == [3, 4]


SPECS = {
    (1,): np.s_[1],
    (-1, ('slice', 0, 2, None)): np.s_[-1, 0:2],
    (Ellipsis, None, 2): np.s_[..., None, 2],
    (('slice', None, None, -2), Ellipsis, 0): np.s_[::-2, ..., 0],
    (('tensor', 0),): lambda i, j: np.s_[i],
    (Ellipsis, ('tensor', 0)): lambda i, j: np.s_[..., i],
    (('tensor', 0), ('tensor', 1)): lambda i, j: np.s_[i, j],
    (('tensor', 0), None, ('tensor', 1)): lambda i, j: np.s_[i, None, j],
    (('tensor', 0), ('slice', 1, None, None), ('tensor', 1)): lambda i, j: np.s_[i, 1:, j],
    (0, ('tensor', 0), 1): lambda i, j: np.s_[0, i, 1],
}


@pytest.mark.parametrize('spec', list(SPECS), ids=str)
@pytest.mark.parametrize('rank', [0, 1, 2])
def test_getitem_and_its_gradient(spec, rank):
    """As NumPy indexes; the gradient adds what is read from one place several times."""
    x = RNG.randn(3, 3, 3)
    indices = RNG.randint(-3, 3, (5, 2)[:rank]), RNG.randint(0, 3, (5, 2)[:rank])
    index = SPECS[spec](*indices) if callable(SPECS[spec]) else SPECS[spec]
    indices = [np.asarray(i) for i in indices][: str(spec).count('tensor')]
    made = k['getitem'](x, *indices, spec=spec)
    np.testing.assert_array_equal(made, x[index])
    g = RNG.randint(1, 9, np.shape(made)).astype('float64')
    expected = np.zeros_like(x)
    np.add.at(expected, index, g)
    np.testing.assert_array_equal(k['getitem_grad'](np.asarray(g), (3, 3, 3), *indices, spec=spec), expected)
    special = specialize('getitem', (3,) + (rank,) * len(indices), {'spec': spec}, ('float64',) * (1 + len(indices)))
    if special:
        np.testing.assert_array_equal(special(x, *indices), made)


def test_slices_by_numbers_of_the_run():
    """A slice, its gradient, and the error where it sticks out."""
    x = filled((3, 5))
    np.testing.assert_array_equal(k['slice_axis'](x, np.int32(1), np.array(4), 1), x[:, 1:4])
    made = k['slice_axis_grad'](x[:, 1:4], np.array([3, 5]), np.int32(1), 1)
    np.testing.assert_array_equal(made, np.where([[False, True, True, True, False]], x, 0))
    for start, stop in (-1, 2), (3, 2), (0, 6):
        with pytest.raises(IndexError, match='axis 1 of size 5'):
            k['slice_axis'](x, start, stop, 1)


@pytest.mark.parametrize('arguments', [(0, 5, 1), (5, 0, -2), (0, 1, 0.25), (3, 3, 1)])
def test_arange_kernel(arguments):
    """As Python counts."""
    start, stop, step = arguments
    expected = [start + i * step for i in range(100) if (start + i * step - stop) * step < 0]
    made = k['arange'](*[np.array(a) for a in arguments], dtype='float32')
    assert made.tolist() == expected


@pytest.mark.parametrize(('count', 'classes'), [(6, 4), (700, 30)])
def test_one_hot_kernel(count, classes):
    """A row of zeros for an index out of range, whichever way it is made."""
    indices = RNG.randint(-2, classes + 2, (count // 2, 2)).astype('int8')
    expected = [[[float(c == i) for c in range(classes)] for i in pair] for pair in indices.tolist()]
    assert k['one_hot'](indices, classes, 'float32').tolist() == expected


def test_one_hot_of_more_classes_than_the_dtype_counts():
    """300 classes and indices of 8 bits."""
    made = k['one_hot'](np.array([44, 255], 'uint8'), 300, 'float32')
    assert made.sum() == 2
    assert made[0, 44] == made[1, 255] == 1


@pytest.mark.parametrize('dtype', ['int32', 'uint8', 'float32'])
def test_gather_kernel(dtype):
    """Entries along the first axis, for indices of any rank and memory order."""
    x = filled((4, 2, 3))
    for indices in np.array(2), np.array([3, 0, 0]), np.array([[1, 2], [3, 1]]), np.zeros((0, 2)):
        for source in x, x.transpose(0, 2, 1):
            expected = [source[int(i)] for i in indices.ravel()]
            made = k['gather'](source, indices.astype(dtype))
            np.testing.assert_array_equal(made, np.reshape(expected, indices.shape + source.shape[1:]))


@pytest.mark.parametrize('wrong', [-1, 4, 100])
@pytest.mark.parametrize('kernel', ['gather', 'scatter_add'])
def test_indices_out_of_range(kernel, wrong):
    """The message names the index, its place, the size and what is possible."""
    indices = np.array([[0, 3], [wrong, 1]])
    arguments = (filled((4, 2)), indices) if kernel == 'gather' else (indices, np.zeros((2, 2, 5)), 4)
    place = r'\[1, 0\]'
    said = f'Index {wrong} is out of range for an axis of size 4; possible are 0 to 3. It is the entry {place} of'
    with pytest.raises(IndexError, match=said):
        k[kernel](*arguments)
    with pytest.raises(IndexError, match='none at all'):
        k['gather'](filled((0, 2)), np.array(wrong))


@pytest.mark.parametrize(
    ('count', 'width', 'size'),
    [
        (5, 3, 4),
        (300, 1, 7),
        (300, 8, 1000),
        (300, 40, 7),
        (300, 40, 1000),
        (300, 40, 1),
        (100, 0, 4),
        (0, 40, 3),
        (0, 2, 0),
    ],
)
@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64', 'int32', 'int64'])
def test_scatter_add(count, width, size, dtype):
    """Few or many equal indices, narrow or wide rows: what a loop adds up."""
    indices = (RNG.rand(count) ** 3 * size).astype('int32')
    updates = RNG.randint(-9, 9, (count, width)).astype(dtype)
    expected = np.zeros((size, width), dtype)
    for i, row in zip(indices, updates):
        expected[i] += row
    np.testing.assert_array_equal(k['scatter_add'](indices, updates, np.int32(size)), expected)
    if count % 2 == 0:
        pairs = (2, count // 2)
        made = k['scatter_add'](indices.reshape(pairs), updates.reshape(pairs + (width,)), size)
        np.testing.assert_array_equal(made, expected)


def test_scatter_add_of_one_index():
    """An index without axes, and integers beyond what floats hold."""
    big = np.array([2**60 + 1, 1])
    assert k['scatter_add'](np.array(1), big, 3).tolist() == [[0, 0], big.tolist(), [0, 0]]
    assert shape.scatter_add(np.array([0, 0]), big, 1).tolist() == [2**60 + 2]
