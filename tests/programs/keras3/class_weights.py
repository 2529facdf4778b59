"""Imbalanced classes as of 2021: a loss that closes over the weights of classes, the kappa of Cohen and a balanced
accuracy as metrics with a state, both saved with the model and found again by load_model with custom_objects."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.metrics import Metric
from tensorflow.keras.models import Model, load_model
from tensorflow.keras.optimizers import SGD

classes = 3


def weighted_categorical_crossentropy(weights):
    weights = K.variable(weights)

    def loss(y_true, y_pred):
        # scale predictions so that the class probas of each sample sum to 1
        y_pred = y_pred / K.sum(y_pred, axis=-1, keepdims=True)
        y_pred = K.clip(y_pred, K.epsilon(), 1 - K.epsilon())
        return -K.sum(y_true * K.log(y_pred) * weights, -1)

    return loss


class Kappa(Metric):
    def __init__(self, classes, name='kappa', **kwargs):
        super(Kappa, self).__init__(name=name, **kwargs)
        self.classes = classes
        self.confusion = self.add_weight(name='confusion', shape=(classes, classes), initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        truth = K.cast(K.one_hot(K.argmax(y_true, axis=-1), self.classes), K.floatx())
        found = K.cast(K.one_hot(K.argmax(y_pred, axis=-1), self.classes), K.floatx())
        K.update_add(self.confusion, K.dot(K.transpose(truth), found))

    def result(self):
        total = K.sum(self.confusion)
        agreed = K.sum(self.confusion * K.constant(np.eye(self.classes))) / (total + K.epsilon())
        chance = K.sum(K.sum(self.confusion, axis=0) * K.sum(self.confusion, axis=1)) / (K.square(total) + K.epsilon())
        return (agreed - chance) / (1. - chance + K.epsilon())

    def reset_state(self):
        K.set_value(self.confusion, np.zeros((self.classes, self.classes)))

    reset_states = reset_state

    def get_config(self):
        config = super(Kappa, self).get_config()
        config['classes'] = self.classes
        return config


class BalancedAccuracy(Metric):
    def __init__(self, threshold=0.5, name='balanced', **kwargs):
        super(BalancedAccuracy, self).__init__(name=name, **kwargs)
        self.threshold = threshold
        self.hits = self.add_weight(name='hits', shape=(classes,), initializer='zeros')
        self.seen = self.add_weight(name='seen', shape=(classes,), initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        sure = K.cast(y_pred > self.threshold, 'float32')
        self.hits.assign_add(K.sum(K.round(y_true) * sure, axis=0))
        self.seen.assign_add(K.sum(K.round(y_true), axis=0))

    def result(self):
        return K.mean(self.hits / K.maximum(self.seen, 1.))

    def reset_state(self):
        K.batch_set_value([(v, np.zeros(classes)) for v in (self.hits, self.seen)])

    reset_states = reset_state

    def get_config(self):
        return dict(super(BalancedAccuracy, self).get_config(), threshold=self.threshold)


rs = np.random.RandomState(46)
x = rs.normal(0, 1, (40, 5)).astype('float32')
labels = np.minimum(np.floor(np.abs(x[:, 0] * 1.6)), 2).astype(int)
y = np.eye(classes, dtype='float32')[labels]
counts = y.sum(axis=0)
weights = counts.max() / counts

inputs = Input((5,))
model = Model(inputs, Dense(classes, activation='softmax')(Dense(6, activation='tanh')(inputs)))
model.set_weights([rs.normal(0, .7, w.shape) for w in model.get_weights()])
loss = weighted_categorical_crossentropy(weights)
model.compile(SGD(learning_rate=.05), loss, metrics=[Kappa(classes), BalancedAccuracy(.4)])
history = model.fit(x, y, batch_size=8, epochs=4, shuffle=False, verbose=0)
evaluated = model.evaluate(x, y, batch_size=16, verbose=0)

# The metrics by hand.
probabilities = model.predict(x, verbose=0)
confusion = y.T @ np.eye(classes)[probabilities.argmax(-1)]
p, q = np.trace(confusion) / 40, (confusion.sum(0) * confusion.sum(1)).sum() / 1600
assert abs(evaluated[1] - (p - q) / (1 - q)) < 1e-4, evaluated
assert abs(evaluated[2] - np.mean((y * (probabilities > .4)).sum(0) / counts)) < 1e-5, evaluated

model.save('imbalanced.keras')
loaded = load_model('imbalanced.keras', custom_objects={'loss': loss, 'Kappa': Kappa, 'BalancedAccuracy': BalancedAccuracy})
again = loaded.evaluate(x, y, batch_size=16, verbose=0)
assert np.allclose(evaluated, again, atol=1e-5), (evaluated, again)
more = loaded.fit(x, y, batch_size=8, epochs=1, shuffle=False, verbose=0)
print('RESULT ' + json.dumps({
    'loss': [float(v) for v in history.history['loss']], 'kappa': [float(v) for v in history.history['kappa']],
    'balanced': [float(v) for v in history.history['balanced']], 'evaluated': [float(v) for v in evaluated],
    'more': float(more.history['loss'][0])}))
