"""Metrics with state as of 2019 to 2021: F1, MCC, mean IoU, kappa, per class; functions with K.epsilon; weighted."""
import json
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.metrics import AUC, Metric, Precision, Recall


class F1Score(Metric):
    def __init__(self, num_classes, name='f1', threshold=0.5, **kwargs):
        super(F1Score, self).__init__(name=name, **kwargs)
        self.num_classes = num_classes
        self.threshold = threshold
        self.tp = self.add_weight(name='tp', shape=(num_classes,), initializer='zeros')
        self.fp = self.add_weight(name='fp', shape=(num_classes,), initializer='zeros')
        self.fn = self.add_weight(name='fn', shape=(num_classes,), initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true = tf.cast(y_true, self.dtype)
        y_pred = tf.cast(y_pred > self.threshold, self.dtype)
        tp = y_true * y_pred
        if sample_weight is not None:
            sample_weight = tf.cast(sample_weight, self.dtype)
            tp *= tf.reshape(sample_weight, (-1, 1))
        self.tp.assign_add(tf.reduce_sum(tp, axis=0))
        self.fp.assign_add(tf.reduce_sum((1 - y_true) * y_pred, axis=0))
        self.fn.assign_add(tf.reduce_sum(y_true * (1 - y_pred), axis=0))

    def result(self):
        p = self.tp / (self.tp + self.fp + K.epsilon())
        r = self.tp / (self.tp + self.fn + K.epsilon())
        return tf.reduce_mean(2 * p * r / (p + r + K.epsilon()))

    def reset_states(self):
        K.batch_set_value([(v, np.zeros((self.num_classes,))) for v in self.variables])


class CategoricalTruePositives(keras.metrics.Metric):
    def __init__(self, name='categorical_true_positives', **kwargs):
        super().__init__(name=name, **kwargs)
        self.true_positives = self.add_weight(name='ctp', initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true = K.argmax(y_true, axis=-1)
        y_pred = K.argmax(y_pred, axis=-1)
        values = tf.equal(tf.cast(y_true, 'int32'), tf.cast(y_pred, 'int32'))
        values = tf.cast(values, 'float32')
        self.true_positives.assign_add(tf.reduce_sum(values))

    def result(self):
        return self.true_positives

    def reset_states(self):
        self.true_positives.assign(0.0)


class Kappa(Metric):
    def __init__(self, n, name='kappa', **kwargs):
        super().__init__(name=name, **kwargs)
        self.n = n
        self.conf = self.add_weight('conf', shape=(n, n), initializer='zeros', dtype=tf.int32)

    def update_state(self, y_true, y_pred, sample_weight=None):
        a, b = tf.argmax(y_true, 1), tf.argmax(y_pred, 1)
        self.conf.assign_add(tf.math.confusion_matrix(a, b, num_classes=self.n))

    def reset_states(self):
        K.set_value(self.conf, np.zeros((self.n, self.n)))

    def result(self):
        conf = tf.cast(self.conf, tf.float32)
        weights = tf.reshape(tf.range(self.n), [-1, 1]) - tf.reshape(tf.range(self.n), [1, -1])
        weights = tf.cast(tf.square(weights), tf.float32)
        hist_true, hist_pred = tf.reduce_sum(conf, axis=1), tf.reduce_sum(conf, axis=0)
        expected = tf.matmul(hist_true[:, None], hist_pred[None, :]) / tf.reduce_sum(conf)
        return tf.math.divide_no_nan(tf.reduce_sum(weights * conf), tf.reduce_sum(weights * expected))


def recall_m(y_true, y_pred):
    true_positives = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
    possible_positives = K.sum(K.round(K.clip(y_true, 0, 1)))
    return true_positives / (possible_positives + K.epsilon())


def precision_m(y_true, y_pred):
    true_positives = K.sum(K.round(K.clip(y_true * y_pred, 0, 1)))
    predicted_positives = K.sum(K.round(K.clip(y_pred, 0, 1)))
    return true_positives / (predicted_positives + K.epsilon())


def f1_m(y_true, y_pred):
    p, r = precision_m(y_true, y_pred), recall_m(y_true, y_pred)
    return 2 * ((p * r) / (p + r + K.epsilon()))


def mcc(y_true, y_pred):
    y_pred_pos = K.round(K.clip(y_pred, 0, 1))
    y_pred_neg = 1 - y_pred_pos
    y_pos = K.round(K.clip(y_true, 0, 1))
    y_neg = 1 - y_pos
    tp, tn = K.sum(y_pos * y_pred_pos), K.sum(y_neg * y_pred_neg)
    fp, fn = K.sum(y_neg * y_pred_pos), K.sum(y_pos * y_pred_neg)
    return (tp * tn - fp * fn) / (K.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) + K.epsilon())


def top_2(y_true, y_pred):
    return keras.metrics.top_k_categorical_accuracy(y_true, y_pred, k=2)


def per_class(index):
    def acc(y_true, y_pred):
        hit = K.cast(K.equal(K.argmax(y_true), index), 'int32')
        right = K.cast(K.equal(K.argmax(y_true), K.argmax(y_pred)), 'int32') * hit
        return K.sum(right) / K.maximum(K.sum(hit), 1)
    acc.__name__ = 'acc_%d' % index
    return acc


def focal(gamma=2., alpha=.25):
    def focal_fixed(y_true, y_pred):
        eps = K.epsilon()
        y_pred = K.clip(y_pred, eps, 1. - eps)
        return K.sum(-y_true * alpha * K.pow(1 - y_pred, gamma) * K.log(y_pred), axis=-1)
    return focal_fixed


rs = np.random.RandomState(6)
x = rs.normal(size=(30, 4)).astype('float32')
y = np.eye(3, dtype='float32')[np.argmax(x[:, :3] + rs.normal(size=(30, 3)), 1)]


def make():
    i = Input((4,))
    m = keras.Model(i, Dense(3, activation='softmax')(Dense(5, activation='tanh')(i)))
    r = np.random.RandomState(1)
    m.set_weights([r.normal(0, .5, w.shape) for w in m.get_weights()])
    return m


out = {}
model = make()
model.compile('adam', loss=focal(), metrics=[F1Score(3), CategoricalTruePositives(), Kappa(3), f1_m, recall_m, mcc, top_2, per_class(0),
              per_class(2), AUC(name='auc'), Precision(name='p'), Recall(name='r', class_id=1), 'accuracy', keras.metrics.MeanIoU(3, name='iou')
              if False else 'categorical_accuracy'])
h = model.fit(x, y, batch_size=7, epochs=3, shuffle=False, validation_split=0.3, verbose=0)
out['h'] = {k: [float(a) for a in v] for k, v in h.history.items()}
out['ev'] = dict(zip(model.metrics_names, [float(v) for v in model.evaluate(x, y, batch_size=4, verbose=0)]))
out['d'] = {k: float(v) for k, v in model.evaluate(x, y, batch_size=30, verbose=0, return_dict=True).items()}
out['w'] = [float(v) for v in model.evaluate(x, y, batch_size=8, verbose=0, sample_weight=np.linspace(0, 1, 30))]
model = make()
model.compile('sgd', 'categorical_crossentropy', metrics=[f1_m])
h = model.fit(x, y, batch_size=7, epochs=2, shuffle=False, class_weight={0: 1., 1: 5., 2: .5}, verbose=0)
out['cw'] = {k: [float(a) for a in v] for k, v in h.history.items()}
m = F1Score(3)
m.update_state(y[:5], y[3:8])
a = float(m.result().numpy())
m.reset_states()
out['alone'] = [a, float(m.result())]
print('RESULT', json.dumps(out))
