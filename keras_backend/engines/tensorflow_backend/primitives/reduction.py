"""Reductions and running values. `axes` is None, or as a user gave it, where the number of axes is not known."""

from typing import Any, List

from ....basics.shapes import product
from ..tensors.tensors import static_shape
from ..vendor import EagerTensor, set_gradient, tf

cumsum = tf.cumsum
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
    # The sum that the mean is made of may be larger than half precision holds.
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


def cumprod(x: Any, *, axis: int) -> Any:
    y = tf.cumprod(x, axis)
    if y.dtype.is_floating and x.shape.rank is not None and not isinstance(y, EagerTensor):
        set_gradient(y.op, 'KerasBackendRunningProduct')
    return y


@tf.RegisterGradient('KerasBackendRunningProduct')
def _gradient_of_cumprod(op: Any, g: Any) -> List[Any]:
    """That of TensorFlow divides by the entries, and is 0 or NaN where one is 0. This one needs n * n numbers for n."""
    x, axis = op.inputs[0], int(tf.get_static_value(op.inputs[1])) % op.inputs[0].shape.rank
    order = [i for i in range(x.shape.rank) if i != axis] + [axis]
    x, g = tf.transpose(x, order), tf.transpose(g, order)
    places = tf.range(tf.shape(x)[-1])
    # In row i, 1 stands for entry i: the products of the others.
    own = tf.equal(places[:, None], places[None, :])
    others = cumprod(tf.where_v2(own, tf.ones((), x.dtype), x[..., None, :]), axis=x.shape.rank)
    late = tf.cast(places[:, None] <= places[None, :], x.dtype)
    total = tf.reduce_sum(others * late * g[..., None, :], -1)
    return [tf.transpose(total, [order.index(i) for i in range(len(order))]), None]


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
