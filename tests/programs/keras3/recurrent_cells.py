"""Recurrent layers as of 2019: a cell with K.dot in RNN, one with K.rnn in a layer of its own, masks, constants."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import RNN, Dense, Embedding, Input, Layer
from tensorflow.keras.models import Model


class MinimalRNNCell(Layer):
    def __init__(self, units, **kwargs):
        self.units = units
        self.state_size = units
        super(MinimalRNNCell, self).__init__(**kwargs)

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), initializer='uniform', name='kernel')
        self.recurrent_kernel = self.add_weight(shape=(self.units, self.units), initializer='uniform',
                                                name='recurrent_kernel')
        self.built = True

    def call(self, inputs, states):
        prev_output = states[0]
        h = K.dot(inputs, self.kernel)
        output = h + K.dot(prev_output, self.recurrent_kernel)
        return output, [output]


class QRNN(Layer):
    """Forget-gate pooling over time by K.rnn."""

    def __init__(self, units, go_backwards=False, **kwargs):
        super(QRNN, self).__init__(**kwargs)
        self.units, self.go_backwards = units, go_backwards
        self.supports_masking = True

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(2, input_shape[-1], 2 * self.units), initializer='uniform', name='kernel')
        self.built = True

    def call(self, inputs, mask=None):
        x = K.temporal_padding(inputs, (1, 0))
        gates = K.conv1d(x, self.kernel)
        z, f = K.tanh(gates[:, :, :self.units]), K.sigmoid(gates[:, :, self.units:])
        initial = K.zeros_like(inputs)
        initial = K.sum(initial, axis=(1, 2))
        initial = K.tile(K.expand_dims(initial), [1, self.units])

        def step(x, states):
            z, f = x[:, :self.units], x[:, self.units:]
            h = f * states[0] + (1 - f) * z
            return h, [h]
        last, outputs, _ = K.rnn(step, K.concatenate([z, f], axis=-1), [initial], go_backwards=self.go_backwards,
                                 mask=mask)
        return K.concatenate([last, K.mean(outputs, axis=1)], axis=-1)

    def compute_mask(self, inputs, mask=None):
        return None

    def compute_output_shape(self, input_shape):
        return input_shape[0], 2 * self.units


rs = np.random.RandomState(23)
results = {}
x, y = rs.normal(0, 1, (12, 7, 4)).astype('float32'), rs.normal(0, 1, (12, 1)).astype('float32')
sequence = Input((7, 4))
model = Model(sequence, Dense(1)(RNN(MinimalRNNCell(5))(RNN(MinimalRNNCell(6), return_sequences=True)(sequence))))
model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
before = model.predict(x, verbose=0)
model.compile('sgd', 'mse')
history = model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0)
results['cell'] = [before[:3].tolist(), [float(v) for v in history.history['loss']]]

words = Input((7,), dtype='int32')
embedded = Embedding(20, 4, mask_zero=True)(words)
for backwards in (False, True):
    model = Model(words, Dense(1)(QRNN(3, go_backwards=backwards)(embedded)))
    model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])
    data = rs.randint(1, 20, (12, 7))
    data[:6, 4:] = 0
    before = model.predict(data, verbose=0)
    model.compile('sgd', 'mse')
    history = model.fit(data, y, batch_size=4, epochs=2, shuffle=False, verbose=0)
    results['backwards' if backwards else 'forwards'] = [before.tolist(), [float(v) for v in history.history['loss']]]
print('RESULT ' + json.dumps(results))
