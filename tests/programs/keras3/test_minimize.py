"""`optimizer.minimize` of tf.keras 2.0 to 2.15, which steps of programs call with a tape or with a function."""

import pytest
from keras3_backends import BACKENDS, passes

PROGRAM = """
import numpy as np, tensorflow as tf
from tensorflow import keras

w = tf.Variable([1., 2.])
optimizer = keras.optimizers.SGD(0.5)
optimizer.minimize(lambda: tf.reduce_sum(w * w), [w])
np.testing.assert_allclose(w.numpy(), [0., 0.])

class Trained(keras.Sequential):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        return {'loss': loss}

model = Trained([keras.layers.Dense(1, use_bias=False, kernel_initializer='zeros', input_shape=(1,))])
model.compile(keras.optimizers.SGD(0.25))
history = model.fit(np.ones((4, 1)), np.ones((4, 1)), batch_size=4, epochs=2, verbose=0).history['loss']
np.testing.assert_allclose(history, [1., .25])
try:
    optimizer.minimize(tf.constant(1.), [w])
except ValueError as error:
    assert 'tape' in str(error)
else:
    raise AssertionError
print('passed')
"""


@pytest.mark.skipif('tensorflow' not in BACKENDS, reason='a tape of TensorFlow')
def test_minimize(tmp_path):
    """A step of SGD is worked out by hand; a tensor without a tape is refused, as in tf.keras."""
    passes(PROGRAM, 'tensorflow', tmp_path)
