"""Training steps, compilation and calls on the Theano engine compared with the same model written in Theano."""

import os
import sys

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
os.environ['KERAS_BACKEND_QUIET'] = '1'
os.environ['KERAS_BACKEND'] = 'theano'

import gc
import time

import numpy as np
from _measure import best, main

import keras_backend as K
from keras_backend.engines.theano_backend.vendor import T, theano

RATE = np.float32(0.01)


def floats(*shape):
    return np.random.RandomState(len(shape)).uniform(-0.1, 0.1, shape).astype('float32')


def shared(array):
    return theano.shared(array, broadcastable=[n == 1 for n in array.shape])


def trained_by_k(loss, weights, inputs):
    grads = K.gradients(loss, weights)
    return K.function(inputs, [loss], updates=[(w, w - RATE * g) for w, g in zip(weights, grads)])


def trained_by_theano(loss, weights, inputs):
    grads = theano.grad(loss, weights)
    return lambda: theano.function(inputs, [loss], updates=[(w, w - RATE * g) for w, g in zip(weights, grads)])


def spent():
    """Processor time of this process and its compilers. A busy machine does not change it."""
    return time.process_time() + sum(os.times()[2:4])


def compared(report, what, by_k, direct, values, steps=True):
    """Compile and run both in turns, from the compile directory, and then time them in turns."""
    builds = {'K': lambda: by_k()(values), 'Theano': lambda: direct()()(*values)}
    seconds = {}
    for round_ in range(6):
        for name in sorted(builds, reverse=round_ % 2):
            gc.collect()
            started = spent()
            builds[name]()
            if round_:  # from now on the C code is in the compile directory
                seconds[name] = min(seconds.get(name, float('inf')), spent() - started)
    report.ratio('building ' + what, seconds['K'], 'in Theano', seconds['Theano'], 1.1)
    ours, theirs = by_k(), direct()()
    theirs.trust_input = True
    for _ in range(3):
        assert abs(ours(values)[0] - theirs(*values)[0]) < 1e-4
    mine, other = best(lambda: ours(values), lambda: theirs(*values), rounds=15, clock=time.process_time)
    report.ratio('step of ' + what, mine, 'in Theano', other, 1.05)


# -- calls ------------------------------------------------------------------------------------------------------------
def calls(report):
    x, w = K.placeholder((None, 5)), K.variable(np.ones((5, 5)))
    ours = K.function([x], [K.dot(x, w)], updates=[K.update_add(w, np.ones((5, 5)))])
    u, v = T.fmatrix(), theano.shared(np.ones((5, 5), 'float32'))
    theirs = theano.function([u], [T.dot(u, v)], updates=[(v, v + np.ones((5, 5), 'float32'))])
    theirs.trust_input = True
    value = np.ones((5, 5), 'float32')
    mine, other = best(lambda: ours([value]), lambda: theirs(value), least=0.1, clock=time.process_time)
    report.ratio('call of K.function', mine, 'trusted call in Theano', other, 1.3)


# -- multi-layer perceptron -------------------------------------------------------------------------------------------
def mlp(report):
    sizes, batch = (784, 512, 512, 10), 128
    start = [floats(a, b) for a, b in zip(sizes, sizes[1:])] + [floats(b) for b in sizes[1:]]

    def by_k():
        weights = [K.variable(w) for w in start]
        x, target = K.placeholder((None, 784)), K.placeholder((None, 10))
        h = x
        for i in range(3):
            h = K.bias_add(K.dot(h, weights[i]), weights[3 + i])
            h = K.relu(h) if i < 2 else K.softmax(h)
        loss = K.mean(K.categorical_crossentropy(target, h))
        return trained_by_k(loss, weights, [x, target])

    def direct():
        weights = [shared(w) for w in start]
        x, target = T.fmatrix(), T.fmatrix()
        h = x
        for i in range(3):
            h = T.dot(h, weights[i]) + weights[3 + i]
            h = T.nnet.relu(h) if i < 2 else T.nnet.softmax(h)
        h = h / h.sum(axis=1, keepdims=True)
        h = T.clip(h, np.float32(1e-7), np.float32(1 - 1e-7))
        loss = T.nnet.categorical_crossentropy(h, target).mean()
        return trained_by_theano(loss, weights, [x, target])

    compared(
        report,
        'MLP 784-512-512-10, batch 128',
        by_k,
        direct,
        [floats(batch, 784), np.eye(10, dtype='float32')[np.arange(batch) % 10]],
    )


# -- convolutional network --------------------------------------------------------------------------------------------
def conv(report):
    batch = 64
    start = [floats(3, 3, 1, 32), floats(3, 3, 32, 64), floats(12 * 12 * 64, 10)]

    def by_k():
        weights = [K.variable(w) for w in start]
        x, target = K.placeholder((None, 1, 28, 28)), K.placeholder((None, 10))
        h = K.relu(K.conv2d(x, weights[0], data_format='channels_first'))
        h = K.relu(K.conv2d(h, weights[1], data_format='channels_first'))
        h = K.pool2d(h, (2, 2), (2, 2), data_format='channels_first')
        h = K.softmax(K.dot(K.batch_flatten(h), weights[2]))
        loss = K.mean(K.categorical_crossentropy(target, h))
        return trained_by_k(loss, weights, [x, target])

    def direct():
        from theano.tensor.signal.pool import pool_2d

        weights = [shared(w.transpose(3, 2, 0, 1).copy()) for w in start[:2]] + [shared(start[2])]
        x, target = T.ftensor4(), T.fmatrix()
        h = T.nnet.relu(T.nnet.conv2d(x, weights[0], filter_flip=False))
        h = T.nnet.relu(T.nnet.conv2d(h, weights[1], filter_flip=False))
        h = pool_2d(h, (2, 2), ignore_border=True)
        h = T.nnet.softmax(T.dot(h.flatten(2), weights[2]))
        h = T.clip(h / h.sum(axis=1, keepdims=True), np.float32(1e-7), np.float32(1 - 1e-7))
        loss = T.nnet.categorical_crossentropy(h, target).mean()
        return trained_by_theano(loss, weights, [x, target])

    compared(
        report,
        'conv 28x28x1-32-64-pool-10, batch 64',
        by_k,
        direct,
        [floats(batch, 1, 28, 28), np.eye(10, dtype='float32')[np.arange(batch) % 10]],
    )


# -- long short-term memory -------------------------------------------------------------------------------------------
def lstm(report):
    steps, batch, inputs, units = 50, 32, 64, 128
    start = [floats(inputs, 4 * units), floats(units, 4 * units), floats(4 * units)]

    def cell(z, c, sigmoid, tanh):
        c = sigmoid(z[:, units : 2 * units]) * c + sigmoid(z[:, :units]) * tanh(z[:, 2 * units : 3 * units])
        return sigmoid(z[:, 3 * units :]) * tanh(c), c

    def by_k():
        weights = [K.variable(w) for w in start]
        x = K.placeholder((None, steps, inputs))

        def step(e, states):
            z = K.bias_add(K.dot(e, weights[0]) + K.dot(states[0], weights[1]), weights[2])
            h, c = cell(z, states[1], K.sigmoid, K.tanh)
            return h, [h, c]

        zero = K.zeros((K.shape(x)[0], units))
        loss = K.mean(K.square(K.rnn(step, x, [zero, zero])[0]))
        return trained_by_k(loss, weights, [x])

    def direct():
        weights = [shared(w) for w in start]
        x = T.ftensor3()

        def step(e, h, c, *_weights):
            return cell(T.dot(e, weights[0]) + T.dot(h, weights[1]) + weights[2], c, T.nnet.sigmoid, T.tanh)

        zero = T.zeros((x.shape[0], units), 'float32')
        h = theano.scan(step, x.dimshuffle(1, 0, 2), [zero, zero], weights)[0][0][-1]
        return trained_by_theano(T.mean(T.sqr(h)), weights, [x])

    compared(report, 'LSTM T=50 B=32 I=64 H=128', by_k, direct, [floats(batch, steps, inputs)])


def run(report):
    np.random.seed(0)
    asked = os.environ.get('THEANO_STEPS', 'calls mlp conv lstm').split()
    for name in asked:
        getattr(sys.modules[__name__], name)(report)


if __name__ == '__main__':
    main(run, __doc__.splitlines()[0])
