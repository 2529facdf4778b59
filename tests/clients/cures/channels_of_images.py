"""`run` has seen that the images of a program have their channels first."""

import os

os.environ['KERAS_BACKEND_CHANNELS'] = 'first'
import keras_backend.keras2  # noqa: E402, F401  # isort: skip
from keras import backend as K  # noqa: E402
from keras.layers import Convolution2D  # noqa: E402
from keras.models import Sequential  # noqa: E402

assert K.image_data_format() == 'channels_first'
assert Sequential([Convolution2D(2, 3, 3, input_shape=(1, 8, 9))]).output_shape == (None, 2, 6, 7)
print('cured')
