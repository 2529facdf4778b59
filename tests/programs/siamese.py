"""Siamese network of 2017: one branch with BatchNormalization shared by both inputs, contrastive loss."""
# keras: 2.0.8 2.1.6 2.2.2 2.2.4 2.2.5 2.3.0 2.3.1
from __future__ import absolute_import, print_function

import json
import random

import numpy as np
from keras import backend as K
from keras.layers import Activation, BatchNormalization, Dense, Input, Lambda
from keras.models import Model, Sequential
from keras.optimizers import RMSprop

np.random.seed(1337)
random.seed(1337)

input_dim = 12
margin = 1.


def make_data(num_classes=4, per_class=30):
    centers = np.random.uniform(-1, 1, (num_classes, input_dim))
    return [center + 0.15 * np.random.randn(per_class, input_dim) for center in centers]


def create_pairs(groups):
    """Alternating pairs: two of one class, two of different classes."""
    pairs, labels = [], []
    for d in range(len(groups)):
        for i in range(len(groups[d]) - 1):
            other = (d + random.randrange(1, len(groups))) % len(groups)
            pairs += [[groups[d][i], groups[d][i + 1]], [groups[d][i], groups[other][i]]]
            labels += [1, 0]
    return np.array(pairs), np.array(labels)


def euclidean_distance(vects):
    left, right = vects
    return K.sqrt(K.maximum(K.sum(K.square(left - right), axis=1, keepdims=True), K.epsilon()))


def dist_output_shape(shapes):
    shape1, shape2 = shapes
    return shape1[0], 1


def contrastive_loss(y_true, y_pred):
    return K.mean(y_true * K.square(y_pred) + (1 - y_true) * K.square(K.maximum(margin - y_pred, 0)))


def accuracy(y_true, y_pred):
    return K.mean(K.equal(y_true, K.cast(y_pred < 0.5, y_true.dtype)))


def compute_accuracy(y_true, y_pred):
    pred = y_pred.ravel() < 0.5
    return np.mean(pred == y_true)


def create_base_network():
    seq = Sequential()
    seq.add(Dense(16, input_shape=(input_dim,)))
    seq.add(BatchNormalization(momentum=0.9))
    seq.add(Activation('relu'))
    seq.add(Dense(8))
    return seq


groups = make_data()
x, y = create_pairs(groups)
order = np.random.permutation(len(y))
x, y = x[order], y[order]
split = len(y) * 3 // 4
x_train, y_train, x_test, y_test = x[:split], y[:split], x[split:], y[split:]

base_network = create_base_network()
input_a = Input(shape=(input_dim,))
input_b = Input(shape=(input_dim,))
distance = Lambda(euclidean_distance, output_shape=dist_output_shape)(
    [base_network(input_a), base_network(input_b)])
model = Model([input_a, input_b], distance)
model.compile(loss=contrastive_loss, optimizer=RMSprop(lr=0.003), metrics=[accuracy])

# The same start on every machine.
rng = np.random.RandomState(7)
start = [rng.uniform(0.1, 0.9, w.shape) - (0.5 if w.ndim == 2 else 0.) for w in model.get_weights()]
model.set_weights(start)
data = np.random.RandomState(8)
a, b, t = data.randn(20, input_dim), data.randn(20, input_dim) + 1., data.randint(0, 2, 20)
predicted = model.predict([a, b])
assert predicted.shape == (20, 1)
first = [float(model.train_on_batch([a, b], t)[0]) for _ in range(3)]

# Both branches move the averages of the one layer.
def averages_after_a_step(left, right):
    model.set_weights(start)
    model.train_on_batch([left, right], t)
    return base_network.layers[1].get_weights()[2]


moved = averages_after_a_step(a, b)
assert np.abs(averages_after_a_step(a + 5., b) - moved).max() > 0.01
assert np.abs(averages_after_a_step(a, b + 5.) - moved).max() > 0.01

history = model.fit([x_train[:, 0], x_train[:, 1]], y_train, batch_size=32, epochs=25, verbose=0,
                    validation_data=([x_test[:, 0], x_test[:, 1]], y_test))
losses = history.history['loss']
y_pred = model.predict([x_test[:, 0], x_test[:, 1]])
te_acc = compute_accuracy(y_test, y_pred)
print('* Accuracy on test set: %0.2f%%' % (100 * te_acc))
assert losses[-1] < 0.3 * losses[0], losses
assert te_acc > 0.85, te_acc
assert abs(history.history['val_accuracy'][-1] - te_acc) < 0.02
print('RESULT ' + json.dumps({'predicted': predicted.ravel().tolist(), 'losses': first}))
