"""Products as operators of ONNX, sparse matrices, which a file has as dense ones, and the decoding of CTC."""

from string import ascii_letters
from typing import List

from ...graph.nodes.base import same
from ...graph.nodes.tensor import Node
from .lowering import DIRECT, LOWERINGS, REFUSED, lowers
from .reduction import largest_place
from .writer import Name, Writer, filled, join


@lowers('tensordot')
def tensordot(w: Writer, node: Node, x: Name, y: Name) -> Name:
    rank_x, rank_y = [len(t.dims) for t in node.inputs]
    axes_x = [axis % rank_x for axis in node.attrs['axes_x']]
    axes_y = [axis % rank_y for axis in node.attrs['axes_y']]
    # onnxruntime up to 1.23 makes one product of a MatMul and a transposition before it, which float64 does not have
    is_double = node.dtype == 'float64'
    if rank_y == 2 and len(axes_x) == 1 and not is_double:
        if axes_x[0] == rank_x - 1 or rank_x == 2:
            # products of matrices, which every runner has, and has fast
            x = x if axes_x[0] == rank_x - 1 else w.transpose(x, [1, 0])
            return w.op('MatMul', x, y if axes_y[0] == 0 else w.transpose(y, [1, 0]))
    if rank_x == rank_y == len(axes_x) == 1 and not is_double:
        return w.op('MatMul', x, y)
    if not axes_x:
        later = w.unsqueeze(x, *range(rank_x, rank_x + rank_y)) if rank_y else x
        return w.op('Mul', later, y)
    rest_x = [i for i in range(rank_x) if i not in axes_x]
    rest_y = [j for j in range(rank_y) if j not in axes_y]
    # onnxruntime dies of an empty second operand whose axes Einsum has to put in another order
    x, y = w.transpose(x, rest_x + axes_x), w.transpose(y, axes_y + rest_y)
    return w.op('Einsum', x, y, equation=_equation(len(rest_x), len(axes_x), len(rest_y)))


def _equation(rest_x: int, summed: int, rest_y: int) -> str:
    """Such as 'abc,cd->abd': a letter for each axis. Those that are summed come last in x and first in y."""
    of_x, of_y = ascii_letters[: rest_x + summed], ascii_letters[rest_x : rest_x + summed + rest_y]
    return f'{of_x},{of_y}->{of_x[:rest_x]}{of_y[summed:]}'


@lowers('matmul')
def matmul(w: Writer, node: Node, x: Name, y: Name) -> Name:
    rank = len(node.dims)
    y = _of_equal_batches(w, node, x, y)
    swapped = [*range(rank - 2), rank - 1, rank - 2]
    x = w.transpose(x, swapped) if node.attrs['transpose_x'] else x
    y = w.transpose(y, swapped) if node.attrs['transpose_y'] else y
    if node.dtype == 'float64':
        batch = ascii_letters[: rank - 2]
        return w.op('Einsum', x, y, equation=f'{batch}xz,{batch}zy->{batch}xy')
    return w.op('MatMul', x, y)


def _of_equal_batches(w: Writer, node: Node, x: Name, y: Name) -> Name:
    """`y`, so that a run with batches of unlike size fails, as it does in K: an operator would repeat a batch of 1."""
    batch = len(node.dims) - 2
    if all([same(d, e) for d, e in zip(node.inputs[0].dims[:batch], node.inputs[1].dims[:batch])]):
        return y
    shape = w.op('Concat', w.op('Shape', x, start=0, end=batch), w.op('Shape', y, start=batch), axis=0)
    return w.op('Reshape', y, shape, allowzero=1)


# -- sparse matrices ---------------------------------------------------------------------------------------------------
# Sparse matrices: ONNX has none, so a file has dense ones with the same entries in their place.


DIRECT['to_dense'] = 'Identity'


LOWERINGS.update(
    {
        'sparse_cast': lambda w, node, x: w.cast(x, node.attrs['dtype']),
        'sparse_concatenate': lambda w, node, *xs: w.op('Concat', *xs, axis=node.attrs['axis']),
    }
)


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


@lowers('ctc_sparse')
def ctc_sparse(w: Writer, node: Node, labels: Name, lengths: Name) -> Name:
    """The labels within their lengths, zeros beyond."""
    width = w.op('Gather', w.op('Shape', labels), w.constant(1, 'int64'))
    columns = w.op('Range', w.constant(0, 'int64'), width, w.constant(1, 'int64'))
    ends = w.op('Reshape', w.cast(lengths, 'int64'), w.ints(-1, 1))
    return w.op('Where', w.op('Less', columns, ends), labels, w.constant(0, node.dtype))


# -- connectionist temporal classification -----------------------------------------------------------------------------
# Decoding of connectionist temporal classification as operators of ONNX, which has none of its own.

REFUSED['ctc_beam'] = (
    'a beam search needs lists that grow, and ONNX has tensors; write greedy=True, or make K.log(y_pred) an output and '
    'search outside of the file'
)


@lowers('ctc_greedy')
def ctc_greedy(w: Writer, node: Node, y: Name, lengths: Name) -> List[Name]:
    """The best label of each time, without repetitions and blanks, moved together to the left."""
    dtype = node.inputs[0].dtype
    zero, one = w.constant(0, 'int64'), w.constant(1, 'int64')
    sizes = w.op('Shape', y)
    batch, time = w.op('Slice', sizes, w.ints(0), w.ints(1)), w.op('Gather', sizes, one)
    blank = w.op('Sub', w.op('Gather', sizes, w.constant(2, 'int64')), one)
    ends = w.op('Reshape', w.cast(lengths, 'int64'), w.ints(-1, 1))
    counts = w.op('Less', w.op('Range', zero, time, one), ends)
    best = largest_place(w, y, dtype, 2)
    # at the first time there is no label before; nothing is -1
    before = w.op('Pad', w.slice(best, 1, 0, -1), w.ints(0, 1, 0, 0), w.constant(-1, 'int64'))
    new = w.op('Not', w.op('Equal', best, before))
    kept = w.op('And', w.op('And', counts, new), w.op('Not', w.op('Equal', best, blank)))
    number = w.op('CumSum', w.cast(kept, 'int64'), one)
    # one more column takes what is not kept; it goes in the end, as does what is wider than the longest path
    width = w.op('Reshape', time, w.ints(1))
    column = w.op('Where', kept, w.op('Sub', number, one), time)
    paths = filled(w, join(w, [batch, w.op('Add', width, w.ints(1))]), -1, 'int64')
    paths = w.op('ScatterElements', paths, column, best, axis=1)
    counted = w.op('Concat', w.op('Reshape', number, w.ints(-1)), w.ints(0), axis=0)
    paths = w.op('Slice', paths, w.ints(0), w.reduce('ReduceMax', counted, (0,), True), w.ints(1))

    largest = w.squeeze(w.op('GatherElements', y, w.unsqueeze(best, 2), axis=2), 2)
    largest = w.cast(largest, 'float64')
    inside = w.op('Where', counts, largest, w.constant(0, 'float64'))
    return [paths, w.cast(w.op('Neg', w.reduce('ReduceSum', inside, (1,), True)), dtype)]
