"""Reductions and running sums."""

from ... import shapes
from ...errors import ShapeError
from ..dims import known

K = G = None


def _reduce(name, x, axis, keepdims):
    axes = tuple(sorted(shapes.normalize_axes(axis, len(x.dims))))
    return getattr(G.F, name)(x, axes=axes, keepdims=bool(keepdims)) if axes else x


def _number(x):
    """`x` as a tensor that can be added up."""
    x = G.operand(x)
    return G.cast(x, 'int32') if x.dtype == 'bool' else x


def _extreme(name, x, axis, keepdims):
    x = G.operand(x)
    for i in shapes.normalize_axes(axis, len(x.dims)):
        if known(x.dims[i]) and x.dims[i] == 0:
            raise ShapeError(f'K.{name} of {x.name} (shape {x.shape}) over the empty axis {i} has no value.')
    if x.dtype == 'bool':
        return _reduce('any' if name == 'max' else 'all', x, axis, keepdims)
    return _reduce(name, x, axis, keepdims)


def max(x, axis=None, keepdims=False):
    return _extreme('max', x, axis, keepdims)


def min(x, axis=None, keepdims=False):
    return _extreme('min', x, axis, keepdims)


def sum(x, axis=None, keepdims=False):
    return _reduce('sum', _number(x), axis, keepdims)


def prod(x, axis=None, keepdims=False):
    return _reduce('prod', _number(x), axis, keepdims)


def mean(x, axis=None, keepdims=False):
    return _reduce('mean', G.floating(x), axis, keepdims)


def var(x, axis=None, keepdims=False):
    x = G.floating(x)
    return _reduce('mean', G.F.square(x - _reduce('mean', x, axis, True)), axis, keepdims)


def any(x, axis=None, keepdims=False):
    return _reduce('any', G.cast(G.operand(x), 'bool'), axis, keepdims)


def all(x, axis=None, keepdims=False):
    return _reduce('all', G.cast(G.operand(x), 'bool'), axis, keepdims)


def cumsum(x, axis=0):
    x = _number(x)
    return G.F.cumsum(x, axis=shapes.normalize_axis(axis, len(x.dims)))


def cumprod(x, axis=0):
    x = _number(x)
    return G.F.cumprod(x, axis=shapes.normalize_axis(axis, len(x.dims)))


def _place(name, x, axis):
    x = G.operand(x)
    return getattr(G.F, name)(x, axis=shapes.normalize_axis(axis, len(x.dims)))


def argmax(x, axis=-1):
    return _place('argmax', x, axis)


def argmin(x, axis=-1):
    return _place('argmin', x, axis)
