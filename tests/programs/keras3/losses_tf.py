"""Losses, a metric and Lambdas in `tf.*`, as of 2020: SSIM, dice, the hardest triplets, F1, operations between layers."""
import json

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

rng = np.random.RandomState(0)
images = rng.rand(6, 12, 12, 3).astype('float32')
flat = images.reshape(6, -1)
fixed = keras.initializers.Constant(0.05)


def dense(units, **kwargs):
    return layers.Dense(units, kernel_initializer=fixed, **kwargs)


def ssim_loss(y_true, y_pred):
    return 1 - tf.reduce_mean(tf.image.ssim(y_true, y_pred, 1.0))


def dice_loss(y_true, y_pred, smooth=1.0):
    y_true = tf.cast(y_true, y_pred.dtype)
    common = tf.reduce_sum(y_true * y_pred, axis=(1, 2, 3))
    both = tf.reduce_sum(y_true, [1, 2, 3]) + tf.reduce_sum(y_pred, [1, 2, 3])
    crossentropy = tf.losses.binary_crossentropy(y_true, y_pred)
    return 1 - tf.reduce_mean((2.0 * common + smooth) / (both + smooth)) + tf.reduce_mean(crossentropy)


def hardest_triplets(y_true, y_pred):
    labels = tf.reshape(tf.cast(y_true, tf.int32), [-1])
    squares = tf.reduce_sum(tf.square(y_pred), 1, keepdims=True)
    distances = squares - 2 * tf.matmul(y_pred, y_pred, transpose_b=True) + tf.transpose(squares)
    distances = tf.sqrt(tf.maximum(distances, 1e-12))
    distances = tf.linalg.set_diag(distances, tf.zeros(tf.shape(distances)[0:1]))
    same = tf.equal(tf.expand_dims(labels, 0), tf.expand_dims(labels, 1))
    farthest = tf.reduce_max(tf.where(same, distances, tf.zeros_like(distances)), 1)
    nearest = tf.reduce_min(tf.where(same, tf.fill(tf.shape(distances), 1e9), distances), 1)
    return tf.reduce_mean(tf.maximum(farthest - nearest + 0.2, 0.0))


class F1(keras.metrics.Metric):
    """The harmonic mean of precision and recall."""

    def __init__(self, **kwargs):
        super(F1, self).__init__(**kwargs)
        self.right = self.add_weight(name='right', initializer='zeros')
        self.both = self.add_weight(name='both', initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        found, true = tf.cast(y_pred > 0.5, tf.float32), tf.cast(y_true, tf.float32)
        self.right.assign_add(tf.reduce_sum(true * found))
        self.both.assign_add(tf.reduce_sum(true) + tf.reduce_sum(found))

    def result(self):
        return tf.math.divide_no_nan(2 * self.right, self.both)


def trained(model, loss, x, y, rate=0.1):
    model.compile(keras.optimizers.SGD(rate), loss)
    return model.fit(x, y, batch_size=3, epochs=3, shuffle=False, verbose=0).history['loss']


results = {}
inputs = keras.Input((12, 12, 3))
convolved = layers.Conv2D(3, 3, padding='same', activation='sigmoid', kernel_initializer=fixed)(inputs)
results['ssim'] = trained(keras.Model(inputs, convolved), ssim_loss, images, images)
mask = layers.Conv2D(1, 1, activation='sigmoid', kernel_initializer=fixed)(inputs)
results['dice'] = trained(keras.Model(inputs, mask), dice_loss, images, (images[..., :1] > 0.5).astype('uint8'))
model = keras.Sequential([keras.Input((432,)), dense(4)])
model.set_weights([rng.normal(0, 0.1, (432, 4)), np.zeros(4)])
results['triplets'] = trained(model, hardest_triplets, flat, np.array([0, 1, 0, 1, 2, 2], 'float32'), 0.01)
model = keras.Sequential([keras.Input((432,)), dense(1, activation='sigmoid')])
model.compile('sgd', 'mse', metrics=[F1(name='f1')])
results['f1'] = model.evaluate(flat, np.array([[1], [0], [1], [1], [0], [1]]), verbose=0)

small = tf.concat([tf.image.resize(inputs, (4, 4)), tf.nn.avg_pool2d(inputs, 3, 3, 'VALID')], -1)
x = tf.reshape(tf.nn.relu(small - 0.3), [-1, 4 * 4 * 6])
x = x * 2 + tf.reduce_mean(x, axis=1, keepdims=True)
results['between'] = keras.Model(inputs, dense(2)(x)).predict(images, verbose=0).tolist()

vector = keras.Input((5,))
x = layers.Lambda(lambda t: tf.tile(tf.expand_dims(t, -1), [1, 1, 3]))(vector)
x = layers.Lambda(lambda t: tf.gather(tf.math.l2_normalize(t, axis=1), [0, 2], axis=1))(x)
first, second = layers.Lambda(lambda t: tf.split(t, 2, axis=1))(x)
model = keras.Model(vector, [tf.squeeze(first, 1), tf.squeeze(second, 1)])
results['lambdas'] = [y.tolist() for y in model.predict(np.arange(10.0).reshape(2, 5), verbose=0)]
print('RESULT', json.dumps(results))
