"""Cures for layers of Keras 2."""

import functools
import sys
from importlib import import_module
from numbers import Integral
from types import ModuleType
from typing import Any


def shapes_of_lambdas(keras: ModuleType) -> str:
    """Let a `Lambda` layer without `output_shape` have the shape of its result, not that of its input."""
    K, Lambda = sys.modules['keras.backend'], import_module('keras.layers').Lambda
    call, documented = Lambda.call, getattr(Lambda, 'compute_output_shape', None)  # Keras 1 has get_output_shape_for
    if documented is None or hasattr(documented, '_of_keras2'):
        return ''

    @functools.wraps(documented)
    def compute_output_shape(self: Any, input_shape: Any) -> Any:
        if self.get_config().get('output_shape') is not None:
            return documented(self, input_shape)
        several = isinstance(input_shape, list)
        shapes = input_shape if several else [input_shape]
        dtypes = getattr(self, '_dtypes_of_inputs', None) or [None] * len(shapes)
        inputs = [K.placeholder(shape=shape, dtype=dtype) for shape, dtype in zip(shapes, dtypes)]
        outputs = call(self, inputs if several else inputs[0])
        return [K.int_shape(x) for x in outputs] if isinstance(outputs, (list, tuple)) else K.int_shape(outputs)

    def noting_call(self: Any, inputs: Any, mask: Any = None) -> Any:
        # Keras computes the result first, and its shape from the shapes of the inputs alone.
        self._dtypes_of_inputs = [K.dtype(x) for x in (inputs if isinstance(inputs, list) else [inputs])]
        return call(self, inputs, mask)

    compute_output_shape._of_keras2 = True  # type: ignore[attr-defined]
    Lambda.compute_output_shape = compute_output_shape
    Lambda.call = noting_call
    return 'keras.layers.Lambda'


def whole_sizes(keras: ModuleType) -> str:
    """Let sizes of weights be integers of Python: `Dense(labels.max() + 1)` of uint8 labels overflows in NumPy 2."""
    Layer: Any = import_module('keras.layers').Layer
    documented = Layer.add_weight
    if hasattr(documented, '_of_keras2'):
        return ''

    def whole(value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            return value
        return tuple([int(size) if isinstance(size, Integral) else size for size in value])

    @functools.wraps(documented)
    def add_weight(self: Any, *args: Any, **kwargs: Any) -> Any:
        if 'shape' in kwargs:
            kwargs['shape'] = whole(kwargs['shape'])
        return documented(self, *[whole(value) for value in args], **kwargs)

    add_weight._of_keras2 = True  # type: ignore[attr-defined]
    Layer.add_weight = add_weight
    return 'keras.layers.Layer.add_weight'


def variance_of_images(keras: ModuleType) -> str:
    """Let `K.normalize_batch_in_training` of images give the variance of a sample, n / (n - 1), from Keras 2.1 on.

    TensorFlow 1 had a fused kernel for images whose last axis is the channels. `BatchNormalization` keeps this
    variance, so a trained model predicts with it.
    """
    K = sys.modules['keras.backend']
    whole = K.normalize_batch_in_training
    if keras.__version__.startswith('2.0.') or hasattr(whole, '_of_keras2'):
        return ''

    def normalize_batch_in_training(x: Any, gamma: Any, beta: Any, reduction_axes: Any, epsilon: float = 1e-3) -> Any:
        """The normalised batch, its mean, and its variance."""
        normed, mean, variance = whole(x, gamma, beta, reduction_axes, epsilon)
        if K.ndim(x) == 4 and list(reduction_axes) == [0, 1, 2]:
            n = K.cast(K.prod(K.shape(x)[:3]), K.dtype(variance))
            variance = variance * (n / K.maximum(n - 1.0, 1.0))
        return normed, mean, variance

    normalize_batch_in_training._of_keras2 = True  # type: ignore[attr-defined]
    setattr(K, 'normalize_batch_in_training', normalize_batch_in_training)  # noqa: B010
    return 'K.normalize_batch_in_training'


def trainable_variables(keras: ModuleType) -> str:
    """Let a variable that a layer of Keras 2.3 keeps as `self.W` be trainable, as a variable of TensorFlow is."""
    Layer: Any = keras.layers.Layer
    keep = vars(Layer).get('__setattr__')
    if keep is None or hasattr(keep, '_of_keras2'):
        return ''
    K: Any = sys.modules['keras.backend']

    @functools.wraps(keep)
    def __setattr__(self: Any, name: str, value: Any) -> None:
        if K.is_variable(value) and not hasattr(value, 'trainable'):
            # Without it Keras lists the variable among those that are not trained, too.
            type(value).trainable = True
        keep(self, name, value)

    __setattr__._of_keras2 = True  # type: ignore[attr-defined]
    Layer.__setattr__ = __setattr__
    return 'layer.trainable_weights'
