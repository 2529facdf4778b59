"""Draws as operators of ONNX. They have the distribution of K's draws, and numbers of their own.

Each node has the seed of its draws. So a file gives the same numbers whenever it is loaded anew, where its runner sees
to that, as onnxruntime does.

onnxruntime 1.32 has these operators up to opset 21. A file of a later one is right, and its check says what is missing.
"""

from typing import Any

import numpy as np
from onnx import helper

from ...graph.nodes.tensor import Draws, Node
from .lowering import lowers, size_operand
from .pieces import filled, info
from .writer import Name, Writer, onnx_type

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
