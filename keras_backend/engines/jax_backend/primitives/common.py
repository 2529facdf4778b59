"""Functions that several kernels share: operands of one shape, transposes, and the check of places."""

import threading
from typing import Any, Callable, List, Sequence, Tuple

import jax
import numpy as np
from jax import core, lax
from jax import numpy as jnp

from ....errors import ShapeError
from ....graph.run.sizes import has_numbers, is_symbolic
from ....kernels.common import Ints, Kernel, Sizes, sizes, widened  # noqa: F401
from ....kernels.rows import first_place, refuse_place

Array = Any  # of JAX, or of NumPy where a value is known on the host


def precision() -> Any:
    """The precision of products and convolutions: that of their dtype, where the program has not set another one.

    JAX itself lets a GPU or a TPU round the factors of float32 to 10 bits or fewer.
    """
    return lax.Precision.HIGHEST if jax.config.jax_default_matmul_precision is None else None


# XLA computes what is given before all that uses the result, and once. JAX 0.4.30 has no public name for it.
computed_first: Callable[[Any], Any] = getattr(lax, 'optimization_barrier', lambda tensors: tensors)


def is_host(x: Any) -> bool:
    """Whether the value of `x` is known while a function is traced."""
    return isinstance(x, (np.ndarray, np.generic))


def one_size(n: Any) -> Any:
    """A size as a number, or as the object that `jax.export` has for one without a number."""
    return np.asarray(n).item()


def valued(x: Array, dtype: Any) -> Array:
    """`x`; an array of sizes without numbers as the array of `dtype` that has their values in a run."""
    if not is_symbolic(x):
        return x
    entries = [jnp.asarray(n).astype(dtype) for n in x.reshape(-1)]
    return jnp.reshape(jnp.stack(entries), x.shape) if entries else jnp.zeros(x.shape, dtype)


def check_same_sizes(shape: Sequence[Any], target: Sequence[Any]) -> None:
    """Refuse to sum to sizes without numbers that may be those of `shape` and may be 1."""
    for n, m in zip(shape, target):
        if n != m and not has_numbers([m]):
            raise ShapeError(
                f'An array of shape {tuple(shape)} cannot be summed to {tuple(target)} for all sizes: nobody knows '
                f'whether {n} and {m} are the same. Give both the same name, or one of them a number.'
            )


def spread(x: Array, shape: Sequence[int]) -> Array:
    """`x` broadcast to `shape`."""
    shape = tuple(shape)
    if x.shape == shape:
        return x
    lead = len(shape) - len(x.shape)
    if lead < 0 or any([n != m and n != 1 for n, m in zip(x.shape, shape[lead:])]):
        raise ValueError(f'An array of shape {tuple(x.shape)} cannot be broadcast to {shape}.')
    kept = [i for i, n in enumerate(x.shape) if n == shape[lead + i]]
    x = lax.reshape(x, [x.shape[i] for i in kept]) if len(kept) != len(x.shape) else x
    return lax.broadcast_in_dim(x, shape, [lead + i for i in kept])


def transposed(function: Callable[[Array], Array], shape: Ints, g: Array) -> Array:
    """The adjoint of a linear function of an array of `shape`, applied to `g`."""
    if 0 in shape or 0 in g.shape:
        return jnp.zeros(shape, g.dtype)
    (adjoint,) = jax.linear_transpose(function, jax.ShapeDtypeStruct(shape, g.dtype))(jnp.asarray(g))
    return adjoint


class _Open(threading.local):
    """Of each thread: for each function that is being traced, one inside of the other, what was found in it."""

    def __init__(self) -> None:
        self.lists: List[List[Array]] = []
        self.keys: List[int] = []


# A note has the shape of an array of so many axes; of one with more it says the place in the flat array.
_MOST_AXES = 4


class Checks:
    """Places that a compiled function finds out of range: it cannot raise an error, so it returns what it found.

    That is a vector for each check: whether there was a wrong place, which, the size of the axis, the lowest place, the
    key of the node, where in the array of places the wrong one was, and the shape of that array.
    """

    ENTRIES = 6 + _MOST_AXES

    _open = _Open()

    @classmethod
    def inside(cls, function: Callable[[], Any], key: int = 0) -> Tuple[Any, List[Array]]:
        """The result of a function, and what was found in it. `key`: of the node, as `Lowering.key` gives it."""
        lists, keys = cls._open.lists, cls._open.keys
        lists.append([])
        keys.append(key)
        try:
            return function(), lists[-1]
        finally:
            lists.pop()
            keys.pop()

    @classmethod
    def key(cls) -> int:
        """The key of the node that is computed, 0 where that is not known."""
        return cls._open.keys[-1] if cls._open.keys else 0

    @classmethod
    def note(cls, found: Array) -> None:
        """Add what a check found to what the function that is traced returns."""
        if cls._open.lists:
            cls._open.lists[-1].append(found)


def _axes(places: Array) -> List[int]:
    """The shape of an array of places, with zeros up to a fixed length."""
    return list(places.shape) + [0] * (_MOST_AXES - len(places.shape))


def refuse_noted(found: Sequence[int]) -> None:
    """Refuse a place that a compiled function has noted."""
    if found[0]:
        index, size, least, key, first = found[1:6]
        at = np.unravel_index(first, [n for n in found[6:] if n])
        refuse_place(index, size, least, key, [int(i) for i in at])


def check_places(places: Array, size: int, least: int = 0, key: int = 0) -> None:
    """Refuse places that are not from `least` to `size` - 1; a compiled function notes them.

    key: of the node that reads there, as `Lowering.key` gives it, where the caller knows it.
    """
    if not places.size:
        return
    if isinstance(places, core.Tracer) or not has_numbers((size, least)):
        wide = jnp.asarray(places).astype(np.int64).reshape(-1)
        wrong = (wide < least) | (wide >= size)
        first = jnp.argmax(wrong)
        record = (
            wrong.any().astype(np.int64),
            wide[first],
            jnp.asarray(size).astype(np.int64),
            jnp.asarray(least).astype(np.int64),
            jnp.int64(Checks.key()),
            first.astype(np.int64),
            *[jnp.int64(n) for n in _axes(wide if len(places.shape) > _MOST_AXES else places)],
        )
        Checks.note(jnp.stack(record))
        return
    values = np.asarray(places).astype(np.int64)
    wrong = (values < least) | (values >= size)
    if wrong.any():
        at = first_place(np.asarray(wrong))
        refuse_place(values[at], size, least, key, at)
