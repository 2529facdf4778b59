"""Seven seeded trainings on the engine that is asked for; a line for each: its name, and a digest of all its bits.

    KERAS_BACKEND=jax python tests/tools/seven_trainings.py [MODULE]

MODULE is keras_backend, or keras_backend.keras3. A loop takes long enough that an engine may choose another way to run
it within the steps.
"""

import hashlib
import importlib
import sys

import numpy as np

STEPS, BATCH, CLASSES, RATE = 48, 16, 4, 0.05
LENGTH, INPUTS, UNITS, WORDS, SIZE = 40, 8, 24, 30, 10


class Training:
    """The weights of one training, drawn from its seed, and its updates besides those of the weights."""

    def __init__(self, K, seed):
        self.K, self.draws = K, np.random.RandomState(seed)
        self.weights, self.updates = [], []

    def weight(self, *shape):
        spread = np.prod(shape[:-1]) ** -0.5 if len(shape) > 1 else 0.1
        self.weights.append(self.K.variable(self.draws.normal(0, spread, shape)))
        return self.weights[-1]

    def dense(self, x, inputs, units):
        return self.K.bias_add(self.K.dot(x, self.weight(inputs, units)), self.weight(units))


def mlp(t):
    K, x = t.K, t.K.placeholder((None, INPUTS))
    return x, K.relu(t.dense(K.tanh(t.dense(x, INPUTS, UNITS)), UNITS, UNITS))


def convolutions(t):
    K, x = t.K, t.K.placeholder((None, SIZE, SIZE, 1))
    h = K.relu(K.conv2d(x, t.weight(3, 3, 1, 6), padding='same', data_format='channels_last'))
    h = K.pool2d(h, (2, 2), strides=(2, 2), data_format='channels_last')
    h = K.relu(K.conv2d(h, t.weight(3, 3, 6, UNITS), data_format='channels_last'))
    return x, K.mean(h, axis=[1, 2])


def lstm(t):
    K, n, x = t.K, UNITS, t.K.placeholder((None, LENGTH, INPUTS))
    kernel, recurrent, bias = t.weight(INPUTS, 4 * n), t.weight(n, 4 * n), t.weight(4 * n)

    def step(element, states):
        h, c = states
        z = K.bias_add(K.dot(element, kernel) + K.dot(h, recurrent), bias)
        c = K.sigmoid(z[:, n : 2 * n]) * c + K.sigmoid(z[:, :n]) * K.tanh(z[:, 2 * n : 3 * n])
        h = K.sigmoid(z[:, 3 * n :]) * K.tanh(c)
        return h, [h, c]

    zeros = K.zeros_like(K.dot(x[:, 0], kernel))[:, :n]
    return x, K.rnn(step, x, [zeros, zeros])[0]


def masked_gru(t):
    K, n, x = t.K, UNITS, t.K.placeholder((None, LENGTH, INPUTS))
    kernel, recurrent, bias = t.weight(INPUTS, 3 * n), t.weight(n, 3 * n), t.weight(3 * n)

    def step(element, states):
        h = states[0]
        a, b = K.bias_add(K.dot(element, kernel), bias), K.dot(h, recurrent)
        z, r = K.sigmoid(a[:, :n] + b[:, :n]), K.sigmoid(a[:, n : 2 * n] + b[:, n : 2 * n])
        h = z * h + (1.0 - z) * K.tanh(a[:, 2 * n :] + r * b[:, 2 * n :])
        return h, [h]

    mask = K.greater(K.sum(x, axis=-1), -1.0)
    return x, K.rnn(step, x, [K.zeros_like(K.dot(x[:, 0], kernel))[:, :n]], mask=mask)[0]


def embedding(t):
    words = t.K.placeholder((None, LENGTH), dtype='int32')
    return words, t.K.mean(t.K.gather(t.weight(WORDS, UNITS), words), axis=1)


def dropout(t):
    K, x = t.K, t.K.placeholder((None, INPUTS))
    return x, K.dropout(K.relu(t.dense(x, INPUTS, UNITS)), 0.4, seed=5)


def batch_normalization(t):
    K, x = t.K, t.K.placeholder((None, SIZE, SIZE, 1))
    h = K.conv2d(x, t.weight(3, 3, 1, UNITS), data_format='channels_last')
    h, mean, variance = K.normalize_batch_in_training(h, t.weight(UNITS), t.weight(UNITS), [0, 1, 2])
    for average, value in ((K.zeros((UNITS,)), mean), (K.ones((UNITS,)), variance)):
        t.updates.append(K.moving_average_update(average, value, 0.9))
    return x, K.mean(K.relu(h), axis=[1, 2])


TRAININGS = (mlp, convolutions, lstm, masked_gru, embedding, dropout, batch_normalization)


def trained(K, make):
    """A digest of the losses of all steps and of the last weights, and the losses."""
    t = Training(K, 3)
    x, features = make(t)
    labels = K.placeholder((None,), dtype='int32')
    loss = K.mean(K.sparse_categorical_crossentropy(labels, K.softmax(t.dense(features, UNITS, CLASSES))))
    for w, g in zip(t.weights, K.gradients(loss, t.weights)):
        speed = K.variable(np.zeros(K.int_shape(w)))
        new = 0.9 * speed - RATE * g
        t.updates += [K.update(speed, new), K.update_add(w, new)]
    step = K.function([x, labels], [loss], t.updates)
    shape, losses = (BATCH,) + tuple(K.int_shape(x)[1:]), []
    for _ in range(STEPS):
        targets = t.draws.randint(CLASSES, size=BATCH).astype('int32')
        if K.dtype(x) == 'int32':
            values = (t.draws.randint(WORDS, size=shape) // (1 + targets[:, None])).astype('int32')
        else:
            values = t.draws.normal(size=shape) + targets.reshape((-1,) + (1,) * (len(shape) - 1))
        losses.append(np.asarray(step([values, targets])[0], 'float32'))
    digest = hashlib.sha256(np.asarray(losses).tobytes())
    for w in t.weights:
        digest.update(np.asarray(K.get_value(w)).tobytes())
    return digest.hexdigest(), losses


def main(module='keras_backend'):
    K = importlib.import_module(module)
    for make in TRAININGS:
        digest, losses = trained(K, make)
        print('bits of', make.__name__, digest, f'{losses[0]:.4f}', f'{losses[-1]:.4f}')


if __name__ == '__main__':
    main(*sys.argv[1:])
