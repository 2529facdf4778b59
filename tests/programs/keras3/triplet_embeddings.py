"""Triplet losses as of 2020 in plain Keras: three embeddings side by side, batch-hard triplets of all pairs, a cosine
distance by K.l2_normalize."""
import json

import keras
import numpy as np
from keras import layers

import keras_backend.keras3 as K

SIZE = 4


def triplet_loss(y_true, y_pred, alpha=.4):
    anchor, positive, negative = y_pred[:, :SIZE], y_pred[:, SIZE:2 * SIZE], y_pred[:, 2 * SIZE:]
    pos_dist = K.sum(K.square(anchor - positive), axis=1)
    neg_dist = K.sum(K.square(anchor - negative), axis=1)
    return K.maximum(pos_dist - neg_dist + alpha, 0.)


def cosine_triplet_loss(y_true, y_pred):
    a, p, n = [K.l2_normalize(y_pred[:, i * SIZE:(i + 1) * SIZE], axis=-1) for i in range(3)]
    return K.softplus(K.sum(a * n, axis=-1) - K.sum(a * p, axis=-1))


def batch_hard_triplet_loss(labels, embeddings, margin=.5):
    labels = K.flatten(labels)
    dot = K.dot(embeddings, K.transpose(embeddings))
    square_norm = K.sum(K.square(embeddings), axis=1)
    distances = K.maximum(K.expand_dims(square_norm, 0) - 2. * dot + K.expand_dims(square_norm, 1), 0.)
    mask = K.cast(K.equal(distances, 0.), 'float32')
    distances = (1. - mask) * K.sqrt(distances + mask * 1e-16)
    same = K.cast(K.equal(K.expand_dims(labels, 0), K.expand_dims(labels, 1)), 'float32')
    hardest_positive = K.max(same * distances, axis=1)
    hardest_negative = K.min(distances + K.max(distances, axis=1, keepdims=True) * same, axis=1)
    return K.mean(K.maximum(hardest_positive - hardest_negative + margin, 0.))


def embedding(rs):
    model = keras.Sequential([keras.Input((6,)), layers.Dense(8, activation='tanh'), layers.Dense(SIZE)])
    model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])
    return model


results = {}
for loss in (triplet_loss, cosine_triplet_loss):
    rs = np.random.RandomState(17)
    base, inputs = embedding(rs), [keras.Input((6,)) for _ in range(3)]
    model = keras.Model(inputs, layers.concatenate([base(i) for i in inputs]))
    model.compile('sgd', loss)
    data, nothing = [rs.normal(0, 1, (16, 6)).astype('float32') for _ in range(3)], np.zeros((16, 3 * SIZE))
    first = model.evaluate(data, nothing, batch_size=16, verbose=0)
    a, p, n = np.split(model.predict(data, verbose=0).astype('float64'), 3, axis=1)
    if loss is triplet_loss:
        truth = np.maximum(((a - p) ** 2).sum(1) - ((a - n) ** 2).sum(1) + .4, 0).mean()
        np.testing.assert_allclose(first, truth, rtol=1e-4)
    history = model.fit(data, nothing, batch_size=4, epochs=2, shuffle=False, verbose=0)
    results[loss.__name__] = [float(first)] + [float(v) for v in history.history['loss']]

rs = np.random.RandomState(18)
model = embedding(rs)
model.compile('sgd', batch_hard_triplet_loss)
x, y = rs.normal(0, 1, (24, 6)).astype('float32'), (np.arange(24) % 3).astype('float32')
first = model.evaluate(x, y, batch_size=24, verbose=0)
e = model.predict(x, verbose=0).astype('float64')
d = np.sqrt(((e[:, None] - e[None]) ** 2).sum(-1))
truth = np.mean([max(0, max(d[i][y == y[i]]) - min(d[i][y != y[i]]) + .5) for i in range(24)])
np.testing.assert_allclose(first, truth, rtol=1e-3)
history = model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0)
results['batch_hard'] = [float(first)] + [float(v) for v in history.history['loss']]
print('RESULT ' + json.dumps(results))
