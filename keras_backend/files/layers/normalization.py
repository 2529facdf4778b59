"""BatchNormalization of Keras 2.3.1; LayerNormalization, Normalization and UnitNormalization of tf.keras."""

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
