"""Settings, sessions, unique ids, the learning phase and scopes.

Longer than other files: a docstring per name is its content, and a topic is one file in every part of the package.
"""

from typing import Any, ContextManager, Optional, Union

from .engine import K
from .kinds import Anything, F, Flag, Tensor, TensorLike, Text, Value

TITLE = 'Settings and state'


def backend() -> str:
    """Name of the engine.

    Returns
    -------
    str
        As configured: 'tensorflow', 'theano', 'cntk', 'torch', 'jax', 'numpy', or the dotted name of a module.

    Examples
    --------
    >>> isinstance(K.backend(), str)
    True
    """
    return K.backend()


def epsilon() -> float:
    """The small number that keeps formulas from dividing by zero or taking the logarithm of zero.

    Returns
    -------
    float
        1e-07, if neither keras.json nor `K.set_epsilon` says otherwise.

    Examples
    --------
    >>> K.epsilon()
    1e-07
    """
    return K.epsilon()


def set_epsilon(e: Anything) -> None:
    """Choose the small number that keeps formulas from dividing by zero.

    Parameters
    ----------
    e : float
        Positive. It holds for what is built from now on.

    Returns
    -------
    None
        See `K.epsilon`.

    Raises
    ------
    ValueError
        `e` is not a positive number.

    Examples
    --------
    >>> before = K.epsilon()
    >>> K.set_epsilon(1e-05)
    >>> K.epsilon()
    1e-05
    >>> K.set_epsilon(before)
    """
    return K.set_epsilon(e)


def floatx() -> str:
    """Name of the default float type.

    Returns
    -------
    str
        'float32', if neither keras.json nor `K.set_floatx` says otherwise.

    Examples
    --------
    >>> K.floatx()
    'float32'
    """
    return K.floatx()


def set_floatx(floatx: Anything) -> None:
    """Choose the default float type.

    Parameters
    ----------
    floatx : {'float16', 'float32', 'float64'}
        It holds for what is built from now on.

    Returns
    -------
    None
        See `K.floatx`.

    Raises
    ------
    ValueError
        `floatx` is none of the three.

    Examples
    --------
    >>> before = K.floatx()
    >>> K.set_floatx('float64')
    >>> K.dtype(K.zeros((2,)))
    'float64'
    >>> K.set_floatx(before)
    """
    return K.set_floatx(floatx)


def cast_to_floatx(x: TensorLike) -> Value:
    """Convert an array to the default float type.

    Parameters
    ----------
    x : array_like
        An array, number or list. `K.cast` converts tensors.

    Returns
    -------
    numpy.ndarray
        Its dtype is `K.floatx()`.

    Examples
    --------
    >>> K.cast_to_floatx(np.array([1., 2.], dtype='float64')).dtype.name
    'float32'
    """
    return K.cast_to_floatx(x)


def image_data_format() -> str:
    """The default layout of images: channels as the last axis or as the first one.

    Returns
    -------
    str
        'channels_last', if neither keras.json nor `K.set_image_data_format` says otherwise; or
        'channels_first'.

    Examples
    --------
    >>> K.image_data_format()
    'channels_last'
    """
    return K.image_data_format()


def set_image_data_format(data_format: Anything) -> None:
    """Choose the default layout of images: channels as the last axis or as the first one.

    Parameters
    ----------
    data_format : {'channels_last', 'channels_first'}
        It holds for what is built from now on.

    Returns
    -------
    None
        See `K.image_data_format`.

    Raises
    ------
    ValueError
        `data_format` is neither of the two.

    Examples
    --------
    >>> before = K.image_data_format()
    >>> K.set_image_data_format('channels_first')
    >>> x = K.placeholder(shape=(None, 3, 8, 8))
    >>> K.int_shape(K.pool2d(x, (2, 2), strides=(2, 2)))
    (None, 3, 4, 4)
    >>> K.set_image_data_format(before)
    """
    return K.set_image_data_format(data_format)


def image_dim_ordering() -> str:
    """The data format in its oldest spelling.

    Returns
    -------
    str
        'tf' for 'channels_last', 'th' for 'channels_first'.

    See Also
    --------
    image_data_format : the same in today's spelling.

    Examples
    --------
    >>> K.image_dim_ordering()
    'tf'
    """
    return K.image_dim_ordering()


def set_image_dim_ordering(dim_ordering: Anything) -> None:
    """Choose the data format in its oldest spelling.

    Parameters
    ----------
    dim_ordering : {'tf', 'th'}
        'tf' for 'channels_last', 'th' for 'channels_first'.

    Returns
    -------
    None
        See `K.image_data_format`.

    Raises
    ------
    ValueError
        `dim_ordering` is neither of the two.

    Examples
    --------
    >>> before = K.image_dim_ordering()
    >>> K.set_image_dim_ordering('th')
    >>> K.image_data_format()
    'channels_first'
    >>> K.set_image_dim_ordering(before)
    """
    return K.set_image_dim_ordering(dim_ordering)


def normalize_data_format(value: Anything) -> str:
    """Check a data format and fill in the default.

    Parameters
    ----------
    value : {'channels_last', 'channels_first', None}
        None means `K.image_data_format()`.

    Returns
    -------
    str
        'channels_last' or 'channels_first'.

    Raises
    ------
    ValueError
        `value` is none of those.

    Examples
    --------
    >>> K.normalize_data_format('channels_first')
    'channels_first'
    >>> K.normalize_data_format(None) == K.image_data_format()
    True
    """
    return K.normalize_data_format(value)


def get_uid(prefix: Text = '') -> int:
    """Give the next number of a counter; each prefix has its own counter.

    Parameters
    ----------
    prefix : str, optional
        Names the counter.

    Returns
    -------
    int
        1 on the first call, then 2, and so on.

    Examples
    --------
    >>> first = K.get_uid('dense')
    >>> K.get_uid('dense') - first
    1
    """
    return K.get_uid(prefix)


def reset_uids() -> None:
    """Start all counters of `K.get_uid` again.

    Returns
    -------
    None
        The next number of each prefix is 1.

    Examples
    --------
    >>> number = K.get_uid('dense')
    >>> K.reset_uids()
    >>> K.get_uid('dense')
    1
    """
    return K.reset_uids()


def clear_session() -> None:
    """Forget the graph, all functions, all counters and the learning phase.

    Returns
    -------
    None
        The memory is freed.

    Notes
    -----
    Tensors and functions that were made before cannot be used any more. An error says so.

    Examples
    --------
    >>> number = K.get_uid('dense')
    >>> K.clear_session()
    >>> K.get_uid('dense')
    1
    """
    return K.clear_session()


def get_session() -> Any:
    """The session that runs functions.

    Returns
    -------
    object
        A `Session` of TensorFlow on that engine; elsewhere an object with `run(fetches,
        feed_dict=None)` and `close()`.

    Examples
    --------
    >>> x = K.variable([1., 2.])
    >>> K.get_session().run(x * 10.).tolist()
    [10.0, 20.0]
    """
    return K.get_session()


def set_session(session: Anything) -> None:
    """Choose the session that runs functions.

    Parameters
    ----------
    session : object
        What `K.get_session` returned, or on TensorFlow any session. None lets K make a new one.

    Returns
    -------
    None
        See `K.get_session`.

    Examples
    --------
    >>> session = K.get_session()
    >>> K.set_session(session)
    >>> K.get_session() is session
    True
    """
    return K.set_session(session)


def manual_variable_initialization(value: Flag) -> None:
    """Choose who initialises variables, on libraries where that is a separate step.

    Parameters
    ----------
    value : bool
        False (the default) leaves it to keras_backend, True to the caller. Libraries whose variables always have a
        value ignore it.

    Returns
    -------
    None
        It holds for variables made from now on.

    Examples
    --------
    >>> K.manual_variable_initialization(False)
    """
    return K.manual_variable_initialization(value)


def learning_phase() -> Union[int, Tensor]:
    """Whether the model is being trained: 1 for training, 0 for testing.

    Returns
    -------
    tensor or int
        A scalar tensor that may be fed among the inputs of a function and means testing where it is
        not; or the number that `K.set_learning_phase` fixed.

    Examples
    --------
    >>> x = K.placeholder(shape=(2,))
    >>> y = K.in_train_phase(x * 10., x)
    >>> K.function([x], [y])([np.ones(2)])[0].tolist()
    [1.0, 1.0]
    >>> K.function([x, K.learning_phase()], [y])([np.ones(2), 1])[0].tolist()
    [10.0, 10.0]
    """
    return K.learning_phase()


def set_learning_phase(value: Anything) -> None:
    """Fix the learning phase for what is built from now on.

    Parameters
    ----------
    value : {0, 1}
        1 for training, 0 for testing.

    Returns
    -------
    None
        `K.clear_session` undoes it.

    Raises
    ------
    ValueError
        `value` is neither 0 nor 1.

    Examples
    --------
    >>> K.set_learning_phase(1)
    >>> K.learning_phase()
    1
    >>> K.eval(K.in_train_phase(K.constant([10.]), K.constant([1.]))).tolist()
    [10.0]
    >>> K.clear_session()
    """
    return K.set_learning_phase(value)


def name_scope(name: Optional[Text]) -> ContextManager[Any]:
    """Let the names of tensors that are built in a `with` block begin alike.

    Parameters
    ----------
    name : str
        The beginning.

    Returns
    -------
    context manager
        Names matter to messages and drawings only.

    Examples
    --------
    >>> with K.name_scope('encoder'):
    ...     x = K.placeholder(shape=(None, 8), name='x')
    >>> K.int_shape(x)
    (None, 8)
    """
    return K.name_scope(name)


def control_dependencies(control_inputs: Anything) -> ContextManager[Any]:
    """Run updates whenever a tensor that is built in a `with` block is computed.

    Parameters
    ----------
    control_inputs : list
        Updates; a single one is accepted. Tensors are accepted and add nothing.

    Returns
    -------
    context manager
        Whenever a tensor built inside is computed, the updates run, too.

    Examples
    --------
    >>> x, count = K.variable(3.), K.variable(0.)
    >>> with K.control_dependencies([K.update_add(count, 1.)]):
    ...     y = x * x
    >>> float(K.function([], [y])([])[0]), float(K.get_value(count))
    (9.0, 1.0)
    """
    return K.control_dependencies(control_inputs)


def symbolic(func: F) -> F:
    """Decorator for a function that builds tensors.

    Parameters
    ----------
    func : callable
        Takes and returns tensors.

    Returns
    -------
    callable
        It does the same. On a library that also has an eager mode, it runs in the graph of K.

    Examples
    --------
    >>> double = K.symbolic(lambda x: x * 2.)
    >>> K.eval(double(K.variable([1., 2.]))).tolist()
    [2.0, 4.0]
    """
    return K.symbolic(func)


def eager(func: F) -> F:
    """Decorator for a function that computes values at once.

    Parameters
    ----------
    func : callable
        Takes and returns values.

    Returns
    -------
    callable
        It does the same. On a library that also has an eager mode, it runs in that mode.

    Examples
    --------
    >>> increment = K.eager(lambda value: value + 1)
    >>> increment(2)
    3
    """
    return K.eager(func)
