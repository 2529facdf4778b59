"""What programs of TensorFlow 2.10 are told on JAX and PyTorch, where Keras 3 cannot do or does otherwise what they ask."""

import pytest
from keras3_backends import INSIDE, passes

PROGRAM = """
import warnings
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

class Cell(layers.Layer):
    state_size = output_size = 2

    def call(self, inputs, states, constants=None):
        return inputs, states

def said(function, error):
    try:
        function()
    except error as caught:
        return str(caught)
    raise AssertionError('nothing was said')

x, memory = tf.keras.Input((3, 2)), tf.keras.Input((2,))
assert 'constants=' in said(lambda: layers.RNN(Cell())(x, constants=memory), NotImplementedError)
assert layers.RNN(Cell())(x).shape == (None, 2)

model = tf.keras.Sequential([layers.Dense(1, input_shape=(2,))])
if hasattr(tf, '__version__') and hasattr(tf, 'Module'):
    assert 'save_weights' in said(lambda: tf.train.Checkpoint(model=model), NotImplementedError)
    assert 'save_weights' in said(lambda: tf.train.Checkpoint(model), NotImplementedError)
    tf.train.Checkpoint(step=tf.Variable(1))

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    tf.keras.optimizers.RMSprop(momentum=.9)
    getattr(tf.keras.optimizers, 'legacy').RMSprop(1e-3)  # by its name it would tell a later TensorFlow
    tf.keras.optimizers.Adam()
    assert not [w for w in caught if 'legacy' in str(w.message)]
    model.compile('rmsprop', 'mse')
    model.compile(tf.keras.optimizers.RMSprop(1e-3), 'mse')
    model.compile('nadam', 'mse')
    told = [str(w.message) for w in caught if 'legacy' in str(w.message)]
    assert len(told) == 2 and 'legacy.RMSprop' in told[0] and 'legacy.Nadam' in told[1], told
print('passed')
"""


@pytest.mark.slow
@pytest.mark.parametrize('backend', INSIDE)
def test_what_is_said(backend, tmp_path):
    """Constants of cells, checkpoints of TensorFlow, and optimizers that have changed."""
    passes(PROGRAM, backend, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize('backend', INSIDE[:1])
def test_nothing_is_said_of_later_programs(backend, tmp_path):
    """A program of TensorFlow 2.12 has the optimizers of today."""
    (tmp_path / 'requirements.txt').write_text('tensorflow==2.12.0\n', encoding='utf-8')
    program = """
import warnings
import tensorflow as tf
warnings.simplefilter('error')
tf.keras.optimizers.RMSprop()
print('passed')
"""
    passes(program, backend, tmp_path)
