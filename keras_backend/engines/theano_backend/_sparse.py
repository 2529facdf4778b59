"""Sparse matrices: telling them apart, and their types."""

from typing import Any

from ...errors import ArgumentTypeError
from ._graph import check
from ._library import SparseType, Variable, sparse


def is_sparse(x: Any) -> bool:
    """Whether `x` is a sparse tensor."""
    return isinstance(x, Variable) and isinstance(x.type, SparseType)


def densify(x: Any) -> Any:
    """The tensor `x` as a dense one."""
    return sparse.dense_from_sparse(check(x)) if is_sparse(x) else check(x)


def sparse_type(dtype: str) -> Any:
    """The type of sparse matrices of this dtype."""
    try:
        return SparseType('csr', dtype)
    except NotImplementedError:
        raise ArgumentTypeError(
            f'Theano has no sparse tensors of dtype {dtype}; use float32, float64 or an integer dtype.'
        ) from None
