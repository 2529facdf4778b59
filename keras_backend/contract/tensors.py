"""Making tensors and asking about them.

Longer than other files: a docstring per name is its content, and a topic is one file in every part of the package.
"""

from typing import Optional, Tuple

from .engine import K
from .kinds import (
    Anything,
    ArrayLike,
    Dtype,
    FixedShape,
    Flag,
    Function,
    Rank,
    Real,
    Scalar,
    Seed,
    Shape,
    Sizes,
    StaticShape,
    Tensor,
    TensorLike,
    Text,
    Value,
    Window,
)

TITLE = 'Tensors: making and asking'


def variable(
    value: ArrayLike, dtype: Optional[Dtype] = None, name: Optional[Text] = None, constraint: Optional[Function] = None
) -> Tensor:
    """Make a variable: a tensor that keeps its value between runs and can be updated.

    Parameters
    ----------
    value : array_like
        The initial value: number, nested list, NumPy array of any shape or whatever NumPy makes one of
        (`pandas.Series`, `h5py.Dataset`), or (as a 2-D sparse variable) scipy.sparse matrix.
    dtype : str, optional
        Such as 'float32', 'int32' or 'bool'. None means `K.floatx()`.
    name : str, optional
        Shown in messages and, where the library draws graphs, in the graph.
    constraint : callable, optional
        Kept as the attribute `constraint` for optimizers, which apply it to the value after an
        update.

    Returns
    -------
    variable
        It has the shape of `value`.

    Examples
    --------
    >>> x = K.variable(np.array([[1, 2], [3, 4]]), dtype='float64', name='weights')
    >>> K.dtype(x), K.int_shape(x)
    ('float64', (2, 2))
    >>> K.eval(x).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return K.variable(value, dtype, name, constraint)


def constant(
    value: ArrayLike, dtype: Optional[Dtype] = None, shape: Optional[Sizes] = None, name: Optional[Text] = None
) -> Tensor:
    """Make a tensor whose value never changes.

    Parameters
    ----------
    value : array_like
        Number, nested list, NumPy array or whatever NumPy makes one of.
    dtype : str, optional
        None means `K.floatx()`.
    shape : tuple of int, optional
        Shape of the result. A single number fills it, other values are reshaped to it. None keeps
        the shape of `value`.
    name : str, optional
        Name for messages.

    Returns
    -------
    tensor
        It has the shape `shape`.

    Examples
    --------
    >>> K.eval(K.constant([1, 2, 3])).tolist()
    [1.0, 2.0, 3.0]
    >>> K.eval(K.constant(7, dtype='int32', shape=(2, 2))).tolist()
    [[7, 7], [7, 7]]
    """
    return K.constant(value, dtype, shape, name)


def placeholder(
    shape: Optional[StaticShape] = None,
    ndim: Optional[Rank] = None,
    dtype: Optional[Dtype] = None,
    sparse: Flag = False,
    name: Optional[Text] = None,
) -> Tensor:
    """Make a tensor whose value is fed when a function runs.

    Parameters
    ----------
    shape : tuple of int or None, optional
        None entries stand for dimensions that may differ from run to run. Where neither `shape` nor `ndim` is given,
        values of any rank may be fed; `K.int_shape` is then None, and a function that needs the rank raises an error.
    ndim : int, optional
        Number of axes, all of unknown length. Used only where `shape` is not given.
    dtype : str, optional
        None means `K.floatx()`.
    sparse : bool, optional
        Whether a sparse matrix is fed (2-D). See `K.to_dense`.
    name : str, optional
        Name for messages.

    Returns
    -------
    tensor
        A placeholder, to be listed among the `inputs` of `K.function`.

    Examples
    --------
    >>> x = K.placeholder(shape=(None, 3))
    >>> K.int_shape(x)
    (None, 3)
    >>> total = K.function([x], [K.sum(x, axis=1)])
    >>> total([np.ones((2, 3))])[0].tolist()
    [3.0, 3.0]
    >>> K.int_shape(K.placeholder(ndim=2))
    (None, None)
    >>> factor = K.placeholder()
    >>> scaled = K.function([x, factor], [K.mean(x) * factor])
    >>> float(scaled([np.ones((2, 3)), 0.5])[0])
    0.5
    """
    return K.placeholder(shape, ndim, dtype, sparse, name)


def is_keras_tensor(x: Anything) -> bool:
    """Whether a tensor was returned by a layer or by `Input`.

    Parameters
    ----------
    x : tensor
        The candidate.

    Returns
    -------
    bool
        True if `x` carries the mark `_keras_history`, which layers leave on their outputs.

    Raises
    ------
    ValueError
        `x` is not a tensor of this engine at all.

    Examples
    --------
    >>> K.is_keras_tensor(K.placeholder(shape=(2, 3)))
    False
    >>> try:
    ...     K.is_keras_tensor(np.ones((2, 3)))
    ... except ValueError:
    ...     print('not a tensor')
    not a tensor
    """
    return K.is_keras_tensor(x)


def is_tensor(x: Anything) -> bool:
    """Whether something is a tensor of this engine.

    Parameters
    ----------
    x : object
        The candidate.

    Returns
    -------
    bool
        True for placeholders, variables, constants and results of K functions; False for arrays and
        numbers.

    Examples
    --------
    >>> K.is_tensor(K.variable(1.)), K.is_tensor(K.placeholder(shape=(2,)))
    (True, True)
    >>> K.is_tensor(np.ones(2))
    False
    """
    return K.is_tensor(x)


def is_variable(x: Anything) -> bool:
    """Whether something is a variable of this engine.

    Parameters
    ----------
    x : object
        The candidate.

    Returns
    -------
    bool
        True for what `K.variable` makes; False for all other tensors and objects.

    Examples
    --------
    >>> x = K.variable([1., 2.])
    >>> K.is_variable(x), K.is_variable(x + 1.)
    (True, False)
    """
    return K.is_variable(x)


def is_placeholder(x: Anything) -> bool:
    """Whether something is a placeholder of this engine.

    Parameters
    ----------
    x : object
        The candidate.

    Returns
    -------
    bool
        True for what `K.placeholder` makes; False for all other tensors and objects.

    Examples
    --------
    >>> x = K.placeholder(shape=(2,))
    >>> K.is_placeholder(x), K.is_placeholder(x + 1.)
    (True, False)
    """
    return K.is_placeholder(x)


def is_symbolic(x: Anything) -> bool:
    """Whether something is a symbolic tensor: one that stands for a value and gets it in a run.

    Parameters
    ----------
    x : object
        The candidate.

    Returns
    -------
    bool
        True for every tensor of K; False for arrays, numbers and what a library computes at once.

    Examples
    --------
    >>> x = K.placeholder(shape=(2,))
    >>> K.is_symbolic(x), K.is_symbolic(K.exp(x)), K.is_symbolic(np.ones(2))
    (True, True, False)
    """
    return K.is_symbolic(x)


def is_sparse(tensor: Anything) -> bool:
    """Whether a tensor is sparse.

    Parameters
    ----------
    tensor : tensor
        The candidate.

    Returns
    -------
    bool
        True for sparse placeholders and variables and for what stays sparse, as their concatenation
        does.

    Examples
    --------
    >>> K.is_sparse(K.placeholder(shape=(2, 2)))
    False
    >>> K.is_sparse(K.placeholder(shape=(2, 2), sparse=True))
    True
    """
    return K.is_sparse(tensor)


def to_dense(tensor: TensorLike) -> Tensor:
    """Turn a sparse tensor into a dense one.

    Parameters
    ----------
    tensor : tensor
        Sparse or dense.

    Returns
    -------
    tensor
        Dense, of the same shape and dtype; a dense `tensor` is returned as it is.

    Examples
    --------
    >>> x = K.placeholder(shape=(2, 2), sparse=True)
    >>> dense = K.to_dense(x)
    >>> K.is_sparse(dense), K.int_shape(dense)
    (False, (2, 2))
    """
    return K.to_dense(tensor)


def shape(x: TensorLike) -> Tensor:
    """The shape of a tensor as a tensor, known in full when a function runs.

    Parameters
    ----------
    x : tensor
        Of any shape.

    Returns
    -------
    tensor, int32, shape (ndim,)
        Its elements serve as sizes in `K.reshape`, `K.zeros`, `K.tile`, `K.random_uniform` and
        others.

    See Also
    --------
    int_shape : what is known of the shape before a run.

    Examples
    --------
    >>> x = K.placeholder(shape=(None, 2, 3))
    >>> flat = K.reshape(x, [K.shape(x)[0], 6])
    >>> f = K.function([x], [K.shape(x), flat])
    >>> [value.tolist() for value in f([np.zeros((1, 2, 3))])]
    [[1, 2, 3], [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]]
    """
    return K.shape(x)


def int_shape(x: TensorLike) -> Tuple[Optional[int], ...]:
    """The shape of a tensor as far as it is known before a run.

    Parameters
    ----------
    x : tensor
        Of any shape.

    Returns
    -------
    tuple of int or None
        None stands for a dimension that is known only in a run. On TensorFlow the shape of a tensor
        whose number of axes is not known is None as a whole.

    See Also
    --------
    shape : the shape in a run, as a tensor.

    Examples
    --------
    >>> K.int_shape(K.placeholder(shape=(None, 4, 5)))
    (None, 4, 5)
    >>> K.int_shape(K.variable([[1., 2.], [3., 4.]]))
    (2, 2)
    """
    return K.int_shape(x)


def get_variable_shape(x: TensorLike) -> Tuple[int, ...]:
    """The shape of a variable.

    Parameters
    ----------
    x : variable
        Any other tensor is treated as by `K.int_shape`.

    Returns
    -------
    tuple of int
        The same as `K.int_shape(x)`.

    Examples
    --------
    >>> K.get_variable_shape(K.zeros((3, 2)))
    (3, 2)
    """
    return K.get_variable_shape(x)


def ndim(x: TensorLike) -> int:
    """Number of axes of a tensor.

    Parameters
    ----------
    x : tensor
        Of any shape.

    Returns
    -------
    int
        0 for a scalar. None on TensorFlow where it is not known before a run.

    Notes
    -----
    A shape that a layer has noted in `_keras_shape` is ignored.

    Examples
    --------
    >>> K.ndim(K.placeholder(shape=(None, 4, 5)))
    3
    >>> K.ndim(K.variable(1.))
    0
    """
    return K.ndim(x)


def size(x: TensorLike, name: Optional[Text] = None) -> Tensor:
    """Number of elements of a tensor, as a tensor.

    Parameters
    ----------
    x : tensor
        Of any shape.
    name : str, optional
        Name for messages.

    Returns
    -------
    tensor, int32, scalar
        Known when a function runs.

    See Also
    --------
    count_params : the number as an int, for shapes that are known beforehand.

    Examples
    --------
    >>> x = K.variable([[1., 2., 3.], [4., 5., 6.]])
    >>> int(K.eval(K.size(x)))
    6
    """
    return K.size(x, name)


def dtype(x: TensorLike) -> str:
    """Data type of a tensor, as a string.

    Parameters
    ----------
    x : tensor
        Of any dtype.

    Returns
    -------
    str
        Such as 'float32', 'int64' or 'bool'.

    Examples
    --------
    >>> K.dtype(K.placeholder(shape=(2, 4, 5)))
    'float32'
    >>> K.dtype(K.variable([1, 2], dtype='int32'))
    'int32'
    """
    return K.dtype(x)


def count_params(x: TensorLike) -> int:
    """Number of elements of a tensor whose shape is known.

    Parameters
    ----------
    x : tensor
        Usually a variable.

    Returns
    -------
    int
        The product of the dimensions; 1 for a scalar.

    Raises
    ------
    ValueError
        A dimension of `x` is unknown. `K.size` gives the number in a run.

    Examples
    --------
    >>> K.count_params(K.zeros((2, 3)))
    6
    """
    return K.count_params(x)


def eval(x: TensorLike) -> Value:
    """The value of a tensor.

    Parameters
    ----------
    x : tensor
        A variable, or a result that depends on no placeholder.

    Returns
    -------
    numpy.ndarray
        A copy that belongs to the caller. It is dense for a sparse tensor. The value of a scalar is a NumPy scalar,
        such as `numpy.float32`.

    Raises
    ------
    ValueError
        `x` depends on a placeholder; use `K.function` to feed it.

    Examples
    --------
    >>> x = K.variable([[1., 2.], [3., 4.]])
    >>> K.eval(x * 10.).tolist()
    [[10.0, 20.0], [30.0, 40.0]]
    >>> float(K.eval(K.sum(x)))
    10.0
    """
    return K.eval(x)


def zeros(shape: Shape, dtype: Optional[Dtype] = None, name: Optional[Text] = None) -> Tensor:
    """Make a variable filled with zeros.

    Parameters
    ----------
    shape : tuple of int, or tensor of int, or tuple of both
        Shape of the result.
    dtype : str, optional
        None means `K.floatx()`.
    name : str, optional
        Name for messages.

    Returns
    -------
    variable
        If `shape` has tensors, the sizes are known only in a run, and the result is a tensor and not a variable.

    Examples
    --------
    >>> x = K.zeros((2, 3))
    >>> K.eval(x).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    >>> K.is_variable(x)
    True
    """
    return K.zeros(shape, dtype, name)


def ones(shape: Shape, dtype: Optional[Dtype] = None, name: Optional[Text] = None) -> Tensor:
    """Make a variable filled with ones.

    Parameters
    ----------
    shape : tuple of int, or tensor of int, or tuple of both
        Shape of the result.
    dtype : str, optional
        None means `K.floatx()`.
    name : str, optional
        Name for messages.

    Returns
    -------
    variable
        If `shape` has tensors, the sizes are known only in a run, and the result is a tensor and not a variable.

    Examples
    --------
    >>> K.eval(K.ones((2, 3), dtype='int32')).tolist()
    [[1, 1, 1], [1, 1, 1]]
    """
    return K.ones(shape, dtype, name)


def eye(size: Window, dtype: Optional[Dtype] = None, name: Optional[Text] = None) -> Tensor:
    """Make a variable that holds an identity matrix.

    Parameters
    ----------
    size : int or tuple of two int
        Number of rows and columns, or (rows, columns).
    dtype : str, optional
        None means `K.floatx()`.
    name : str, optional
        Name for messages.

    Returns
    -------
    variable, shape (rows, columns)
        Ones on the main diagonal, zeros elsewhere.

    Examples
    --------
    >>> K.eval(K.eye(2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> K.eval(K.eye((2, 3), dtype='int32')).tolist()
    [[1, 0, 0], [0, 1, 0]]
    """
    return K.eye(size, dtype, name)


def zeros_like(x: TensorLike, dtype: Optional[Dtype] = None, name: Optional[Text] = None) -> Tensor:
    """Make a tensor of zeros in the shape of another tensor.

    Parameters
    ----------
    x : tensor
        Gives the shape; unknown dimensions are those of the run.
    dtype : str, optional
        None means the dtype of `x`.
    name : str, optional
        Name for messages.

    Returns
    -------
    tensor
        It has the shape of `x`.

    Examples
    --------
    >>> K.eval(K.zeros_like(K.variable([[1., 2.], [3., 4.]]))).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    return K.zeros_like(x, dtype, name)


def ones_like(x: TensorLike, dtype: Optional[Dtype] = None, name: Optional[Text] = None) -> Tensor:
    """Make a tensor of ones in the shape of another tensor.

    Parameters
    ----------
    x : tensor
        Gives the shape; unknown dimensions are those of the run.
    dtype : str, optional
        None means the dtype of `x`.
    name : str, optional
        Name for messages.

    Returns
    -------
    tensor
        It has the shape of `x`.

    Examples
    --------
    >>> x = K.placeholder(shape=(None, 2))
    >>> f = K.function([x], [K.ones_like(x, dtype='int32')])
    >>> f([np.zeros((3, 2))])[0].tolist()
    [[1, 1], [1, 1], [1, 1]]
    """
    return K.ones_like(x, dtype, name)


def identity(x: TensorLike, name: Optional[Text] = None) -> Tensor:
    """A new tensor with the value of another one.

    Parameters
    ----------
    x : tensor
        Of any shape and dtype.
    name : str, optional
        Name of the new tensor.

    Returns
    -------
    tensor
        It has the same shape, dtype and value; for a variable, its value when the function runs.

    Examples
    --------
    >>> x = K.variable([1., 2.])
    >>> y = K.identity(x)
    >>> y is x
    False
    >>> K.eval(y).tolist()
    [1.0, 2.0]
    """
    return K.identity(x, name)


def arange(start: Scalar, stop: Optional[Scalar] = None, step: Scalar = 1, dtype: Dtype = 'int32') -> Tensor:
    """Evenly spaced numbers.

    Parameters
    ----------
    start : int, float or scalar tensor
        The first number; where `stop` is not given, this is the end and the first number is 0.
    stop : int, float or scalar tensor, optional
        The end, itself not included.
    step : int, float or scalar tensor, optional
        Difference of two neighbours; may be negative.
    dtype : str, optional
        Data type of the result. By default it is that of the bounds, and `K.floatx()` for fractions.

    Returns
    -------
    tensor, shape (n,)
        start, start + step, ... before `stop`; empty if `stop` comes first.

    Examples
    --------
    >>> K.eval(K.arange(4)).tolist()
    [0, 1, 2, 3]
    >>> K.eval(K.arange(1, 2, 0.25, dtype='float32')).tolist()
    [1.0, 1.25, 1.5, 1.75]
    """
    return K.arange(start, stop, step, dtype)


def cast(x: TensorLike, dtype: Dtype) -> Tensor:
    """Convert a tensor to another data type.

    Parameters
    ----------
    x : tensor
        Of any shape and dtype; it is left as it is.
    dtype : str
        Such as 'float16', 'float32', 'float64', 'int32' or 'bool'. 'float' is 'float32'.

    Returns
    -------
    tensor
        It has the shape of `x`, and is sparse if `x` is. Floats that become integers lose their fraction. As bools,
        numbers other than zero are true.

    Examples
    --------
    >>> x = K.variable([-1.7, 0., 2.5])
    >>> K.eval(K.cast(x, 'int32')).tolist()
    [-1, 0, 2]
    >>> K.eval(K.cast(x, 'bool')).tolist()
    [True, False, True]
    """
    return K.cast(x, dtype)


def random_uniform_variable(
    shape: FixedShape,
    low: Real,
    high: Real,
    dtype: Optional[Dtype] = None,
    name: Optional[Text] = None,
    seed: Optional[Seed] = None,
) -> Tensor:
    """Make a variable whose initial value is drawn from a uniform distribution.

    Parameters
    ----------
    shape : tuple of int
        Shape of the variable.
    low : float
        Lower end of the interval.
    high : float
        Upper end of the interval.
    dtype : str, optional
        A float type. None means `K.floatx()`.
    name : str, optional
        Name for messages.
    seed : int, optional
        Makes the draw repeatable. None takes a seed from `numpy.random`.

    Returns
    -------
    variable
        Drawn once, when it is made.

    Examples
    --------
    >>> value = K.eval(K.random_uniform_variable((2, 3), low=-1, high=1, seed=7))
    >>> value.shape, bool(abs(value).max() <= 1)
    ((2, 3), True)
    """
    return K.random_uniform_variable(shape, low, high, dtype, name, seed)


def random_normal_variable(
    shape: FixedShape,
    mean: Real,
    scale: Real,
    dtype: Optional[Dtype] = None,
    name: Optional[Text] = None,
    seed: Optional[Seed] = None,
) -> Tensor:
    """Make a variable whose initial value is drawn from a normal distribution.

    Parameters
    ----------
    shape : tuple of int
        Shape of the variable.
    mean : float
        Mean of the distribution.
    scale : float
        Standard deviation of the distribution.
    dtype : str, optional
        A float type. None means `K.floatx()`.
    name : str, optional
        Name for messages.
    seed : int, optional
        Makes the draw repeatable. None takes a seed from `numpy.random`.

    Returns
    -------
    variable
        Drawn once, when it is made.

    Examples
    --------
    >>> a = K.random_normal_variable((2, 3), mean=0, scale=1, seed=7)
    >>> b = K.random_normal_variable((2, 3), mean=0, scale=1, seed=7)
    >>> K.int_shape(a), bool((K.eval(a) == K.eval(b)).all())
    ((2, 3), True)
    """
    return K.random_normal_variable(shape, mean, scale, dtype, name, seed)
