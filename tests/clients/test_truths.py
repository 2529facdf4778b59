"""Layers, losses, metrics and optimizers beside formulas of their documentation and papers, written in NumPy."""

import keras
import numpy as np
import pytest
from keras import backend as K
from keras import layers as L

from . import layer_lists
from .cases import UNBIASED_AVERAGES, batch, settle, siamese


def close(found, expected):
    """Equal as far as float32 goes."""
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def hard_sigmoid(x):
    return np.clip(0.2 * x + 0.5, 0, 1)


def predicted(layer, x):
    """What a model of one layer predicts, and the layer's weights."""
    inputs = L.Input(x.shape[1:])
    model = settle(keras.models.Model(inputs, layer(inputs)))
    return model.predict(x), model.get_weights()


def test_dense():
    """Dense: activation(x w + b)."""
    (x,) = batch('vectors', (5,))
    y, (w, b) = predicted(L.Dense(4, activation='tanh'), x)
    close(y, np.tanh(x.dot(w) + b))


@pytest.mark.parametrize(('padding', 'before', 'after'), [('valid', 0, 0), ('same', 1, 1), ('causal', 2, 0)])
def test_conv1d_layer(padding, before, after):
    """Conv1D: a product of every window with the kernel."""
    (x,) = batch('steps', (6, 3))
    y, (w, b) = predicted(L.Conv1D(4, 3, padding=padding), x)
    padded = np.pad(x, [(0, 0), (before, after), (0, 0)], 'constant')
    close(y, np.stack([np.einsum('bti,tio->bo', padded[:, t : t + 3], w) for t in range(padded.shape[1] - 2)], 1) + b)


@pytest.mark.parametrize('strides', [1, 2])
def test_conv2d_layers(strides):
    """Conv2D, and Conv2DTranspose as its adjoint."""
    (x,) = batch('images', (8, 7, 2))
    y, (w, b) = predicted(L.Conv2D(3, 2, strides=strides), x)
    rows, columns = range(0, 7, strides), range(0, 6, strides)
    expected = np.array([[np.einsum('bhwi,hwio->bo', x[:, r : r + 2, c : c + 2], w) for c in columns] for r in rows])
    close(y, expected.transpose(2, 0, 1, 3) + b)
    z, (v, a) = predicted(L.Conv2DTranspose(3, 2, strides=strides), x)
    spread = np.zeros((4, 7 * strides + 2, 6 * strides + 2, 3))
    for r in range(8):
        for c in range(7):
            at = spread[:, r * strides : r * strides + 2, c * strides : c * strides + 2]
            at += np.einsum('bi,hwoi->bhwo', x[:, r, c], v)
    close(z, spread + a)


def simple_rnn(x, weights, state):
    w, u, b = weights
    new = np.tanh(x.dot(w) + state[0].dot(u) + b)
    return new, [new]


def lstm(x, weights, state):
    w, u, b = weights
    i, f, c, o = np.split(x.dot(w) + state[0].dot(u) + b, 4, axis=1)
    memory = sigmoid(f) * state[1] + sigmoid(i) * np.tanh(c)
    new = sigmoid(o) * np.tanh(memory)
    return new, [new, memory]


def gru(x, weights, state):
    w, u, b = weights
    n = u.shape[0]
    x, h = x.dot(w) + b, state[0]
    z, r = np.split(sigmoid(x[:, : 2 * n] + h.dot(u[:, : 2 * n])), 2, axis=1)
    new = z * h + (1 - z) * np.tanh(x[:, 2 * n :] + (r * h).dot(u[:, 2 * n :]))
    return new, [new]


@pytest.mark.parametrize('masking', [False, True])
@pytest.mark.parametrize(
    ('make', 'step'),
    [
        (lambda **o: L.SimpleRNN(4, **o), simple_rnn),
        (lambda **o: L.LSTM(4, recurrent_activation='sigmoid', **o), lstm),
        (lambda **o: L.GRU(4, recurrent_activation='sigmoid', reset_after=False, **o), gru),
    ],
)
def test_recurrent_layers(make, step, masking):
    """SimpleRNN, LSTM and GRU step by step; where the mask is false states and outputs stay as they were."""
    (x,) = batch('masked', (6, 3))
    inputs = L.Input((6, 3))
    layer = make(return_sequences=True)
    model = settle(keras.models.Model(inputs, layer(L.Masking()(inputs) if masking else inputs)))
    state = [np.zeros((4, 4)) for _ in range(2 if step is lstm else 1)]
    output, expected = np.zeros((4, 4)), []
    for t in range(6):
        there = x[:, t].any(axis=1)[:, None] | (not masking)
        new, states = step(x[:, t], model.get_weights(), state)
        output = np.where(there, new, output)
        state = [np.where(there, a, b) for a, b in zip(states, state)]
        expected.append(output)
    close(model.predict(x), np.stack(expected, 1))


def test_batch_normalization_layer():
    """BatchNormalization: by moving statistics in prediction; by those of the batch in training, which moves them."""
    (x,) = batch('vectors', (5,), samples=8)
    inputs = L.Input((5,))
    layer = L.BatchNormalization(momentum=0.9)
    model = settle(keras.models.Model(inputs, layer(inputs)))
    gamma, beta, mean, variance = model.get_weights()
    close(model.predict(x), (x - mean) / np.sqrt(variance + 1e-3) * gamma + beta)
    model.compile(keras.optimizers.SGD(0.0), 'mse')
    loss = model.train_on_batch(x, np.zeros_like(x))
    close(loss, np.mean(((x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3) * gamma + beta) ** 2))
    moved = model.get_weights()
    momentum = 0 if UNBIASED_AVERAGES else 0.9
    close(moved[2], momentum * mean + (1 - momentum) * x.mean(0))
    # Keras counts the variance of the batch as an estimate of all data's.
    spread = [x.var(0), x.var(0) * 8 / 7, x.var(0) * 8 / (8 - (1 + 1e-3))]
    assert any(np.allclose(moved[3], momentum * variance + (1 - momentum) * s, rtol=1e-4) for s in spread)


@pytest.mark.parametrize(
    ('layer', 'kept'), [(lambda: L.Dropout(0.4), 1 / 0.6), (lambda: L.SpatialDropout1D(0.4), 1 / 0.6)]
)
def test_dropout_layer(layer, kept):
    """Dropout in training: a share of the entries is zero, the rest is scaled up; in prediction nothing happens."""
    inputs = L.Input((200, 30))
    model = keras.models.Model(inputs, layer()(inputs))
    x = np.ones((8, 200, 30), 'float32')
    close(model.predict(x), x)
    function = K.function([model.input, K.learning_phase()], [model.output])
    y = function([x, 1])[0]
    assert {0.0, round(kept, 4)} == set(np.round(np.unique(y).astype(float), 4))
    assert abs((y == 0).mean() - 0.4) < 0.05
    assert (function([x, 1])[0] != y).any()
    close(function([x, 0])[0], x)


@pytest.mark.parametrize('layer', layer_lists.random(), ids=lambda layer: type(layer).__name__)
def test_random_layers(layer):
    """Layers that disturb in training draw anew each time, and do nothing in prediction. What they give is right on
    average; AlphaDropout keeps a mean of 0 and a variance of 1 instead."""
    inputs = L.Input((200, 50))
    output = type(layer).from_config(layer.get_config())(inputs)
    function = K.function([inputs, K.learning_phase()], [output])
    x = np.random.RandomState(2).normal(size=(4, 200, 50)).astype('float32')
    close(function([x, 0])[0], x)
    y, z = function([x, 1])[0], function([x, 1])[0]
    assert (y != z).any()
    assert abs(y.mean()) < 0.05
    kept = y.std() if isinstance(layer, L.AlphaDropout) else np.mean(x * y) / np.mean(x * x)
    assert abs(kept - 1) < 0.05


LOSSES = {
    'mean_squared_error': lambda t, p: np.mean((p - t) ** 2, -1),
    'mean_absolute_error': lambda t, p: np.mean(abs(p - t), -1),
    'mean_absolute_percentage_error': lambda t, p: 100 * np.mean(abs(p - t) / np.maximum(abs(t), 1e-7), -1),
    'mean_squared_logarithmic_error': lambda t, p: np.mean((np.log1p(p) - np.log1p(t)) ** 2, -1),
    'hinge': lambda t, p: np.mean(np.maximum(1 - t * p, 0), -1),
    'squared_hinge': lambda t, p: np.mean(np.maximum(1 - t * p, 0) ** 2, -1),
    'categorical_hinge': lambda t, p: np.maximum(((1 - t) * p).max(-1) - (t * p).sum(-1) + 1, 0),
    'logcosh': lambda t, p: np.mean(np.log(np.cosh(p - t)), -1),
    'binary_crossentropy': lambda t, p: -np.mean(t * np.log(p) + (1 - t) * np.log(1 - p), -1),
    'categorical_crossentropy': lambda t, p: -np.sum(t * np.log(p), -1),
    'sparse_categorical_crossentropy': lambda t, p: -np.log(p[np.arange(len(p)), t[:, 0].astype(int)]),
    'poisson': lambda t, p: np.mean(p - t * np.log(p + 1e-7), -1),
    'kullback_leibler_divergence': lambda t, p: np.sum(
        np.clip(t, 1e-7, 1) * np.log(np.clip(t, 1e-7, 1) / np.clip(p, 1e-7, 1)), -1
    ),
}


@pytest.mark.parametrize('name', sorted(LOSSES))
def test_loss(name):
    """A loss is what its formula says, and a model reports its mean, weighted by sample."""
    from . import objectives

    target, output = objectives.batches()[objectives.kind(name)]
    expected = LOSSES[name](target.astype(float), output.astype(float))
    x, y = K.placeholder(output.shape), K.placeholder(target.shape)
    found = K.function([x, y], [getattr(keras.losses, name)(y, x)])([output, target])[0]
    close(found.reshape(-1), expected)
    inputs = L.Input(output.shape[1:])
    model = keras.models.Model(inputs, L.Lambda(lambda t: t * 1.0)(inputs))
    model.compile('sgd', name)
    close(model.evaluate(output, target, batch_size=2, verbose=0), expected.mean())


def test_metrics():
    """Accuracies over several batches are those of all samples together."""
    from . import objectives

    target, output = objectives.batches()['categorical']
    inputs = L.Input((4,))
    model = keras.models.Model(inputs, L.Lambda(lambda t: t * 1.0)(inputs))
    model.compile('sgd', 'categorical_crossentropy', metrics=['accuracy', 'mae'])
    values = model.evaluate(output, target, batch_size=4, verbose=0)
    close(values[1:], [(output.argmax(1) == target.argmax(1)).mean(), abs(output - target).mean()])


@pytest.mark.parametrize(
    ('make', 'step'),
    [
        (lambda: keras.optimizers.SGD(0.1), lambda w, g, s, t: (w - 0.1 * g, s)),
        (
            lambda: keras.optimizers.SGD(0.1, momentum=0.9),
            lambda w, g, s, t: (w + 0.9 * s - 0.1 * g, 0.9 * s - 0.1 * g),
        ),
        (lambda: keras.optimizers.Adam(0.1), None),
    ],
)
def test_optimizer(make, step):
    """SGD with and without momentum, and Adam as in the paper, with its correction of the bias."""
    (x,) = batch('vectors', (5,), samples=8)
    inputs = L.Input((5,))
    model = settle(keras.models.Model(inputs, L.Dense(1, use_bias=False)(inputs)))
    model.compile(make(), 'mse')
    w, s, v = model.get_weights()[0].astype(float), 0.0, 0.0
    for t in range(1, 5):
        g = 2 * x.T.dot(x.dot(w) - 1) / 8
        if step is None:
            s, v = 0.9 * s + 0.1 * g, 0.999 * v + 0.001 * g**2
            w = w - 0.1 * (s / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-7)
        else:
            w, s = step(w, g, s, t)
        model.train_on_batch(x, np.ones((8, 1)))
    close(model.get_weights()[0], w)


def test_batch_normalization_called_twice():
    """Both calls move the averages, each by what it sees; one of them alone would give other numbers.

    With Keras 2.1 and 2.2 each call has an average of its own, and the variable is that of the last one.
    """
    fed = batch('pairs', (5,))
    model = settle(siamese())
    model.compile(keras.optimizers.SGD(0.1), 'mse')
    (layer,) = [layer for layer in model.layers if isinstance(layer, L.BatchNormalization)]
    mean, variance = layer.get_weights()[2:]
    model.train_on_batch(fed, np.ones((4, 3)))
    found = layer.get_weights()[2:]
    # Keras takes the unbiased variance for the average.
    for average, start, seen in (
        (found[0], mean, [x.mean(0) for x in fed]),
        (found[1], variance, [x.var(0) * 4 / (4 - 1.001) for x in fed]),
    ):
        close(average, seen[-1] if UNBIASED_AVERAGES else start + 0.2 * sum([value - start for value in seen]))
