"""Capsules again, with TensorFlow's own operations: tf.matmul over five axes, tf.map_fn, routing in tf.while_loop,
tf.norm; a custom initializer, and saving with custom_objects."""
# engines: tensorflow
import json
import os
import sys

if os.environ.get('KERAS_BACKEND') not in (None, 'tensorflow'):
    sys.exit('KERAS_BACKEND has to be tensorflow')
os.environ['KERAS_BACKEND'] = 'tensorflow'
from keras import backend as K
from keras import initializers, regularizers
from keras.engine.topology import Layer
from keras.layers import Conv2D, Input, Reshape
from keras.models import Model, load_model, model_from_json
from keras.utils.generic_utils import CustomObjectScope, get_custom_objects
import numpy as np
import tensorflow as tf


def squash(s, axis=-1):
    squared = tf.reduce_sum(tf.square(s), axis=axis, keep_dims=True)
    return squared / (1. + squared) * s / tf.sqrt(squared + 1e-7)


class TransposedCaps(Layer):
    """Routing by agreement over a loop of the graph."""

    def __init__(self, n_capsules, dim, routings=3, **kwargs):
        self.n_capsules, self.dim, self.routings = n_capsules, dim, routings
        super(TransposedCaps, self).__init__(**kwargs)

    def build(self, input_shape):
        _, n, d = input_shape
        self.W = self.add_weight(name='W', shape=(1, n, self.n_capsules, self.dim, d), trainable=True,
                                 initializer=initializers.TruncatedNormal(stddev=.1), regularizer=regularizers.l2(1e-4))
        self.b = self.add_weight(name='b', shape=(1, 1, self.n_capsules, self.dim), initializer='zeros')
        super(TransposedCaps, self).build(input_shape)

    def call(self, u):
        batch = tf.shape(u)[0]
        u = tf.expand_dims(tf.expand_dims(u, 2), -1)
        u = tf.tile(u, [1, 1, self.n_capsules, 1, 1])
        u_hat = tf.squeeze(tf.matmul(tf.tile(self.W, [batch, 1, 1, 1, 1]), u), axis=4)

        def route(i, logits, v):
            c = tf.nn.softmax(logits, dim=2)
            v = squash(tf.reduce_sum(c * u_hat, axis=1, keep_dims=True) + self.b)
            agreement = tf.reduce_sum(u_hat * v, axis=3, keep_dims=True)
            return tf.add(i, 1), logits + agreement, v

        start = tf.zeros_like(u_hat[..., :1])
        _, _, v = tf.while_loop(lambda i, *args: tf.less(i, self.routings), route,
                                [tf.constant(0), start, tf.zeros_like(u_hat[:, :1])],
                                shape_invariants=[tf.TensorShape([]), start.get_shape(),
                                                  tf.TensorShape([None, 1, self.n_capsules, self.dim])])
        v = tf.squeeze(v, [1])
        v.set_shape([None, self.n_capsules, self.dim])
        return v

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.n_capsules, self.dim)

    def get_config(self):
        config = {'n_capsules': self.n_capsules, 'dim': self.dim, 'routings': self.routings}
        base_config = super(TransposedCaps, self).get_config()
        return dict(list(base_config.items()) + list(config.items()))


class Norm(Layer):
    def call(self, x):
        return tf.norm(x, axis=-1)

    def compute_output_shape(self, input_shape):
        return input_shape[:-1]


def margin_loss(labels, raw):
    positive = labels * tf.square(tf.nn.relu(.9 - raw))
    negative = .5 * (1. - labels) * tf.square(tf.nn.relu(raw - .1))
    return tf.reduce_sum(positive + negative, axis=-1)


def top2(y_true, y_pred):
    return tf.to_float(tf.nn.in_top_k(y_pred, tf.argmax(y_true, 1), 2))


with tf.name_scope('inputs'):
    image = Input((8, 8, 1), name='image')
x = Conv2D(12, 3, strides=2, activation=tf.nn.relu, name='conv')(image)
x = Reshape((-1, 4), name='primary')(x)
x = TransposedCaps(3, 5, name='caps')(x)
model = Model(image, Norm(name='norm')(x))
assert model.output_shape == (None, 3) and K.int_shape(model.layers[-2].output) == (None, 3, 5)
rs = np.random.RandomState(1)
model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
model.compile('rmsprop', margin_loss, metrics=['categorical_accuracy', top2])
data = np.random.RandomState(2).rand(60, 8, 8, 1) * .3
labels = np.arange(60) % 3
data[np.arange(60), 2 * labels + 1] += .8
targets = np.eye(3)[labels]
predictions = model.predict(data[:4])
losses = [float(model.train_on_batch(data, targets)[0]) for _ in range(2)]
gradient = K.function([model.input],
                      K.gradients(K.sum(margin_loss(K.constant(targets[:4]), model.output)), [model.layers[1].kernel]))
norm = float(np.linalg.norm(gradient([data[:4]])[0]))
for _ in range(40):
    loss, accuracy, second = model.train_on_batch(data, targets)
assert accuracy > .9 and second >= accuracy and loss < .6 * losses[0], (loss, accuracy, second)

after = model.predict(data)
model.save('capsules.h5')
with CustomObjectScope({'TransposedCaps': TransposedCaps, 'Norm': Norm, 'relu': tf.nn.relu}):
    again = model_from_json(model.to_json())
again.set_weights(model.get_weights())
assert np.allclose(again.predict(data), after, atol=1e-6)
get_custom_objects().update({'TransposedCaps': TransposedCaps, 'Norm': Norm})
third = load_model('capsules.h5', custom_objects={'margin_loss': margin_loss, 'top2': top2})
assert np.allclose(third.predict(data), after, atol=1e-6)
assert np.allclose(third.train_on_batch(data, targets)[0], model.train_on_batch(data, targets)[0], atol=1e-5)
print('RESULT ' + json.dumps({'predictions': predictions.ravel().tolist(), 'losses': losses, 'norm': norm}))
