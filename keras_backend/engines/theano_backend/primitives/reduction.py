"""Reductions and running sums."""

from typing import Any, Tuple

from .._convert import cast, constant, is_tensor
from .._extremes import Highest, Lowest
from .._library import T, disconnected_grad
from .._recurrence import Product, recur
from .._sizes import size_of

Tensor = Any
Axes = Tuple[int, ...]


def _kept(x: Tensor, y: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    """`y`, which is `x` reduced, with an axis of size 1 in place of each reduced one if asked for."""
    if not keepdims:
        return y
    kept = iter(range(y.type.ndim))
    return y.dimshuffle(['x' if i in axes else next(kept) for i in range(x.type.ndim)])


def sum(x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    return T.sum(x, axis=list(axes), dtype=x.dtype, keepdims=keepdims)


def prod(x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    return _kept(x, Product(list(axes), dtype=x.dtype)(x), axes, keepdims)


def mean(x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    dtype, count = x.dtype, 1
    # Many small numbers overflow in half precision.
    x = cast(x, 'float32') if dtype == 'float16' else x
    for axis in axes:
        count = size_of(x, axis) * count
    total = T.sum(x, axis=list(axes), dtype=x.dtype, keepdims=keepdims)
    return cast(T.true_div(total, cast(count, x.dtype) if is_tensor(count) else constant(count, x.dtype)), dtype)


def max(x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    return _kept(x, Highest(list(axes))(x), axes, keepdims)


def min(x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    return _kept(x, Lowest(list(axes))(x), axes, keepdims)


def any(x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    return _kept(x, T.any(x, axis=list(axes)), axes, keepdims)


def all(x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    return _kept(x, T.all(x, axis=list(axes)), axes, keepdims)


def argmax(x: Tensor, *, axis: int) -> Tensor:
    return T.argmax(cast(x, 'int8') if x.dtype == 'bool' else x, axis=axis)


def argmin(x: Tensor, *, axis: int) -> Tensor:
    return T.argmax(T.neg(cast(x, 'int8') if x.dtype == 'bool' else x), axis=axis)


def cumsum(x: Tensor, *, axis: int) -> Tensor:
    # NumPy, which Theano calls, sums integers and half precision in other dtypes than their own.
    wide = x if x.dtype in ('float32', 'float64', 'int64') else cast(x, 'float32' if x.dtype == 'float16' else 'int64')
    return cast(T.extra_ops.cumsum(wide, axis=axis), x.dtype)


def cumprod(x: Tensor, *, axis: int) -> Tensor:
    # Theano's own divides by the factors in its gradient.
    first = T.eq(T.arange(x.shape[axis]), constant(0, 'int64')).dimshuffle(
        ['x'] * axis + [0] + ['x'] * (x.type.ndim - axis - 1)
    )
    return recur(x, T.switch(first, x, constant(0, x.dtype)), axis)


def softmax(x: Tensor, *, axis: int) -> Tensor:
    if x.type.ndim == 2 and axis == 1 and x.dtype != 'float16':
        return T.nnet.softmax(x)
    raised = T.exp(_lowered(x, axis))
    return raised / T.sum(raised, axis=[axis], dtype=x.dtype, keepdims=True)


def log_softmax(x: Tensor, *, axis: int) -> Tensor:
    lowered = _lowered(x, axis)
    return lowered - T.log(T.sum(T.exp(lowered), axis=[axis], dtype=x.dtype, keepdims=True))


def _lowered(x: Tensor, axis: int) -> Tensor:
    """`x` without its maximum along `axis`, through which no gradient passes."""
    return x - disconnected_grad(T.max(x, axis=[axis], keepdims=True))
