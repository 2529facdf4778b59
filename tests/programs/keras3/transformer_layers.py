"""A transformer block as of 2019: multi-head attention by K.batch_dot and K.permute_dimensions, positions by K.arange,
layer normalization by K.mean and K.std, gelu by K.tanh."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Embedding, GlobalAveragePooling1D, Input, Layer
from tensorflow.keras.models import Model


class SinusPositions(Layer):
    def call(self, x):
        length, size = K.int_shape(x)[1], K.int_shape(x)[2]
        position_j = 1. / K.pow(10000., 2 * K.arange(size / 2, dtype='float32') / size)
        position_j = K.expand_dims(position_j, 0)
        position_i = K.cumsum(K.ones_like(x[:, :, 0]), 1) - 1
        position_i = K.expand_dims(position_i, 2)
        position_ij = K.dot(position_i, position_j)
        assert length == K.int_shape(position_ij)[1]
        return x + K.concatenate([K.cos(position_ij), K.sin(position_ij)], 2)

    def compute_output_shape(self, input_shape):
        return input_shape


class LayerNorm(Layer):
    def build(self, input_shape):
        self.gamma = self.add_weight(name='gamma', shape=(input_shape[-1],), initializer='ones')
        self.beta = self.add_weight(name='beta', shape=(input_shape[-1],), initializer='zeros')
        super().build(input_shape)

    def call(self, x):
        mean, std = K.mean(x, axis=-1, keepdims=True), K.std(x, axis=-1, keepdims=True)
        return self.gamma * (x - mean) / (std + 1e-6) + self.beta

    def compute_output_shape(self, input_shape):
        return input_shape


class MultiHead(Layer):
    def __init__(self, nb_head, size_per_head, **kwargs):
        self.nb_head, self.size_per_head = nb_head, size_per_head
        self.output_dim = nb_head * size_per_head
        super(MultiHead, self).__init__(**kwargs)

    def build(self, input_shape):
        self.WQ, self.WK, self.WV = [self.add_weight(
            name=name, shape=(input_shape[-1], self.output_dim), initializer='glorot_uniform') for name in 'QKV']
        super(MultiHead, self).build(input_shape)

    def split(self, x):
        x = K.reshape(x, (-1, K.shape(x)[1], self.nb_head, self.size_per_head))
        x = K.permute_dimensions(x, (0, 2, 1, 3))
        return K.reshape(x, (-1, K.shape(x)[2], self.size_per_head))

    def call(self, x):
        q, k, v = [self.split(K.dot(x, w)) for w in (self.WQ, self.WK, self.WV)]
        scores = K.batch_dot(q, k, axes=[2, 2]) / self.size_per_head ** 0.5
        scores = K.softmax(scores)
        o = K.batch_dot(scores, v, axes=[2, 1])
        o = K.reshape(o, (-1, self.nb_head, K.shape(o)[1], self.size_per_head))
        o = K.permute_dimensions(o, (0, 2, 1, 3))
        return K.reshape(o, (-1, K.int_shape(x)[1], self.output_dim))

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[1], self.output_dim)


def gelu(x):
    return 0.5 * x * (1 + K.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * K.pow(x, 3))))


rs = np.random.RandomState(31)
words = Input((6,), dtype='int32')
x = SinusPositions()(Embedding(20, 8)(words))
x = LayerNorm()(x + MultiHead(2, 4)(x))
x = LayerNorm()(x + Dense(8)(Dense(12, activation=gelu)(x)))
model = Model(words, Dense(3, activation='softmax')(GlobalAveragePooling1D()(x)))
for layer in model.layers:
    layer.set_weights([rs.normal(0, .5, w.shape) for w in layer.get_weights()])
data, y = rs.randint(0, 20, (16, 6)), np.eye(3, dtype='float32')[np.arange(16) % 3]
before = model.predict(data, verbose=0)
model.compile('sgd', 'categorical_crossentropy')
history = model.fit(data, y, batch_size=4, epochs=2, shuffle=False, verbose=0)
print('RESULT ' + json.dumps({'before': before.tolist(), 'loss': [float(v) for v in history.history['loss']]}))
