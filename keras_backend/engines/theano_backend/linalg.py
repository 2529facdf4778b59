"""Products and lookups."""

from ... import dtypes
from ...errors import ShapeError
from ...shapes import batch_dot_axes, known
from . import _sparse
from ._checks import Within
from ._convert import cast, operand, shape_vector, unified
from ._graph import describe
from ._library import T
from ._static import dims_of, visible
from .shape import sizes_of


def dot(x, y):
    if _sparse.is_sparse(x) or _sparse.is_sparse(y):
        return _sparse.dot(x, y)
    x, y = unified(x, y)
    left, right = dims_of(x), dims_of(y)
    if not left or not right:
        raise ShapeError(
            f'K.dot takes tensors with axes, got shapes {visible(left)} and {visible(right)}; use * with a scalar.'
        )
    meeting = left[-1], right[-2 if len(right) > 1 else 0]
    if known(meeting[0]) and known(meeting[1]) and meeting[0] != meeting[1]:
        raise ShapeError(
            f'K.dot of {describe(x)} of shape {visible(left)} and {describe(y)} of shape {visible(right)}: the last '
            f'axis of the first and the second to last of the second differ ({meeting[0]} and {meeting[1]}).'
        )
    if x.dtype == 'bool':
        x, y = cast(x, 'int32'), cast(y, 'int32')
    if x.type.ndim < 3 and y.type.ndim < 3:
        return T.dot(x, y)
    # One product of matrices, whatever the rank.
    n = sizes_of(x)[-1]
    rows = T.reshape(x, shape_vector([-1, n]), ndim=2) if x.type.ndim > 1 else x
    rest = sizes_of(x)[:-1]
    if y.type.ndim > 2:
        last = y.type.ndim - 2
        columns = y.dimshuffle([last] + [i for i in range(y.type.ndim) if i != last])
        rest, columns = rest + sizes_of(columns)[1:], T.reshape(columns, shape_vector([n, -1]), ndim=2)
    else:
        columns, rest = y, rest + sizes_of(y)[1:]
    return T.reshape(T.dot(rows, columns), shape_vector(rest), ndim=len(rest))


def batch_dot(x, y, axes=None):
    x, y = unified(x, y)
    axis_x, axis_y = batch_dot_axes(visible(dims_of(x)), visible(dims_of(y)), axes)
    if x.dtype == 'bool':
        x, y = cast(x, 'int32'), cast(y, 'int32')
    left = [i for i in range(1, x.type.ndim) if i != axis_x]
    right = [i for i in range(1, y.type.ndim) if i != axis_y]
    # A batch of one is not stretched: the types must not say that it could be.
    x, y = [T.unbroadcast(t, 0, axis) for t, axis in ((x, axis_x), (y, axis_y))]
    if not left and not right:
        return T.sum(T.mul(x, y), axis=[1], keepdims=True, dtype=x.dtype)
    batch, common = sizes_of(x)[0], sizes_of(x)[axis_x]
    rest = [sizes_of(x)[i] for i in left] + [sizes_of(y)[i] for i in right]
    rows = T.reshape(x.dimshuffle([0] + left + [axis_x]), shape_vector([batch, -1, common]), ndim=3)
    columns = T.reshape(
        y.dimshuffle([0, axis_y] + right), shape_vector([sizes_of(y)[0], sizes_of(y)[axis_y], -1]), ndim=3
    )
    product = cast(_batched(T.unbroadcast(rows, 0, 1, 2), T.unbroadcast(columns, 0, 1, 2)), x.dtype)
    return T.reshape(product, shape_vector([batch] + rest), ndim=1 + len(rest))


def _batched(x, y):
    if x.dtype in ('float32', 'float64'):
        return T.blas.BatchedDot()(x, y)
    # Theano has a batched product of these two dtypes only.
    wide = 'float32' if x.dtype == 'float16' else 'int64'
    x, y = cast(x, wide), cast(y, wide)
    products = T.mul(x.dimshuffle(0, 1, 2, 'x'), y.dimshuffle(0, 'x', 1, 2))
    return T.sum(products, axis=[2], dtype=x.dtype)


def transpose(x):
    x = operand(x)
    return x.dimshuffle(list(range(x.type.ndim))[::-1])


def gather(reference, indices):
    reference, indices = operand(reference), operand(indices)
    if not dtypes.is_integer(indices.dtype):
        raise TypeError(f'K.gather takes integers as indices, got {describe(indices)} of dtype {indices.dtype}.')
    if not reference.type.ndim:
        raise ShapeError(f'K.gather takes along axis 0, but {describe(reference)} is a scalar.')
    flat = T.reshape(indices, (-1,), ndim=1) if indices.type.ndim != 1 else indices
    rows = T.subtensor.AdvancedSubtensor1()(reference, Within()(flat, reference.shape[0]))
    if indices.type.ndim == 1:
        return rows
    target = sizes_of(indices) + sizes_of(reference)[1:]
    return T.reshape(rows, shape_vector(target), ndim=len(target))
