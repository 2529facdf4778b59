"""Convolutions and poolings, channels last, in any number of spatial axes. Padding never counts.

A gradient of a linear function is its transpose, which JAX makes. A pooling is made of shifted slices, one for each
place of the window in the order of its memory; XLA makes one loop of them.
"""

from functools import partial
from typing import Any, Dict, Iterator, Tuple

import jax
import numpy as np
from jax import core, lax
from jax import numpy as jnp

from ....basics.dtypes import lowest
from ....basics.shapes import pads as pads_of
from ....basics.shapes import window as span_of
from ....graph.run.sizes import has_numbers
from ....kernels.spatial import _counts, _geometry_of_pool, geometry
from .common import Array, Ints, Kernel, Sizes, precision, sizes, transposed, widened

# -- open windows ------------------------------------------------------------------------------------------------------
# Padding and pooling, channels last, of axes whose sizes `jax.export` leaves open: by XLA's own windows.


def open_padded(x: Array, value: Any, window: Ints, strides: Ints, padding: str, dilation: Ints) -> Array:
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
    x = open_padded(x, start, window, strides, padding, (1,) * len(window))
    return lax.reduce_window(x, np.array(start, x.dtype), function, (1, *window, 1), (1, *strides, 1), 'VALID')


def open_max_pool(x: Array, window: Ints, strides: Ints, padding: str) -> Array:
    """The maximum of each window."""
    if x.dtype == bool:
        return open_max_pool(x.astype(np.int8), window, strides, padding) != 0
    return _over_windows(x, lowest(x.dtype.name), lax.max, window, strides, padding)


def open_max_pool_grad(x: Array, g: Array, **attrs: Any) -> Array:
    """`g`, of the shape of the result, sent to the first maximum of each window of `x`."""
    top, back = jax.vjp(partial(open_max_pool, **attrs), x)
    (gradient,) = back(jnp.where(top == top, g, jnp.zeros_like(g)))
    return gradient


def open_max_pool_select(x: Array, v: Array, **attrs: Any) -> Array:
    """`v`, of the shape of `x`, read at the first maximum of each window of `x`: the adjoint of `max_pool_grad`."""
    top = open_max_pool(x, **attrs)
    (selected,) = jax.vjp(lambda g: open_max_pool_grad(x, g, **attrs), jnp.zeros_like(top))[1](v)
    return selected


def open_avg_pool(x: Array, window: Ints, strides: Ints, padding: str) -> Array:
    """The mean of the real entries of each window."""
    total = partial(_over_windows, start=0, function=lax.add, window=window, strides=strides, padding=padding)
    return total(x) / total(jnp.ones((1, *x.shape[1:-1], 1), x.dtype))


# -- windows of known sizes --------------------------------------------------------------------------------------------
# Convolutions, and poolings made of slices.


# XLA gives wrong numbers on CPUs where it makes one loop of the gradients of a maximum pooling, tanh and a convolution.
optimization_barrier = getattr(lax, 'optimization_barrier', None)


def _convolved(x: Array, kernel: Array, strides: Ints, padding: str, dilation: Ints, groups: int = 1) -> Array:
    if not has_numbers(x.shape[1:-1]):
        x = open_padded(x, 0, kernel.shape[:-2], strides, padding, dilation)
        return _conv(x, kernel, strides, 'VALID', dilation, groups)
    geo = geometry(tuple(x.shape[1:-1]), tuple(kernel.shape[:-2]), tuple(strides), padding, tuple(dilation))
    shape = (x.shape[0],) + geo.out + (kernel.shape[-1],)
    if 0 in shape or 0 in x.shape or 0 in kernel.shape:
        return jnp.zeros(shape, x.dtype)
    return _conv(x, kernel, strides, geo.pads, dilation, groups)


def _conv(x: Array, kernel: Array, strides: Ints, pads: Any, dilation: Ints, groups: int) -> Array:
    rank = len(kernel.shape) - 2
    spatial = 'DHW'[-rank:] if rank <= 3 else 'ABCDEFGHIJK'[:rank]
    names = f'N{spatial}C', f'{spatial}IO', f'N{spatial}C'
    how: Any = {'rhs_dilation': dilation, 'dimension_numbers': names, 'feature_group_count': groups}
    return lax.conv_general_dilated(x, kernel, strides, pads, precision=precision(), **how)


def _depthwise(x: Array, kernel: Array, **attrs: Any) -> Array:
    """Each channel of `x` with its kernels (spatial..., channel, m); c gives the results c * m, c * m + 1 ..."""
    channels, multiplier = kernel.shape[-2:]
    grouped = jnp.reshape(kernel, kernel.shape[:-2] + (1, channels * multiplier))
    return _convolved(x, grouped, groups=channels, **attrs)


def _family(name: str, function: Kernel, filters: Any) -> Dict[str, Kernel]:
    """A convolution and its gradients. `filters` makes the end of the shape of a kernel of the channels in and out."""

    def of_input(g: Array, kernel: Array, shape: Sizes, **attrs: Any) -> Array:
        return transposed(lambda x: function(x, kernel, **attrs), sizes(shape), g)

    def of_kernel(x: Array, g: Array, window: Sizes, **attrs: Any) -> Array:
        shape = sizes(window) + filters(x.shape[-1], g.shape[-1])
        return transposed(lambda kernel: function(x, kernel, **attrs), shape, g)

    kernels: Dict[str, Kernel] = {name: function, f'{name}_input_grad': of_input, f'{name}_kernel_grad': of_kernel}
    return {name: widened(kernel) for name, kernel in kernels.items()}


# -- pooling -----------------------------------------------------------------------------------------------------
def _pieces(x: Array, geo: Any, value: Any) -> Iterator[Array]:
    """For each place of the window, the entries of `x` that it meets. `value` lies all around `x`."""
    widths = [(0, 0, 0)] + [(lo, hi, 0) for lo, hi in geo.pads] + [(0, 0, 0)]
    x = lax.pad(x, np.array(value, x.dtype), widths)
    for offset in geo.offsets:
        # An axis of size 0 has no places that a slice could start at.
        starts = [o if m else 0 for o, m in zip(offset, geo.out)]
        ends = [o + (m - 1) * s + 1 if m else 0 for o, m, s in zip(offset, geo.out, geo.strides)]
        yield lax.slice(x, [0, *starts, 0], [x.shape[0], *ends, x.shape[-1]], (1,) + tuple(geo.strides) + (1,))


def _worst(x: Array) -> Any:
    return False if x.dtype == bool else lowest(x.dtype.name)


def max_pool(x: Array, window: Ints, strides: Ints, padding: str) -> Array:
    """The maximum of each window."""
    if not has_numbers(x.shape[1:-1]):
        return open_max_pool(x, window, strides, padding)
    geo = _geometry_of_pool(tuple(x.shape), window, strides, padding)
    maxima = None
    for piece in _pieces(x, geo, _worst(x)):
        maxima = piece if maxima is None else lax.max(maxima, piece)
    return maxima


def max_pool_select(x: Array, v: Array, window: Ints, strides: Ints, padding: str) -> Array:
    """`v`, of the shape of `x`, read at the first maximum of each window of `x`."""
    if not has_numbers(x.shape[1:-1]):
        return open_max_pool_select(x, v, window=window, strides=strides, padding=padding)
    geo = _geometry_of_pool(tuple(x.shape), window, strides, padding)
    top = max_pool(x, window, strides, padding)
    left, out = jnp.ones(top.shape, bool), jnp.zeros(top.shape, v.dtype)
    real = _pieces(jnp.ones(x.shape[:-1] + (1,), np.int8), geo, 0)
    for piece, value, inside in zip(_pieces(x, geo, _worst(x)), _pieces(v, geo, 0), real):
        first = (piece == top) & left & (inside != 0)
        left, out = left & ~first, jnp.where(first, value, out)
    return out


def max_pool_grad(x: Array, g: Array, **attrs: Any) -> Array:
    """`g`, of the shape of the result, sent to the first maximum of each window of `x`."""
    if not has_numbers(x.shape[1:-1]):
        return open_max_pool_grad(x, g, **attrs)
    if optimization_barrier is None:
        return _scattered(x, g, **attrs)
    return optimization_barrier(transposed(lambda v: max_pool_select(x, v, **attrs), x.shape, g))


def _scattered(x: Array, g: Array, window: Ints, strides: Ints, padding: str) -> Array:
    """`max_pool_grad` by XLA's own operation, which is slower. JAX 0.4.30 has no barrier."""
    geo = _geometry_of_pool(tuple(x.shape), window, strides, padding)
    if 0 in x.shape or 0 in g.shape:
        return jnp.zeros(x.shape, g.dtype)
    top = max_pool(x, window, strides, padding)
    pads = [(0, 0), *geo.pads, (0, 0)]

    def pooled(v: Array) -> Array:
        return lax.reduce_window(v, np.array(-np.inf, v.dtype), lax.max, (1, *window, 1), (1, *strides, 1), pads)

    return jax.vjp(pooled, x)[1](jnp.where(top == top, g, jnp.zeros_like(g)))[0]


@widened
def avg_pool(x: Array, window: Ints, strides: Ints, padding: str) -> Array:
    """The mean of the real entries of each window."""
    if not has_numbers(x.shape[1:-1]):
        return open_avg_pool(x, window, strides, padding)
    geo = _geometry_of_pool(tuple(x.shape), window, strides, padding)
    if 0 in (x.shape[0],) + geo.out + (x.shape[-1],):
        return jnp.zeros((x.shape[0],) + geo.out + (x.shape[-1],), x.dtype)
    return sum(_pieces(x, geo, 0)) / _counts(geo, x.dtype)


@widened
def avg_pool_grad(g: Array, shape: Sizes, **attrs: Any) -> Array:
    """The adjoint of the average pooling of an array of `shape`."""
    return transposed(partial(avg_pool, **attrs), sizes(shape), g)


PRIMITIVES: Dict[str, Kernel] = {
    f.__name__: f for f in (max_pool, max_pool_grad, max_pool_select, avg_pool, avg_pool_grad)
}
PRIMITIVES.update(_family('conv', _convolved, lambda channels, filters: (channels, filters)))
PRIMITIVES.update(
    _family('depthwise_conv', _depthwise, lambda channels, n: (channels, n // channels if channels else 0))
)
