"""Convolutions and poolings, channels last, in any number of spatial axes, and where their windows lie.

The windows of some images at a time are copied into the rows of a matrix that fits into the cache, and multiplied with
the kernel there. What has few channels is copied into columns instead, whose entries lie together in memory.
"""

from functools import lru_cache
from itertools import product as combinations
from typing import Any, Iterator, List, Optional, Tuple

import numpy as np

from ..basics import shapes
from .common import BITS, Array, DType, Ints, Sizes, product, sizes, widened
from .reduction import sum_

# -- windows -----------------------------------------------------------------------------------------------------------
# Where the windows of convolutions and poolings lie: computed once per combination of sizes, then looked up.


Index = Tuple[slice, ...]


class Geometry:
    """Windows over the spatial axes of an array (batch, spatial..., channels).

    Attributes
    ----------
    out : the spatial sizes of the result
    padded : the spatial sizes with padding
    interior : the index of the real entries of a padded array, None where there is no padding
    positions, places : the number of windows in one image, and of places in a window
    offsets : where the places of a window lie in a padded array, in the order of the window's memory
    apart : whether no entry is met by two windows
    """

    def __init__(self, size: Ints, window: Ints, strides: Ints, padding: str, dilation: Ints) -> None:
        axes = list(zip(size, window, strides, dilation))
        self.size, self.window, self.strides, self.dilation = size, window, strides, dilation
        self.out: Ints = tuple([shapes.conv_output_length(n, k, s, padding, d) for n, k, s, d in axes])
        self.pads = pads = tuple([shapes.pads(padding, n, k, s, d) for n, k, s, d in axes])
        self.padded: Ints = tuple([n + lo + hi for n, (lo, hi) in zip(size, pads)])
        self.interior: Optional[Index] = (
            (slice(None),) + tuple([slice(lo, lo + n) for n, (lo, _hi) in zip(size, pads)])
            if self.padded != size
            else None
        )
        self.is_point = all(k == s == 1 for k, s in zip(window, strides))
        self.positions, self.places = product(self.out), product(window)
        self.apart = all(d == 1 and k <= s for _n, k, s, d in axes)
        self.offsets = list(combinations(*[range(0, k * d, d) for _n, k, _s, d in axes]))
        self._real: Optional[List[Tuple[Index, Index]]] = None

    def tap(self, offset: Ints, first: int = 0, rows: Optional[int] = None) -> Index:
        """The index of what the place at `offset` meets in a padded array, for `rows` rows of windows from `first`."""
        index: List[slice] = [slice(None)]
        for axis, (o, s, m) in enumerate(zip(offset, self.strides, self.out)):
            if axis == 0 and rows is not None:
                o, m = o + first * s, rows
            index.append(slice(o, o + (m - 1) * s + 1 if m else o, s))
        return tuple(index)

    @property
    def real(self) -> List[Tuple[Index, Index]]:
        """For each place of the window: the indices of what it meets without padding, and of the results there."""
        if self._real is None:
            self._real = [self._meets(offset) for offset in self.offsets]
        return self._real

    def _meets(self, offset: Ints) -> Tuple[Index, Index]:
        inside: List[slice]
        result: List[slice]
        inside, result = [slice(None)], [slice(None)]
        for o, s, m, n, (lo, _hi) in zip(offset, self.strides, self.out, self.size, self.pads):
            first = max(-((o - lo) // s), 0)
            count = max(min((n - 1 + lo - o) // s, m - 1) - first + 1, 0)
            start = o - lo + first * s
            inside.append(slice(start, start + (count - 1) * s + 1, s) if count else slice(0, 0))
            result.append(slice(first, first + count))
        return tuple(inside), tuple(result)

    def pad(self, x: Array) -> Array:
        """`x`, contiguous, with the zeros around it."""
        if self.interior is None:
            return np.ascontiguousarray(x)
        out = np.zeros(x.shape[:1] + self.padded + x.shape[-1:], x.dtype)
        out[self.interior] = x
        return out

    def windows(self, x: Array) -> Array:
        """A view (batch, out..., window..., channels) of the padded array `x`."""
        strides = x.strides
        spatial = strides[1:-1]
        return np.ndarray(
            x.shape[:1] + self.out + self.window + x.shape[-1:],
            x.dtype,
            x,
            0,
            strides[:1]
            + tuple([a * s for a, s in zip(spatial, self.strides)])
            + tuple([a * d for a, d in zip(spatial, self.dilation)])
            + strides[-1:],
        )

    def blocks(self, batch: int, width: int, limit: int) -> List[Tuple[int, int, int, int]]:
        """Pieces of the result in order, as (image, end, row, end), of at most `limit` numbers, `width` a window.

        A piece is some whole images, or some rows of one image; at least one row.
        """
        image = self.positions * width
        if image <= limit:
            step = limit // image
            return [(n, min(n + step, batch), 0, self.out[0]) for n in range(0, batch, step)]
        step = max(limit * self.out[0] // image, 1)
        return [(n, n + 1, r, min(r + step, self.out[0])) for n in range(batch) for r in range(0, self.out[0], step)]


geometry = lru_cache(maxsize=1024)(Geometry)


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
        block = (
            windows[(slice(None),) * (rank + 1) + (slice(n, n_end), slice(r, r_end))]
            if columns
            else windows[n:n_end, r:r_end]
        )
        if buffer is None or buffer.shape != block.shape:
            buffer = np.empty(block.shape, x.dtype)
            matrix = buffer.reshape(taps, count).T if columns else buffer.reshape(count, taps)
        buffer[...] = block
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
            term = np.dot(windows.T, g[start:end])
            out = term if out is None else np.add(out, term, out)
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
            rows = g[start : start + len(products)]
            for offset, matrix in zip(geo.offsets, matrices):
                np.dot(rows, matrix.T, products)
                target = image[geo.tap(offset, r, r_end - r)]
                np.add(target, buffer, target)
    return out if geo.interior is None else np.ascontiguousarray(out[geo.interior])


# -- depthwise ---------------------------------------------------------------------------------------------------------
# Depthwise convolutions, channels last: every channel of the input has kernels of its own.
#
# A sum over the places of the window, some images at a time, so that what is read again is still in the cache. With
# several kernels a channel, the channel is repeated first: then all sums run along memory.


# numbers of the result worked on at a time: about half of a common second-level cache
_AT_A_TIME = 1 << 17


def _images(batch: int, geo: Geometry, width: int) -> List[slice]:
    """Slices of the batch of about `_AT_A_TIME` numbers each."""
    step = max(_AT_A_TIME // max(geo.positions * width, 1), 1)
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
    for piece in _images(len(x), geo, width):
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
    for piece in _images(len(g), geo, width):
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
    for piece in _images(len(x), geo, width):
        gradient, seen = g[piece], x[piece]
        ones = np.ones(product(gradient.shape[:-1]), x.dtype)
        for offset, sums in zip(geo.offsets, out):
            sums += ones.dot((seen[geo.tap(offset)] * gradient).reshape(len(ones), width))
    return out.reshape(geo.window + (channels, multiplier))


# -- pooling -----------------------------------------------------------------------------------------------------------
# Padding never counts.
#
# A pooling is made of shifted slices, one for each place of the window in the order of its memory. Some images at a
# time, so that what is read again is still in the cache.

# numbers of the input worked on at a time: half of a common second-level cache
_POOLED = 1 << 17


def _geometry_of_pool(shape: Ints, window: Ints, strides: Ints, padding: str) -> Geometry:
    return geometry(shape[1:-1], tuple(window), tuple(strides), padding, (1,) * len(window))


def _pieces(shape: Ints) -> List[slice]:
    """Slices of the batch of about `_POOLED` numbers each."""
    step = max(_POOLED // max(product(shape[1:]), 1), 1)
    return [slice(n, n + step) for n in range(0, shape[0], step)]


def _lowest(dtype: DType) -> Any:
    """The lowest value of a dtype: no number is below it."""
    if dtype.kind == 'f':
        return -np.inf
    return False if dtype.kind == 'b' else np.iinfo(dtype).min


def max_pool(x: Array, window: Ints, strides: Ints, padding: str) -> Array:
    """The maximum of each window."""
    geo = _geometry_of_pool(x.shape, window, strides, padding)
    out = np.empty(x.shape[:1] + geo.out + x.shape[-1:], x.dtype)
    for piece in _pieces(x.shape):
        _maxima(x[piece], geo, out[piece])
    return out


def _maxima(x: Array, geo: Geometry, out: Array) -> None:
    """The maximum of each window of `x`, into `out`."""
    taps = iter(geo.real)
    if geo.interior is not None or geo.places == 1:
        out[...] = _lowest(x.dtype)
    else:
        np.maximum(x[next(taps)[0]], x[next(taps)[0]], out=out)
    for inside, result in taps:
        target = out[result]
        np.maximum(target, x[inside], out=target)


def _first_maxima(x: Array, geo: Geometry) -> Iterator[Tuple[Index, Index, Array]]:
    """For each place of the window: the indices of what it meets and of the results, and where it is the maximum."""
    top = np.empty(x.shape[:1] + geo.out + x.shape[-1:], x.dtype)
    _maxima(x, geo, top)
    open_ = np.ones(top.shape, bool)
    for inside, result in geo.real:
        left = open_[result]
        first = x[inside] == top[result]
        np.logical_and(first, left, first)
        np.logical_xor(left, first, left)
        yield inside, result, first


def max_pool_grad(x: Array, g: Array, window: Ints, strides: Ints, padding: str) -> Array:
    """`g`, of the shape of the result, sent to the first maximum of each window of `x`."""
    geo = _geometry_of_pool(x.shape, window, strides, padding)
    bits = BITS[g.itemsize]
    out = np.zeros(x.shape, g.dtype)
    for piece in _pieces(x.shape):
        output, gradient = out[piece], g[piece]
        for inside, result, first in _first_maxima(x[piece], geo):
            # the bits times 0 or 1: no branches, and no NaN from an infinite g elsewhere
            if geo.apart:
                np.multiply(gradient[result].view(bits), first, output.view(bits)[inside])
            else:
                target = output[inside]
                np.add(target, np.multiply(gradient[result].view(bits), first).view(g.dtype), target)
    return out


def max_pool_select(x: Array, v: Array, window: Ints, strides: Ints, padding: str) -> Array:
    """`v`, of the shape of `x`, read at the first maximum of each window of `x`."""
    geo = _geometry_of_pool(x.shape, window, strides, padding)
    bits = BITS[v.itemsize]
    out = np.zeros(x.shape[:1] + geo.out + x.shape[-1:], v.dtype)
    for piece in _pieces(x.shape):
        output, values = out[piece].view(bits), v[piece].view(bits)
        for inside, result, first in _first_maxima(x[piece], geo):
            target = output[result]
            np.bitwise_or(target, np.multiply(values[inside], first), target)
    return out


@lru_cache(maxsize=256)
def _counts(geo: Geometry, dtype: DType) -> Array:
    """How many real entries each window meets, as factors to divide by."""
    counts = np.zeros((1,) + geo.out + (1,), dtype)
    for _inside, result in geo.real:
        counts[result] += 1
    return counts if geo.interior is not None else counts.reshape(-1)[:1].reshape(())


@widened
def avg_pool(x: Array, window: Ints, strides: Ints, padding: str) -> Array:
    """The mean of the real entries of each window."""
    geo = _geometry_of_pool(x.shape, window, strides, padding)
    out = np.zeros(x.shape[:1] + geo.out + x.shape[-1:], x.dtype)
    if not out.size:
        return out
    counts = _counts(geo, x.dtype)
    for piece in _pieces(x.shape):
        output, images = out[piece], x[piece]
        for inside, result in geo.real:
            target = output[result]
            np.add(target, images[inside], target)
        np.divide(output, counts, output)
    return out


@widened
def avg_pool_grad(g: Array, shape: Sizes, window: Ints, strides: Ints, padding: str) -> Array:
    """The adjoint of the average pooling of an array of `shape`."""
    shape = sizes(shape)
    geo = _geometry_of_pool(shape, window, strides, padding)
    out = np.zeros(shape, g.dtype)
    if not g.size:
        return out
    counts = _counts(geo, g.dtype)
    for piece in _pieces(shape):
        output, share = out[piece], g[piece] / counts
        for inside, result in geo.real:
            target = output[inside]
            np.add(target, share[result], target)
    return out


PRIMITIVES = {
    f.__name__: f
    for f in (
        conv,
        conv_kernel_grad,
        conv_input_grad,
        depthwise_conv,
        depthwise_conv_input_grad,
        depthwise_conv_kernel_grad,
        max_pool,
        max_pool_grad,
        max_pool_select,
        avg_pool,
        avg_pool_grad,
    )
}
