"""Sparse matrices, of `theano.sparse`."""

from ...errors import ShapeError
from ._convert import cast, operand
from ._graph import check, describe
from ._library import SparseType, Variable, sparse


def is_sparse(x):
    """Whether `x` is a sparse tensor."""
    return isinstance(x, Variable) and isinstance(x.type, SparseType)


def densify(x):
    """`x` as a dense tensor."""
    return sparse.dense_from_sparse(check(x)) if is_sparse(x) else operand(x)


def dot(x, y):
    """The product of a sparse matrix and a dense one, on either side."""
    if is_sparse(x) and is_sparse(y):
        raise TypeError(
            f'K.dot of two sparse tensors, {describe(x)} and {describe(y)}, is not possible; use K.to_dense on one of '
            'them.'
        )
    dense = operand(y if is_sparse(x) else x)
    if dense.type.ndim != 2:
        raise ShapeError(f'A sparse matrix is multiplied with a matrix, got a tensor of rank {dense.type.ndim}.')
    if is_sparse(x):
        return sparse.dot(check(x), cast(dense, x.dtype))
    return sparse.dot(cast(dense, y.dtype), check(y))


def cast_to(kind, x):
    """The sparse matrix `x` as one of the type `kind`, itself if it is one."""
    return check(x) if x.type == kind else sparse.cast(check(x), kind.dtype)


def concatenate(tensors, axis):
    """Sparse matrices joined to one."""
    join = sparse.hstack if axis else sparse.vstack
    return join([check(t) for t in tensors], format='csr')
