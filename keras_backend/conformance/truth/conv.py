"""Convolutions and pooling by loops over all places of the output, for any number of spatial axes, and resizing.

All is float64. The data is channels last. `to_last` and `from_last` convert.
"""

import numpy as np


def to_last(x, data_format):
    return np.moveaxis(x, 1, -1) if data_format == 'channels_first' else x


def from_last(x, data_format):
    return np.moveaxis(x, -1, 1) if data_format == 'channels_first' else x


def as_tuple(value, rank):
    return (value,) * rank if isinstance(value, int) else tuple(value)


def geometry(n, k, s, d, padding):
    """(output size, zeros before, zeros after) of one axis."""
    window = (k - 1) * d + 1
    if padding == 'same':
        out = -(-n // s)
        total = max((out - 1) * s + window - n, 0)
        return out, total // 2, total - total // 2
    before = window - 1 if padding == 'causal' else 0
    return (n + before - window) // s + 1, before, 0


def places(x, window, strides, dilation, padding, fill=0.0):
    """Yields the shape of the output, then (output index, patch of shape (batch, *window, channels)) for each place."""
    rank = x.ndim - 2
    strides, dilation = as_tuple(strides, rank), as_tuple(dilation, rank)
    axes = [geometry(n, k, s, d, padding) for n, k, s, d in zip(x.shape[1:-1], window, strides, dilation)]
    padded = np.pad(x, [(0, 0)] + [(b, a) for _, b, a in axes] + [(0, 0)], 'constant', constant_values=fill)
    out = tuple(o for o, _, _ in axes)
    yield out
    for index in np.ndindex(*out):
        cut = tuple(slice(i * s, i * s + (k - 1) * d + 1, d) for i, s, k, d in zip(index, strides, window, dilation))
        yield index, padded[(slice(None),) + cut]


def conv(x, kernel, strides=1, padding='valid', dilation=1):
    """Cross-correlation: kernel (*window, in, out)."""
    rank = x.ndim - 2
    patches = places(x, kernel.shape[:rank], strides, dilation, padding)
    y = np.zeros((x.shape[0],) + next(patches) + kernel.shape[-1:])
    for index, patch in patches:
        y[(slice(None),) + index] = np.tensordot(patch, kernel, rank + 1)
    return y


def depthwise(x, kernel, strides=1, padding='valid', dilation=1):
    """Kernel (*window, in, multiplier); output channel = in * multiplier + m."""
    rank = x.ndim - 2
    patches = places(x, kernel.shape[:rank], strides, dilation, padding)
    y = np.zeros((x.shape[0],) + next(patches) + (kernel.shape[-2] * kernel.shape[-1],))
    for index, patch in patches:
        products = (patch[..., None] * kernel).sum(axis=tuple(range(1, rank + 1)))
        y[(slice(None),) + index] = products.reshape(len(x), -1)
    return y


def transposed(x, kernel, output_shape, strides=1, padding='valid', dilation=1):
    """The adjoint of `conv` from output_shape to x. It scatters every product. The kernel is (*window, out, in)."""
    rank = x.ndim - 2
    strides, dilation = as_tuple(strides, rank), as_tuple(dilation, rank)
    window, out = kernel.shape[:rank], output_shape[1:-1]
    axes = [geometry(n, k, s, d, padding) for n, k, s, d in zip(out, window, strides, dilation)]
    assert tuple(o for o, _, _ in axes) == x.shape[1:-1], 'the case itself is wrong'
    y = np.zeros(output_shape)
    for index in np.ndindex(*x.shape[1:-1]):
        for offset in np.ndindex(*window):
            at = tuple(i * s + o * d - axis[1] for i, s, o, d, axis in zip(index, strides, offset, dilation, axes))
            if all(0 <= a < n for a, n in zip(at, out)):
                y[(slice(None),) + at] += x[(slice(None),) + index].dot(kernel[offset].T)
    return y


def pool(x, window, strides, padding, mode):
    """Pooling of the real elements. NaN marks the padding, which never counts."""
    patches = places(x, window, strides, 1, padding, fill=np.nan)
    y = np.zeros((x.shape[0],) + next(patches) + x.shape[-1:])
    axes = tuple(range(1, x.ndim - 1))
    for index, patch in patches:
        y[(slice(None),) + index] = (np.nanmax if mode == 'max' else np.nanmean)(patch, axis=axes)
    return y


def local(x, kernel, window, strides, data_format='channels_last'):
    """Unshared weights. The kernel is (places, features, filters); features are in the memory order of the window."""
    patches = places(to_last(x, data_format), window, strides, 1, 'valid')
    out = next(patches)
    y = np.zeros((x.shape[0],) + out + kernel.shape[-1:])
    for number, (index, patch) in enumerate(patches):
        if data_format == 'channels_first':
            patch = np.moveaxis(patch, -1, 1)
        y[(slice(None),) + index] = patch.reshape(len(x), -1).dot(kernel[number])
    return from_last(y, data_format)


def bilinear(x, height_factor, width_factor):
    """An enlarged image: source position = output index / factor, at most the last index."""
    for axis, factor in ((1, height_factor), (2, width_factor)):
        indices = np.arange(x.shape[axis] * factor)
        low, weight = indices // factor, (indices % factor) / float(factor)
        above = np.minimum(low + 1, x.shape[axis] - 1)
        weight = weight.reshape((-1,) + (1,) * (x.ndim - axis - 1))
        x = (1 - weight) * np.take(x, low, axis) + weight * np.take(x, above, axis)
    return x
