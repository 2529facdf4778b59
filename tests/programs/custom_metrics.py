"""Metrics copied from kernels of 2017: precision, recall, F1, MCC, R2, AUC by a callback; 'acc' by its name."""
# keras: 2.0.8 2.1.6 2.2.2 2.2.4 2.2.5 2.3.0 2.3.1
import json

import keras.backend as K
import numpy as np
from keras.callbacks import Callback
from keras.layers import BatchNormalization, Dense
from keras.models import Sequential

np.random.seed(12)


def precision(y_true, y_pred):
    true_positives = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
    predicted_positives = K.sum(K.round(K.clip(y_pred, 0, 1)))
    return true_positives / (predicted_positives + K.epsilon())


def recall(y_true, y_pred):
    true_positives = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
    possible_positives = K.sum(K.round(K.clip(y_true, 0, 1)))
    return true_positives / (possible_positives + K.epsilon())


def fbeta_score(beta):
    def fbeta(y_true, y_pred):
        if K.sum(K.round(K.clip(y_true, 0, 1))) == 0:
            return 0
        p, r = precision(y_true, y_pred), recall(y_true, y_pred)
        bb = beta ** 2
        return (1 + bb) * (p * r) / (bb * p + r + K.epsilon())
    fbeta.__name__ = 'f%d' % beta
    return fbeta


def f1_macro(y_true, y_pred):
    y_pred = K.round(y_pred)
    tp = K.sum(K.cast(y_true * y_pred, 'float'), axis=0)
    fp = K.sum(K.cast((1 - y_true) * y_pred, 'float'), axis=0)
    fn = K.sum(K.cast(y_true * (1 - y_pred), 'float'), axis=0)
    p = tp / (tp + fp + K.epsilon())
    r = tp / (tp + fn + K.epsilon())
    return K.mean(2 * p * r / (p + r + K.epsilon()))


def matthews_correlation(y_true, y_pred):
    y_pred_pos = K.round(K.clip(y_pred, 0, 1))
    y_pred_neg = 1 - y_pred_pos
    y_pos = K.round(K.clip(y_true, 0, 1))
    y_neg = 1 - y_pos
    tp = K.sum(y_pos * y_pred_pos)
    tn = K.sum(y_neg * y_pred_neg)
    fp = K.sum(y_neg * y_pred_pos)
    fn = K.sum(y_pos * y_pred_neg)
    numerator = (tp * tn - fp * fn)
    denominator = K.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return numerator / (denominator + K.epsilon())


def r2_keras(y_true, y_pred):
    ss_res = K.sum(K.square(y_true - y_pred))
    ss_tot = K.sum(K.square(y_true - K.mean(y_true)))
    return 1 - ss_res / (ss_tot + K.epsilon())


def specificity(y_true, y_pred):
    neg = K.cast(K.equal(y_true, 0), 'float')
    right = K.cast(K.less(y_pred, 0.5), 'float') * neg
    return K.sum(right) / K.maximum(K.sum(neg), 1.)


def mean_pred(y_true, y_pred):
    return K.mean(y_pred)


class RocAuc(Callback):
    """Area under the curve, by ranks, of a part of the data that is kept away."""

    def __init__(self, x, y):
        self.x, self.y, self.scores = x, y, []

    def on_epoch_end(self, epoch, logs={}):  # noqa: B006
        ranks = np.argsort(np.argsort(self.model.predict(self.x, verbose=0)[:, 0])) + 1.
        positives = self.y.sum()
        auc = (ranks[self.y == 1].sum() - positives * (positives + 1) / 2) / (positives * (len(self.y) - positives))
        self.scores.append(auc)
        logs['val_auc'] = auc


rng = np.random.RandomState(4)
X = rng.normal(size=(240, 6))
y = (X.dot(rng.normal(size=6)) + 0.3 * rng.normal(size=240) > 0.4).astype('float32')
model = Sequential()
model.add(Dense(10, input_dim=6, kernel_initializer='uniform', activation='relu'))
model.add(BatchNormalization())
model.add(Dense(1, activation='sigmoid'))
own = [precision, recall, fbeta_score(1), fbeta_score(2), f1_macro, matthews_correlation, r2_keras, specificity,
       mean_pred]
model.compile(loss='binary_crossentropy', optimizer='adam', metrics=['acc', 'mae'] + own)
model.set_weights([rng.uniform(0.2, 0.8, w.shape) if w.ndim == 1 else rng.normal(0, 0.5, w.shape)
                   for w in model.get_weights()])
names = ['loss', 'acc', 'mean_absolute_error'] + [f.__name__ for f in own]
print(model.metrics_names)
assert [n.replace('accuracy', 'acc').replace('mae', 'mean_absolute_error') for n in model.metrics_names] == names

values = dict(zip(names, [float(v) for v in model.test_on_batch(X[:60], y[:60])]))
p, t = model.predict(X[:60])[:, 0], y[:60]
tp, fp = np.sum((p > 0.5) & (t == 1)), np.sum((p > 0.5) & (t == 0))
fn, tn = np.sum((p <= 0.5) & (t == 1)), np.sum((p <= 0.5) & (t == 0))
mcc = (tp * tn - fp * fn) / np.sqrt(1. * (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
expected = {'acc': (tp + tn) / 60., 'precision': tp / (tp + fp), 'recall': tp / (tp + fn),
            'f1': 2. * tp / (2 * tp + fp + fn), 'f2': 5. * tp / (5 * tp + 4 * fn + fp), 'specificity': tn / (tn + fp),
            'matthews_correlation': mcc,
            'f1_macro': 2. * tp / (2 * tp + fp + fn), 'mean_pred': p.mean(),
            'mean_absolute_error': np.abs(p - t).mean(),
            'r2_keras': 1 - np.sum((t - p) ** 2) / np.sum((t - t.mean()) ** 2)}
for name in expected:
    assert abs(values[name] - expected[name]) < 1e-3, (name, values[name], expected[name])

auc = RocAuc(X[180:], y[180:])
K.set_value(model.optimizer.lr, 0.01)
hist = model.fit(X[:180], y[:180], validation_data=(X[180:], y[180:]), epochs=20, batch_size=30, verbose=0,
                 callbacks=[auc])
acc = hist.history['acc'] if 'acc' in hist.history else hist.history['accuracy']
val_acc = hist.history.get('val_acc', hist.history.get('val_accuracy'))
for key in ('f1', 'val_f1', 'matthews_correlation', 'val_r2_keras', 'val_auc', 'val_precision'):
    assert len(hist.history[key]) == 20, key
assert acc[-1] > 0.85 and val_acc[-1] > 0.8, (acc, val_acc)
assert hist.history['val_f1'][-1] > 0.7
assert auc.scores[-1] > 0.85, auc.scores
print('RESULT ' + json.dumps(values))
