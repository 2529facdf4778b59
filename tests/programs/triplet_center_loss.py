"""Face-recognition losses: triplets stacked in one output, batch-hard mining, center loss by an Embedding of centers."""
import json

import numpy as np
from keras import backend as K
from keras.layers import Dense, Embedding, Input, Lambda, PReLU, concatenate
from keras.models import Model, Sequential
from keras.optimizers import SGD

np.random.seed(10)
ALPHA, DIM, CLASSES = 0.2, 4, 3


def make_blobs(rng, n=90, features=6):
    y = np.arange(n) % CLASSES
    return rng.normal(size=(CLASSES, features))[y] + 0.4 * rng.normal(size=(n, features)), y


def base():
    return Sequential([Dense(12, input_shape=(6,)), PReLU(), Dense(DIM),
                       Lambda(lambda x: K.l2_normalize(x, axis=-1), output_shape=(DIM,))])


# --- 1. anchor, positive and negative in one tensor
def triplet_loss(y_true, y_pred):
    anchor, positive, negative = y_pred[:, 0], y_pred[:, 1], y_pred[:, 2]
    pos_dist = K.sum(K.square(anchor - positive), axis=-1)
    neg_dist = K.sum(K.square(anchor - negative), axis=-1)
    return K.mean(K.maximum(pos_dist - neg_dist + ALPHA, 0.0))


def rank_accuracy(y_true, y_pred):
    distances = K.sum(K.square(y_pred[:, :1] - y_pred[:, 1:]), axis=-1)
    return K.mean(K.cast(K.less(distances[:, 0], distances[:, 1]), K.floatx()))


rng = np.random.RandomState(3)
x, y = make_blobs(rng)
embed = base()
start = [rng.normal(0, 0.5, w.shape) for w in embed.get_weights()]
inputs = [Input((6,), name=name) for name in ('anchor', 'positive', 'negative')]
stacked = Lambda(lambda vects: K.stack(vects, axis=1), output_shape=(3, DIM))([embed(i) for i in inputs])
triplets = Model(inputs, stacked)
triplets.compile(SGD(0.1), loss=triplet_loss, metrics=[rank_accuracy])
embed.set_weights(start)
positive = np.array([rng.choice(np.where(y == label)[0]) for label in y])
negative = np.array([rng.choice(np.where(y != label)[0]) for label in y])
batch, none = [x, x[positive], x[negative]], np.empty((len(x), 1))
assert triplets.predict(batch).shape == (90, 3, DIM)
triplet_start = triplets.test_on_batch(batch, none)
for _ in range(40):
    triplet_end = triplets.train_on_batch(batch, none)
assert triplet_end[0] < 0.5 * triplet_start[0], (triplet_start, triplet_end)
assert triplet_end[1] > 0.9, triplet_end


# --- 2. the hardest of a batch
def pairwise_distance(x):
    square = K.sum(K.square(x), axis=1, keepdims=True)
    distance = square + K.transpose(square) - 2. * K.dot(x, K.transpose(x))
    distance = K.maximum(distance, 0.)
    zeros = K.cast(K.equal(distance, 0.), K.floatx())
    return K.sqrt(distance + zeros * 1e-16) * (1. - zeros)


def batch_hard(y_true, y_pred):
    labels = K.argmax(y_true, axis=-1)
    same = K.cast(K.equal(K.expand_dims(labels, 0), K.expand_dims(labels, 1)), K.floatx())
    distance = pairwise_distance(y_pred)
    hardest_positive = K.max(same * distance, axis=1)
    hardest_negative = K.min(distance + K.max(distance) * same, axis=1)
    soft = K.softplus(hardest_positive - hardest_negative)
    return soft


hard = base()
hard.compile('sgd', batch_hard)
hard.set_weights(start)
one_hot = np.zeros((90, DIM))  # as many columns as the embedding: Keras compares the shapes
one_hot[np.arange(90), y] = 1
batch_hard_start = float(hard.test_on_batch(x, one_hot))
v = hard.predict(x).astype('float64')
d = np.sqrt(np.maximum(((v[:, None] - v[None]) ** 2).sum(axis=-1), 0))
same = y[:, None] == y[None]
expected = np.mean(np.log1p(np.exp((same * d).max(axis=1) - (d + d.max() * same).min(axis=1))))
assert abs(batch_hard_start - expected) < 1e-3, (batch_hard_start, expected)
for _ in range(40):
    hard_end = hard.train_on_batch(x, one_hot)
assert hard_end < 0.9 * batch_hard_start, (batch_hard_start, hard_end)

# --- 3. softmax and center loss
image, target = Input((6,)), Input((1,), dtype='int32')
features = Dense(2, name='features')(PReLU()(Dense(12)(image)))
softmax = Dense(CLASSES, activation='softmax', name='softmax')(features)
centers = Embedding(CLASSES, 2, name='centers')(target)
l2_loss = Lambda(lambda z: K.sum(K.square(z[0] - z[1][:, 0]), 1, keepdims=True), output_shape=(1,), name='l2')(
    [features, centers])
model = Model(inputs=[image, target], outputs=[softmax, l2_loss])
model.compile(SGD(0.05, momentum=0.9), ['sparse_categorical_crossentropy', lambda y_true, y_pred: y_pred],
              loss_weights=[1., 0.05], metrics={'softmax': 'accuracy'})
model.set_weights([rng.normal(0, 0.5, w.shape) for w in model.get_weights()])
dummy = np.random.rand(len(x), 1)
center_start = [float(v) for v in model.test_on_batch([x, y], [y[:, None], dummy])]
hist = model.fit([x, y], [y, dummy], batch_size=30, epochs=20, verbose=0)
assert hist.history['l2_loss'][-1] < 0.3 * center_start[2], (center_start, hist.history)
learned = model.get_layer('centers').get_weights()[0]
found = Model(image, features).predict(x)
spread = np.mean(np.sum((found - learned[y]) ** 2, axis=1))
told = np.mean(model.predict([x, y])[1])
assert abs(spread - told) < 1e-3 * spread + 1e-5, (spread, told)

merged = concatenate([embed(i) for i in inputs], axis=-1)
assert K.int_shape(merged) == (None, 3 * DIM)
print('RESULT ' + json.dumps({'triplet': [float(v) for v in triplet_start], 'hard': batch_hard_start,
                              'center': center_start, 'distance': d[0, ::9].tolist()}))
