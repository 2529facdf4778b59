"""Random tensors: fresh numbers in every run of a function."""

from typing import Optional

from .engine import K
from .kinds import Dtype, Scalar, Seed, Shape, Tensor

TITLE = 'Random'


def random_normal(
    shape: Shape, mean: Scalar = 0.0, stddev: Scalar = 1.0, dtype: Optional[Dtype] = None, seed: Optional[Seed] = None
) -> Tensor:
    """Draw from a normal distribution.

    Parameters
    ----------
    shape : tuple of int, or tensor of int, or tuple of both
        Shape of the result.
    mean : float or tensor, optional
        Mean of the distribution.
    stddev : float or tensor, optional
        Standard deviation of the distribution.
    dtype : str, optional
        A float type. None means `K.floatx()`.
    seed : int, optional
        Makes the sequence of draws repeatable. None takes a seed from `numpy.random`.

    Returns
    -------
    tensor
        Fresh numbers in every run; all that depends on it in one run sees the same numbers.

    Examples
    --------
    >>> x = K.random_normal((2, 3), mean=5., stddev=2.)
    >>> K.int_shape(x)
    (2, 3)
    >>> f = K.function([], [x, x - x])
    >>> first, second = f([]), f([])
    >>> bool((first[0] == second[0]).any()), float(abs(first[1]).max())
    (False, 0.0)
    """
    return K.random_normal(shape, mean, stddev, dtype, seed)


def random_uniform(
    shape: Shape, minval: Scalar = 0.0, maxval: Scalar = 1.0, dtype: Optional[Dtype] = None, seed: Optional[Seed] = None
) -> Tensor:
    """Draw from a uniform distribution.

    Parameters
    ----------
    shape : tuple of int, or tensor of int, or tuple of both
        Shape of the result.
    minval : float or tensor, optional
        Lower end of the interval.
    maxval : float or tensor, optional
        Upper end of the interval.
    dtype : str, optional
        A float type. None means `K.floatx()`.
    seed : int, optional
        Makes the sequence of draws repeatable. None takes a seed from `numpy.random`.

    Returns
    -------
    tensor
        Fresh numbers in every run.

    Examples
    --------
    >>> value = K.eval(K.random_uniform((20, 20), minval=2., maxval=3.))
    >>> value.shape, bool(((2. <= value) & (value <= 3.)).all())
    ((20, 20), True)
    """
    return K.random_uniform(shape, minval, maxval, dtype, seed)


def random_binomial(
    shape: Shape, p: Scalar = 0.0, dtype: Optional[Dtype] = None, seed: Optional[Seed] = None
) -> Tensor:
    """Draw zeros and ones.

    Parameters
    ----------
    shape : tuple of int, or tensor of int, or tuple of both
        Shape of the result.
    p : float or tensor, optional
        Probability of a one, between 0 and 1.
    dtype : str, optional
        None means `K.floatx()`.
    seed : int, optional
        Makes the sequence of draws repeatable. None takes a seed from `numpy.random`.

    Returns
    -------
    tensor
        Fresh numbers in every run.

    Examples
    --------
    >>> value = K.eval(K.random_binomial((20, 20), p=0.5))
    >>> value.shape, set(value.ravel().tolist()) == {0.0, 1.0}
    ((20, 20), True)
    """
    return K.random_binomial(shape, p, dtype, seed)


def truncated_normal(
    shape: Shape, mean: Scalar = 0.0, stddev: Scalar = 1.0, dtype: Optional[Dtype] = None, seed: Optional[Seed] = None
) -> Tensor:
    """Draw from a normal distribution without its tails.

    Parameters
    ----------
    shape : tuple of int, or tensor of int, or tuple of both
        Shape of the result.
    mean : float or tensor, optional
        Mean of the distribution.
    stddev : float or tensor, optional
        Standard deviation of the distribution before the tails are cut.
    dtype : str, optional
        A float type. None means `K.floatx()`.
    seed : int, optional
        Makes the sequence of draws repeatable. None takes a seed from `numpy.random`.

    Returns
    -------
    tensor
        Fresh numbers in every run. A number that is further than two standard deviations from the mean is drawn again.

    Examples
    --------
    >>> value = K.eval(K.truncated_normal((20, 20), mean=1., stddev=3.))
    >>> value.shape, bool(abs(value - 1.).max() <= 6.001)
    ((20, 20), True)
    """
    return K.truncated_normal(shape, mean, stddev, dtype, seed)
