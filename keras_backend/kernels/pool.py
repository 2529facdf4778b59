"""Pooling, channels last, in any number of spatial axes. Padding never counts.

A pooling is made of shifted slices, one for each place of the window in the order of its memory. Some images at a time,
so that what is read again is still in the cache.
"""

from functools import lru_cache
from typing import Any, Iterator, List, Tuple

import numpy as np

from .common import BITS, Array, DType, Ints, Sizes, product, sizes, widened
from .conv import Geometry, Index, geometry

# numbers of the input worked on at a time: half of a common second-level cache
_BLOCK = 1 << 17


def _geometry(shape: Ints, window: Ints, strides: Ints, padding: str) -> Geometry:
    return geometry(shape[1:-1], tuple(window), tuple(strides), padding, (1,) * len(window))


def _pieces(shape: Ints) -> List[slice]:
    """Slices of the batch of about `_BLOCK` numbers each."""
    step = max(_BLOCK // max(product(shape[1:]), 1), 1)
    return [slice(n, n + step) for n in range(0, shape[0], step)]


def _lowest(dtype: DType) -> Any:
    """The lowest value of a dtype: no number is below it."""
    if dtype.kind == 'f':
        return -np.inf
    return False if dtype.kind == 'b' else np.iinfo(dtype).min


def max_pool(x: Array, window: Ints, strides: Ints, padding: str) -> Array:
    """The maximum of each window."""
    geo = _geometry(x.shape, window, strides, padding)
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
    geo = _geometry(x.shape, window, strides, padding)
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
    geo = _geometry(x.shape, window, strides, padding)
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
    geo = _geometry(x.shape, window, strides, padding)
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
    geo = _geometry(shape, window, strides, padding)
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


PRIMITIVES = {f.__name__: f for f in (max_pool, max_pool_grad, max_pool_select, avg_pool, avg_pool_grad)}
