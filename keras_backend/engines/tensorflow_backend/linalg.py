"""Products and lookups."""

from ...errors import ShapeError
from ...shapes import batch_dot_axes, known
from . import _sparse
from ._convert import Variable, operand, static_shape, together
from ._graph import check, describe
from ._library import tf
from .shape import size_of


def dot(x, y):
    if _sparse.is_sparse(x):
        return _sparse_dot(x, y)
    x, y = _numbers(x, y)
    shape_x, shape_y = static_shape(x), static_shape(y)
    if not shape_x or not shape_y:
        raise ShapeError(
            f'K.dot takes tensors of at least one axis, got shapes {shape_x} and {shape_y}; use * for a scalar.'
        )
    contracted = max(len(shape_y) - 2, 0)
    if known(shape_x[-1]) and known(shape_y[contracted]) and shape_x[-1] != shape_y[contracted]:
        raise ShapeError(
            f'K.dot cannot multiply shapes {shape_x} and {shape_y}: the last axis of the first has {shape_x[-1]} '
            f'entries, axis {contracted} of the second has {shape_y[contracted]}.'
        )
    if len(shape_x) == 2 and len(shape_y) == 2:
        return tf.matmul(x, y)
    return tf.tensordot(x, y, [[len(shape_x) - 1], [contracted]])


def _sparse_dot(x, y):
    check(x)
    y = operand(y)
    if y.shape.rank != 2:
        raise ShapeError(f'K.dot of a sparse tensor takes a matrix as its second factor, got shape {static_shape(y)}.')
    return tf.sparse.sparse_dense_matmul(x if x.dtype == y.dtype else tf.cast(x, y.dtype), y)


def _numbers(x, y):
    x, y = together(x, y)
    return (tf.cast(x, tf.int32), tf.cast(y, tf.int32)) if x.dtype == tf.bool else (x, y)


def batch_dot(x, y, axes=None):
    x, y = _numbers(x, y)
    shape_x, shape_y = static_shape(x), static_shape(y)
    axis_x, axis_y = batch_dot_axes(shape_x, shape_y, axes)
    left = [i for i in range(1, len(shape_x)) if i != axis_x]
    right = [i for i in range(1, len(shape_y)) if i != axis_y]
    # As batches of matrices. Two trailing axes are taken in either order, the kernel reads them both ways.
    turn_x = len(left) == 1 and axis_x == 1
    turn_y = len(right) == 1 and axis_y == 2
    a = x if turn_x else _matrices(x, [0] + left + [axis_x], len(left), last=False)
    b = y if turn_y else _matrices(y, [0, axis_y] + right, len(right), last=True)
    if known(shape_x[0]) and known(shape_y[0]):
        product = tf.matmul(a, b, transpose_a=turn_x, transpose_b=turn_y)
    else:
        # This kernel does not broadcast: a batch of one beside a larger one is an error.
        product = tf.raw_ops.BatchMatMul(x=a, y=b, adj_x=turn_x, adj_y=turn_y)
    if len(left) == 1 and len(right) == 1:
        return product
    rest = [size_of(x, i) for i in left] + [size_of(y, i) for i in right] or [1]
    return tf.reshape(product, [size_of(x, 0)] + rest)


def _matrices(x, order, free, last):
    """`x` with its axes in this order and its `free` axes joined to one, which comes last or before the last."""
    if order != list(range(len(order))):
        x = tf.transpose(x, order)
    if free == 1:
        return x
    joined = 1
    for i in range(free):
        joined = joined * size_of(x, i + (2 if last else 1))
    contracted = size_of(x, 1 if last else len(order) - 1)
    return tf.reshape(x, [size_of(x, 0)] + ([contracted, joined] if last else [joined, contracted]))


def transpose(x):
    return tf.transpose(operand(x))


def gather(reference, indices):
    indices = operand(indices)
    if not indices.dtype.is_integer:
        raise TypeError(
            f'K.gather takes integers as indices, got {describe(indices)} of dtype {indices.dtype.name}; K.cast(x, '
            '"int32") makes them.'
        )
    if isinstance(reference, Variable):
        # By way of the variable itself: its gradient is then as sparse as the lookup.
        check(reference)
        return tf.gather(reference, indices)
    return tf.gather(operand(reference), indices)
