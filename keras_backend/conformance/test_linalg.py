"""dot, batch_dot, gather: shapes, axes, dtypes, errors."""

import numpy as np
import pytest
from hypothesis import strategies as st

from . import truth
from ._check import FLOATS, all_close, close, covers, given, integers, random
from .truth import batch_axes, batch_dot

DOTS = [
    ((2, 3), (3, 4)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((3,), (3,)),
    ((2, 4, 3), (3, 5)),
    ((2, 3), (4, 3, 5)),
    ((2, 3, 4), (5, 4, 2)),
    ((2, 2, 2, 3), (3, 2)),
    ((2, 4, 3), (3,)),
    ((1, 1), (1, 1)),
    ((3,), (2, 3, 2)),
]


@covers('dot')
@pytest.mark.parametrize('shapes', DOTS, ids=str)
def test_dot(K, check, shapes):
    """`dot` sums over the last axis of x and the second to last (or only) axis of y, for known and unknown shapes."""
    a, b = (random(shape, seed=i, dtype='float32') for i, shape in enumerate(shapes))
    check.everywhere(K.dot, [a, b], np.dot(a.astype('float64'), b.astype('float64')), dtype='float32', scale=3)


@covers('dot')
@pytest.mark.parametrize('dtype', FLOATS + ('int32', 'int64'))
def test_dot_dtypes(K, check, dtype):
    """Products keep the dtype. Integers are exact."""
    a, b = (
        (integers if dtype.startswith('int') else random)(s, seed=i, dtype=dtype)
        for i, s in enumerate([(2, 3), (3, 4)])
    )
    value = check.eval(K.dot, a, b)
    assert value.dtype.name == dtype
    close(value, a.astype('float64').dot(b.astype('float64')).astype(dtype), scale=3)


@covers('dot', 'batch_dot')
@pytest.mark.parametrize(('a', 'b'), [pair for pair in truth.PAIRS if 'bool' not in pair])
def test_mixed_dtypes(K, check, a, b):
    """Factors of different dtypes follow the rules of docs/semantics.md#mixed-dtypes."""
    arrays = np.array([[1, 2], [3, 4]]).astype(a), np.array([[2, 0], [1, 3]]).astype(b)
    values = check.eval(lambda x, y: (K.dot(x, y), K.batch_dot(x, y, axes=1)), *arrays)
    assert [v.dtype.name for v in values] == [truth.promote(a, b)] * 2
    assert [v.tolist() for v in values] == [[[4, 6], [10, 12]], [[2], [15]]]


@covers('dot')
def test_dot_of_batches_of_any_size(K, check):
    """One function takes every batch size, also 0, and placeholders of different batch sizes in one call."""
    x, y, w = K.placeholder((None, 3)), K.placeholder((None, 3)), K.variable(random((3, 2)))
    function = K.function([x, y], [K.dot(x, w), K.dot(y, w), K.dot(x, K.transpose(y))])
    wide = K.get_value(w).astype('float64')
    for m, n in [(2, 5), (1, 1), (7, 2), (0, 3), (2, 5)]:
        a, b = random((m, 3), seed=m, dtype='float32'), random((n, 3), seed=n, dtype='float32')
        all_close(function([a, b]), [a.dot(wide), b.dot(wide), a.dot(b.T)], scale=3)
    assert K.int_shape(K.dot(x, w)) == (None, 2)


@covers('dot')
@pytest.mark.parametrize(
    'shapes', [((2, 3), (4, 5)), ((3,), (4,)), ((2, 3), (3, 2, 4)), ((), (3,)), ((2, 3), ())], ids=str
)
def test_dot_that_does_not_fit(K, check, shapes):
    """Sizes that differ, and scalars, are errors when the call is made."""
    x, y = (K.placeholder(shape) for shape in shapes)
    with check.rejects():
        K.dot(x, y)


BATCH_DOTS = [
    ((3, 4), (3, 4), 1),
    ((3, 4), (3, 4), None),
    ((3, 4), (3, 5, 4), (1, 2)),
    ((3, 4), (3, 4, 5), None),
    ((3, 4), (3, 4, 5), 1),
    ((3, 2, 4), (3, 4), (2, 1)),
    ((3, 2, 4), (3, 4), None),
    ((3, 2, 4), (3, 4, 5), None),
    ((3, 2, 4), (3, 5, 4), 2),
    ((3, 2, 4), (3, 5, 4), (2, 2)),
    ((3, 2, 4), (3, 2, 5), 1),
    ((3, 2, 4), (3, 5, 2), (1, 2)),
    ((3, 2, 4), (3, 4, 5), (-1, 1)),
    ((3, 2, 4), (3, 5, 4), -1),
    ((3, 2, 2, 4), (3, 4, 5), None),
    ((3, 2, 4), (3, 2, 4, 5), (2, 2)),
    ((3, 2, 5, 4), (3, 2, 6, 4), (3, 3)),
    ((3, 2, 5, 4), (3, 4), (3, 1)),
    ((3, 4), (3, 2, 5, 4), (1, 3)),
    ((3, 2, 5, 4), (3, 5, 6, 2), (1, 3)),
    ((3, 20, 1), (3, 30, 20), (1, 2)),
    ((1, 4), (1, 4), 1),
    ((3, 2, 4), (3, 2, 4, 5), None),
    ((3, 4), (3, 2, 4, 2), None),
    ((3, 2, 4), (3, 4, 5), [2, 1]),
    ((3, 1, 4), (3, 4, 1), None),
]


@covers('batch_dot')
@pytest.mark.parametrize(('x_shape', 'y_shape', 'axes'), BATCH_DOTS, ids=lambda value: str(value).replace(' ', ''))
def test_batch_dot(K, check, x_shape, y_shape, axes):
    """Shapes and axes follow the implementation in the documents of Keras."""
    a, b = random(x_shape, seed=1, dtype='float32'), random(y_shape, seed=2, dtype='float32')
    expected = batch_dot(a.astype('float64'), b.astype('float64'), axes)
    check.everywhere(lambda x, y: K.batch_dot(x, y, axes=axes), [a, b], expected, dtype='float32', scale=5)


@covers('batch_dot')
def test_the_documented_batch_dot(K, check):
    """The examples of the documents of Keras: [[17], [53]], and (32, 1, 30)."""
    value = check.run(K.batch_dot(K.constant([[1, 2], [3, 4]]), K.constant([[5, 6], [7, 8]]), axes=1))
    assert value.tolist() == [[17], [53]]
    assert K.int_shape(K.batch_dot(K.ones((32, 20, 1)), K.ones((32, 30, 20)), axes=(1, 2))) == (32, 1, 30)
    assert K.int_shape(K.batch_dot(K.placeholder((None, 4)), K.placeholder((None, 5, 4)), axes=(1, 2))) == (None, 5)


@covers('batch_dot')
@pytest.mark.parametrize(
    ('x_shape', 'y_shape', 'axes'),
    [
        ((3,), (3, 2), None),
        ((3, 2), (3,), None),  # rank below 2
        ((3, 4), (3, 4), 0),
        ((3, 4), (3, 4), (0, 1)),
        ((3, 4), (3, 4), (1, -2)),  # the batch axis
        ((3, 4), (2, 4), 1),
        ((1, 4), (3, 4), 1),
        ((3, 4), (1, 4), 1),  # batch sizes: 1 is not broadcast
        ((3, 4), (3, 5), 1),
        ((3, 2, 4), (3, 3, 5), (2, 1)),  # sizes that differ
        ((3, 2, 4), (3, 2, 4), ((1, 2), (1, 2))),  # several axes
    ],
    ids=lambda value: str(value).replace(' ', ''),
)
def test_batch_dot_refuses(K, check, x_shape, y_shape, axes):
    """What the implementation in the documents refuses is an error when the call is made."""
    x, y = K.placeholder(x_shape), K.placeholder(y_shape)
    with check.rejects():
        K.batch_dot(x, y, axes=axes)


@covers('batch_dot')
def test_batch_sizes_that_differ_in_a_run(K, check):
    """Unknown batch sizes that differ in a run are an error, also 1 and n."""
    x, y = K.placeholder((None, 4)), K.placeholder((None, 4))
    function = K.function([x, y], [K.batch_dot(x, y, axes=1)])
    for m, n in [(2, 3), (1, 3), (3, 1)]:
        with check.fails():
            function([np.ones((m, 4), 'float32'), np.ones((n, 4), 'float32')])


@st.composite
def batch_operands(draw):
    """Two shapes with a common batch size, and axes of equal size."""
    batch, common = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    shapes, axes = [], []
    for _ in range(2):
        shape = [batch] + draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
        axis = draw(st.integers(1, len(shape) - 1))
        shape[axis] = common
        shapes.append(tuple(shape))
        axes.append(axis - len(shape) if draw(st.booleans()) else axis)
    return shapes[0], shapes[1], tuple(axes)


@given(case=batch_operands())
@covers('batch_dot')
def test_any_batch_dot(K, check, case):
    """All ranks and axes follow the implementation in the documents of Keras."""
    x_shape, y_shape, axes = case
    assert batch_axes(len(x_shape), len(y_shape), axes) == tuple(a % len(s) for a, s in zip(axes, (x_shape, y_shape)))
    a, b = random(x_shape, seed=1, dtype='float32'), random(y_shape, seed=2, dtype='float32')
    x, y = check.placeholder(a, (0,)), check.placeholder(b, range(1, b.ndim))
    value = check.run(K.batch_dot(x, y, axes=axes), [(x, a), (y, b)])
    close(value, batch_dot(a.astype('float64'), b.astype('float64'), axes), scale=5)


@given(
    left=st.lists(st.integers(1, 3), max_size=3),
    common=st.integers(1, 4),
    right=st.lists(st.integers(1, 3), max_size=3),
)
@covers('dot')
def test_any_dot(K, check, left, common, right):
    """All ranks follow numpy.dot."""
    a = random(tuple(left) + (common,), seed=1, dtype='float32')
    b = random(tuple(right[:-1]) + (common,) + tuple(right[-1:]), seed=2, dtype='float32')
    x, y = check.placeholder(a, range(len(left))), check.placeholder(b)
    close(check.run(K.dot(x, y), [(x, a), (y, b)]), np.dot(a.astype('float64'), b.astype('float64')), scale=5)


@covers('gather')
@pytest.mark.parametrize('dtype', FLOATS + ('int32', 'bool'))
@pytest.mark.parametrize('index_dtype', ['int32', 'int64'])
def test_gather(K, check, dtype, index_dtype):
    """`gather` takes rows along axis 0. Indices may have any rank and may be repeated."""
    table = integers((4, 3, 2), low=0, high=3).astype(dtype)
    t = check.placeholder(table, (0,))
    for indices in (np.array(2), np.array([3, 0, 0, 1]), np.array([[1, 2], [3, 1]]), np.zeros((2, 1, 2))):
        indices = indices.astype(index_dtype)
        i = check.placeholder(indices, range(indices.ndim))
        value = check.run(K.gather(t, i), [(t, table), (i, indices)])
        assert value.dtype.name == dtype
        close(value, table[indices])


@covers('gather')
def test_gather_forms(K, check):
    """The table may be a variable and the indices a constant, with known or unknown shapes. A vector gives scalars."""
    table, indices = random((4, 3), dtype='float32'), np.array([[1, 3], [0, 0]], 'int32')
    check.everywhere(K.gather, [table, indices], table[indices], dtype='float32')
    check.everywhere(K.gather, [table[:, 0], indices], table[:, 0][indices])


@covers('gather')
@pytest.mark.parametrize('index', [4, -1, 99])
def test_gather_out_of_range(K, check, index):
    """An index out of range, also a negative one, is an error in the run."""
    t, i = K.placeholder((4, 3)), K.placeholder((None,), dtype='int32')
    function = K.function([t, i], [K.gather(t, i)])
    with check.fails():
        function([np.ones((4, 3), 'float32'), np.array([0, index], 'int32')])
