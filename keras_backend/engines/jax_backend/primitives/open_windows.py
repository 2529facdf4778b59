"""Padding and pooling, channels last, of axes whose sizes `jax.export` leaves open: by XLA's own windows."""

from functools import partial
from typing import Any, Tuple

import jax
import numpy as np
from jax import core, lax
from jax import numpy as jnp

from ....basics.dtypes import lowest
from ....basics.shapes import pads as pads_of
from ....basics.shapes import window as span_of
from .common import Array, Ints


def padded(x: Array, value: Any, window: Ints, strides: Ints, padding: str, dilation: Ints) -> Array:
    """`x` with `value` around it, as long as windows without padding need it to be, in which case they all fit."""
    widths = [_width(n, k, s, padding, d) for n, k, s, d in zip(x.shape[1:-1], window, strides, dilation)]
    return lax.pad(x, np.array(value, x.dtype), [(0, 0, 0), *[(lo, hi, 0) for lo, hi in widths], (0, 0, 0)])


def _width(n: Any, k: int, stride: int, padding: str, dilation: int) -> Tuple[Any, Any]:
    span = span_of(k, dilation)
    if stride == 1:
        width: Tuple[int, int] = pads_of(padding, None, k, stride, dilation)
        return width
    windows = (n - span) // stride + 1 if padding == 'valid' else -(-n // stride)
    needed = (windows - 1) * stride + span
    before = span - 1 if padding == 'causal' else 0
    if padding == 'same':
        before = (needed - n if span >= stride else core.max_dim(needed - n, 0)) // 2
    return before, needed - n - before


def _over_windows(x: Array, start: Any, function: Any, window: Ints, strides: Ints, padding: str) -> Array:
    x = padded(x, start, window, strides, padding, (1,) * len(window))
    return lax.reduce_window(x, np.array(start, x.dtype), function, (1, *window, 1), (1, *strides, 1), 'VALID')


def max_pool(x: Array, window: Ints, strides: Ints, padding: str) -> Array:
    """The maximum of each window."""
    if x.dtype == bool:
        return max_pool(x.astype(np.int8), window, strides, padding) != 0
    return _over_windows(x, lowest(x.dtype.name), lax.max, window, strides, padding)


def max_pool_grad(x: Array, g: Array, **attrs: Any) -> Array:
    """`g`, of the shape of the result, sent to the first maximum of each window of `x`."""
    top, back = jax.vjp(partial(max_pool, **attrs), x)
    (gradient,) = back(jnp.where(top == top, g, jnp.zeros_like(g)))
    return gradient


def max_pool_select(x: Array, v: Array, **attrs: Any) -> Array:
    """`v`, of the shape of `x`, read at the first maximum of each window of `x`: the adjoint of `max_pool_grad`."""
    top = max_pool(x, **attrs)
    (selected,) = jax.vjp(lambda g: max_pool_grad(x, g, **attrs), jnp.zeros_like(top))[1](v)
    return selected


def avg_pool(x: Array, window: Ints, strides: Ints, padding: str) -> Array:
    """The mean of the real entries of each window."""
    total = partial(_over_windows, start=0, function=lax.add, window=window, strides=strides, padding=padding)
    return total(x) / total(jnp.ones((1, *x.shape[1:-1], 1), x.dtype))
