"""Products and matrices, by the names and arguments of TensorFlow 2.

Source: its documentation.
"""
# ruff: noqa: A002

from typing import Any, Tuple

import numpy as np
from keras import ops

from .arguments import axes_of, paired


def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
    adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False, name: Any = None, **more: Any
) -> Any:  # fmt: skip
    """Products of matrices, the last two axes, or of their transposes."""
    a, b = paired(a, b)
    a = matrix_transpose(a, conjugate=adjoint_a) if transpose_a or adjoint_a else a
    b = matrix_transpose(b, conjugate=adjoint_b) if transpose_b or adjoint_b else b
    return ops.matmul(a, b)


def matvec(a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, name: Any = None, **more: Any) -> Any:
    """Products of matrices and vectors."""
    return ops.squeeze(matmul(a, ops.expand_dims(b, -1), transpose_a, adjoint_a=adjoint_a), -1)


def matrix_transpose(a: Any, name: Any = None, conjugate: bool = False) -> Any:
    """The last two axes in the other order."""
    return ops.swapaxes(ops.conj(a) if conjugate else a, -1, -2)


def tensordot(a: Any, b: Any, axes: Any, name: Any = None) -> Any:
    """Sums of products along axes of both tensors."""
    axes = int(axes) if np.ndim(axes) == 0 else [[int(e) for e in np.atleast_1d(indices)] for indices in axes]
    return ops.tensordot(*paired(a, b), axes=axes)


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """Sums of products by the letters of their axes."""
    return ops.einsum(equation, *inputs)


def diag(diagonal: Any, name: Any = None, k: int = 0, **more: Any) -> Any:
    """Matrices with these diagonals and zeros elsewhere."""
    _main(k, 'diag')
    return ops.expand_dims(diagonal, -1) * _eye(diagonal.shape[-1], diagonal)


def diag_part(input: Any, name: Any = None, k: int = 0, **more: Any) -> Any:
    """The diagonals of matrices."""
    _main(k, 'diag_part')
    return ops.diagonal(input, axis1=-2, axis2=-1)


def set_diag(input: Any, diagonal: Any, name: Any = None, k: int = 0, **more: Any) -> Any:
    """Matrices with other diagonals."""
    _main(k, 'set_diag')
    rows, columns = input.shape[-2:]
    on = ops.convert_to_tensor(np.eye(rows, columns, dtype=bool))
    if rows > columns:
        diagonal = ops.pad(diagonal, [[0, 0]] * (len(diagonal.shape) - 1) + [[0, rows - columns]])
    return ops.where(on, ops.expand_dims(diagonal, -1), input)


def _main(k: Any, name: str) -> None:
    if np.ndim(k) or k != 0:
        raise ValueError(f'tf.linalg.{name}: k is 0 here, the main diagonal, and {k} was given.')


def _eye(size: int, like: Any) -> Any:
    return ops.cast(ops.eye(size), like.dtype)


def band_part(input: Any, num_lower: Any, num_upper: Any, name: Any = None) -> Any:
    """Matrices with zeros outside of a band around the diagonal. A negative width is all of that side."""
    rows, columns = input.shape[-2:]
    if None in (rows, columns):
        raise ValueError(f'tf.linalg.band_part: the shape {tuple(input.shape)} of the matrices is not known.')
    i, j = np.mgrid[:rows, :columns]
    lower, upper = int(num_lower), int(num_upper)
    kept = ((i - j <= lower) | (lower < 0)) & ((j - i <= upper) | (upper < 0))
    return ops.where(ops.convert_to_tensor(kept), input, ops.zeros_like(input))


def inv(input: Any, adjoint: bool = False, name: Any = None) -> Any:
    """Inverses of matrices."""
    return ops.inv(matrix_transpose(input, conjugate=True) if adjoint else input)


def det(input: Any, name: Any = None) -> Any:
    """Determinants."""
    return ops.det(input)


def logdet(matrix: Any, name: Any = None) -> Any:
    """Logarithms of the determinants of positive definite matrices."""
    return 2.0 * ops.sum(ops.log(ops.diagonal(ops.cholesky(matrix), axis1=-2, axis2=-1)), -1)


def cholesky(input: Any, name: Any = None) -> Any:
    """Lower triangles whose squares are the matrices."""
    return ops.cholesky(input)


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: Any = None) -> Any:
    """Singular values, and u and v, not transposed, as TensorFlow orders them."""
    if not compute_uv:
        return ops.svd(tensor, full_matrices, False)
    u, s, vh = ops.svd(tensor, full_matrices, True)
    return s, u, matrix_transpose(vh, conjugate=False)


def eigh(tensor: Any, name: Any = None) -> Any:
    """Eigenvalues of symmetric matrices in ascending order, and eigenvectors in columns."""
    return ops.eigh(tensor)


def qr(input: Any, full_matrices: bool = False, name: Any = None) -> Tuple[Any, Any]:
    """Orthogonal and upper triangular factors."""
    q, r = ops.qr(input, mode='complete' if full_matrices else 'reduced')
    return q, r


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: Any = None) -> Any:
    """Solutions of systems of equations."""
    return ops.solve(matrix_transpose(matrix, conjugate=True) if adjoint else matrix, paired(matrix, rhs)[1])


def trace(x: Any, name: Any = None) -> Any:
    """Sums of the diagonals."""
    return ops.trace(x, axis1=-2, axis2=-1)


def norm(tensor: Any, ord: Any = 'euclidean', axis: Any = None, keepdims: Any = None, name: Any = None) -> Any:
    """Norms of vectors, or of all elements."""
    axes, keep = axes_of(axis), bool(keepdims)
    if ord in ('euclidean', 2) and (ord != 2 or not isinstance(axes, tuple)):
        return ops.sqrt(ops.sum(ops.square(ops.abs(tensor)), axes, keepdims=keep))
    if isinstance(axes, tuple) or isinstance(ord, str):
        raise ValueError(f'tf.norm: ord={ord!r} of matrices is not here; write keras.ops.norm.')
    size = ops.abs(tensor)
    if np.isinf(ord):
        return ops.max(size, axes, keepdims=keep)
    if ord == 1:
        return ops.sum(size, axes, keepdims=keep)
    return ops.power(ops.sum(ops.power(size, ord), axes, keepdims=keep), 1.0 / ord)


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: Any = None) -> Any:
    """Vectors of the length 1. The square of a length counts as epsilon where it is smaller."""
    total = ops.sum(ops.square(x), axes_of(axis), keepdims=True)
    return x * ops.rsqrt(ops.maximum(total, epsilon))
