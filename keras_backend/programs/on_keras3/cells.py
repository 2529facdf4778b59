"""Cells of a program that draw random numbers, or change weights, in each step of a recurrent layer on JAX.

The steps are a loop that JAX compiles once. What a step assigns cannot leave the loop: the state of a Dropout, the
moving averages of a BatchNormalization. Such steps are written out one after the other.
"""

import functools
from typing import Any

from .classes_of_programs import is_of_a_program


def steps_that_change_state(keras: Any) -> str:
    """Let recurrent layers of cells that hold a Dropout or a BatchNormalization train on JAX."""
    if keras.backend.backend() != 'jax':
        return ''
    made = keras.layers.RNN
    original = made.call

    @functools.wraps(original)
    def call(rnn: Any, *args: Any, **kwargs: Any) -> Any:
        if rnn.unroll or not kwargs.get('training') or not _changes_state(rnn.cell):
            return original(rnn, *args, **kwargs)
        rnn.unroll = True
        try:
            return original(rnn, *args, **kwargs)
        finally:
            rnn.unroll = False

    made.call = call
    return 'RNN.call'


def _changes_state(cell: Any) -> bool:
    from ...engines.keras3_backend.vendor import layers_below

    held = layers_below(cell)
    # The cells of Keras draw before the loop.
    if not any(is_of_a_program(type(layer)) for layer in held):
        return False
    return any(layer._seed_generators or layer._non_trainable_variables for layer in held)
