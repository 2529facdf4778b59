"""Reductions and running values. `axes` is None, or as a user gave it, where the number of axes is not known."""

from typing import Any

from ....shapes import product
from .._library import tf
from .._tensors import static_shape

cumsum, cumprod = tf.cumsum, tf.cumprod
softmax, log_softmax = tf.nn.softmax, tf.nn.log_softmax


def sum(x: Any, *, axes: Any, keepdims: bool) -> Any:
    return tf.reduce_sum(x, axes, keepdims)


def max(x: Any, *, axes: Any, keepdims: bool) -> Any:
    return tf.reduce_max(x, axes, keepdims)


def min(x: Any, *, axes: Any, keepdims: bool) -> Any:
    return tf.reduce_min(x, axes, keepdims)


def any(x: Any, *, axes: Any, keepdims: bool) -> Any:
    return tf.reduce_any(x, axes, keepdims)


def all(x: Any, *, axes: Any, keepdims: bool) -> Any:
    return tf.reduce_all(x, axes, keepdims)


def mean(x: Any, *, axes: Any, keepdims: bool) -> Any:
    if x.dtype.size > 2:
        return tf.reduce_mean(x, axes, keepdims)
    # What is added up on the way may be larger than half precision holds.
    return tf.cast(tf.reduce_mean(tf.cast(x, tf.float32), axes, keepdims), x.dtype)


def prod(x: Any, *, axes: Any, keepdims: bool) -> Any:
    shape: Any = None if x.shape.rank is None else static_shape(x)
    count = None if shape is None else product([shape[i] for i in axes])
    if not count or not x.dtype.is_floating:
        return tf.reduce_prod(x, axes, keepdims)
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
    for i in axes if keepdims else ():
        x = tf.expand_dims(x, i)
    return x


def argmax(x: Any, *, axis: int) -> Any:
    return tf.argmax(_nan_as_extreme(x, 1), axis=axis, output_type=tf.int64)


def argmin(x: Any, *, axis: int) -> Any:
    return tf.argmin(_nan_as_extreme(x, -1), axis=axis, output_type=tf.int64)


def _nan_as_extreme(x: Any, sign: int) -> Any:
    """`x` with NaN as the number beyond all others in the direction of `sign`; the kernels would pass over it."""
    if x.dtype == tf.bool:
        return tf.cast(x, tf.int32)
    if not x.dtype.is_floating:
        return x
    finite = tf.minimum(x, x.dtype.max) if sign > 0 else tf.maximum(x, x.dtype.min)
    return tf.where(tf.is_nan(x), tf.fill(tf.shape(x), tf.constant(sign * float('inf'), x.dtype)), finite)
