"""Reductions."""

from ...shapes import normalize_axes, product
from ._convert import axis_of, floating, operand, static_shape, static_size
from ._library import tf
from .engine import composed


def _reduced(reduce, x, axis, keepdims):
    if axis is not None and x.shape.rank is not None:
        axis = list(normalize_axes(axis, x.shape.rank))
    return reduce(x, axis=axis, keepdims=keepdims)


def _countable(x):
    x = operand(x)
    return tf.cast(x, tf.int32) if x.dtype == tf.bool else x


def sum(x, axis=None, keepdims=False):
    return _reduced(tf.reduce_sum, _countable(x), axis, keepdims)


def prod(x, axis=None, keepdims=False):
    x = _countable(x)
    if x.shape.rank is None:
        return _reduced(tf.reduce_prod, x, axis, keepdims)
    shape = static_shape(x)
    axes = normalize_axes(axis, len(shape))
    count = product([shape[i] for i in axes])
    if not count or not x.dtype.is_floating:
        return _reduced(tf.reduce_prod, x, axis, keepdims)
    # By halves: the second derivative of TensorFlow's own is NaN where an entry is 0.
    kept = [i for i in range(len(shape)) if i not in axes]
    x = tf.transpose(x, kept + list(axes))
    sizes = tf.shape(x)
    x = tf.reshape(x, tf.concat([sizes[: len(kept)], [count]], 0))
    while count > 1:
        half, odd = divmod(count, 2)
        halves = x[..., :half] * x[..., half : 2 * half]
        x, count = (tf.concat([halves, x[..., -1:]], -1) if odd else halves), half + odd
    x = tf.squeeze(x, [-1])
    for i in sorted(axes) if keepdims else ():
        x = tf.expand_dims(x, i)
    return x


def max(x, axis=None, keepdims=False):
    x = operand(x)
    return _reduced(tf.reduce_any if x.dtype == tf.bool else tf.reduce_max, x, axis, keepdims)


def min(x, axis=None, keepdims=False):
    x = operand(x)
    return _reduced(tf.reduce_all if x.dtype == tf.bool else tf.reduce_min, x, axis, keepdims)


def _widely(reduce, x, axis, keepdims):
    """A reduction of floats that is no larger than they are, though what is added up on the way may be."""
    x = floating(x)
    if x.dtype.size > 2:
        return _reduced(reduce, x, axis, keepdims)
    return tf.cast(_reduced(reduce, tf.cast(x, tf.float32), axis, keepdims), x.dtype)


def mean(x, axis=None, keepdims=False):
    return _widely(tf.reduce_mean, x, axis, keepdims)


def var(x, axis=None, keepdims=False):
    return _widely(tf.math.reduce_variance, x, axis, keepdims)


def std(x, axis=None, keepdims=False):
    return _widely(tf.math.reduce_std, x, axis, keepdims)


def logsumexp(x, axis=None, keepdims=False):
    return _widely(tf.reduce_logsumexp, x, axis, keepdims)


def _truth(x):
    x = operand(x)
    return x if x.dtype == tf.bool else tf.not_equal(x, tf.zeros((), x.dtype))


def any(x, axis=None, keepdims=False):
    return _reduced(tf.reduce_any, _truth(x), axis, keepdims)


def all(x, axis=None, keepdims=False):
    return _reduced(tf.reduce_all, _truth(x), axis, keepdims)


def argmax(x, axis=-1):
    return _place(tf.argmax, x, axis)


def argmin(x, axis=-1):
    return _place(tf.argmin, x, axis)


def _place(find, x, axis):
    x = _countable(x)
    return find(x, axis=axis_of(x, axis), output_type=tf.int64)


def cumsum(x, axis=0):
    return _accumulated(tf.cumsum, x, axis)


def cumprod(x, axis=0):
    x = _countable(x)
    if x.dtype.is_floating and x.shape.rank is not None and static_size(x, axis_of(x, axis)) is not None:
        # The gradient of TensorFlow's own is NaN where an entry is 0.
        return composed('cumprod')(x, axis)
    return _accumulated(tf.cumprod, x, axis)


def _accumulated(accumulate, x, axis):
    x = _countable(x)
    return accumulate(x, axis=axis_of(x, axis))
