"""Images of another size: each new line of pixels is a product of a matrix and the old line.

Source: the documentation of TensorFlow 1.15 and 2. For an old line of 2 pixels and a new one of 4 the matrix of a
linear interpolation is [[1, .5, 0, 0], [0, .5, 1, 1]] in TensorFlow 1. It is [[1, .75, .25, 0], [0, .25, .75, 1]] in
TensorFlow 2, where the centers of pixels are at halves.
"""

import functools
import operator
from typing import Any

import numpy as np

from ...front.composed.shape import interpolated_from_centres

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
    place = np.arange(new, dtype='float32') * np.float32(scale)  # as exact as that of TensorFlow
    if halves:
        place = (np.arange(new, dtype='float32') + np.float32(0.5)) * np.float32(scale)
        place = place if nearest else np.maximum(place - np.float32(0.5), 0)
    found = np.zeros((old, new))
    low = np.minimum(np.floor(place + 0.5 if nearest and corners else place).astype('int64'), old - 1)
    part = np.zeros(new) if nearest else place - low
    found[low, np.arange(new)] += 1 - part
    found[np.minimum(low + 1, old - 1), np.arange(new)] += part
    return found


def resized(K: Any, images: Any, axis: int, lines: Any) -> Any:
    """The images with the lines along an axis replaced. lines: a matrix (old, new)."""
    rank = K.ndim(images)
    order = [place for place in range(rank) if place != axis] + [axis]
    moved = K.dot(K.permute_dimensions(images, order), K.constant(lines, dtype=K.dtype(images)))
    return K.permute_dimensions(moved, [order.index(place) for place in range(rank)])


def multiplied(K: Any, images: Any, axis: int, factor: int) -> Any:
    """The images with `factor` times as many pixels along an axis, read from the centres of pixels, of any length."""
    if not K.dtype(images).endswith(('float16', 'float32', 'float64')):
        images = K.cast(images, 'float32')
    return images if factor == 1 else interpolated_from_centres(K, images, factor, axis)
