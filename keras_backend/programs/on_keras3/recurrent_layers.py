"""Recurrent layers: cells of a program that change their state, constants of cells, and states that are kept or set."""

import contextlib
import functools
import inspect
from typing import Any, Iterator, List

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


# -- constants ---------------------------------------------------------------------------------------------------------
# `RNN(cell)(x, constants=c)`: the cell is called with `constants=[c]` in each step, and built for the shapes of both.
#
# Keras 3 hands a cell its input and its states alone.


def constants_of_cells(keras: Any) -> str:
    """Let recurrent layers hand constants to the cell of a program."""
    layer, stacked = keras.layers.RNN, keras.layers.StackedRNNCells
    original_call = layer.call

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        constants = kwargs.get('constants')
        if constants is None:
            kwargs.pop('constants', None)
        else:
            takes = 'constants' in inspect.signature(self.cell.call).parameters and type(self).call is call
            if not takes or isinstance(self.cell, stacked):
                raise NotImplementedError(
                    f'{self.name}: Keras 3 has no constants= for {type(self.cell).__name__}; they go to the one cell '
                    'of an RNN whose call takes constants. Repeat the constant for each step and concatenate it with '
                    'the input, or run the program on TensorFlow by tf_keras: set KERAS_BACKEND=tensorflow.'
                )
            kwargs['constants'] = constants = _listed(constants)
            if not self.built:
                _build_with(self, [tuple(constant.shape) for constant in constants])
        # Other cures change the method of all layers later.
        return super(layer, self).__call__(*args, **kwargs)

    @functools.wraps(original_call)
    def call(self: Any, *args: Any, constants: Any = None, **kwargs: Any) -> Any:
        if constants is None:
            return original_call(self, *args, **kwargs)
        with _called_with(self.cell, _listed(constants)):
            return original_call(self, *args, **kwargs)

    signature = inspect.signature(original_call)
    given = inspect.Parameter('constants', inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
    vars(call)['__signature__'] = signature.replace(parameters=[*signature.parameters.values(), given])
    layer.__call__, layer.call = __call__, call
    return 'RNN.__call__, RNN.call'


def _listed(constants: Any) -> List[Any]:
    return list(constants) if isinstance(constants, (list, tuple)) else [constants]


def _build_with(layer: Any, shapes: List[Any]) -> None:
    """Let the cell be built for a list: the shape of the input of a step, and those of the constants."""
    cell = layer.cell
    build = cell.build
    vars(cell)['build'] = functools.wraps(build)(lambda input_shape: build([tuple(input_shape), *shapes]))
    for built in (layer, cell):
        # A file would have the layer built for its input alone. It is built where it is called.
        vars(built)['get_build_config'] = _no_shapes


def _no_shapes() -> None:
    return None


@contextlib.contextmanager
def _called_with(cell: Any, constants: List[Any]) -> Iterator[None]:
    before = vars(cell).get('call')
    vars(cell)['call'] = functools.partial(cell.call, constants=constants)
    try:
        yield
    finally:
        if before is None:
            del vars(cell)['call']
        else:
            vars(cell)['call'] = before


def cells_in_both_directions(keras: Any) -> str:
    """Let `Bidirectional` take a layer of a cell of the program. Keras 3 makes both from a configuration of it."""
    from ...engines.keras3_backend.vendor import layers_below

    signature = inspect.signature(keras.layers.Bidirectional.__init__)

    @replacing(keras.layers.Bidirectional, '__init__')
    def __init__(original: Any, self: Any, layer: Any, *args: Any, **kwargs: Any) -> None:
        held = layers_below(layer) if isinstance(layer, keras.layers.Layer) else []
        own = {type(below).__name__: type(below) for below in held if is_of_a_program(type(below))}
        with keras.saving.custom_object_scope(own):
            original(self, layer, *args, **kwargs)

    # Keras notes the arguments of a layer by their names.
    vars(__init__)['__signature__'] = signature
    return 'Bidirectional.__init__'


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
