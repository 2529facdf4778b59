"""Which values stay on the host: sizes and the learning phase, so that nothing waits for a device to learn a size."""

import re

import numpy as np
import pytest
import torch

import keras_backend.engines.torch_backend as K
from keras_backend.engines.torch_backend import arrays as _arrays
from keras_backend.engines.torch_backend import as_module


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()


@pytest.fixture
def elsewhere(monkeypatch):
    """The engine's device is one that refuses to tell values, and to compute with tensors of the CPU."""
    monkeypatch.setattr(_arrays, '_device', torch.device('meta'))


def _sizes(x):
    shape = K.shape(x)
    flat = K.reshape(x, K.stack([shape[0] * shape[1], shape[2] * shape[3]]))
    return K.sum(flat) / K.cast(K.prod(shape), 'float32') + K.ones((shape[0] // 2, 1)) + K.cast(shape, 'float32')[1]


def _convolutions(x):
    y = K.conv2d(x, K.variable(np.ones((3, 3, 2, 4))), strides=(2, 2), padding='same')
    y = K.pool2d(K.depthwise_conv2d(y, K.variable(np.ones((2, 2, 4, 1)))), (2, 2), padding='same')
    return K.conv2d_transpose(y, K.variable(np.ones((2, 2, 3, 4))), (K.shape(y)[0], 4, 3, 3))


def _statistics(x):
    y, mean, var = K.normalize_batch_in_training(x, K.variable(np.ones(2)), K.variable(np.zeros(2)), [0, 1, 2])
    return K.softmax(K.in_train_phase(K.dropout(y, 0.5), y)) + mean + var + K.random_normal(K.shape(y))


def _loop(x):
    w = K.variable(np.ones((12, 12)))

    def step(e, s):
        h = K.tanh(K.dot(e, w) + s[0])
        return h, [h]

    sequence = K.reshape(x, (K.shape(x)[0], 7, 12))
    return K.rnn(step, sequence, [K.zeros_like(sequence[:, 0])], mask=K.greater(sequence[:, :, 0], 0))[1]


def _lookups(x):
    codes = K.one_hot(K.argmax(x, axis=-1), 4)
    rows = K.gather(K.variable(np.ones((5, 2))), K.arange(0, K.shape(x)[0]))
    return K.sum(codes) + rows + K.concatenate([rows, rows], 0)[: K.shape(x)[0]]


def _gradients(x):
    y = K.sum(K.square(K.max(_convolutions(x), axis=-1))) + K.sum(_loop(x)) + K.sum(x[:, 1:, ::-1])
    return K.gradients(y, [x])[0]


BUILDS = [_sizes, _convolutions, _statistics, _loop, _lookups, _gradients]


@pytest.mark.parametrize('training', [True, False])
@pytest.mark.parametrize('build', BUILDS)
def test_nothing_is_read_from_the_device(elsewhere, build, training):
    """A run asks for no value (on a GPU, for places of lookups), and no tensor of the CPU meets one of the device."""
    x = K.placeholder((None, 7, 6, 2))
    module = as_module(K.function([x], [build(x)])).train(training)
    (result,) = module(torch.ones(4, 7, 6, 2, device='meta'))
    assert 'meta' == result.device.type


@pytest.mark.parametrize('build', BUILDS)
def test_host_values_give_what_numpy_gives(build):
    """The same programs, beside the NumPy engine."""
    import keras_backend.engines.numpy_backend as reference

    if build is _statistics:
        pytest.skip('draws without a seed')
    value = np.random.RandomState(0).randn(4, 7, 6, 2).astype('float32')
    found, ours = [], K
    for engine in (K, reference):
        build.__globals__['K'] = engine
        try:
            x = engine.placeholder((None, 7, 6, 2))
            found.append(engine.function([x], [build(x)])([value])[0])
        finally:
            build.__globals__['K'] = ours
    np.testing.assert_allclose(found[0], found[1], rtol=1e-4, atol=1e-5)


def test_sizes_are_arrays_of_numpy():
    """The source has them as they are; a tensor is made of one where something else needs it."""
    x = K.placeholder((None, 3))
    f = K.function([x], [K.reshape(x, (3, K.shape(x)[0])) * K.cast(K.shape(x)[0], 'float32')])
    f([np.ones((2, 3))])
    assert 1 == len(re.findall(r'dt\d+ = ', f._run.source))


def test_division_of_sizes_by_zero_is_silent():
    """As on the NumPy engine."""
    x = K.placeholder((None, None))
    f = K.function([x], [K.shape(x)[0] // K.shape(x)[1], K.shape(x)[0] % K.shape(x)[1]])
    assert [0, 0] == [int(n) for n in f([np.ones((2, 0))])]
