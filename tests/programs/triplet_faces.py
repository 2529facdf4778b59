"""Faces told apart by embeddings: hard triplets mined in the batch, the center loss, a metric by tf.py_func and one of
tf.metrics, thresholds on pairs."""
# engines: tensorflow
import json

import keras
from keras import backend as K
from keras.layers import Conv2D, Dense, Embedding, Flatten, Input, Lambda, PReLU
from keras.models import Model
import tensorflow as tf
import numpy as np

np.random.seed(3)
PEOPLE, SHOTS, ALPHA = 6, 8, .2


def pairwise_distances(embeddings, squared=False):
    dot_product = tf.matmul(embeddings, tf.transpose(embeddings))
    square_norm = tf.diag_part(dot_product)
    distances = tf.expand_dims(square_norm, 1) - 2.0 * dot_product + tf.expand_dims(square_norm, 0)
    distances = tf.maximum(distances, 0.0)
    if not squared:
        mask = tf.to_float(tf.equal(distances, 0.0))
        distances = tf.sqrt(distances + mask * 1e-16) * (1.0 - mask)
    return distances


def anchor_positive_mask(labels):
    indices_equal = tf.cast(tf.eye(tf.shape(labels)[0]), tf.bool)
    labels_equal = tf.equal(tf.expand_dims(labels, 0), tf.expand_dims(labels, 1))
    return tf.logical_and(tf.logical_not(indices_equal), labels_equal)


def batch_hard_triplet_loss(y_true, y_pred):
    labels = tf.to_int32(tf.squeeze(y_true, axis=-1))
    distances = pairwise_distances(y_pred)
    positive = tf.to_float(anchor_positive_mask(labels))
    hardest_positive = tf.reduce_max(positive * distances, axis=1, keepdims=True)
    negative = tf.to_float(tf.not_equal(tf.expand_dims(labels, 0), tf.expand_dims(labels, 1)))
    largest = tf.reduce_max(distances, axis=1, keepdims=True)
    hardest_negative = tf.reduce_min(distances + largest * (1.0 - negative), axis=1, keepdims=True)
    return tf.reduce_mean(tf.maximum(hardest_positive - hardest_negative + ALPHA, 0.0))


def batch_all_triplet_loss(labels, embeddings):
    distances = pairwise_distances(embeddings, squared=True)
    loss = tf.expand_dims(distances, 2) - tf.expand_dims(distances, 1) + ALPHA
    same = tf.equal(tf.expand_dims(labels, 0), tf.expand_dims(labels, 1))
    valid = tf.logical_and(tf.expand_dims(anchor_positive_mask(labels), 2), tf.expand_dims(tf.logical_not(same), 1))
    loss = tf.maximum(tf.multiply(tf.to_float(valid), loss), 0.0)
    num_positive = tf.reduce_sum(tf.to_float(tf.greater(loss, 1e-16)))
    return tf.reduce_sum(loss) / (num_positive + 1e-16), tf.reduce_sum(tf.to_float(valid))


def precision_at_1(labels, embeddings):
    """In NumPy, as a function of Python in the graph."""
    distances = ((embeddings[:, None] - embeddings[None]) ** 2).sum(-1)
    np.fill_diagonal(distances, np.inf)
    labels = labels.ravel()
    return np.float32((labels[distances.argmin(1)] == labels).mean())


def nearest(y_true, y_pred):
    result = tf.py_func(precision_at_1, [y_true, y_pred], tf.float32)
    result.set_shape([])
    return result


def auc(y_true, y_pred):
    labels = tf.to_int32(tf.squeeze(y_true, -1))
    same = tf.to_float(tf.equal(labels[:, None], labels[None]))
    score = tf.exp(-pairwise_distances(y_pred))
    value = tf.metrics.auc(tf.reshape(same, [-1]), tf.reshape(score, [-1]))[1]
    K.get_session().run(tf.local_variables_initializer())
    return value


def shots(rs):
    faces = np.random.RandomState(0).normal(0, 1, (PEOPLE, 6, 6, 1))
    labels = np.repeat(np.arange(PEOPLE), SHOTS)
    return faces[labels] + rs.normal(0, .7, (len(labels), 6, 6, 1)), labels[:, None]


def network():
    image = Input((6, 6, 1))
    x = Conv2D(6, 3)(image)
    x = PReLU(shared_axes=[1, 2])(x)
    x = Flatten()(x)
    x = Dense(8, name='features')(x)
    return Model(image, Lambda(lambda t: tf.nn.l2_normalize(t, dim=1), name='embedding')(x))


x, labels = shots(np.random.RandomState(1))
model = network()
rs = np.random.RandomState(5)
model.set_weights([rs.normal(0, .3, w.shape) for w in model.get_weights()])
model.compile(keras.optimizers.SGD(lr=.05, momentum=.9), loss=batch_hard_triplet_loss, metrics=[nearest, auc])
vectors = model.predict(x)
assert np.allclose((vectors ** 2).sum(1), 1, atol=1e-5)
steps = [[float(v) for v in model.train_on_batch(x, labels)[:2]] for _ in range(2)]

# The same loss in NumPy.
distances = np.sqrt(np.maximum(((vectors[:, None] - vectors[None]) ** 2).sum(-1), 0))
same = labels == labels.T
by_hand = np.mean(np.maximum((distances * same).max(1) - np.where(same, 9, distances).min(1) + ALPHA, 0))
assert abs(steps[0][0] - by_hand) < 1e-3 and abs(steps[0][1] - precision_at_1(labels, vectors)) < 1e-6
every, count = K.get_session().run(batch_all_triplet_loss(tf.constant(labels[:, 0]), tf.constant(vectors)))
assert count == PEOPLE * SHOTS * (SHOTS - 1) * (PEOPLE - 1) * SHOTS

for _ in range(60):
    loss, precision, area = model.train_on_batch(*shots(np.random))
assert loss < .75 * steps[0][0], (loss, steps)
fresh, fresh_labels = shots(np.random.RandomState(9))
evaluated = model.evaluate(fresh, fresh_labels, batch_size=len(fresh), verbose=0)
assert evaluated[1] > .8 and .5 < evaluated[2] <= 1, evaluated

# Joint training with the center loss: the centers are an Embedding, the distance is an output.
image, label = Input((6, 6, 1)), Input((1,))
embedded = model(image)
probabilities = Dense(PEOPLE, activation='softmax', name='probabilities')(embedded)
centers = Embedding(PEOPLE, 8, name='centers')(label)
l2_loss = Lambda(lambda t: K.sum(K.square(t[0] - t[1][:, 0]), 1, keepdims=True), name='l2_loss')([embedded, centers])
joint = Model(inputs=[image, label], outputs=[probabilities, l2_loss])
joint.compile(optimizer='adam', loss=['sparse_categorical_crossentropy', lambda y_true, y_pred: y_pred],
              loss_weights=[1, .1], metrics={'probabilities': 'acc'})
random_target = np.zeros((len(x), 1))
for layer in joint.layers[-3:]:
    if layer.get_weights():
        layer.set_weights([rs.normal(0, .3, w.shape) for w in layer.get_weights()])
joint_loss = [float(v) for v in joint.evaluate([x, labels], [labels, random_target], batch_size=48, verbose=0)[:3]]
history = joint.fit([x, labels], [labels, random_target], batch_size=16, epochs=20, verbose=0)
assert history.history['loss'][-1] < .9 * history.history['loss'][0]
print('RESULT ' + json.dumps({'steps': steps, 'every': float(every), 'vectors': vectors[::9].ravel().tolist()}))
