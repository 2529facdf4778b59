"""An encoder of sentences with multi-head attention in `tf.*`, of 2019: masks, positions, gelu, sparse crossentropy."""
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Dropout, Embedding, Input, Layer
from tensorflow.keras.models import Model


def positions(length, depth):
    """Sines and cosines of places (Vaswani et al. 2017)."""
    angles = np.arange(length)[:, None] / np.power(10000.0, 2 * (np.arange(depth)[None] // 2) / depth)
    angles[:, 0::2], angles[:, 1::2] = np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])
    return tf.cast(angles[None], tf.float32)


def attention(q, k, v, mask):
    """Weighted means of v."""
    logits = tf.matmul(q, k, transpose_b=True) / tf.math.sqrt(tf.cast(tf.shape(k)[-1], tf.float32))
    logits += mask * -1e9
    return tf.matmul(tf.nn.softmax(logits, axis=-1), v)


class MultiHeadAttention(Layer):
    """Several attentions beside each other."""

    def __init__(self, depth, heads, **kwargs):
        super(MultiHeadAttention, self).__init__(**kwargs)
        self.depth, self.heads = depth, heads
        self.wq, self.wk, self.wv, self.out = [Dense(depth, kernel_initializer=fixed(n)) for n in range(4)]

    def split_heads(self, x, batch):
        x = tf.reshape(x, (batch, -1, self.heads, self.depth // self.heads))
        return tf.transpose(x, perm=[0, 2, 1, 3])

    def call(self, inputs):
        x, mask = inputs
        batch = tf.shape(x)[0]
        q, k, v = [self.split_heads(w(x), batch) for w in (self.wq, self.wk, self.wv)]
        found = tf.transpose(attention(q, k, v, mask), perm=[0, 2, 1, 3])
        return self.out(tf.reshape(found, (batch, -1, self.depth)))


class Normalize(Layer):
    """Layer normalisation."""

    def build(self, shape):
        self.gamma = self.add_weight(name='gamma', shape=(shape[-1],), initializer='ones')
        self.beta = self.add_weight(name='beta', shape=(shape[-1],), initializer='zeros')
        super(Normalize, self).build(shape)

    def call(self, x):
        mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
        return self.gamma * (x - mean) * tf.math.rsqrt(variance + K.epsilon()) + self.beta


class Encoder(Layer):
    """Embedding, attention and a network for each place."""

    def __init__(self, words, depth, length, **kwargs):
        super(Encoder, self).__init__(**kwargs)
        self.depth, self.places = depth, positions(length, depth)
        self.embedding = Embedding(words, depth, embeddings_initializer=fixed(7))
        self.attention = MultiHeadAttention(depth, 2)
        self.first, self.second = Normalize(), Normalize()
        self.wide, self.narrow = [Dense(n, kernel_initializer=fixed(n)) for n in (12, depth)]
        self.dropout = Dropout(0.0)

    def call(self, tokens, training=None):
        mask = tf.cast(tf.math.equal(tokens, 0), tf.float32)[:, tf.newaxis, tf.newaxis, :]
        x = self.embedding(tokens) * tf.math.sqrt(tf.cast(self.depth, tf.float32))
        x += self.places[:, : tokens.shape[1], :]
        x = self.first(x + self.dropout(self.attention([x, mask]), training=training))
        x = self.second(x + self.narrow(gelu(self.wide(x))))
        kept = 1.0 - tf.squeeze(mask, [1])
        return tf.reduce_sum(x * tf.transpose(kept, [0, 2, 1]), axis=1) / tf.reduce_sum(kept, axis=[1, 2])[:, None]


def gelu(x):
    return 0.5 * x * (1.0 + tf.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3))))


def fixed(seed):
    def initialize(shape, dtype=None, **kwargs):
        return K.constant(np.random.RandomState(seed).normal(0, 0.3, shape))

    return initialize


def loss_of(y_true, y_pred):
    labels = tf.cast(tf.reshape(y_true, [-1]), tf.int32)
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=y_pred))


tokens = Input((6,), dtype='int32')
model = Model(tokens, Dense(3, kernel_initializer=fixed(5))(Encoder(20, 8, 10)(tokens)))
model.compile(tf.keras.optimizers.SGD(0.2), loss_of)
rng = np.random.RandomState(1)
x = rng.randint(1, 20, (12, 6)) * (np.arange(6) < rng.randint(2, 7, (12, 1)))
y = (x[:, 0] % 3).astype('float32')
history = model.fit(x.astype('int32'), y, batch_size=4, epochs=4, shuffle=False, verbose=0)
found = model.predict(x.astype('int32'), verbose=0)
print('RESULT', json.dumps({'losses': history.history['loss'], 'logits': found[:3].tolist()}))
