"""Sparse matrices: ONNX has none, so a file has dense ones with the same entries in their place."""

from ...graph.nodes.tensor import Node
from .lowering import DIRECT, lowers
from .pieces import join
from .writer import Name, Writer

DIRECT['to_dense'] = 'Identity'


@lowers('sparse_cast')
def sparse_cast(w: Writer, node: Node, x: Name) -> Name:
    return w.cast(x, node.attrs['dtype'])


@lowers('sparse_dot')
def sparse_dot(w: Writer, node: Node, x: Name, y: Name) -> Name:
    if node.attrs['transpose']:
        x = w.transpose(x, (1, 0))
    rank = len(node.inputs[1].dims)
    if rank < 3:
        return w.op('MatMul', x, y)
    tail = w.op('Shape', y, start=1)
    length = w.op('ReduceProd', tail, keepdims=1)
    rows = w.op('Reshape', y, join(w, [w.op('Shape', y, start=0, end=1), length]), allowzero=1)
    shape = join(w, [w.op('Shape', x, start=0, end=1), tail])
    return w.op('Reshape', w.op('MatMul', x, rows), shape, allowzero=1)


@lowers('sparse_concatenate')
def sparse_concatenate(w: Writer, node: Node, *xs: Name) -> Name:
    return w.op('Concat', *xs, axis=node.attrs['axis'])


@lowers('ctc_sparse')
def ctc_sparse(w: Writer, node: Node, labels: Name, lengths: Name) -> Name:
    """The labels within their lengths, zeros beyond."""
    width = w.op('Gather', w.op('Shape', labels), w.constant(1, 'int64'))
    place = w.op('Range', w.constant(0, 'int64'), width, w.constant(1, 'int64'))
    ends = w.op('Reshape', w.cast(lengths, 'int64'), w.ints(-1, 1))
    return w.op('Where', w.op('Less', place, ends), labels, w.constant(0, node.dtype))
