"""What programs of TensorFlow 2.10 are told on JAX and PyTorch, where Keras 3 cannot do or does otherwise what they ask."""

import pytest
from keras3_backends import INSIDE, passes

PROGRAM = """
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

print('passed')
"""


@pytest.mark.slow
@pytest.mark.parametrize('backend', INSIDE)
def test_what_is_said(backend, tmp_path):
    """Constants of cells, and checkpoints of TensorFlow."""
    passes(PROGRAM, backend, tmp_path)
