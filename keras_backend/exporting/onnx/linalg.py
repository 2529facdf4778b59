"""Products as operators of ONNX, and sparse matrices, which a file has as dense ones."""

from string import ascii_letters

from ...graph.nodes.dims import same
from ...graph.nodes.tensor import Node
from .lowering import DIRECT, lowers
from .pieces import join
from .writer import Name, Writer


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
    columns = w.op('Range', w.constant(0, 'int64'), width, w.constant(1, 'int64'))
    ends = w.op('Reshape', w.cast(lengths, 'int64'), w.ints(-1, 1))
    return w.op('Where', w.op('Less', columns, ends), labels, w.constant(0, node.dtype))
