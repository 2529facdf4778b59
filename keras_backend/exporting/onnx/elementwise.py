"""Element-wise primitives and draws as operators of ONNX."""

from typing import Any

import numpy as np
from onnx import helper

from ...basics.dtypes import is_float, is_integer
from ...graph.nodes.tensor import Draws, Node
from .lowering import DIRECT, LOWERINGS, lowers, size_operand
from .writer import Name, Writer, filled, info, onnx_type

DIRECT.update({name: name.capitalize() for name in 'abs exp log sin tanh sign neg identity add sub mul div'.split()})
DIRECT['stop_gradient'] = 'Identity'
LOWERINGS.update(
    {
        # K has 0 for negative numbers.
        'sqrt': lambda w, node, x: w.op('Sqrt', w.op('Max', x, w.constant(0, node.dtype))),
        'relu': lambda w, node, x: (
            w.op('Relu', x) if is_float(node.dtype) else w.op('Max', x, w.constant(0, node.dtype))
        ),
        'round': lambda w, node, x: w.op('Round' if is_float(node.dtype) else 'Identity', x),
        'floor': lambda w, node, x: w.op('Floor' if is_float(node.dtype) else 'Identity', x),
        'square': lambda w, node, x: w.op('Mul', x, x),
        'log1p': lambda w, node, x: _log1p(w, x, node.dtype),
        'logical_not': lambda w, node, x: w.op('Not', w.as_bool(x, node.inputs[0].dtype)),
        'tanh_grad': lambda w, node, y, g: w.op('Mul', g, w.op('Sub', w.constant(1, node.dtype), w.op('Mul', y, y))),
        'sigmoid_grad': lambda w, node, y, g: w.op('Mul', g, w.op('Mul', y, w.op('Sub', w.constant(1, node.dtype), y))),
    }
)


# -- of one tensor -----------------------------------------------------------------------------------------------
@lowers('cos')
def cos(w: Writer, node: Node, x: Name) -> Name:
    if node.dtype != 'float64':
        return w.op('Cos', x)
    # onnxruntime up to 1.23 has none of float64: 1 - 2 * sin(x / 2) ** 2
    sine = w.op('Sin', w.op('Mul', x, w.constant(0.5, node.dtype)))
    return w.op('Sub', w.constant(1, node.dtype), w.op('Mul', w.op('Mul', sine, sine), w.constant(2, node.dtype)))


@lowers('sigmoid')
def sigmoid(w: Writer, node: Node, x: Name) -> Name:
    if node.dtype != 'float64':
        # Its numbers below 1e-8 are 0 in onnxruntime. Every runner has it, and fast.
        return w.op('Sigmoid', x)
    one = w.constant(1, node.dtype)
    return w.op('Div', one, w.op('Add', one, w.op('Exp', w.op('Neg', x))))


@lowers('softplus')
def softplus(w: Writer, node: Node, x: Name) -> Name:
    # Softplus of onnxruntime loses small results.
    small = w.op('Exp', w.op('Neg', w.op('Abs', x)))
    return w.op('Add', w.op('Max', x, w.constant(0, node.dtype)), _log1p(w, small, node.dtype))


def _log1p(w: Writer, x: Name, dtype: str) -> Name:
    """log(1 + x), accurate also where x is small: what rounding took from 1 + x is made good by a factor."""
    one = w.constant(1, dtype)
    sum_ = w.op('Add', x, one)
    log = w.op('Log', sum_)
    taken = w.op('Sub', sum_, one)
    is_nothing = w.op('Equal', taken, w.constant(0, dtype))
    factor = w.op('Div', x, w.op('Where', is_nothing, one, taken))
    near = w.op('Where', is_nothing, x, w.op('Mul', log, factor))
    return w.op('Where', w.op('Equal', sum_, x), log, near)


@lowers('expm1')
def expm1(w: Writer, node: Node, x: Name) -> Name:
    # exp(x) - 1 = tanh(x / 2) * (exp(x) + 1), accurate also where x is small
    half = w.op('Tanh', w.op('Mul', x, w.constant(0.5, node.dtype)))
    return w.op('Mul', half, w.op('Add', w.op('Exp', x), w.constant(1, node.dtype)))


@lowers('cast')
def cast(w: Writer, node: Node, x: Name) -> Name:
    source, target = node.inputs[0].dtype, node.attrs['dtype']
    if source == target:
        return x
    if is_float(source) and target == 'uint32':
        # What it cannot hold is cut off as an integer. Runners make one of two casts.
        x = w.op('Mod', w.cast(x, 'int64'), w.constant(2**32, 'int64'))
    return w.cast(x, target)


# -- of two tensors ----------------------------------------------------------------------------------------------
@lowers('pow')
def power(w: Writer, node: Node, x: Name, y: Name) -> Name:
    exponent = w.known(y)
    if is_float(node.dtype) or (exponent is not None and (exponent >= 0).all()):
        return w.op('Pow', x, y)
    # An integer has no negative power. K refuses it; here the number of them is a place that a vector of one lacks.
    negative = w.op('Less', y, w.constant(0, node.dtype))
    count = w.reduce('ReduceSum', w.cast(negative, 'int64'), None)
    nothing = w.op('Gather', w.constant([0], node.dtype), count)
    return w.op('Pow', x, w.op('Add', y, nothing))


@lowers('floordiv', 'mod')
def divided(w: Writer, node: Node, x: Name, y: Name) -> Name:
    """The quotient rounded down, or the rest, which has the sign of y."""
    if is_integer(node.dtype):
        return _divided_integers(w, node, x, y)
    zero = w.constant(0, node.dtype)
    rest = w.op('Mod', x, y, fmod=1)
    infinity = w.constant(np.inf, node.dtype)
    is_infinite, is_finite = w.op('Equal', w.op('Abs', y), infinity), w.op('Less', w.op('Abs', x), infinity)
    rest = w.op('Where', w.op('And', is_infinite, is_finite), x, rest)
    is_other_sign = w.op('Xor', w.op('Less', rest, zero), w.op('Less', y, zero))
    is_short = w.op('And', w.op('Not', w.op('Equal', rest, zero)), is_other_sign)
    rest = w.op('Where', is_short, w.op('Add', rest, y), rest)
    if node.op.name == 'mod':
        return rest
    whole = w.op('Round', w.op('Div', w.op('Sub', x, rest), y))
    # of numbers over infinity, the rest is infinite or all: then it is 0 or -1
    least = w.op('Where', is_short, w.constant(-1, node.dtype), zero)
    whole = w.op('Where', is_infinite, w.op('Add', least, w.op('Sub', x, x)), whole)
    return w.op('Where', w.op('Equal', y, zero), w.op('Div', x, y), whole)


def _divided_integers(w: Writer, node: Node, x: Name, y: Name) -> Name:
    known, zero = w.known(y), w.constant(0, node.dtype)
    is_zero = None
    if known is None or not np.all(known):
        # a division of integers by 0 ends the process in some libraries; NumPy has 0
        is_zero = w.op('Equal', y, zero)
        y = w.op('Where', is_zero, w.constant(1, node.dtype), y)
    result = w.op('Mod', x, y)
    if node.op.name == 'floordiv':
        result = w.op('Div', w.op('Sub', x, result), y)
    return result if is_zero is None else w.op('Where', is_zero, zero, result)


@lowers('maximum', 'minimum')
def extreme(w: Writer, node: Node, x: Name, y: Name) -> Name:
    is_maximum = node.op.name == 'maximum'
    if node.dtype == 'bool':
        return w.op('Or' if is_maximum else 'And', x, y)
    return w.op('Max' if is_maximum else 'Min', x, y)


_COMPARISONS = {
    'equal': 'Equal',
    'not_equal': 'Equal',
    'greater': 'Greater',
    'greater_equal': 'GreaterOrEqual',
    'less': 'Less',
    'less_equal': 'LessOrEqual',
}


@lowers(*_COMPARISONS)
def compared(w: Writer, node: Node, x: Name, y: Name) -> Name:
    name = node.op.name
    if node.inputs[0].dtype == 'bool':
        x, y = w.cast(x, 'int32'), w.cast(y, 'int32')
    result = w.op(_COMPARISONS[name], x, y)
    return w.op('Not', result) if name == 'not_equal' else result


@lowers('logical_and', 'logical_or')
def logical(w: Writer, node: Node, x: Name, y: Name) -> Name:
    x, y = [w.as_bool(operand, t.dtype) for operand, t in zip((x, y), node.inputs)]
    return w.op('And' if node.op.name == 'logical_and' else 'Or', x, y)


@lowers('where')
def where(w: Writer, node: Node, c: Name, x: Name, y: Name) -> Name:
    if node.dtype == 'bool':
        # onnxruntime chooses between numbers only
        return w.op('Or', w.op('And', c, x), w.op('And', w.op('Not', c), y))
    return w.op('Where', c, x, y)


# -- gradients ---------------------------------------------------------------------------------------------------
@lowers('relu_grad')
def relu_grad(w: Writer, node: Node, y: Name, g: Name) -> Name:
    is_positive = w.op('Greater', y, w.constant(0, node.inputs[0].dtype))
    return w.op('Where', is_positive, g, w.constant(0, node.dtype))


# -- draws -------------------------------------------------------------------------------------------------------------
# Draws as operators of ONNX. They have the distribution of K's draws, and numbers of their own.
#
# Each node has the seed of its draws. So a file gives the same numbers whenever it is loaded anew, where its runner
# sees to that, as onnxruntime does.
#
# onnxruntime 1.32 has these operators up to opset 21. A file of a later one is right, and its check says what is
# missing.

# A seed of ONNX is a float32. It holds whole numbers up to this one.
_SEEDS = 2**24 - 3


def _drawn(w: Writer, node: Node, kind: str, shape: Name, more: int = 0) -> Name:
    """Draws in float32, or in float64 where the node has that. more: added to the seed."""
    dtype = 'float64' if node.dtype == 'float64' else 'float32'
    return w.op(kind, filled(w, shape, 0, dtype), dtype=onnx_type(dtype), seed=_seed(node.inputs[0], more))


def _seed(draws: Any, more: int) -> Any:
    assert isinstance(draws, Draws)
    seed = getattr(draws.stream, 'seed', None)
    return None if seed is None else float((int(seed) + more) % _SEEDS)


@lowers('random_uniform')
def random_uniform(w: Writer, node: Node, *xs: Name) -> Name:
    draws = _drawn(w, node, 'RandomUniformLike', size_operand(w, node, xs, 'shape'))
    if node.dtype != 'float16':
        return draws
    # the 11 bits that a half holds: rounded, the largest draws would become 1
    whole = w.op('Floor', w.op('Mul', draws, w.constant(2048, 'float32')))
    return w.cast(w.op('Mul', whole, w.constant(np.float32(1 / 2048))), 'float16')


@lowers('random_normal')
def random_normal(w: Writer, node: Node, *xs: Name) -> Name:
    draws = _drawn(w, node, 'RandomNormalLike', size_operand(w, node, xs, 'shape'))
    return w.cast(draws, 'float16') if node.dtype == 'float16' else draws


@lowers('truncated_normal')
def truncated_normal(w: Writer, node: Node, *xs: Name) -> Name:
    """What lies beyond 2 is drawn again until nothing does."""
    shape = size_operand(w, node, xs, 'shape')
    first = _drawn(w, node, 'RandomNormalLike', shape)
    dtype = 'float64' if node.dtype == 'float64' else 'float32'
    body = w.inner()
    step, going, now = [w.name(like) for like in ('step', 'going', 'now')]
    again = _drawn(body, node, 'RandomNormalLike', body.op('Shape', now), 1)
    after = body.op('Where', _beyond(body, now, dtype), again, now)
    inputs = [info(step, 'int64', ()), info(going, 'bool', ()), info(now, dtype, None)]
    more = _any(body, _beyond(body, after, dtype))
    graph = helper.make_graph(body.nodes, 'draw_again', inputs, [info(more, 'bool', ()), info(after, dtype, None)])
    draws = w.op('Loop', '', _any(w, _beyond(w, first, dtype)), first, body=graph)
    return w.cast(draws, 'float16') if node.dtype == 'float16' else draws


def _beyond(w: Writer, x: Name, dtype: str) -> Name:
    return w.op('Greater', w.op('Abs', x), w.constant(2, dtype))


def _any(w: Writer, x: Name) -> Name:
    return w.op('Greater', w.reduce('ReduceSum', w.cast(x, 'int32'), None), w.constant(0, 'int32'))
