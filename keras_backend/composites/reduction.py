"""Reductions, said in others."""
import numpy as np

from ..errors import UnsupportedByEngine
from ..shapes import normalize_axes, normalize_axis, product
from ._dims import along, sizes, spread

K = None  # the engine's namespace, set by binding.rebind


def min(x, axis=None, keepdims=False):
    if K.dtype(x) == 'bool':
        return K.all(x, axis=axis, keepdims=keepdims)
    return -K.max(-x, axis=axis, keepdims=keepdims)


def mean(x, axis=None, keepdims=False):
    return K.sum(x, axis=axis, keepdims=keepdims) / _count(x, axis)


def _count(x, axis):
    static = K.int_shape(x)
    axes = normalize_axes(axis, len(static))
    count = product([static[i] for i in axes])
    if count is not None:
        return count
    here = sizes(static, K.shape, x)
    count = 1
    for i in axes:
        count = here[i] * count
    return K.cast(count, K.dtype(x) if K.dtype(x).startswith('float') else K.floatx())


def var(x, axis=None, keepdims=False):
    if not K.dtype(x).startswith('float'):
        x = K.cast(x, K.floatx())
    return K.mean(K.square(x - K.mean(x, axis=axis, keepdims=True)), axis=axis, keepdims=keepdims)


def std(x, axis=None, keepdims=False):
    return K.sqrt(K.var(x, axis=axis, keepdims=keepdims))


def logsumexp(x, axis=None, keepdims=False):
    if not K.dtype(x).startswith('float'):
        x = K.cast(x, K.floatx())
    # The shift keeps exp in range; it cancels, so no gradient has to pass through it. An infinite one is not taken:
    # inf - inf is NaN.
    shift = K.stop_gradient(K.max(x, axis=axis, keepdims=True))
    shift = K.switch(K.equal(K.abs(shift), np.inf), K.zeros_like(shift), shift)
    total = K.log(K.sum(K.exp(x - shift), axis=axis, keepdims=True)) + shift
    return total if keepdims else K.sum(total, axis=axis)


def any(x, axis=None, keepdims=False):
    return K.greater(K.sum(_truth(x), axis=axis, keepdims=keepdims), 0)


def all(x, axis=None, keepdims=False):
    return K.less(K.sum(1 - _truth(x), axis=axis, keepdims=keepdims), 1)


def _truth(x):
    return K.cast(x if K.dtype(x) == 'bool' else K.not_equal(x, 0), 'int32')


def argmax(x, axis=-1):
    static = K.int_shape(x)
    axis = normalize_axis(axis, len(static))
    count = sizes(static, K.shape, x)[axis]
    places = K.reshape(K.arange(count), spread(len(static), {axis: -1})) + K.zeros_like(x, dtype='int32')
    highest = K.equal(x, K.max(x, axis=axis, keepdims=True))
    return K.cast(K.min(K.switch(highest, places, K.zeros_like(places) + count), axis=axis), 'int64')


def argmin(x, axis=-1):
    return K.argmax(-x, axis=axis)


def cumsum(x, axis=0):
    return _scan('cumsum', x, axis, K.zeros_like, lambda a, b: a + b)


def cumprod(x, axis=0):
    return _scan('cumprod', x, axis, K.ones_like, lambda a, b: a * b)


def _scan(name, x, axis, neutral, combine):
    # Doubling the reach of every element takes as many rounds as the length has binary digits.
    axis = normalize_axis(axis, len(K.int_shape(x)))
    length = K.int_shape(x)[axis]
    if length is None:
        raise UnsupportedByEngine(name, K.backend(), 'the length of axis %d is not known before a run' % axis,
                                  'Give the placeholder a fixed length there.')
    reach = 1
    while reach < length:
        before = neutral(x[along(axis, None, reach)])
        x = combine(x, K.concatenate([before, x[along(axis, None, -reach)]], axis=axis))
        reach *= 2
    return x
