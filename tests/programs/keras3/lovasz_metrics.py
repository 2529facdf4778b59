"""Losses and scores of segmentation as of 2021: the Lovasz hinge, which sorts errors, mean IoU over classes and by
thresholds, the boundary of a mask by K.pool2d, hard pixels alone (OHEM) by a threshold, all in K."""

import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Conv2D, Input
from tensorflow.keras.models import Model

PIXELS = 64


def lovasz_gradient(labels):
    total = K.sum(labels)
    intersection = total - K.cumsum(labels)
    union = total + K.cumsum(1.0 - labels)
    jaccard = 1.0 - intersection / union
    return K.concatenate([jaccard[:1], jaccard[1:] - jaccard[:-1]], axis=0)


def sorted_places(values):
    """Places of the largest first, by ranks: each counts the values that come before it."""
    before = K.cast(K.greater(K.expand_dims(values, 0), K.expand_dims(values, 1)), 'int32')
    return K.sum(before, axis=1)


def lovasz_hinge(y_true, y_pred):
    def of_picture(pair):
        labels, logits = pair
        errors = 1.0 - logits * (2.0 * labels - 1.0)
        order = K.one_hot(sorted_places(errors), PIXELS)
        errors = K.sum(K.expand_dims(errors) * order, axis=0)
        labels = K.sum(K.expand_dims(labels) * order, axis=0)
        return K.sum(K.relu(errors) * K.stop_gradient(lovasz_gradient(labels)))

    pairs = [K.reshape(y_true, (-1, PIXELS)), K.reshape(y_pred, (-1, PIXELS))]
    return K.mean(K.map_fn(of_picture, pairs, dtype=K.floatx()))


def ohem_loss(y_true, y_pred):
    losses = K.binary_crossentropy(y_true, y_pred, from_logits=True)
    worst = K.max(losses, axis=(1, 2, 3), keepdims=True)
    hard = K.cast(K.greater(losses, 0.5 * worst), K.floatx())
    return K.sum(losses * K.stop_gradient(hard)) / K.maximum(K.sum(hard), 1.0)


def mean_iou(y_true, y_pred):
    scores = []
    for threshold in (-0.5, 0.0, 0.5):
        there = K.cast(y_pred > threshold, K.floatx())
        intersection = K.sum(y_true * there, axis=[1, 2, 3])
        union = K.sum(K.clip(y_true + there, 0, 1), axis=[1, 2, 3])
        scores.append(K.switch(K.equal(union, 0), K.ones_like(union), intersection / (union + K.epsilon())))
    return K.mean(K.stack(scores), axis=0)


def boundary_loss(y_true, y_pred):
    def boundary(x):
        return K.pool2d(x, (3, 3), padding='same') + K.pool2d(-x, (3, 3), padding='same')

    return K.mean(K.abs(boundary(y_true) - boundary(K.sigmoid(y_pred)))) + K.mean(ohem_loss(y_true, y_pred))


random = np.random.RandomState(0)
x = random.rand(6, 8, 8, 2).astype('float32')
y = (x.mean(-1, keepdims=True) + 0.2 * random.rand(6, 8, 8, 1) > 0.6).astype('float32')
found = {}
for loss in (lovasz_hinge, ohem_loss, boundary_loss):
    inputs = Input((8, 8, 2))
    model = Model(inputs, Conv2D(1, 3, padding='same')(inputs))
    model.set_weights([np.random.RandomState(2).normal(scale=0.3, size=(3, 3, 2, 1)), np.zeros(1)])
    model.compile('sgd', loss, metrics=[mean_iou])
    history = model.fit(x, y, batch_size=6, epochs=4, shuffle=False, verbose=0).history
    found[loss.__name__] = history['loss'] + history['mean_iou']
print('RESULT', json.dumps(found))
