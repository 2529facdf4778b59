"""Products of tensors, transposition, and taking rows."""

from typing import Optional

from .engine import K
from .kinds import Axes, Tensor, TensorLike

TITLE = 'Linear algebra'


def dot(x: TensorLike, y: TensorLike) -> Tensor:
    """Product of two tensors: the last axis of `x` with the second to last of `y`.

    Parameters
    ----------
    x : tensor, shape (..., n)
        At least 1-D; may be sparse (2-D).
    y : tensor, shape (..., n, m) or (n,)
        Dense. Its only axis counts if it is 1-D.

    Returns
    -------
    tensor, shape x.shape[:-1] + y.shape[:-2] + y.shape[-1:]
        `result[i, ..., j, ..., k] = sum(x[i, ..., :] * y[j, ..., :, k])`, as `numpy.dot` has it; a
        scalar for two vectors.

    Raises
    ------
    ValueError
        The lengths of the two axes are known and differ.

    Examples
    --------
    >>> x = K.variable([[1., 2.], [3., 4.]])
    >>> y = K.variable([[5.], [6.]])
    >>> K.eval(K.dot(x, y)).tolist()
    [[17.0], [39.0]]
    >>> K.int_shape(K.dot(K.placeholder(shape=(None, 28, 3)), K.placeholder(shape=(3, 4))))
    (None, 28, 4)
    >>> K.int_shape(K.dot(K.ones((2, 3)), K.ones((4, 3, 5))))
    (2, 4, 5)
    """
    return K.dot(x, y)


def batch_dot(x: TensorLike, y: TensorLike, axes: Optional[Axes] = None) -> Tensor:
    """Products of tensors sample by sample.

    Parameters
    ----------
    x : tensor, shape (samples, ...)
        At least 2-D.
    y : tensor, shape (samples, ...)
        At least 2-D.
    axes : int or tuple of two int, optional
        The axes of `x` and `y` to sum over; an int stands for both. None means the last axis of `x`
        and the second to last of `y` (the last if `y` is 2-D).

    Returns
    -------
    tensor, shape (samples, ...)
        The remaining axes of `x`, then those of `y`. Where none remain, the shape is (samples, 1).

    Raises
    ------
    ValueError
        Fewer than 2 axes, axis 0 among `axes`, more than one axis each, or sizes that are known and
        differ.

    Examples
    --------
    >>> x = K.variable([[1., 2.], [3., 4.]])
    >>> y = K.variable([[5., 6.], [7., 8.]])
    >>> K.eval(K.batch_dot(x, y, axes=1)).tolist()
    [[17.0], [53.0]]
    >>> x, y = K.placeholder(shape=(None, 20, 1)), K.placeholder(shape=(None, 30, 20))
    >>> K.int_shape(K.batch_dot(x, y, axes=(1, 2)))
    (None, 1, 30)
    """
    return K.batch_dot(x, y, axes)


def transpose(x: TensorLike) -> Tensor:
    """Reverse the order of the axes.

    Parameters
    ----------
    x : tensor
        Of any shape.

    Returns
    -------
    tensor, shape x.shape[::-1]
        For a matrix, rows become columns.

    See Also
    --------
    permute_dimensions : any other order.

    Examples
    --------
    >>> K.eval(K.transpose(K.variable([[1., 2., 3.], [4., 5., 6.]]))).tolist()
    [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    """
    return K.transpose(x)


def gather(reference: TensorLike, indices: TensorLike) -> Tensor:
    """Take slices of a tensor along the first axis.

    Parameters
    ----------
    reference : tensor, shape (n, ...)
        At least 1-D, such as a table of embeddings.
    indices : tensor of int
        Of any shape, each from 0 to n - 1.

    Returns
    -------
    tensor, shape indices.shape + reference.shape[1:]
        It has the dtype of `reference`.

    Raises
    ------
    IndexError or an error of the library
        In a run, for an index out of range; negative indices are out of range.

    Examples
    --------
    >>> table = K.variable([[1., 2.], [3., 4.], [5., 6.]])
    >>> indices = K.constant([2, 0], dtype='int32')
    >>> K.eval(K.gather(table, indices)).tolist()
    [[5.0, 6.0], [1.0, 2.0]]
    """
    return K.gather(reference, indices)
