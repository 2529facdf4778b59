"""Layers in training by the default of their call, called alone, before and after something has asked for the phase."""
# backends: tf_keras
import json

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras import layers

x = np.ones((4, 3), 'float32')


class Always(layers.Layer):
    def call(self, inputs, training=True):
        return inputs * 0 + (1. if training else 2.)


class Raised(layers.Layer):
    def call(self, inputs):
        return inputs + K.in_train_phase(K.ones_like(inputs), K.zeros_like(inputs))


class Book(keras.Model):
    def __init__(self, *parts):
        super().__init__()
        self.parts = parts

    def call(self, inputs):
        for part in self.parts:
            inputs = part(inputs)
        return inputs


def start():
    return keras.Input((3,))


def trained(*parts):
    model = Book(*parts)
    model.compile('sgd', 'mse')
    model.fit(x, x, verbose=0)


ASKING = {
    'dropout': lambda: layers.Dropout(.5)(x), 'in training': lambda: layers.Dropout(.5)(x, training=True),
    'normalization': lambda: layers.BatchNormalization()(x), 'noise': lambda: layers.GaussianNoise(.5)(x),
    'dense': lambda: layers.Dense(2)(x), 'recurrent': lambda: layers.LSTM(2, dropout=.5)(x[:, None]),
    'without dropout': lambda: layers.LSTM(2)(x[:, None]), 'phase': K.learning_phase, 'own': lambda: Raised()(x),
    'functional': lambda: layers.Dropout(.5)(start()), 'functional dense': lambda: layers.Dense(2)(start()),
    'functional own': lambda: Raised()(start()), 'function': tf.function(lambda: layers.Dropout(.5)(x)),
    'model': lambda: keras.Sequential([layers.Dropout(.5)])(x), 'fit': lambda: trained(layers.Dropout(.5), layers.Dense(3)),
    'fit own': lambda: trained(Raised(), layers.Dense(3))}
results = {}
for name, ask in ASKING.items():
    K.clear_session()
    before = float(np.mean(Always()(x)))
    ask()
    after = [float(np.mean(layer(x))) for layer in (Always(), Book(Always()), keras.Sequential([Always()]))]
    results[name] = [before, *after, float(np.mean(Always()(x, training=True)))]
model = keras.Sequential([Raised(), Always()])
model.compile('sgd', lambda y_true, y_pred: K.mean(y_pred))
results['fitted'] = [float(model.fit(x, x, verbose=0).history['loss'][0]), float(model.evaluate(x, x, verbose=0))]
print('RESULT ' + json.dumps(results))
