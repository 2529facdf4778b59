"""The F1 score as of 2019 and 2021: as functions of a batch, and as a Metric that counts over the epoch."""
import json

import keras
import numpy as np
from keras.layers import Dense

import keras_backend.keras3 as K


def recall_m(y_true, y_pred):
    true_positives = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
    possible_positives = K.sum(K.round(K.clip(y_true, 0, 1)))
    return true_positives / (possible_positives + K.epsilon())


def precision_m(y_true, y_pred):
    true_positives = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
    predicted_positives = K.sum(K.round(K.clip(y_pred, 0, 1)))
    return true_positives / (predicted_positives + K.epsilon())


def f1_m(y_true, y_pred):
    precision, recall = precision_m(y_true, y_pred), recall_m(y_true, y_pred)
    return 2 * ((precision * recall) / (precision + recall + K.epsilon()))


class F1Score(keras.metrics.Metric):
    def __init__(self, threshold=0.5, name='f1_score', **kwargs):
        super(F1Score, self).__init__(name=name, **kwargs)
        self.threshold = threshold
        self.tp = self.add_weight(name='tp', shape=(), initializer='zeros')
        self.fp = self.add_weight(name='fp', shape=(), initializer='zeros')
        self.fn = self.add_weight(name='fn', shape=(), initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true = K.cast(y_true, 'float32')
        y_pred = K.cast(K.greater_equal(y_pred, self.threshold), 'float32')
        self.tp.assign_add(K.sum(y_true * y_pred))
        self.fp.assign_add(K.sum((1 - y_true) * y_pred))
        self.fn.assign_add(K.sum(y_true * (1 - y_pred)))

    def result(self):
        precision = self.tp / (self.tp + self.fp + K.epsilon())
        recall = self.tp / (self.tp + self.fn + K.epsilon())
        return 2 * precision * recall / (precision + recall + K.epsilon())

    def reset_state(self):
        K.batch_set_value([(v, 0.) for v in (self.tp, self.fp, self.fn)])


rs = np.random.RandomState(10)
x = rs.normal(0, 1, (40, 4)).astype('float32')
y = (x[:, :1] + .5 * x[:, 1:2] ** 2 > .3).astype('float32')
model = keras.Sequential([keras.Input((4,)), Dense(8, activation='tanh'), Dense(1, activation='sigmoid')])
model.set_weights([rs.normal(0, .6, w.shape) for w in model.get_weights()])
model.compile('rmsprop', 'binary_crossentropy', metrics=[precision_m, recall_m, f1_m, F1Score()])
first = model.evaluate(x, y, batch_size=10, verbose=0)
p = model.predict(x, verbose=0) > .5
tp, fp, fn = np.sum(p * y), np.sum(p * (1 - y)), np.sum(~p * y)
np.testing.assert_allclose(first[-1], 2 * tp / (2 * tp + fp + fn), rtol=1e-4)
history = model.fit(x, y, batch_size=10, epochs=3, shuffle=False, verbose=0, validation_data=(x[:20], y[:20]))
print('RESULT ' + json.dumps({
    'first': [float(v) for v in first],
    'history': {name: [float(v) for v in values] for name, values in history.history.items()}}))
