"""Sparse matrices."""

from typing import Any

from ....errors import ShapeError
from ..tensors.graph import check, describe
from ..tensors.tensors import static_shape, used
from ..vendor import tf


def to_dense(x: Any) -> Any:
    check(x)
    # The entries of a tensor that a user feeds or makes may come in any order.
    dense = tf.sparse.to_dense(tf.sparse.reorder(x))
    dense.set_shape(x.shape)
    return dense


def sparse_cast(x: Any, *, dtype: str) -> Any:
    made = tf.cast(x, dtype)
    made.name = describe(made)
    made._keras_shape = static_shape(x)
    return made


def sparse_dot(x: Any, y: Any, *, transpose: bool) -> Any:
    columns, rows = static_shape(x)[0 if transpose else 1], static_shape(y)[0]
    if None not in (columns, rows) and columns != rows:
        raise ShapeError(
            f'{describe(x)} of shape {static_shape(x)} and {describe(y)} of shape {static_shape(y)} cannot be '
            f'multiplied: {columns} entries beside {rows}.'
        )
    return tf.sparse.sparse_dense_matmul(x, y, adjoint_a=transpose)


def sparse_concatenate(*xs: Any, axis: int) -> Any:
    return tf.sparse.concat(axis, [used(x) for x in xs])
