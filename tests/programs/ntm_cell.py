"""Own cells for keras.layers.RNN: a minimal gated cell, and a small neural Turing machine with memory in the state."""
import json

import keras
import numpy as np
from keras import activations, initializers
from keras import backend as K
from keras.layers import RNN, Dense, Input, StackedRNNCells
from keras.models import Model
from keras.utils import CustomObjectScope

np.random.seed(5)


class MinimalRNNCell(keras.layers.Layer):
    def __init__(self, units, activation='tanh', **kwargs):
        self.units = units
        self.state_size = units
        self.activation = activations.get(activation)
        super(MinimalRNNCell, self).__init__(**kwargs)

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], 2 * self.units), initializer='uniform', name='kernel')
        self.recurrent_kernel = self.add_weight(shape=(self.units, 2 * self.units), initializer='orthogonal',
                                                name='recurrent_kernel')
        self.built = True

    def call(self, inputs, states):
        prev_output = states[0]
        z = K.dot(inputs, self.kernel) + K.dot(prev_output, self.recurrent_kernel)
        forget = K.sigmoid(z[:, :self.units])
        output = forget * prev_output + (1 - forget) * self.activation(z[:, self.units:])
        return output, [output]

    def get_config(self):
        return dict(super(MinimalRNNCell, self).get_config(), units=self.units,
                    activation=activations.serialize(self.activation))


class NTMCell(keras.layers.Layer):
    """Reads and writes rows of a memory by content and by a shift of where it looked before."""

    def __init__(self, units, slots, width, **kwargs):
        self.units, self.slots, self.width = units, slots, width
        self.state_size = (units, slots * width, slots)
        self.output_size = units + width
        super(NTMCell, self).__init__(**kwargs)

    def build(self, input_shape):
        n = input_shape[-1] + self.units + self.width
        self.controller = self.add_weight(shape=(n, self.units), name='controller', initializer='glorot_uniform')
        self.heads = self.add_weight(shape=(self.units, 3 * self.width + 5), name='heads',
                                     initializer=initializers.RandomNormal(stddev=0.5, seed=1))
        self.bias = self.add_weight(shape=(3 * self.width + 5,), name='bias', initializer='zeros')
        # Row k of the shift matrices moves the attention by k - 1.
        shifts = np.stack([np.roll(np.eye(self.slots), k, axis=1) for k in (-1, 0, 1)])
        self.shifts = K.constant(shifts.reshape(3, -1))
        self.built = True

    def call(self, inputs, states, training=None):
        h, memory, attention = states
        memory = K.reshape(memory, (-1, self.slots, self.width))
        read = K.batch_dot(attention, memory, axes=(1, 1))
        h = K.tanh(K.dot(K.concatenate([inputs, h, read]), self.controller))
        out = K.bias_add(K.dot(h, self.heads), self.bias)
        w = self.width
        key, erase, add = out[:, :w], K.sigmoid(out[:, w:2 * w]), K.tanh(out[:, 2 * w:3 * w])
        beta, gate, shift = K.softplus(out[:, 3 * w:3 * w + 1]), K.sigmoid(out[:, 3 * w + 1:3 * w + 2]), out[:, 3 * w + 2:]
        similarity = K.sum(K.l2_normalize(memory, axis=-1) * K.expand_dims(K.l2_normalize(key, axis=-1), 1), axis=-1)
        content = K.softmax(beta * similarity)
        attention = gate * content + (1 - gate) * attention
        moves = K.reshape(K.dot(K.softmax(shift), self.shifts), (-1, self.slots, self.slots))
        attention = K.batch_dot(attention, moves, axes=(1, 1))
        where = K.expand_dims(attention, 2)
        memory = memory * (1 - where * K.expand_dims(erase, 1)) + where * K.expand_dims(add, 1)
        read = K.batch_dot(attention, memory, axes=[1, 1])
        return K.concatenate([h, read]), [h, K.batch_flatten(memory), attention]

    def get_config(self):
        config = super(NTMCell, self).get_config()
        config.update({'units': self.units, 'slots': self.slots, 'width': self.width})
        return config


def fill(model, seed, scale=0.4):
    rng = np.random.RandomState(seed)
    model.set_weights([rng.normal(0, scale, w.shape) for w in model.get_weights()])


# 1. The minimal cell, its config, two of it stacked, its constants-free loop in NumPy.
rng = np.random.RandomState(0)
x = rng.normal(size=(8, 5, 3))
inputs = Input((None, 3))
layer = RNN([MinimalRNNCell(4), MinimalRNNCell(3)], return_sequences=True, return_state=True)
outputs = layer(inputs)
assert isinstance(layer.cell, StackedRNNCells) and len(outputs) == 3
model = Model(inputs, outputs)
fill(model, 1)
stacked = model.predict(x)
assert [out.shape for out in stacked] == [(8, 5, 3), (8, 4), (8, 3)] or [out.shape for out in stacked] == [
    (8, 5, 3), (8, 3), (8, 4)]
h = [np.zeros((8, 4)), np.zeros((8, 3))]
weights = layer.get_weights()
for t in range(5):
    value = x[:, t]
    for i, units in enumerate((4, 3)):
        z = value.dot(weights[2 * i]) + h[i].dot(weights[2 * i + 1])
        f = 1 / (1 + np.exp(-z[:, :units]))
        value = h[i] = f * h[i] + (1 - f) * np.tanh(z[:, units:])
    np.testing.assert_allclose(stacked[0][:, t], value, atol=1e-5)
with CustomObjectScope({'MinimalRNNCell': MinimalRNNCell}):
    copy = RNN.from_config(layer.get_config())
copied = Model(inputs, copy(inputs))
copied.set_weights(model.get_weights())
np.testing.assert_allclose(copied.predict(x)[0], stacked[0], atol=1e-6)
backwards = Model(inputs, RNN(MinimalRNNCell(4), go_backwards=True, unroll=False)(inputs))
fill(backwards, 2)
reversed_x = backwards.predict(x[:, ::-1])
forwards = Model(inputs, RNN(MinimalRNNCell(4))(inputs))
forwards.set_weights(backwards.get_weights())
np.testing.assert_allclose(forwards.predict(x), reversed_x, atol=1e-5)

# 2. The Turing machine remembers the first symbol until the end.
symbols = rng.randint(0, 3, (96, 5))
one_hot = np.eye(3)[symbols]
cell = NTMCell(6, 4, 3)
memory0 = np.tile(rng.uniform(0.1, 0.5, (1, 12)), (96, 1))
attention0 = np.tile(np.eye(4)[:1], (96, 1))
initial = [Input((6,)), Input((12,)), Input((4,))]
sequence = RNN(cell, return_state=True)(inputs, initial_state=initial)
output = Dense(3, activation='softmax')(sequence[0])
ntm = Model([inputs] + initial, output)
ntm.compile('adam', 'sparse_categorical_crossentropy', metrics=['accuracy'])
fill(ntm, 3, 0.5)
look = Model([inputs] + initial, sequence[1:])
start_states = [np.zeros((96, 6)), memory0, attention0]
states = look.predict([one_hot] + start_states)
assert [s.shape for s in states] == [(96, 6), (96, 12), (96, 4)]
np.testing.assert_allclose(states[2].sum(axis=1), 1., atol=1e-4)
predicted = ntm.predict([one_hot[:4]] + [s[:4] for s in start_states])
K.set_value(ntm.optimizer.lr, 0.02)
data = [one_hot] + start_states
loss = float(ntm.test_on_batch(data, symbols[:, 0])[0])
hist = ntm.fit(data, symbols[:, 0], batch_size=24, epochs=15, verbose=0)
assert hist.history['loss'][-1] < 0.7 * loss, (loss, hist.history['loss'])
print('RESULT ' + json.dumps({'stacked': stacked[0][0].tolist(), 'states': [s[0].tolist() for s in states],
                              'predicted': predicted.tolist(), 'loss': loss}))
