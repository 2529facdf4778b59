"""A container of recurrent cells of 2017: each cell is a Model of its own, the container runs them with K.rnn, feeds
the output back, and takes initial states."""
import json

import numpy as np
from keras import backend as K
from keras import regularizers
from keras.engine.topology import Layer
from keras.layers import Activation, Dense, Dropout, Input, Lambda, add, concatenate, multiply
from keras.models import Model

rs = np.random.RandomState(4)


def simple_cell(input_dim, output_dim):
    x, h_tm1 = Input((input_dim,)), Input((output_dim,))
    h = Activation('tanh')(add([Dense(output_dim)(x), Dense(output_dim, use_bias=False)(h_tm1)]))
    return Model([x, h_tm1], [h, Lambda(lambda t: t * 1.)(h)])


def lstm_cell(input_dim, output_dim, dropout=0.):
    x, h_tm1, c_tm1 = Input((input_dim,)), Input((output_dim,)), Input((output_dim,))
    joined = Dropout(dropout)(concatenate([x, h_tm1]))
    f = Dense(output_dim, activation='hard_sigmoid', name='f%d' % rs.randint(1e9))(joined)
    i = Dense(output_dim, activation='hard_sigmoid')(joined)
    c_prime = Dense(output_dim, activation='tanh', kernel_regularizer=regularizers.l2(1e-3))(joined)
    o = Dense(output_dim, activation='hard_sigmoid')(joined)
    c = add([multiply([f, c_tm1]), multiply([i, c_prime])])
    h = multiply([o, Activation('tanh')(c)])
    return Model([x, h_tm1, c_tm1], [h, Lambda(lambda t: t * 1.)(h), c])


class RecurrentContainer(Layer):
    """Cells one above another. A cell maps [x, states...] to [y, new states...]."""

    def __init__(self, cells, readout=False, decode_length=None, return_sequences=False, return_states=False,
                 unroll=False, **kwargs):
        self.cells, self.readout, self.decode_length = cells, readout, decode_length
        self.return_sequences, self.return_states, self.unroll = return_sequences, return_states, unroll
        super(RecurrentContainer, self).__init__(**kwargs)

    @property
    def output_dim(self):
        return K.int_shape(self.cells[-1].outputs[0])[-1]

    def build(self, input_shape):
        self.state_dims = [K.int_shape(t)[-1] for cell in self.cells for t in cell.inputs[1:]]
        self._trainable_weights = [w for cell in self.cells for w in cell.trainable_weights]
        self.built = True

    @property
    def losses(self):
        return [loss for cell in self.cells for loss in cell.losses]

    def step(self, x, states):
        states = list(states)
        if self.readout:
            x, states = x + states[-1], states[:-1]
        new_states = []
        for cell in self.cells:
            n = len(cell.inputs) - 1
            x, given = x, states[:n]
            outputs = cell.call([x] + given)
            x, states = outputs[0], states[n:]
            new_states += outputs[1:]
        return x, new_states + ([x] if self.readout else [])

    def call(self, inputs, initial_state=None):
        x = inputs[0] if isinstance(inputs, (list, tuple)) else inputs
        given = list(inputs[1:]) if isinstance(inputs, (list, tuple)) else []
        if self.decode_length:
            x = K.repeat(x, self.decode_length)
        zeros = K.sum(K.zeros_like(x), axis=(1, 2))
        dims = self.state_dims + ([self.output_dim] if self.readout else [])
        states = given + [K.tile(K.expand_dims(zeros), [1, dim]) for dim in dims[len(given):]]
        length = self.decode_length or K.int_shape(x)[1]
        last, outputs, states = K.rnn(self.step, x, states, unroll=self.unroll, input_length=length)
        y = outputs if self.return_sequences else last
        return [y] + list(states) if self.return_states else y

    def compute_output_shape(self, input_shape):
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        length = self.decode_length or shape[1]
        y = (shape[0], length, self.output_dim) if self.return_sequences else (shape[0], self.output_dim)
        if not self.return_states:
            return y
        dims = self.state_dims + ([self.output_dim] if self.readout else [])
        return [y] + [(shape[0], dim) for dim in dims]


def fill(model, scale=.5):
    model.set_weights([rs.normal(0, scale, w.shape) for w in model.get_weights()])


result = {}
x = rs.normal(size=(6, 5, 3))
cells = [lstm_cell(3, 4), simple_cell(4, 3)]

# 1. Sequences through two cells, all states with them; the loop unrolled gives the same.
inp = Input((5, 3))
outs = RecurrentContainer(cells, return_sequences=True, return_states=True)(inp)
assert [K.int_shape(o) for o in outs] == [(None, 5, 3), (None, 4), (None, 4), (None, 3)]
model = Model(inp, outs)
fill(model)
found = model.predict(x)
unrolled = Model(inp, RecurrentContainer(cells, return_sequences=True, unroll=True)(inp))
np.testing.assert_allclose(unrolled.predict(x), found[0], atol=1e-5)
np.testing.assert_allclose(found[0][:, -1], found[3], atol=1e-6)
result['sequences'] = [part.ravel()[::3].tolist() for part in found]

# 2. States handed over, and a decoder that reads its own output.
h0, c0 = Input((4,)), Input((4,))
decoder_cell = lstm_cell(4, 4)
encoder = RecurrentContainer([cells[0]], return_states=True)
encoded = encoder(inp)
decoder = RecurrentContainer([decoder_cell], readout=True, decode_length=4, return_sequences=True)
decoded = decoder([encoded[0], encoded[1], encoded[2]])
assert K.int_shape(decoded) == (None, 4, 4)
seq2seq = Model(inp, decoded)
fill(seq2seq, .7)
result['decoded'] = seq2seq.predict(x).ravel()[::5].tolist()
y = np.tanh(np.cumsum(x[:, :4, :1], axis=1)) * np.linspace(.5, 1, 4)
seq2seq.compile('rmsprop', 'mse')
result['steps'] = [float(seq2seq.train_on_batch(x, y)) for _ in range(4)]
history = seq2seq.fit(x, y, epochs=30, verbose=0)
assert history.history['loss'][-1] < result['steps'][0], history.history['loss']
given = RecurrentContainer([cells[0]])([inp, h0, c0])
stepwise = Model([inp, h0, c0], given)
zeros = np.zeros((6, 4))
np.testing.assert_allclose(stepwise.predict([x, zeros, zeros]), Model(inp, encoded[0]).predict(x), atol=1e-6)
ones = np.ones((6, 4))
result['from ones'] = [stepwise.predict([x, ones * 0 + .5, ones * .25]).ravel()[::2].tolist()]
if seq2seq.losses:
    penalty = sum(1e-3 * np.square(layer.get_weights()[0]).sum() for cell in (cells[0], decoder_cell)
                  for layer in cell.layers if isinstance(layer, Dense) and layer.kernel_regularizer)
    total = seq2seq.evaluate(x, y, verbose=0)
    np.testing.assert_allclose(total - np.mean((seq2seq.predict(x) - y) ** 2), penalty, rtol=1e-3)
    result['number of losses'] = len(seq2seq.losses)
print('RESULT ' + json.dumps(result))
