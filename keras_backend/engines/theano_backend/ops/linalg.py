"""Products and lookups, and sparse matrices."""

from typing import Any, List, Tuple

import numpy as np

from ..graph.sizes import sizes_of, vector
from ..graph.tensors import cast, constant, sparse_type
from ..library import T, sparse
from .in_a_run import Within

Tensor = Any


def tensordot(x: Tensor, y: Tensor, *, axes_x: Tuple[int, ...], axes_y: Tuple[int, ...]) -> Tensor:
    rows = [i for i in range(x.type.ndim) if i not in axes_x]
    columns = [i for i in range(y.type.ndim) if i not in axes_y]
    left, right = _ordered(x, [*rows, *axes_x]), _ordered(y, [*axes_y, *columns])
    if len(axes_x) == 1 and x.type.ndim < 3 and y.type.ndim < 3:
        return T.dot(left, right)
    # One product of matrices, whatever the rank.
    here, there = sizes_of(left), sizes_of(right)
    rest = here[: len(rows)] + there[len(axes_y) :]
    summed: Any = 1
    for n in here[len(rows) :]:
        summed = n * summed
    left = _flat(left, [-1, summed] if rows else [summed])
    right = _flat(right, [summed, -1] if columns else [summed])
    return T.reshape(T.dot(left, right), vector(rest), ndim=len(rest))


def _ordered(x: Tensor, order: List[int]) -> Tensor:
    return x if order == list(range(len(order))) else x.dimshuffle(order)


def _flat(x: Tensor, shape: List[Any]) -> Tensor:
    return x if x.type.ndim == len(shape) else T.reshape(x, vector(shape), ndim=len(shape))


def matmul(x: Tensor, y: Tensor, *, transpose_x: bool, transpose_y: bool) -> Tensor:
    x = x.dimshuffle(0, 2, 1) if transpose_x else x
    y = y.dimshuffle(0, 2, 1) if transpose_y else y
    # A batch of one is not stretched: the types must not say that it could be.
    x, y = T.unbroadcast(x, 0, 1, 2), T.unbroadcast(y, 0, 1, 2)
    if x.dtype in ('float32', 'float64'):
        return T.blas.BatchedDot()(x, y)
    # Theano has a batched product of these two dtypes only.
    wide = 'float32' if x.dtype == 'float16' else 'int64'
    products = T.mul(cast(x, wide).dimshuffle(0, 1, 2, 'x'), cast(y, wide).dimshuffle(0, 'x', 1, 2))
    return cast(T.sum(products, axis=[2], dtype=wide), x.dtype)


def nonzero(x: Tensor) -> Tensor:
    return cast(T.nonzero(x)[0], 'int64')


def gather(x: Tensor, indices: Tensor) -> Tensor:
    flat = T.reshape(indices, (-1,), ndim=1) if indices.type.ndim != 1 else indices
    rows = T.subtensor.AdvancedSubtensor1()(x, Within()(flat, T.shape(x)[0]))
    if indices.type.ndim == 1:
        return rows
    target = sizes_of(indices) + sizes_of(x)[1:]
    return T.reshape(rows, vector(target), ndim=len(target))


# -- sparse matrices, of `theano.sparse` -------------------------------------------------------------------------------
def to_dense(x: Tensor) -> Tensor:
    return sparse.dense_from_sparse(x)


def sparse_cast(x: Tensor, *, dtype: str) -> Tensor:
    sparse_type(dtype)  # says which ones there are
    return sparse.cast(x, dtype)


def sparse_dot(x: Tensor, y: Tensor, *, transpose: bool) -> Tensor:
    return sparse.dot(sparse.transpose(x) if transpose else x, y)


def sparse_concatenate(*xs: Tensor, axis: int) -> Tensor:
    join = sparse.hstack if axis else sparse.vstack
    return join(list(xs), format='csr')


def ctc_sparse(labels: Tensor, lengths: Tensor) -> Tensor:
    shape = T.shape(labels)
    inside = T.lt(T.arange(shape[1]).dimshuffle('x', 0), lengths.dimshuffle(0, 'x'))
    rows, columns = T.nonzero(inside)
    ends = T.cumsum(T.cast(T.minimum(lengths, shape[1]), 'int64'))
    starts = T.concatenate([constant(np.zeros(1), 'int64'), ends])
    read = T.TensorVariable.__getitem__(labels, (rows, columns))
    return sparse.CSR(read, T.cast(columns, 'int32'), T.cast(starts, 'int32'), T.cast(shape, 'int32'))
