"""Element-wise functions."""

import numpy as np

from ._convert import floating, is_tensor, operand, together
from ._library import tf


def _number(x):
    """`x` as a tensor that can be calculated with: truth values count as integers."""
    x = operand(x)
    return tf.cast(x, tf.int32) if x.dtype == tf.bool else x


def square(x):
    return tf.square(_number(x))


def abs(x):
    return tf.abs(_number(x))


def sqrt(x):
    x = floating(x)
    return tf.sqrt(tf.maximum(x, tf.zeros((), x.dtype)))


def exp(x):
    return tf.exp(floating(x))


def log(x):
    return tf.log(floating(x))


def round(x):
    return tf.round(_number(x))


def sign(x):
    return tf.sign(_number(x))


def sin(x):
    return tf.sin(floating(x))


def cos(x):
    return tf.cos(floating(x))


def pow(x, a):
    x, a = together(x, a)
    return tf.pow(_number(x), _number(a))


def clip(x, min_value, max_value):
    x = operand(x)
    if max_value is not None:
        if min_value is not None:
            # The lower bound wins where the bounds are in the wrong order.
            both = is_tensor(min_value) or is_tensor(max_value)
            max_value = maximum(max_value, min_value) if both else np.maximum(max_value, min_value)
        x = minimum(x, max_value)
    return x if min_value is None else maximum(x, min_value)


def _compared(compare, x, y):
    x, y = together(x, y)
    return compare(_number(x), _number(y))


def equal(x, y):
    return tf.equal(*together(x, y))


def not_equal(x, y):
    return tf.not_equal(*together(x, y))


def greater(x, y):
    return _compared(tf.greater, x, y)


def greater_equal(x, y):
    return _compared(tf.greater_equal, x, y)


def less(x, y):
    return _compared(tf.less, x, y)


def less_equal(x, y):
    return _compared(tf.less_equal, x, y)


def maximum(x, y):
    return _chosen(tf.maximum, tf.logical_or, x, y)


def minimum(x, y):
    return _chosen(tf.minimum, tf.logical_and, x, y)


def _chosen(choose, logical, x, y):
    x, y = together(x, y)
    return logical(x, y) if x.dtype == tf.bool else choose(x, y)
