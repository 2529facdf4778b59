"""Losses for unbalanced classes: focal, weighted and smoothed crossentropies, dice, pinball, with weights of samples."""
import json
from functools import partial
from itertools import product

import numpy as np
from keras import backend as K
from keras import losses
from keras.layers import GRU, Activation, Dense, Dropout, TimeDistributed
from keras.models import Sequential
from keras.utils.generic_utils import get_custom_objects
from keras.utils.np_utils import to_categorical

np.random.seed(21)


def focal_loss(gamma=2., alpha=.25):
    def focal_loss_fixed(y_true, y_pred):
        y_pred = K.clip(y_pred, K.epsilon(), 1. - K.epsilon())
        pt_1 = y_true * y_pred + (1 - y_true) * K.ones_like(y_pred)
        pt_0 = (1 - y_true) * y_pred
        return -K.sum(alpha * K.pow(1. - pt_1, gamma) * K.log(pt_1)) - K.sum(
            (1 - alpha) * K.pow(pt_0, gamma) * K.log(1. - pt_0))
    return focal_loss_fixed


def weighted_categorical_crossentropy(weights):
    weights = K.variable(weights)

    def loss(y_true, y_pred):
        y_pred /= K.sum(y_pred, axis=-1, keepdims=True)
        y_pred = K.clip(y_pred, K.epsilon(), 1 - K.epsilon())
        return -K.sum(y_true * K.log(y_pred) * weights, -1)
    return loss


def w_categorical_crossentropy(y_true, y_pred, weights):
    """A price for every pair of true and predicted class."""
    nb_cl = len(weights)
    final_mask = K.zeros_like(y_pred[:, 0])
    y_pred_max = K.max(y_pred, axis=1)
    y_pred_max = K.reshape(y_pred_max, (K.shape(y_pred)[0], 1))
    y_pred_max_mat = K.cast(K.equal(y_pred, y_pred_max), K.floatx())
    for c_p, c_t in product(range(nb_cl), range(nb_cl)):
        final_mask += weights[c_t, c_p] * y_pred_max_mat[:, c_p] * y_true[:, c_t]
    return K.categorical_crossentropy(y_true, y_pred) * final_mask


def smooth(y_true, y_pred, label_smoothing=0.1):
    num_classes = K.cast(K.shape(y_true)[1], y_pred.dtype)
    return K.categorical_crossentropy(y_true * (1.0 - label_smoothing) + label_smoothing / num_classes, y_pred)


def dice_coef(y_true, y_pred, smooth=1.):
    y_true_f, y_pred_f = K.flatten(y_true), K.flatten(y_pred)
    intersection = K.sum(y_true_f * y_pred_f)
    return (2. * intersection + smooth) / (K.sum(y_true_f) + K.sum(y_pred_f) + smooth)


def dice_coef_loss(y_true, y_pred):
    return 1 - dice_coef(y_true, y_pred)


def jaccard_distance(y_true, y_pred, smooth=100):
    intersection = K.sum(K.abs(y_true * y_pred), axis=-1)
    sum_ = K.sum(K.abs(y_true) + K.abs(y_pred), axis=-1)
    return (1 - (intersection + smooth) / (sum_ - intersection + smooth)) * smooth


def tversky_loss(y_true, y_pred, alpha=0.5, beta=0.5):
    ones = K.ones(K.shape(y_true)) if K.backend() == 'tensorflow' else K.ones_like(y_true)
    p0, p1, g0, g1 = y_pred, ones - y_pred, y_true, ones - y_true
    num = K.sum(p0 * g0, 0)
    den = num + alpha * K.sum(p0 * g1, 0) + beta * K.sum(p1 * g0, 0)
    return K.cast(K.int_shape(y_pred)[-1], 'float32') - K.sum(num / den)


def huber(y_true, y_pred, delta=0.5):
    error = K.abs(y_true - y_pred)
    return K.mean(K.switch(error < delta, 0.5 * K.square(error), delta * (error - 0.5 * delta)), axis=-1)


def tilted_loss(q, y, f):
    e = (y - f)
    return K.mean(K.maximum(q * e, (q - 1) * e), axis=-1)


rng = np.random.RandomState(5)
x = rng.normal(size=(120, 5))
labels = np.where(x[:, 0] > 1.2, 2, np.where(x[:, 1] > 0, 1, 0))
y = to_categorical(labels, 3)
cost = np.ones((3, 3))
cost[2, :] = 3.
cost_loss = partial(w_categorical_crossentropy, weights=cost)
cost_loss.__name__ = 'w_categorical_crossentropy'
get_custom_objects().update({'smooth': smooth, 'jaccard_distance': jaccard_distance})
quantile = lambda y, f: tilted_loss(0.9, y, f)  # noqa: E731
candidates = [('focal', focal_loss(gamma=2., alpha=.6)), ('weighted', weighted_categorical_crossentropy([1., 2., 5.])),
              ('cost', cost_loss), ('smooth', 'smooth'), ('dice', dice_coef_loss), ('jaccard', 'jaccard_distance'),
              ('tversky', tversky_loss), ('huber', huber), ('quantile', quantile), ('logcosh', losses.logcosh)]
weights = [rng.normal(0, 0.5, shape) for shape in [(5, 8), (8,), (8, 3), (3,)]]
result = {}
for name, loss in candidates:
    model = Sequential([Dense(8, activation='tanh', input_shape=(5,)), Dense(3), Activation('softmax')])
    model.compile('sgd', loss, metrics=['accuracy', dice_coef])
    model.set_weights(weights)
    result[name] = [float(v) for v in model.test_on_batch(x[:40], y[:40])]
    if name == 'focal':
        p = model.predict(x[:40]).astype('float64')
        expected = -np.sum(np.where(y[:40] == 1, .6 * (1 - p) ** 2 * np.log(p), .4 * p ** 2 * np.log(1 - p)))
        assert abs(expected - result[name][0]) < 1e-3 * expected
    if name in ('weighted', 'smooth', 'jaccard', 'logcosh'):
        continue
    K.set_value(model.optimizer.lr, 0.005 if name == 'focal' else 0.2)
    for _ in range(10):
        model.train_on_batch(x, y)
    after = model.test_on_batch(x[:40], y[:40])
    assert after[0] < result[name][0], (name, result[name], after)

# Weights of classes and samples.
model = Sequential([Dense(8, activation='tanh', input_shape=(5,)), Dense(3, activation='softmax')])
model.compile('adam', 'categorical_crossentropy', weighted_metrics=['acc'])
model.set_weights(weights)
per_class = {0: 1., 1: 1., 2: 4.}
sample_weight = np.array([per_class[label] for label in labels])
by_sample = model.evaluate(x, y, sample_weight=sample_weight, batch_size=120, verbose=0)
p = model.predict(x)
expected = np.mean(-np.log(p[np.arange(120), labels]) * sample_weight)
assert abs(by_sample[0] - expected) < 1e-3, (by_sample, expected)
hist = model.fit(x, y, class_weight=per_class, epochs=3, verbose=0, shuffle=False)
result['by_sample'] = [float(v) for v in by_sample]
assert len(hist.history['loss']) == 3

# Weights of steps in time.
series = rng.normal(size=(10, 4, 2))
targets = np.cumsum(series, axis=1).sum(axis=-1, keepdims=True)
steps = np.array([[1., 1., 0., 0.]] * 10)
model = Sequential([GRU(5, return_sequences=True, input_shape=(4, 2), recurrent_activation='hard_sigmoid'),
                    Dropout(0.1), TimeDistributed(Dense(1))])
model.compile('adam', 'mse', sample_weight_mode='temporal')
model.set_weights([rng.normal(0, 0.4, w.shape) for w in model.get_weights()])
loss = float(model.test_on_batch(series, targets, sample_weight=steps))
far = targets.copy()
far[:, 2:] += 100.
assert abs(model.test_on_batch(series, far, sample_weight=steps) - loss) < 1e-4
result['temporal'] = loss
print('RESULT ' + json.dumps(result))
