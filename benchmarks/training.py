"""Training steps on the NumPy engine compared with hand-written NumPy of the same algorithm."""

import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
os.environ.setdefault('KERAS_BACKEND_QUIET', '1')
os.environ['KERAS_BACKEND'] = 'numpy'

import time

import numpy as np
from _measure import best, main
from numpy.lib.stride_tricks import as_strided

import keras_backend as K

RATE = np.float32(0.01)


def sgd(loss, weights):
    return [(w, w - 0.01 * g) for w, g in zip(weights, K.gradients(loss, weights))]


def floats(*shape):
    return np.random.RandomState(len(shape)).uniform(-0.1, 0.1, shape).astype('float32')


# -- multi-layer perceptron --------------------------------------------------------------------------------------
def mlp(report):
    sizes, batch = (784, 512, 512, 10), 128
    start = [floats(a, b) for a, b in zip(sizes, sizes[1:])] + [floats(b) for b in sizes[1:]]
    weights = [K.variable(w) for w in start]
    x, target = K.placeholder((None, 784)), K.placeholder((None, 10))
    h = x
    for i in range(3):
        h = K.bias_add(K.dot(h, weights[i]), weights[3 + i])
        h = K.relu(h) if i < 2 else h
    loss = K.mean(K.categorical_crossentropy(target, h, from_logits=True))
    step = K.function([x, target], [loss], updates=sgd(loss, weights))
    value, label = floats(batch, 784), np.eye(10, dtype='float32')[np.arange(batch) % 10]
    mine = [w.copy() for w in start]

    def by_hand():
        w1, w2, w3, b1, b2, b3 = mine
        h1 = np.maximum(value @ w1 + b1, 0)
        h2 = np.maximum(h1 @ w2 + b2, 0)
        z = h2 @ w3 + b3
        z -= z.max(axis=1, keepdims=True)
        e = np.exp(z)
        total = e.sum(axis=1, keepdims=True)
        error = (e / total - label) / np.float32(batch)
        loss = -np.sum(label * (z - np.log(total))) / batch
        g2 = error @ w3.T * (h2 > 0)
        g1 = g2 @ w2.T * (h1 > 0)
        grads = (value.T @ g1, h1.T @ g2, h2.T @ error, g1.sum(axis=0), g2.sum(axis=0), error.sum(axis=0))
        mine[:] = [w - RATE * g for w, g in zip(mine, grads)]
        return loss

    assert abs(step([value, label])[0] - by_hand()) < 1e-4
    by_k, hand = best(lambda: step([value, label]), by_hand)
    report.ratio('MLP 784-512-512-10, batch 128', by_k, 'hand-written step', hand, 1.2)


# -- convolutional network ---------------------------------------------------------------------------------------
def windows(x, k):
    n, h, w, c = x.shape
    a, b, d, e = x.strides
    return as_strided(x, (n, h - k + 1, w - k + 1, k, k, c), (a, b, d, b, d, e), writeable=False)


def conv(report):
    batch, k = 64, 3
    start = [floats(k, k, 1, 32), floats(k, k, 32, 64), floats(12 * 12 * 64, 10)]
    weights = [K.variable(w) for w in start]
    x, target = K.placeholder((None, 28, 28, 1)), K.placeholder((None, 10))
    h = K.relu(K.conv2d(x, weights[0]))
    h = K.relu(K.conv2d(h, weights[1]))
    h = K.pool2d(h, (2, 2), (2, 2))
    z = K.dot(K.reshape(h, (-1, 12 * 12 * 64)), weights[2])
    loss = K.mean(K.categorical_crossentropy(target, z, from_logits=True))
    step = K.function([x, target], [loss], updates=sgd(loss, weights))
    value, label = floats(batch, 28, 28, 1), np.eye(10, dtype='float32')[np.arange(batch) % 10]
    mine = [w.copy() for w in start]

    def forward(x, w):
        columns = windows(x, k).reshape(-1, w[..., 0].size)
        n, h, width, _c = x.shape
        return (columns @ w.reshape(-1, w.shape[-1])).reshape(n, h - k + 1, width - k + 1, -1), columns

    def by_hand():
        w1, w2, w3 = mine
        a1, c1 = forward(value, w1)
        h1 = np.maximum(a1, 0)
        a2, c2 = forward(h1, w2)
        h2 = np.maximum(a2, 0)
        corners = [h2[:, i::2, j::2] for i in (0, 1) for j in (0, 1)]
        pooled = np.maximum(np.maximum(corners[0], corners[1]), np.maximum(corners[2], corners[3]))
        flat = pooled.reshape(batch, -1)
        z = flat @ w3
        z -= z.max(axis=1, keepdims=True)
        e = np.exp(z)
        total = e.sum(axis=1, keepdims=True)
        error = (e / total - label) / np.float32(batch)
        loss = -np.sum(label * (z - np.log(total))) / batch
        g3 = flat.T @ error
        up = (error @ w3.T).reshape(pooled.shape)
        g_h2 = np.zeros_like(h2)
        left = np.ones(pooled.shape, bool)
        for corner, (i, j) in zip(corners, ((0, 0), (0, 1), (1, 0), (1, 1))):
            hit = left & (corner == pooled)
            left &= ~hit
            g_h2[:, i::2, j::2] = up * hit
        g_a2 = g_h2 * (a2 > 0)
        rows = g_a2.reshape(-1, 64)
        g2 = (c2.T @ rows).reshape(w2.shape)
        back = (rows @ w2.reshape(-1, 64).T).reshape(batch, 24, 24, k, k, 32)
        g_h1 = np.zeros_like(h1)
        for i in range(k):
            for j in range(k):
                g_h1[:, i : i + 24, j : j + 24] += back[:, :, :, i, j]
        g1 = (c1.T @ (g_h1 * (a1 > 0)).reshape(-1, 32)).reshape(w1.shape)
        mine[:] = [w - RATE * g for w, g in zip(mine, (g1, g2, g3))]
        return loss

    assert abs(step([value, label])[0] - by_hand()) < 1e-4
    by_k, hand = best(lambda: step([value, label]), by_hand, rounds=5)
    report.ratio('conv 28x28x1-32-64-pool-10, batch 64', by_k, 'hand-written step', hand, 1.2)


# -- long short-term memory --------------------------------------------------------------------------------------
def lstm(report):
    steps, batch, inputs, units = 50, 32, 64, 128
    start = [floats(inputs, 4 * units), floats(units, 4 * units), np.zeros(4 * units, 'float32')]
    weights = [K.variable(w) for w in start]
    x = K.placeholder((None, steps, inputs))

    def step(e, states):
        h, c = states
        z = K.bias_add(K.dot(e, weights[0]) + K.dot(h, weights[1]), weights[2])
        c = K.sigmoid(z[:, units : 2 * units]) * c + K.sigmoid(z[:, :units]) * K.tanh(z[:, 2 * units : 3 * units])
        h = K.sigmoid(z[:, 3 * units :]) * K.tanh(c)
        return h, [h, c]

    zero = K.zeros((K.shape(x)[0], units))
    last = K.rnn(step, x, [zero, zero])[0]
    loss = K.mean(K.square(last))
    train = K.function([x], [loss], updates=sgd(loss, weights))
    infer = K.function([x], [last])
    value = floats(batch, steps, inputs)
    w, u, b = start
    one, half = np.float32(1), np.float32(0.5)

    def sigmoid(z):
        return half * (np.tanh(half * z) + one)

    def by_hand():
        h = c = np.zeros((batch, units), 'float32')
        for t in range(steps):
            z = value[:, t] @ w + h @ u + b
            c = sigmoid(z[:, units : 2 * units]) * c + sigmoid(z[:, :units]) * np.tanh(z[:, 2 * units : 3 * units])
            h = sigmoid(z[:, 3 * units :]) * np.tanh(c)
        return h

    assert np.abs(infer([value])[0] - by_hand()).max() < 1e-5
    by_k, forward, hand = best(lambda: train([value]), lambda: infer([value]), by_hand)
    report.ratio('LSTM forward, T=50 B=32 I=64 H=128', forward, 'hand-written forward', hand)
    report.ratio('LSTM training step', by_k, 'hand-written forward', hand, 3)


# -- embedding ---------------------------------------------------------------------------------------------------
def embedding(report):
    indices = np.random.RandomState(0).randint(0, 50000, (32, 50)).astype('int32')

    def step_of(rows):
        table, i = K.variable(floats(rows, 128)), K.placeholder((None, 50), dtype='int32')
        loss = K.mean(K.square(K.gather(table, i)))
        step = K.function([i], [loss], updates=sgd(loss, [table]))
        return lambda: step([indices])

    small, large = best(step_of(50000), step_of(500000), clock=time.process_time)
    report.ratio('embedding, 500,000 rows of 128, 1,600 read', large, '50,000 rows', small, 1.5)


def run(report):
    np.random.seed(0)
    mlp(report)
    conv(report)
    lstm(report)
    embedding(report)


if __name__ == '__main__':
    main(run, __doc__.splitlines()[0])
