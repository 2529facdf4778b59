"""Layers that look words up, given a tensor of JAX or PyTorch beside TensorFlow: Keras computes them by TensorFlow."""

import pytest
from keras3_backends import BACKENDS, INSIDE, passes

PROGRAM = """
import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import IntegerLookup, StringLookup

numbers = K.constant([1, 2, 0], dtype='int64')
words = StringLookup(vocabulary=['a', 'b'], mask_token=None)
texts = StringLookup(vocabulary=words.get_vocabulary(), mask_token=None, invert=True)(numbers)
assert tf.strings.reduce_join(texts).numpy().decode() == 'ab[UNK]', texts
for numbers_of_python in ([1, 2, 0], np.array([1, 2, 0])):
    texts = StringLookup(vocabulary=words.get_vocabulary(), mask_token=None, invert=True)(numbers_of_python)
    assert texts.numpy().tolist() == [b'a', b'b', b'[UNK]'], texts
assert K.eval(words(tf.constant(['b', 'c']))).tolist() == [2, 0]
assert K.eval(IntegerLookup(vocabulary=[2, 1])(numbers)).tolist() == [2, 1, 0]
assert K.eval(tf.reduce_sum(tf.cast(numbers, 'float32'))) == 3
print('passed')
"""


@pytest.mark.skipif('tensorflow' not in BACKENDS, reason='StringLookup computes by TensorFlow')
@pytest.mark.parametrize('backend', INSIDE)
def test_words_of_a_tensor(backend, tmp_path):
    """The functions of TensorFlow that Keras itself calls stay those of TensorFlow."""
    passes(PROGRAM, backend, tmp_path)
