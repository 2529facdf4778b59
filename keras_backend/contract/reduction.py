"""Functions that make a tensor smaller along its axes."""

from typing import Optional

from .engine import K
from .kinds import Axes, Axis, Flag, Tensor, TensorLike

TITLE = 'Reductions'


def max(x: TensorLike, axis: Optional[Axes] = None, keepdims: Flag = False) -> Tensor:
    """Largest element.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.
    axis : int or list of int, optional
        Axes to reduce, negative ones count from the end. None means all.
    keepdims : bool, optional
        Keep the reduced axes with length 1.

    Returns
    -------
    tensor
        It has the dtype of `x`.

    Notes
    -----
    Elements that share the maximum share its gradient equally.

    Examples
    --------
    >>> x = K.variable([[1., 5.], [4., 2.]])
    >>> float(K.eval(K.max(x)))
    5.0
    >>> K.eval(K.max(x, axis=-1, keepdims=True)).tolist()
    [[5.0], [4.0]]
    """
    return K.max(x, axis, keepdims)


def min(x: TensorLike, axis: Optional[Axes] = None, keepdims: Flag = False) -> Tensor:
    """Smallest element.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.
    axis : int or list of int, optional
        Axes to reduce, negative ones count from the end. None means all.
    keepdims : bool, optional
        Keep the reduced axes with length 1.

    Returns
    -------
    tensor
        It has the dtype of `x`.

    Notes
    -----
    Elements that share the minimum share its gradient equally.

    Examples
    --------
    >>> x = K.variable([[1., 5.], [4., 2.]])
    >>> float(K.eval(K.min(x)))
    1.0
    >>> K.eval(K.min(x, axis=-1)).tolist()
    [1.0, 2.0]
    """
    return K.min(x, axis, keepdims)


def sum(x: TensorLike, axis: Optional[Axes] = None, keepdims: Flag = False) -> Tensor:
    """Sum of the elements.

    Parameters
    ----------
    x : tensor
        Of any shape and dtype.
    axis : int or list of int, optional
        Axes to reduce, negative ones count from the end. None means all.
    keepdims : bool, optional
        Keep the reduced axes with length 1.

    Returns
    -------
    tensor
        It has the dtype of `x`; int32 for bool, which counts what is true.

    Examples
    --------
    >>> x = K.variable([[1., 2., 3.], [4., 5., 6.]])
    >>> float(K.eval(K.sum(x)))
    21.0
    >>> K.eval(K.sum(x, axis=1)).tolist()
    [6.0, 15.0]
    >>> K.int_shape(K.sum(K.placeholder(shape=(None, 4, 5)), axis=[1, 2], keepdims=True))
    (None, 1, 1)
    """
    return K.sum(x, axis, keepdims)


def prod(x: TensorLike, axis: Optional[Axes] = None, keepdims: Flag = False) -> Tensor:
    """Product of the elements.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.
    axis : int or list of int, optional
        Axes to reduce, negative ones count from the end. None means all.
    keepdims : bool, optional
        Keep the reduced axes with length 1.

    Returns
    -------
    tensor
        It has the dtype of `x`.

    Examples
    --------
    >>> x = K.variable([[1., 2., 3.], [4., 5., 6.]])
    >>> K.eval(K.prod(x, axis=0)).tolist()
    [4.0, 10.0, 18.0]
    """
    return K.prod(x, axis, keepdims)


def cumsum(x: TensorLike, axis: Axis = 0) -> Tensor:
    """Running sum along an axis.

    Parameters
    ----------
    x : tensor
        At least 1-D, of numeric dtype.
    axis : int, optional
        The axis to go along.

    Returns
    -------
    tensor
        It has the shape and dtype of `x`.

    Examples
    --------
    >>> K.eval(K.cumsum(K.variable([[1., 2.], [3., 4.]]), axis=1)).tolist()
    [[1.0, 3.0], [3.0, 7.0]]
    """
    return K.cumsum(x, axis)


def cumprod(x: TensorLike, axis: Axis = 0) -> Tensor:
    """Running product along an axis.

    Parameters
    ----------
    x : tensor
        At least 1-D, of numeric dtype.
    axis : int, optional
        The axis to go along.

    Returns
    -------
    tensor
        It has the shape and dtype of `x`.

    Examples
    --------
    >>> K.eval(K.cumprod(K.variable([1., 2., 3., 4.]))).tolist()
    [1.0, 2.0, 6.0, 24.0]
    """
    return K.cumprod(x, axis)


def var(x: TensorLike, axis: Optional[Axes] = None, keepdims: Flag = False) -> Tensor:
    """Variance: mean of the squared distances from the mean.

    Parameters
    ----------
    x : tensor
        Of any shape and dtype.
    axis : int or list of int, optional
        Axes to reduce, negative ones count from the end. None means all.
    keepdims : bool, optional
        Keep the reduced axes with length 1.

    Returns
    -------
    tensor
        It has the dtype of `x`; `K.floatx()` for integers and bool. The sum is divided by n, not by n -
        1.

    Examples
    --------
    >>> K.eval(K.var(K.variable([[1., 3.], [4., 8.]]), axis=1)).tolist()
    [1.0, 4.0]
    """
    return K.var(x, axis, keepdims)


def std(x: TensorLike, axis: Optional[Axes] = None, keepdims: Flag = False) -> Tensor:
    """Standard deviation: square root of the variance.

    Parameters
    ----------
    x : tensor
        Of any shape and dtype.
    axis : int or list of int, optional
        Axes to reduce, negative ones count from the end. None means all.
    keepdims : bool, optional
        Keep the reduced axes with length 1.

    Returns
    -------
    tensor
        It has the dtype of `x`; `K.floatx()` for integers and bool. The sum is divided by n, not by n -
        1.

    Examples
    --------
    >>> K.eval(K.std(K.variable([[1., 3.], [4., 8.]]), axis=1)).tolist()
    [1.0, 2.0]
    """
    return K.std(x, axis, keepdims)


def mean(x: TensorLike, axis: Optional[Axes] = None, keepdims: Flag = False) -> Tensor:
    """Mean of the elements.

    Parameters
    ----------
    x : tensor
        Of any shape and dtype.
    axis : int or list of int, optional
        Axes to reduce, negative ones count from the end. None means all.
    keepdims : bool, optional
        Keep the reduced axes with length 1.

    Returns
    -------
    tensor
        It has the dtype of `x`; `K.floatx()` for integers and bool.

    Examples
    --------
    >>> x = K.variable([[1., 2.], [4., 5.]])
    >>> K.eval(K.mean(x, axis=0)).tolist()
    [2.5, 3.5]
    >>> float(K.eval(K.mean(K.greater(x, 1.))))
    0.75
    """
    return K.mean(x, axis, keepdims)


def any(x: TensorLike, axis: Optional[Axes] = None, keepdims: Flag = False) -> Tensor:
    """Whether at least one element is true.

    Parameters
    ----------
    x : tensor
        Of any shape; numbers other than zero count as true.
    axis : int or list of int, optional
        Axes to reduce, negative ones count from the end. None means all.
    keepdims : bool, optional
        Keep the reduced axes with length 1.

    Returns
    -------
    tensor, bool
        The logical or.

    Examples
    --------
    >>> x = K.constant([[True, False], [False, False]], dtype='bool')
    >>> K.eval(K.any(x, axis=1)).tolist()
    [True, False]
    """
    return K.any(x, axis, keepdims)


def all(x: TensorLike, axis: Optional[Axes] = None, keepdims: Flag = False) -> Tensor:
    """Whether every element is true.

    Parameters
    ----------
    x : tensor
        Of any shape; numbers other than zero count as true.
    axis : int or list of int, optional
        Axes to reduce, negative ones count from the end. None means all.
    keepdims : bool, optional
        Keep the reduced axes with length 1.

    Returns
    -------
    tensor, bool
        The logical and.

    Examples
    --------
    >>> x = K.constant([[True, False], [True, True]], dtype='bool')
    >>> K.eval(K.all(x, axis=1)).tolist()
    [False, True]
    """
    return K.all(x, axis, keepdims)


def argmax(x: TensorLike, axis: Axis = -1) -> Tensor:
    """Index of the largest element along an axis.

    Parameters
    ----------
    x : tensor
        At least 1-D, of numeric dtype.
    axis : int, optional
        The axis to reduce.

    Returns
    -------
    tensor, int64
        The first index, where several elements are equal.

    Examples
    --------
    >>> K.eval(K.argmax(K.variable([[1., 5., 5.], [4., 2., 3.]]))).tolist()
    [1, 0]
    """
    return K.argmax(x, axis)


def argmin(x: TensorLike, axis: Axis = -1) -> Tensor:
    """Index of the smallest element along an axis.

    Parameters
    ----------
    x : tensor
        At least 1-D, of numeric dtype.
    axis : int, optional
        The axis to reduce.

    Returns
    -------
    tensor, int64
        The first index, where several elements are equal.

    Examples
    --------
    >>> K.eval(K.argmin(K.variable([[1., 5., 1.], [4., 2., 3.]]))).tolist()
    [0, 1]
    """
    return K.argmin(x, axis)


def logsumexp(x: TensorLike, axis: Optional[Axes] = None, keepdims: Flag = False) -> Tensor:
    """Logarithm of the sum of exponentials, without overflow.

    Parameters
    ----------
    x : tensor
        Of any shape and dtype.
    axis : int or list of int, optional
        Axes to reduce, negative ones count from the end. None means all.
    keepdims : bool, optional
        Keep the reduced axes with length 1.

    Returns
    -------
    tensor
        `log(sum(exp(x)))`, of the dtype of `x`; `K.floatx()` for integers and bool.

    Notes
    -----
    The maximum is taken out before the exponential, so large elements do not overflow and small
    ones do not vanish.

    Examples
    --------
    >>> round(float(K.eval(K.logsumexp(K.variable([0., 0.])))), 4)
    0.6931
    >>> K.eval(K.logsumexp(K.variable([[1000., 0.], [-1000., -2000.]]), axis=1)).tolist()
    [1000.0, -1000.0]
    """
    return K.logsumexp(x, axis, keepdims)
