"""Layers that repositories of 2019 carry in utils.py, under `from keras import backend as K`: K-max pooling, highway,
attention pooling, mixing of channels, a masked average, cosine similarity."""
import json

import keras
import numpy as np
from keras import backend as K
from keras import layers


class MaskedAverage(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, x, mask=None):
        if mask is None:
            return K.mean(x, axis=1)
        mask = K.repeat(K.cast(mask, K.floatx()), K.int_shape(x)[-1])
        mask = K.permute_dimensions(mask, (0, 2, 1))
        return K.sum(x * mask, axis=1) / K.maximum(K.sum(mask, axis=1), K.epsilon())

    def compute_mask(self, inputs, mask=None):
        return None

    def compute_output_shape(self, input_shape):
        return input_shape[0], input_shape[2]


class Highway(layers.Layer):
    def build(self, input_shape):
        size = input_shape[-1]
        self.W = self.add_weight(name='W', shape=(size, size), initializer='glorot_uniform')
        self.W_carry = self.add_weight(name='W_carry', shape=(size, size), initializer='glorot_uniform')
        self.b_carry = self.add_weight(name='b_carry', shape=(size,), initializer='zeros')
        self.built = True

    def call(self, x):
        transform_weight = K.hard_sigmoid(K.bias_add(K.dot(x, self.W_carry), self.b_carry))
        return K.relu(K.dot(x, self.W), alpha=.1) * transform_weight + (1 - transform_weight) * x

    def compute_output_shape(self, input_shape):
        return input_shape


class AttentionPooling(layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name='w', shape=(input_shape[-1], 1), initializer='normal')
        self.b = self.add_weight(name='b', shape=(input_shape[1], 1), initializer='zeros')
        super().build(input_shape)

    def call(self, x):
        e = K.squeeze(K.tanh(K.dot(x, self.w) + self.b), axis=-1)
        alpha = K.expand_dims(K.softmax(e), axis=-1)
        return K.sum(x * alpha, axis=1)

    def compute_output_shape(self, input_shape):
        return input_shape[0], input_shape[-1]


def cosine(t):
    a, b = K.l2_normalize(t[0], axis=-1), K.l2_normalize(t[1], axis=-1)
    return K.batch_dot(a, b, axes=1)


rs = np.random.RandomState(36)
words, other = keras.Input((6,), dtype='int32'), keras.Input((6,), dtype='int32')
embedding = layers.Embedding(20, 5, mask_zero=True)
left = Highway()(MaskedAverage()(embedding(words)))
right = AttentionPooling()(layers.Conv1D(5, 3, padding='same')(layers.Embedding(20, 4)(other)))
similarity = layers.Lambda(cosine, output_shape=(1,))([left, right])
gate = layers.Dense(5, activation='sigmoid')(layers.concatenate([left, right]))
mixed = layers.Lambda(lambda t: t[0] * t[1] + t[2] * (1 - t[0]), output_shape=(5,))([gate, left, right])
model = keras.Model([words, other], layers.Dense(1)(layers.concatenate([mixed, similarity])))
for layer in model.layers:
    layer.set_weights([rs.normal(0, .6, w.shape) for w in layer.get_weights()])
a, b = rs.randint(1, 20, (16, 6)), rs.randint(1, 20, (16, 6))
a[:8, 3:] = 0
y = rs.normal(0, 1, (16, 1)).astype('float32')
averages = keras.Model(words, MaskedAverage()(embedding(words))).predict(a, verbose=0)
table = embedding.get_weights()[0]
np.testing.assert_allclose(averages[:8], table[a[:8, :3]].mean(1), atol=1e-5)
before = model.predict([a, b], verbose=0)
model.compile('sgd', 'mse')
history = model.fit([a, b], y, batch_size=4, epochs=3, shuffle=False, verbose=0)
print('RESULT ' + json.dumps({'before': before.tolist(), 'loss': [float(v) for v in history.history['loss']]}))
