"""Pooling layers of Keras 2.3.1, with `keepdims` of tf.keras."""

from typing import Any

from . import theano_padding
from .convolutional import rank_of
from .use import Use, numbers, spatial_axes


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
        found = K.pool2d(K.expand_dims(x, axis), (*size, 1), (*strides, 1), padding, use.data_format, mode)
        return K.squeeze(found, axis)

    if theano_padding.is_wanted(use):
        return theano_padding.pooled(use, x, mode, size, strides, lambda padded: pooled_by('valid', padded))
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
