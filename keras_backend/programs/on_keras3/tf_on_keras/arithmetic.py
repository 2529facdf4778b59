"""Arithmetic of TensorFlow over keras.ops: what a table says in one word, and functions with arguments of their own.

Source of names, arguments and meanings: the documentation of TensorFlow 2.
"""
# ruff: noqa: A002

from collections import namedtuple
from typing import Any, Callable, List, Optional, Tuple

import numpy as np
from keras import ops

from .arguments import K, as_tensor, axes_of, dtype_of, paired


def of_one(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of one tensor. TensorFlow has several names for its argument."""

    def call(*tensor: Any, name: Any = None, **named: Any) -> Any:
        (value,) = [*tensor, *named.values()]
        return function(value)

    call.__name__ = name
    return call


def of_two(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of two tensors. An array beside a tensor gets its dtype, as in TensorFlow."""

    def call(x: Any, y: Any, name: Any = None) -> Any:
        return function(*paired(x, y))

    call.__name__ = name
    return call


def reduction(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction. The mean of integers is an integer, rounded toward 0."""

    def call(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None, **old: Any) -> Any:
        axis = axes_of(old.pop('reduction_indices', axis))
        keepdims = bool(old.pop('keep_dims', keepdims))
        if old:
            raise TypeError(f'tf.{call.__name__} has no argument {next(iter(old))!r}.')
        x = as_tensor(input_tensor)
        reduced = function(x, axis=axis, keepdims=keepdims)
        dtype = K.dtype(x)
        return ops.cast(reduced, dtype) if call.__name__ == 'reduce_mean' and 'int' in dtype else reduced

    call.__name__ = name
    return call


def sign(x: Any, name: Any = None) -> Any:
    """-1, 0 or 1; NaN of NaN."""
    return ops.where(ops.isnan(x), x, ops.sign(x)) if 'float' in K.dtype(x) else ops.sign(x)


def imag(input: Any, name: Any = None) -> Any:
    """The imaginary parts, 0 of real numbers."""
    return ops.imag(input) if 'complex' in K.dtype(input) else ops.zeros_like(input)


def argmax(input: Any, axis: Any = None, output_type: Any = 'int64', name: Any = None) -> Any:
    """Places of the largest elements along an axis, the first one unless another is given."""
    return ops.cast(K.argmax(input, 0 if axis is None else int(axis)), dtype_of(output_type, places=True))


def argmin(input: Any, axis: Any = None, output_type: Any = 'int64', name: Any = None) -> Any:
    """Places of the smallest elements along an axis, the first one unless another is given."""
    return ops.cast(K.argmin(input, 0 if axis is None else int(axis)), dtype_of(output_type, places=True))


def cumsum(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: Any = None) -> Any:
    """Sums of the elements up to each, with it or without it, from either end."""
    return _cumulative(ops.cumsum, ops.zeros_like, x, axis, exclusive, reverse)


def cumprod(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: Any = None) -> Any:
    """Products of the elements up to each, with it or without it, from either end."""
    return _cumulative(ops.cumprod, ops.ones_like, x, axis, exclusive, reverse)


def _cumulative(function: Any, first: Any, x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    x = as_tensor(x)
    axis = axis % len(x.shape)
    x = ops.flip(x, axis) if reverse else x
    if exclusive:
        before = (slice(None),) * axis
        x = ops.concatenate([first(x[(*before, slice(0, 1))]), x[(*before, slice(None, -1))]], axis)
    cumulated = function(x, axis=axis)
    return ops.flip(cumulated, axis) if reverse else cumulated


def add_n(inputs: List[Any], name: Any = None) -> Any:
    """The sum of tensors of one shape."""
    total = inputs[0]
    for tensor in inputs[1:]:
        total = ops.add(*paired(total, tensor))
    return total


def squared_difference(x: Any, y: Any, name: Any = None) -> Any:
    """The square of a difference, element by element."""
    return ops.square(ops.subtract(*paired(x, y)))


def multiply_no_nan(x: Any, y: Any, name: Any = None) -> Any:
    """A product that is 0 where y is 0, also for an infinite x and for NaN."""
    x, y = paired(x, y)
    none = ops.equal(y, 0)
    return ops.where(none, ops.zeros_like(y), ops.multiply(ops.where(none, ops.zeros_like(y), x), y))


def xlogy(x: Any, y: Any, name: Any = None) -> Any:
    """The product of x and log(y), 0 where x is 0."""
    x, y = paired(x, y)
    none = ops.equal(x, 0)
    return ops.where(none, ops.zeros_like(x), ops.multiply(x, ops.log(ops.where(none, ops.ones_like(y), y))))


def count_nonzero(input: Any, axis: Any = None, keepdims: Any = None, dtype: Any = 'int64', name: Any = None) -> Any:
    """The number of elements that are not 0."""
    there = ops.cast(ops.not_equal(input, 0), 'int32')
    return ops.cast(ops.sum(there, axes_of(axis), bool(keepdims)), dtype_of(dtype, places=True))


TopK = namedtuple('TopK', ['values', 'indices'])


def top_k(input: Any, k: int = 1, sorted: bool = True, index_type: Any = 'int32', name: Any = None) -> TopK:
    """The k largest elements of the last axis, and their places."""
    values, indices = ops.top_k(input, int(k), sorted=sorted)
    return TopK(values, ops.cast(indices, dtype_of(index_type)))


def in_top_k(targets: Any, predictions: Any, k: int, name: Any = None) -> Any:
    """Whether the class of each row is among its k largest predictions."""
    return K.in_top_k(predictions, targets, int(k))


def segment_sum(data: Any, segment_ids: Any, name: Any = None) -> Any:
    """Sums of the rows with the same number. The numbers are in order, and the largest one has to be known."""
    if K.is_symbolic(segment_ids):
        raise ValueError(
            'tf.math.segment_sum makes as many rows as the run tells, which cannot be said while a model is built; '
            'write tf.math.unsorted_segment_sum with num_segments.'
        )
    return ops.segment_sum(data, segment_ids, num_segments=int(np.max(ops.convert_to_numpy(segment_ids))) + 1)


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: Any = None) -> Any:
    """Sums of the rows with the same number. Rows with a negative number count nowhere."""
    data, ids = as_tensor(data), as_tensor(segment_ids)
    rows = ops.reshape(data, (-1, *data.shape[len(ids.shape) :]))
    flat, count = ops.reshape(ids, (-1,)), int(num_segments)
    sums = ops.segment_sum(rows, ops.where(flat < 0, ops.full_like(flat, count), flat), num_segments=count + 1)
    return ops.slice(sums, [0] * len(sums.shape), (count, *sums.shape[1:]))


def confusion_matrix(
    labels: Any, predictions: Any, num_classes: Optional[int] = None, weights: Any = None, dtype: Any = 'int32',
    name: Any = None,
) -> Any:  # fmt: skip
    """How often each label (rows) was predicted as each class (columns)."""
    if num_classes is None:
        both = [np.max(ops.convert_to_numpy(classes)) for classes in (labels, predictions)]
        num_classes = int(max(both)) + 1
    rows = ops.one_hot(ops.cast(labels, 'int32'), num_classes, dtype='float32')
    columns = ops.one_hot(ops.cast(predictions, 'int32'), num_classes, dtype='float32')
    if weights is not None:
        rows = rows * ops.expand_dims(ops.cast(weights, 'float32'), -1)
    return ops.cast(ops.matmul(ops.transpose(rows), columns), dtype_of(dtype))


def bincount(arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = 'int32',
             name: Any = None) -> Any:  # fmt: skip
    """How often each number from 0 occurs, or the sums of its weights."""
    if maxlength is not None:
        raise ValueError('tf.math.bincount: maxlength is not taken here; cut the result: [:maxlength].')
    counts = ops.bincount(ops.reshape(arr, (-1,)), weights=weights, minlength=int(minlength or 0))
    return counts if weights is not None else ops.cast(counts, dtype_of(dtype))


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: Any = None) -> Any:
    """Each element between two bounds, which may be tensors."""
    return ops.minimum(*paired(ops.maximum(*paired(t, clip_value_min)), clip_value_max))


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: Any = None) -> Any:
    """A tensor whose Euclidean norm is at most clip_norm."""
    total = ops.sum(ops.square(t), axes_of(axes), keepdims=True)
    safe = ops.where(total > 0, total, ops.ones_like(total))
    norm = ops.where(total > 0, ops.sqrt(safe), total)
    return ops.divide(ops.multiply(t, clip_norm), ops.maximum(norm, clip_norm))


def global_norm(t_list: List[Any], name: Any = None) -> Any:
    """The Euclidean norm of all elements of several tensors. None has no elements."""
    return ops.sqrt(add_n([ops.sum(ops.square(tensor)) for tensor in t_list if tensor is not None]))


def clip_by_global_norm(
    t_list: List[Any], clip_norm: Any, use_norm: Any = None, name: Any = None
) -> Tuple[List[Any], Any]:
    """Tensors whose common norm is at most clip_norm, and the norm that they had."""
    norm = global_norm(t_list) if use_norm is None else use_norm
    scale = ops.divide(clip_norm, ops.maximum(norm, clip_norm))
    return [None if tensor is None else ops.multiply(tensor, scale) for tensor in t_list], norm


# -- products and matrices ---------------------------------------------------------------------------------------------
# Products and matrices, by the names and arguments of TensorFlow 2.
#
# Source: its documentation.


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
