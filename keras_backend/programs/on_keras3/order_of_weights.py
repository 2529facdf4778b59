"""The order of weights in tf.keras, which lists of arrays have that its programs kept.

Keras 3 lists the weights of a layer as they lie in it: its own, then those of one inner layer after the other. tf.keras
lists those that are trained first. A subclassed model of tf.keras lists its layers first, then its own weights. Where
shapes agree, `set_weights` with the other order gives no error and other numbers.
"""

import functools
from typing import Any, List

import numpy as np


def weights_in_order(keras: Any) -> str:
    """Let `weights`, `get_weights` and `set_weights` of layers that hold layers have the order of tf.keras."""
    made, model = keras.layers.Layer, keras.Model
    original = made.weights.fget

    def weights(layer: Any) -> List[Any]:
        found: List[Any] = original(layer)
        if not isinstance(layer, model):
            return sorted(found, key=_is_frozen)
        own = {id(v) for v in layer._trainable_variables + layer._non_trainable_variables}
        return sorted(found, key=lambda v: id(v) in own) if own else found

    made.weights = property(weights, doc=made.weights.__doc__)
    return 'Layer.weights'


def numbers_as_weights(keras: Any) -> str:
    """Let `set_weights` take a number for a weight without axes, as `np.random.randn()` gives it."""
    made = keras.layers.Layer
    original = made.set_weights

    @functools.wraps(original)
    def set_weights(layer: Any, weights: Any) -> None:
        original(layer, [np.array(weight) if isinstance(weight, (int, float)) else weight for weight in weights])

    made.set_weights = set_weights
    return 'Layer.set_weights'


def _is_frozen(variable: Any) -> bool:
    return not variable.trainable
