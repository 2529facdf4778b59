"""The values of recurrent layers: cells, states, directions, masks, and layers of convolution in time."""

import itertools

import tensorflow as tf
from grid_layers import layer_rows, title, try_all
from grid_layers_table import INPUTS, Make
from grid_rows import safely, set_numbers, spread

UNITS = {'units': 2}
EACH = {
    'return_sequences': [True],
    'return_state': [True],
    'go_backwards': [True],
    'unroll': [True],
    'stateful': [True],
    'use_bias': [False],
    'activation': ['relu', 'linear'],
    'time_major': [True],
    'kernel_regularizer': ['l2'],
    'recurrent_regularizer': ['l1'],
    'bias_initializer': ['ones'],
    'recurrent_initializer': ['glorot_uniform'],
}
TABLE = [
    ('SimpleRNN', UNITS, 's', EACH),
    ('GRU', UNITS, 's', dict(EACH, reset_after=[False], recurrent_activation=['hard_sigmoid'], implementation=[1])),
    (
        'LSTM',
        UNITS,
        's',
        dict(EACH, unit_forget_bias=[False], recurrent_activation=['hard_sigmoid'], implementation=[1]),
    ),
    ('ConvLSTM1D', {'filters': 2, 'kernel_size': 2}, 'lines', {'return_sequences': [True]}),
    (
        'ConvLSTM2D',
        {'filters': 2, 'kernel_size': 2},
        'frames',
        {
            'return_sequences': [True],
            'padding': ['same'],
            'strides': [2],
            'use_bias': [False],
            'go_backwards': [True],
            'dilation_rate': [2],
            'recurrent_activation': ['sigmoid'],
            'unit_forget_bias': [False],
        },
    ),
    ('ConvLSTM3D', {'filters': 1, 'kernel_size': 2}, 'volumes', {}),
]


def layer_of(name, *arguments, **options):
    """A function that makes a layer."""
    return lambda: getattr(tf.keras.layers, name)(*arguments, **options)


CELLS = {
    'SimpleRNNCell(2)': layer_of('SimpleRNNCell', 2),
    'GRUCell(2)': layer_of('GRUCell', 2),
    'GRUCell(2, reset_after=False)': layer_of('GRUCell', 2, reset_after=False),
    'LSTMCell(2)': layer_of('LSTMCell', 2),
    'StackedRNNCells': lambda: tf.keras.layers.StackedRNNCells(
        [tf.keras.layers.LSTMCell(2), tf.keras.layers.GRUCell(3)]
    ),
    'list of cells': lambda: [tf.keras.layers.LSTMCell(2), tf.keras.layers.LSTMCell(3)],
}


class Minimal(tf.keras.layers.Layer):
    """A cell as the documents of tf.keras show it."""

    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units
        self.state_size = units

    def build(self, input_shape):
        """The weights."""
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), initializer='ones', name='kernel')
        self.recurrent_kernel = self.add_weight(shape=(self.units, self.units), initializer='ones', name='recurrent')
        self.built = True

    def call(self, inputs, states):
        """A step."""
        output = tf.matmul(inputs, self.kernel) + tf.matmul(states[0], self.recurrent_kernel) * 0.1
        return output, [output]


CELLS['own cell'] = lambda: Minimal(2)
STEPS = tf.constant(INPUTS['s'])
MASK = tf.constant([[True, True, False, True], [True, False, False, False]])


def cell_rows(cell):
    """A cell alone: a step, its first state, its sizes."""
    cell = cell()
    cell.build(tf.TensorShape([2, 3]))
    set_numbers(cell)
    states = cell.get_initial_state(batch_size=2, dtype='float32')
    output, after = cell(STEPS[:, 0], states)
    return {
        'step': output,
        'after': after,
        'first': states,
        'state_size': cell.state_size,
        'output_size': cell.output_size,
        'weights': [[weight.name, list(weight.shape)] for weight in cell.weights],
    }


def forward_of(layer):
    """What a layer makes of sequences, without a mask and with one, and its configuration."""
    return {'forward': layer(STEPS), 'masked': layer(STEPS, mask=MASK), 'config': layer.get_config()}


def rnn_of_cell(cell, **options):
    """RNN with a cell."""
    layer = tf.keras.layers.RNN(cell(), **options)
    layer(STEPS)
    set_numbers(layer)
    return {
        **forward_of(layer),
        'weights': [[weight.name, list(weight.shape)] for weight in layer.weights],
    }


def states_of(name, **options):
    """States that are given, kept and reset."""
    layer = getattr(tf.keras.layers, name)(2, stateful=True, return_state=True, batch_input_shape=(2, 4, 3), **options)
    layer(STEPS)
    set_numbers(layer)
    layer.reset_states()
    count = 2 if name == 'LSTM' else 1
    given = [tf.constant(spread(2, 2, step=0.3 + number)) for number in range(count)]
    result = {'first': layer(STEPS), 'second': layer(STEPS), 'given': layer(STEPS, initial_state=given)}
    layer.reset_states()
    result['reset'] = layer(STEPS)
    result['set'] = safely(lambda: layer.reset_states([state.numpy() for state in given]))
    result['then'] = layer(STEPS)
    result['states'] = list(layer.states)
    return result


def directions(name, **options):
    """Bidirectional with every way to merge."""
    layer = tf.keras.layers.Bidirectional(layer_of(name, 2, **options.pop('layer', {}))(), **options)
    layer(STEPS)
    set_numbers(layer)
    return {
        **forward_of(layer),
        'shape': safely(lambda: layer.compute_output_shape((2, 4, 3))),
        'weights': [[weight.name, list(weight.shape)] for weight in layer.weights],
    }


def decoder():
    """States of an encoder go into a decoder, symbolically."""
    inputs = tf.keras.Input((None, 3))
    encoder = tf.keras.layers.LSTM(2, return_state=True)
    _, state_h, state_c = encoder(inputs)
    sequence = tf.keras.layers.LSTM(2, return_sequences=True)(inputs, initial_state=[state_h, state_c])
    model = tf.keras.Model(inputs, sequence)
    set_numbers(model)
    return {
        'values': model(STEPS),
        'weights': [list(weight.shape) for weight in model.weights],
        'layers': [type(layer).__name__ for layer in model.layers],
    }


def rows(rows, record):
    """Writes the rows of recurrent layers."""
    try_all(rows, TABLE)
    for name, pair in itertools.product(
        ('SimpleRNN', 'GRU', 'LSTM'),
        itertools.combinations(('return_sequences', 'return_state', 'go_backwards', 'unroll'), 2),
    ):
        varied = dict(UNITS, **dict.fromkeys(pair, True))
        rows.each(title(name, varied, 's'), layer_rows, name, varied, INPUTS['s'])
    for name, cell in CELLS.items():
        if name != 'list of cells':
            rows.each(f'cell {name}', cell_rows, cell)
        for options in ({}, {'return_sequences': True}, {'return_state': True}, {'unroll': True}):
            rows.each(f'RNN({name}, {options})', rnn_of_cell, cell, **options)
    for name in ('SimpleRNN', 'GRU', 'LSTM'):
        rows.each(f'states of {name}', states_of, name)
        for mode in ('concat', 'sum', 'mul', 'ave', None):
            rows.each(f'Bidirectional({name}, merge_mode={mode!r})', directions, name, merge_mode=mode)
        rows.each(f'Bidirectional({name} sequences)', directions, name, layer={'return_sequences': True})
        rows.each(f'Bidirectional({name} states)', directions, name, layer={'return_state': True})
    for cell in ('LSTM', 'GRU'):
        rows.each(
            f'TimeDistributed {cell}',
            layer_rows,
            'TimeDistributed',
            {'layer': Make(cell, layer_of(cell, 2))},
            INPUTS['lines'],
        )
    rows.each('decoder', decoder)
