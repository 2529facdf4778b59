"""K on the CNTK engine compared with CNTK itself, in processor time: calls, training steps, new shapes."""

import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('KERAS_BACKEND_QUIET', '1')
os.environ['KERAS_BACKEND'] = 'cntk'

import time
import warnings

import numpy as np
from _measure import best, main

import keras_backend as K
from keras_backend.engines.cntk_backend.vendor import cntk as C

warnings.simplefilter('ignore')  # CNTK's own functions give many
RATE = 0.01
# Both run on one thread. What takes milliseconds gets many short turns, so that some turns are undisturbed.
SHORT = {'clock': time.process_time}
SHOTS = dict(SHORT, rounds=40, least=0)


def floats(*shape):
    return np.random.RandomState(len(shape)).uniform(-0.1, 0.1, shape).astype('float32')


def sgd(loss, weights):
    return [(w, w - RATE * g) for w, g in zip(weights, K.gradients(loss, weights))]


def trainer(z, loss):
    return C.Trainer(z, (loss,), [C.sgd(z.parameters, C.learning_rate_schedule(RATE, C.UnitType.minibatch))])


# -- calls -------------------------------------------------------------------------------------------------------
def calls(report):
    value, matrix = floats(32, 64), floats(64, 64)
    x, w = K.placeholder((32, 64)), K.variable(matrix)
    product = K.function([x], [K.dot(x, w)])
    a, b = C.input_variable((32, 64), dynamic_axes=[]), C.parameter(init=matrix)
    by_cntk = C.times(a, b)
    view = C.cntk_py.NDArrayView(value, C.cpu(), False, True)
    feeds = {a: C.cntk_py.Value(view)}

    def floor():
        outputs = {by_cntk.output: None}
        C.cntk_py.Function._forward(by_cntk, feeds, outputs, C.cpu(), set())
        return outputs[by_cntk.output].data().to_ndarray()

    assert np.abs(product([value])[0] - floor()).max() < 1e-6
    mine, least, evaluated = best(lambda: product([value]), floor, lambda: by_cntk.eval({a: value}), **SHORT)
    report.ratio('K.function: a product', mine, 'one forward of CNTK, values ready', least, 2)
    report.ratio('K.function: a product', mine, 'Function.eval of CNTK', evaluated, 1)


# -- multi-layer perceptron --------------------------------------------------------------------------------------
def mlp_step(sizes):
    weights = [K.variable(floats(a, b)) for a, b in zip(sizes, sizes[1:])] + [K.zeros((b,)) for b in sizes[1:]]
    x, target = K.placeholder((None, sizes[0])), K.placeholder((None, sizes[-1]))
    h, layers = x, len(sizes) - 1
    for i in range(layers):
        h = K.bias_add(K.dot(h, weights[i]), weights[layers + i])
        h = K.tanh(h) if i < layers - 1 else h
    loss = K.mean(K.categorical_crossentropy(target, h, from_logits=True))
    return K.function([x, target], [loss], updates=sgd(loss, weights))


def mlp_pair(sizes, batch):
    """A training step with K, and the same step with CNTK's Trainer."""
    step = mlp_step(sizes)
    value, label = floats(batch, sizes[0]), np.eye(sizes[-1], dtype='float32')[np.arange(batch) % sizes[-1]]
    x, target = C.input_variable(sizes[0]), C.input_variable(sizes[-1])
    h = x
    for a, b in zip(sizes[:-2], sizes[1:]):
        h = C.tanh(C.times(h, C.parameter(init=floats(a, b))) + C.parameter(init=np.zeros(b, 'float32')))
    z = C.times(h, C.parameter(init=floats(*sizes[-2:]))) + C.parameter(init=np.zeros(sizes[-1], 'float32'))
    train = trainer(z, C.cross_entropy_with_softmax(z, target))
    feeds = {x: value, target: label}
    first = step([value, label])[0]
    train.train_minibatch(feeds)
    assert abs(first - train.previous_minibatch_loss_average) < 1e-4
    return lambda: step([value, label]), lambda: train.train_minibatch(feeds)


def mlp(report):
    for sizes, batch in (((64, 128, 10), 32), ((784, 512, 512, 10), 128)):
        mine, native = best(*mlp_pair(sizes, batch), **SHOTS)
        what = f'MLP {"-".join(map(str, sizes))}, batch {batch}'
        report.ratio(what, mine, 'Trainer.train_minibatch', native, 1)


def new_shapes(report):
    step = mlp_step((64, 128, 10))
    took = []
    for batch in range(20, 40):
        value, label = floats(batch, 64), np.eye(10, dtype='float32')[np.arange(batch) % 10]
        started = time.perf_counter()
        step([value, label])
        took.append(time.perf_counter() - started)
    report.difference('MLP 64-128-10: the first step of a new batch size', min(took[1:]), 'nothing', 0, 0.05)


# -- convolutional network ---------------------------------------------------------------------------------------
def conv(report):
    batch = 64
    start = [floats(3, 3, 1, 32), floats(3, 3, 32, 64), floats(12 * 12 * 64, 10)]
    weights = [K.variable(w) for w in start]
    x, target = K.placeholder((None, 28, 28, 1)), K.placeholder((None, 10))
    h = K.relu(K.conv2d(K.relu(K.conv2d(x, weights[0])), weights[1]))
    z = K.dot(K.reshape(K.pool2d(h, (2, 2), (2, 2)), (-1, 12 * 12 * 64)), weights[2])
    loss = K.mean(K.categorical_crossentropy(target, z, from_logits=True))
    step = K.function([x, target], [loss], updates=sgd(loss, weights))
    value, label = floats(batch, 28, 28, 1), np.eye(10, dtype='float32')[np.arange(batch) % 10]

    a, b = C.input_variable((1, 28, 28)), C.input_variable(10)
    none = [False, False, False]

    def kernel(w):
        return C.parameter(init=np.ascontiguousarray(w.transpose(3, 2, 0, 1)))

    c = C.relu(C.convolution(kernel(start[0]), a, auto_padding=none))
    c = C.relu(C.convolution(kernel(start[1]), c, auto_padding=none))
    c = C.reshape(C.pooling(c, C.MAX_POOLING, (2, 2), (2, 2)), (12 * 12 * 64,))
    flat = start[2].reshape(12, 12, 64, 10).transpose(2, 0, 1, 3).reshape(12 * 12 * 64, 10)
    by_hand = C.times(c, C.parameter(init=np.ascontiguousarray(flat)))
    train = trainer(by_hand, C.cross_entropy_with_softmax(by_hand, b))
    feeds = {a: np.ascontiguousarray(value.transpose(0, 3, 1, 2)), b: label}
    first = step([value, label])[0]
    train.train_minibatch(feeds)
    assert abs(first - train.previous_minibatch_loss_average) < 1e-4
    mine, native = best(lambda: step([value, label]), lambda: train.train_minibatch(feeds), **SHOTS)
    report.ratio('conv 28x28x1-32-64-pool-10, batch 64', mine, 'the same graph in CNTK', native, 1.2)


# -- long short-term memory --------------------------------------------------------------------------------------
def lstm(report):
    steps, batch, inputs, units = 50, 32, 64, 128
    start = [floats(inputs, 4 * units), floats(units, 4 * units), np.zeros(4 * units, 'float32')]
    weights = [K.variable(w) for w in start]
    x = K.placeholder((None, None, inputs))

    def cell(sigmoid, tanh, z, c):
        c = sigmoid(z[1]) * c + sigmoid(z[0]) * tanh(z[2])
        return sigmoid(z[3]) * tanh(c), c

    def step(e, states):
        h, c = states
        z = K.bias_add(K.dot(e, weights[0]) + K.dot(h, weights[1]), weights[2])
        h, c = cell(K.sigmoid, K.tanh, [z[:, i * units : (i + 1) * units] for i in range(4)], c)
        return h, [h, c]

    zero = K.zeros((K.shape(x)[0], units))
    last = K.rnn(step, x, [zero, zero])[0]
    loss = K.mean(K.square(last))
    train_k = K.function([x], [loss], updates=sgd(loss, weights))
    infer = K.function([x], [last])
    value = floats(batch, steps, inputs)

    a = C.sequence.input_variable(inputs)
    w, u, b = [C.parameter(init=v) for v in start]
    h, c = [C.placeholder((units,), dynamic_axes=a.dynamic_axes) for _ in range(2)]
    z = C.times(a, w) + C.times(C.sequence.past_value(h), u) + b
    new_h, new_c = cell(
        C.sigmoid, C.tanh, [C.slice(z, 0, i * units, (i + 1) * units) for i in range(4)], C.sequence.past_value(c)
    )
    both = C.combine([new_h, new_c]).replace_placeholders({h: new_h.output, c: new_c.output})
    by_hand = C.sequence.last(both.outputs[0])
    mean = C.reduce_mean(C.square(by_hand))
    train = trainer(by_hand, mean)
    feeds = {a: value}
    assert np.abs(infer([value])[0] - by_hand.eval(feeds)).max() < 1e-5
    forward, native = best(lambda: infer([value]), lambda: by_hand.eval(feeds), **SHOTS)
    report.ratio('LSTM forward, T=50 B=32 I=64 H=128', forward, 'the same loop in CNTK', native)
    mine, native = best(lambda: train_k([value]), lambda: train.train_minibatch(feeds), **SHOTS)
    report.ratio('LSTM training step', mine, 'the same loop in CNTK', native, 1.2)


def long_loop(report):
    x, w, u = K.placeholder((None, None, 16)), K.variable(floats(16, 32)), K.variable(floats(32, 32))

    def step(e, states):
        h = K.tanh(K.dot(e, w) + K.dot(states[0], u))
        return h, [h]

    last = K.rnn(step, x, [K.zeros((K.shape(x)[0], 32))])[0]
    loss = K.mean(K.square(last))
    train = K.function([x], [loss], updates=sgd(loss, [w, u]))
    value = floats(8, 1000, 16)
    started = time.perf_counter()
    train([value])
    first = time.perf_counter() - started
    report.difference('a loop of 1000 steps: the first training step', first, 'nothing', 0, 2)


def run(report):
    np.random.seed(0)
    calls(report)
    mlp(report)
    new_shapes(report)
    conv(report)
    lstm(report)
    long_loop(report)


if __name__ == '__main__':
    main(run, __doc__.splitlines()[0])
