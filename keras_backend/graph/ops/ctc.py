"""Decoding and sparse tensors: primitives that engines run on concrete arrays."""

from ...errors import ShapeError
from ..dims import known
from . import gradient_of, op


def _paths(y, n):
    return tuple(((y.dims[0], None), 'int64') for _ in range(n))


@op()
def ctc_greedy(y, lengths):
    return _paths(y, 1) + (((y.dims[0], 1), y.dtype),)


@op()
def ctc_beam(y, lengths, beam_width, top_paths, merge_repeated):
    return _paths(y, top_paths) + (((y.dims[0], top_paths), y.dtype),)


@op()
def item(x, index):
    """One of the results of a primitive that has several."""
    return x.results[index]


@op(sparse=True)
def ctc_sparse(labels, lengths):
    return labels.dims, labels.dtype


@op(sparse=True)
def to_dense(x):
    return x.dims, x.dtype


@op(sparse=True)
def sparse_cast(x, dtype):
    return x.dims, dtype


@op(sparse=True)
def sparse_dot(x, y, transpose):
    inner = 0 if transpose else 1
    if known(x.dims[inner]) and known(y.dims[0]) and x.dims[inner] != y.dims[0]:
        raise ShapeError(f'{x.name} of shape {x.shape} and {y.name} of shape {y.shape} cannot be multiplied.')
    return (x.dims[1 - inner],) + y.dims[1:], y.dtype


@op(sparse=True)
def sparse_concatenate(*xs, axis):
    sizes = [x.dims[axis] for x in xs]
    dims = list(xs[0].dims)
    dims[axis] = sum(sizes) if all(known(s) for s in sizes) else None
    return tuple(dims), xs[0].dtype


@gradient_of('to_dense', 'sparse_cast')
def _(F, node, g):
    return (g,)


@gradient_of('sparse_dot')
def _(F, node, g):
    x = node.inputs[0]
    return None, F.sparse_dot(x, g, transpose=not node.attrs['transpose'])
