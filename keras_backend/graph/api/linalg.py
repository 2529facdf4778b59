"""Products of tensors."""

from ... import shapes
from ...errors import ShapeError
from .. import dtypes
from ..dims import known

K = G = None


def dot(x, y):
    x, y = G.operand(x), G.operand(y)
    if x.sparse:
        if len(y.dims) != 2 or y.sparse:
            raise ShapeError(f'K.dot of the sparse {x.name} needs a dense matrix, got {y.name} of shape {y.shape}.')
        return G.F.sparse_dot(x, G.cast(y, x.dtype), transpose=False)
    if x.dtype != y.dtype or x.dtype == 'bool':
        x, y = G.together(x, y)
    if not x.dims or not y.dims:
        raise ShapeError(
            f'K.dot needs tensors of at least 1 dimension, got {x.name} {x.shape} and {y.name} {y.shape}; use x * y.'
        )
    return G.F.tensordot(x, y, axes_x=(len(x.dims) - 1,), axes_y=(len(y.dims) - 2 if len(y.dims) > 1 else 0,))


def batch_dot(x, y, axes=None):
    x, y = G.together(G.operand(x), G.operand(y))
    nx, ny = len(x.dims), len(y.dims)
    ax, ay = shapes.batch_dot_axes(x.dims, y.dims, axes)
    # (batch, rest of x, summed) times (batch, summed, rest of y)
    rest_x = [i for i in range(1, nx) if i != ax]
    rest_y = [i for i in range(1, ny) if i != ay]
    left, lead = _matrices(x, rest_x, ax, ax == nx - 1)
    right, tail = _matrices(y, rest_y, ay, ay == ny - 1)
    product = G.F.matmul(left, right, transpose_x=ax != nx - 1, transpose_y=ay == ny - 1)
    batch = x.dims[0] if known(x.dims[0]) else y.dims[0]
    shape = [batch if known(batch) else -1] + lead + tail
    if shape[0] == -1 and any([not isinstance(d, int) for d in lead + tail]):
        shape[0] = G.F.getitem(G.F.shape(x), spec=(0,))
    if len(shape) == 1:
        shape.append(1)
    return G.F.reshape(product, shape)


def _matrices(x, rest, summed, last):
    """`x` as one matrix per sample, the summed axis last or first, and the sizes of the rest."""
    order = [0] + rest + [summed] if last else [0, summed] + rest
    if order != list(range(len(order))):
        x = G.F.transpose(x, perm=tuple(order))
    sizes = G.F.items(G.F.shape(x))
    kept = sizes[1:-1] if last else sizes[2:]
    if len(rest) != 1:
        flat = 1
        for d in kept:
            flat = d * flat
        x = G.F.reshape(x, [sizes[0], flat, sizes[-1]] if last else [sizes[0], sizes[1], flat])
    return x, kept


def transpose(x):
    x = G.operand(x)
    return G.F.transpose(x, perm=tuple(reversed(range(len(x.dims)))))


def gather(reference, indices):
    reference, indices = G.operand(reference), G.operand(indices)
    if not reference.dims:
        raise ShapeError(f'K.gather takes along axis 0, but {reference.name} is a scalar.')
    if not dtypes.is_integer(indices.dtype):
        raise TypeError(f'The indices of K.gather are integers, {indices.name} is {indices.dtype}; use K.cast.')
    return G.F.gather(reference, indices)
