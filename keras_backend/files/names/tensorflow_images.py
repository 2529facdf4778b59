"""`tf.image` and `tf.pad` by functions of K.

Source: the documentation of TensorFlow 1.15.
"""

import functools
import operator
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from ...front.shape import interpolated_from_centres
from ..python_code.limits import running, word_or_number
from .counted import binary, listed

# -- images of another size --------------------------------------------------------------------------------------------
# Images of another size: each new line of pixels is a product of a matrix and the old line.
#
# Source: the documentation of TensorFlow 1.15 and 2. For an old line of 2 pixels and a new one of 4 the matrix of a
# linear interpolation is [[1, .5, 0, 0], [0, .5, 1, 1]] in TensorFlow 1. It is [[1, .75, .25, 0], [0, .25, .75, 1]] in
# TensorFlow 2, where the centers of pixels are at halves.


# Elements of a table that a few numbers of a file ask for, made before a model predicts.
MOST_OF_TABLE = 2**25


def check_table(*sizes: int) -> None:
    """Refuse a table that no image needs. sizes: its axes. Error: ValueError, which becomes one of the layer."""
    count = functools.reduce(operator.mul, [int(size) for size in sizes], 1)
    if count > MOST_OF_TABLE:
        raise ValueError(f'it needs a table of {count:,} elements, and {MOST_OF_TABLE:,} are the most')


def matrix(old: int, new: int, nearest: bool = False, corners: bool = False, halves: bool = False) -> Any:
    """The matrix (old, new) from an old line of pixels to a new one.

    nearest: take the nearest pixel instead of a mean of two. corners: let the first and the last pixel of both lines
    lie on each other. halves: the centers of pixels are at halves, as in TensorFlow 2.
    """
    check_table(old, new)
    scale = (old - 1) / (new - 1) if corners and new > 1 else old / new
    positions = np.arange(new, dtype='float32') * np.float32(scale)  # as exact as that of TensorFlow
    if halves:
        positions = (np.arange(new, dtype='float32') + np.float32(0.5)) * np.float32(scale)
        positions = positions if nearest else np.maximum(positions - np.float32(0.5), 0)
    weights = np.zeros((old, new))
    low = np.minimum(np.floor(positions + 0.5 if nearest and corners else positions).astype('int64'), old - 1)
    fraction = np.zeros(new) if nearest else positions - low
    weights[low, np.arange(new)] += 1 - fraction
    weights[np.minimum(low + 1, old - 1), np.arange(new)] += fraction
    return weights


def cubic_matrix(old: int, new: int) -> Any:
    """The matrix (old, new) of a cubic interpolation, as TensorFlow 2 has it.

    It takes four pixels, or those of them that there are. TensorFlow rounds places to the
    1024th part of a pixel.
    """
    check_table(old, new)
    positions = (np.arange(new, dtype='float32') + np.float32(0.5)) * np.float32(old / new) - np.float32(0.5)
    low = np.floor(positions).astype('int64')
    fraction = np.rint((positions - low) * np.float32(1024)).astype('float64') / 1024
    weights = np.zeros((old, new))
    for step in range(-1, 3):
        far = np.abs(step - fraction)
        near = ((1.5 * far - 2.5) * far) * far + 1
        value = np.where(far <= 1, near, ((-0.5 * far + 2.5) * far - 4) * far + 2)
        inside = (low + step >= 0) & (low + step < old)
        np.add.at(weights, ((low + step)[inside], np.arange(new)[inside]), value[inside])
    return weights / weights.sum(axis=0)


def resized(K: Any, images: Any, axis: int, lines: Any) -> Any:
    """The images with the lines along an axis replaced. lines: a matrix (old, new)."""
    rank = K.ndim(images)
    order = [index for index in range(rank) if index != axis] + [axis]
    moved = K.dot(K.permute_dimensions(images, order), K.constant(lines, dtype=K.dtype(images)))
    return K.permute_dimensions(moved, [order.index(index) for index in range(rank)])


def multiplied(K: Any, images: Any, axis: int, factor: int) -> Any:
    """The images with `factor` times as many pixels along an axis, read from the centres of pixels, of any length."""
    if not K.dtype(images).endswith(('float16', 'float32', 'float64')):
        images = K.cast(images, 'float32')
    return images if factor == 1 else interpolated_from_centres(K, images, factor, axis)


METHODS = {'BILINEAR': 0, 'NEAREST_NEIGHBOR': 1, 'BICUBIC': 2, 'AREA': 3}
NEAREST = (1, 'nearest')
BILINEAR = (0, 'bilinear')


class Images:
    """TensorFlow's functions of images by K."""

    def __init__(self, K: Any, version: Optional[int] = None) -> None:
        self.K, self.version = K, version

    def resize_with(self, nearest: bool) -> Callable[..., Any]:
        """`resize_nearest_neighbor` or `resize_bilinear`."""

        def resize(
            images: Any, size: Any, align_corners: bool = False, name: Any = None, half_pixel_centers: bool = False
        ) -> Any:
            if half_pixel_centers:
                raise ValueError('tf.image.resize_...: half_pixel_centers has no meaning here.')
            return self._resized(images, size, nearest, bool(align_corners))

        return resize

    def resize_images(self, images: Any, size: Any, method: Any = 0, align_corners: bool = False) -> Any:
        if method not in NEAREST + BILINEAR:
            raise ValueError(f'tf.image.resize_images with the method {word_or_number(method)} has no meaning here.')
        return self._resized(images, size, method in NEAREST, bool(align_corners))

    def resize(self, images: Any, size: Any, method: Any = 'bilinear') -> Any:
        """TensorFlow 1 and 2 place the pixels of `bilinear` in different ways, and the code does not say its version.

        Of `nearest` they do where the size is no multiple of that of the images.
        """
        if self.version is not None and method in NEAREST + BILINEAR:
            return self._resized(images, size, method in NEAREST, False, halves=self.version == 2)
        old, size = self.K.int_shape(images)[1:3], listed(size)
        known = all([isinstance(length, int) and length > 0 for length in (*old, *size)])
        if method not in NEAREST or not known or any([new % length for new, length in zip(size, old)]):
            raise ValueError(
                "tf.image.resize has two meanings, of TensorFlow 1 and 2, but for method='nearest' and a multiple of "
                'the size of the images.'
            )
        return self._resized(images, size, True, False)

    def _resized(self, images: Any, size: Sequence[int], nearest: bool, corners: bool, halves: bool = False) -> Any:
        K, size = self.K, listed(size)
        for axis, new in zip((1, 2), size):
            old = K.int_shape(images)[axis]
            if not isinstance(old, int) or not isinstance(new, int) or len(size) != 2:
                raise ValueError('tf.image.resize has a meaning for two known sizes alone here.')
            running().ask(3 * (old + 2) * max(new, 0))
            images = resized(K, images, axis, matrix(old, new, nearest, corners, halves))
        return images

    def flip(self, axis: int) -> Callable[..., Any]:
        """A mirror of images, or of one image, along an axis of one image."""
        return lambda image: self.K.reverse(image, axis + (self.K.ndim(image) == 4))

    def pad(
        self, tensor: Any, paddings: Any, mode: str = 'CONSTANT', name: Any = None, constant_values: Any = 0
    ) -> Any:
        for axis, pair in enumerate(listed(paddings)):
            before, after = listed(pair)
            if before or after:
                tensor = self._padded(tensor, axis, (before, after), mode, constant_values)
        return tensor

    def _padded(self, x: Any, axis: int, counts: Tuple[int, int], mode: str, value: Any) -> Any:
        K = self.K
        tensors: List[Any] = [x]
        for count, first in zip(counts, (True, False)):
            if not count:
                continue
            if not isinstance(count, (int, np.integer)) or count < 0 or not isinstance(mode, str):
                raise ValueError(
                    f'tf.pad by {word_or_number(count)} with the mode {word_or_number(mode)} has no meaning here.'
                )
            if mode.upper() == 'CONSTANT':
                running().step(int(count))
                edge = _part(x, axis, slice(0, 1))
                more = [binary('+', K.zeros_like(edge), K.cast(value, K.dtype(x)))] * int(count)
            elif mode.upper() in ('REFLECT', 'SYMMETRIC'):
                more = [K.reverse(_part(x, axis, self._mirrored(x, axis, int(count), first, mode.upper())), axis)]
            else:
                raise ValueError(f'tf.pad with the mode {word_or_number(mode)} has no meaning here.')
            tensors = [*more, *tensors] if first else [*tensors, *more]
        return K.concatenate(tensors, axis)

    def _mirrored(self, x: Any, axis: int, count: int, first: bool, mode: str) -> slice:
        size, skipped = self.K.int_shape(x)[axis], int(mode == 'REFLECT')
        if not isinstance(size, int) or count > size - skipped:
            raise ValueError(f'tf.pad: an axis of size {size} cannot be mirrored {word_or_number(count)} times.')
        return slice(skipped, skipped + count) if first else slice(size - skipped - count, size - skipped)


def _part(x: Any, axis: int, which: slice) -> Any:
    return x[(slice(None),) * axis + (which,)]
