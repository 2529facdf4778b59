"""A mixture density network as of 2020 in plain Keras: K.logsumexp over components, K.softplus, slices of the output."""
import json

import keras
import numpy as np
from keras import layers

import keras_backend.keras3 as K

COMPONENTS = 3


def parts(y_pred):
    mu = y_pred[:, :COMPONENTS]
    sigma = K.softplus(y_pred[:, COMPONENTS:2 * COMPONENTS]) + 1e-3
    log_pi = y_pred[:, 2 * COMPONENTS:]
    return mu, sigma, log_pi - K.logsumexp(log_pi, axis=-1, keepdims=True)


def mdn_loss(y_true, y_pred):
    mu, sigma, log_pi = parts(y_pred)
    exponent = log_pi - K.log(sigma) - .5 * np.log(2 * np.pi) - .5 * K.square((y_true - mu) / sigma)
    return -K.logsumexp(exponent, axis=1)


def expectation_error(y_true, y_pred):
    mu, _, log_pi = parts(y_pred)
    return K.abs(K.sum(K.exp(log_pi) * mu, axis=1, keepdims=True) - y_true)


rs = np.random.RandomState(32)
x = rs.uniform(-1, 1, (40, 1)).astype('float32')
y = (np.sin(3 * x) * np.where(rs.uniform(size=(40, 1)) < .5, 1, -1)).astype('float32')
model = keras.Sequential([keras.Input((1,)), layers.Dense(8, activation=lambda t: K.elu(t, alpha=.5)),
                          layers.Dense(3 * COMPONENTS)])
model.set_weights([rs.normal(0, .6, w.shape) for w in model.get_weights()])
model.compile('adam', mdn_loss, metrics=[expectation_error])
p = model.predict(x, verbose=0).astype('float64')
mu, sigma, pi = p[:, :3], np.log1p(np.exp(p[:, 3:6])) + 1e-3, np.exp(p[:, 6:])
pi /= pi.sum(1, keepdims=True)
density = (pi * np.exp(-.5 * ((y - mu) / sigma) ** 2) / sigma / np.sqrt(2 * np.pi)).sum(1)
first = model.evaluate(x, y, batch_size=40, verbose=0)
np.testing.assert_allclose(first[0], -np.log(density).mean(), rtol=1e-4)
history = model.fit(x, y, batch_size=10, epochs=3, shuffle=False, verbose=0)
print('RESULT ' + json.dumps({'first': [float(v) for v in first],
                              'history': {k: [float(v) for v in values] for k, values in history.history.items()}}))
