"""Reductions."""

from ...shapes import normalize_axes, normalize_axis
from ._convert import cast, constant, operand
from ._extremes import Highest, Lowest
from ._library import T
from ._recurrence import Product, recur


def _axes(x, axis):
    return list(normalize_axes(axis, x.type.ndim))


def _kept(x, y, axes, keepdims):
    """`y`, which is `x` reduced, with an axis of size 1 in place of each reduced one if asked for."""
    if not keepdims:
        return y
    kept = iter(range(y.type.ndim))
    return y.dimshuffle(['x' if i in axes else next(kept) for i in range(x.type.ndim)])


def sum(x, axis=None, keepdims=False):
    x = operand(x)
    axes = _axes(x, axis)
    if x.dtype == 'bool':
        x = cast(x, 'int32')
    return T.sum(x, axis=axes, dtype=x.dtype, keepdims=keepdims) if axes else x


def prod(x, axis=None, keepdims=False):
    x = operand(x)
    axes = _axes(x, axis)
    if x.dtype == 'bool':
        x = cast(x, 'int32')
    return _kept(x, Product(axes, dtype=x.dtype)(x), axes, keepdims) if axes else x


def max(x, axis=None, keepdims=False):
    return _extreme(x, axis, keepdims, Highest, T.any)


def min(x, axis=None, keepdims=False):
    return _extreme(x, axis, keepdims, Lowest, T.all)


def _extreme(x, axis, keepdims, operation, of_bools):
    x = operand(x)
    axes = _axes(x, axis)
    if not axes:
        return x
    return _kept(x, of_bools(x, axis=axes) if x.dtype == 'bool' else operation(axes)(x), axes, keepdims)


def any(x, axis=None, keepdims=False):
    return _truth(T.any, x, axis, keepdims)


def all(x, axis=None, keepdims=False):
    return _truth(T.all, x, axis, keepdims)


def _truth(function, x, axis, keepdims):
    x = cast(operand(x), 'bool')
    axes = _axes(x, axis)
    return _kept(x, function(x, axis=axes), axes, keepdims) if axes else x


def argmax(x, axis=-1):
    x = operand(x)
    axis = normalize_axis(axis, x.type.ndim)
    return T.argmax(cast(x, 'int8') if x.dtype == 'bool' else x, axis=axis)


def argmin(x, axis=-1):
    x = operand(x)
    return argmax(T.neg(cast(x, 'int8') if x.dtype == 'bool' else x), axis)


def cumsum(x, axis=0):
    x = operand(x)
    axis = normalize_axis(axis, x.type.ndim)
    # NumPy, which Theano calls, sums integers and half precision in other dtypes than their own.
    wide = x if x.dtype in ('float32', 'float64', 'int64') else cast(x, 'float32' if x.dtype == 'float16' else 'int64')
    return cast(T.extra_ops.cumsum(wide, axis=axis), 'int32' if x.dtype == 'bool' else x.dtype)


def cumprod(x, axis=0):
    x = operand(x)
    axis = normalize_axis(axis, x.type.ndim)
    if x.dtype == 'bool':
        x = cast(x, 'int32')
    # Theano's own divides by the factors in its gradient.
    first = T.eq(T.arange(x.shape[axis]), constant(0, 'int64')).dimshuffle(
        ['x'] * axis + [0] + ['x'] * (x.type.ndim - axis - 1)
    )
    return recur(x, T.switch(first, x, constant(0, x.dtype)), axis)
