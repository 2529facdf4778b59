"""`padding='same'` as Theano has it, for files that it wrote: the rows before the first do not depend on the strides.

A convolution of kernel size k has k // 2 rows of zeros before the first. A pooling of size k has k - 2 rows that do not
count for an odd k > 1, and k - 1 for an even one. TensorFlow divides the rows that it needs into two halves: for 6
rows, kernel size 3 and strides 2 it needs one row and puts it behind the last, where Theano has one before the first.
Measured with Keras 2.2.4 on Theano 1.0.5, for 5 to 8 rows, sizes of 1 to 5 and strides of 1 to 3.
"""

from typing import Any, Callable, List, Sequence

from .use import Use, spatial_axes

# Larger than every number that a model computes with, and float32 has it.
_FAR = 1e30


def is_wanted(use: Use) -> bool:
    """Whether the file has this padding, and it differs."""
    return bool(use.option('theano_padding', False))


def _lengths(use: Use, strides: Sequence[int]) -> List[Any]:
    return [(use.size(axis) + stride - 1) // stride for axis, stride in zip(spatial_axes(use, len(strides)), strides)]


def _padded(use: Use, x: Any, sizes: Sequence[int], before: Sequence[int]) -> Any:
    """Rows of zeros on all spatial axes: `before`, and as many behind as any strides need."""
    pads = tuple([(first, size - 1) for first, size in zip(before, sizes)])
    if len(sizes) == 1:
        axis = 3 if use.channels_first else 2
        padded = use.K.spatial_2d_padding(use.K.expand_dims(x, axis), (*pads, (0, 0)), use.data_format)
        return use.K.squeeze(padded, axis)
    return getattr(use.K, f'spatial_{len(sizes)}d_padding')(x, pads, use.data_format)


def _cut(use: Use, x: Any, starts: Sequence[Any], lengths: Sequence[Any]) -> Any:
    cuts: List[slice] = [slice(None)] * (len(lengths) + 2)
    for axis, start, length in zip(spatial_axes(use, len(lengths)), starts, lengths):
        cuts[axis] = slice(start, start + length)
    return x[tuple(cuts)]


def convolved(use: Use, x: Any, sizes: Sequence[int], strides: Sequence[int], valid: Callable[[Any], Any]) -> Any:
    """A convolution. sizes: of the kernel, with its dilation. valid: x -> its convolution without padding."""
    output = valid(_padded(use, x, sizes, [size // 2 for size in sizes]))
    return _cut(use, output, [0] * len(sizes), _lengths(use, strides))


def pooled(
    use: Use, x: Any, mode: str, sizes: Sequence[int], strides: Sequence[int], valid: Callable[[Any], Any]
) -> Any:
    """A pooling by 'max' or 'avg'. valid: x -> its pooling without padding."""
    K = use.K
    before = [size - 1 if size % 2 == 0 else max(size - 2, 0) for size in sizes]
    inside = _padded(use, K.ones_like(x), sizes, before)
    padded = _padded(use, x, sizes, before)
    padded = valid(padded + (inside - 1.0) * _FAR) if mode == 'max' else valid(padded) / K.maximum(valid(inside), 1e-6)
    return _cut(use, padded, [0] * len(sizes), _lengths(use, strides))


def transposed(use: Use, whole: Any, sizes: Sequence[int], lengths: Sequence[Any]) -> Any:
    """A transposed convolution, of `whole`, the one without padding. lengths: those of the result."""
    before = [size // 2 for size in sizes]
    return _cut(use, _padded(use, whole, sizes, [0] * len(sizes)), before, lengths)
