"""The cells of `tf.nn.rnn_cell` and `tf.contrib.rnn`: one step of a recurrent layer each."""

from collections import namedtuple
from typing import Any, Dict, List, Tuple

from ....basics.arguments import Given, taking
from .base import ONES, ZEROS, Layer, channels
from .itself import tf


class LSTMStateTuple(namedtuple('LSTMStateTuple', ('c', 'h'))):
    """The state of an LSTM: the cell `c` and the output `h`."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The dtype of both."""
        return self.c.dtype


def _zeros(size: Any, batch_size: Any, dtype: Any) -> Any:
    sizes = size.as_list() if isinstance(size, tf.TensorShape) else list(size) if isinstance(size, list) else [size]
    zeros = tf.zeros(tf.stack([batch_size] + sizes), dtype)
    known = tf.get_static_value(batch_size) if tf.is_tensor(batch_size) else batch_size
    zeros.set_shape([known] + sizes)
    return zeros


class RNNCell(Layer):
    """A cell: `call(inputs, state)` gives the output and the next state.

    A cell of one's own has the properties `state_size` and `output_size`, and `call` or `__call__`.
    """

    @property
    def state_size(self) -> Any:
        """The size of the state, or a tuple of sizes."""
        raise NotImplementedError(f'{type(self).__name__} needs a property state_size; write one.')

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        raise NotImplementedError(f'{type(self).__name__} needs a property output_size; write one.')

    def __call__(self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any) -> Any:
        """The output and the next state."""
        if scope is None:
            return super().__call__(inputs, state, *args, **kwargs)
        with tf.variable_scope(scope) as opened:
            return super().__call__(inputs, state, *args, scope=opened, **kwargs)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The state of zeros for a number of examples."""
        with tf.name_scope(f'{type(self).__name__}ZeroState'):
            return _map_sizes(lambda size: _zeros(size, batch_size, dtype), self.state_size)

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        """The state of zeros for these inputs, or for a number of examples."""
        if inputs is not None:
            inputs = tf.convert_to_tensor(inputs)
            batch_size, dtype = tf.shape(inputs)[0], inputs.dtype
        return self.zero_state(batch_size, dtype)


def _map_sizes(function: Any, size: Any) -> Any:
    """A function of each size. A TensorShape is one size, and so is a list of numbers."""
    if isinstance(size, tuple) and not isinstance(size, tf.TensorShape):
        results = [_map_sizes(function, inner_size) for inner_size in size]
        return type(size)(*results) if hasattr(size, '_fields') else tuple(results)
    return function(size)


class LayerRNNCell(RNNCell):
    """A cell whose variables are made by `build`."""


class _Units(LayerRNNCell):
    """A cell with a number of units, whose output is its state."""

    @taking('self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs')
    def __init__(self, given: Given) -> None:
        super().__init__(_reuse=given.reuse, name=given.name, dtype=given.dtype, **given.kwargs)
        self._num_units, activation = given.num_units, given.activation
        self._activation = getattr(tf.nn, activation) if isinstance(activation, str) else activation or tf.tanh

    @property
    def state_size(self) -> Any:
        """The size of the state."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        return self._num_units

    def _inputs(self, input_shape: Any) -> int:
        return channels(input_shape, -1, f'tf.nn.rnn_cell.{type(self).__name__}')


class BasicRNNCell(_Units):
    """The output is act(W [input, state] + b), and it is the next state.

    Args:
        num_units: The size of the state.
        activation: The function; without it, tanh.
        reuse: Whether the variables are there already.
        name: The name of the scope.
        dtype: The dtype of the variables.
    """

    def build(self, input_shape: Any) -> None:
        """Make the variables."""
        self._kernel = self.add_weight('kernel', (self._inputs(input_shape) + self._num_units, self._num_units))
        self._bias = self.add_weight('bias', (self._num_units,), initializer=ZEROS)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """The output and the next state."""
        output = self._activation(tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), self._kernel), self._bias))
        return output, output


class GRUCell(_Units):
    """The cell of Cho et al., 2014 (https://arxiv.org/abs/1406.1078).

    [r, u] = sigmoid(W [input, state] + b), c = act(V [input, r state] + d), and the next state is u state + (1 - u) c.

    Args:
        num_units: The size of the state.
        activation: The function; without it, tanh.
        reuse: Whether the variables are there already.
        kernel_initializer: What makes the first values of W and V.
        bias_initializer: What makes the first values of b and d; without it, b is 1 and d is 0.
        name: The name of the scope.
        dtype: The dtype of the variables.
    """

    @taking(
        'self, num_units, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None, name=None, '
        'dtype=None, **kwargs'
    )
    def __init__(self, given: Given) -> None:
        super().__init__(given.num_units, given.activation, given.reuse, given.name, given.dtype, **given.kwargs)
        self._initializers = given.kernel_initializer, given.bias_initializer

    def build(self, input_shape: Any) -> None:
        """Make the variables."""
        size, units = self._inputs(input_shape) + self._num_units, self._num_units
        kernel, bias = self._initializers
        ones, zeros = (bias, bias) if bias is not None else (ONES, ZEROS)
        self._gate_kernel = self.add_weight('gates/kernel', (size, 2 * units), initializer=kernel)
        self._gate_bias = self.add_weight('gates/bias', (2 * units,), initializer=ones)
        self._candidate_kernel = self.add_weight('candidate/kernel', (size, units), initializer=kernel)
        self._candidate_bias = self.add_weight('candidate/bias', (units,), initializer=zeros)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """The output and the next state."""
        gates = tf.matmul(tf.concat([inputs, state], 1), self._gate_kernel)
        r, u = tf.split(tf.sigmoid(tf.nn.bias_add(gates, self._gate_bias)), 2, 1)
        candidate = tf.matmul(tf.concat([inputs, r * state], 1), self._candidate_kernel)
        c = self._activation(tf.nn.bias_add(candidate, self._candidate_bias))
        following = u * state + (1 - u) * c
        return following, following


class LSTMCell(_Units):
    """The cell of Hochreiter and Schmidhuber, 1997, with the peepholes and the projection of Sak et al., 2014.

    [i, j, f, o] = W [input, h] + b, the next cell is sigmoid(f + forget_bias) c + sigmoid(i) act(j), and the output is
    sigmoid(o) act(c). With peepholes, i and f get a diagonal matrix times c before, and o one times c after the step.

    Args:
        num_units: The size of c.
        use_peepholes: See above.
        cell_clip: The largest absolute value in c.
        initializer: What makes the first values of W.
        num_proj: The size of the output; without it, that of c.
        proj_clip: The largest absolute value in a projected output.
        num_unit_shards: Ignored, as in TensorFlow 1.15.
        num_proj_shards: Ignored, as in TensorFlow 1.15.
        forget_bias: See above.
        state_is_tuple: Whether the state is (c, h). Otherwise it is both in one tensor.
        activation: The function; without it, tanh.
        reuse: Whether the variables are there already.
        name: The name of the scope.
        dtype: The dtype of the variables.
    """

    @taking(
        'self, num_units, use_peepholes=False, cell_clip=None, initializer=None, num_proj=None, proj_clip=None, '
        'num_unit_shards=None, num_proj_shards=None, forget_bias=1.0, state_is_tuple=True, *more, **kwargs'
    )
    def __init__(self, given: Given) -> None:
        super().__init__(given.num_units, *given.more, **given.kwargs)
        self._use_peepholes, self._cell_clip = given.use_peepholes, given.cell_clip
        self._initializer = given.initializer
        self._num_proj, self._proj_clip = given.num_proj, given.proj_clip
        self._forget_bias, self._state_is_tuple = given.forget_bias, given.state_is_tuple

    @property
    def state_size(self) -> Any:
        """The sizes of c and h."""
        sizes = LSTMStateTuple(self._num_units, self.output_size)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        return self._num_units if self._num_proj is None else self._num_proj

    def build(self, input_shape: Any) -> None:
        """Make the variables."""
        units, first = self._num_units, self._initializer
        shape = (self._inputs(input_shape) + self.output_size, 4 * units)
        self._kernel = self.add_weight('kernel', shape, initializer=first)
        self._bias = self.add_weight('bias', (4 * units,), initializer=ZEROS)
        if self._use_peepholes:
            self._peepholes: Dict[str, Any] = {
                gate: self.add_weight(f'w_{gate}_diag', (units,), initializer=first) for gate in 'fio'
            }
        if self._num_proj is not None:
            self._projection = self.add_weight('projection/kernel', (units, self._num_proj), initializer=first)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """The output and the next state."""
        c, h = state if self._state_is_tuple else tf.split(state, [self._num_units, self.output_size], 1)
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = tf.split(gates, 4, 1)
        if self._use_peepholes:
            i, f = i + self._peepholes['i'] * c, f + self._peepholes['f'] * c
        c = tf.sigmoid(f + self._forget_bias) * c + tf.sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = tf.clip_by_value(c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            o += self._peepholes['o'] * c
        h = tf.sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            h = tf.matmul(h, self._projection)
            if self._proj_clip is not None:
                h = tf.clip_by_value(h, -self._proj_clip, self._proj_clip)
        return h, LSTMStateTuple(c, h) if self._state_is_tuple else tf.concat([c, h], 1)


class BasicLSTMCell(LSTMCell):
    """An LSTM without peepholes and projection: see `LSTMCell`.

    Args:
        num_units: The size of the state.
        forget_bias: A number that is added to f.
        state_is_tuple: Whether the state is (c, h). Otherwise it is both in one tensor.
        activation: The function; without it, tanh.
        reuse: Whether the variables are there already.
        name: The name of the scope.
        dtype: The dtype of the variables.
    """

    @taking(
        'self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None, dtype=None, '
        '**kwargs'
    )
    def __init__(self, given: Given) -> None:
        arguments = dict(vars(given))
        super().__init__(**arguments.pop('kwargs'), **arguments)


class MultiRNNCell(RNNCell):
    """Cells one above the other: the output of one is the input of the next.

    Args:
        cells: The cells.
        state_is_tuple: Whether the state is the tuple of their states. Otherwise it is all in one tensor.
    """

    def __init__(self, cells: List[Any], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError('MultiRNNCell needs one cell or more; give them as a list.')
        self._cells, self._state_is_tuple = list(cells), state_is_tuple

    @property
    def state_size(self) -> Any:
        """The sizes of the states."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of the output of the last cell."""
        return self._cells[-1].output_size

    @property
    def trainable_variables(self) -> List[Any]:
        """The variables of all cells that are trained."""
        return [variable for cell in self._cells for variable in getattr(cell, 'trainable_variables', [])]

    @property
    def non_trainable_variables(self) -> List[Any]:
        """The other variables of all cells."""
        return [variable for cell in self._cells for variable in getattr(cell, 'non_trainable_variables', [])]

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The states of zeros."""
        if not self._state_is_tuple:
            return super().zero_state(batch_size, dtype)
        return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """The output of the last cell, and the next states."""
        states = state if self._state_is_tuple else tf.split(state, [cell.state_size for cell in self._cells], 1)
        following = []
        for number, (cell, cell_state) in enumerate(zip(self._cells, states)):
            with tf.variable_scope(f'cell_{number}'):
                inputs, after = cell(inputs, cell_state)
                following.append(after)
        return inputs, tuple(following) if self._state_is_tuple else tf.concat(following, 1)
