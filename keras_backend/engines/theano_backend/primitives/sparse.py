"""Sparse matrices, of `theano.sparse`."""

from typing import Any

import numpy as np

from .._convert import constant
from .._graph import check
from .._library import T, sparse
from .._sparse import sparse_type
from .._static import dims_of, set_dims

Tensor = Any


def to_dense(x: Tensor) -> Tensor:
    return sparse.dense_from_sparse(check(x))


def sparse_cast(x: Tensor, *, dtype: str) -> Tensor:
    sparse_type(dtype)  # says which ones there are
    return set_dims(sparse.cast(x, dtype), dims_of(x))


def sparse_dot(x: Tensor, y: Tensor, *, transpose: bool) -> Tensor:
    return sparse.dot(sparse.transpose(x) if transpose else x, y)


def sparse_concatenate(*xs: Tensor, axis: int) -> Tensor:
    join = sparse.hstack if axis else sparse.vstack
    return join([check(x) for x in xs], format='csr')


def ctc_sparse(labels: Tensor, lengths: Tensor) -> Tensor:
    inside = T.lt(T.arange(labels.shape[1]).dimshuffle('x', 0), lengths.dimshuffle(0, 'x'))
    rows, columns = T.nonzero(inside)
    ends = T.cumsum(T.cast(T.minimum(lengths, labels.shape[1]), 'int64'))
    starts = T.concatenate([constant(np.zeros(1), 'int64'), ends])
    return sparse.CSR(
        labels[rows, columns], T.cast(columns, 'int32'), T.cast(starts, 'int32'), T.cast(T.shape(labels), 'int32')
    )
