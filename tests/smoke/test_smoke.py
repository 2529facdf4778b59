"""A first look at an engine: it is loaded, a network learns, a gradient is right. It runs where little else does."""

import numpy as np

import keras_backend as K


def test_a_network_learns():
    """Steps of training lower the loss, and the gradient is that of central differences."""
    x, y = K.placeholder((None, 3)), K.placeholder((None, 2))
    w, b = K.variable(np.linspace(-0.5, 0.5, 6).reshape(3, 2)), K.zeros((2,))
    loss = K.mean(K.square(K.tanh(K.dot(x, w) + b) - y))
    gradients = K.gradients(loss, [w, b])
    step = K.function([x, y], [loss], [K.update_sub(p, 0.1 * g) for p, g in zip([w, b], gradients)])
    generator = np.random.RandomState(0)
    at = generator.randn(8, 3).astype('float32')
    target = np.tanh(at[:, :2])
    gradient = K.function([x, y], gradients)([at, target])
    np.testing.assert_allclose(gradient[0], _slopes(at, target), rtol=1e-3, atol=1e-4)
    losses = [float(step([at, target])[0]) for _ in range(20)]
    assert losses[-1] < losses[0] / 2


def _slopes(x, y, step=1e-6):
    """The gradient of the first loss by w, by central differences in float64."""
    w = np.linspace(-0.5, 0.5, 6)

    def loss(w):
        return np.mean((np.tanh(x.astype('float64') @ w.reshape(3, 2)) - y) ** 2)

    return np.array([(loss(w + e) - loss(w - e)) / (2 * step) for e in step * np.eye(6)]).reshape(3, 2)
