"""Stateful recurrent layers keep their states on JAX.

Keras 3 does not count the states among the variables of a model, so what `fit` and `predict` compile for JAX drops
them. Each batch begins with zeros, and no error says so.
"""

import functools
from typing import Any


def states_of_layers(keras: Any) -> str:
    """Let `fit` and `predict` keep the states of stateful recurrent layers on JAX."""
    if keras.backend.backend() != 'jax':
        return ''
    from ..engines.keras3_backend.vendor import hold

    made = keras.layers.RNN
    original = made.build

    @functools.wraps(original)
    def build(layer: Any, *args: Any, **kwargs: Any) -> None:
        original(layer, *args, **kwargs)
        if layer.stateful and layer.states is not None:
            hold(layer, keras.tree.flatten(list(layer.states)))

    made.build = build
    return 'RNN.build'
