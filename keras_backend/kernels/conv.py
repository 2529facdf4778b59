"""Convolutions, channels last, in any number of spatial axes.

The windows of some images at a time are copied into the rows of a matrix that fits into the cache, and multiplied with
the kernel there. What has few channels is copied into columns instead, whose entries lie together in memory.
"""

from typing import Iterator, Tuple

import numpy as np

from .common import Array, Ints, Sizes, sizes, widened
from .windows import Geometry, geometry

# numbers in a block of window rows, and in a block of sums: about half of a common second-level cache
_BLOCK, _SUMS = 1 << 18, 1 << 17
# up to this many channels, windows become columns
_FEW = 3


def _window_blocks(x: Array, geo: Geometry, channels: int) -> Iterator[Tuple[int, int, Array]]:
    """The blocks of windows of `x`: (first position, end, matrix (positions, places * channels)).

    A matrix is overwritten by the next.
    """
    windows = geo.windows(geo.pad(x))
    batch, rank = x.shape[0], len(geo.out)
    taps = geo.places * channels
    blocks = geo.blocks(batch, taps, _BLOCK)
    row = geo.positions // geo.out[0]
    columns = channels <= _FEW
    if columns:
        windows = windows.transpose(tuple(range(rank + 1, 2 * rank + 2)) + tuple(range(rank + 1)))
    buffer = None
    for n, n_end, r, r_end in blocks:
        count = (n_end - n) * (r_end - r) * row
        part = (
            windows[(slice(None),) * (rank + 1) + (slice(n, n_end), slice(r, r_end))]
            if columns
            else windows[n:n_end, r:r_end]
        )
        if buffer is None or buffer.shape != part.shape:
            buffer = np.empty(part.shape, x.dtype)
            matrix = buffer.reshape(taps, count).T if columns else buffer.reshape(count, taps)
        buffer[...] = part
        start = (n * geo.out[0] + r) * row
        yield start, start + count, matrix


@widened
def conv(x: Array, kernel: Array, strides: Ints, padding: str, dilation: Ints) -> Array:
    """The cross-correlation of `x` (batch, spatial..., in) with `kernel` (spatial..., in, out)."""
    window, (channels, filters) = kernel.shape[:-2], kernel.shape[-2:]
    geo = geometry(x.shape[1:-1], window, strides, padding, dilation)
    shape = x.shape[:1] + geo.out + (filters,)
    count = x.shape[0] * geo.positions
    matrix = kernel.reshape(geo.places * channels, filters)
    if geo.is_point:
        return np.dot(x.reshape(count, channels), matrix).reshape(shape)
    if not (count and matrix.size):
        return np.zeros(shape, x.dtype)
    out = np.empty((count, filters), x.dtype)
    for start, end, windows in _window_blocks(x, geo, channels):
        np.dot(windows, matrix, out[start:end])
    return out.reshape(shape)


@widened
def conv_kernel_grad(x: Array, g: Array, window: Sizes, strides: Ints, padding: str, dilation: Ints) -> Array:
    """The gradient of a convolution of `x` with respect to its kernel of the size `window`."""
    channels, filters = x.shape[-1], g.shape[-1]
    geo = geometry(x.shape[1:-1], sizes(window), strides, padding, dilation)
    count = x.shape[0] * geo.positions
    g = g.reshape(count, filters)
    shape = geo.window + (channels, filters)
    if geo.is_point:
        return np.dot(x.reshape(count, channels).T, g).reshape(shape)
    out = None
    if g.size and channels:
        for start, end, windows in _window_blocks(x, geo, channels):
            part = np.dot(windows.T, g[start:end])
            out = part if out is None else np.add(out, part, out)
    return np.zeros(shape, x.dtype) if out is None else out.reshape(shape)


@widened
def conv_input_grad(g: Array, kernel: Array, shape: Sizes, strides: Ints, padding: str, dilation: Ints) -> Array:
    """The gradient of a convolution with respect to its input of `shape`: the transposed convolution."""
    shape = sizes(shape)
    channels, filters = kernel.shape[-2:]
    geo = geometry(shape[1:-1], kernel.shape[:-2], strides, padding, dilation)
    batch, count = shape[0], shape[0] * geo.positions
    g = g.reshape(count, filters)
    matrices = kernel.reshape(geo.places, channels, filters)
    if geo.is_point:
        return np.dot(g, matrices[0].T).reshape(shape)
    out = np.zeros((batch,) + geo.padded + (channels,), g.dtype)
    if g.size and out.size:
        row = geo.positions // geo.out[0]
        buffer = None
        for n, n_end, r, r_end in geo.blocks(batch, channels, _SUMS):
            start, image = (n * geo.out[0] + r) * row, out[n:n_end]
            size = (n_end - n,) + (r_end - r,) + geo.out[1:] + (channels,)
            if buffer is None or buffer.shape != size:
                buffer = np.empty(size, g.dtype)
                products = buffer.reshape(-1, channels)
            part = g[start : start + len(products)]
            for offset, matrix in zip(geo.offsets, matrices):
                np.dot(part, matrix.T, products)
                target = image[geo.tap(offset, r, r_end - r)]
                np.add(target, buffer, target)
    return out if geo.interior is None else np.ascontiguousarray(out[geo.interior])


PRIMITIVES = {f.__name__: f for f in (conv, conv_kernel_grad, conv_input_grad)}
