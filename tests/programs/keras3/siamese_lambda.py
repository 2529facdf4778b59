"""A Siamese network as of 2019: Lambda(lambda t: K.abs(t[0] - t[1])), another with a Euclidean distance and a
contrastive loss, accuracy by K.equal."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Flatten, Input, Lambda
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import RMSprop


def euclidean_distance(vects):
    x, y = vects
    sum_square = K.sum(K.square(x - y), axis=1, keepdims=True)
    return K.sqrt(K.maximum(sum_square, K.epsilon()))


def eucl_dist_output_shape(shapes):
    shape1, shape2 = shapes
    return (shape1[0], 1)


def contrastive_loss(y_true, y_pred):
    y_true = K.cast(y_true, y_pred.dtype)
    margin = 1
    square_pred = K.square(y_pred)
    margin_square = K.square(K.maximum(margin - y_pred, 0))
    return K.mean(y_true * square_pred + (1 - y_true) * margin_square)


def accuracy(y_true, y_pred):
    return K.mean(K.equal(y_true, K.cast(y_pred < 0.5, y_true.dtype)))


def base_network(rs):
    picture = Input(shape=(4, 4))
    x = Flatten()(picture)
    x = Dense(8, activation='relu')(x)
    network = Model(picture, Dense(5, activation='relu')(x))
    network.set_weights([rs.normal(0, .5, w.shape) for w in network.get_weights()])
    return network


rs = np.random.RandomState(16)
pairs = rs.uniform(0, 1, (2, 24, 4, 4)).astype('float32')
same = (np.arange(24) % 2).astype('float32')
pairs[1, same == 1] = pairs[0, same == 1] + .05
results = {}
left, right = Input(shape=(4, 4)), Input(shape=(4, 4))

base = base_network(rs)
distance = Lambda(euclidean_distance, output_shape=eucl_dist_output_shape)([base(left), base(right)])
model = Model([left, right], distance)
model.compile(loss=contrastive_loss, optimizer=RMSprop(), metrics=[accuracy])
history = model.fit([pairs[0], pairs[1]], same[:, None], batch_size=8, epochs=3, shuffle=False, verbose=0)
results['contrastive'] = [[float(v) for v in history.history['loss']], [float(v) for v in history.history['accuracy']]]

base = base_network(rs)
L1_layer = Lambda(lambda tensors: K.abs(tensors[0] - tensors[1]))
prediction = Dense(1, activation='sigmoid')(L1_layer([base(left), base(right)]))
model = Model([left, right], prediction)
model.layers[-1].set_weights([rs.normal(0, .5, w.shape) for w in model.layers[-1].get_weights()])
before = model.predict([pairs[0], pairs[1]], verbose=0)
a, b = base.predict(pairs[0], verbose=0), base.predict(pairs[1], verbose=0)
kernel, bias = model.layers[-1].get_weights()
np.testing.assert_allclose(before, 1 / (1 + np.exp(-(np.abs(a - b) @ kernel + bias))), atol=1e-5)
model.compile(loss='binary_crossentropy', optimizer=RMSprop())
history = model.fit([pairs[0], pairs[1]], same[:, None], batch_size=8, epochs=3, shuffle=False, verbose=0)
results['lambda'] = [before[:4].tolist(), [float(v) for v in history.history['loss']]]
print('RESULT ' + json.dumps(results))
