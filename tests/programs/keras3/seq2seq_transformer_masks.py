"""A Transformer of sequences to sequences as of 2019 to 2021: padding and look-ahead masks made by Lambda layers of `tf.*`,
layers without classes made by functions, sinusoidal positions, a LearningRateSchedule of one's own, greedy decoding."""
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K

VOCAB, LENGTH, D_MODEL = 13, 6, 8


def scaled_dot_product_attention(query, key, value, mask):
    matmul_qk = tf.matmul(query, key, transpose_b=True)
    depth = tf.cast(tf.shape(key)[-1], tf.float32)
    logits = matmul_qk / tf.math.sqrt(depth)
    if mask is not None:
        logits += (mask * -1e9)
    attention_weights = tf.nn.softmax(logits, axis=-1)
    return tf.matmul(attention_weights, value)


class MultiHeadAttention(tf.keras.layers.Layer):
    def __init__(self, d_model, num_heads, name='multi_head_attention'):
        super(MultiHeadAttention, self).__init__(name=name)
        self.num_heads = num_heads
        self.d_model = d_model
        assert d_model % self.num_heads == 0
        self.depth = d_model // self.num_heads
        self.query_dense = tf.keras.layers.Dense(units=d_model)
        self.key_dense = tf.keras.layers.Dense(units=d_model)
        self.value_dense = tf.keras.layers.Dense(units=d_model)
        self.dense = tf.keras.layers.Dense(units=d_model)

    def split_heads(self, inputs, batch_size):
        inputs = tf.reshape(inputs, shape=(batch_size, -1, self.num_heads, self.depth))
        return tf.transpose(inputs, perm=[0, 2, 1, 3])

    def call(self, inputs):
        query, key, value, mask = inputs['query'], inputs['key'], inputs['value'], inputs['mask']
        batch_size = tf.shape(query)[0]
        query = self.split_heads(self.query_dense(query), batch_size)
        key = self.split_heads(self.key_dense(key), batch_size)
        value = self.split_heads(self.value_dense(value), batch_size)
        scaled_attention = scaled_dot_product_attention(query, key, value, mask)
        scaled_attention = tf.transpose(scaled_attention, perm=[0, 2, 1, 3])
        return self.dense(tf.reshape(scaled_attention, (batch_size, -1, self.d_model)))


def create_padding_mask(x):
    mask = tf.cast(tf.math.equal(x, 0), tf.float32)
    return mask[:, tf.newaxis, tf.newaxis, :]


def create_look_ahead_mask(x):
    seq_len = tf.shape(x)[1]
    look_ahead_mask = 1 - tf.linalg.band_part(tf.ones((seq_len, seq_len)), -1, 0)
    return tf.maximum(look_ahead_mask, create_padding_mask(x))


class PositionalEncoding(tf.keras.layers.Layer):
    def __init__(self, position, d_model):
        super(PositionalEncoding, self).__init__()
        self.pos_encoding = self.positional_encoding(position, d_model)

    def get_angles(self, position, i, d_model):
        angles = 1 / tf.pow(10000.0, (2 * (i // 2)) / tf.cast(d_model, tf.float32))
        return position * angles

    def positional_encoding(self, position, d_model):
        angle_rads = self.get_angles(position=tf.range(position, dtype=tf.float32)[:, tf.newaxis],
                                     i=tf.range(d_model, dtype=tf.float32)[tf.newaxis, :], d_model=d_model)
        sines, cosines = tf.math.sin(angle_rads[:, 0::2]), tf.math.cos(angle_rads[:, 1::2])
        return tf.cast(tf.concat([sines, cosines], axis=-1)[tf.newaxis, ...], tf.float32)

    def call(self, inputs):
        return inputs + self.pos_encoding[:, :tf.shape(inputs)[1], :]


def feed(x, units):
    out = tf.keras.layers.Dense(D_MODEL)(tf.keras.layers.Dense(units, activation='relu')(x))
    return tf.keras.layers.LayerNormalization(epsilon=1e-6)(tf.keras.layers.Add()([x, out]))


def embed(inputs):
    embeddings = tf.keras.layers.Embedding(VOCAB, D_MODEL)(inputs)
    embeddings = tf.keras.layers.Lambda(lambda e: e * tf.math.sqrt(tf.cast(D_MODEL, tf.float32)))(embeddings)
    return PositionalEncoding(VOCAB, D_MODEL)(embeddings)


def attend(x, memory, mask, name):
    out = MultiHeadAttention(D_MODEL, 2, name=name)({'query': x, 'key': memory, 'value': memory, 'mask': mask})
    out = tf.keras.layers.Dropout(rate=0.0)(out)
    return tf.keras.layers.LayerNormalization(epsilon=1e-6)(tf.keras.layers.Add()([x, out]))


class CustomSchedule(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, d_model, warmup_steps=4000):
        super(CustomSchedule, self).__init__()
        self.d_model = tf.cast(d_model, tf.float32)
        self.warmup_steps = warmup_steps

    def __call__(self, step):
        step = tf.cast(step, tf.float32) + 1
        arg1 = tf.math.rsqrt(step)
        arg2 = step * (self.warmup_steps**-1.5)
        return tf.math.rsqrt(self.d_model) * tf.math.minimum(arg1, arg2)


def loss_function(y_true, y_pred):
    y_true = tf.reshape(y_true, shape=(-1, LENGTH - 1))
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction='none')(y_true, y_pred)
    mask = tf.cast(tf.not_equal(y_true, 0), tf.float32)
    return tf.reduce_mean(tf.multiply(loss, mask))


inputs = tf.keras.Input(shape=(None,), name='inputs')
dec_inputs = tf.keras.Input(shape=(None,), name='dec_inputs')
enc_mask = tf.keras.layers.Lambda(create_padding_mask, output_shape=(1, 1, None), name='enc_padding_mask')(inputs)
look_ahead = tf.keras.layers.Lambda(create_look_ahead_mask, output_shape=(1, None, None), name='look_ahead')(dec_inputs)
dec_mask = tf.keras.layers.Lambda(create_padding_mask, output_shape=(1, 1, None), name='dec_padding_mask')(inputs)
memory = embed(inputs)
memory = feed(attend(memory, memory, enc_mask, 'attention'), 16)
x = embed(dec_inputs)
x = attend(attend(x, x, look_ahead, 'attention_1'), memory, dec_mask, 'attention_2')
model = tf.keras.Model(inputs=[inputs, dec_inputs], outputs=tf.keras.layers.Dense(VOCAB, name='outputs')(feed(x, 16)))
rs = np.random.RandomState(23)
model.set_weights([rs.normal(0, .3, w.shape) + (w.mean() == 1) for w in model.get_weights()])
source = rs.randint(3, VOCAB, (24, LENGTH))
source[::3, 4:] = 0
target = np.concatenate([np.full((24, 1), 1), np.where(source[:, ::-1] > 0, source[:, ::-1], 2)[:, 1:]], axis=1)
target[1::4, 4:] = 0
model.compile(optimizer=tf.keras.optimizers.SGD(CustomSchedule(D_MODEL, warmup_steps=8)), loss=loss_function)
history = model.fit([source, target[:, :-1]], target[:, 1:], batch_size=8, epochs=4, shuffle=False, verbose=0)
output = np.ones((3, 1), int)
for _ in range(4):
    predictions = model.predict([source[:3], output], verbose=0)[:, -1]
    output = np.concatenate([output, predictions.argmax(-1)[:, None]], axis=1)
print('RESULT ' + json.dumps({
    'losses': [float(v) for v in history.history['loss']], 'decoded': output.tolist(), 'last': predictions[0].tolist(),
    'rates': [float(CustomSchedule(D_MODEL, 8)(float(step))) for step in (1, 8, 30)]}))
