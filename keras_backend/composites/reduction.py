"""Reductions, said in others."""

import numpy as np

from ..shapes import normalize_axes, normalize_axis, product
from ._dims import along, sizes, spread

K = None  # the engine's namespace, set by binding.rebind


def min(x, axis=None, keepdims=False):
    if K.dtype(x) == 'bool':
        return K.all(x, axis=axis, keepdims=keepdims)
    return -K.max(-x, axis=axis, keepdims=keepdims)


def mean(x, axis=None, keepdims=False):
    # Not summed in half precision or as integers: many small numbers would overflow.
    dtype, x = _widened(x)
    average = K.sum(x, axis=axis, keepdims=keepdims) / _count(x, axis)
    return average if K.dtype(average) == dtype else K.cast(average, dtype)


def var(x, axis=None, keepdims=False):
    dtype, x = _widened(x)
    variance = K.mean(K.square(x - K.mean(x, axis=axis, keepdims=True)), axis=axis, keepdims=keepdims)
    return variance if K.dtype(variance) == dtype else K.cast(variance, dtype)


def _widened(x):
    """The dtype of an average of `x`, and `x` in the one to compute it in."""
    dtype = K.dtype(x)
    if dtype == 'float16':
        return dtype, K.cast(x, 'float32')
    return (dtype, x) if dtype.startswith('float') else (K.floatx(), K.cast(x, K.floatx()))


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
    return K.cast(count, K.dtype(x))


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
    return _running(x, axis, K.zeros_like, lambda a, b: a + b)


def cumprod(x, axis=0):
    return _running(x, axis, K.ones_like, lambda a, b: a * b)


def _running(x, axis, neutral, combine):
    ndim = K.ndim(x)
    axis = normalize_axis(axis, ndim)
    x = K.cast(x, 'int32') if K.dtype(x) == 'bool' else x
    length = K.int_shape(x)[axis]
    if length is None:
        return _looped(x, axis, neutral, combine)
    # Doubling the reach of every element takes as many rounds as the length has binary digits.
    reach = 1
    while reach < length:
        before = neutral(x[along(axis, None, reach)])
        x = combine(x, K.concatenate([before, x[along(axis, None, -reach)]], axis=axis))
        reach *= 2
    return x


def _looped(x, axis, neutral, combine):
    ndim = K.ndim(x)
    order = [axis] + [i for i in range(ndim) if i != axis]
    steps = K.permute_dimensions(x, order)
    for _ in range(ndim, 3):
        steps = K.expand_dims(steps, -1)

    def step(element, states):
        total = combine(states[0], element)
        return total, [total]

    totals = K.rnn(step, steps, [neutral(steps[0])], time_major=True)[1]
    for _ in range(ndim, 3):
        totals = K.squeeze(totals, -1)
    return K.permute_dimensions(totals, [order.index(i) for i in range(ndim)])
