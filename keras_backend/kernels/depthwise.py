"""Depthwise convolutions, channels last: every channel of the input has kernels of its own.

A sum over the places of the window, some images at a time, so that what is read again is still in the cache. With
several kernels a channel, the channel is repeated first: then all sums run along memory.
"""

from typing import List

import numpy as np

from .common import Array, Ints, Sizes, product, sizes, widened
from .conv import Geometry, geometry
from .reduction import sum_

# numbers of the result worked on at a time: about half of a common second-level cache
_BLOCK = 1 << 17


def _pieces(batch: int, geo: Geometry, width: int) -> List[slice]:
    """Slices of the batch of about `_BLOCK` numbers each."""
    step = max(_BLOCK // max(geo.positions * width, 1), 1)
    return [slice(n, n + step) for n in range(0, batch, step)]


@widened
def depthwise_conv(x: Array, kernel: Array, strides: Ints, padding: str, dilation: Ints) -> Array:
    """Each channel of `x` with its kernels (spatial..., channel, m); c gives the results c * multiplier + m."""
    channels, multiplier = kernel.shape[-2:]
    width = channels * multiplier
    geo = geometry(x.shape[1:-1], kernel.shape[:-2], strides, padding, dilation)
    x = geo.pad(x if multiplier == 1 else x.repeat(multiplier, -1))
    kernels = kernel.reshape(geo.places, width)
    out = np.zeros(x.shape[:1] + geo.out + (width,), x.dtype)
    for piece in _pieces(len(x), geo, width):
        result, images = out[piece], x[piece]
        for offset, weights in zip(geo.offsets, kernels):
            np.add(result, images[geo.tap(offset)] * weights, result)
    return out


@widened
def depthwise_conv_input_grad(
    g: Array, kernel: Array, shape: Sizes, strides: Ints, padding: str, dilation: Ints
) -> Array:
    """The gradient of a depthwise convolution with respect to its input of `shape`."""
    shape = sizes(shape)
    channels, multiplier = kernel.shape[-2:]
    width = channels * multiplier
    geo = geometry(shape[1:-1], kernel.shape[:-2], strides, padding, dilation)
    kernels = kernel.reshape(geo.places, width)
    out = np.zeros(shape[:1] + geo.padded + (width,), g.dtype)
    for piece in _pieces(len(g), geo, width):
        result, gradient = out[piece], g[piece]
        for offset, weights in zip(geo.offsets, kernels):
            target = result[geo.tap(offset)]
            np.add(target, gradient * weights, target)
    if geo.interior is not None:
        out = out[geo.interior]
    if multiplier == 1:
        return np.ascontiguousarray(out)
    out = np.ascontiguousarray(out).reshape(out.shape[:-1] + (channels, multiplier))
    return sum_(out, (out.ndim - 1,))


@widened
def depthwise_conv_kernel_grad(x: Array, g: Array, window: Sizes, strides: Ints, padding: str, dilation: Ints) -> Array:
    """The gradient of a depthwise convolution of `x` with respect to its kernels of the size `window`."""
    channels, width = x.shape[-1], g.shape[-1]
    multiplier = width // channels if channels else 0
    geo = geometry(x.shape[1:-1], sizes(window), strides, padding, dilation)
    x = geo.pad(x if multiplier == 1 else x.repeat(multiplier, -1))
    out = np.zeros((geo.places, width), x.dtype)
    for piece in _pieces(len(x), geo, width):
        gradient, seen = g[piece], x[piece]
        ones = np.ones(product(gradient.shape[:-1]), x.dtype)
        for offset, sums in zip(geo.offsets, out):
            sums += ones.dot((seen[geo.tap(offset)] * gradient).reshape(len(ones), width))
    return out.reshape(geo.window + (channels, multiplier))


PRIMITIVES = {f.__name__: f for f in (depthwise_conv, depthwise_conv_input_grad, depthwise_conv_kernel_grad)}
