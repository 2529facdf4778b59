"""Networks as files of ONNX, their gradients included: onnxruntime gives what K gives, at sizes that are free."""

import numpy as np
import onnx
import onnxruntime
import pytest

import keras_backend as K

RNG = np.random.RandomState(3)
UNITS, FEATURES = 4, 3


def weights(*shape):
    return K.variable(RNG.normal(0, 0.5, shape))


def lstm(x):
    """The last state of an LSTM, over any number of steps."""
    kernel, recurrent, bias = weights(FEATURES, 4 * UNITS), weights(UNITS, 4 * UNITS), weights(4 * UNITS)

    def step(e, states):
        h, c = states
        i, f, g, o = [(K.dot(e, kernel) + K.dot(h, recurrent) + bias)[:, n * UNITS : (n + 1) * UNITS] for n in range(4)]
        c = K.sigmoid(f) * c + K.sigmoid(i) * K.tanh(g)
        h = K.sigmoid(o) * K.tanh(c)
        return h, [h, c]

    start = K.zeros((K.shape(x)[0], UNITS))
    return K.rnn(step, x, [start, start])[0]


def masked_gru(x):
    """All outputs of a GRU that stays as it is where all features of a step are 0, backwards."""
    kernel, recurrent = weights(FEATURES, 3 * UNITS), weights(UNITS, 3 * UNITS)

    def step(e, states):
        (h,) = states
        given, kept = K.dot(e, kernel), K.dot(h, recurrent)
        z, r = [K.hard_sigmoid((given + kept)[:, n * UNITS : (n + 1) * UNITS]) for n in range(2)]
        new = K.tanh(given[:, 2 * UNITS :] + r * kept[:, 2 * UNITS :])
        h = z * h + (1 - z) * new
        return h, [h]

    mask = K.any(K.not_equal(x, 0.0), axis=-1)
    return K.rnn(step, x, [K.zeros((K.shape(x)[0], UNITS))], mask=mask, go_backwards=True)[1]


def transformer(x):
    """A block: attention of two heads, normalization, a dense part."""
    q, k, v = [K.dot(x, weights(FEATURES, UNITS)) for _ in range(3)]

    def heads(t):
        t = K.permute_dimensions(K.reshape(t, (-1, K.shape(x)[1], 2, UNITS // 2)), (0, 2, 1, 3))
        return K.reshape(t, (-1, K.shape(x)[1], UNITS // 2))

    scores = K.batch_dot(heads(q), heads(k), axes=(2, 2)) / np.sqrt(UNITS // 2)
    mixed = K.reshape(K.batch_dot(K.softmax(scores), heads(v)), (-1, 2, K.shape(x)[1], UNITS // 2))
    mixed = K.permute_dimensions(mixed, (0, 2, 1, 3))
    y = K.dot(K.reshape(mixed, (-1, K.shape(x)[1], UNITS)), weights(UNITS, FEATURES)) + x
    y = (y - K.mean(y, axis=-1, keepdims=True)) / K.sqrt(K.var(y, axis=-1, keepdims=True) + 1e-3)
    return y + K.dot(K.relu(K.dot(y, weights(FEATURES, 8))), weights(8, FEATURES))


def choice(x):
    """One network or another, as the input says."""
    kernel = weights(FEATURES, FEATURES)
    return K.switch(K.greater(K.sum(x), 0.0), lambda: K.tanh(K.dot(x, kernel)), lambda: 2.0 * x)


def convolutions(x):
    """A convolution along time with a stride, a dilated one, a normalization, a pooling."""
    y = K.relu(K.conv1d(x, weights(3, FEATURES, UNITS), strides=2, padding='same'))
    y = K.conv1d(y, weights(2, UNITS, UNITS), padding='causal', dilation_rate=2)
    mean, variance = K.mean(y, axis=(0, 1)), K.var(y, axis=(0, 1))
    y = K.batch_normalization(y, mean, variance, weights(UNITS), weights(UNITS), epsilon=1e-3)
    return K.pool2d(K.expand_dims(y, 1), (1, 2), strides=(1, 2), padding='same', data_format='channels_last')


NETWORKS = {each.__name__: each for each in (lstm, masked_gru, transformer, choice, convolutions)}
SIZES = [(1, 5), (3, 2), (6, 17)]


def sample(batch, steps):
    """A batch; some steps are all 0."""
    rng = np.random.RandomState(batch)
    x = rng.normal(size=(batch, steps, FEATURES)) * (rng.uniform(size=(batch, steps, 1)) > 0.3)
    return x.astype('float32')


@pytest.mark.parametrize('opset', [17, onnx.defs.onnx_opset_version()])
@pytest.mark.parametrize('name', NETWORKS)
def test_network_and_its_gradient(name, opset, tmp_path):
    """With a free batch and a free number of steps. The gradient is an output like others."""
    x = K.placeholder((None, None, FEATURES), name='x')
    y = NETWORKS[name](x)
    (slope,) = K.gradients(K.sum(K.square(y)), [x])
    f = K.function([x], [y, slope])
    path = str(tmp_path / 'network.onnx')
    K.export(f, path, opset=opset)
    session = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
    assert [each.shape[2] for each in session.get_inputs()] == [FEATURES]
    assert all([isinstance(size, str) for size in session.get_inputs()[0].shape[:2]])
    for sizes in SIZES:
        values = sample(*sizes)
        for got, wanted in zip(session.run(None, {'x': values}), f([values])):
            np.testing.assert_allclose(got, wanted, rtol=2e-4, atol=2e-5)


def test_variational_autoencoder_draws(tmp_path):
    """The file draws the numbers anew in each run, with the mean and the deviation of the formula."""
    x = K.placeholder((None, 5), name='x')
    mean, log_variance = K.dot(x, weights(5, 2)), K.dot(x, weights(5, 2))
    z = mean + K.exp(log_variance / 2) * K.random_normal(K.shape(mean))
    f = K.function([x], [z, mean, log_variance])
    path = str(tmp_path / 'vae.onnx')
    report = K.export(f, path)
    assert 'drawn at random' in str(report)
    session = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
    values = np.repeat(RNG.normal(size=(1, 5)), 20000, 0).astype('float32')
    first, mean, log_variance = session.run(None, {'x': values})
    second = session.run(None, {'x': values})[0]
    assert not np.array_equal(first, second)
    np.testing.assert_allclose(first.mean(0), mean[0], atol=0.05 * np.exp(log_variance[0] / 2).max())
    np.testing.assert_allclose(first.std(0), np.exp(log_variance[0] / 2), rtol=0.05)
