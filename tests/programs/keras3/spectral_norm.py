"""Spectral normalization as of 2019 in plain Keras: a dense layer with power iteration, K.update in call, K.in_train_phase
for the noise of its input."""
import json

import keras
import numpy as np
from keras import layers

import keras_backend.keras3 as K


class SNDense(layers.Layer):
    def __init__(self, units, **kwargs):
        super(SNDense, self).__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), initializer='glorot_uniform', name='kernel')
        self.bias = self.add_weight(shape=(self.units,), initializer='zeros', name='bias')
        self.u = self.add_weight(shape=(1, self.units), initializer='ones', name='sn', trainable=False)
        self.built = True

    def call(self, inputs, training=None):
        def _l2normalize(v, eps=1e-12):
            return v / (K.sum(v ** 2) ** 0.5 + eps)

        W_shape = K.int_shape(self.kernel)
        W_reshaped = K.reshape(self.kernel, [-1, W_shape[-1]])
        _v = _l2normalize(K.dot(self.u, K.transpose(W_reshaped)))
        _u = _l2normalize(K.dot(_v, W_reshaped))
        sigma = K.dot(K.dot(_v, W_reshaped), K.transpose(_u))
        W_bar = K.reshape(W_reshaped / sigma, W_shape)
        if training:
            K.update(self.u, _u)
        return K.bias_add(K.dot(inputs, W_bar), self.bias)

    def compute_output_shape(self, input_shape):
        return input_shape[0], self.units


class Shift(layers.Layer):
    def call(self, x, training=None):
        return K.in_train_phase(lambda: x + 1., lambda: x, training=training)

    def compute_output_shape(self, input_shape):
        return input_shape


rs = np.random.RandomState(20)
model = keras.Sequential([keras.Input((5,)), Shift(), SNDense(6), layers.Activation('tanh'), SNDense(1)])
model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])
x, y = rs.normal(0, 1, (20, 5)).astype('float32'), rs.normal(0, 1, (20, 1)).astype('float32')
before = model.predict(x, verbose=0)
truth = x.astype('float64')
for layer in (model.layers[1], model.layers[3]):
    W, u = K.get_value(layer.kernel).astype('float64'), K.get_value(layer.u).astype('float64')
    v = u @ W.T
    v /= np.linalg.norm(v)
    u = v @ W
    u /= np.linalg.norm(u)
    truth = truth @ (W / (v @ W @ u.T)) + K.get_value(layer.bias)
    truth = np.tanh(truth) if layer is model.layers[1] else truth
np.testing.assert_allclose(before, truth, atol=1e-5)
model.compile('sgd', 'mse')
history = model.fit(x, y, batch_size=5, epochs=4, shuffle=False, verbose=0)
for _ in range(30):
    model.train_on_batch(x, y)
W = model.layers[1].get_weights()[0]
u = K.get_value(model.layers[1].u)
found = np.linalg.norm(u @ W.T)
assert abs(found - np.linalg.svd(W)[1][0]) < .02 * found, (found, np.linalg.svd(W)[1])
print('RESULT ' + json.dumps({'before': before[:3].tolist(), 'loss': [float(v) for v in history.history['loss']],
                              'u': u.tolist(), 'after': model.predict(x[:3], verbose=0).tolist()}))
