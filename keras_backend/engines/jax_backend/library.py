"""The parts of JAX that the graph needs (see `graph.run.kernels`).

The array of a variable is one of NumPy until a function reads it first. From then on it is one of JAX.
"""

from typing import Any, Callable, Dict, FrozenSet, List, Optional, Tuple

import jax
import numpy as np
from jax import numpy as jnp

from ...graph.run.kernels import Feed, Kernel
from ..numpy_backend import library as of_numpy
from ..numpy_backend.library import Stream, asarray, backwards, feed_sparse, sparse  # noqa: F401
from ..numpy_backend.library import feed as feed_host
from .compiled_function import CompiledFunction as compile  # noqa: F401
from .mesh import on_host
from .primitives import PRIMITIVES  # noqa: F401

# Arrays of JAX never change, so no result lies in an operand.
VIEWS: FrozenSet[str] = frozenset()
IN_PLACE: FrozenSet[str] = frozenset()
CHANGES: Dict[str, Kernel] = {}
guard = None
# Bytes from which on a copy takes longer than to ask for the memory.
_LARGE = 1 << 16


def specialize(name: str, ranks: Tuple[int, ...], attrs: Dict[str, Any], dtypes: Tuple[str, ...]) -> None:
    """XLA specializes by itself."""


def to_numpy(data: Any) -> Any:
    """A copy of `data` for the user, a scalar of NumPy if it has no axes; dense, whatever it is."""
    return of_numpy.to_numpy(data if hasattr(data, 'toarray') else on_host(data))


class _Memory:
    """The memory of an array of JAX, as NumPy asks for it."""

    def __init__(self, array: Any) -> None:
        self._array = array
        self.__array_interface__ = {
            'data': (array.unsafe_buffer_pointer(), False),
            'shape': array.shape,
            'typestr': array.dtype.str,
            'version': 3,
        }


def given_away(array: jax.Array) -> Any:
    """`array`, which nothing else holds, for the user; a large one in the memory of XLA, which is not read again."""
    # On a CPU this is a view. What NumPy says of it takes less time than the same said by JAX.
    host = on_host(array)
    if host.nbytes < _LARGE or [device.platform for device in array.devices()] != ['cpu']:
        return of_numpy.to_numpy(host)
    return np.asarray(_Memory(array.block_until_ready()))


def private_copy(value: Any, dtype: str) -> Any:
    """`value` as an array that nothing else holds."""
    return jnp.array(value, dtype, copy=True)


def hand_out(dtype: str, rank: Optional[int], copy: bool) -> Callable[[Any], Any]:
    """A function that makes a result an array of the user's own, and a NumPy scalar of `dtype` where it has no axes."""
    return to_numpy


def is_whole(data: Any) -> bool:
    """No array of JAX can be written into."""
    return False


def feed(dtype: str) -> Feed:
    """A function that makes an array of `dtype` of what is fed: an array of JAX of this dtype is taken as it is."""
    expected, of_host = np.dtype(dtype), feed_host(dtype)

    def convert(value: Any) -> Any:
        # A look at the class takes less time than to ask whether something is an array of JAX.
        if value.__class__ is np.ndarray:
            return value if value.dtype is expected else of_host(value)
        if not isinstance(value, jax.Array):
            return of_host(value)
        if value.dtype == expected or isinstance(value, jax.core.Tracer):
            return value
        return of_host(value)

    return convert


def stack_steps(steps: List[Any], tail: Tuple[int, ...], dtype: str) -> Any:
    """The values that a loop collected, as one array."""
    return jnp.stack(steps) if steps else jnp.zeros((0,) + tail, dtype)
