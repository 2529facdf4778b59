"""The functions of NumPy that the graph needs (see `graph.run.kernels`)."""

from functools import partial
from typing import Any, Callable, ContextManager, List, Optional, Tuple

import numpy as np

from ...basics.dtypes import by_rows, fitting, numbers
from ...basics.dtypes import private as asarray  # noqa: F401
from ...errors import FeedError
from ...graph.nodes.tensor import Tensor
from ...graph.run.kernels import Feed
from ...graph.run.python import compile_program as compile  # noqa: F401
from ...kernels import CHANGES, IN_PLACE, PRIMITIVES, VIEWS, specialize  # noqa: F401
from ...kernels.random import Stream  # noqa: F401


def guard() -> ContextManager[Any]:
    """IEEE 754 answers division by zero and overflow, in silence."""
    context: ContextManager[Any] = np.errstate(all='ignore')
    return context


def sparse(value: Any, dtype: str) -> Any:
    """A private copy of a scipy.sparse matrix."""
    return by_rows(value).astype(dtype, copy=True)


def to_numpy(data: Any) -> Any:
    """A copy of `data` for the user, a scalar if it has no axes; dense, whatever it is."""
    if hasattr(data, 'toarray'):
        return data.toarray()
    return data.copy('K') if data.ndim else data[()]


def private_copy(value: Any, dtype: str) -> np.ndarray:
    """`value` as an array that nothing else holds."""
    return np.array(value, dtype)


def hand_out(dtype: str, rank: Optional[int], copy: bool) -> Optional[Callable[[Any], Any]]:
    """A function that makes a result an array of the user's own, or a NumPy scalar of `dtype` if it has no axes."""
    if rank is None:
        return to_numpy
    if not rank:
        to_scalar: Callable[[Any], Any] = np.dtype(dtype).type
        return to_scalar
    return partial(np.array, dtype=dtype) if copy else None


def is_whole(data: np.ndarray) -> bool:
    """Whether `data` has memory of its own, to write into."""
    return bool(data.flags.owndata and data.flags.writeable)


def backwards(data: np.ndarray) -> np.ndarray:
    """`data` from the end along its first axis."""
    return data[::-1]


def feed(dtype: str) -> Feed:
    """A function that makes an array of `dtype` of what is fed; no copy, as nothing writes into it."""
    expected = np.dtype(dtype)

    def convert(value: Any) -> np.ndarray:
        if value.__class__ is np.ndarray and value.dtype is expected:
            return value
        if hasattr(value, 'toarray'):
            raise TypeError('a sparse matrix; make the placeholder with sparse=True')
        return fitting(numbers(value), expected)

    return convert


feed_host = feed


def feed_sparse(placeholder: Tensor) -> Feed:
    """As `feed`, for a placeholder of a sparse matrix; a dense array is taken too."""

    def convert(value: Any) -> Any:
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            raise ImportError(
                f'Feeding the sparse placeholder {placeholder.name} needs SciPy; type: pip install scipy'
            ) from None
        rows = by_rows(value) if hasattr(value, 'tocsr') else value
        matrix = csr_matrix(rows, dtype=placeholder.dtype)
        if any(d is not None and d != n for d, n in zip(placeholder.shape or (), matrix.shape)):
            raise FeedError(
                f'{placeholder.name} of shape {placeholder.shape} cannot be fed with a matrix of shape {matrix.shape}.'
            )
        return matrix

    return convert


def stack_steps(steps: List[np.ndarray], tail: Tuple[int, ...], dtype: str) -> np.ndarray:
    """The values that a loop collected, as one array. `tail` is the static shape of one (0 where unknown)."""
    if not steps:
        return np.zeros((0,) + tail, dtype)
    first = steps[0]
    if not np.ndim(first):
        return np.array(steps, dtype)
    return np.concatenate(steps).reshape((len(steps),) + first.shape)
