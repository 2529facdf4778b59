"""What programs of TensorFlow 2.10 are told on JAX and PyTorch, where Keras 3 cannot do or does otherwise what they ask."""

import pytest
from keras3_backends import INSIDE, passes

PROGRAM = """
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
assert 'constants=' in said(lambda: layers.RNN([Cell(), Cell()])(x, constants=memory), NotImplementedError)
assert 'constants=' in said(lambda: layers.SimpleRNN(2)(x, constants=memory), NotImplementedError)

class Adding(Cell):
    # Adds a constant and its weight in each step.

    def build(self, shapes):
        assert [tuple(shape) for shape in shapes] == [(None, 2), (None, 2)], shapes
        self.w = self.add_weight(name='w', shape=(2,), initializer='ones')
        self.built = True

    def call(self, inputs, states, constants=None):
        total = inputs + states[0] + self.w * constants[0]
        return total, [total]

model = tf.keras.Model([x, memory], layers.RNN(Adding())(x, constants=memory))
model.set_weights([np.array([2., 3.])])
steps, added = np.arange(12.).reshape(2, 3, 2), np.array([[1., 2.], [3., 4.]])
wanted = steps.sum(1) + 3 * added * [2., 3.]
np.testing.assert_allclose(model.predict([steps, added], verbose=0), wanted, rtol=1e-6)
again = tf.keras.Model.from_config(model.get_config(), custom_objects={'Adding': Adding})
again.set_weights(model.get_weights())
np.testing.assert_allclose(again.predict([steps, added], verbose=0), wanted, rtol=1e-6)
both = tf.keras.Model(x, layers.Bidirectional(layers.RNN(Cell()), merge_mode='sum')(x))
np.testing.assert_allclose(both.predict(steps, verbose=0), steps[:, 0] + steps[:, -1], rtol=1e-6)
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
    """Constants of several cells, and checkpoints of TensorFlow."""
    passes(PROGRAM, backend, tmp_path)
