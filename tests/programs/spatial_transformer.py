"""A spatial transformer network: the sampling grid and the bilinear interpolation in TensorFlow's operations, with the
localization network as a model of Keras inside the layer."""
# engines: tensorflow
# keras: 2.2.4
import json

import numpy as np
import tensorflow as tf
from keras.engine.topology import Layer
from keras.layers import Activation, Convolution2D, Dense, Flatten, MaxPooling2D
from keras.models import Sequential
from keras.utils import np_utils
from keras import backend as K


class SpatialTransformer(Layer):
    def __init__(self, localization_net, output_size, **kwargs):
        self.locnet = localization_net
        self.output_size = output_size
        super(SpatialTransformer, self).__init__(**kwargs)

    def build(self, input_shape):
        self.locnet.build(input_shape)
        self.trainable_weights = self.locnet.trainable_weights

    def compute_output_shape(self, input_shape):
        output_size = self.output_size
        return (None, int(output_size[0]), int(output_size[1]), int(input_shape[-1]))

    def call(self, X, mask=None):
        affine_transformation = self.locnet.call(X)
        return self._transform(affine_transformation, X, self.output_size)

    def _repeat(self, x, num_repeats):
        ones = tf.ones((1, num_repeats), dtype='int32')
        x = tf.reshape(x, shape=(-1, 1))
        x = tf.matmul(x, ones)
        return tf.reshape(x, [-1])

    def _interpolate(self, image, x, y, output_size):
        batch_size = tf.shape(image)[0]
        height, width, num_channels = tf.shape(image)[1], tf.shape(image)[2], tf.shape(image)[3]
        x, y = tf.cast(x, dtype='float32'), tf.cast(y, dtype='float32')
        height_float, width_float = tf.cast(height, dtype='float32'), tf.cast(width, dtype='float32')
        x, y = .5 * (x + 1.0) * width_float, .5 * (y + 1.0) * height_float
        x0, y0 = tf.cast(tf.floor(x), 'int32'), tf.cast(tf.floor(y), 'int32')
        x1, y1 = x0 + 1, y0 + 1
        max_y, max_x = tf.cast(height - 1, dtype='int32'), tf.cast(width - 1, dtype='int32')
        zero = tf.zeros([], dtype='int32')
        x0, x1 = tf.clip_by_value(x0, zero, max_x), tf.clip_by_value(x1, zero, max_x)
        y0, y1 = tf.clip_by_value(y0, zero, max_y), tf.clip_by_value(y1, zero, max_y)
        flat_image_dimensions = width * height
        pixels_batch = tf.range(batch_size) * flat_image_dimensions
        flat_output_dimensions = output_size[0] * output_size[1]
        base = self._repeat(pixels_batch, flat_output_dimensions)
        base_y0, base_y1 = base + y0 * width, base + y1 * width
        flat_image = tf.cast(tf.reshape(image, shape=(-1, num_channels)), dtype='float32')
        pixel_values_a = tf.gather(flat_image, base_y0 + x0)
        pixel_values_b = tf.gather(flat_image, base_y1 + x0)
        pixel_values_c = tf.gather(flat_image, base_y0 + x1)
        pixel_values_d = tf.gather(flat_image, base_y1 + x1)
        x0, x1, y0, y1 = [tf.cast(v, 'float32') for v in (x0, x1, y0, y1)]
        area_a = tf.expand_dims(((x1 - x) * (y1 - y)), 1)
        area_b = tf.expand_dims(((x1 - x) * (y - y0)), 1)
        area_c = tf.expand_dims(((x - x0) * (y1 - y)), 1)
        area_d = tf.expand_dims(((x - x0) * (y - y0)), 1)
        return tf.add_n([area_a * pixel_values_a, area_b * pixel_values_b, area_c * pixel_values_c,
                         area_d * pixel_values_d])

    def _meshgrid(self, height, width):
        x_linspace, y_linspace = tf.linspace(-1., 1., width), tf.linspace(-1., 1., height)
        x_coordinates, y_coordinates = tf.meshgrid(x_linspace, y_linspace)
        x_coordinates, y_coordinates = tf.reshape(x_coordinates, [-1]), tf.reshape(y_coordinates, [-1])
        ones = tf.ones_like(x_coordinates)
        return tf.concat([x_coordinates, y_coordinates, ones], 0)

    def _transform(self, affine_transformation, input_shape, output_size):
        batch_size, num_channels = tf.shape(input_shape)[0], tf.shape(input_shape)[3]
        affine_transformation = tf.reshape(affine_transformation, shape=(batch_size, 2, 3))
        affine_transformation = tf.cast(tf.reshape(affine_transformation, (-1, 2, 3)), 'float32')
        output_height, output_width = output_size[0], output_size[1]
        indices_grid = self._meshgrid(output_height, output_width)
        indices_grid = tf.reshape(tf.expand_dims(indices_grid, 0), [-1])
        indices_grid = tf.tile(indices_grid, tf.stack([batch_size]))
        indices_grid = tf.reshape(indices_grid, tf.stack([batch_size, 3, -1]))
        transformed_grid = tf.matmul(affine_transformation, indices_grid)
        x_s = tf.slice(transformed_grid, [0, 0, 0], [-1, 1, -1])
        y_s = tf.slice(transformed_grid, [0, 1, 0], [-1, 1, -1])
        x_s_flatten, y_s_flatten = tf.reshape(x_s, [-1]), tf.reshape(y_s, [-1])
        transformed_image = self._interpolate(input_shape, x_s_flatten, y_s_flatten, output_size)
        return tf.reshape(transformed_image, shape=(batch_size, output_height, output_width, num_channels))


def locnet():
    b = np.zeros((2, 3), dtype='float32')
    b[0, 0] = b[1, 1] = .9
    W = np.random.RandomState(3).normal(0, .02, (12, 6)).astype('float32')
    net = Sequential()
    net.add(MaxPooling2D(pool_size=(2, 2), input_shape=(12, 12, 1)))
    net.add(Convolution2D(4, (3, 3)))
    net.add(Activation('relu'))
    net.add(Flatten())
    net.add(Dense(12, activation='tanh'))
    net.add(Dense(6, weights=[W, b.flatten()]))
    return net


def make_data(n, rs):
    y = np.arange(n) % 3
    shapes = np.zeros((3, 6, 6))
    shapes[0, 2:4], shapes[1, :, 2:4], shapes[2] = 1, 1, np.eye(6)
    x = rs.rand(n, 12, 12, 1) * .3
    for k in range(n):
        i, j = rs.randint(0, 7, 2)
        x[k, i:i + 6, j:j + 6, 0] += shapes[y[k]]
    return x, np_utils.to_categorical(y, 3)


x, y = make_data(90, np.random.RandomState(0))
net = locnet()
model = Sequential()
model.add(SpatialTransformer(localization_net=net, output_size=(8, 8), input_shape=(12, 12, 1)))
model.add(Convolution2D(8, (3, 3), padding='same', activation='relu'))
model.add(MaxPooling2D(pool_size=(2, 2)))
model.add(Flatten())
model.add(Dense(16, activation='relu'))
model.add(Dense(3, activation='softmax'))
rs = np.random.RandomState(1)
for layer in net.layers[:-1] + model.layers[1:]:
    layer.set_weights([rs.normal(0, .25, w.shape) if w.ndim > 1 else w * 0 for w in layer.get_weights()])
assert model.layers[0].output_shape == (None, 8, 8, 1)
model.compile(loss='categorical_crossentropy', optimizer='adam', metrics=['acc'])
F = K.function([model.input], [model.layers[0].output, model.layers[0].locnet.call(model.input)])
warped, theta = F([x[:2]])
predictions = model.predict(x[:3])

# The same by SciPy, inside the picture.
from scipy.ndimage import map_coordinates
grid = np.stack(np.meshgrid(np.linspace(-1, 1, 8), np.linspace(-1, 1, 8)) + [np.ones((8, 8))]).reshape(3, -1)
place = theta[0].reshape(2, 3).dot(grid)
col, row = 6 * (place + 1)
inside = (col > 0) & (row > 0) & (col < 11) & (row < 11)
by_scipy = map_coordinates(x[0, :, :, 0], [row, col], order=1)
assert inside.sum() > 30 and np.allclose(warped[0].ravel()[inside], by_scipy[inside], atol=1e-4)

first = [float(v) for v in model.evaluate(x, y, verbose=0)]
before = net.get_weights()
np.random.seed(1)
for _ in range(25):
    for i in range(0, 90, 18):
        loss = model.train_on_batch(x[i:i + 18], y[i:i + 18])
last = model.evaluate(x, y, verbose=0)
assert last[0] < .6 * first[0] and last[1] > .7, (first, last)
assert not np.allclose(before[-1], net.get_weights()[-1])
model.save_weights('stn.h5')
print('RESULT ' + json.dumps({'warped': warped[1].ravel().tolist(), 'theta': theta.ravel().tolist(),
                              'predictions': predictions.ravel().tolist(), 'first': first}))
