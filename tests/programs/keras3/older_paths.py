"""Imports of 2017 to 2021, by the paths of the time, and helpers that layers of convolutions called."""
# original: no
import json

import numpy as np
from keras.engine.topology import InputSpec, Layer
from keras.layers import CuDNNGRU
from keras.layers.advanced_activations import LeakyReLU
from keras.layers.convolutional import Conv1D
from keras.layers.core import Dense
from keras.layers.merge import add
from keras.layers.normalization import BatchNormalization
from keras.losses import kld, mse
from keras.models import Sequential
from keras.utils import conv_utils
from keras.utils.generic_utils import get_custom_objects
from keras.utils.np_utils import to_categorical
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Input
from tensorflow.keras.layers.experimental.preprocessing import Rescaling
from tensorflow.keras.losses import mean_squared_error
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import SGD
from tensorflow.keras.utils.conv_utils import normalize_data_format, normalize_tuple


# tf_keras has other paths. The numbers stand here: what the functions compute is known.
class Steps(Layer):
    """Means of windows along time, without padding."""

    def __init__(self, size, strides=2, data_format=None, **kwargs):
        super(Steps, self).__init__(**kwargs)
        self.size, self.strides = normalize_tuple(size, 1, 'size'), conv_utils.normalize_tuple(strides, 1, 'strides')
        self.data_format = normalize_data_format(data_format)
        self.input_spec = InputSpec(ndim=3)

    def call(self, x):
        return K.pool2d(K.expand_dims(x, 1), (1,) + self.size, (1,) + self.strides, pool_mode='avg')[:, 0]

    def compute_output_shape(self, shape):
        length = conv_utils.conv_output_length(shape[1], self.size[0], 'valid', self.strides[0])
        return shape[0], length, shape[2]


inputs = Input((7, 2))
steps = Steps(3, name='windows/means')(inputs)
assert K.int_shape(steps) == (None, 3, 2) and steps.get_shape().as_list() == [None, 3, 2]
model = Model(inputs, add([steps, LeakyReLU()(Conv1D(2, 1)(steps)), BatchNormalization()(steps)]))
x = np.arange(14.0).reshape(1, 7, 2)
means = np.array([x[0, i : i + 3].mean(0) for i in (0, 2, 4)])
np.testing.assert_allclose(Model(inputs, steps).predict(x, verbose=0)[0], means, rtol=1e-6)
assert model.get_layer('windows/means').get_output_shape_at(0) == (None, 3, 2)

# The windows that fit, counted one by one.
for size, stride, dilation in (1, 1, 1), (3, 1, 1), (2, 2, 1), (3, 2, 2):
    span = (size - 1) * dilation + 1
    fit = len([start for start in range(0, 9 - span + 1, stride)])
    assert conv_utils.conv_output_length(9, size, 'valid', stride, dilation) == fit
    assert conv_utils.conv_output_length(9, size, 'same', stride, dilation) == -(-9 // stride)
    # Each of 4 entries begins a window of its own, `stride` behind the one before.
    last = max([start + offset for start in range(0, 4 * stride, stride) for offset in range(max(span, stride))])
    assert conv_utils.deconv_output_length(4, size, 'valid', None, stride, dilation) == last + 1
assert conv_utils.conv_output_length(None, 3, 'valid', 1) is None

a, b = np.array([[0.2, 0.8]], 'float32'), np.array([[0.5, 0.5]], 'float32')
for f in mse, mean_squared_error:
    np.testing.assert_allclose(K.get_value(f(a, b)), [0.09], rtol=1e-5)
np.testing.assert_allclose(K.get_value(kld(a, b)), [(a * np.log(a / b)).sum()], rtol=1e-5)
np.testing.assert_array_equal(to_categorical([1, 0], 2), [[0, 1], [1, 0]])
get_custom_objects()['Steps'] = Steps

classifier = Sequential([Dense(3, input_shape=(2,), activation='softmax', weights=[np.eye(2, 3), np.zeros(3)])])
np.testing.assert_array_equal(classifier.predict_classes(np.array([[3.0, 1.0], [0.0, 2.0]])), [0, 1])
assert CuDNNGRU(2)(np.zeros((1, 3, 2), 'float32')).shape == (1, 2)
np.testing.assert_allclose(K.get_value(Rescaling(2.0)(np.ones((1, 2), 'float32'))), [[2, 2]])

loss = K.mean(K.square(classifier.output))
gradients = SGD(0.1).get_gradients(loss, [classifier.input])
(slope,) = K.function([classifier.input], gradients)([np.array([[1.0, 2.0]])])
p = np.exp([1.0, 2.0, 0.0]) / np.exp([1.0, 2.0, 0.0]).sum()
np.testing.assert_allclose(slope[0], (p * (2 * p / 3 - (2 * p / 3 * p).sum()))[:2], rtol=1e-5)
print('RESULT', json.dumps({'means': means.tolist()}))
