"""A tagger with a CRF layer as of 2019: the layer gives potentials in training and the best path otherwise, follows the
mask of an Embedding, has a loss and an accuracy of its own, and K.logsumexp in its recursion."""
# backends: tensorflow torch
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Bidirectional, Dense, Embedding, Input, InputSpec, Layer, LSTM
from tensorflow.keras.models import Model

# Keras on JAX hands no weights of the model to a metric, and viterbi_acc reads the transitions.


class CRF(Layer):
    def __init__(self, units, learn_mode='join', test_mode='viterbi', **kwargs):
        super(CRF, self).__init__(**kwargs)
        self.supports_masking = True
        self.units = units
        self.learn_mode, self.test_mode = learn_mode, test_mode
        self.input_spec = [InputSpec(ndim=3)]
        self.potentials = None

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), name='kernel', initializer='glorot_uniform')
        self.chain_kernel = self.add_weight(shape=(self.units, self.units), name='chain_kernel',
                                            initializer='glorot_uniform')
        self.bias = self.add_weight(shape=(self.units,), name='bias', initializer='zeros')
        self.built = True

    def call(self, X, mask=None, training=None):
        emission = K.bias_add(K.dot(X, self.kernel), self.bias)
        if mask is not None:
            emission = emission * K.expand_dims(K.cast(mask, K.floatx()), -1)
        best = K.one_hot(K.cast(self.viterbi(emission, mask), 'int32'), self.units)
        return K.in_train_phase(emission, best, training=training)

    def compute_mask(self, inputs, mask=None):
        return None  # the loss finds the mask in the targets

    def compute_output_shape(self, input_shape):
        return input_shape[:2] + (self.units,)

    def recursion(self, emission, mask, step):
        first, rest = emission[:, 0], emission[:, 1:]
        rest_mask = K.ones_like(rest[:, :, 0]) if mask is None else K.cast(mask[:, 1:], K.floatx())
        joined = K.concatenate([rest, K.expand_dims(rest_mask)], axis=2)
        return K.rnn(step, joined, [first])

    def log_partition(self, emission, mask=None):
        chain = K.expand_dims(self.chain_kernel, 0)

        def step(e_m, states):
            e, m = e_m[:, :-1], e_m[:, -1:]
            new = K.logsumexp(K.expand_dims(states[0], 2) + chain, axis=1) + e
            new = m * new + (1 - m) * states[0]
            return new, [new]
        last, _, _ = self.recursion(emission, mask, step)
        return K.logsumexp(last, axis=1)

    def viterbi(self, emission, mask=None):
        chain = K.expand_dims(self.chain_kernel, 0)
        places = K.cast(K.arange(self.units), K.floatx())

        def step(e_m, states):
            e, m = e_m[:, :-1], e_m[:, -1:]
            score = K.expand_dims(states[0], 2) + chain
            new = m * (K.max(score, axis=1) + e) + (1 - m) * states[0]
            back = m * K.cast(K.argmax(score, axis=1), K.floatx()) + (1 - m) * K.expand_dims(places, 0)
            return back, [new]
        _, backs, states = self.recursion(emission, mask, step)
        last = K.cast(K.argmax(states[0], axis=1), K.floatx())

        def follow(back, states):
            chosen = K.sum(back * K.one_hot(K.cast(states[0][:, 0], 'int32'), self.units), axis=1, keepdims=True)
            return chosen, [chosen]
        _, path, _ = K.rnn(follow, K.reverse(backs, 1), [K.expand_dims(last)])
        return K.concatenate([K.reverse(K.squeeze(path, 2), 1), K.expand_dims(last)], axis=1)

    @property
    def loss_function(self):
        def crf_loss(y_true, y_pred):
            mask = K.cast(K.any(K.not_equal(y_true, 0), axis=2), K.floatx())
            point = K.sum(K.sum(y_true * y_pred, 2), 1)
            step = K.sum(K.dot(y_true[:, :-1], self.chain_kernel) * y_true[:, 1:], axis=2)
            score = point + K.sum(step * mask[:, 1:], axis=1)
            return (self.log_partition(y_pred, mask) - score) / K.sum(mask, 1)
        return crf_loss

    @property
    def viterbi_accuracy(self):
        def viterbi_acc(y_true, y_pred):
            mask = K.cast(K.any(K.not_equal(y_true, 0), axis=2), K.floatx())
            path = self.viterbi(y_pred, mask)
            right = K.cast(K.equal(K.cast(K.argmax(y_true, -1), K.floatx()), path), K.floatx())
            return K.sum(right * mask) / K.sum(mask)
        return viterbi_acc


rs = np.random.RandomState(11)
inputs = Input(shape=(7,), dtype='int32')
x = Embedding(15, 6, mask_zero=True)(inputs)
x = Bidirectional(LSTM(4, return_sequences=True))(x)
crf = CRF(3, name='crf')
model = Model(inputs, crf(Dense(5, activation='relu')(x)))
model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])
words = rs.randint(1, 15, (16, 7))
lengths = rs.randint(2, 8, 16)
for row, n in enumerate(lengths):
    words[row, n:] = 0
tags = np.eye(3, dtype='float32')[(words + np.roll(words, 1, 1)) % 3] * (words > 0)[:, :, None]
first = model.predict(words, verbose=0)
model.compile('rmsprop', loss=crf.loss_function, metrics=[crf.viterbi_accuracy])
history = model.fit(words, tags, batch_size=8, epochs=3, shuffle=False, verbose=0)
second = model.predict(words, verbose=0)
print('RESULT ' + json.dumps({
    'first': (first * tags).sum(axis=(1, 2)).tolist(), 'second': second.argmax(-1).tolist(),
    'loss': [float(v) for v in history.history['loss']],
    'accuracy': [float(v) for v in history.history['viterbi_acc']], 'chain': K.get_value(crf.chain_kernel).tolist()}))
