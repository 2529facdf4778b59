"""Products and lookups."""

from typing import Any, List, Tuple

from ....errors import ShapeError
from ....shapes import known
from .._checks import Within
from .._convert import cast
from .._graph import describe
from .._library import T
from .._sizes import sizes_of, vector
from .._static import dims_of, visible

Tensor = Any


def tensordot(x: Tensor, y: Tensor, *, axes_x: Tuple[int, ...], axes_y: Tuple[int, ...]) -> Tensor:
    for i, j in zip(axes_x, axes_y):
        m, n = dims_of(x)[i], dims_of(y)[j]
        if known(m) and known(n) and m != n:
            raise ShapeError(
                f'{describe(x)} of shape {visible(dims_of(x))} and {describe(y)} of shape {visible(dims_of(y))} do '
                f'not fit: axis {i} of the first and axis {j} of the second differ ({m} and {n}).'
            )
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
    rows = T.subtensor.AdvancedSubtensor1()(x, Within()(flat, x.shape[0]))
    if indices.type.ndim == 1:
        return rows
    target = sizes_of(indices) + sizes_of(x)[1:]
    return T.reshape(rows, vector(target), ndim=len(target))
