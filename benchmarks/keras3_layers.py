"""Layers and a loss that are written with K beside the same written with keras.ops: what a step of training costs.

KERAS_BACKEND=jax python benchmarks/keras3_layers.py

TensorFlow and JAX compile the step, PyTorch runs it function by function. The clock is that of the CPU, and the two
have turns. `tests/engines/keras3/test_cost_of_layers.py` compares how many operations TensorFlow and JAX compile.
"""

import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('KERAS_BACKEND_QUIET', '1')
os.environ.setdefault('TF_NUM_INTRAOP_THREADS', '1')
os.environ.setdefault('XLA_FLAGS', '--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1')

import time

import keras
import numpy as np
from _measure import best, main
from keras import ops

import keras_backend.keras3 as K

TARGET = 1.05
# Of `fit`, whose own work around a step is the same for both.
TARGET_OF_FIT = 1.03
FITTED = ('attention', 'convolution', 'focal loss')


class Weights(keras.layers.Layer):
    """A layer with the weights that `shapes` names, drawn from a fixed seed."""

    shapes = {}

    def build(self, input_shape):
        for number, (name, shape) in enumerate(sorted(self.shapes.items())):
            start = keras.initializers.RandomNormal(stddev=0.1, seed=number)
            setattr(self, name, self.add_weight(shape=shape, initializer=start, name=name))


class Attention(Weights):
    """Additive attention over time."""

    size, shapes = (64, 128), {'w': (128, 128), 'b': (128,), 'u': (128, 1)}


class AttentionOfK(Attention):
    def call(self, x):
        scores = K.dot(K.tanh(K.bias_add(K.dot(x, self.w), self.b)), self.u)
        weights = K.softmax(K.squeeze(scores, -1))
        return K.sum(x * K.expand_dims(weights), axis=1)


class AttentionOfKeras(Attention):
    def call(self, x):
        scores = ops.matmul(ops.tanh(ops.add(ops.matmul(x, self.w), self.b)), self.u)
        weights = ops.softmax(ops.squeeze(scores, -1))
        return ops.sum(x * ops.expand_dims(weights, -1), axis=1)


class Recurrent(Weights):
    """An LSTM, its step a function."""

    size, shapes = (16, 32), {'w': (32, 256), 'u': (64, 256), 'b': (256,)}


class RecurrentOfK(Recurrent):
    def step(self, x, states):
        h, c = states
        z = K.bias_add(K.dot(x, self.w) + K.dot(h, self.u), self.b)
        i, f, g, o = z[:, :64], z[:, 64:128], z[:, 128:192], z[:, 192:]
        c = K.sigmoid(f) * c + K.sigmoid(i) * K.tanh(g)
        h = K.sigmoid(o) * K.tanh(c)
        return h, [h, c]

    def call(self, x):
        zeros = K.tile(K.zeros_like(x[:, 0, :1]), (1, 64))
        return K.rnn(self.step, x, [zeros, zeros])[0]


class CellOfKeras(Recurrent):
    state_size, output_size = (64, 64), 64

    def call(self, x, states):
        h, c = states
        z = ops.add(ops.matmul(x, self.w) + ops.matmul(h, self.u), self.b)
        i, f, g, o = z[:, :64], z[:, 64:128], z[:, 128:192], z[:, 192:]
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


class RecurrentOfKeras(keras.layers.RNN):
    """The same by what Keras has for steps; `keras.ops.scan` wants outputs that look like states on TensorFlow."""

    size = Recurrent.size

    def __init__(self):
        super().__init__(CellOfKeras())


class Convolution(Weights):
    """A convolution, its normalization and pooling."""

    size, shapes = (16, 16, 16), {'w': (3, 3, 16, 16), 'b': (16,), 'gamma': (16,)}


class ConvolutionOfK(Convolution):
    def call(self, x):
        y = K.bias_add(K.conv2d(x, self.w, padding='same', data_format='channels_last'), self.b)
        y = K.relu(y)
        return K.pool2d(y * self.gamma, (2, 2), strides=(2, 2), data_format='channels_last')


class ConvolutionOfKeras(Convolution):
    def call(self, x):
        y = ops.add(ops.conv(x, self.w, padding='same', data_format='channels_last'), self.b)
        y = ops.relu(y)
        return ops.max_pool(y * self.gamma, (2, 2), strides=(2, 2), data_format='channels_last')


class Normalization(Weights):
    """Layer normalization."""

    size, shapes = (64, 128), {'gamma': (128,), 'beta': (128,)}


class NormalizationOfK(Normalization):
    def call(self, x):
        mean = K.mean(x, axis=-1, keepdims=True)
        var = K.var(x, axis=-1, keepdims=True)
        return (x - mean) / K.sqrt(var + K.epsilon()) * self.gamma + self.beta


class NormalizationOfKeras(Normalization):
    def call(self, x):
        mean = ops.mean(x, axis=-1, keepdims=True)
        var = ops.var(x, axis=-1, keepdims=True)
        return (x - mean) / ops.sqrt(var + keras.config.epsilon()) * self.gamma + self.beta


class Gate(Weights):
    """A small layer of element-wise functions."""

    size, shapes = (256,), {'a': (256,), 'b': (256,)}


class GateOfK(Gate):
    def call(self, x):
        y = K.clip(x * self.a, -2.0, 2.0)
        return K.maximum(K.sigmoid(y), K.abs(self.b)) * K.exp(-K.square(x))


class GateOfKeras(Gate):
    def call(self, x):
        y = ops.clip(x * self.a, -2.0, 2.0)
        return ops.maximum(ops.sigmoid(y), ops.abs(self.b)) * ops.exp(-ops.square(x))


class Scores(Weights):
    """One layer, so that a loss has something to train."""

    size, shapes = (64,), {'w': (64, 10)}

    def call(self, x):
        return ops.softmax(ops.matmul(x, self.w))


def focal_loss_of_k(y_true, y_pred):
    """Focal loss, as its programs write it."""
    y_pred = K.clip(y_pred, K.epsilon(), 1.0 - K.epsilon())
    crossentropy = -y_true * K.log(y_pred)
    return K.mean(K.sum(0.25 * K.pow(1.0 - y_pred, 2.0) * crossentropy, axis=-1))


def focal_loss_of_keras(y_true, y_pred):
    """The same with keras.ops."""
    epsilon = keras.config.epsilon()
    y_pred = ops.clip(y_pred, epsilon, 1.0 - epsilon)
    crossentropy = -y_true * ops.log(y_pred)
    return ops.mean(ops.sum(0.25 * ops.power(1.0 - y_pred, 2.0) * crossentropy, axis=-1))


def small_of_k(y_true, y_pred):
    """A small loss."""
    return K.mean(K.square(y_pred))


def small_of_keras(y_true, y_pred):
    """The same with keras.ops."""
    return ops.mean(ops.square(y_pred))


# What is measured: the two layers, the two losses.
PAIRS = {
    'attention': ((AttentionOfK, AttentionOfKeras), (small_of_keras, small_of_keras)),
    'LSTM by K.rnn': ((RecurrentOfK, RecurrentOfKeras), (small_of_keras, small_of_keras)),
    'convolution': ((ConvolutionOfK, ConvolutionOfKeras), (small_of_keras, small_of_keras)),
    'layer normalization': ((NormalizationOfK, NormalizationOfKeras), (small_of_keras, small_of_keras)),
    'element-wise': ((GateOfK, GateOfKeras), (small_of_keras, small_of_keras)),
    'focal loss': ((Scores, Scores), (focal_loss_of_k, focal_loss_of_keras)),
    'small loss': ((Scores, Scores), (small_of_k, small_of_keras)),
}


def model_of(layer, loss):
    """A compiled model of one layer."""
    model = keras.Sequential([keras.Input(layer.size), layer()])
    model.compile(keras.optimizers.SGD(0.01), loss)
    return model


def step_of(model, batch):
    """A function that trains on one batch."""
    random = np.random.RandomState(0)
    x = ops.convert_to_tensor(random.rand(batch, *model.input_shape[1:]).astype('float32'))
    y = ops.convert_to_tensor(random.rand(batch, *model.output_shape[1:]).astype('float32'))
    if keras.backend.backend() == 'jax':
        return _step_of_jax(model, x, y)
    model.make_train_function()
    if keras.backend.backend() == 'torch':
        return lambda: model.train_step((x, y))
    step = model.train_function

    def endless():
        while True:
            yield x, y

    data = endless()
    return lambda: step(data)


def _step_of_jax(model, x, y):
    import jax

    model.train_on_batch(np.asarray(x), np.asarray(y))
    train = jax.jit(lambda state: model.train_step(state, (x, y))[1])
    model.optimizer.build(model.trainable_variables)
    state = [
        [v.value for v in variables]
        for variables in (
            model.trainable_variables,
            model.non_trainable_variables,
            model.optimizer.variables,
            model.metrics_variables,
        )
    ]
    held = [tuple(state)]

    def step():
        held[0] = train(held[0])
        jax.block_until_ready(held[0])

    return step


def fit_of(model, batch):
    """A function that trains an epoch of 20 batches by `fit`."""
    random = np.random.RandomState(0)
    x, y = [random.rand(20 * batch, *shape[1:]).astype('float32') for shape in (model.input_shape, model.output_shape)]
    return lambda: model.fit(x, y, batch_size=batch, epochs=1, shuffle=False, verbose=0)


def run(report):
    batch = 32
    for title, (layers, losses) in PAIRS.items():
        ours, theirs = [step_of(model_of(layer, loss), batch) for layer, loss in zip(layers, losses)]
        own, other = best(ours, theirs, rounds=25, least=0.05, clock=time.process_time)
        report.ratio(f'{title}, written with K', own, 'with keras.ops', other, TARGET)
    for title in FITTED:
        layers, losses = PAIRS[title]
        ours, theirs = [fit_of(model_of(layer, loss), batch) for layer, loss in zip(layers, losses)]
        own, other = best(ours, theirs, rounds=25, least=0.05, clock=time.process_time)
        report.ratio(f'{title}, 20 batches by fit', own, 'with keras.ops', other, TARGET_OF_FIT)


if __name__ == '__main__':
    main(run, __doc__.splitlines()[0])
