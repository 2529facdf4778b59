"""Kernels that reduce or accumulate along axes, and products of matrices."""

from typing import Any, Dict

import numpy as np
from jax import lax
from jax import numpy as jnp

from ....basics.dtypes import highest, lowest
from ....kernels.linalg import check_batches
from .common import Array, Ints, Kernel, Sizes, check_same_sizes, precision, sizes, widened


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


PRIMITIVES: Dict[str, Kernel] = {f.__name__: f for f in (softmax, log_softmax, sum_to, tensordot, matmul)}
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
