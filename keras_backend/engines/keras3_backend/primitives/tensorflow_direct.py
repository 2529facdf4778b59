"""The functions of TensorFlow for `direct`."""

from typing import Any, Callable, Dict, Tuple

import tensorflow as tf

from ..tensors.sizes import items
from .linalg import check_batches
from .reduction import short_axes
from .slopes import absolute, maximum, minimum, power

Tensor = Any
Primitive = Callable[..., Tensor]

DTYPES = frozenset([tf.float32, tf.float64])
BOOL = tf.bool
# For shapes that do not fit.
REFUSALS = (TypeError, ValueError, tf.errors.OpError)
where = tf.where


def _sqrt(x: Tensor) -> Tensor:
    # As in `elementwise`: 0 where x is negative, and its gradients as well.
    zero = tf.zeros((), x.dtype)
    below = tf.less(x, zero)
    return tf.where(below, zero, tf.sqrt(tf.where(below, tf.ones((), x.dtype), tf.maximum(x, zero))))


def _sum(x: Tensor, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
    return tf.reduce_sum(x, short_axes(x, axes), keepdims)


def _max(x: Tensor, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
    return tf.reduce_max(x, short_axes(x, axes), keepdims)


def _min(x: Tensor, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
    return tf.reduce_min(x, short_axes(x, axes), keepdims)


def _mean(x: Tensor, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
    return tf.reduce_mean(x, short_axes(x, axes), keepdims)


def _reshape(x: Tensor, shape: Any) -> Tensor:
    return tf.reshape(x, items(shape))


def _sigmoid(x: Tensor) -> Tensor:
    return _noted(tf.sigmoid(x), x)


def _softmax(x: Tensor, axis: int) -> Tensor:
    return _noted(tf.nn.softmax(x, axis), x)


def _noted(probabilities: Tensor, logits: Tensor) -> Tensor:
    # As Keras does, whose losses look for it.
    probabilities._keras_logits = logits
    return probabilities


def _transpose(x: Tensor, perm: Tuple[int, ...]) -> Tensor:
    return tf.transpose(x, perm)


def _expand_dims(x: Tensor, axis: int) -> Tensor:
    return tf.expand_dims(x, axis)


def _concatenate(*xs: Tensor, axis: int) -> Tensor:
    return tf.concat(xs, axis)


def _stack(*xs: Tensor, axis: int) -> Tensor:
    return tf.stack(xs, axis)


def _tensordot(x: Tensor, y: Tensor, axes_x: Tuple[int, ...], axes_y: Tuple[int, ...]) -> Tensor:
    if len(x.shape) == len(y.shape) == 2 and axes_x == (1,) and axes_y == (0,):
        return tf.matmul(x, y)
    return tf.tensordot(x, y, (axes_x, axes_y))


def _matmul(x: Tensor, y: Tensor, transpose_x: bool, transpose_y: bool) -> Tensor:
    # tf.matmul would repeat a batch of one.
    check_batches(x, y)
    return tf.matmul(x, y, transpose_a=transpose_x, transpose_b=transpose_y)


ONE: Dict[str, Primitive] = {
    'abs': absolute,
    'exp': tf.exp,
    'log': tf.math.log,
    'sqrt': _sqrt,
    'sin': tf.sin,
    'cos': tf.cos,
    'round': tf.round,
    'floor': tf.floor,
    'sign': tf.sign,
    'square': tf.square,
    'relu': tf.nn.relu,
    'tanh': tf.tanh,
    'sigmoid': _sigmoid,
    'softmax': _softmax,
    'stop_gradient': tf.stop_gradient,
    'sum': _sum,
    'max': _max,
    'min': _min,
    'mean': _mean,
    'transpose': _transpose,
    'expand_dims': _expand_dims,
    'reshape': _reshape,
}
SEVERAL: Dict[str, Primitive] = {
    'concatenate': _concatenate,
    'stack': _stack,
    'tensordot': _tensordot,
    'matmul': _matmul,
    'add': tf.add,
    'sub': tf.subtract,
    'mul': tf.multiply,
    'div': tf.math.divide,
    'pow': power,
    'maximum': maximum,
    'minimum': minimum,
    'equal': tf.equal,
    'not_equal': tf.not_equal,
    'greater': tf.greater,
    'greater_equal': tf.greater_equal,
    'less': tf.less,
    'less_equal': tf.less_equal,
}
