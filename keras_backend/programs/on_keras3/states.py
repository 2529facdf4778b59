"""Stateful recurrent layers keep their states on JAX, and programs set them as in tf.keras.

Keras 3 does not count the states among the variables of a model, so what `fit` and `predict` compile for JAX drops
them. Each batch begins with zeros, and no error says so. `reset_states` of a layer takes no states there, and models
have no `reset_states`.
"""

import functools
from typing import Any, Callable

from ...errors import ArgumentValueError


def states_of_layers(keras: Any) -> str:
    """Let `fit` and `predict` keep the states of stateful recurrent layers on JAX."""
    if keras.backend.backend() != 'jax':
        return ''
    from ...engines.keras3_backend.vendor import hold

    made = keras.layers.RNN
    original = made.build

    @functools.wraps(original)
    def build(layer: Any, *args: Any, **kwargs: Any) -> None:
        original(layer, *args, **kwargs)
        if layer.stateful and layer.states is not None:
            hold(layer, keras.tree.flatten(list(layer.states)))

    made.build = build
    return 'RNN.build'


def states_that_are_set(keras: Any) -> str:
    """Let `reset_states` of a recurrent layer take the states to begin with, and give models the method."""
    layer, model = keras.layers.RNN, keras.Model
    layer.reset_states = _with_states(layer.reset_states, keras)
    changed = ['RNN.reset_states']
    if not hasattr(model, 'reset_states'):
        model.reset_states = _reset_layers
        changed.append('Model.reset_states')
    return ', '.join(changed)


def _with_states(original: Callable[..., None], keras: Any) -> Callable[..., None]:
    @functools.wraps(original)
    def reset_states(layer: Any, states: Any = None) -> None:
        if states is None:
            original(layer)
            return
        name = f'{layer.name}.reset_states'
        if not layer.stateful or layer.states is None:
            raise ArgumentValueError(
                f'{name}: the layer keeps no states; make it with stateful=True, and call it on an input with a '
                'batch_shape before you set them.'
            )
        kept = keras.tree.flatten(list(layer.states))
        values = keras.tree.flatten(list(states)) if isinstance(states, (list, tuple)) else [states]
        shapes = [tuple(getattr(value, 'shape', ())) for value in values]
        if shapes != [tuple(state.shape) for state in kept]:
            raise ArgumentValueError(
                f'{name}: states has shapes {shapes}, and the layer keeps states of the shapes '
                f'{[tuple(state.shape) for state in kept]}; give one array for each of them.'
            )
        for state, value in zip(kept, values):
            state.assign(value)

    return reset_states


def _reset_layers(model: Any) -> None:
    """Set the states of all stateful layers back, as `reset_states` of a layer does."""
    for layer in model.layers:
        if hasattr(layer, 'layers') or getattr(layer, 'stateful', False):
            reset = getattr(layer, 'reset_states', None)
            if reset is not None:
                reset()
