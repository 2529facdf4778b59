"""Sparse matrices: Keras has them on TensorFlow and JAX."""

from typing import Any, Callable, Dict

from ....errors import UnsupportedByEngine
from ..tensors.dtypes import storable_dtype
from ..tensors.operations import Dense
from ..vendor import keras

ops = keras.ops
Tensor = Any


def _ctc_sparse(labels: Tensor, lengths: Tensor) -> Tensor:
    raise UnsupportedByEngine(
        'ctc_label_dense_to_sparse',
        'Keras 3',
        'it has no sparse tensors of labels',
        'K.ctc_batch_cost and K.ctc_decode take dense ones.',
    )


def _to_dense(x: Tensor) -> Tensor:
    return Dense()(x)


def _sparse_cast(x: Tensor, dtype: str) -> Tensor:
    return ops.cast(x, storable_dtype(dtype))


def _sparse_dot(x: Tensor, y: Tensor, transpose: bool) -> Tensor:
    return ops.matmul(ops.transpose(x) if transpose else x, y)


def _sparse_concatenate(*xs: Tensor, axis: int) -> Tensor:
    return ops.concatenate(list(xs), axis=axis)


PRIMITIVES: Dict[str, Callable[..., Tensor]] = {
    'ctc_sparse': _ctc_sparse,
    'to_dense': _to_dense,
    'sparse_cast': _sparse_cast,
    'sparse_dot': _sparse_dot,
    'sparse_concatenate': _sparse_concatenate,
}
