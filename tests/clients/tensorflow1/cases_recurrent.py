"""Cells and recurrent layers: values, states, names of variables."""

import tensorflow as tf
from cases_layers import _kinds

cells = tf.nn.rnn_cell


def _dynamic(bench, cell, size=3, **arguments):
    x = bench.placeholder(4, size)
    outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, **arguments)
    bench.fill()
    gradient = tf.gradients(tf.reduce_sum(outputs), [x] + tf.trainable_variables())
    values = bench.run([outputs, state] + gradient[:2], {x: bench.array(2, 4, size)})
    return {'values': values, 'names': _kinds(), 'shape': outputs.shape.as_list()}


def basic_lstm(bench):
    """An LSTM over sequences of different lengths."""
    return _dynamic(bench, cells.BasicLSTMCell(2), sequence_length=[4, 2])


def basic_lstm_in_one(bench):
    """An LSTM with one tensor for its state."""
    return _dynamic(
        bench, tf.contrib.rnn.BasicLSTMCell(2, forget_bias=0.5, state_is_tuple=False, activation=tf.nn.relu)
    )


def lstm(bench):
    """An LSTM of its own name."""
    return _dynamic(bench, cells.LSTMCell(2, name='mine', initializer=tf.ones_initializer()), scope='outer')


def lstm_with_all(bench):
    """Peepholes, a projection, and limits."""
    return _dynamic(bench, cells.LSTMCell(3, use_peepholes=True, cell_clip=0.5, num_proj=2, proj_clip=0.3))


def gru(bench):
    """A GRU, time first."""
    x = bench.placeholder(2, 3)
    outputs, state = tf.nn.dynamic_rnn(cells.GRUCell(2), x, dtype=tf.float32, time_major=True)
    tf.get_default_session()
    bench.session.run(tf.global_variables_initializer())
    biases = bench.run([each for each in tf.global_variables() if 'bias' in each.name])
    bench.fill()
    return {'values': bench.run([outputs, state], {x: bench.array(4, 2, 3)}), 'names': _kinds(), 'biases': biases}


def basic_rnn(bench):
    """The simplest cell."""
    return _dynamic(bench, cells.BasicRNNCell(2))


def several_cells(bench):
    """Cells above each other, with wrappers that do nothing here."""
    stack = cells.MultiRNNCell(
        [
            cells.DropoutWrapper(cells.LSTMCell(3), output_keep_prob=1.0),
            cells.ResidualWrapper(cells.GRUCell(3)),
            cells.BasicLSTMCell(2),
        ]
    )
    sizes = [tuple(each) if isinstance(each, tuple) else each for each in stack.state_size]
    zero = stack.zero_state(2, tf.float32)
    return dict(_dynamic(bench, stack, initial_state=None), sizes=sizes, output=stack.output_size, zero=zero)


def dropout_of_cells(bench):
    """How much is left by each dropout."""
    keep = tf.placeholder_with_default(0.5, ())
    cell = cells.DropoutWrapper(cells.BasicRNNCell(400, activation=lambda x: x + 1), output_keep_prob=keep)
    other = cells.DropoutWrapper(cells.BasicLSTMCell(400), state_keep_prob=0.5)
    inputs = tf.constant(bench.array(10, 3))
    output, state = cell(inputs, tf.ones((10, 400)))
    _, (c, h) = other(inputs, other.zero_state(10, tf.float32))
    bench.session.run(tf.global_variables_initializer())
    values = bench.run([output, state, c, h])
    return {
        'zeros': [round(float((each == 0).mean()), 1) for each in values],
        'kept': round(float((bench.run(output, {keep: 1.0}) == 0).mean()), 1),
        'names': _kinds(),
        'sizes': [cell.state_size, cell.output_size],
    }


def both_ways(bench):
    """Forwards and backwards, and in layers."""
    x = bench.placeholder(4, 3)
    lengths = tf.constant([4, 2])
    outputs, states = tf.nn.bidirectional_dynamic_rnn(cells.GRUCell(2), cells.GRUCell(2), x, lengths, dtype=tf.float32)
    make = lambda: [cells.BasicLSTMCell(2), cells.BasicLSTMCell(1)]  # noqa: E731
    stacked = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(
        make(), make(), x, dtype=tf.float32, sequence_length=lengths
    )
    bench.fill()
    values = bench.run([outputs, states, stacked], {x: bench.array(2, 4, 3)})
    return {'values': values, 'names': _kinds()}


def step_by_step(bench):
    """Unrolled sequences, cells that are called by hand, and reuse."""
    x = bench.placeholder(3, 3)
    steps = tf.unstack(x, 3, 1)
    outputs, state = tf.contrib.rnn.static_rnn(cells.BasicLSTMCell(2), steps, dtype=tf.float32)
    ways = tf.nn.static_bidirectional_rnn(cells.GRUCell(2), cells.GRUCell(1), steps, dtype=tf.float32)
    with tf.variable_scope('hand'):
        cell = tf.contrib.rnn.GRUCell(2)
        hand = cell.zero_state(tf.shape(x)[0], tf.float32)
        for step in steps:
            _, hand = cell(step, hand)
    with tf.variable_scope('hand', reuse=True):
        again, _ = tf.contrib.rnn.GRUCell(2)(steps[0], tf.ones((2, 2)))
    bench.fill()
    values = bench.run([outputs, state, ways[0], hand, again], {x: bench.array(2, 3, 3)})
    return {'values': values, 'names': _kinds(), 'variables': [each.name for each in cell.variables]}


def a_cell_of_ones_own(bench):
    """A class with `call` that uses `tf.get_variable` and `tf.layers`."""

    class Own(cells.RNNCell):
        def __init__(self, units, **arguments):
            super().__init__(**arguments)
            self._units = units

        @property
        def state_size(self):
            return self._units

        @property
        def output_size(self):
            return self._units

        def call(self, inputs, state):
            w = tf.get_variable('w', [inputs.shape[-1].value, self._units])
            state = tf.tanh(tf.matmul(inputs, w) + tf.layers.dense(state, self._units, name='inner'))
            return state, state

    x = bench.placeholder(3, 3)
    dynamic, _ = tf.nn.dynamic_rnn(Own(2), x, dtype=tf.float32)
    static, _ = tf.nn.static_rnn(Own(2, name='other'), tf.unstack(x, 3, 1), dtype=tf.float32, scope='s')
    bench.fill()
    return {'values': bench.run([dynamic, static], {x: bench.array(2, 3, 3)}), 'names': _kinds()}


def raw_loop(bench):
    """`tf.nn.raw_rnn` that feeds each output back."""
    cell = cells.BasicRNNCell(2)

    def step(time, output, state, loop_state):
        following = tf.ones((2, 2)) if output is None else output
        before = cell.zero_state(2, tf.float32) if output is None else state
        return time >= tf.constant([3, 2]), following, before, output, None

    outputs, state, _ = tf.nn.raw_rnn(cell, step)
    bench.fill()
    return {'values': [outputs.stack(), state], 'names': _kinds()}
