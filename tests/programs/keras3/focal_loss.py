"""Focal losses as of 2019: binary and categorical, made by functions that return the loss; held against NumPy."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential


def binary_focal_loss(gamma=2., alpha=.25):
    def binary_focal_loss_fixed(y_true, y_pred):
        y_true = K.cast(y_true, 'float32')
        epsilon = K.epsilon()
        y_pred = K.clip(y_pred, epsilon, 1. - epsilon)
        p_t = K.switch(K.equal(y_true, 1), y_pred, 1 - y_pred)
        alpha_factor = K.ones_like(y_true) * alpha
        alpha_t = K.switch(K.equal(y_true, 1), alpha_factor, 1 - alpha_factor)
        cross_entropy = -K.log(p_t)
        weight = alpha_t * K.pow((1 - p_t), gamma)
        return K.mean(K.sum(weight * cross_entropy, axis=1))
    return binary_focal_loss_fixed


def categorical_focal_loss(alpha, gamma=2.):
    alpha = K.constant(alpha)

    def categorical_focal_loss_fixed(y_true, y_pred):
        epsilon = K.epsilon()
        y_pred = K.clip(y_pred, epsilon, 1. - epsilon)
        cross_entropy = -y_true * K.log(y_pred)
        loss = alpha * K.pow(1 - y_pred, gamma) * cross_entropy
        return K.mean(K.sum(loss, axis=-1))
    return categorical_focal_loss_fixed


rs = np.random.RandomState(7)
x = rs.normal(0, 1, (32, 5)).astype('float32')
rare = (rs.uniform(size=(32, 2)) < .2).astype('int64')
classes = np.eye(3, dtype='float32')[rs.randint(0, 3, 32)]
results = {}
for name, y, activation, loss in (('binary', rare, 'sigmoid', binary_focal_loss()),
                                  ('categorical', classes, 'softmax', categorical_focal_loss([.25, .5, 1.]))):
    model = Sequential([Dense(6, activation='relu', input_shape=(5,)), Dense(y.shape[1], activation=activation)])
    model.set_weights([rs.normal(0, .6, w.shape) for w in model.get_weights()])
    model.compile(loss=loss, optimizer='sgd')
    p = model.predict(x, verbose=0).astype('float64')
    if name == 'binary':
        p_t, a_t = np.where(y == 1, p, 1 - p), np.where(y == 1, .25, .75)
        truth = np.mean(np.sum(-a_t * (1 - p_t) ** 2 * np.log(p_t), axis=1))
    else:
        truth = np.mean(np.sum(np.array([.25, .5, 1.]) * (1 - p) ** 2 * -y * np.log(p), axis=1))
    first = model.evaluate(x, y, batch_size=32, verbose=0)
    np.testing.assert_allclose(first, truth, rtol=1e-4)
    history = model.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0)
    results[name] = [float(first), [float(v) for v in history.history['loss']], model.predict(x[:2], verbose=0).tolist()]
print('RESULT ' + json.dumps(results))
