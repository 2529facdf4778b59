"""Translation by an encoder of attention heads and a decoder with Bahdanau attention, in the form for Keras 2.2:
K.tf everywhere, masks by Lambda, a learning rate by a callback, greedy decoding step by step."""
# engines: tensorflow
# keras: 2.2.4
import json
import math
import random

import numpy as np
from keras import backend as K
from keras import initializers
from keras.callbacks import Callback
from keras.engine.base_layer import Layer
from keras.layers import (Add, Bidirectional, Concatenate, Dense, Dropout, Embedding, GRU, Input, Lambda,
                          TimeDistributed)
from keras.models import Model
from keras.optimizers import Adam

PAD, START, END, WORDS, LENGTH, DIM = 0, 1, 2, 9, 5, 16


class LayerNormalization(Layer):
    def __init__(self, eps=1e-6, **kwargs):
        self.eps = eps
        super(LayerNormalization, self).__init__(**kwargs)

    def build(self, input_shape):
        self.gamma = self.add_weight(name='gamma', shape=input_shape[-1:], initializer=initializers.Ones())
        self.beta = self.add_weight(name='beta', shape=input_shape[-1:], initializer=initializers.Zeros())
        super(LayerNormalization, self).build(input_shape)

    def call(self, x):
        mean = K.mean(x, axis=-1, keepdims=True)
        std = K.std(x, axis=-1, keepdims=True)
        return self.gamma * (x - mean) / (std + self.eps) + self.beta

    def compute_output_shape(self, input_shape):
        return input_shape


class MultiHeadAttention:
    def __init__(self, n_head, d_model):
        self.n_head, self.d = n_head, d_model // n_head
        self.qs, self.ks, self.vs = [Dense(d_model, use_bias=False) for _ in range(3)]
        self.out = TimeDistributed(Dense(d_model))

    def __call__(self, q, k, v, mask):
        def split(x):
            s = K.tf.shape(x)
            x = K.tf.reshape(x, [s[0], s[1], self.n_head, self.d])
            x = K.tf.transpose(x, [2, 0, 1, 3])
            return K.tf.reshape(x, [-1, s[1], self.d])

        def join(x):
            s = K.tf.shape(x)
            x = K.tf.reshape(x, [self.n_head, -1, s[1], s[2]])
            x = K.tf.transpose(x, [1, 2, 0, 3])
            return K.tf.reshape(x, [-1, s[1], self.n_head * self.d])
        q, k, v = [Lambda(split)(dense(x)) for dense, x in zip((self.qs, self.ks, self.vs), (q, k, v))]
        mask = Lambda(lambda x: K.repeat_elements(K.tile(x, [self.n_head, 1, 1]), 1, 0))(mask)
        attn = Lambda(lambda x: K.batch_dot(x[0], x[1], axes=[2, 2]) / math.sqrt(self.d))([q, k])
        attn = Lambda(lambda x: K.softmax(x[0] + (-1e+10) * (1 - x[1])))([attn, mask])
        head = Lambda(lambda x: K.tf.matmul(x[0], x[1]))([attn, v])
        return self.out(Lambda(join)(head))


def pad_mask(q, k):
    ones = K.expand_dims(K.ones_like(q, 'float32'), -1)
    return K.batch_dot(ones, K.cast(K.expand_dims(K.not_equal(k, PAD), 1), 'float32'), axes=[2, 1])


def sub_mask(s):
    length, batch = K.tf.shape(s)[1], K.tf.shape(s)[:1]
    return K.cumsum(K.tf.eye(length, batch_shape=batch), 1)


def positions(x):
    pos = K.cumsum(K.ones_like(x, 'int32'), 1)
    return pos * K.cast(K.not_equal(x, PAD), 'int32')


def to_mask(x, mask, mode='mul'):
    """Takes what is beyond the end out of a sum or a maximum."""
    for _ in range(K.ndim(x) - K.ndim(mask)):
        mask = K.expand_dims(mask, K.ndim(mask))
    return x * mask if mode == 'mul' else x - (1 - mask) * 1e10


class LRSchedulerPerStep(Callback):
    def __init__(self, warmup):
        super(LRSchedulerPerStep, self).__init__()
        self.warmup, self.step_num = warmup, 0

    def on_batch_begin(self, batch, logs=None):
        self.step_num += 1
        K.set_value(self.model.optimizer.lr, .08 * min(self.step_num ** -.5, self.step_num * self.warmup ** -1.5))


table = np.array([[math.sin(p / 100 ** (j / DIM)) if j % 2 else math.cos(p / 100 ** (j / DIM)) for j in range(DIM)]
                  for p in range(LENGTH + 3)])
source, target = Input(shape=(None,), dtype='int32'), Input(shape=(None,), dtype='int32')
target_in = Lambda(lambda x: x[:, :-1])(target)
target_true = Lambda(lambda x: x[:, 1:])(target)
embed, place = Embedding(WORDS, DIM), Embedding(LENGTH + 3, DIM, weights=[table], trainable=False)
encoded = Add()([embed(source), place(Lambda(positions)(source))])
mask = Lambda(lambda x: pad_mask(x, x))(source)
encoded = LayerNormalization()(Add()([encoded, MultiHeadAttention(2, DIM)(encoded, encoded, encoded, mask)]))
encoded = Bidirectional(GRU(DIM // 2, return_sequences=True))(encoded)
decoded = Add()([embed(target_in), place(Lambda(positions)(target_in))])
both = Lambda(lambda x: K.minimum(pad_mask(x, x), sub_mask(x)))(target_in)
decoded = LayerNormalization()(Add()([decoded, MultiHeadAttention(4, DIM)(decoded, decoded, decoded, both)]))
across = Lambda(lambda x: pad_mask(x[0], x[1]))([target_in, source])
context = MultiHeadAttention(2, DIM)(decoded, encoded, encoded, across)
decoded = LayerNormalization()(Dropout(.0)(Concatenate()([decoded, context])))
final = TimeDistributed(Dense(WORDS, use_bias=False))(Dense(24, activation='relu')(decoded))


def get_loss(args):
    y_pred, y_true = args
    y_true = K.tf.cast(y_true, 'int32')
    loss = K.tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y_true, logits=y_pred)
    mask = K.tf.cast(K.tf.not_equal(y_true, PAD), 'float32')
    return K.mean(K.tf.reduce_sum(loss * mask, -1) / K.tf.reduce_sum(mask, -1))


def get_accu(args):
    y_pred, y_true = args
    mask = K.tf.cast(K.tf.not_equal(y_true, PAD), 'float32')
    corr = K.cast(K.equal(K.cast(y_true, 'int32'), K.cast(K.argmax(y_pred, axis=-1), 'int32')), 'float32')
    return K.mean(K.sum(corr * mask, -1) / K.sum(mask, -1))


loss = Lambda(get_loss)([final, target_true])
ppl = Lambda(K.exp)(loss)
accu = Lambda(get_accu)([final, target_true])
model = Model([source, target], loss)
model.add_loss([K.mean(loss)])
model.compile(Adam(0.001, 0.9, 0.98, epsilon=1e-9), None)
model.metrics_names.append('ppl')
model.metrics_tensors.append(ppl)
model.metrics_names.append('accu')
model.metrics_tensors.append(accu)
output_model = Model([source, target], final)
reader = K.function([source, target], [loss, ppl, accu, Lambda(lambda x: to_mask(x[0], K.cast(x[1], 'float32')))(
    [encoded, Lambda(lambda x: K.not_equal(x, PAD))(source)])])


def make(n, rs):
    """Words to be told backwards."""
    x, y = np.zeros((n, LENGTH), int), np.zeros((n, LENGTH + 2), int)
    for i in range(n):
        words = rs.randint(3, WORDS, rs.randint(2, LENGTH + 1))
        x[i, :len(words)] = words
        y[i, :len(words) + 2] = [START] + list(words[::-1]) + [END]
    return x, y


rs = np.random.RandomState(0)
random.seed(0)
model.set_weights([w if w.shape == table.shape or w.ndim == 1 else rs.normal(0, .2, w.shape)
                   for w in model.get_weights()])
x, y = make(256, rs)
first, perplexity, right, masked = reader([x[:8], y[:8]])
logits = output_model.predict([x[:2], y[:2]])
assert abs(math.log(perplexity) - first) < 1e-5 and (masked[x[:8] == PAD] == 0).all()
np.random.seed(0)
history = model.fit([x, y], None, batch_size=16, epochs=20, verbose=0, callbacks=[LRSchedulerPerStep(100)])
assert history.history['loss'][-1] < .3 * history.history['loss'][0], history.history['loss']
assert history.history['accu'][-1] > .8, history.history['accu']
correct = 0
for row, truth in zip(x[:16], y[:16]):
    sentence = [START]
    while len(sentence) < LENGTH + 2 and sentence[-1] != END:
        told = output_model.predict([row[None], np.array([sentence + [PAD]])])
        sentence.append(int(np.argmax(told[0, len(sentence) - 1])))
    correct += sentence == [w for w in truth if w != PAD]
assert correct >= 9, correct
print('RESULT ' + json.dumps({'first': float(first), 'logits': logits[0].ravel().tolist()}))
