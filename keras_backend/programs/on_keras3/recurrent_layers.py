"""Recurrent layers: cells of a program that change their state, constants of cells, and states that are kept or set."""

from typing import Any

from ...errors import ArgumentValueError
from ..launcher.cures import around, replacing
from .names import is_of_a_program

# -- cells -------------------------------------------------------------------------------------------------------------
# Cells of a program that draw random numbers, or change weights, in each step of a recurrent layer on JAX.
#
# The steps are a loop that JAX compiles once. What a step assigns cannot leave the loop: the state of a Dropout, the
# moving averages of a BatchNormalization. Such steps are written out one after the other.


def steps_that_change_state(keras: Any) -> str:
    """Let recurrent layers of cells that hold a Dropout or a BatchNormalization train on JAX."""
    if keras.backend.backend() != 'jax':
        return ''

    @replacing(keras.layers.RNN, 'call')
    def call(original: Any, rnn: Any, *args: Any, **kwargs: Any) -> Any:
        if rnn.unroll or not kwargs.get('training') or not _changes_state(rnn.cell):
            return original(rnn, *args, **kwargs)
        rnn.unroll = True
        try:
            return original(rnn, *args, **kwargs)
        finally:
            rnn.unroll = False

    return 'RNN.call'


def _changes_state(cell: Any) -> bool:
    from ...engines.keras3_backend.vendor import layers_below

    held = layers_below(cell)
    # The cells of Keras draw before the loop.
    if not any(is_of_a_program(type(layer)) for layer in held):
        return False
    return any(layer._seed_generators or layer._non_trainable_variables for layer in held)


def constants_of_cells(keras: Any) -> str:
    """Say what to do where a cell gets constants, which Keras 3 hands to none."""
    layer = keras.layers.RNN

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.pop('constants', None) is not None:
            raise NotImplementedError(
                f'{self.name}: Keras 3 hands a cell its input and its states, and has no constants= for it. Repeat the '
                'constant for each step and concatenate it with the input, or run the program on TensorFlow by '
                'tf_keras: set KERAS_BACKEND=tensorflow.'
            )
        return super(layer, self).__call__(*args, **kwargs)

    layer.__call__ = __call__
    return 'RNN.__call__'


# -- states ------------------------------------------------------------------------------------------------------------
# Stateful recurrent layers keep their states on JAX, and programs set them as in tf.keras.
#
# Keras 3 does not count the states among the variables of a model, so what `fit` and `predict` compile for JAX drops
# them. Each batch begins with zeros, and no error says so. `reset_states` of a layer takes no states there, and models
# have no `reset_states`.


def states_of_layers(keras: Any) -> str:
    """Let `fit` and `predict` keep the states of stateful recurrent layers on JAX."""
    if keras.backend.backend() != 'jax':
        return ''
    from ...engines.keras3_backend.vendor import hold

    @replacing(keras.layers.RNN, 'build')
    def build(original: Any, layer: Any, *args: Any, **kwargs: Any) -> None:
        original(layer, *args, **kwargs)
        if layer.stateful and layer.states is not None:
            hold(layer, keras.tree.flatten(list(layer.states)))

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


@around
def _with_states(original: Any, keras: Any, layer: Any, states: Any = None) -> None:
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


def _reset_layers(model: Any) -> None:
    """Set the states of all stateful layers back, as `reset_states` of a layer does."""
    for layer in model.layers:
        if hasattr(layer, 'layers') or getattr(layer, 'stateful', False):
            reset = getattr(layer, 'reset_states', None)
            if reset is not None:
                reset()
