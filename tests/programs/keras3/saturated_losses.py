# backends: tensorflow torch
"""Crossentropies of outputs far from their targets as of 2020, where float32 has no probability left: a focal loss, a
class-weighted loss, pixels of an autoencoder, by K functions of what Dense and Activation return."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Activation, Dense, Input
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import SGD

rs = np.random.RandomState(71)
x = rs.normal(0, 40, (12, 3)).astype('float32')
labels = rs.randint(0, 2, (12, 2)).astype('float32')
classes = np.eye(3)[rs.randint(0, 3, 12)].astype('float32')
weights = [rs.normal(0, 1, shape) for shape in ((3, 3), (3,), (3, 2), (2,))]


def focal(y_true, y_pred):
    return K.mean((1. + .5 * y_true) * K.binary_crossentropy(y_true, y_pred), axis=-1)


def weighted(y_true, y_pred):
    return K.categorical_crossentropy(y_true, y_pred) * K.sum(y_true * K.constant([1., 2., 3.]), axis=-1)


def sparse(y_true, y_pred):
    return K.sparse_categorical_crossentropy(K.argmax(y_true, axis=-1), y_pred)


results = {}
for name, loss, head, target in (
        ('focal', focal, lambda h: Dense(2, activation='sigmoid')(h), labels),
        ('activation', focal, lambda h: Activation('sigmoid')(Dense(2)(h)), labels),
        ('weighted', weighted, lambda h: Dense(3, activation='softmax')(h), classes),
        ('sparse', sparse, lambda h: Activation('softmax')(Dense(3)(h)), classes)):
    for eager in (False, True):
        inputs = Input((3,))
        model = Model(inputs, head(inputs))
        shape = K.int_shape(model.outputs[0])[-1]
        model.set_weights([weights[0][:, :shape], weights[1][:shape]])
        model.compile(SGD(learning_rate=.01), loss, run_eagerly=eager)
        history = model.fit(x, target, batch_size=4, epochs=2, shuffle=False, verbose=0)
        results[name + str(eager)] = [float(v) for v in history.history['loss']] + [
            float(model.evaluate(x, target, batch_size=12, verbose=0))]
assert all(r[0] > 17 for r in results.values()), 'more than probabilities tell'
print('RESULT ' + json.dumps(results))
