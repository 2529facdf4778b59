"""`tf.nn.dynamic_rnn` and its like, for cells whose variables are those of TensorFlow 1."""

import functools
from typing import Any, Callable, List, Tuple

import tensorflow.compat.v1 as tf

from .control_flow import by_switches


def _with_loops_of_version_1(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of TensorFlow whose loops are operations of the graph, as in TensorFlow 1.

    The functions of TensorFlow 2, which a loop becomes otherwise, do not take variables of TensorFlow 1 from outside.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return by_switches(lambda: function(*args, **kwargs))

    return call


dynamic_rnn = _with_loops_of_version_1(tf.nn.dynamic_rnn)
bidirectional_dynamic_rnn = _with_loops_of_version_1(tf.nn.bidirectional_dynamic_rnn)
raw_rnn = _with_loops_of_version_1(tf.nn.raw_rnn)
static_rnn = _with_loops_of_version_1(tf.nn.static_rnn)
static_bidirectional_rnn = _with_loops_of_version_1(tf.nn.static_bidirectional_rnn)


def stack_bidirectional_dynamic_rnn(
    cells_fw: List[Any],
    cells_bw: List[Any],
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: Any = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> Tuple[Any, Tuple[Any, ...], Tuple[Any, ...]]:
    """Layers of cells, forwards and backwards: the inputs of one are both outputs of the one below.

    Args:
        cells_fw: A cell for each layer, forwards.
        cells_bw: A cell for each layer, backwards.
        inputs: The inputs of the first layer.
        initial_states_fw: A state for each layer, forwards.
        initial_states_bw: A state for each layer, backwards.
        dtype: The dtype of the states. The other arguments are those of `tf.nn.bidirectional_dynamic_rnn`.

    Returns:
        The outputs of the last layer, and the last states of all layers, forwards and backwards.

    Raises:
        ValueError: There are no cells, or not as many forwards as backwards.
    """
    if not cells_fw or len(cells_fw) != len(cells_bw):
        raise ValueError(
            'stack_bidirectional_dynamic_rnn needs as many cells forwards as backwards, and one or more; '
            f'it got {len(cells_fw)} and {len(cells_bw)}.'
        )
    forwards, backwards = [], []
    with tf.variable_scope(scope, 'stack_bidirectional_rnn'):
        for number, (forward, backward) in enumerate(zip(cells_fw, cells_bw)):
            with tf.variable_scope(f'cell_{number}'):
                outputs, states = bidirectional_dynamic_rnn(
                    forward,
                    backward,
                    inputs,
                    initial_state_fw=initial_states_fw and initial_states_fw[number],
                    initial_state_bw=initial_states_bw and initial_states_bw[number],
                    sequence_length=sequence_length,
                    parallel_iterations=parallel_iterations,
                    dtype=dtype,
                    swap_memory=swap_memory,
                    time_major=time_major,
                )
                inputs = tf.concat(outputs, 2)
            forwards.append(states[0])
            backwards.append(states[1])
    return inputs, tuple(forwards), tuple(backwards)
