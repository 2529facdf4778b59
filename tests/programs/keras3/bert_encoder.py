"""A small encoder like BERT as of 2020, of one's own layers: token, segment and position embeddings by K.gather,
attention of several heads by K.batch_dot with a mask, layer normalization, gelu by K.tanh; a masked language loss."""

import json
import math

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras import initializers
from tensorflow.keras.layers import Dense, Input, Layer
from tensorflow.keras.models import Model

WORDS, LENGTH, WIDTH, HEADS = 20, 6, 8, 2


def start(seed):
    values = np.random.RandomState(seed)
    return lambda shape, dtype=None, **kwargs: K.constant(values.normal(scale=0.2, size=tuple(shape)), dtype=dtype)


def gelu(x):
    return 0.5 * x * (1.0 + K.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * K.pow(x, 3))))


class BertEmbedding(Layer):
    def build(self, input_shape):
        self.tokens = self.add_weight(name='tokens', shape=(WORDS, WIDTH), initializer=start(1))
        self.segments = self.add_weight(name='segments', shape=(2, WIDTH), initializer=start(2))
        self.positions = self.add_weight(name='positions', shape=(LENGTH, WIDTH), initializer=start(3))
        super(BertEmbedding, self).build(input_shape)

    def call(self, inputs):
        tokens, segments = [K.cast(x, 'int32') for x in inputs]
        places = K.arange(0, K.shape(tokens)[1])
        embedded = K.gather(self.tokens, tokens) + K.gather(self.segments, segments)
        return embedded + K.expand_dims(K.gather(self.positions, places), 0)

    def compute_output_shape(self, input_shape):
        return tuple(input_shape[0]) + (WIDTH,)


class LayerNormalization(Layer):
    def build(self, input_shape):
        self.gamma = self.add_weight(name='gamma', shape=(input_shape[-1],), initializer=initializers.get('ones'))
        self.beta = self.add_weight(name='beta', shape=(input_shape[-1],), initializer=initializers.get('zeros'))
        super(LayerNormalization, self).build(input_shape)

    def call(self, inputs):
        mean = K.mean(inputs, axis=-1, keepdims=True)
        variance = K.mean(K.square(inputs - mean), axis=-1, keepdims=True)
        return (inputs - mean) / K.sqrt(variance + 1e-6) * self.gamma + self.beta


class MultiHeadAttention(Layer):
    def __init__(self, heads, **kwargs):
        self.heads = heads
        super(MultiHeadAttention, self).__init__(**kwargs)

    def build(self, input_shape):
        width = int(input_shape[0][-1])
        self.w = [self.add_weight(name='w_' + c, shape=(width, width), initializer=start(i + 4))
                  for i, c in enumerate('qkvo')]
        super(MultiHeadAttention, self).build(input_shape)

    def split(self, x):
        length, width = K.shape(x)[1], K.int_shape(x)[-1]
        x = K.reshape(x, (-1, length, self.heads, width // self.heads))
        return K.reshape(K.permute_dimensions(x, (0, 2, 1, 3)), (-1, length, width // self.heads))

    def call(self, inputs):
        x, tokens = inputs
        q, k, v = [self.split(K.dot(x, w)) for w in self.w[:3]]
        scores = K.batch_dot(q, k, axes=[2, 2]) / K.sqrt(K.cast(K.int_shape(q)[-1], K.floatx()))
        mask = K.repeat_elements(K.expand_dims(K.cast(K.not_equal(tokens, 0), K.floatx()), 1), self.heads, 0)
        weights = K.softmax(scores - (1.0 - mask) * 1e9)
        mixed = K.reshape(K.batch_dot(weights, v), (-1, self.heads, K.shape(x)[1], WIDTH // self.heads))
        mixed = K.reshape(K.permute_dimensions(mixed, (0, 2, 1, 3)), (-1, K.shape(x)[1], WIDTH))
        return K.dot(mixed, self.w[3])

    def compute_output_shape(self, input_shape):
        return input_shape[0]


def masked_loss(y_true, y_pred):
    mask = K.cast(K.greater_equal(y_true, 0), K.floatx())
    losses = K.sparse_categorical_crossentropy(K.maximum(y_true, 0), y_pred)
    return K.sum(losses * mask) / (K.sum(mask) + K.epsilon())


tokens, segments = Input((LENGTH,)), Input((LENGTH,))
x = BertEmbedding()([tokens, segments])
x = LayerNormalization()(x + MultiHeadAttention(HEADS)([x, tokens]))
x = LayerNormalization()(x + Dense(WIDTH, kernel_initializer=start(9))(Dense(16, gelu, kernel_initializer=start(8))(x)))
model = Model([tokens, segments], Dense(WORDS, 'softmax', kernel_initializer=start(10))(x))
model.compile('sgd', masked_loss)
random = np.random.RandomState(0)
words = random.randint(1, WORDS, (16, LENGTH)).astype('float32')
words[::3, 4:] = 0
labels = np.where(random.rand(16, LENGTH) < 0.4, words, -1.0)
parts = np.tile([0., 0., 0., 1., 1., 1.], (16, 1))
history = model.fit([words, parts], labels, batch_size=16, epochs=4, verbose=0)
print('RESULT', json.dumps({'losses': history.history['loss'],
                            'first': model.predict([words, parts], verbose=0)[0, 0, :5].tolist()}))
