"""Functions, gradients, phases, branches, loops and maps."""

from typing import Any, Callable, List, Optional, Tuple

from .engine import K
from .kinds import (
    Dtypes,
    Expression,
    Flag,
    Function,
    Integer,
    Loss,
    Tensor,
    TensorLike,
    TensorOrTensors,
    Tensors,
    Text,
    Updates,
)

TITLE = 'Graph: functions, gradients, control flow'


def function(
    inputs: TensorOrTensors, outputs: TensorOrTensors, updates: Optional[Updates] = None, **kwargs: Any
) -> Callable[..., Any]:
    """Make a Python function that computes tensors from fed values.

    Parameters
    ----------
    inputs : list of tensor, or tensor
        Placeholders; `K.learning_phase()` may be among them. A tensor counts as a list of one.
    outputs : list of tensor, or tensor
        The tensors to compute. The list may be empty where there are updates.
    updates : list, optional
        Results of `K.update` and similar functions, or pairs (variable, new value).
    **kwargs
        Options of the engine's library, passed on where it has any.

    Returns
    -------
    callable
        Takes a list with one value per input; returns a list of arrays, or a single array for a
        single tensor as `outputs`. Scalar results are NumPy scalars, such as `numpy.float32`. The
        value of a single input may come without a list; surplus values are ignored; the learning
        phase is 0 where it is left out at the end.

    Raises
    ------
    ValueError
        `kwargs` holds something the engine does not know. When called: there are too few values or
        one does not fit its input, or an output depends on a placeholder that is not listed.

    Notes
    -----
    Outputs and new values are all computed from the old values of the variables; only then the
    variables change. Several updates of one variable follow each other in the order of the list:
    the increments of `K.update_add`, `K.update_sub` and `K.moving_average_update` add up, a new
    value replaces what came before it. The arrays belong to the caller.

    Examples
    --------
    >>> x = K.placeholder(shape=(None, 2))
    >>> total = K.variable(0.)
    >>> f = K.function([x], [x * 2., total], updates=[K.update_add(total, K.sum(x))])
    >>> [value.tolist() for value in f([np.array([[1., 2.]])])]
    [[[2.0, 4.0]], 0.0]
    >>> [value.tolist() for value in f([np.array([[3., 4.], [5., 6.]])])]
    [[[6.0, 8.0], [10.0, 12.0]], 3.0]
    """
    return K.function(inputs, outputs, updates, **kwargs)


def gradients(loss: Loss, variables: TensorOrTensors) -> List[Optional[Tensor]]:
    """Gradients of a tensor with respect to others.

    Parameters
    ----------
    loss : tensor, list of tensor, or callable
        Usually a scalar. The sum of a larger tensor is differentiated, and the sum of all tensors of a list. A function
        gets `variables` as its arguments and returns the tensor.
    variables : list of tensor, or tensor
        Variables, placeholders or intermediate results.

    Returns
    -------
    list of tensor or None
        One gradient for each variable, with the shape of the variable. It is None where `loss` does not depend on the
        variable.

    Notes
    -----
    The gradients are tensors like any other and can be differentiated again.

    Examples
    --------
    >>> x = K.variable([1., 2., 3.])
    >>> first = K.gradients(K.sum(x * x * x), [x])[0]
    >>> K.eval(first).tolist()
    [3.0, 12.0, 27.0]
    >>> second = K.gradients(K.sum(first), [x])[0]
    >>> K.eval(second).tolist()
    [6.0, 12.0, 18.0]
    """
    return K.gradients(loss, variables)


def stop_gradient(variables: TensorLike) -> Any:
    """Tensors that count as constant when a gradient is taken.

    Parameters
    ----------
    variables : tensor or list of tensor
        Of any shape.

    Returns
    -------
    tensor or list of tensor
        The same values, through which no gradient flows.

    Examples
    --------
    >>> x = K.variable([1., 2., 3.])
    >>> gradient = K.gradients(K.sum(x * K.stop_gradient(x)), [x])[0]
    >>> K.eval(gradient).tolist()
    [1.0, 2.0, 3.0]
    """
    return K.stop_gradient(variables)


def switch(condition: TensorLike, then_expression: Expression, else_expression: Expression) -> Any:
    """Choose between two tensors, as a whole or element by element.

    Parameters
    ----------
    condition : tensor, bool or a number
        A scalar chooses as a whole; a tensor of higher rank chooses element-wise, or row-wise where
        it has fewer axes than the expressions (trailing axes are added).
    then_expression : tensor or callable that returns a tensor
        Taken where `condition` is true (not zero).
    else_expression : tensor or callable that returns a tensor
        Taken elsewhere. With a scalar condition it may differ from `then_expression` in shape and
        rank, and both may be lists, tuples or dicts of tensors, or callables that return such.

    Returns
    -------
    tensor, or list of tensor
        With a scalar condition it is the value of the chosen branch in its own shape, or a list if the branches are
        lists of several tensors. Otherwise it has the shape of the expressions.

    Raises
    ------
    ValueError
        `condition` has more axes than the expressions, or the branches return different numbers of
        tensors.

    Notes
    -----
    With a scalar condition and callables only the branch that was taken is computed.

    If the branches have different ranks, the rank of the result is unknown on TensorFlow (`K.ndim` gives None). On the
    other engines it is the higher rank, and the value of lower rank gets axes of size 1 in front.

    Examples
    --------
    >>> x = K.variable([1., -2., 3.])
    >>> K.eval(K.switch(K.greater(x, 0.), x, x * 10.)).tolist()
    [1.0, -20.0, 3.0]
    >>> flag = K.placeholder(ndim=0, dtype='bool')
    >>> f = K.function([flag], [K.switch(flag, lambda: x + 1., lambda: x - 1.)])
    >>> f([True])[0].tolist(), f([False])[0].tolist()
    ([2.0, -1.0, 4.0], [0.0, -3.0, 2.0])
    >>> g = K.function([flag], [K.mean(K.switch(flag, x, 0.))])
    >>> [round(float(g([on])[0]), 4) for on in (True, False)]
    [0.6667, 0.0]
    >>> g = K.function([flag], K.switch(flag, lambda: [x, K.sum(x)], lambda: [-x, K.max(x)]))
    >>> [value.tolist() for value in g([False])]
    [[-1.0, 2.0, -3.0], 3.0]
    """
    return K.switch(condition, then_expression, else_expression)


def in_train_phase(x: Expression, alt: Expression, training: Optional[TensorLike] = None) -> Any:
    """Choose one tensor while training and another one otherwise.

    Parameters
    ----------
    x : tensor or callable that returns a tensor
        The value while training.
    alt : tensor or callable that returns a tensor
        The value otherwise, of the shape of `x`.
    training : bool, int or scalar tensor, optional
        The phase. None means `K.learning_phase()`.

    Returns
    -------
    tensor
        `x` or `alt`; decided at once for a Python number, otherwise when the function runs.

    Notes
    -----
    A result that depends on the learning phase has the attribute `_uses_learning_phase` set to
    True.

    Examples
    --------
    >>> x = K.variable([1., 2.])
    >>> K.eval(K.in_train_phase(x * 10., x, training=True)).tolist()
    [10.0, 20.0]
    >>> f = K.function([K.learning_phase()], [K.in_train_phase(x * 10., x)])
    >>> f([1])[0].tolist(), f([0])[0].tolist()
    ([10.0, 20.0], [1.0, 2.0])
    """
    return K.in_train_phase(x, alt, training)


def in_test_phase(x: Expression, alt: Expression, training: Optional[TensorLike] = None) -> Any:
    """Choose one tensor while testing and another one while training.

    Parameters
    ----------
    x : tensor or callable that returns a tensor
        The value while testing.
    alt : tensor or callable that returns a tensor
        The value while training, of the shape of `x`.
    training : bool, int or scalar tensor, optional
        The phase. None means `K.learning_phase()`.

    Returns
    -------
    tensor
        `x` or `alt`; decided at once for a Python number, otherwise when the function runs.

    Examples
    --------
    >>> x = K.variable([1., 2.])
    >>> K.eval(K.in_test_phase(x, x * 10., training=False)).tolist()
    [1.0, 2.0]
    >>> f = K.function([K.learning_phase()], [K.in_test_phase(x, x * 10.)])
    >>> f([1])[0].tolist(), f([0])[0].tolist()
    ([10.0, 20.0], [1.0, 2.0])
    """
    return K.in_test_phase(x, alt, training)


def rnn(
    step_function: Function,
    inputs: TensorOrTensors,
    initial_states: Optional[TensorOrTensors],
    go_backwards: Flag = False,
    mask: Optional[TensorLike] = None,
    constants: Optional[Tensors] = None,
    unroll: Flag = False,
    input_length: Optional[Integer] = None,
    time_major: Flag = False,
    zero_output_for_mask: Flag = False,
) -> Tuple[Tensor, Tensor, List[Tensor]]:
    """Run a step function over the time axis of a tensor.

    Parameters
    ----------
    step_function : callable (input, states) -> (output, new_states)
        Gets the input of one time step, shape (samples, ...), and the list of states followed by
        `constants`. Returns an output, shape (samples, ...), and the new states: as many, of the
        same shapes.
    inputs : tensor, shape (samples, time, ...)
        At least 3-D. The length of the time axis may be unknown.
    initial_states : list of tensor, shape (samples, ...)
        The states before the first step; may be empty.
    go_backwards : bool, optional
        Go from the last time step to the first; outputs are then in that order, too.
    mask : tensor, shape (samples, time) or (samples, time, 1), optional
        Where it is false (zero), the step is skipped: the states stay and the previous output is
        repeated.
    constants : list of tensor, optional
        Handed to every step behind the states.
    unroll : bool, optional
        Build one copy of the step per time step rather than a loop. The length must be known.
    input_length : int, optional
        The length of the time axis, where `inputs` does not tell it.
    time_major : bool, optional
        `inputs`, `mask` and the outputs are (time, samples, ...).
    zero_output_for_mask : bool, optional
        The output of a skipped step is zero rather than the previous one.

    Returns
    -------
    last_output : tensor, shape (samples, ...)
        Output of the last step of the iteration.
    outputs : tensor, shape (samples, time, ...)
        Outputs of all steps.
    new_states : list of tensor, shape (samples, ...)
        The states after the last step.

    Raises
    ------
    ValueError
        `inputs` has fewer than 3 axes, `unroll` is asked for an unknown length, there is a mask but
        no state, or a new state differs in shape from the old one.

    Notes
    -----
    Before the first step that is not skipped there is no previous output; zeros stand for it.

    Examples
    --------
    >>> def add(x, states):
    ...     total = states[0] + x
    ...     return total, [total]
    >>> x = K.placeholder(shape=(None, None, 1))
    >>> mask = K.placeholder(shape=(None, None), dtype='bool')
    >>> last, outputs, states = K.rnn(add, x, [K.zeros_like(x[:, 0])], mask=mask)
    >>> f = K.function([x, mask], [outputs])
    >>> f([np.array([[[1.], [2.], [3.]]]), np.array([[True, False, True]])])[0].tolist()
    [[[1.0], [1.0], [4.0]]]
    """
    return K.rnn(
        step_function,
        inputs,
        initial_states,
        go_backwards,
        mask,
        constants,
        unroll,
        input_length,
        time_major,
        zero_output_for_mask,
    )


def map_fn(fn: Function, elems: TensorOrTensors, name: Optional[Text] = None, dtype: Optional[Dtypes] = None) -> Any:
    """Apply a function to each slice of a tensor along the first axis.

    Parameters
    ----------
    fn : callable
        Gets a slice `elems[i]` (or a list or tuple of slices, as `elems` is) and returns a tensor.
    elems : tensor, or list or tuple of tensor
        Tensors of equal length; the length may be unknown.
    name : str, optional
        Name for messages.
    dtype : str, optional
        Data type of the result. None means that of what `fn` returns.

    Returns
    -------
    tensor
        The results, stacked along a new first axis.

    Examples
    --------
    >>> x = K.variable([[1., 2.], [3., 4.]])
    >>> K.eval(K.map_fn(lambda row: K.sum(row), x)).tolist()
    [3.0, 7.0]
    >>> K.eval(K.map_fn(lambda pair: pair[0] * pair[1], (x, x), dtype='float32')).tolist()
    [[1.0, 4.0], [9.0, 16.0]]
    """
    return K.map_fn(fn, elems, name, dtype)


def foldl(
    fn: Function, elems: TensorOrTensors, initializer: Optional[TensorLike] = None, name: Optional[Text] = None
) -> Any:
    """Combine the slices of a tensor along the first axis, from the first to the last.

    Parameters
    ----------
    fn : callable (accumulator, slice) -> accumulator
        Its result has the shape and dtype of the accumulator.
    elems : tensor
        At least 1-D.
    initializer : tensor, number or list of them, optional
        The first accumulator. None means `elems[0]`, and the work begins with `elems[1]`.
    name : str, optional
        Name for messages.

    Returns
    -------
    tensor
        The last accumulator.

    Examples
    --------
    >>> x = K.variable([1., 2., 3.])
    >>> float(K.eval(K.foldl(lambda total, digit: total * 10. + digit, x)))
    123.0
    """
    return K.foldl(fn, elems, initializer, name)


def foldr(
    fn: Function, elems: TensorOrTensors, initializer: Optional[TensorLike] = None, name: Optional[Text] = None
) -> Any:
    """Combine the slices of a tensor along the first axis, from the last to the first.

    Parameters
    ----------
    fn : callable (accumulator, slice) -> accumulator
        Its result has the shape and dtype of the accumulator.
    elems : tensor
        At least 1-D.
    initializer : tensor, number or list of them, optional
        The first accumulator. None means `elems[-1]`, and the work begins with `elems[-2]`.
    name : str, optional
        Name for messages.

    Returns
    -------
    tensor
        The last accumulator.

    Examples
    --------
    >>> x = K.variable([1., 2., 3.])
    >>> float(K.eval(K.foldr(lambda total, digit: total * 10. + digit, x)))
    321.0
    """
    return K.foldr(fn, elems, initializer, name)
