"""Element-wise kernels: those of `jax.numpy`, with NumPy's answers where XLA has others."""

from typing import Any, Callable, Dict, Tuple

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

from ....basics.dtypes import WIDER
from .common import Array, Kernel, widened

# Functions that `jax.numpy` has under the same name, and under another one.
_SAME = (
    'abs exp log sin cos tanh expm1 log1p sign not_equal greater greater_equal less less_equal maximum minimum '
    'where logical_not logical_and logical_or'
)
_OTHER = {'neg': 'negative', 'add': 'add', 'sub': 'subtract', 'mul': 'multiply', 'div': 'true_divide', 'pow': 'power'}


@widened
def softplus(x: Array) -> Array:
    """log(1 + exp(x)) without overflow."""
    return jnp.log1p(jnp.exp(-jnp.abs(x))) + jnp.maximum(x, 0)


def _divided(x: Array, y: Array) -> Tuple[Array, Array]:
    """The quotient rounded down and the remainder of floats by NumPy's rule: the exact remainder decides both.

    The quotient by 0 is the plain one.
    """
    rest = lax.rem(x, y)
    shifted = (rest != 0) & ((rest < 0) != (y < 0))
    quotient = (x - rest) / y - shifted.astype(x.dtype)
    down = jnp.floor(quotient)
    down = jnp.where(quotient - down > 0.5, down + 1, down)
    zero = jnp.zeros_like(x)
    down = jnp.where(quotient == 0, jnp.copysign(zero, x / y), down)
    moved = jnp.where(shifted, rest + y, rest)
    return jnp.where(y == 0, x / y, down), jnp.where(rest == 0, jnp.copysign(zero, y), moved)


def _division(part: int, of_integers: Callable[[Any, Any], Array]) -> Kernel:
    """A part of what `_divided` gives; of integers 0 where the divisor is 0."""
    of_floats = widened(lambda x, y: _divided(x, y)[part])

    def kernel(x: Array, y: Array) -> Array:
        x, y = jnp.broadcast_arrays(x, y)
        if x.dtype.kind == 'f':
            return of_floats(x, y)
        return jnp.where(y == 0, 0, of_integers(x, jnp.where(y == 0, 1, y)))

    return kernel


def cast(x: Array, dtype: Any) -> Array:
    """`x` as `dtype`: to bool means non-zero, float to integer truncates."""
    dtype = np.dtype(dtype)
    if dtype.kind == 'b' and x.dtype.kind != 'b':
        return x != x.dtype.type(0)
    if x.dtype.kind == 'f' and dtype.kind in ('i', 'u') and dtype != np.uint64:
        # As processors do it. XLA would give the nearest number, and 0 for NaN.
        wide = np.iinfo(WIDER.get(dtype.name, dtype.name))
        fits = x < (-float(wide.min) if x.dtype.itemsize > 2 else np.inf)
        x = jnp.where(fits, lax.convert_element_type(x, wide.dtype), wide.dtype.type(wide.min))
    return lax.convert_element_type(x, dtype)


# JAX 0.4.30 has no such barrier.
_computed_once = getattr(lax, 'optimization_barrier', lambda tensors: tensors)


def equal(x: Array, y: Array) -> Array:
    """Whether numbers are equal. What XLA computes twice, in two loops, may differ in its last bit.

    A maximum of `x * y` would be equal to none of the products, and its gradient NaN. So both sides are computed first.
    """
    if isinstance(x, jax.core.Tracer) and isinstance(y, jax.core.Tracer) and x.dtype.kind == 'f':
        x, y = _computed_once((lax.stop_gradient(x), lax.stop_gradient(y)))
    return jnp.equal(x, y)


def _of_floats(function: Kernel) -> Kernel:
    """`function`; integers are round already."""
    return lambda x: function(x) if x.dtype.kind == 'f' else jnp.asarray(x)


PRIMITIVES: Dict[str, Kernel] = {name: getattr(jnp, name) for name in _SAME.split()}
PRIMITIVES.update({name: getattr(jnp, theirs) for name, theirs in _OTHER.items()})
PRIMITIVES.update({f.__name__: f for f in (softplus, cast, equal)})
PRIMITIVES.update(
    # 0 of negative numbers. XLA leaves the choice out after `abs`. It would keep a maximum.
    sqrt=lambda x: jnp.sqrt(jnp.where(x < 0, 0, x)),
    # XLA fuses a maximum with a sum that follows, but not a choice. `jnp.maximum` has the slope 0.5 at 0, this has 0.
    relu=jax.nn.relu,
    sigmoid=widened(lax.logistic),
    square=lambda x: jnp.multiply(x, x),
    round=_of_floats(jnp.round),
    floor=_of_floats(jnp.floor),
    floordiv=_division(0, jnp.floor_divide),
    mod=_division(1, jnp.remainder),
    identity=lambda x: x,
    # for `jax.grad` of what `as_function` returns
    stop_gradient=lax.stop_gradient,
    tanh_grad=lambda y, g: g * (1 - jnp.square(y)),
    sigmoid_grad=lambda y, g: g * (y * jnp.subtract(1, y)),
    relu_grad=lambda y, g: jnp.where(y > 0, g, 0),
)
