"""Element-wise primitives, and standard draws."""

import itertools
import sys
from typing import Any, Callable, Dict, List

from ....basics.dtypes import WIDER, check_exponent
from ....errors import ArgumentTypeError
from ..tensors.graph import describe, graph
from ..tensors.reachable import before_cut
from ..tensors.tensors import constant_value, sizes, widened
from ..vendor import EagerTensor, set_gradient, tf, tf2

_PRINTED = itertools.count()

abs, exp, log, sin, cos = tf.abs, tf.exp, tf.log, tf.sin, tf.cos
floor, sign, square = tf.floor, widened(tf.sign), tf.square
tanh, sigmoid, softplus = tf.tanh, tf.sigmoid, tf.nn.softplus
stop_gradient, where = tf.stop_gradient, tf.where_v2


def relu(x: Any) -> Any:
    return before_cut(tf.nn.relu, x)


def sqrt(x: Any) -> Any:
    y = tf.sqrt(tf.maximum(x, tf.zeros((), x.dtype)))
    if not isinstance(y, EagerTensor):
        set_gradient(y.op, 'KerasBackendRoot')
    return y


@tf.RegisterGradient('KerasBackendRoot')
def _gradient_of_root(op: Any, g: Any) -> Any:
    """That of TensorFlow divides by 0 where x is negative, so its own gradient is NaN there and reaches all entries."""
    x, y = op.inputs[0].op.inputs[0], op.outputs[0]
    negative, one = x < tf.zeros((), x.dtype), tf.ones((), x.dtype)
    return tf.where_v2(negative, tf.zeros((), x.dtype), g * (one / 2) / tf.where_v2(negative, one, tf.abs(y)))


def round(x: Any) -> Any:
    if x.dtype.is_complex:
        raise ArgumentTypeError(f'{describe(x)} is complex, and TensorFlow cannot round complex numbers.')
    return tf.round(x)


def cast(x: Any, *, dtype: str) -> Any:
    if x.dtype == tf.string:
        raise ArgumentTypeError(f'{describe(x)} holds strings, which K cannot calculate with.')
    if x.dtype.is_floating and dtype in WIDER and dtype != 'uint64':
        # A number that the dtype cannot hold becomes one number in the middle of an array and another at its end, in
        # TensorFlow.
        x = tf.cast(x, WIDER[dtype])
    return tf.cast(x, dtype)


def print(x: Any, *, message: str) -> Any:
    # The text that stands for the value is different each time: equal operations would be merged into one.
    placeholder = f'{{value {next(_PRINTED)}}}'
    gap = ' ' if message and not message[-1].isspace() else ''
    text = tf.strings.format(message + gap + placeholder, [x], placeholder=placeholder, summarize=-1)
    with tf.control_dependencies([tf2.print(text, output_stream=sys.stderr)]):
        return tf.identity(x)


def _numeric(function: Callable[..., Any], logical: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, which TensorFlow has for numbers only, with `logical` in its place for truth values."""
    return lambda x, y: logical(x, y) if x.dtype == tf.bool else function(x, y)


def _of_bools(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: function(tf.cast(x, tf.int32), tf.cast(y, tf.int32))


def _power(x: Any, a: Any) -> Any:
    constant = constant_value(a)
    if constant is not None:
        # The graph optimiser would make it an operation that has no kernel.
        check_exponent(x.dtype.name, constant)
    y = widened(tf.pow)(x, a)
    if y.dtype.is_floating and not isinstance(y, EagerTensor):
        set_gradient(y.op, 'KerasBackendPower')
    return y


@tf.RegisterGradient('KerasBackendPower')
def _gradient_of_power(op: Any, g: Any) -> List[Any]:
    """That of TensorFlow is NaN where x and the exponent are 0."""
    (x, a), y = op.inputs, op.outputs[0]
    one, none = tf.ones((), x.dtype), tf.zeros((), x.dtype)
    constant, less = constant_value(a), a - one
    if constant is None or not constant.all():
        less = tf.where_v2(tf.logical_and(tf.equal(a, none), tf.equal(x, none)), none, less)
    by_x = g * (a * _power(x, less))
    positive = x > none
    by_a = g * tf.where_v2(positive, y * tf.log(tf.where_v2(positive, x, one)), none)
    return [_summed_to(by_x, x), _summed_to(by_a, a)]


def _summed_to(g: Any, x: Any) -> Any:
    """`g` summed over the axes along which `x` was broadcast."""
    if g.shape.is_fully_defined() and g.shape == x.shape:
        return g
    axes, _none = tf.raw_ops.BroadcastGradientArgs(s0=tf.shape(x), s1=tf.shape(g))
    return tf.reshape(tf.reduce_sum(g, axes), tf.shape(x))


# Functions of TensorFlow, with its name where that is another one.
_BINARY = 'add sub=subtract mul=multiply div=truediv floordiv mod=floormod equal not_equal logical_and logical_or'

BINARY: Dict[str, Callable[..., Any]] = {
    **{name: getattr(tf, other or name) for name, _, other in [word.partition('=') for word in _BINARY.split()]},
    **{
        name: _numeric(getattr(tf, name), _of_bools(getattr(tf, name)))
        for name in ('greater', 'greater_equal', 'less', 'less_equal')
    },
    'pow': _power,
    'maximum': _numeric(tf.maximum, tf.logical_or),
    'minimum': _numeric(tf.minimum, tf.logical_and),
}


# -- draws -------------------------------------------------------------------------------------------------------------
# Standard draws. Their source belongs to the graph of K in every thread.


def _drawn(draw: Callable[..., Any]) -> Callable[..., Any]:
    def of_graph(shape: Any, *, dtype: str, seed: int) -> Any:
        graph()
        return draw(sizes(shape), dtype=dtype, seed=seed)

    return of_graph


random_uniform, random_normal = _drawn(tf.random.uniform), _drawn(tf.random.normal)
truncated_normal = _drawn(tf.random.truncated_normal)
