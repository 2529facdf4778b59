"""Products. numpy.dot of anything but matrices leaves BLAS, so operands are laid out as matrices first."""

from functools import partial
from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np

from ..errors import ShapeError
from .common import Array, Attrs, DType, Ints, Kernel, Special, product, widened

Plan = Tuple[Ints, Ints, Ints, Ints]  # free x, summed x, free y, summed y


def _matrix(x: Array, free: Ints, summed: Ints) -> Array:
    """`x` as a matrix (free, summed), without a copy where the axes already stand so or the other way round."""
    rank = x.ndim
    order = free + summed
    if order == tuple(range(rank)):
        pass
    elif summed + free == tuple(range(rank)):
        shape = x.shape
        return x.reshape(product([shape[i] for i in summed]), product([shape[i] for i in free])).T
    else:
        x = x.transpose(order)
    shape = x.shape
    n = len(free)
    return x.reshape(product(shape[:n]), product(shape[n:]))


def _plan(rank_x: int, rank_y: int, axes_x: Sequence[int], axes_y: Sequence[int]) -> Plan:
    """(free x, summed x, free y, summed y) with the pairs in the order that saves most copies."""
    axes_x = [axis % rank_x for axis in axes_x]
    axes_y = [axis % rank_y for axis in axes_y]
    pairs = sorted(zip(axes_x, axes_y))
    free_x = tuple([i for i in range(rank_x) if i not in axes_x])
    free_y = tuple([i for i in range(rank_y) if i not in axes_y])
    return free_x, tuple([i for i, _j in pairs]), free_y, tuple([j for _i, j in pairs])


@widened
def tensordot(x: Array, y: Array, axes_x: Ints, axes_y: Ints) -> Array:
    """The sum over pairs of axes; the other axes of x come first, then those of y."""
    free_x, summed_x, free_y, summed_y = _plan(x.ndim, y.ndim, axes_x, axes_y)
    return _dot(x, y, free_x, summed_x, free_y, summed_y)


def _dot(x: Array, y: Array, free_x: Ints, summed_x: Ints, free_y: Ints, summed_y: Ints) -> Array:
    shape = tuple([x.shape[i] for i in free_x]) + tuple([y.shape[j] for j in free_y])
    # a view of the result of dot, which is an array of its own
    return np.dot(_matrix(x, free_x, summed_x), _matrix(y, free_y, summed_y).T).reshape(shape)


def _for_blas(x: Array) -> Array:
    """`x`, copied where neither of the last two axes is contiguous: NumPy would multiply that by loops."""
    strides, size = x.strides, x.itemsize
    if (strides[-1] == size and strides[-2] >= size) or (strides[-2] == size and strides[-1] >= size):
        return x
    return x.copy()


def check_batches(x: Ints, y: Ints) -> None:
    """Refuse to multiply matrices of the shapes `x` and `y`, which belong to other batches."""
    if x[:-2] != y[:-2]:
        raise ShapeError(
            f'Matrices of the shapes {tuple(x)} and {tuple(y)} cannot be multiplied in batches: the axes before the '
            'last two have to be equal.'
        )


@widened
def matmul(x: Array, y: Array, transpose_x: bool = False, transpose_y: bool = False) -> Array:
    """Products of the matrices in the last two axes; the axes before them are the same."""
    check_batches(x.shape, y.shape)
    if transpose_x:
        x = x.swapaxes(-1, -2)
    if transpose_y:
        y = y.swapaxes(-1, -2)
    if x.dtype.kind == 'f':
        x, y = _for_blas(x), _for_blas(y)
    return np.matmul(x, y)


# -- with ranks and axes known -----------------------------------------------------------------------------------
_MATRICES: Dict[Plan, Kernel] = {
    ((0,), (1,), (1,), (0,)): np.dot,
    ((1,), (0,), (1,), (0,)): lambda x, y: np.dot(x.T, y),
    ((0,), (1,), (0,), (1,)): lambda x, y: np.dot(x, y.T),
    ((1,), (0,), (0,), (1,)): lambda x, y: np.dot(x.T, y.T),
}


def _specialize_tensordot(ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
    if dtypes[0] == 'float16':
        return None
    plan = free_x, summed_x, free_y, summed_y = _plan(ranks[0], ranks[1], attrs['axes_x'], attrs['axes_y'])
    if ranks == (2, 2):
        # a free axis each, and the matrices as they are or transposed
        return _MATRICES.get(plan) or partial(_dot, free_x=free_x, summed_x=summed_x, free_y=free_y, summed_y=summed_y)
    if len(summed_x) == 1 and ranks[0] <= 2 and ranks[1] <= 2 and summed_x[0] == ranks[0] - 1 and summed_y[0] == 0:
        dot: Kernel = np.dot
        return dot
    if ranks[1] == 2 and len(summed_x) == 1 and summed_x[0] == ranks[0] - 1:
        return _rows_by_matrix(summed_y[0] == 1)
    return partial(_dot, free_x=free_x, summed_x=summed_x, free_y=free_y, summed_y=summed_y)


def _rows_by_matrix(transposed: bool) -> Kernel:
    """The last axis of x times a matrix."""

    def kernel(x: Array, y: Array) -> Array:
        if transposed:
            y = y.T
        shape = x.shape
        return np.dot(x.reshape(product(shape[:-1]), shape[-1]), y).reshape(shape[:-1] + y.shape[1:])

    return kernel


def _specialize_matmul(ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
    if dtypes[0] == 'float16':
        return None
    kernel: Any = matmul
    transpose_x, transpose_y, plain = attrs['transpose_x'], attrs['transpose_y'], kernel.plain
    return lambda x, y: plain(x, y, transpose_x, transpose_y)


SPECIAL: Dict[str, Special] = {'tensordot': _specialize_tensordot, 'matmul': _specialize_matmul}


# -- sparse ------------------------------------------------------------------------------------------------------------
# Kernels on scipy.sparse matrices (CSR). SciPy is imported when one of them runs.


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


PRIMITIVES = {
    f.__name__: f for f in (tensordot, matmul, to_dense, sparse_cast, sparse_dot, sparse_concatenate, ctc_sparse)
}
