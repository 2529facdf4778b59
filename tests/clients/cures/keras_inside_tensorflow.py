"""Keras 2 under the names that it has inside TensorFlow 1.2 to 1.15."""
# engines: tensorflow
import numpy as np
import tensorflow as tf
from tensorflow.contrib.keras.api.keras.models import Sequential
from tensorflow.contrib.keras.python.keras.layers import Dense as OfTensorFlow13
from tensorflow.python.keras import backend as K
from tensorflow.python.keras._impl.keras.engine.topology import Layer as OfTensorFlow14
from tensorflow.python.keras.initializers import Zeros, glorot_normal
from tensorflow.python.keras.layers import Concatenate, Dense, Flatten, Input, Layer
from tensorflow.python.keras.models import Model
from tensorflow.python.keras.regularizers import l2
from tensorflow.python.keras.utils import conv_utils, tf_utils

import tensorflow.contrib.keras as contributed
import tensorflow.python.keras as inside
from tensorflow.python import keras as attribute

import keras

assert inside is keras and contributed is keras and attribute is keras and tf.python.keras is keras
assert tf.keras is keras and tf.contrib.keras.layers.Dense is keras.layers.Dense and K is keras.backend
assert OfTensorFlow13 is Dense and OfTensorFlow14 is Layer is keras.layers.Layer
assert Sequential is keras.models.Sequential
assert Zeros and glorot_normal and l2 and conv_utils.normalize_padding('SAME') == 'same' and tf_utils.__name__


class Upsampling(Layer):
    """The image twice as large, with the shape that TensorFlow's own Keras takes from a layer."""

    def call(self, x):
        return tf.image.resize_nearest_neighbor(x, (x.shape[1] * 2, x.shape[2] * 2))

    def compute_output_shape(self, shape):
        shape = tf.TensorShape(shape)
        return tf.TensorShape([shape[0], shape[1] * 2, shape[2] * 2, shape[3]])


class UpsamplingOfSizes(Upsampling):
    """The same, with a tuple of sizes."""

    def compute_output_shape(self, shape):
        return tuple(super().compute_output_shape(shape))


image = Input((4, 3, 2))
both = Concatenate()([Upsampling()(image), UpsamplingOfSizes()(image)])
assert K.int_shape(both) == (None, 8, 6, 4) and [type(size) for size in K.int_shape(both)[1:]] == [int] * 3
model = Model(image, Dense(3)(Flatten()(both)))
model.compile('sgd', 'mse')
assert model.output_shape == (None, 3) and model.train_on_batch(np.ones((2, 4, 3, 2)), np.ones((2, 3))) > 0
# TensorFlow goes on with its copy.
rate = tf.train.exponential_decay(0.1, tf.train.get_or_create_global_step(), 10, 0.5)
session = K.get_session()
session.run(tf.variables_initializer([tf.train.get_global_step()]))
assert abs(session.run(rate) - 0.1) < 1e-6
print('cured')
