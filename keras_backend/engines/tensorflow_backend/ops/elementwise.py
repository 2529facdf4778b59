"""Element-wise primitives."""

import itertools
import sys
from typing import Any, Callable, Dict

from ....errors import ArgumentTypeError
from .._empty import before_cut
from .._graph import describe
from .._library import tf, tf2
from .._tensors import widened

_PRINTED = itertools.count()

abs, exp, log, sin, cos = tf.abs, tf.exp, tf.log, tf.sin, tf.cos
floor, sign, square = tf.floor, widened(tf.sign), tf.square
tanh, sigmoid, softplus = tf.tanh, tf.sigmoid, tf.nn.softplus
stop_gradient, where = tf.stop_gradient, tf.where_v2


def relu(x: Any) -> Any:
    return before_cut(tf.nn.relu, x)


def sqrt(x: Any) -> Any:
    return tf.sqrt(tf.maximum(x, tf.zeros((), x.dtype)))


def round(x: Any) -> Any:
    if x.dtype.is_complex:
        raise ArgumentTypeError(f'{describe(x)} is complex, and TensorFlow cannot round complex numbers.')
    return tf.round(x)


def cast(x: Any, *, dtype: str) -> Any:
    if x.dtype == tf.string:
        raise ArgumentTypeError(f'{describe(x)} holds strings, which K cannot calculate with.')
    return tf.cast(x, dtype)


def print(x: Any, *, message: str) -> Any:
    # What stands for the value is different each time, for equal ones of these operations would be merged into one.
    place = f'{{value {next(_PRINTED)}}}'
    gap = ' ' if message and not message[-1].isspace() else ''
    text = tf.strings.format(message + gap + place, [x], placeholder=place, summarize=-1)
    with tf.control_dependencies([tf2.print(text, output_stream=sys.stderr)]):
        return tf.identity(x)


def _numeric(function: Callable[..., Any], logical: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, which TensorFlow has for numbers only, with `logical` in its place for truth values."""
    return lambda x, y: logical(x, y) if x.dtype == tf.bool else function(x, y)


def _of_bools(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: function(tf.cast(x, tf.int32), tf.cast(y, tf.int32))


BINARY: Dict[str, Callable[..., Any]] = {
    'add': tf.add,
    'sub': tf.subtract,
    'mul': tf.multiply,
    'div': tf.truediv,
    'floordiv': tf.floordiv,
    'mod': tf.floormod,
    'pow': widened(tf.pow),
    'maximum': _numeric(tf.maximum, tf.logical_or),
    'minimum': _numeric(tf.minimum, tf.logical_and),
    'equal': tf.equal,
    'not_equal': tf.not_equal,
    'greater': _numeric(tf.greater, _of_bools(tf.greater)),
    'greater_equal': _numeric(tf.greater_equal, _of_bools(tf.greater_equal)),
    'less': _numeric(tf.less, _of_bools(tf.less)),
    'less_equal': _numeric(tf.less_equal, _of_bools(tf.less_equal)),
    'logical_and': tf.logical_and,
    'logical_or': tf.logical_or,
}
