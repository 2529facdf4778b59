"""Faces by angles: ArcFace and large-margin layers that take the labels as an input, normalised weights, a center loss
as a layer with updates of its own, pairs verified by thresholds."""
from __future__ import print_function

import json
import math

import numpy as np
from keras import backend as K
from keras import regularizers
from keras.engine.topology import Layer
from keras.layers import BatchNormalization, Conv2D, Dense, Flatten, Input, MaxPooling2D, PReLU, add
from keras.models import Model
from keras.optimizers import SGD
from keras.regularizers import l2

PEOPLE, DIM = 4, 5


class ArcFace(Layer):
    """s * cos(theta + m) for the class of the label, s * cos(theta) for the others."""

    def __init__(self, n_classes=10, s=30.0, m=0.50, regularizer=None, **kwargs):
        super(ArcFace, self).__init__(**kwargs)
        self.n_classes, self.s, self.m = n_classes, s, m
        self.regularizer = regularizers.get(regularizer)

    def build(self, input_shape):
        super(ArcFace, self).build(input_shape[0])
        self.W = self.add_weight(name='W', shape=(input_shape[0][-1], self.n_classes), initializer='glorot_uniform',
                                 trainable=True, regularizer=self.regularizer)

    def call(self, inputs):
        x, y = inputs
        x = K.l2_normalize(x, axis=1)
        W = K.l2_normalize(self.W, axis=0)
        cos = K.clip(K.dot(x, W), -1.0 + K.epsilon(), 1.0 - K.epsilon())
        sin = K.sqrt(1. - K.square(cos))
        phi = cos * math.cos(self.m) - sin * math.sin(self.m)
        # beyond pi - m the cosine would rise again
        easy = cos - math.sin(math.pi - self.m) * self.m
        phi = K.switch(cos > math.cos(math.pi - self.m), phi, easy)
        logits = cos * (1 - y) + phi * y
        return K.softmax(logits * self.s)

    def compute_output_shape(self, input_shape):
        return (None, self.n_classes)


class CosFace(ArcFace):
    def call(self, inputs):
        x, y = inputs
        logits = K.dot(K.l2_normalize(x, axis=1), K.l2_normalize(self.W, axis=0))
        return K.softmax((logits - self.m * y) * self.s)


class CenterLossLayer(Layer):
    """The squared distance to the center of the class; centers move by an update."""

    def __init__(self, alpha=0.5, **kwargs):
        super(CenterLossLayer, self).__init__(**kwargs)
        self.alpha = alpha

    def build(self, input_shape):
        self.centers = self.add_weight(name='centers', shape=(PEOPLE, input_shape[0][-1]), initializer='uniform',
                                       trainable=False)
        super(CenterLossLayer, self).build(input_shape)

    def call(self, x, mask=None):
        # x[0] is N x DIM, x[1] is N x PEOPLE onehot, self.centers is PEOPLE x DIM
        delta_centers = K.dot(K.transpose(x[1]), (K.dot(x[1], self.centers) - x[0]))
        center_counts = K.sum(K.transpose(x[1]), axis=1, keepdims=True) + 1
        delta_centers /= center_counts
        new_centers = self.centers - self.alpha * delta_centers
        self.add_update((self.centers, new_centers), x)
        self.result = x[0] - K.dot(x[1], self.centers)
        self.result = K.sum(self.result ** 2, axis=1, keepdims=True)
        return self.result

    def compute_output_shape(self, input_shape):
        return (input_shape[0][0], 1)


def zero_loss(y_true, y_pred):
    return 0.5 * K.sum(y_pred, axis=0)


def backbone():
    inputs = Input((8, 8, 1))
    x = Conv2D(4, (3, 3), padding='same', kernel_regularizer=l2(1e-4))(inputs)
    x = PReLU(shared_axes=[1, 2])(x)
    y = Conv2D(4, (3, 3), padding='same')(x)
    x = MaxPooling2D((2, 2))(add([x, PReLU(shared_axes=[1, 2])(y)]))
    x = Dense(DIM, kernel_regularizer=l2(1e-4))(Flatten()(x))
    return Model(inputs, BatchNormalization(name='features')(x))


rs = np.random.RandomState(20)
faces = rs.rand(PEOPLE, 8, 8, 1)
who = np.arange(24) % PEOPLE
x = faces[who] + rs.normal(0, .15, (24, 8, 8, 1))
y = np.eye(PEOPLE)[who]
result = {}
for kind, options in ((ArcFace, dict(s=6., m=.5, regularizer=l2(1e-3))), (CosFace, dict(s=8., m=.35))):
    base = backbone()
    label = Input((PEOPLE,))
    margins = kind(PEOPLE, name='margin', **options)([base.output, label])
    side = CenterLossLayer(alpha=0.5, name='centerlosslayer')([base.output, label])
    model = Model([base.input, label], [margins, side])
    model.set_weights([rs.normal(0, .3, w.shape) if w.ndim > 1 else np.abs(rs.normal(.5, .2, w.shape))
                       for w in model.get_weights()])
    model.compile(SGD(lr=.02, momentum=.9), ['categorical_crossentropy', zero_loss], loss_weights=[1., .01],
                  metrics={'margin': 'accuracy'})
    centers = model.get_layer('centerlosslayer').get_weights()[0]
    before = model.predict([x, y])
    steps = [[float(v) for v in model.train_on_batch([x, y], [y, np.zeros((24, 1))])] for _ in range(3)]
    moved = model.get_layer('centerlosslayer').get_weights()[0]
    assert np.abs(moved - centers).max() > 1e-3
    model.fit([x, y], [y, np.zeros((24, 1))], epochs=60, batch_size=8, verbose=0)
    # Without a margin: the label is zero everywhere.
    plain = model.predict([x, y * 0])[0]
    assert (plain.argmax(1) == who).mean() > .7, (plain.argmax(1), who)
    embedded = base.predict(x)
    unit = embedded / np.linalg.norm(embedded, axis=1, keepdims=True)
    similar = unit.dot(unit.T)[np.triu_indices(24, 1)]
    same = (who[:, None] == who)[np.triu_indices(24, 1)]
    best = max((np.mean((similar > t) == same), t) for t in np.linspace(-1, 1, 41))
    print('%s: %.2f of the pairs at %.2f' % (kind.__name__, best[0], best[1]))
    assert best[0] > .75, best
    result[kind.__name__] = {'before': [part.ravel()[::5].tolist() for part in before], 'steps': steps,
                             'moved': moved.ravel().tolist()}
# The margin by hand.
feature, weights = rs.normal(size=(6, DIM)), rs.normal(size=(DIM, PEOPLE))
f, label = Input((DIM,)), Input((PEOPLE,))
alone = Model([f, label], ArcFace(PEOPLE, s=4., m=.4)([f, label]))
alone.set_weights([weights])
target = np.eye(PEOPLE)[[0, 1, 2, 3, 0, 1]]
cos = (feature / np.linalg.norm(feature, axis=1, keepdims=True)).dot(weights / np.linalg.norm(weights, axis=0))
theta = np.arccos(cos)
phi = np.where(cos > np.cos(np.pi - .4), np.cos(theta + .4), cos - np.sin(np.pi - .4) * .4)
logits = 4 * (cos * (1 - target) + phi * target)
expected = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
np.testing.assert_allclose(alone.predict([feature, target]), expected, atol=1e-5)
print('RESULT ' + json.dumps(result))
