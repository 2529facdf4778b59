"""Transformer of 2018 in K: positional encoding, layer normalisation, multi-head self-attention, Noam learning rate."""
from __future__ import division

import json

import numpy as np
from keras import backend as K
from keras.callbacks import Callback
from keras.initializers import Ones, Zeros
from keras.layers import (
    Activation,
    Add,
    Conv1D,
    Dense,
    Embedding,
    GlobalAveragePooling1D,
    Input,
    Lambda,
    Layer,
    TimeDistributed,
)
from keras.models import Model
from keras.optimizers import RMSprop

np.random.seed(2018)


class LayerNormalization(Layer):
    def __init__(self, eps=1e-6, **kwargs):
        self.eps = eps
        super(LayerNormalization, self).__init__(**kwargs)

    def build(self, input_shape):
        self.gamma = self.add_weight(name='gamma', shape=input_shape[-1:], initializer=Ones(), trainable=True)
        self.beta = self.add_weight(name='beta', shape=input_shape[-1:], initializer=Zeros(), trainable=True)
        super(LayerNormalization, self).build(input_shape)

    def call(self, x):
        mean = K.mean(x, axis=-1, keepdims=True)
        std = K.std(x, axis=-1, keepdims=True)
        return self.gamma * (x - mean) / (std + self.eps) + self.beta

    def compute_output_shape(self, input_shape):
        return input_shape


class PositionEmbedding(Layer):
    """Sines and cosines made of the size of what comes in."""

    def __init__(self, size=None, mode='sum', **kwargs):
        self.size, self.mode = size, mode
        super(PositionEmbedding, self).__init__(**kwargs)

    def call(self, x):
        if (self.size is None) or (self.mode == 'sum'):
            self.size = K.int_shape(x)[-1]
        position_j = 1. / K.pow(10000., 2 * K.arange(self.size / 2, dtype='float32') / self.size)
        position_j = K.expand_dims(position_j, 0)
        position_i = K.cumsum(K.ones_like(x[:, :, 0]), 1) - 1
        position_i = K.expand_dims(position_i, 2)
        position_ij = K.dot(position_i, position_j)
        position_ij = K.concatenate([K.cos(position_ij), K.sin(position_ij)], 2)
        return position_ij + x if self.mode == 'sum' else K.concatenate([position_ij, x], 2)

    def compute_output_shape(self, input_shape):
        if self.mode == 'sum':
            return input_shape
        return (input_shape[0], input_shape[1], input_shape[2] + self.size)


class MultiHeadAttention(Layer):
    def __init__(self, nb_head, size_per_head, causal=False, **kwargs):
        self.nb_head, self.size_per_head, self.causal = nb_head, size_per_head, causal
        self.output_dim = nb_head * size_per_head
        super(MultiHeadAttention, self).__init__(**kwargs)

    def build(self, input_shape):
        for name, shape in zip(('WQ', 'WK', 'WV'), input_shape):
            setattr(self, name, self.add_weight(name=name, shape=(shape[-1], self.output_dim), trainable=True,
                                                initializer='glorot_uniform'))
        super(MultiHeadAttention, self).build(input_shape)

    def split(self, x, kernel):
        x = K.dot(x, kernel)
        x = K.reshape(x, (-1, K.shape(x)[1], self.nb_head, self.size_per_head))
        x = K.permute_dimensions(x, (0, 2, 1, 3))
        return K.reshape(x, (-1, K.shape(x)[2], self.size_per_head))

    def call(self, x):
        Q_seq, K_seq, V_seq, lengths = x
        steps = K.shape(Q_seq)[1]
        Q, key, V = self.split(Q_seq, self.WQ), self.split(K_seq, self.WK), self.split(V_seq, self.WV)
        A = K.batch_dot(Q, key, axes=[2, 2]) / self.size_per_head ** 0.5
        visible = K.cast(K.expand_dims(K.arange(steps), 0) < K.cast(lengths, 'int32'), K.floatx())
        visible = K.repeat_elements(K.expand_dims(visible, 1), self.nb_head, 0)
        A = A - (1 - visible) * 1e12
        if self.causal:
            later = K.cast(K.expand_dims(K.arange(steps), 0) > K.expand_dims(K.arange(steps), 1), K.floatx())
            A = A - later * 1e12
        A = K.softmax(A)
        out = K.reshape(K.batch_dot(A, V), (-1, self.nb_head, steps, self.size_per_head))
        out = K.permute_dimensions(out, (0, 2, 1, 3))
        return K.reshape(out, (-1, steps, self.output_dim))

    def compute_output_shape(self, input_shape):
        return (input_shape[0][0], input_shape[0][1], self.output_dim)


class Noam(Callback):
    def __init__(self, d_model, warmup):
        super(Noam, self).__init__()
        self.basic, self.warm, self.step_num, self.rates = 0.15 * d_model ** -0.5, warmup ** -1.5, 0., []

    def on_batch_begin(self, batch, logs=None):
        self.step_num += 1
        lr = self.basic * min(self.step_num ** -0.5, self.step_num * self.warm)
        K.set_value(self.model.optimizer.lr, lr)
        self.rates.append(lr)


def gelu(x):
    return 0.5 * x * (1 + K.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * K.pow(x, 3))))


d_model, steps, vocabulary = 8, 6, 9
words = Input(shape=(None,), dtype='int32')
lengths = Input(shape=(1,))
x = PositionEmbedding(name='positions')(Embedding(vocabulary, d_model)(words))
for causal in (False, True):
    a = MultiHeadAttention(2, 4, causal)([x, x, x, lengths])
    x = LayerNormalization()(Add()([x, a]))
    h = Activation(gelu)(Conv1D(12, 1)(x))
    x = LayerNormalization()(Add()([x, TimeDistributed(Dense(d_model))(h)]))
pooled = GlobalAveragePooling1D()(Lambda(lambda z: z * 1.)(x))
output = Dense(2, activation='softmax')(pooled)
model = Model([words, lengths], output)
model.compile(RMSprop(), 'sparse_categorical_crossentropy', metrics=['accuracy'])
rng = np.random.RandomState(1)
weights = [rng.normal(0, 0.4, w.shape) + (1. if i % 2 == 0 and w.ndim == 1 else 0.)
           for i, w in enumerate(model.get_weights())]
model.set_weights(weights)

tokens = rng.randint(1, vocabulary, (160, steps))
length = rng.randint(3, steps + 1, (160, 1))
tokens[np.arange(steps)[None] >= length] = 0
labels = (tokens.sum(axis=1) > 4.5 * length[:, 0]).astype(int)
predicted = model.predict([tokens[:6], length[:6]])

# What lies behind the end cannot be seen by the first attention, what comes later not by the second.
first_attention = [layer for layer in model.layers if isinstance(layer, MultiHeadAttention)]
see = K.function([words, lengths, K.learning_phase()], [layer.output for layer in first_attention])
changed = tokens[:6].copy()
changed[:, -1] = np.where(length[:6, 0] < steps, 3, tokens[:6, -1])
for one, other in zip(see([tokens[:6], length[:6], 0]), see([changed, length[:6], 0])):
    np.testing.assert_allclose(one[:, :-1], other[:, :-1], atol=1e-5)
position = K.function([words], [model.get_layer('positions').output])([np.zeros((1, 4))])[0][0]
position = position - position[:1] + np.repeat([1., 0.], 4)
angle = np.arange(4)[:, None] / 10000. ** (2 * np.arange(4) / 8.)
np.testing.assert_allclose(position, np.concatenate([np.cos(angle), np.sin(angle)], axis=1), atol=1e-5)

loss = float(model.test_on_batch([tokens, length], labels)[0])
noam = Noam(d_model, 40)
hist = model.fit([tokens, length], labels, batch_size=20, epochs=8, verbose=0, shuffle=False, callbacks=[noam])
assert noam.rates[0] < noam.rates[39] > noam.rates[-1] and len(noam.rates) == 64
assert hist.history['loss'][-1] < 0.5 * hist.history['loss'][0], hist.history
gradients = K.function([words, lengths, K.learning_phase()], K.gradients(K.sum(K.square(output)), [pooled]))
model.set_weights(weights)
grad = gradients([tokens[:3], length[:3], 0])[0]
assert grad.shape == (3, d_model)
print('RESULT ' + json.dumps({'predicted': predicted.tolist(), 'loss': loss, 'gradient': grad.tolist()}))
