"""Products of tensors, and sparse matrices, which Keras has on TensorFlow and JAX."""

from typing import Any, Callable, Dict, Tuple

from ....errors import ShapeError, UnsupportedByEngine
from ..tensors.dtypes import keeping, storable_dtype
from ..tensors.operations import Dense
from ..vendor import keras
from .wide import of_keras_or_wide as wide

ops = keras.ops
Tensor = Any
_product, _tensordot_of = wide('matmul'), wide('tensordot')


def _tensordot(x: Tensor, y: Tensor, axes_x: Tuple[int, ...], axes_y: Tuple[int, ...]) -> Tensor:
    if axes_x == (len(x.shape) - 1,) and axes_y == (max(len(y.shape) - 2, 0),) and len(y.shape) == 2:
        return _product(x, y)
    return _tensordot_of(x, y, axes=(list(axes_x), list(axes_y)))


def _matmul(x: Tensor, y: Tensor, transpose_x: bool, transpose_y: bool) -> Tensor:
    # ops.matmul would repeat a batch of one.
    check_batches(x, y)
    x = ops.transpose(x, (0, 2, 1)) if transpose_x else x
    y = ops.transpose(y, (0, 2, 1)) if transpose_y else y
    return _product(x, y)


def check_batches(x: Tensor, y: Tensor) -> None:
    """Refuse batches of different sizes."""
    m, n = x.shape[0], y.shape[0]
    if isinstance(m, int) and isinstance(n, int) and m != n:
        raise ShapeError(f'x has {m} samples, and y has {n}.')


def _ctc_sparse(labels: Tensor, lengths: Tensor) -> Tensor:
    raise UnsupportedByEngine(
        'ctc_label_dense_to_sparse',
        'Keras 3',
        'it has no sparse tensors of labels',
        'K.ctc_batch_cost and K.ctc_decode take dense ones.',
    )


PRIMITIVES: Dict[str, Callable[..., Tensor]] = {
    'tensordot': keeping(_tensordot),
    'matmul': keeping(_matmul),
    'ctc_sparse': _ctc_sparse,
    'to_dense': lambda x: Dense()(x),
    'sparse_cast': lambda x, dtype: ops.cast(x, storable_dtype(dtype)),
    'sparse_dot': lambda x, y, transpose: ops.matmul(ops.transpose(x) if transpose else x, y),
    'sparse_concatenate': lambda *xs, axis: ops.concatenate(list(xs), axis=axis),
}
