"""Products."""

from typing import Any, Tuple

from ....basics.shapes import known
from ....errors import ShapeError
from ..tensors.graph import describe
from ..tensors.tensors import static_shape, widened
from ..vendor import tf


@widened
def tensordot(x: Any, y: Any, *, axes_x: Tuple[int, ...], axes_y: Tuple[int, ...]) -> Any:
    shape_x, shape_y = static_shape(x), static_shape(y)
    for i, j in zip(axes_x, axes_y):
        if known(shape_x[i]) and known(shape_y[j]) and shape_x[i] != shape_y[j]:
            raise ShapeError(
                f'{describe(x)} of shape {shape_x} and {describe(y)} of shape {shape_y} cannot be multiplied: axis {i} '
                f'of the first has {shape_x[i]} entries, axis {j} of the second {shape_y[j]}.'
            )
    if axes_x == (1,) and axes_y == (0,) and len(shape_x) == len(shape_y) == 2:
        return tf.matmul(x, y)
    return tf.tensordot(x, y, [axes_x, axes_y])


@widened
def matmul(x: Any, y: Any, *, transpose_x: bool, transpose_y: bool) -> Any:
    if known(static_shape(x)[0]) and known(static_shape(y)[0]):
        return tf.matmul(x, y, transpose_a=transpose_x, transpose_b=transpose_y)
    # This kernel does not broadcast: a batch of one beside a larger one is an error.
    return tf.raw_ops.BatchMatMul(x=x, y=y, adj_x=transpose_x, adj_y=transpose_y)
