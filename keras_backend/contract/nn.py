"""Activations, normalisations and losses.

Longer than other files: a docstring per name is its content, and a topic is one file in every part of the package.
"""

from typing import Optional, Tuple

from .engine import K
from .kinds import Axes, Axis, DataFormat, Flag, Integer, Legacy, Scalar, Seed, Size, Sizes, Tensor, TensorLike

TITLE = 'Neural network'


def relu(x: TensorLike, alpha: Scalar = 0.0, max_value: Optional[Scalar] = None, threshold: Scalar = 0.0) -> Tensor:
    """Rectified linear unit: by default the positive part of each element.

    Parameters
    ----------
    x : tensor
        Of any shape.
    alpha : float or tensor, optional
        Slope below the threshold. Like the two limits it takes the dtype of `x` and broadcasts.
    max_value : float or tensor, optional
        The result is no greater than this. None means no cap.
    threshold : float or tensor, optional
        The unit is active above it.

    Returns
    -------
    tensor
        `x` where x > threshold, else 0, cut off at 0 and `max_value`. Below the threshold
        `alpha * (x - threshold)` is added. Integers stay integers where `alpha` is 0 and the limits are
        whole numbers, and become `K.floatx()` otherwise.

    References
    ----------
    V. Nair, G. Hinton, Rectified Linear Units Improve Restricted Boltzmann Machines, 2010.
    A. Maas et al., Rectifier Nonlinearities Improve Neural Network Acoustic Models, 2013 (`alpha`).

    Examples
    --------
    >>> x = K.variable([-2., 1., 8.])
    >>> K.eval(K.relu(x)).tolist()
    [0.0, 1.0, 8.0]
    >>> K.eval(K.relu(x, alpha=0.5, max_value=6.)).tolist()
    [-1.0, 1.0, 6.0]
    """
    return K.relu(x, alpha, max_value, threshold)


def elu(x: TensorLike, alpha: Scalar = 1.0) -> Tensor:
    """Exponential linear unit.

    Parameters
    ----------
    x : tensor
        Of any shape.
    alpha : float, optional
        The result tends to `-alpha` for very negative elements.

    Returns
    -------
    tensor
        `x` where x > 0, `alpha * (exp(x) - 1)` elsewhere.

    References
    ----------
    D. Clevert, T. Unterthiner, S. Hochreiter, Fast and Accurate Deep Network Learning by
    Exponential Linear Units, 2015.

    Examples
    --------
    >>> x = K.variable([-np.log(2.), 0., 3.])
    >>> [round(value, 4) for value in K.eval(K.elu(x)).tolist()]
    [-0.5, 0.0, 3.0]
    """
    return K.elu(x, alpha)


def softmax(x: TensorLike, axis: Axis = -1) -> Tensor:
    """Turn numbers into probabilities that add up to 1 along an axis.

    Parameters
    ----------
    x : tensor
        Logits, at least 1-D.
    axis : int, optional
        The axis of the classes.

    Returns
    -------
    tensor
        `exp(x) / sum(exp(x))`, computed without overflow.

    Examples
    --------
    >>> x = K.variable([[0., np.log(3.)], [1000., 1000.]])
    >>> [[round(value, 4) for value in row] for row in K.eval(K.softmax(x)).tolist()]
    [[0.25, 0.75], [0.5, 0.5]]
    """
    return K.softmax(x, axis)


def softplus(x: TensorLike) -> Tensor:
    """Smooth form of the rectified linear unit.

    Parameters
    ----------
    x : tensor
        Of any shape.

    Returns
    -------
    tensor
        `log(1 + exp(x))`, computed without overflow.

    Examples
    --------
    >>> [round(value, 4) for value in K.eval(K.softplus(K.variable([0., 1000.]))).tolist()]
    [0.6931, 1000.0]
    """
    return K.softplus(x)


def softsign(x: TensorLike) -> Tensor:
    """Squash each element between -1 and 1, more slowly than `K.tanh`.

    Parameters
    ----------
    x : tensor
        Of any shape.

    Returns
    -------
    tensor
        `x / (1 + abs(x))`.

    Examples
    --------
    >>> K.eval(K.softsign(K.variable([-1., 0., 3.]))).tolist()
    [-0.5, 0.0, 0.75]
    """
    return K.softsign(x)


def sigmoid(x: TensorLike) -> Tensor:
    """Logistic function of each element.

    Parameters
    ----------
    x : tensor
        Of any shape.

    Returns
    -------
    tensor
        `1 / (1 + exp(-x))`, between 0 and 1.

    Examples
    --------
    >>> [round(value, 4) for value in K.eval(K.sigmoid(K.variable([0., np.log(3.)]))).tolist()]
    [0.5, 0.75]
    """
    return K.sigmoid(x)


def hard_sigmoid(x: TensorLike) -> Tensor:
    """Logistic function of each element, approximated by straight lines.

    Parameters
    ----------
    x : tensor
        Of any shape.

    Returns
    -------
    tensor
        `0.2 * x + 0.5`, cut off at 0 and 1.

    Examples
    --------
    >>> [round(value, 4) for value in K.eval(K.hard_sigmoid(K.variable([-3., 0., 1., 3.]))).tolist()]
    [0.0, 0.5, 0.7, 1.0]
    """
    return K.hard_sigmoid(x)


def tanh(x: TensorLike) -> Tensor:
    """Hyperbolic tangent of each element.

    Parameters
    ----------
    x : tensor
        Of any shape.

    Returns
    -------
    tensor
        Between -1 and 1.

    Examples
    --------
    >>> [round(value, 4) for value in K.eval(K.tanh(K.variable([0., np.log(2.)]))).tolist()]
    [0.0, 0.6]
    """
    return K.tanh(x)


def dropout(x: TensorLike, level: Scalar, noise_shape: Optional[Sizes] = None, seed: Optional[Seed] = None) -> Tensor:
    """Set elements to zero at random and scale the others up, so that the expected value stays.

    Parameters
    ----------
    x : tensor
        Of any shape and float dtype.
    level : float
        Probability that an element is set to zero, at least 0 and less than 1.
    noise_shape : tuple of int, or tensor of int, optional
        Shape of the mask, which is broadcast to `x`: along an axis of length 1, all elements are dropped or kept
        together. None means that of `x`.
    seed : int, optional
        Makes the draws repeatable. None takes a seed from `numpy.random`.

    Returns
    -------
    tensor
        It has the shape of `x`; what is kept is divided by `1 - level`.

    Raises
    ------
    ValueError
        `level` is less than 0, or 1 or more.

    Notes
    -----
    It drops in every phase; put it into `K.in_train_phase` to drop while training only.

    References
    ----------
    N. Srivastava et al., Dropout: A Simple Way to Prevent Neural Networks from Overfitting, 2014.

    Examples
    --------
    >>> value = K.eval(K.dropout(K.ones((10, 10)), level=0.5, seed=7))
    >>> set(value.ravel().tolist()) <= {0.0, 2.0}
    True
    """
    return K.dropout(x, level, noise_shape, seed)


def l2_normalize(x: TensorLike, axis: Optional[Axes] = None) -> Tensor:
    """Scale vectors to length 1.

    Parameters
    ----------
    x : tensor
        Of any shape.
    axis : int or list of int, optional
        The axes that make up a vector. None means all.

    Returns
    -------
    tensor
        `x / sqrt(max(sum(x ** 2), 1e-12))`, so a vector of zeros stays one.

    Examples
    --------
    >>> x = K.variable([[3., 4.], [0., 0.]])
    >>> [[round(value, 4) for value in row] for row in K.eval(K.l2_normalize(x, axis=1)).tolist()]
    [[0.6, 0.8], [0.0, 0.0]]
    """
    return K.l2_normalize(x, axis)


def in_top_k(predictions: TensorLike, targets: TensorLike, k: Size) -> Tensor:
    """Whether the target is among the k highest scores.

    Parameters
    ----------
    predictions : tensor, float, shape (samples, classes)
        A score for each class.
    targets : tensor, int32 or int64, shape (samples,)
        Class numbers.
    k : int
        How many of the highest scores count.

    Returns
    -------
    tensor, bool, shape (samples,)
        True if fewer than `k` scores are greater than that of the target; False for a target that
        is no class or a NaN.

    Examples
    --------
    >>> predictions = K.variable([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]])
    >>> targets = K.constant([2, 2], dtype='int32')
    >>> K.eval(K.in_top_k(predictions, targets, 2)).tolist()
    [True, False]
    """
    return K.in_top_k(predictions, targets, k)


def categorical_crossentropy(
    target: TensorLike, output: TensorLike, from_logits: Flag = False, axis: Axis = -1
) -> Tensor:
    """Cross-entropy of predicted class probabilities against target probabilities.

    Parameters
    ----------
    target : tensor, shape of `output`
        Probabilities, such as one-hot vectors.
    output : tensor, shape (..., classes, ...)
        Predicted probabilities, or logits if `from_logits`.
    from_logits : bool, optional
        Whether `output` still has to pass a softmax.
    axis : int, optional
        The axis of the classes.

    Returns
    -------
    tensor, shape of `output` without `axis`
        `-sum(target * log(output))` over the classes.

    Raises
    ------
    ValueError
        `axis` is not an axis of `output`.

    Notes
    -----
    Probabilities are divided by their sum and then kept within `K.epsilon()` and `1 - K.epsilon()`.

    Examples
    --------
    >>> target = K.constant([[0., 1.], [1., 0.]])
    >>> output = K.constant([[0.25, 0.75], [0.5, 0.5]])
    >>> [round(value, 4) for value in K.eval(K.categorical_crossentropy(target, output)).tolist()]
    [0.2877, 0.6931]
    """
    return K.categorical_crossentropy(target, output, from_logits, axis)


def sparse_categorical_crossentropy(
    target: TensorLike,
    output: TensorLike,
    from_logits: Flag = False,
    axis: Axis = -1,
    ignore_class: Optional[Integer] = None,
) -> Tensor:
    """Cross-entropy of predicted class probabilities against class numbers.

    Parameters
    ----------
    target : tensor of int, shape of `output` without `axis`
        Class numbers; the class axis may be present with length 1, and float numbers are cast.
    output : tensor, shape (..., classes, ...)
        Predicted probabilities, or logits if `from_logits`.
    from_logits : bool, optional
        Whether `output` still has to pass a softmax.
    axis : int, optional
        The axis of the classes.
    ignore_class : int, optional
        A label without a class, such as -1 or 255. Entries with this label cost 0. TensorFlow 2.10 added the argument.

    Returns
    -------
    tensor, shape of `output` without `axis`
        `-log(output[target])`.

    Raises
    ------
    ValueError
        `axis` is not an axis of `output`.
    IndexError
        In the run, a label is not from 0 to the number of classes minus 1.

    Notes
    -----
    Probabilities are kept within `K.epsilon()` and `1 - K.epsilon()` and then divided by their sum.

    Examples
    --------
    >>> target = K.constant([1, 0], dtype='int32')
    >>> output = K.constant([[0.25, 0.75], [0.5, 0.5]])
    >>> [round(value, 4) for value in K.eval(K.sparse_categorical_crossentropy(target, output)).tolist()]
    [0.2877, 0.6931]
    """
    return K.sparse_categorical_crossentropy(target, output, from_logits, axis, ignore_class)


def binary_crossentropy(target: TensorLike, output: TensorLike, from_logits: Flag = False) -> Tensor:
    """Cross-entropy of predicted probabilities against yes-or-no targets, element by element.

    Parameters
    ----------
    target : tensor, shape of `output`
        Probabilities, usually 0 or 1.
    output : tensor
        Predicted probabilities, or logits if `from_logits`.
    from_logits : bool, optional
        Whether `output` still has to pass a sigmoid.

    Returns
    -------
    tensor, shape of `output`
        `-target * log(output) - (1 - target) * log(1 - output)`.

    Notes
    -----
    Probabilities are kept within `K.epsilon()` and `1 - K.epsilon()`, and `K.epsilon()` is added to the arguments of
    the logarithms. The loss of the result of `K.sigmoid` is computed from its argument.

    Examples
    --------
    >>> target, output = K.constant([1., 0.]), K.constant([0.5, 0.25])
    >>> [round(value, 4) for value in K.eval(K.binary_crossentropy(target, output)).tolist()]
    [0.6931, 0.2877]
    """
    return K.binary_crossentropy(target, output, from_logits)


def normalize_batch_in_training(
    x: TensorLike,
    gamma: Optional[TensorLike],
    beta: Optional[TensorLike],
    reduction_axes: Axes,
    epsilon: Scalar = 0.001,
) -> Tuple[Tensor, Tensor, Tensor]:
    """Normalise a batch by its own mean and variance.

    Parameters
    ----------
    x : tensor
        The batch, of any float dtype.
    gamma : tensor or None
        Scale of the result, of the shape of the remaining axes or broadcast to `x`. None means 1.
    beta : tensor or None
        Mean of the result, likewise. None means 0.
    reduction_axes : list of int
        The axes to take mean and variance over, usually all but that of the features.
    epsilon : float, optional
        Added to the variance, so that nothing is divided by zero.

    Returns
    -------
    normalized : tensor, shape of `x`
        `(x - mean) / sqrt(variance + epsilon) * gamma + beta`.
    mean : tensor
        It has the axes of `x` that were not reduced.
    variance : tensor
        Likewise; divided by n, not by n - 1.

    References
    ----------
    S. Ioffe, C. Szegedy, Batch Normalization: Accelerating Deep Network Training by Reducing
    Internal Covariate Shift, 2015.

    Examples
    --------
    >>> x = K.variable([[1., 10.], [3., 30.]])
    >>> y, mean, variance = K.normalize_batch_in_training(x, K.ones((2,)), K.zeros((2,)), [0])
    >>> K.eval(mean).tolist(), K.eval(variance).tolist()
    ([2.0, 20.0], [1.0, 100.0])
    >>> [[round(value, 2) for value in row] for row in K.eval(y).tolist()]
    [[-1.0, -1.0], [1.0, 1.0]]
    """
    return K.normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon)


def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    var: TensorLike = None,
    beta: Optional[TensorLike] = None,
    gamma: Optional[TensorLike] = None,
    axis: Axis = -1,
    epsilon: Scalar = 0.001,
    **legacy: Legacy,
) -> Tensor:
    """Normalise a tensor by a given mean and variance.

    Parameters
    ----------
    x : tensor
        Of any float dtype.
    mean : tensor
        1-D, laid along `axis`; or of any shape that can be broadcast to `x`.
    var : tensor
        The variance, likewise.
    beta : tensor or None
        Mean of the result, likewise. None means 0.
    gamma : tensor or None
        Scale of the result, likewise. None means 1.
    axis : int, optional
        The axis of the features.
    epsilon : float, optional
        Added to the variance, so that nothing is divided by zero.

    Returns
    -------
    tensor, shape of `x`
        `(x - mean) / sqrt(var + epsilon) * gamma + beta`.

    References
    ----------
    S. Ioffe, C. Szegedy, Batch Normalization: Accelerating Deep Network Training by Reducing
    Internal Covariate Shift, 2015.

    Examples
    --------
    >>> x = K.variable([[3., 30.]])
    >>> mean, var = K.constant([1., 10.]), K.constant([4., 100.])
    >>> y = K.batch_normalization(x, mean, var, beta=K.constant([0., 5.]), gamma=None, epsilon=0.)
    >>> [round(value, 4) for value in K.eval(y)[0].tolist()]
    [1.0, 7.0]
    """
    return K.batch_normalization(x, mean, var, beta, gamma, axis, epsilon, **legacy)


def bias_add(x: TensorLike, bias: TensorLike, data_format: Optional[DataFormat] = None, **legacy: Legacy) -> Tensor:
    """Add a bias to each channel.

    Parameters
    ----------
    x : tensor, shape (samples, ..., channels) or (samples, channels, ...)
        Of 2 to 5 axes, laid out as `data_format` says.
    bias : tensor, shape (channels,) or (..., channels)
        One number per channel, or one per element of a sample: spatial axes first, whatever
        `data_format` says.
    data_format : {'channels_last', 'channels_first'}, optional
        Layout of `x`. None means `K.image_data_format()`.

    Returns
    -------
    tensor, shape of `x`
        `x` with the bias laid along its channels.

    Raises
    ------
    ValueError
        `data_format` is neither of the two, or `bias` has neither 1 axis nor one axis less than
        `x`.

    Notes
    -----
    For 'channels_first', a bias of several axes is reshaped (not transposed) to (channels, ...).

    Examples
    --------
    >>> x, bias = K.zeros((1, 2, 2)), K.constant([1., 5.])
    >>> K.eval(K.bias_add(x, bias, data_format='channels_last'))[0].tolist()
    [[1.0, 5.0], [1.0, 5.0]]
    >>> K.eval(K.bias_add(x, bias, data_format='channels_first'))[0].tolist()
    [[1.0, 1.0], [5.0, 5.0]]
    """
    return K.bias_add(x, bias, data_format, **legacy)
