"""Losses and metrics of regression as of 2019: Huber by K.switch, quantiles, log-cosh, R2, RMSE, a weighted loss with
K.variable weights, a regularizer and an activation of one's own."""
import json

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def huber_loss(y_true, y_pred, clip_delta=1.0):
    error = y_true - y_pred
    cond = keras.backend.abs(error) < clip_delta
    squared_loss = 0.5 * keras.backend.square(error)
    linear_loss = clip_delta * (keras.backend.abs(error) - 0.5 * clip_delta)
    return keras.backend.mean(keras.backend.switch(cond, squared_loss, linear_loss))


def quantile_loss(q):
    def loss(y_true, y_pred):
        e = y_true - y_pred
        return tf.keras.backend.mean(tf.keras.backend.maximum(q * e, (q - 1) * e), axis=-1)
    loss.__name__ = 'quantile_%d' % (100 * q)
    return loss


def log_cosh(y_true, y_pred):
    x = y_pred - y_true
    return keras.backend.mean(x + keras.backend.softplus(-2. * x) - keras.backend.log(2.), axis=-1)


def weighted_mse(weights):
    weights = keras.backend.variable(weights)

    def loss(y_true, y_pred):
        return keras.backend.sum(weights * keras.backend.square(y_true - y_pred), axis=-1)
    return loss


def rmse(y_true, y_pred):
    return keras.backend.sqrt(keras.backend.mean(keras.backend.square(y_pred - y_true)))


def r_square(y_true, y_pred):
    from tensorflow.keras import backend as K
    SS_res = K.sum(K.square(y_true - y_pred))
    SS_tot = K.sum(K.square(y_true - K.mean(y_true)))
    return 1 - SS_res / (SS_tot + K.epsilon())


class L1OfDifferences(keras.regularizers.Regularizer):
    def __call__(self, w):
        return .01 * keras.backend.sum(keras.backend.abs(w[1:] - w[:-1]))


class Mish(layers.Layer):
    def call(self, x):
        return x * keras.backend.tanh(keras.backend.softplus(x))

    def compute_output_shape(self, input_shape):
        return input_shape


rs = np.random.RandomState(33)
x, y = rs.normal(0, 1, (32, 4)).astype('float32'), rs.normal(0, 1.5, (32, 2)).astype('float32')
results = {}
for loss in (huber_loss, quantile_loss(.9), log_cosh, weighted_mse([1., 3.])):
    model, local = keras.Sequential([
        layers.Dense(6, input_shape=(4,), kernel_regularizer=L1OfDifferences()), Mish(), layers.Dense(2)]), \
        np.random.RandomState(34)
    model.set_weights([local.normal(0, .5, w.shape) for w in model.get_weights()])
    model.compile('sgd', loss, metrics=[rmse, r_square])
    first = model.evaluate(x, y, batch_size=32, verbose=0)
    p, kernel = model.predict(x, verbose=0).astype('float64'), model.get_weights()[0].astype('float64')
    penalty, e = .01 * np.abs(np.diff(kernel, axis=0)).sum(), y - p
    truth = {'huber_loss': np.where(abs(e) < 1, e ** 2 / 2, abs(e) - .5).mean(), 'log_cosh': np.log(np.cosh(e)).mean(),
             'quantile_90': np.maximum(.9 * e, -.1 * e).mean(), 'loss': (e ** 2 * [1, 3]).sum(1).mean()}
    np.testing.assert_allclose(first[0], truth[loss.__name__] + penalty, rtol=1e-4)
    np.testing.assert_allclose(first[1:], [np.sqrt((e ** 2).mean()), 1 - (e ** 2).sum() / ((y - y.mean()) ** 2).sum()],
                               rtol=1e-3)
    history = model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0)
    results[loss.__name__] = [[float(v) for v in first], [float(v) for v in history.history['loss']]]
print('RESULT ' + json.dumps(results))
