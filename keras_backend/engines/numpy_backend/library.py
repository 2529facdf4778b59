"""What the graph needs of NumPy (see `graph.engine.Engine`)."""

import numpy as np

from ...arrays import numbers
from ...arrays import private as asarray  # noqa: F401
from ...errors import FeedError
from ...graph.codegen import compile_program as compile  # noqa: F401
from ...kernels import IMPLEMENTATIONS, VIEWS, specialize  # noqa: F401
from ...kernels.random import Stream  # noqa: F401


def guard():
    """IEEE 754 answers division by zero and overflow, in silence."""
    return np.errstate(all='ignore')


def sparse(value, dtype):
    """A private copy of a scipy.sparse matrix."""
    return value.tocsr().astype(dtype, copy=True)


def to_numpy(data):
    """A copy of `data` for the user, a scalar if it has no axes; dense, whatever it is."""
    if hasattr(data, 'toarray'):
        return data.toarray()
    return data.copy('K') if data.ndim else data[()]


def scalar(dtype):
    """A function that makes a NumPy scalar of `dtype` of a value without axes."""
    return np.dtype(dtype).type


def own(value, dtype):
    """`value` as an array that nothing else holds."""
    return np.array(value, dtype)


def feed(dtype):
    """A function that makes an array of `dtype` of what is fed; no copy, as nothing writes into it."""
    wanted = np.dtype(dtype)

    def convert(value):
        if value.__class__ is np.ndarray and value.dtype is wanted:
            return value
        if hasattr(value, 'toarray'):
            raise TypeError('a sparse matrix; make the placeholder with sparse=True')
        return numbers(value).astype(wanted, copy=False)

    return convert


def feed_sparse(placeholder):
    """As `feed`, for a placeholder of a sparse matrix; a dense array is taken too."""

    def convert(value):
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            raise ImportError(
                f'Feeding the sparse placeholder {placeholder.name} needs SciPy; type: pip install scipy'
            ) from None
        matrix = csr_matrix(value, dtype=placeholder.dtype)
        if any(d is not None and d != n for d, n in zip(placeholder.shape, matrix.shape)):
            raise FeedError(
                f'{placeholder.name} of shape {placeholder.shape} cannot be fed with a matrix of shape {matrix.shape}.'
            )
        return matrix

    return convert


def stack_steps(steps, tail, dtype):
    """The values that a loop collected, as one array. `tail` is the static shape of one (0 where unknown)."""
    if not steps:
        return np.zeros((0,) + tail, dtype)
    first = steps[0]
    if not np.ndim(first):
        return np.array(steps, dtype)
    return np.concatenate(steps).reshape((len(steps),) + first.shape)
