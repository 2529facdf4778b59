"""Tagging as of 2020: sparse categorical losses that ignore a label, K.switch, label smoothing, weights by class."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import LSTM, Dense, Embedding, Input
from tensorflow.keras.models import Model

IGNORED = 0


def masked_sparse_loss(y_true, y_pred):
    y_true = K.cast(y_true, 'int32')
    if K.ndim(y_true) == 3:
        y_true = K.squeeze(y_true, -1)
    loss = K.sparse_categorical_crossentropy(y_true, y_pred)
    mask = K.cast(K.not_equal(y_true, IGNORED), K.floatx())
    return K.sum(loss * mask) / (K.sum(mask) + K.epsilon())


def ignore_class_accuracy(y_true, y_pred):
    y_true_class = K.cast(y_true, 'int64')
    if K.ndim(y_true_class) == 3:
        y_true_class = K.squeeze(y_true_class, -1)
    y_pred_class = K.cast(K.argmax(y_pred, axis=-1), 'int64')
    ignore_mask = K.cast(K.not_equal(y_true_class, IGNORED), 'int32')
    matches = K.cast(K.equal(y_true_class, y_pred_class), 'int32') * ignore_mask
    return K.cast(K.sum(matches), K.floatx()) / K.cast(K.maximum(K.sum(ignore_mask), 1), K.floatx())


def smoothed_loss(y_true, y_pred, smoothing=.1):
    classes = K.int_shape(y_pred)[-1]
    y_true = K.reshape(K.cast(y_true, 'int32'), (-1, 6))
    hot = K.one_hot(y_true, classes) * (1. - smoothing) + smoothing / classes
    loss = -K.sum(hot * K.log(K.clip(y_pred, K.epsilon(), 1.)), axis=-1)
    return K.mean(K.switch(K.equal(y_true, IGNORED), K.zeros_like(loss), loss), axis=-1)


def weighted_loss(y_true, y_pred):
    weights = K.constant([0., 1., 2., .5])
    y_true = K.reshape(K.cast(y_true, 'int32'), (-1, 6))
    return K.mean(K.gather(weights, y_true) * K.sparse_categorical_crossentropy(y_true, y_pred), axis=-1)


rs = np.random.RandomState(25)
x = rs.randint(1, 15, (16, 6))
y = rs.randint(0, 4, (16, 6))
results = {}
for loss in (masked_sparse_loss, smoothed_loss, weighted_loss):
    words = Input((6,))
    model = Model(words, Dense(4, activation='softmax')(LSTM(5, return_sequences=True)(Embedding(15, 4)(words))))
    local = np.random.RandomState(26)
    model.set_weights([local.normal(0, .6, w.shape) for w in model.get_weights()])
    model.compile('sgd', loss, metrics=[ignore_class_accuracy])
    first = model.evaluate(x, y, batch_size=16, verbose=0)
    p = model.predict(x, verbose=0).astype('float64')
    logs = -np.log(np.take_along_axis(p, y[:, :, None], axis=2)[:, :, 0])
    if loss is masked_sparse_loss:
        np.testing.assert_allclose(first[0], logs[y != 0].mean(), rtol=1e-4)
    if loss is weighted_loss:
        np.testing.assert_allclose(first[0], (logs * np.array([0, 1, 2, .5])[y]).mean(), rtol=1e-4)
    np.testing.assert_allclose(first[1], (p.argmax(-1) == y)[y != 0].mean(), rtol=1e-4)
    history = model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0)
    results[loss.__name__] = [[float(v) for v in first], [float(v) for v in history.history['loss']]]
print('RESULT ' + json.dumps(results))
