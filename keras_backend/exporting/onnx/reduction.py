"""Primitives that reduce or accumulate along axes as operators of ONNX."""

from typing import List, Union

import numpy as np
from onnx import helper

from ...basics.dtypes import is_float
from ...graph.nodes.base import known, ranked, same
from ...graph.nodes.tensor import Node
from .lowering import LOWERINGS, lowers, size_operand
from .writer import Name, Writer, info, join

_KINDS = {'sum': 'ReduceSum', 'mean': 'ReduceMean', 'prod': 'ReduceProd', 'max': 'ReduceMax', 'min': 'ReduceMin'}


LOWERINGS.update(
    {
        'cumsum': lambda w, node, x: w.op('CumSum', x, w.constant(node.attrs['axis'], 'int64')),
        'softmax': lambda w, node, x: w.op(
            'Softmax' if node.op.name == 'softmax' else 'LogSoftmax', x, axis=node.attrs['axis']
        ),
        'log_softmax': lambda w, node, x: w.op(
            'Softmax' if node.op.name == 'softmax' else 'LogSoftmax', x, axis=node.attrs['axis']
        ),
    }
)


@lowers(*_KINDS)
def reduced(w: Writer, node: Node, x: Name) -> Name:
    axes, keepdims = node.attrs['axes'], node.attrs['keepdims']
    if node.dtype == 'bool':
        return w.cast(w.reduce(_KINDS[node.op.name], w.cast(x, 'int32'), axes, keepdims), 'bool')
    result = w.reduce(_KINDS[node.op.name], x, axes, keepdims)
    if node.op.name in ('max', 'min') and is_float(node.dtype):
        # onnxruntime passes NaN over
        is_nan = w.reduce('ReduceSum', w.cast(w.op('IsNaN', x), 'float32'), axes, keepdims)
        nan = w.constant(np.nan, node.dtype)
        return w.op('Where', w.op('Greater', is_nan, w.constant(0, 'float32')), nan, result)
    return result


@lowers('any', 'all')
def decided(w: Writer, node: Node, x: Name) -> Name:
    """By counting, which is also right where there is nothing to count."""
    is_all = node.op.name == 'all'
    x = w.as_bool(x, node.inputs[0].dtype)
    counted = w.cast(w.op('Not', x) if is_all else x, 'int32')
    count = w.reduce('ReduceSum', counted, node.attrs['axes'], node.attrs['keepdims'])
    return w.op('Equal' if is_all else 'Greater', count, w.constant(0, 'int32'))


@lowers('argmax', 'argmin')
def place(w: Writer, node: Node, x: Name) -> Name:
    dtype = node.inputs[0].dtype
    if dtype == 'bool':
        x, dtype = w.cast(x, 'int32'), 'int32'
    return largest_place(w, x, dtype, node.attrs['axis'], 'ArgMax' if node.op.name == 'argmax' else 'ArgMin')


def largest_place(w: Writer, x: Name, dtype: str, axis: int, kind: str = 'ArgMax') -> Name:
    """The place of the largest element along an axis; with ArgMin that of the smallest. NaN counts as that element."""
    if is_float(dtype):
        # onnxruntime passes NaN over
        end = w.constant(np.inf if kind == 'ArgMax' else -np.inf, dtype)
        x = w.op('Where', w.op('IsNaN', x), end, x)
    return w.op(kind, x, axis=axis, keepdims=0)


@lowers('cumprod')
def cumprod(w: Writer, node: Node, x: Name) -> Name:
    """Each element times the one before, these products times those two places before, and so on.

    ONNX has no such operator before opset 26. A Scan over the axis would be shorter, and onnxruntime dies in one over
    another axis than the first where the elements are empty.
    """
    rank = len(node.dims)
    axis = node.attrs['axis'] % rank
    size = node.dims[axis]
    if known(size):
        by = 1
        while by < size:
            x = _times_moved(w, node, axis, x, w.ints(by))
            by *= 2
        return x
    length = w.op('Shape', x, start=axis, end=axis + 1)
    body = w.inner()
    step, going, now, by_now = [w.name(like) for like in ('step', 'going', 'now', 'by')]
    after = _times_moved(body, node, axis, now, by_now)
    further = body.op('Mul', by_now, w.ints(2))
    more = body.squeeze(body.op('Less', further, length), 0)
    state = [(node.dtype, node.dims), ('int64', (1,))]
    inputs = [info(step, 'int64', ()), info(going, 'bool', ()), *[info(x, *of) for x, of in zip((now, by_now), state)]]
    outputs = [info(more, 'bool', ()), *[info(x, *of) for x, of in zip((after, further), state)]]
    graph = helper.make_graph(body.nodes, 'cumprod', inputs, outputs)
    first = w.squeeze(w.op('Less', w.ints(1), length), 0)
    return w.ops('Loop', ['', first, x, w.ints(1)], 2, body=graph)[0]


def _times_moved(w: Writer, node: Node, axis: int, x: Name, by: Name) -> Name:
    """`x` times itself moved along an axis, with ones before."""
    kept = w.op('Slice', x, w.ints(0), w.op('Neg', by), w.ints(axis))
    widths: List[Union[int, Name]] = [0] * (2 * len(node.dims))
    widths[axis] = by
    return w.op('Mul', x, w.op('Pad', kept, join(w, widths), w.constant(1, node.dtype)))


@lowers('sum_to')
def sum_to(w: Writer, node: Node, x: Name, *shape: Name) -> Name:
    of_x, target = node.inputs[0], node.dims
    if not (ranked(of_x) and ranked(node)):
        return _sum_by_shape(w, x, size_operand(w, node, (x, *shape), 'shape'))
    lead = len(of_x.dims) - len(target)
    x = w.reduce('ReduceSum', x, tuple(range(lead))) if lead else x
    axes = []
    for axis, (d, e) in enumerate(zip(of_x.dims[lead:], target)):
        if known(e) and e == 1:
            if not (known(d) and d == 1):
                axes.append(axis)
        elif not same(d, e) and not (known(d) and known(e)):
            # whether there is something to sum is known in a run only
            return _sum_by_shape(w, x, size_operand(w, node, (x, *shape), 'shape'))
    return w.reduce('ReduceSum', x, axes, True) if axes else w.op('Identity', x)


def _sum_by_shape(w: Writer, x: Name, target: Name) -> Name:
    """`x` summed to a shape that a run tells."""
    own, rank = w.op('Shape', x), w.op('Size', target)
    lead = w.op('Sub', w.op('Size', own), rank)
    front = w.op('Range', w.constant(0, 'int64'), lead, w.constant(1, 'int64'))
    x = w.op('ReduceSum', x, front, keepdims=0, noop_with_empty_axes=1)
    differs = w.op('Not', w.op('Equal', w.op('Shape', x), target))
    axes = w.squeeze(w.op('NonZero', differs), 0)
    return w.op('ReduceSum', x, axes, keepdims=1, noop_with_empty_axes=1)
