"""Products."""

from typing import Any, Callable, Dict, Tuple

from ..tensors.dtypes import keeping
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
    from ....errors import ShapeError

    m, n = x.shape[0], y.shape[0]
    if isinstance(m, int) and isinstance(n, int) and m != n:
        raise ShapeError(f'x has {m} samples, and y has {n}.')


PRIMITIVES: Dict[str, Callable[..., Tensor]] = {'tensordot': keeping(_tensordot), 'matmul': keeping(_matmul)}
