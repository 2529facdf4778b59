"""Pooling, cropping, padding with zeros, and upsampling."""

from typing import Any, Optional, Sequence

from ..names import tensorflow_images
from .convolutional import has_theano_padding, pooled_as_theano, rank_of
from .use import Use, numbers, pairs, spatial_axes

# -- pooling -----------------------------------------------------------------------------------------------------------
# Pooling layers of Keras 2.3.1, with `keepdims` of tf.keras.


def pooling(use: Use) -> Any:
    """MaxPooling and AveragePooling of one, two and three axes."""
    K, rank, x = use.K, rank_of(use.layer.kind), use.x
    mode = 'max' if use.layer.kind.startswith('Max') else 'avg'
    size = numbers(use.option('pool_size', 2), rank)
    strides = numbers(use.option('strides', size), rank)

    def pooled_by(padding: str, x: Any) -> Any:
        if rank > 1:
            return getattr(K, f'pool{rank}d')(x, size, strides, padding, use.data_format, mode)
        axis = 3 if use.channels_first else 2
        pooled = K.pool2d(K.expand_dims(x, axis), (*size, 1), (*strides, 1), padding, use.data_format, mode)
        return K.squeeze(pooled, axis)

    if has_theano_padding(use):
        return pooled_as_theano(use, x, mode, size, strides, lambda padded: pooled_by('valid', padded))
    return pooled_by(use.option('padding', 'valid'), x)


def global_pooling(use: Use) -> Any:
    """The maximum or the mean over all places. GlobalAveragePooling1D leaves out those that are masked."""
    K, rank = use.K, rank_of(use.layer.kind)
    axes = list(spatial_axes(use, rank))
    keep = bool(use.option('keepdims', False))
    if 'Max' in use.layer.kind:
        return K.max(use.x, axis=axes, keepdims=keep)
    if use.mask is None or rank != 1:
        return K.mean(use.x, axis=axes, keepdims=keep)
    mask = K.expand_dims(K.cast(use.mask, K.dtype(use.x)), 1 if use.channels_first else 2)
    return K.sum(use.x * mask, axis=axes, keepdims=keep) / K.sum(mask, axis=axes, keepdims=keep)


# -- other sizes -------------------------------------------------------------------------------------------------------
# Cropping, padding with zeros, and upsampling.


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
    interpolation, axes = use.option('interpolation', 'nearest'), spatial_axes(use, 2)
    if interpolation == 'bilinear_at_centres':
        images = use.x
        for axis, factor in zip(axes, factors):
            images = tensorflow_images.multiplied(K, images, axis, factor)
        return images
    if interpolation not in ('nearest', 'bilinear'):
        old = [use.shape[axis] for axis in axes]
        sizes = [None if side is None else side * factor for side, factor in zip(old, factors)]
        return resized(use, K.cast(use.x, 'float32'), axes, sizes, str(interpolation))
    return K.resize_images(use.x, *factors, use.data_format, interpolation)


def resizing(use: Use) -> Any:
    """Resizing of tf.keras and Keras 3."""
    method = str(use.option('interpolation', 'bilinear')).lower()
    if any([use.option(name, False) for name in ('pad_to_aspect_ratio', 'antialias')]):
        raise use.error(f'resizes images by {method!r} with options, which is not done here')
    sizes = [int(use.config[name]) for name in ('height', 'width')]
    x = use.K.cast(use.x, 'float32')
    if use.option('crop_to_aspect_ratio', False):
        x = _window(use, x, sizes)
    return resized(use, x, spatial_axes(use, 2), sizes, method)


def random_crop(use: Use) -> Any:
    """RandomCrop, which makes images of its size when a model predicts: of the largest window in the middle."""
    sizes = [int(use.config[name]) for name in ('height', 'width')]
    x = use.K.cast(use.x, 'float32')
    if use.help.library == 'keras 3' and [use.shape[axis] for axis in spatial_axes(use, 2)] != sizes:
        raise use.error('crops images when the model predicts, where versions of Keras 3 differ; crop them before')
    return resized(use, _window(use, x, sizes), spatial_axes(use, 2), sizes, 'bilinear')


def _window(use: Use, images: Any, sizes: Sequence[int]) -> Any:
    """The largest part in the middle of images that has the ratio of two sizes."""
    axes = spatial_axes(use, 2)
    old = [use.shape[axis] for axis in axes]
    if None in old:
        raise use.error('crops images of unknown size')
    cuts = [slice(None)] * 4
    for axis, length, other, (own, across) in zip(axes, old, reversed(old), (sizes, sizes[::-1])):
        kept = min(int(length or 0), int(float((other or 0) * own) / across))
        start = int(float((length or 0) - kept) / 2)
        cuts[axis] = slice(start, start + kept)
    return images[tuple(cuts)]


def center_crop(use: Use) -> Any:
    """CenterCrop of tf.keras and Keras 3, for images that are not smaller."""
    cuts = [slice(None)] * 4
    for axis, name in zip(spatial_axes(use, 2), ('height', 'width')):
        old, new = use.shape[axis], int(use.config[name])
        if old is None or old < new:
            raise use.error(f'crops images of unknown size, or of one that is smaller than its {name} {new}')
        cuts[axis] = slice((old - new) // 2, (old - new) // 2 + new)
    return use.K.cast(use.x[tuple(cuts)], 'float32')


def resized(use: Use, images: Any, axes: Sequence[int], sizes: Sequence[Optional[int]], method: str) -> Any:
    """Images of other sizes along two axes, with the centers of pixels at halves, as TensorFlow 2 has it.

    method: 'bilinear', 'nearest' or 'bicubic'.
    """
    if method not in ('bilinear', 'nearest', 'bicubic'):
        raise use.error(f'resizes images by {method[:60]!r}, which is not done here')
    for axis, new in zip(axes, sizes):
        old = use.K.int_shape(images)[axis]
        if old is None or new is None:
            raise use.error('interpolates images of unknown size, which is not done here; give the model a fixed size')
        if method == 'bicubic':
            lines = tensorflow_images.cubic_matrix(old, new)
        else:
            lines = tensorflow_images.matrix(old, new, method == 'nearest', halves=True)
        images = tensorflow_images.resized(use.K, images, axis, lines)
    return images
