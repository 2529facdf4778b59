"""Learning from few examples: episodes of prototypical and relation networks, distances by broadcasting, a model that
is called on reshaped supports and queries, the loss with K.logsumexp, a step of the inner loop of MAML by
K.gradients."""
from __future__ import print_function

import json

import numpy as np
import keras.backend as K
from keras.layers import (Conv2D, Dense, Flatten, GlobalAveragePooling2D, Input, Lambda, LeakyReLU, MaxPooling2D,
                          TimeDistributed, concatenate)
from keras.models import Model, Sequential
from keras.optimizers import SGD

WAY, SHOT, QUERY, SIZE = 3, 2, 2, 8
rs = np.random.RandomState(14)


def conv_net():
    net = Sequential(name='embedding_net')
    for i in range(2):
        net.add(Conv2D(5, (3, 3), padding='same', **({'input_shape': (SIZE, SIZE, 1)} if not i else {})))
        net.add(LeakyReLU(.1))
        net.add(MaxPooling2D())
    net.add(Flatten())
    net.add(Dense(6))
    return net


def prototypes(x):
    return K.mean(K.reshape(x, (-1, WAY, SHOT, K.int_shape(x)[-1])), axis=2)


def prior_dist(x):
    """Minus the squared distance of each query to each prototype."""
    protos, queries = x
    diff = K.expand_dims(queries, 2) - K.expand_dims(protos, 1)
    return -K.sum(K.square(diff), axis=-1)


def cosine(x):
    protos, queries = [K.l2_normalize(t, axis=-1) for t in x]
    return K.batch_dot(queries, protos, axes=(2, 2))


def episode_loss(y_true, scores):
    logs = scores - K.expand_dims(K.logsumexp(scores, axis=-1), -1)
    return -K.mean(K.sum(y_true * logs, axis=-1), axis=-1)


def episode(n):
    """n episodes: classes are bars at different places."""
    support, query, labels = [], [], []
    for _ in range(n):
        places = rs.permutation(SIZE)[:WAY]
        images = rs.rand(WAY, SHOT + QUERY, SIZE, SIZE, 1) * .3
        for k, place in enumerate(places):
            images[k, :, :, place] += 1
        support.append(images[:, :SHOT].reshape(WAY * SHOT, SIZE, SIZE, 1))
        query.append(images[:, SHOT:].reshape(WAY * QUERY, SIZE, SIZE, 1))
        labels.append(np.repeat(np.eye(WAY), QUERY, axis=0))
    return np.array(support), np.array(query), np.array(labels)


def known(model, scale=.35):
    model.set_weights([rs.normal(0, scale, w.shape) for w in model.get_weights()])


net = conv_net()
supports, queries = Input((WAY * SHOT, SIZE, SIZE, 1)), Input((WAY * QUERY, SIZE, SIZE, 1))
each = TimeDistributed(net)
embedded = [each(t) for t in (supports, queries)]
protos = Lambda(prototypes, output_shape=(WAY, 6))(embedded[0])
scores = Lambda(prior_dist, output_shape=(WAY * QUERY, WAY))([protos, embedded[1]])
model = Model([supports, queries], scores)
known(net)
cosines = Model([supports, queries], Lambda(cosine)([protos, embedded[1]]))
s, q, y = episode(4)
found, angles = model.predict([s, q]), cosines.predict([s, q])
e = net.predict(s.reshape(-1, SIZE, SIZE, 1)).reshape(4, WAY, SHOT, 6).mean(2)
f = net.predict(q.reshape(-1, SIZE, SIZE, 1)).reshape(4, WAY * QUERY, 6)
np.testing.assert_allclose(found, -((f[:, :, None] - e[:, None]) ** 2).sum(-1), atol=1e-4)


def accuracy(y_true, y_pred):
    return K.cast(K.equal(K.argmax(y_true, axis=-1), K.argmax(y_pred, axis=-1)), K.floatx())


model.compile(SGD(lr=.02, momentum=.9), loss=episode_loss, metrics=[accuracy])
steps = [[float(v) for v in model.train_on_batch([s, q], y)] for _ in range(3)]
for _ in range(15):
    s2, q2, y2 = episode(4)
    model.train_on_batch([s2, q2], y2)
s2, q2, y2 = episode(6)
assert model.evaluate([s2, q2], y2, verbose=0)[1] > .5

# Relations: pairs of feature maps go through a network of their own.
features = Sequential([Conv2D(4, 3, activation='relu', padding='same', input_shape=(SIZE, SIZE, 1)), MaxPooling2D()])
a, b = Input((SIZE, SIZE, 1)), Input((SIZE, SIZE, 1))
pair = concatenate([features(a), features(b)], axis=3)
relation = Dense(1, activation='sigmoid')(GlobalAveragePooling2D()(Conv2D(4, 3, activation='relu')(pair)))
relations = Model([a, b], relation)
known(relations)
relations.compile('sgd', 'mse')
left = np.repeat(s[0], WAY * QUERY, axis=0)
right = np.tile(q[0], (WAY * SHOT, 1, 1, 1))
same = np.array([[float(i // SHOT == j // QUERY)] for i in range(WAY * SHOT) for j in range(WAY * QUERY)])
related = [float(relations.train_on_batch([left, right], same)) for _ in range(3)]

# MAML for one parameter matrix: the loss after a step, by its gradient through the step.
x, t = K.placeholder((None, 3)), K.placeholder((None, 2))
x2, t2 = K.placeholder((None, 3)), K.placeholder((None, 2))
w = K.variable(rs.normal(size=(3, 2)))
inner = K.mean(K.square(K.tanh(K.dot(x, w)) - t))
fast = w - .5 * K.gradients(inner, w)[0]
outer = K.mean(K.square(K.tanh(K.dot(x2, fast)) - t2))
meta = K.gradients(outer, [w])[0]
step = K.function([x, t, x2, t2], [inner, outer, meta], updates=[K.update_sub(w, .3 * meta)])
data = [rs.normal(size=(5, n)) for n in (3, 2, 3, 2)]
maml = [step(data) for _ in range(3)]
assert maml[-1][1] < maml[0][1]
print('RESULT ' + json.dumps({'found': found.ravel().tolist(), 'angles': angles[:2].ravel().tolist(), 'steps': steps,
                              'related': related,
                              'maml': [[float(r[0]), float(r[1])] + r[2].ravel().tolist() for r in maml]}))
