"""An encoder like BERT as of 2020 in `tf.*`, layers with call(inputs, training=None, mask=None): a mask that Keras carries
from an Embedding of one's own through add and normalization, learned positions, a pooled first token, two outputs."""
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import initializers
from tensorflow.keras.layers import Dense, Dropout, Input, Lambda, Layer, LayerNormalization
from tensorflow.keras.models import Model


def get_initializer(initializer_range=0.02):
    return initializers.TruncatedNormal(stddev=initializer_range)


def gelu(x):
    cdf = 0.5 * (1.0 + tf.math.erf(x / tf.math.sqrt(2.0)))
    return x * cdf


class TokenEmbeddings(Layer):
    def __init__(self, vocab_size, hidden_size, max_position=16, dropout_rate=0.0, **kwargs):
        super().__init__(**kwargs)
        self.vocab_size, self.hidden_size, self.max_position = vocab_size, hidden_size, max_position
        self.norm = LayerNormalization(epsilon=1e-12, name='LayerNorm')
        self.dropout = Dropout(dropout_rate)

    def build(self, input_shape):
        with tf.name_scope('word_embeddings'):
            self.word_embeddings = self.add_weight('weight', shape=[self.vocab_size, self.hidden_size],
                                                   initializer=get_initializer())
        self.position_embeddings = self.add_weight('position_embeddings', shape=[self.max_position, self.hidden_size],
                                                   initializer=get_initializer())
        super().build(input_shape)

    def compute_mask(self, inputs, mask=None):
        return tf.not_equal(inputs, 0)

    def call(self, inputs, training=None, mask=None):
        seq_length = tf.shape(inputs)[1]
        position_ids = tf.range(seq_length, dtype=tf.int32)[tf.newaxis, :]
        embeddings = tf.gather(self.word_embeddings, inputs)
        embeddings += tf.gather(self.position_embeddings, position_ids)
        return self.dropout(self.norm(embeddings), training=training)


class SelfAttention(Layer):
    def __init__(self, hidden_size, num_heads, dropout_rate=0.0, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.num_heads, self.head_size = num_heads, hidden_size // num_heads
        self.query, self.key, self.value = [Dense(hidden_size, name=n) for n in ('query', 'key', 'value')]
        self.dense = Dense(hidden_size, name='output_dense')
        self.dropout = Dropout(dropout_rate)

    def transpose_for_scores(self, x, batch_size):
        x = tf.reshape(x, (batch_size, -1, self.num_heads, self.head_size))
        return tf.transpose(x, perm=[0, 2, 1, 3])

    def call(self, inputs, training=False, mask=None):
        batch_size = tf.shape(inputs)[0]
        q, k, v = [self.transpose_for_scores(f(inputs), batch_size) for f in (self.query, self.key, self.value)]
        scores = tf.matmul(q, k, transpose_b=True)
        scores = scores / tf.math.sqrt(tf.cast(tf.shape(k)[-1], tf.float32))
        if mask is not None:
            extended = tf.cast(mask, tf.float32)[:, tf.newaxis, tf.newaxis, :]
            scores = scores + (1.0 - extended) * -10000.0
        probs = self.dropout(tf.nn.softmax(scores, axis=-1), training=training)
        context = tf.transpose(tf.matmul(probs, v), perm=[0, 2, 1, 3])
        return self.dense(tf.reshape(context, (batch_size, -1, self.num_heads * self.head_size)))


class EncoderLayer(Layer):
    def __init__(self, hidden_size, num_heads, intermediate_size, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.attention = SelfAttention(hidden_size, num_heads, name='attention')
        self.intermediate = Dense(intermediate_size, activation=gelu, name='intermediate')
        self.out = Dense(hidden_size, name='out')
        self.norm1, self.norm2 = LayerNormalization(epsilon=1e-12), LayerNormalization(epsilon=1e-12)

    def call(self, inputs, training=None, mask=None):
        attended = self.norm1(inputs + self.attention(inputs, training=training, mask=mask))
        return self.norm2(attended + self.out(self.intermediate(attended)))


rs = np.random.RandomState(21)
ids = Input(shape=(None,), dtype=tf.int32, name='input_ids')
x = TokenEmbeddings(30, 12)(ids)
for i in range(2):
    x = EncoderLayer(12, 3, 20, name='layer_._%d' % i)(x)
pooled = Dense(12, activation='tanh', name='pooler')(Lambda(lambda t: t[:, 0], name='first')(x))
tags = Dense(4, activation='softmax', name='tags')(x)
label = Dense(2, activation='softmax', name='label')(pooled)
model = Model(inputs=ids, outputs=[tags, label])
model.set_weights([rs.normal(0, .3, w.shape) + (w.mean() > .9) for w in model.get_weights()])

tokens = rs.randint(1, 30, (16, 7))
tokens[::2, 4:] = 0
tokens[1::4, 6:] = 0
targets = {'tags': tokens % 4, 'label': tokens[:, 0] % 2}
model.compile(optimizer='sgd', loss={'tags': 'sparse_categorical_crossentropy', 'label': 'sparse_categorical_crossentropy'},
              loss_weights={'tags': 1.0, 'label': 0.5}, metrics={'label': 'accuracy'})
first = model.predict(tokens, verbose=0)
shorter = model.predict(tokens[::2, :4], verbose=0)
np.testing.assert_allclose(shorter[1], first[1][::2], atol=1e-5)
history = model.fit(tokens, targets, batch_size=8, epochs=3, shuffle=False, verbose=0)
print('RESULT ' + json.dumps({
    'tags': first[0][0].tolist(), 'label': first[1].tolist(), 'weights': len(model.weights),
    **{name: [float(v) for v in values] for name, values in history.history.items()}}))
