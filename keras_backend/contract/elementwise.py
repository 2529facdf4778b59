"""Functions that work on each element of its own.

Longer than other files: a docstring per name is its content, and a topic is one file in every part of the package.
"""

from typing import Optional

from .engine import K
from .kinds import Tensor, TensorLike

TITLE = 'Element-wise'


def square(x: TensorLike) -> Tensor:
    """Square of each element.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.

    Returns
    -------
    tensor
        It has the shape and dtype of `x`.

    Examples
    --------
    >>> K.eval(K.square(K.variable([1., -2., 3.]))).tolist()
    [1.0, 4.0, 9.0]
    """
    return K.square(x)


def abs(x: TensorLike) -> Tensor:
    """Absolute value of each element.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.

    Returns
    -------
    tensor
        It has the shape and dtype of `x`. The gradient at 0 is 0.

    Examples
    --------
    >>> K.eval(K.abs(K.variable([1., -2., 0.]))).tolist()
    [1.0, 2.0, 0.0]
    """
    return K.abs(x)


def sqrt(x: TensorLike) -> Tensor:
    """Square root of each element, 0 for negative ones.

    Parameters
    ----------
    x : tensor
        Of any shape.

    Returns
    -------
    tensor
        It has the shape and dtype of `x`; `K.floatx()` for integers.

    Notes
    -----
    The gradient is infinite at 0 and 0 below; the root of NaN is NaN.

    Examples
    --------
    >>> K.eval(K.sqrt(K.variable([4., 9., -1.]))).tolist()
    [2.0, 3.0, 0.0]
    """
    return K.sqrt(x)


def exp(x: TensorLike) -> Tensor:
    """Exponential of each element.

    Parameters
    ----------
    x : tensor
        Of any shape.

    Returns
    -------
    tensor
        It has the shape and dtype of `x`; `K.floatx()` for integers.

    Examples
    --------
    >>> [round(value, 4) for value in K.eval(K.exp(K.variable([0., 1.]))).tolist()]
    [1.0, 2.7183]
    """
    return K.exp(x)


def log(x: TensorLike) -> Tensor:
    """Natural logarithm of each element.

    Parameters
    ----------
    x : tensor
        Of any shape.

    Returns
    -------
    tensor
        It has the shape and dtype of `x`; `K.floatx()` for integers. -inf at 0, NaN below.

    Examples
    --------
    >>> [round(value, 4) for value in K.eval(K.log(K.variable([1., 2., 0.]))).tolist()]
    [0.0, 0.6931, -inf]
    """
    return K.log(x)


def round(x: TensorLike) -> Tensor:
    """Nearest integer of each element; halves go to the even neighbour.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.

    Returns
    -------
    tensor
        It has the shape and dtype of `x`.

    Examples
    --------
    >>> K.eval(K.round(K.variable([0.5, 1.5, 2.5, -2.7]))).tolist()
    [0.0, 2.0, 2.0, -3.0]
    """
    return K.round(x)


def sign(x: TensorLike) -> Tensor:
    """Sign of each element: -1, 0 or 1.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.

    Returns
    -------
    tensor
        It has the shape and dtype of `x`.

    Examples
    --------
    >>> K.eval(K.sign(K.variable([-3., 0., 2.]))).tolist()
    [-1.0, 0.0, 1.0]
    """
    return K.sign(x)


def pow(x: TensorLike, a: TensorLike) -> Tensor:
    """Power of each element.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.
    a : number or tensor
        The exponent; a tensor is broadcast against `x`.

    Returns
    -------
    tensor
        It has the dtype of `x` and `a` together.

    Examples
    --------
    >>> K.eval(K.pow(K.variable([1., 2., 4.]), 2)).tolist()
    [1.0, 4.0, 16.0]
    """
    return K.pow(x, a)


def clip(x: TensorLike, min_value: Optional[TensorLike], max_value: Optional[TensorLike]) -> Tensor:
    """Move elements outside of an interval to its nearer end.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.
    min_value : number, tensor or None
        Lower end; None for no bound.
    max_value : number, tensor or None
        Upper end; None for no bound.

    Returns
    -------
    tensor
        It has the shape and dtype of `x`. Where `max_value` is less than `min_value`, everything
        becomes `min_value`.

    Notes
    -----
    The gradient passes inside of the interval and at its ends, and is 0 outside.

    Examples
    --------
    >>> K.eval(K.clip(K.variable([-3., 0.5, 2.]), -1., 1.)).tolist()
    [-1.0, 0.5, 1.0]
    """
    return K.clip(x, min_value, max_value)


def equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether elements are equal.

    Parameters
    ----------
    x : tensor
        Of any shape and dtype.
    y : tensor or number
        Broadcast against `x`.

    Returns
    -------
    tensor, bool
        It has the broadcast shape.

    Notes
    -----
    The operators `==` and `!=` compare tensors as objects, so that tensors can be kept in lists and
    dictionaries.

    Examples
    --------
    >>> K.eval(K.equal(K.variable([1., 2., 3.]), 2.)).tolist()
    [False, True, False]
    """
    return K.equal(x, y)


def not_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether elements differ.

    Parameters
    ----------
    x : tensor
        Of any shape and dtype.
    y : tensor or number
        Broadcast against `x`.

    Returns
    -------
    tensor, bool
        It has the broadcast shape.

    Examples
    --------
    >>> K.eval(K.not_equal(K.variable([1., 2., 3.]), 2.)).tolist()
    [True, False, True]
    """
    return K.not_equal(x, y)


def greater(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether elements of `x` are greater than those of `y`.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.
    y : tensor or number
        Broadcast against `x`.

    Returns
    -------
    tensor, bool
        It has the broadcast shape.

    Examples
    --------
    >>> K.eval(K.greater(K.variable([1., 2., 3.]), 2.)).tolist()
    [False, False, True]
    """
    return K.greater(x, y)


def greater_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether elements of `x` are greater than those of `y` or equal to them.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.
    y : tensor or number
        Broadcast against `x`.

    Returns
    -------
    tensor, bool
        It has the broadcast shape.

    Examples
    --------
    >>> K.eval(K.greater_equal(K.variable([1., 2., 3.]), 2.)).tolist()
    [False, True, True]
    """
    return K.greater_equal(x, y)


def less(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether elements of `x` are less than those of `y`.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.
    y : tensor or number
        Broadcast against `x`.

    Returns
    -------
    tensor, bool
        It has the broadcast shape.

    Examples
    --------
    >>> K.eval(K.less(K.variable([1., 2., 3.]), 2.)).tolist()
    [True, False, False]
    """
    return K.less(x, y)


def less_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether elements of `x` are less than those of `y` or equal to them.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.
    y : tensor or number
        Broadcast against `x`.

    Returns
    -------
    tensor, bool
        It has the broadcast shape.

    Examples
    --------
    >>> K.eval(K.less_equal(K.variable([1., 2., 3.]), 2.)).tolist()
    [True, True, False]
    """
    return K.less_equal(x, y)


def maximum(x: TensorLike, y: TensorLike) -> Tensor:
    """The greater of two elements.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.
    y : tensor or number
        Broadcast against `x`.

    Returns
    -------
    tensor
        It has the broadcast shape. Where the elements are equal, the gradient goes to `x`.

    Examples
    --------
    >>> K.eval(K.maximum(K.variable([1., 5.]), K.variable([[3., 3.], [0., 9.]]))).tolist()
    [[3.0, 5.0], [1.0, 9.0]]
    """
    return K.maximum(x, y)


def minimum(x: TensorLike, y: TensorLike) -> Tensor:
    """The smaller of two elements.

    Parameters
    ----------
    x : tensor
        Of any shape and numeric dtype.
    y : tensor or number
        Broadcast against `x`.

    Returns
    -------
    tensor
        It has the broadcast shape. Where the elements are equal, the gradient goes to `x`.

    Examples
    --------
    >>> K.eval(K.minimum(K.variable([1., 5.]), K.variable([3., 3.]))).tolist()
    [1.0, 3.0]
    """
    return K.minimum(x, y)


def sin(x: TensorLike) -> Tensor:
    """Sine of each element.

    Parameters
    ----------
    x : tensor
        Angles in radians, of any shape.

    Returns
    -------
    tensor
        It has the shape and dtype of `x`; `K.floatx()` for integers.

    Examples
    --------
    >>> [round(value, 4) for value in K.eval(K.sin(K.variable([0., np.pi / 6, np.pi / 2]))).tolist()]
    [0.0, 0.5, 1.0]
    """
    return K.sin(x)


def cos(x: TensorLike) -> Tensor:
    """Cosine of each element.

    Parameters
    ----------
    x : tensor
        Angles in radians, of any shape.

    Returns
    -------
    tensor
        It has the shape and dtype of `x`; `K.floatx()` for integers.

    Examples
    --------
    >>> [round(value, 4) for value in K.eval(K.cos(K.variable([0., np.pi / 3, np.pi]))).tolist()]
    [1.0, 0.5, -1.0]
    """
    return K.cos(x)
