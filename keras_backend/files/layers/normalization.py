"""BatchNormalization of Keras 2.3.1; LayerNormalization, GroupNormalization and others of later Keras."""

from typing import Any, List, Sequence

from .use import Use


def axes_of(use: Use, default: int = -1) -> List[int]:
    """The axes that the layer names, counted from 0."""
    axis, rank = use.option('axis', default), use.K.ndim(use.x)
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    return sorted(int(number) % rank for number in axes)


def _spread(use: Use, weight: Any, axes: Sequence[int]) -> Any:
    """A weight in a shape that meets the axes of the input. None stays None."""
    K, rank = use.K, use.K.ndim(use.x)
    if weight is None or list(axes) == [rank - 1] or K.ndim(weight) == rank:
        return weight
    sizes = list(K.int_shape(weight))
    return K.reshape(weight, [sizes.pop(0) if axis in axes else 1 for axis in range(rank)])


def batch_normalization(use: Use) -> Any:
    """(x - moving_mean) / sqrt(moving_variance + epsilon) * gamma + beta."""
    axes = axes_of(use)
    mean, variance, gamma, beta = [
        _spread(use, use.weights.get(name), axes) for name in ('moving_mean', 'moving_variance', 'gamma', 'beta')
    ]
    factor = 1.0 / use.K.sqrt(variance + float(use.option('epsilon', 1e-3)))
    factor = factor if gamma is None else factor * gamma
    y = (use.x - mean) * factor
    return y if beta is None else y + beta


def layer_normalization(use: Use) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta, over axes of each sample."""
    K, axes = use.K, axes_of(use)
    centered = use.x - K.mean(use.x, axis=axes, keepdims=True)
    y = centered / K.sqrt(K.mean(K.square(centered), axis=axes, keepdims=True) + float(use.option('epsilon', 1e-3)))
    for name in ('gamma', 'beta'):
        weight = _spread(use, use.weights.get(name), axes)
        if weight is not None:
            y = y * weight if name == 'gamma' else y + weight
    return y


def rms_normalization(use: Use) -> Any:
    """x / sqrt(mean(x^2) + epsilon) * scale, over the last axes."""
    K, axes = use.K, axes_of(use)
    rank = K.ndim(use.x)
    if axes != list(range(rank - len(axes), rank)):
        raise use.error('normalizes over axes that are not the last ones, and Keras 3.15 scales others than these')
    scale = use.weights['scale']
    return (
        use.x / K.sqrt(K.mean(K.square(use.x), axis=axes, keepdims=True) + float(use.option('epsilon', 1e-6))) * scale
    )


def group_normalization(use: Use) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta, over groups of channels of each sample."""
    K, rank = use.K, use.K.ndim(use.x)
    if use.mask is not None and use.help.library == 'tf.keras':
        raise use.error('gets a mask, which tf.keras takes into its means, and this is not done here')
    (axis,) = axes_of(use)
    order = [*[number for number in range(rank) if number != axis], axis]
    x = K.permute_dimensions(use.x, order)
    channels = use.shape[axis]
    if channels is None:
        raise use.error('has an unknown number of channels')
    groups = int(use.option('groups', 32))
    groups = channels if groups == -1 else groups
    if groups < 1 or channels % groups:
        raise use.error(f'has {channels} channels, which are not {groups} equal groups')
    sizes = [use.size(number) for number in order]
    grouped = K.reshape(x, (sizes[0], -1, groups, channels // groups))
    centered = grouped - K.mean(grouped, axis=[1, 3], keepdims=True)
    variance = K.mean(K.square(centered), axis=[1, 3], keepdims=True)
    y = K.reshape(centered / K.sqrt(variance + float(use.option('epsilon', 1e-3))), sizes)
    gamma, beta = use.weights.get('gamma'), use.weights.get('beta')
    y = y if gamma is None else y * gamma
    y = y if beta is None else y + beta
    return K.permute_dimensions(y, [order.index(number) for number in range(rank)])


def normalization(use: Use) -> Any:
    """(x - mean) / max(sqrt(variance), epsilon), or the reverse of it."""
    K = use.K
    axis = use.config.get('axis', -1)
    axes = [] if axis is None else axes_of(use)
    in_config = use.config.get('mean') is not None
    mean, variance = [K.constant(use.config[name]) if in_config else use.weights[name] for name in ('mean', 'variance')]
    mean, variance = [_over(use, moment, axes) for moment in (mean, variance)]
    x = K.cast(use.x, K.floatx())
    deviation = K.maximum(K.sqrt(variance), K.epsilon())
    return mean + x * deviation if use.option('invert', False) else (x - mean) / deviation


def _over(use: Use, weight: Any, axes: Sequence[int]) -> Any:
    """A statistic in the rank of the input. A file has it with or without axes of size 1."""
    K, rank = use.K, use.K.ndim(use.x)
    if K.ndim(weight) == 0 or (K.ndim(weight) == 1 and list(axes) == [rank - 1]):
        return weight
    sizes = [size for size in K.int_shape(weight) if size != 1]
    whole = list(K.int_shape(weight))
    if len(whole) == len(axes):
        sizes = whole
    if not axes:
        return K.reshape(weight, [1] * rank)
    if len(sizes) != len(axes):
        return weight
    return K.reshape(weight, [sizes.pop(0) if axis in axes else 1 for axis in range(rank)])


def unit_normalization(use: Use) -> Any:
    """x / sqrt(sum(x^2)) over axes."""
    axes = axes_of(use)
    if len(axes) == 1:
        return use.K.l2_normalize(use.x, axis=axes[0])
    K = use.K
    return use.x / K.sqrt(K.maximum(K.sum(K.square(use.x), axis=axes, keepdims=True), 1e-12))
