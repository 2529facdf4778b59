"""Functions of K as the launcher gives them: where tf.keras 2 and Keras 2.3.1 differ, they are those of tf.keras."""

import json

import keras
import numpy as np
import pytest
from record_tf_keras_functions import FILE, names

import keras_backend.keras3 as K
from keras_backend.programs.on_keras3 import backend_functions

with open(FILE, encoding='utf-8') as stream:
    RECORDED = json.load(stream)


class _OfLauncher:
    """K with the functions that the launcher replaces."""

    resize_images = staticmethod(backend_functions.from_centres(K.resize_images))
    ctc_decode = staticmethod(backend_functions.as_wide_as_time(K.ctc_decode))
    constant = staticmethod(K.constant)


@pytest.mark.parametrize('expression', RECORDED)
def test_results_are_those_of_tf_keras(expression):
    """Recorded with tf.keras 2.10."""
    dtype, expected = RECORDED[expression]
    made = eval(expression, names(np, _OfLauncher))
    # JAX and PyTorch may have other integers.
    assert K.dtype(made) == dtype or 'int' in dtype
    np.testing.assert_allclose(K.get_value(made), expected, rtol=1e-5, atol=1e-3 if 'float16' in expression else 1e-5)


def test_unknown_sizes_in_models():
    """The same numbers where only the run knows how large the images are, and how many steps there are."""
    images = np.linspace(-1.0, 2.0, 70).reshape(1, 5, 7, 2).astype('float32')
    expected = K.get_value(_OfLauncher.resize_images(images, 2, 3, 'channels_last', 'bilinear'))
    x = keras.Input((None, None, 2))
    made = _OfLauncher.resize_images(x, 2, 3, 'channels_last', 'bilinear')
    np.testing.assert_allclose(keras.Model(x, made).predict(images, verbose=0), expected, rtol=1e-5, atol=1e-6)
    scores = np.random.RandomState(0).rand(2, 5, 4).astype('float32')
    lengths = np.array([5, 3], 'int32')
    x, n = keras.Input((5, 4)), keras.Input((), dtype='int32')
    labels = _OfLauncher.ctc_decode(x, n)[0][0]
    assert (None, 5) == K.int_shape(labels)
    expected = K.get_value(_OfLauncher.ctc_decode(scores, lengths)[0][0])
    np.testing.assert_array_equal(keras.Model([x, n], labels).predict([scores, lengths], verbose=0), expected)
