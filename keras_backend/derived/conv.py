"""Convolution and pooling in other primitives.

A window is taken apart into its taps: each is a strided slice of the whole input, so nothing depends on the number of
places the window visits.
"""

import itertools
from typing import Any, Callable, Iterator, List, Sequence, Tuple

import numpy as np

from ..basics import shapes
from ..basics.library import Tensor
from ..basics.shapes import conv_output_length, kernel_window, known, spread, taps, window, with_rest
from .common import along, beside, filled, sizes

Ints = Sequence[int]


def conv(F: Any, x: Tensor, kernel: Tensor, *, strides: Ints, padding: str, dilation: Ints) -> Tensor:
    library = F.library
    shapes.check_channels(library.dims(kernel)[-2], library.dims(x)[-1], library.shape(kernel), library.shape(x))
    around = kernel_window(library.shape(kernel), len(strides))
    x = _padded(F, x, around, strides, padding, dilation)
    patches = F.concatenate(*_taps(F, x, around, strides, dilation), axis=len(strides) + 1)
    entering, leaving = sizes(F, kernel)[-2:]
    weights = F.reshape(kernel, with_rest([int(np.prod(around)) * entering, leaving]))
    return F.tensordot(patches, weights, axes_x=(len(strides) + 1,), axes_y=(0,))


def conv_input_grad(
    F: Any, g: Tensor, kernel: Tensor, shape: Any, *, strides: Ints, padding: str, dilation: Ints
) -> Tensor:
    # The adjoint of a strided convolution: zeros between the entries, then the convolution with the kernel turned.
    rank = len(strides)
    widths: List[Tuple[int, int]] = [(0, 0)]
    crops = []
    around = kernel_window(F.library.shape(kernel), rank)
    samples, *targets, _channels = F.library.items(shape)
    for axis, (k, s, d, target) in enumerate(zip(around, strides, dilation, targets), 1):
        n = F.library.dims(g)[axis]
        if padding == 'same' and s > 1 and not (known(n) and known(target)):
            n = sizes(F, g)[axis]
            start = _not_negative(F, (n - 1) * s + window(k, d) - target) // 2
        else:
            start = shapes.transposed_pads(n, target, k, s, padding, d)
        if s > 1:
            here = sizes(F, g)
            here[axis] = here[axis] * s
            g = F.reshape(F.stack(g, *[filled(F, g, 0)] * (s - 1), axis=axis + 1), with_rest(here))
        widths.append((window(k, d) - 1,) * 2)
        crops.append((start, start + target, axis))
    turned = F.transpose(F.reverse(kernel, axes=tuple(range(rank))), perm=(*range(rank), rank + 1, rank))
    padded = F.pad(g, widths=(*widths, (0, 0)), value=0)
    y = F.conv(padded, turned, strides=(1,) * rank, padding='valid', dilation=dilation)
    for crop in crops:
        y = F.slice_axis(y, *crop)
    # A run whose batch is another one fails.
    batch_is_lost = known(samples) and not known(F.library.dims(y)[0])
    return F.reshape(y, [samples, *sizes(F, y)[1:]]) if batch_is_lost else y


def depthwise_conv(F: Any, x: Tensor, kernel: Tensor, *, strides: Ints, padding: str, dilation: Ints) -> Tensor:
    around = kernel_window(F.library.shape(kernel), len(strides))
    channels, multiplier = sizes(F, kernel)[-2:]
    x = _padded(F, x, around, strides, padding, dilation)
    x = x if multiplier == 1 else F.repeat(x, repeats=multiplier, axis=len(strides) + 1)
    weights = F.reshape(kernel, with_rest([int(np.prod(around)), channels * multiplier]))
    terms = [F.mul(tap, F.getitem(weights, spec=(i,))) for i, tap in enumerate(_taps(F, x, around, strides, dilation))]
    return _joined(terms, F.add)


def max_pool(F: Any, x: Tensor, *, window: Ints, strides: Ints, padding: str) -> Tensor:
    # Each window that leaves the input holds the edge, so repetitions of the edge change no maximum.
    padded = _padded(F, x, window, strides, padding, (1,) * len(window), edges=True)
    return _pooled(F, padded, window, strides, F.maximum)


def avg_pool(F: Any, x: Tensor, *, window: Ints, strides: Ints, padding: str) -> Tensor:
    ones = (1,) * len(window)
    total = _pooled(F, _padded(F, x, window, strides, padding, ones), window, strides, F.add)
    if padding == 'valid':
        return beside(F, F.div, total, int(np.prod(window)))
    dtype, here = F.library.dtype(total), F.library.dims(x)[1:-1]
    if not all([known(n) for n in here]):
        every = ('slice', None, None, None)
        single = F.getitem(x, spec=(('slice', 0, 1, None), *[every] * len(window), ('slice', 0, 1, None)))
        inside = _padded(F, filled(F, single, 1), window, strides, padding, ones)
        return F.div(total, _pooled(F, inside, window, strides, F.add))
    counts = np.ones((1,) * (len(window) + 2))
    for axis, (size, k, s) in enumerate(zip(here, window, strides), 1):
        starts = np.arange(conv_output_length(size, k, s, padding)) * s - shapes.same_pads(size, k, s)[0]
        entries = np.minimum(starts + k, size) - np.maximum(starts, 0)
        counts = counts * entries.reshape(spread(counts.ndim, {axis: -1}))
    return F.div(total, F.library.constant(counts, dtype))


def _taps(F: Any, x: Tensor, around: Ints, strides: Ints, dilation: Ints) -> Iterator[Tensor]:
    """The slices of `x` that the taps of a window meet, in the order of the window's memory."""
    per_axis = [
        [along(axis, *bounds) for bounds in taps(k, s, d)]
        for axis, (k, s, d) in enumerate(zip(around, strides, dilation), 1)
    ]
    for indices in itertools.product(*per_axis):
        yield F.getitem(x, spec=(('slice', None, None, None), *[index[-1] for index in indices]))


def _joined(parts: Sequence[Tensor], join: Callable[..., Tensor]) -> Tensor:
    y = parts[0]
    for term in parts[1:]:
        y = join(y, term)
    return y


def _pooled(F: Any, x: Tensor, around: Ints, strides: Ints, join: Callable[..., Tensor]) -> Tensor:
    """The taps of a window joined axis by axis, the innermost first: the first of equals is then first in memory."""
    for axis, k, s in reversed(list(zip(range(1, 1 + len(around)), around, strides))):
        x = _joined([F.getitem(x, spec=along(axis, *bounds)) for bounds in taps(k, s)], join)
    return x


def _not_negative(F: Any, size: Any) -> Any:
    return max(size, 0) if known(size) else beside(F, F.maximum, size, 0)


def _padded(
    F: Any, x: Tensor, around: Ints, strides: Ints, padding: str, dilation: Ints, edges: bool = False
) -> Tensor:
    """`x` with what `padding` adds to its spatial axes: zeros, or repetitions of the edge."""
    widths: List[Tuple[int, int]] = [(0, 0)]
    crops = []
    what = f'a convolution or pooling of {F.library.describe(x)}'
    for axis, (k, s, d) in enumerate(zip(around, strides, dilation), 1):
        n = F.library.dims(x)[axis]
        conv_output_length(n, k, s, padding, d, what)
        before, after = shapes.pads(padding, n, k, s, d)
        if before is None:
            # The widths depend on a size known only in a run: add the most there can be, keep what the size asks for.
            before, after = shapes.same_pads(1, k, 1, d)
            n = sizes(F, x)[axis]
            total = _not_negative(F, (-(-n // s) - 1) * s + window(k, d) - n)
            start = before - total // 2
            crops.append((start, start + n + total, axis))
        widths.append((before, after))
    if edges:
        for axis, (before, after) in enumerate(widths):
            if before or after:
                low, high = F.getitem(x, spec=along(axis, None, 1)), F.getitem(x, spec=along(axis, -1, None))
                x = F.concatenate(*[low] * before, x, *[high] * after, axis=axis)
    elif any([before or after for before, after in widths]):
        x = F.pad(x, widths=(*widths, (0, 0)), value=0)
    for crop in crops:
        x = F.slice_axis(x, *crop)
    return x


PRIMITIVES = {f.__name__: f for f in (conv, conv_input_grad, depthwise_conv, max_pool, avg_pool)}
