"""A CRF layer as of 2019: forward scores and Viterbi with K.rnn, K.reverse and K.one_hot; both held against all paths."""
# backends: tensorflow torch
import itertools
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Input, Layer
from tensorflow.keras.models import Model


def logsumexp(x, axis):
    top = K.max(x, axis=axis, keepdims=True)
    return K.squeeze(top, axis) + K.log(K.sum(K.exp(x - top), axis=axis))


class CRF(Layer):
    def __init__(self, units, **kwargs):
        super(CRF, self).__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), name='kernel', initializer='uniform')
        self.chain = self.add_weight(shape=(self.units, self.units), name='chain', initializer='uniform')
        self.left = self.add_weight(shape=(self.units,), name='left', initializer='zeros')
        self.right = self.add_weight(shape=(self.units,), name='right', initializer='zeros')
        super(CRF, self).build(input_shape)

    def energies(self, x):
        energy = K.dot(x, self.kernel)
        first = energy[:, :1] + self.left
        return K.concatenate([first, energy[:, 1:-1], energy[:, -1:] + self.right], axis=1)

    def call(self, x):
        return self.energies(x)

    def log_norm(self, energy):
        def step(emission, states):
            previous = K.expand_dims(states[0], 2)
            score = logsumexp(previous + K.expand_dims(self.chain, 0), axis=1) + emission
            return score, [score]
        last, _, _ = K.rnn(step, energy[:, 1:], [energy[:, 0]])
        return logsumexp(last, axis=1)

    def path_score(self, y_true, energy):
        point = K.sum(K.sum(y_true * energy, axis=2), axis=1)
        pairs = K.batch_dot(K.permute_dimensions(y_true[:, :-1], (0, 2, 1)), y_true[:, 1:])
        return point + K.sum(K.sum(pairs * K.expand_dims(self.chain, 0), axis=2), axis=1)

    def loss(self, y_true, y_pred):
        return self.log_norm(y_pred) - self.path_score(y_true, y_pred)

    def viterbi_accuracy(self, y_true, y_pred):
        def step(emission, states):
            scores = K.expand_dims(states[0], 2) + K.expand_dims(self.chain, 0)
            best = K.max(scores, axis=1) + emission
            return K.cast(K.argmax(scores, axis=1), K.floatx()), [best]
        last, pointers, states = K.rnn(step, y_pred[:, 1:], [y_pred[:, 0]])
        tag = K.cast(K.argmax(states[0], axis=-1), K.floatx())

        def back(pointer, states):
            chosen = K.one_hot(K.cast(states[0][:, 0], 'int32'), self.units)
            tag = K.sum(pointer * chosen, axis=1, keepdims=True)
            return tag, [tag]
        _, tags, _ = K.rnn(back, pointers, [K.expand_dims(tag)], go_backwards=True)
        tags = K.concatenate([K.reverse(tags, 1)[:, :, 0], K.expand_dims(tag)], axis=1)
        right = K.equal(K.cast(K.argmax(y_true, axis=-1), K.floatx()), tags)
        return K.mean(K.cast(right, K.floatx()), axis=-1)

    def compute_output_shape(self, input_shape):
        return input_shape[:2] + (self.units,)


rs = np.random.RandomState(3)
sequence = Input(shape=(5, 4))
crf = CRF(3)
model = Model(sequence, crf(Dense(6, activation='tanh')(sequence)))
model.set_weights([rs.normal(0, .7, w.shape) for w in model.get_weights()])
x = rs.normal(0, 1, (12, 5, 4)).astype('float32')
tags = rs.randint(0, 3, (12, 5))
y = np.eye(3, dtype='float32')[tags]
energy, chain = model.predict(x, verbose=0).astype('float64'), K.get_value(crf.chain).astype('float64')


def score(row, path):
    return sum(energy[row, t, k] for t, k in enumerate(path)) + sum(chain[a, b] for a, b in zip(path, path[1:]))


losses, accuracies = [], []
for row in range(12):
    scores = {path: score(row, path) for path in itertools.product(range(3), repeat=5)}
    losses.append(np.log(np.sum(np.exp(list(scores.values())))) - scores[tuple(tags[row])])
    accuracies.append(np.mean(np.array(max(scores, key=scores.get)) == tags[row]))
model.compile(optimizer='sgd', loss=crf.loss, metrics=[crf.viterbi_accuracy])
loss, accuracy = model.evaluate(x, y, verbose=0)
np.testing.assert_allclose([loss, accuracy], [np.mean(losses), np.mean(accuracies)], rtol=1e-4)
history = model.fit(x, y, batch_size=6, epochs=4, shuffle=False, verbose=0)
print('RESULT ' + json.dumps({
    'loss': float(loss), 'accuracy': float(accuracy), 'losses': [float(v) for v in history.history['loss']],
    'accuracies': [float(v) for v in history.history['viterbi_accuracy']], 'chain': K.get_value(crf.chain).tolist()}))
