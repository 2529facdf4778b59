"""Kernels on scipy.sparse matrices (CSR). SciPy is imported when one of them runs."""

from typing import Any

import numpy as np

from .common import Array, DType

Matrix = Any  # of scipy.sparse


def _scipy_sparse() -> Any:
    try:
        import scipy.sparse
    except ImportError:
        raise ImportError(
            'Sparse tensors of the NumPy engine are scipy.sparse matrices, and SciPy is not installed; '
            'type: pip install scipy'
        ) from None
    return scipy.sparse


def to_dense(x: Any) -> Array:
    """`x` as an array; an array passes through."""
    return x if isinstance(x, (np.ndarray, np.generic)) else x.toarray()


def sparse_cast(x: Matrix, dtype: DType) -> Matrix:
    """`x` as a matrix of `dtype`, of which every entry is cast as one of an array is."""
    return x.astype(dtype)


def sparse_dot(x: Matrix, y: Array, transpose: bool = False) -> Array:
    """x . y, or transposed x . y, as an array; `y` is dense and its first axis is summed."""
    if transpose:
        x = x.T
    rows = y.reshape(y.shape[0], -1) if y.ndim > 2 and y.size else y
    product = to_dense(x.dot(rows))
    return product.reshape(product.shape[:1] + y.shape[1:]).astype(y.dtype, copy=False)


def sparse_concatenate(*xs: Any, axis: int) -> Matrix:
    """Matrices, sparse or not, one after another along `axis`."""
    sparse = _scipy_sparse()
    join = sparse.hstack if axis in (1, -1) else sparse.vstack
    return join([sparse.csr_matrix(x) for x in xs], 'csr', xs[0].dtype)


def ctc_sparse(labels: Array, lengths: Array) -> Matrix:
    """The matrix of the labels within their lengths."""
    sparse = _scipy_sparse()
    batch, longest = labels.shape
    inside = np.arange(longest) < np.asarray(lengths).reshape(-1, 1)
    # Compiled code follows the starts without a check, so they are counted: a length may be negative, too large or NaN.
    starts = np.concatenate(([0], np.cumsum(inside.sum(axis=1))))
    return sparse.csr_matrix((labels[inside], np.nonzero(inside)[1], starts), (batch, longest))


PRIMITIVES = {f.__name__: f for f in (to_dense, sparse_cast, sparse_dot, sparse_concatenate, ctc_sparse)}
