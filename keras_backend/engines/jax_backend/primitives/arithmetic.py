"""Kernels that calculate: those of `jax.numpy`, with NumPy's answers where XLA has others."""

from typing import Any, Callable, Dict, Tuple

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

from ....basics.dtypes import WIDER, highest, lowest
from ....kernels.linalg import check_batches
from .common import Array, Ints, Kernel, Sizes, check_same_sizes, computed_first, precision, sizes, widened

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


def equal(x: Array, y: Array) -> Array:
    """Whether numbers are equal. What XLA computes twice, in two loops, may differ in its last bit.

    A maximum of `x * y` would be equal to none of the products, and its gradient NaN. So both sides are computed first.
    """
    if isinstance(x, jax.core.Tracer) and isinstance(y, jax.core.Tracer) and x.dtype.kind == 'f':
        x, y = computed_first((lax.stop_gradient(x), lax.stop_gradient(y)))
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


# -- reductions and products -------------------------------------------------------------------------------------------
# Kernels that reduce or accumulate along axes, and products of matrices.


@widened
def sums(x: Array, axes: Any, keepdims: bool = False) -> Array:
    """The sum in the dtype of `x`."""
    return jnp.sum(x, axes, x.dtype, keepdims=keepdims)


def _extremum(function: Any, worst: Any) -> Kernel:
    def kernel(x: Array, axes: Ints, keepdims: bool = False) -> Array:
        initial = None if x.size else worst(x.dtype.name) if x.dtype != bool else function is jnp.min
        return function(x, axes, keepdims=keepdims, initial=initial)

    return kernel


def _place(function: Any) -> Kernel:
    return lambda x, axis: function(x.astype(np.int8) if x.dtype == bool else x, axis).astype(np.int64)


@widened
def softmax(x: Array, axis: int) -> Array:
    """exp(x) over its sum, shifted by the maximum."""
    e = jnp.exp(x - jnp.max(x, axis, keepdims=True)) if x.size else x
    return e / jnp.sum(e, axis, keepdims=True)


@widened
def log_softmax(x: Array, axis: int) -> Array:
    """The logarithm of the softmax, accurate where the softmax vanishes."""
    y = x - jnp.max(x, axis, keepdims=True) if x.size else x
    return y - jnp.log(jnp.sum(jnp.exp(y), axis, keepdims=True))


def sum_to(x: Array, shape: Sizes) -> Array:
    """`x` summed over the axes along which `shape` is 1, and over those in front that it lacks."""
    shape = sizes(shape)
    if len(x.shape) != len(shape):
        x = sums(x, tuple(range(len(x.shape) - len(shape))))
    check_same_sizes(x.shape, shape)
    axes = tuple([i for i, (n, m) in enumerate(zip(x.shape, shape)) if n != m])
    return sums(x, axes, True) if axes else x


@widened
def tensordot(x: Array, y: Array, axes_x: Ints, axes_y: Ints) -> Array:
    """The sum over pairs of axes; the other axes of x come first, then those of y."""
    pairs = tuple([a % len(x.shape) for a in axes_x]), tuple([a % len(y.shape) for a in axes_y])
    return lax.dot_general(x, y, (pairs, ((), ())), precision=precision())


@widened
def matmul(x: Array, y: Array, transpose_x: bool = False, transpose_y: bool = False) -> Array:
    """Products of the matrices in the last two axes; the axes before them are the same."""
    check_batches(x.shape, y.shape)
    rank = len(x.shape)
    lead = tuple(range(rank - 2))
    summed = ((rank - 2 if transpose_x else rank - 1,), (rank - 1 if transpose_y else rank - 2,))
    return lax.dot_general(x, y, (summed, (lead, lead)), precision=precision())


PRIMITIVES.update({f.__name__: f for f in (softmax, log_softmax, sum_to, tensordot, matmul)})
PRIMITIVES.update(
    sum=sums,
    mean=widened(lambda x, axes, keepdims=False: jnp.mean(x, axes, keepdims=keepdims)),
    prod=lambda x, axes, keepdims=False: jnp.prod(x, axes, x.dtype, keepdims=keepdims),
    max=_extremum(jnp.max, lowest),
    min=_extremum(jnp.min, highest),
    any=lambda x, axes, keepdims=False: jnp.any(x, axes, keepdims=keepdims),
    all=lambda x, axes, keepdims=False: jnp.all(x, axes, keepdims=keepdims),
    argmax=_place(jnp.argmax),
    argmin=_place(jnp.argmin),
    cumsum=widened(lambda x, axis: jnp.cumsum(x, axis, dtype=x.dtype)),
    cumprod=lambda x, axis: jnp.cumprod(x, axis, dtype=x.dtype),
)
