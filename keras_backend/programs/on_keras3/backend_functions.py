"""Functions of K whose results in tf.keras 2 were others than in Keras 2.3.1, which K follows."""

import functools
import inspect
import math
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from ...front.shape import resized_from_centres
from ..launcher.cures import around


def from_centres(resize: Callable[..., Any]) -> Callable[..., Any]:
    """K.resize_images as in tf.keras: with 'bilinear', pixels are read from their centres."""
    from ...engines import keras3_backend as K

    @functools.wraps(resize)
    def resize_images(
        x: Any, height_factor: Any, width_factor: Any, data_format: Optional[str], interpolation: str = 'nearest'
    ) -> Any:
        if interpolation == 'bilinear':
            return resized_from_centres(K, x, height_factor, width_factor, data_format)  # type: ignore[arg-type]
        return resize(x, height_factor, width_factor, data_format, interpolation)

    return resize_images


def as_wide_as_time(decode: Callable[..., Any]) -> Callable[..., Any]:
    """K.ctc_decode as in tf.keras: the labels are filled up with -1 to the number of time steps."""
    from ...engines import keras3_backend as K

    @functools.wraps(decode)
    def ctc_decode(y_pred: Any, *args: Any, **kwargs: Any) -> Tuple[List[Any], Any]:
        decoded, scores = decode(y_pred, *args, **kwargs)
        empty = -K.ones_like(y_pred[:, :, 0], 'int64')
        return [_filled(K, labels, empty) for labels in decoded], scores

    return ctc_decode


def _filled(K: Any, labels: Any, empty: Any) -> Any:
    wide, time = K.int_shape(labels)[1], K.int_shape(empty)[1]
    if wide is not None and wide == time:
        return labels
    filled = K.concatenate([labels, empty[:, K.shape(labels)[1] if wide is None else wide :]], axis=1)
    return filled if time is None else K.reshape(filled, (-1, time))


# -- the moving variance of images -------------------------------------------------------------------------------------
# The moving variance of `BatchNormalization` of images, and what `K.normalize_batch_in_training` gives of them.
#
# tf.keras leaves inputs with four or five axes to a fused kernel of TensorFlow. It gives the variance of a sample,
# that of the batch times n / (n - 1), and takes no notice of a mask. Keras 3 keeps the variance of the batch.


_FUSED = '_keras_backend_fused'


def variances_of_images(keras: Any) -> str:
    """Let `BatchNormalization` of images keep the variance times n / (n - 1), as in tf.keras."""
    layer_class = keras.layers.BatchNormalization
    layer_class.__init__ = _with_older_arguments(layer_class.__init__)
    layer_class.call = _with_variance_of_a_sample(layer_class.call)
    return 'BatchNormalization.__init__, BatchNormalization.call'


def _with_older_arguments(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        fused = kwargs.pop('fused', None)
        if isinstance(kwargs.get('axis'), (list, tuple)) and len(kwargs['axis']) == 1:
            kwargs['axis'] = kwargs['axis'][0]
        original(self, *args, **kwargs)
        vars(self)[_FUSED] = fused

    # Keras reads the parameters.
    vars(__init__)['__signature__'] = inspect.signature(original)
    return __init__


def _is_fused(layer: Any, inputs: Any) -> bool:
    """Whether tf.keras has the fused kernel compute this batch."""
    rank = len(inputs.shape)
    if vars(layer).get(_FUSED) is False or rank not in (4, 5) or layer.axis % rank not in (1, rank - 1):
        return False
    if getattr(layer, 'renorm', False) or getattr(layer, 'synchronized', False):
        return False
    return bool(layer.compute_dtype != 'float64')


def _with_variance_of_a_sample(original: Callable[..., Any]) -> Callable[..., Any]:
    from keras import ops

    from ...engines.keras3_backend.state.updates import snapshot

    @functools.wraps(original)
    def call(self: Any, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        if not _is_fused(self, inputs):
            return original(self, inputs, training=training, mask=mask)
        if not training or not self.trainable:
            return original(self, inputs, training=training)
        variance, momentum = self.moving_variance, self.momentum
        before = snapshot(variance)
        outputs = original(self, inputs, training=training)
        shape, axis = ops.shape(inputs), self.axis % len(inputs.shape)
        others = _at_least_one(math.prod(size for index, size in enumerate(shape) if index != axis) - 1)
        # What the batch has added to the average, once more by 1 / (n - 1).
        added = variance - before * momentum
        variance.assign(variance + added / ops.cast(others, variance.dtype))
        return outputs

    return call


def _at_least_one(count: Any) -> Any:
    from keras import ops

    return max(count, 1) if isinstance(count, int) else ops.maximum(count, 1)


def with_variance_of_a_sample(normalize: Callable[..., Any]) -> Callable[..., Any]:
    """K.normalize_batch_in_training as in tf.keras: the fused kernel for float32, four axes, [0, 1, 2]."""
    from ...engines import keras3_backend as K

    @functools.wraps(normalize)
    def normalize_batch_in_training(x: Any, gamma: Any, beta: Any, reduction_axes: Any, epsilon: float = 1e-3) -> Any:
        normed, mean, variance = normalize(x, gamma, beta, reduction_axes, epsilon)
        if K.ndim(x) != 4 or list(reduction_axes) != [0, 1, 2] or K.dtype(x) != 'float32':
            return normed, mean, variance
        sizes = K.int_shape(x)[:3]
        if None in sizes:
            n = K.cast(K.prod(K.shape(x)[:3]), 'float32')
            return normed, mean, variance * (n / K.maximum(n - 1.0, 1.0))
        return normed, mean, variance * (math.prod(sizes) / max(math.prod(sizes) - 1, 1))

    return normalize_batch_in_training


# -- sizes -------------------------------------------------------------------------------------------------------------


@around
def sizes_as_sizes(cast: Any, x: Any, dtype: Any) -> Any:
    """K.cast on JAX, which leaves a size a size: `K.cast(K.shape(x)[1], 'int64')` may be that of a new tensor."""
    from ...engines.keras3_backend.tensors.sizes import Symbols, is_symbol
    from .tf_on_keras import dispatch
    from .tf_on_keras.arguments import dtype_of

    kind = dtype_of(dtype, places=True)
    if 'int' in kind and (is_symbol(x) or isinstance(x, Symbols)):
        return x
    sizes = np.asarray(x) if isinstance(x, (int, np.integer, np.ndarray)) else None
    is_vector = sizes is not None and sizes.dtype.kind == 'i' and sizes.ndim < 2
    if sizes is not None and is_vector and 'int' in kind and dispatch.is_inside():
        return sizes.astype(kind)[()]
    return cast(x, dtype)
