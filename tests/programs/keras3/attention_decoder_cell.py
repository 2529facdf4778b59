"""A decoder with attention as a layer of 2019: K.rnn over steps with the encoded sequence as constants, a context by
K.batch_dot, gates by K.dot of one kernel, teacher forcing through a second input; dates are rewritten with it."""
import json

import numpy as np
from tensorflow.keras import activations, initializers, regularizers
from tensorflow.keras import backend as K
from tensorflow.keras.layers import GRU, Bidirectional, Dense, Embedding, Input, Layer, TimeDistributed
from tensorflow.keras.models import Model


def _time_distributed_dense(x, w, b=None, timesteps=None):
    input_dim = K.int_shape(x)[2]
    output_dim = K.int_shape(w)[1]
    if timesteps is None:
        timesteps = K.shape(x)[1]
    x = K.reshape(x, (-1, input_dim))
    x = K.dot(x, w)
    if b is not None:
        x = K.bias_add(x, b)
    x = K.reshape(x, K.stack([-1, timesteps, output_dim]))
    return x


class AttentionDecoder(Layer):
    def __init__(self, units, activation='tanh', return_probabilities=False, kernel_initializer='glorot_uniform',
                 kernel_regularizer=None, **kwargs):
        self.units = units
        self.activation = activations.get(activation)
        self.return_probabilities = return_probabilities
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        super(AttentionDecoder, self).__init__(**kwargs)

    def build(self, input_shape):
        encoded, shifted = input_shape
        self.input_dim, self.in_dim = encoded[2], shifted[2]
        make = dict(initializer=self.kernel_initializer, regularizer=self.kernel_regularizer)
        self.V_a = self.add_weight(shape=(self.units,), name='V_a', **make)
        self.W_a = self.add_weight(shape=(self.units, self.units), name='W_a', **make)
        self.U_a = self.add_weight(shape=(self.input_dim, self.units), name='U_a', **make)
        self.b_a = self.add_weight(shape=(self.units,), name='b_a', initializer='zeros')
        self.C = self.add_weight(shape=(self.input_dim, 3 * self.units), name='C', **make)
        self.U = self.add_weight(shape=(self.units, 3 * self.units), name='U', **make)
        self.W = self.add_weight(shape=(self.in_dim, 3 * self.units), name='W', **make)
        self.b = self.add_weight(shape=(3 * self.units,), name='b', initializer='zeros')
        self.W_s = self.add_weight(shape=(self.input_dim, self.units), name='W_s', **make)
        super(AttentionDecoder, self).build(input_shape)

    def call(self, inputs):
        x, shifted = inputs
        self.x_seq = x
        uxpb = _time_distributed_dense(x, self.U_a, b=self.b_a, timesteps=K.int_shape(x)[1])
        s0 = activations.tanh(K.dot(x[:, 0], self.W_s))
        last, outputs, states = K.rnn(self.step, shifted, [s0], constants=[x, uxpb], unroll=False)
        return outputs

    def step(self, y, states):
        stm, x_seq, uxpb = states[0], states[1], states[2]
        timesteps = K.int_shape(x_seq)[1]
        _stm = K.repeat(stm, timesteps)
        _Wxstm = K.dot(_stm, self.W_a)
        et = K.dot(activations.tanh(_Wxstm + uxpb), K.expand_dims(self.V_a))
        at = K.exp(et)
        at_sum = K.sum(at, axis=1)
        at_sum_repeated = K.repeat(at_sum, timesteps)
        at /= at_sum_repeated
        context = K.squeeze(K.batch_dot(at, x_seq, axes=1), axis=1)
        n = self.units
        given = K.dot(y, self.W) + K.dot(context, self.C) + self.b
        rt = activations.sigmoid(given[:, :n] + K.dot(stm, self.U[:, :n]))
        zt = activations.sigmoid(given[:, n:2 * n] + K.dot(stm, self.U[:, n:2 * n]))
        s_tp = self.activation(given[:, 2 * n:] + K.dot(rt * stm, self.U[:, 2 * n:]))
        st = (1 - zt) * stm + zt * s_tp
        if self.return_probabilities:
            return K.squeeze(at, -1), [st]
        return st, [st]

    def compute_output_shape(self, input_shape):
        encoded, shifted = input_shape
        return (encoded[0], shifted[1], encoded[1] if self.return_probabilities else self.units)

    def get_config(self):
        config = {'units': self.units, 'activation': activations.serialize(self.activation),
                  'return_probabilities': self.return_probabilities}
        return dict(list(super(AttentionDecoder, self).get_config().items()) + list(config.items()))


def build(n_in, n_out, words, probabilities):
    source, target = Input(shape=(n_in,)), Input(shape=(n_out,))
    encoded = Bidirectional(GRU(4, return_sequences=True, reset_after=False), merge_mode='concat')(Embedding(words, 5)(source))
    decoded = AttentionDecoder(6, return_probabilities=probabilities, name='decoder')([encoded, Embedding(words, 3)(target)])
    return Model([source, target], decoded if probabilities else TimeDistributed(Dense(words, activation='softmax'))(decoded))


rs = np.random.RandomState(17)
model, viewer = build(8, 5, 11, False), build(8, 5, 11, True)
weights = [rs.normal(0, .4, w.shape) for w in model.get_weights()]
model.set_weights(weights)
viewer.set_weights(weights[:-2])
source = rs.randint(1, 11, (24, 8))
target = source[:, 1:6]
shifted = np.concatenate([np.zeros((24, 1), int), target[:, :-1]], axis=1)
seen = viewer.predict([source[:2], shifted[:2]], verbose=0)
np.testing.assert_allclose(seen.sum(-1), 1, atol=1e-5)
model.compile(loss='sparse_categorical_crossentropy', optimizer='rmsprop', metrics=['accuracy'])
history = model.fit([source, shifted], target[:, :, None], epochs=3, batch_size=8, shuffle=False, verbose=0)
print('RESULT ' + json.dumps({
    'seen': seen[0].tolist(), 'first': model.predict([source[:1], shifted[:1]], verbose=0)[0, 0].tolist(),
    **{name: [float(v) for v in values] for name, values in history.history.items()}}))
