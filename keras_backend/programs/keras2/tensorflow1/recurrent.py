"""`tf.nn.dynamic_rnn` and its like, and cells around a cell."""

from typing import Any, Callable, List, Optional, Tuple

from ....basics.arguments import Given, taking
from ...launcher.cures import around
from .base import no_such_arguments
from .cells import LSTMStateTuple, RNNCell
from .framework import by_switches
from .itself import tf


@around
def _with_loops_of_version_1(function: Any, *args: Any, **kwargs: Any) -> Any:
    """A function of TensorFlow whose loops are operations of the graph, as in TensorFlow 1.

    The functions of TensorFlow 2, which a loop becomes otherwise, do not take variables of TensorFlow 1 from outside.
    """
    return by_switches(lambda: function(*args, **kwargs))


dynamic_rnn = _with_loops_of_version_1(tf.nn.dynamic_rnn)
bidirectional_dynamic_rnn = _with_loops_of_version_1(tf.nn.bidirectional_dynamic_rnn)
raw_rnn = _with_loops_of_version_1(tf.nn.raw_rnn)
static_rnn = _with_loops_of_version_1(tf.nn.static_rnn)
static_bidirectional_rnn = _with_loops_of_version_1(tf.nn.static_bidirectional_rnn)


@taking(
    'cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None, dtype=None, sequence_length=None, '
    'parallel_iterations=None, time_major=False, scope=None, swap_memory=False'
)
def stack_bidirectional_dynamic_rnn(given: Given) -> Tuple[Any, Tuple[Any, ...], Tuple[Any, ...]]:
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
    cells_fw, cells_bw, inputs = given.cells_fw, given.cells_bw, given.inputs
    if not cells_fw or len(cells_fw) != len(cells_bw):
        raise ValueError(
            'stack_bidirectional_dynamic_rnn needs as many cells forwards as backwards, and one or more; '
            f'it got {len(cells_fw)} and {len(cells_bw)}.'
        )
    forwards, backwards = [], []
    options = given.dtype, given.parallel_iterations, given.swap_memory, given.time_major
    with tf.variable_scope(given.scope, 'stack_bidirectional_rnn'):
        for number, (forward, backward) in enumerate(zip(cells_fw, cells_bw)):
            with tf.variable_scope(f'cell_{number}'):
                initial = given.initial_states_fw, given.initial_states_bw
                first = [states and states[number] for states in initial]
                outputs, states = bidirectional_dynamic_rnn(
                    forward, backward, inputs, given.sequence_length, *first, *options
                )
                inputs = tf.concat(outputs, 2)
            forwards.append(states[0])
            backwards.append(states[1])
    return inputs, tuple(forwards), tuple(backwards)


# -- cells around a cell -----------------------------------------------------------------------------------------------
# `DropoutWrapper`, `ResidualWrapper` and `DeviceWrapper` of `tf.nn.rnn_cell`: cells around a cell.


class _Wrapper(RNNCell):
    """A cell around a cell, with its sizes, its state and its variables."""

    def __init__(self, cell: Any) -> None:
        super().__init__()
        self._cell = cell

    @property
    def wrapped_cell(self) -> Any:
        """The cell inside."""
        return self._cell

    @property
    def state_size(self) -> Any:
        """The size of the state of the cell inside."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """The size of the output of the cell inside."""
        return self._cell.output_size

    @property
    def trainable_variables(self) -> List[Any]:
        """The variables of the cell inside that are trained."""
        return list(getattr(self._cell, 'trainable_variables', []))

    @property
    def non_trainable_variables(self) -> List[Any]:
        """The other variables of the cell inside."""
        return list(getattr(self._cell, 'non_trainable_variables', []))

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The state of zeros of the cell inside."""
        return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """The output and the next state. The wrapper has no scope of its own."""
        return self.wrap(inputs, state, scope)

    def wrap(self, inputs: Any, state: Any, scope: Any) -> Tuple[Any, Any]:
        """The output and the next state of the cell inside, changed."""
        raise NotImplementedError


class DropoutWrapper(_Wrapper):
    """A cell with dropout of its inputs, outputs and states. Wrap it in training only.

    Args:
        cell: The cell.
        input_keep_prob: The share of the elements of the inputs that stay. It may be a tensor.
        output_keep_prob: The same for the outputs.
        state_keep_prob: The same for the next state. The cell `c` of an LSTM is left as it is.
        variational_recurrent: Not given back.
        input_size: Ignored without `variational_recurrent`.
        dtype: Ignored without `variational_recurrent`.
        seed: The seed.
        dropout_state_filter_visitor: A function of a state, which says what of it gets dropout.

    Raises:
        NotImplementedError: `variational_recurrent` is given.
    """

    @taking(
        'self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0, variational_recurrent=False, '
        'input_size=None, dtype=None, seed=None, dropout_state_filter_visitor=None'
    )
    def __init__(self, given: Given) -> None:
        super().__init__(given.cell)
        name = 'tf.nn.rnn_cell.DropoutWrapper'
        no_such_arguments(name, variational_recurrent=given.variational_recurrent)
        self._keep = given.input_keep_prob, given.output_keep_prob, given.state_keep_prob
        self._seed, self._chosen = given.seed, given.dropout_state_filter_visitor or _all_but_cells

    def wrap(self, inputs: Any, state: Any, scope: Any) -> Tuple[Any, Any]:
        """The output and the next state of the cell inside, with dropout."""
        of_inputs, of_outputs, of_states = self._keep
        output, after = self._cell(self._dropped(inputs, of_inputs), state, scope=scope)
        if _drops(of_states):
            after = self._state(after, self._chosen(after), of_states)
        return self._dropped(output, of_outputs), after

    def _dropped(self, values: Any, keep: Any) -> Any:
        if not _drops(keep):
            return values
        return tf.nest.map_structure(lambda each: tf.nn.dropout(each, rate=1 - keep, seed=self._seed), values)

    def _state(self, state: Any, chosen: Any, keep: Any) -> Any:
        if isinstance(chosen, bool):
            return self._dropped(state, keep) if chosen else state
        states = [self._state(inner_state, inner_chosen, keep) for inner_state, inner_chosen in zip(state, chosen)]
        return type(state)(*states) if hasattr(state, '_fields') else type(state)(states)


def _drops(keep: Any) -> bool:
    return bool(tf.is_tensor(keep)) or keep < 1


def _all_but_cells(state: Any) -> Any:
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(False, True)
    return tuple(_all_but_cells(inner_state) for inner_state in state) if isinstance(state, (tuple, list)) else True


class ResidualWrapper(_Wrapper):
    """A cell whose inputs are added to its outputs.

    Args:
        cell: The cell.
        residual_fn: A function of inputs and outputs in place of the sum.
    """

    def __init__(self, cell: Any, residual_fn: Optional[Callable[[Any, Any], Any]] = None) -> None:
        super().__init__(cell)
        self._residual_fn = residual_fn

    def wrap(self, inputs: Any, state: Any, scope: Any) -> Tuple[Any, Any]:
        """The sum of the inputs and the output, and the next state of the cell inside."""
        output, after = self._cell(inputs, state, scope=scope)
        add = self._residual_fn or (lambda x, y: tf.nest.map_structure(tf.add, x, y))
        return add(inputs, output), after


class DeviceWrapper(_Wrapper):
    """A cell on a device.

    Args:
        cell: The cell.
        device: The name of the device, or a function of operations.
    """

    def __init__(self, cell: Any, device: Any) -> None:
        super().__init__(cell)
        self._device = device

    def wrap(self, inputs: Any, state: Any, scope: Any) -> Tuple[Any, Any]:
        """The output and the next state of the cell inside."""
        with tf.device(self._device):
            result: Tuple[Any, Any] = self._cell(inputs, state, scope=scope)
            return result
