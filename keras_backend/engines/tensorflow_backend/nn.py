"""Neural network functions."""

import numpy as np

from ... import config
from ...arrays import plain_number
from ...shapes import normalize_axis
from ._convert import axis_of, floating, is_tensor, operand, static_shape, together
from ._library import tf
from .engine import composed


def relu(x, alpha=0.0, max_value=None, threshold=0.0):
    x, alpha = operand(x), plain_number(alpha)
    if isinstance(alpha, (int, float)) and isinstance(threshold, (int, float)) and threshold == 0:
        if max_value is None and x.dtype != tf.bool:
            if alpha == 0:
                return tf.nn.relu(x)
            # The slope is an attribute of single precision.
            if x.dtype in (tf.float32, tf.float16, tf.bfloat16) and alpha < 1:
                return tf.nn.leaky_relu(x, alpha)
        elif alpha == 0 and isinstance(max_value, (int, float)) and max_value == 6 and x.dtype.is_floating:
            return tf.nn.relu6(x)
    return composed('relu')(x, alpha, max_value, threshold)


def elu(x, alpha=1.0):
    x = floating(x)
    # TensorFlow's own subtracts 1 from exp(x), which leaves no digits of a small x.
    below = tf.math.expm1(tf.minimum(x, tf.zeros((), x.dtype)))
    if is_tensor(alpha) or np.ndim(alpha) or alpha != 1:
        below = below * operand(alpha, x.dtype)
    return tf.where_v2(x > 0, x, below)


def softmax(x, axis=-1):
    x = floating(x)
    return tf.nn.softmax(x, axis=axis_of(x, axis))


def softplus(x):
    return tf.nn.softplus(floating(x))


def softsign(x):
    # TensorFlow's own has no second derivative.
    x = floating(x)
    return x / (1 + tf.abs(x))


def hard_sigmoid(x):
    return composed('hard_sigmoid')(floating(x))


def sigmoid(x):
    return tf.sigmoid(floating(x))


def tanh(x):
    return tf.tanh(floating(x))


def _target_and_output(target, output):
    target, output = together(target, floating(output))
    return target, output


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    target, output = _target_and_output(target, output)
    if not from_logits:
        return composed('categorical_crossentropy')(target, output, False, axis)
    axis = normalize_axis(axis, len(static_shape(output)))
    # Not TensorFlow's fused loss: its gradient takes for granted that every target sums to 1.
    return -tf.reduce_sum(target * tf.nn.log_softmax(output, axis=axis), axis=axis)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    return composed('sparse_categorical_crossentropy')(target, floating(output), from_logits, axis)


def binary_crossentropy(target, output, from_logits=False):
    target, output = _target_and_output(target, output)
    if not from_logits:
        return composed('binary_crossentropy')(target, output)
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)


def bias_add(x, bias, data_format=None):
    x, b = together(x, bias)
    last = config.normalize_data_format(data_format) == 'channels_last'
    if (
        not last
        or len(static_shape(b)) != 1
        or not 2 <= len(static_shape(x)) <= 5
        or not x.dtype.is_floating
        or not b.shape.is_compatible_with(x.shape[-1:])
    ):
        return composed('bias_add')(x, b, data_format)
    return tf.nn.bias_add(x, b)
