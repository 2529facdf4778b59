"""Domain adaptation by a layer that reverses gradients (Ganin et al. 2016), with tf.custom_gradient and tf.function."""
import json

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Input, Layer
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import SGD


@tf.custom_gradient
def reverse(x):
    def grad(dy):
        return -0.5 * dy

    return tf.identity(x), grad


@tf.custom_gradient
def clipped_log(x):
    """A logarithm whose gradient stays finite."""

    def grad(dy):
        return dy / tf.maximum(x, 0.1)

    return tf.math.log(tf.maximum(x, 1e-3)), grad


class GradientReversal(Layer):
    """The identity, whose gradient changes its sign."""

    def call(self, x):
        return reverse(x)

    def compute_output_shape(self, shape):
        return shape


@tf.function
def entropy(p):
    return -tf.reduce_sum(p * clipped_log(p), axis=-1)


def domain_loss(y_true, y_pred):
    return K.mean(K.square(y_true - y_pred), axis=-1) - 0.1 * entropy(y_pred)


def dense(units, seed, **kwargs):
    layer = Dense(units, **kwargs)
    layers.append((layer, seed))
    return layer


tf.random.set_seed(1)
layers = []
inputs = Input((4,))
features = dense(5, 1, activation='tanh')(inputs)
label = dense(1, 2, name='label')(features)
domain = dense(2, 3, activation='softmax', name='domain')(GradientReversal()(features))
model = Model(inputs, [label, domain])
for layer, seed in layers:
    draw = np.random.RandomState(seed)
    layer.set_weights([draw.normal(0, 0.5, w.shape).astype('float32') for w in layer.get_weights()])
model.compile(SGD(0.1), ['mse', domain_loss])
rng = np.random.RandomState(0)
x, y = rng.normal(size=(12, 4)).astype('float32'), rng.normal(size=(12, 1)).astype('float32')
d = np.eye(2, dtype='float32')[rng.randint(0, 2, 12)]
losses = model.fit(x, [y, d], batch_size=6, epochs=4, shuffle=False, verbose=0).history['loss']
print('RESULT', json.dumps({'losses': losses, 'features': layers[0][0].get_weights()[0].tolist()}))
