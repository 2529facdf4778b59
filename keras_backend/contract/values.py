"""Values of variables: getting, setting, updating, printing."""

from typing import List

from .engine import K
from .kinds import ArrayLike, Legacy, Pairs, Scalar, Tensor, TensorLike, Tensors, Text, Update, Value, Variable

TITLE = 'Values and updates'


def get_value(x: Variable) -> Value:
    """The value of a variable.

    Parameters
    ----------
    x : variable
        Of any shape.

    Returns
    -------
    numpy.ndarray
        A copy that belongs to the caller. The value of a scalar is a NumPy scalar, such as `numpy.float32`.

    Examples
    --------
    >>> K.get_value(K.variable([1., 2.])).tolist()
    [1.0, 2.0]
    """
    return K.get_value(x)


def batch_get_value(ops: Tensors = None, **legacy: Legacy) -> List[Value]:
    """The values of several variables at once.

    Parameters
    ----------
    ops : list of variable
        May be empty.

    Returns
    -------
    list of numpy.ndarray
        In the same order; a NumPy scalar for each scalar.

    Examples
    --------
    >>> x, y = K.variable([1., 2.]), K.variable(3.)
    >>> [value.tolist() for value in K.batch_get_value([x, y])]
    [[1.0, 2.0], 3.0]
    """
    return K.batch_get_value(ops, **legacy)


def set_value(x: Variable, value: ArrayLike) -> None:
    """Give a variable a new value, at once.

    Parameters
    ----------
    x : variable
        Keeps its dtype.
    value : array_like
        It has the shape of `x`.

    Returns
    -------
    None
        The variable is changed in place.

    Raises
    ------
    ValueError
        The shapes differ.

    Examples
    --------
    >>> x = K.variable([1., 2.])
    >>> K.set_value(x, np.array([3., 4.]))
    >>> K.get_value(x).tolist()
    [3.0, 4.0]
    """
    return K.set_value(x, value)


def batch_set_value(tuples: Pairs) -> None:
    """Give several variables new values, at once.

    Parameters
    ----------
    tuples : list of (variable, array_like)
        Each value has the shape of its variable.

    Returns
    -------
    None
        The variables are changed in place.

    Raises
    ------
    ValueError
        A value and its variable differ in shape.

    Examples
    --------
    >>> x, y = K.variable([1., 2.]), K.variable(3.)
    >>> K.batch_set_value([(x, np.array([0., 0.])), (y, 5.)])
    >>> [value.tolist() for value in K.batch_get_value([x, y])]
    [[0.0, 0.0], 5.0]
    """
    return K.batch_set_value(tuples)


def update(x: Variable, new_x: TensorLike) -> Update:
    """An update that assigns a new value to a variable when a function runs.

    Parameters
    ----------
    x : variable
        The variable to change.
    new_x : tensor
        It has the shape of `x`.

    Returns
    -------
    update
        To be listed among the `updates` of `K.function`; nothing happens before that function runs.

    Examples
    --------
    >>> x = K.variable([1., 2.])
    >>> double = K.function([], [K.sum(x)], updates=[K.update(x, x * 2.)])
    >>> float(double([])[0])
    3.0
    >>> K.get_value(x).tolist()
    [2.0, 4.0]
    """
    return K.update(x, new_x)


def update_add(x: Variable, increment: TensorLike) -> Update:
    """An update that adds to a variable when a function runs.

    Parameters
    ----------
    x : variable
        The variable to change.
    increment : tensor or number
        It has the shape of `x`.

    Returns
    -------
    update
        To be listed among the `updates` of `K.function`.

    Examples
    --------
    >>> steps = K.variable(0, dtype='int32')
    >>> x = K.placeholder(shape=(2,))
    >>> f = K.function([x], [K.sum(x)], updates=[K.update_add(steps, 1)])
    >>> for _ in range(3):
    ...     outputs = f([np.ones(2)])
    >>> int(K.get_value(steps))
    3
    """
    return K.update_add(x, increment)


def update_sub(x: Variable, decrement: TensorLike) -> Update:
    """An update that subtracts from a variable when a function runs.

    Parameters
    ----------
    x : variable
        The variable to change.
    decrement : tensor or number
        It has the shape of `x`.

    Returns
    -------
    update
        To be listed among the `updates` of `K.function`.

    Examples
    --------
    >>> w = K.variable([3., -2.])
    >>> loss = K.sum(K.square(w))
    >>> gradient = K.gradients(loss, [w])[0]
    >>> descend = K.function([], [loss], updates=[K.update_sub(w, 0.25 * gradient)])
    >>> [float(descend([])[0]) for _ in range(3)]
    [13.0, 3.25, 0.8125]
    """
    return K.update_sub(x, decrement)


def moving_average_update(x: Variable, value: TensorLike, momentum: Scalar) -> Update:
    """An update that moves a variable towards a value when a function runs.

    Parameters
    ----------
    x : variable
        The moving average; becomes `x * momentum + value * (1 - momentum)`.
    value : tensor
        It has the shape of `x`.
    momentum : float or scalar tensor
        Between 0 and 1: the part of the old average that stays.

    Returns
    -------
    update
        To be listed among the `updates` of `K.function`.

    Examples
    --------
    >>> average = K.variable([0., 8.])
    >>> value = K.constant([4., 4.])
    >>> f = K.function([], [K.sum(value)], updates=[K.moving_average_update(average, value, 0.75)])
    >>> outputs = f([])
    >>> K.get_value(average).tolist()
    [1.0, 7.0]
    """
    return K.moving_average_update(x, value, momentum)


def print_tensor(x: TensorLike, message: Text = '') -> Tensor:
    """A tensor that prints its value whenever it is computed.

    Parameters
    ----------
    x : tensor
        Of any shape and dtype.
    message : str, optional
        Printed before the value.

    Returns
    -------
    tensor
        Equal to `x`. Use it in place of `x`: a tensor that no result needs is not computed and not printed.

    Notes
    -----
    The text goes to the standard error stream.

    Examples
    --------
    >>> x = K.variable([1., 2.])
    >>> y = K.print_tensor(x, message='x is') * 10.
    >>> K.eval(y).tolist()
    [10.0, 20.0]
    """
    return K.print_tensor(x, message)
