"""What a mean cannot say: a mixture density network with its parameters in one output, the pinball loss for several
quantiles by closures, heteroscedastic and Poisson losses, add_loss and add_metric of a sparse autoencoder."""
from __future__ import division, print_function

import json
from functools import partial

import numpy as np
from keras import backend as K
from keras import losses, metrics
from keras.layers import Activation, ActivityRegularization, Dense, GaussianNoise, Input, Lambda, concatenate
from keras.models import Model, Sequential, load_model
from keras.optimizers import SGD
from keras.regularizers import Regularizer, l1

C, M = 3, 1  # components, outputs
rs = np.random.RandomState(2)
x = rs.uniform(-1, 1, (64, 1))
branch = np.where(rs.rand(64, 1) < .5, 1., -1.)
y = branch * np.sqrt(np.abs(x)) + .05 * rs.normal(size=(64, 1))


def elu_plus_one(x):
    return K.elu(x) + 1 + 1e-3


def mean_log_gaussian_like(y_true, parameters):
    """Mean log of the gaussian mixture; parameters are (batch, (outputs + 2) * components)."""
    components = K.reshape(parameters, [-1, M + 2, C])
    mu = components[:, :M, :]
    sigma = components[:, M, :]
    alpha = K.softmax(K.clip(components[:, M + 1, :], 1e-8, 1.))
    exponent = K.log(alpha) - .5 * float(M) * K.log(2 * np.pi * K.ones_like(sigma)) - float(M) * K.log(sigma) \
        - K.sum((K.expand_dims(y_true, 2) - mu) ** 2, axis=1) / (2 * sigma ** 2)
    return -K.mean(K.logsumexp(exponent, axis=1))


def pinball(q, y_true, y_pred):
    e = y_true - y_pred
    return K.mean(K.maximum(q * e, (q - 1) * e), axis=-1)


def tilted(quantiles):
    def loss(y_true, y_pred):
        return sum(pinball(q, y_true, y_pred[:, i:i + 1]) for i, q in enumerate(quantiles))
    return loss


def known(model, scale=.6):
    model.set_weights([rs.normal(0, scale, w.shape) for w in model.get_weights()])
    return model


result = {}
inp = Input((1,))
hidden = Dense(8, activation='tanh')(inp)
mixture = Model(inp, concatenate([Dense(C)(hidden), Dense(C, activation=elu_plus_one)(hidden), Dense(C)(hidden)]))
known(mixture)
mixture.compile(SGD(.05, clipvalue=1.), mean_log_gaussian_like)
result['mixture'] = [mixture.predict(x[:3]).ravel().tolist(), [float(mixture.train_on_batch(x, y)) for _ in range(4)]]
history = mixture.fit(x, y, epochs=40, batch_size=16, verbose=0, shuffle=False)
assert history.history['loss'][-1] < result['mixture'][1][0]
p = mixture.predict(x).reshape(-1, M + 2, C).astype('float64')
a = np.exp(np.clip(p[:, 2], 1e-8, 1))
a /= a.sum(1, keepdims=True)
density = (a * np.exp(-(y - p[:, 0]) ** 2 / (2 * p[:, 1] ** 2)) / np.sqrt(2 * np.pi) / p[:, 1]).sum(1)
np.testing.assert_allclose(mixture.evaluate(x, y, batch_size=64, verbose=0), -np.log(density).mean(), rtol=1e-3)

# Quantiles: one model for three, and one model for each with functools.partial.
three = known(Sequential([Dense(8, activation='relu', input_dim=1), Dense(3)]))
three.compile('sgd', loss=tilted([.1, .5, .9]))
result['three'] = [float(three.train_on_batch(x, y)) for _ in range(3)]
for q in (.1, .9):
    one = known(Sequential([Dense(6, activation='relu', input_dim=1), Dense(1)]))
    loss = partial(pinball, q)
    loss.__name__ = 'pinball_%d' % (100 * q)
    one.compile('rmsprop', loss=loss, metrics=['mae', metrics.mean_squared_error])
    result[loss.__name__] = [[float(v) for v in one.train_on_batch(x, y)] for _ in range(2)]
    one.fit(x, y, epochs=60, verbose=0)
    below = np.mean(y < one.predict(x))
    assert (below < .5) == (q < .5), (q, below)


# Count data, a variance beside the mean, and Keras's own losses on one output.
def heteroscedastic(y_true, y_pred):
    mean, log_var = y_pred[:, :1], y_pred[:, 1:]
    return K.mean(.5 * K.exp(-log_var) * K.square(y_true - mean) + .5 * log_var, axis=-1)


def zero_inflated_poisson(y_true, y_pred):
    pi, lam = K.sigmoid(y_pred[:, :1]), K.softplus(y_pred[:, 1:])
    zero = K.cast(K.equal(y_true, 0.), K.floatx())
    of_zero = K.log(pi + (1 - pi) * K.exp(-lam) + K.epsilon())
    of_more = K.log(1 - pi + K.epsilon()) - lam + y_true * K.log(lam + K.epsilon())
    return -K.mean(zero * of_zero + (1 - zero) * of_more, axis=-1)


count = np.floor(np.abs(3 * y))
for loss, target, size in ((heteroscedastic, y, 2), (zero_inflated_poisson, count, 2), ('poisson', count, 1),
                           ('logcosh', y, 1), (losses.mean_squared_logarithmic_error, count, 1),
                           ('squared_hinge', branch, 1),
                           ('cosine_proximity', np.concatenate([y, count], 1), 2), ('kullback_leibler_divergence',
                                                                                   np.abs(y) / 2, 1)):
    model = known(Sequential([Dense(5, activation='softplus', input_dim=1), Dense(size)]), .4)
    if loss == 'poisson':
        model.add(Activation('softplus'))
    model.compile('sgd', loss=loss)
    steps = [float(model.train_on_batch(x, target)) for _ in range(2)]
    result[loss if isinstance(loss, str) else loss.__name__] = steps


# A sparse autoencoder: a regularizer of its own on the activity, a loss on tensors.
class KLSparsity(Regularizer):
    def __init__(self, p=.1, beta=.05):
        self.p, self.beta = p, beta

    def __call__(self, activations):
        p_hat = K.mean(K.sigmoid(activations), axis=0)
        return self.beta * K.sum(self.p * K.log(self.p / p_hat) + (1 - self.p) * K.log((1 - self.p) / (1 - p_hat)))

    def get_config(self):
        return {'p': self.p, 'beta': self.beta}


data = np.concatenate([np.sin((k + 1) * x) for k in range(6)], axis=1)
inp = Input((6,))
code = Dense(4, activity_regularizer=KLSparsity(), kernel_regularizer=l1(1e-3), name='code')(GaussianNoise(0.)(inp))
code = ActivityRegularization(l2=1e-3)(Activation('sigmoid')(code))
out = Dense(6, name='decoded')(code)
autoencoder = Model(inp, out)
autoencoder.add_loss(.1 * K.mean(K.square(K.sum(code, axis=1) - 1.)))
known(autoencoder)
autoencoder.compile('sgd', 'mse')
result['autoencoder'] = [float(autoencoder.train_on_batch(data, data)) for _ in range(3)]
s = Model(inp, code).predict(data)
pre = data.dot(autoencoder.get_layer('code').get_weights()[0]) + autoencoder.get_layer('code').get_weights()[1]
p_hat = (1 / (1 + np.exp(-pre))).mean(0)
mse = ((autoencoder.predict(data) - data) ** 2).mean()
total = autoencoder.evaluate(data, data, batch_size=64, verbose=0)
assert total > mse and len(autoencoder.losses) == 4, (total, mse, autoencoder.losses)
autoencoder.save_weights('sparse.h5')
encoder = Sequential([Dense(4, activation='sigmoid', input_dim=6, name='code')])
encoder.load_weights('sparse.h5', by_name=True)
np.testing.assert_allclose(encoder.predict(data), s, atol=1e-5)
np.testing.assert_allclose(p_hat, s.mean(0), atol=1e-4)
assert load_model is not None and Lambda is not None
print('RESULT ' + json.dumps(result))
