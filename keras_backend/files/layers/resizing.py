"""Cropping, padding with zeros, and upsampling."""

from typing import Any

import numpy as np

from .convolutional import rank_of
from .use import Use, numbers, pairs, spatial_axes


def cropping(use: Use) -> Any:
    """Cropping1D, Cropping2D and Cropping3D."""
    rank = rank_of(use.layer.kind)
    first = spatial_axes(use, rank)[0]
    cuts = [slice(before, -after if after else None) for before, after in pairs(use.option('cropping', 1), rank)]
    return use.x[(*[slice(None)] * first, *cuts)]


def padding(use: Use) -> Any:
    """ZeroPadding1D, ZeroPadding2D and ZeroPadding3D."""
    K, rank = use.K, rank_of(use.layer.kind)
    amounts = pairs(use.option('padding', 1), rank)
    if rank > 1:
        return getattr(K, f'spatial_{rank}d_padding')(use.x, amounts, use.data_format)
    if not use.channels_first:
        return K.temporal_padding(use.x, amounts[0])
    return K.permute_dimensions(K.temporal_padding(K.permute_dimensions(use.x, (0, 2, 1)), amounts[0]), (0, 2, 1))


def upsampling(use: Use) -> Any:
    """UpSampling1D, UpSampling2D and UpSampling3D."""
    K, rank = use.K, rank_of(use.layer.kind)
    factors = numbers(use.option('size', 2), rank)
    if rank == 1:
        return K.repeat_elements(use.x, factors[0], axis=1)
    if rank == 3:
        return K.resize_volumes(use.x, *factors, use.data_format)
    interpolation = use.option('interpolation', 'nearest')
    if interpolation == 'bilinear_of_tensorflow_2':
        axes = spatial_axes(use, 2)
        return resized(K, use.x, [(axis, use.shape[axis], factor) for axis, factor in zip(axes, factors)], use)
    return K.resize_images(use.x, *factors, use.data_format, interpolation)


def resized(K: Any, x: Any, axes: Any, use: Use) -> Any:
    """Bilinear interpolation with the centers of pixels at halves, as TensorFlow 2 has it."""
    rank = K.ndim(x)
    for axis, old, factor in axes:
        if old is None:
            raise use.error('interpolates images of unknown size, which is not done here; give the model a fixed size')
        order = [place for place in range(rank) if place != axis] + [axis]
        moved = K.dot(K.permute_dimensions(x, order), K.constant(half_pixels(old, old * factor)))
        x = K.permute_dimensions(moved, [order.index(place) for place in range(rank)])
    return x


def half_pixels(old: int, new: int) -> Any:
    """The matrix of a linear interpolation of a line of pixels, shape (old, new)."""
    places = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
    low = np.floor(places).astype(int)
    high = np.minimum(low + 1, old - 1)
    matrix = np.zeros((old, new))
    matrix[low, np.arange(new)] += 1 - (places - low)
    matrix[high, np.arange(new)] += places - low
    return matrix
