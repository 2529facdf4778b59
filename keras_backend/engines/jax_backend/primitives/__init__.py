"""The primitives of the K graph on arrays of JAX; by topics.

An array is one of JAX, or one of NumPy: a value that is known on the host while a function is traced. A primitive of
integers that are all known there is computed by NumPy, so sizes are numbers for XLA. `NUMPY` has the reference.
"""

import sys
from functools import partial
from typing import Any, Callable, Dict, FrozenSet

import jax
import numpy as np
from jax import core
from jax import numpy as jnp
from jax.experimental import io_callback

from ....kernels import PRIMITIVES as NUMPY
from . import arithmetic, shape, spatial
from .common import Array, Kernel, sizes

# Primitives that make an array from a stream of random numbers, which NumPy draws.
DRAWS: FrozenSet[str] = frozenset(['random_uniform', 'random_normal', 'truncated_normal'])

# Primitives without a form for JAX. They need arrays that have values.
ON_HOST: FrozenSet[str] = frozenset(
    'ctc_greedy ctc_beam ctc_sparse sparse_cast sparse_dot sparse_concatenate to_dense nonzero'.split()
)


def _drawn(name: str) -> Kernel:
    draw = NUMPY[name]

    def kernel(stream: Any, shape_: Any = None, shape: Any = None, dtype: str = '') -> Array:
        dims = sizes(shape if shape_ is None else shape_)
        if not tracing():
            return np.asarray(draw(stream, dims, dtype))
        result = jax.ShapeDtypeStruct(dims, dtype)
        return io_callback(lambda: np.asarray(draw(stream, dims, dtype)), result)

    return kernel


# Whether surely nothing is traced. JAX has no public name for it. Older versions say no inside jax.vmap and jax.grad.
clean: Callable[[], bool] = getattr(sys.modules[core.Tracer.__module__], 'trace_state_clean', lambda: False)


def tracing() -> bool:
    """Whether what runs now is traced for a compiled function, as inside jax.jit, so that new arrays are tracers."""
    return not clean() and isinstance(jnp.zeros(()) + 0, core.Tracer)


def _write(message: str, value: Any) -> None:
    sys.stderr.write(f'{message}{np.asarray(value)}\n')
    sys.stderr.flush()


def _print(x: Array, message: str) -> Array:
    """`x`, after the message and its value have been written to standard error."""
    if isinstance(x, core.Tracer):
        io_callback(partial(_write, message), None, x, ordered=True)
    else:
        _write(message, x)
    return x


def _on_host(name: str) -> Kernel:
    function = NUMPY[name]

    def kernel(*arrays: Array, **attrs: Any) -> Any:
        return function(*[x if hasattr(x, 'toarray') else np.asarray(x) for x in arrays], **attrs)

    return kernel


PRIMITIVES: Dict[str, Kernel] = {'print': _print}
for _topic in (arithmetic, shape, spatial):
    PRIMITIVES.update(_topic.PRIMITIVES)
PRIMITIVES.update({name: _drawn(name) for name in DRAWS})
PRIMITIVES.update({name: _on_host(name) for name in ON_HOST})
