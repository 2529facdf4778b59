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
    documented = getattr(Lambda, 'compute_output_shape', None)  # Keras 1 has get_output_shape_for
    if documented is None or hasattr(documented, '_of_keras2'):
        return ''

    @functools.wraps(documented)
    def compute_output_shape(self: Any, input_shape: Any) -> Any:
        if self.get_config().get('output_shape') is not None:
            return documented(self, input_shape)
        several = isinstance(input_shape, list)
        inputs = [K.placeholder(shape=shape) for shape in (input_shape if several else [input_shape])]
        made = self.call(inputs if several else inputs[0])
        return [K.int_shape(x) for x in made] if isinstance(made, (list, tuple)) else K.int_shape(made)

    compute_output_shape._of_keras2 = True  # type: ignore[attr-defined]
    Lambda.compute_output_shape = compute_output_shape
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
