"""Arrays of NumPy beside tensors, as programs with a tape write them: the values, and the gradients, of TensorFlow."""

import pytest
from keras3_backends import BACKENDS, INSIDE, passes

PROGRAM = """
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K

r = np.random.RandomState(0)
x, y, w = r.uniform(1, 2, (6, 3)), r.uniform(1, 2, (6, 1)), r.uniform(1, 2, (3, 1))
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1, use_bias=False)])
model.set_weights([w])
out = x @ w

BOTH = {
    'add': (lambda a, b: a + b, lambda o: 0 * o + 1), 'sub': (lambda a, b: a - b, lambda o: 0 * o + 1),
    'rsub': (lambda a, b: b - a, lambda o: 0 * o - 1), 'mul': (lambda a, b: a * b, lambda o: y),
    'rmul': (lambda a, b: b * a, lambda o: y), 'truediv': (lambda a, b: a / b, lambda o: 1 / y),
    'rtruediv': (lambda a, b: b / a, lambda o: -y / o ** 2), 'pow': (lambda a, b: a ** b, lambda o: y * o ** (y - 1)),
    'rpow': (lambda a, b: b ** a, lambda o: y ** o * np.log(y)), 'radd': (lambda a, b: b + a, lambda o: 0 * o + 1),
}
for dtype in 'float32', 'float64':
    for name, (operator, slope) in BOTH.items():
        with tf.GradientTape() as tape:
            found = operator(model(x.astype('float32')), y.astype(dtype))
            loss = K.mean(K.square(found))
        assert K.dtype(found) == 'float32', (name, dtype, found.dtype)
        np.testing.assert_allclose(found.numpy(), operator(out, y), rtol=1e-4, err_msg=name)
        (gradient,) = tape.gradient(loss, model.trainable_weights) if TAPE else (None,)
        if TAPE:
            wanted = x.T @ (2 * operator(out, y) * slope(out)) / len(x)
            np.testing.assert_allclose(np.array(gradient), wanted, rtol=1e-3, err_msg=name)
for compare in (lambda a, b: a < b, lambda a, b: a >= b, lambda a, b: b > a):
    np.testing.assert_array_equal(np.array(compare(model(x.astype('float32')), y)), compare(out, y))
counts = K.cast(tf.constant([1., 2.]), 'int32') + np.array([3, 4], 'int32')
assert K.dtype(counts) == 'int32'
print('passed')
"""


@pytest.mark.parametrize('backend', BACKENDS)
def test_values_and_gradients(backend, tmp_path):
    """The array becomes a tensor of the same dtype: no operator goes back to NumPy, where the gradient would be lost."""
    # JAX has float64 only where a program asks for it, and programs of tf.keras do not.
    passes(f'TAPE = {backend != "jax"}\n' + PROGRAM, backend, tmp_path, JAX_ENABLE_X64='0')


VALUES = """
import os
import random
import numpy as np
from numpy import squeeze
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K

x = np.random.RandomState(0).uniform(1, 2, (4, 3)).astype('float32')
model = keras.Sequential([keras.layers.Dense(2, 'softmax', input_shape=(3,))])
state = x[:1]
probabilities = model(state)
wanted = model.predict(state, verbose=0)[0]
found = np.squeeze(probabilities), squeeze(probabilities), np.exp(np.log(probabilities))[0], np.array([probabilities])[0, 0]
found += np.stack([probabilities[0], probabilities[0]])[1], np.concatenate((probabilities, probabilities), axis=0)[0]
for array in found:
    assert type(array) is np.ndarray and array.dtype == 'float32', (type(array), array.dtype)
    np.testing.assert_allclose(array, wanted, rtol=1e-5)
total = np.sum(probabilities, axis=-1, keepdims=True)
assert type(total) is np.ndarray and total.shape == (1, 1) and abs(total[0, 0] - 1) < 1e-5
assert type(np.argmax(probabilities)) is np.int64 and np.argmax(probabilities) == np.argmax(wanted)
assert np.random.choice(2, p=np.squeeze(probabilities)) in (0, 1)
assert np.random.choice(2, p=probabilities[0]) in (0, 1)
assert isinstance(np.mean(probabilities), np.float32) and np.clip(probabilities, 0, .5).max() <= .5
assert np.max([probabilities[0, 0], probabilities[0, 1]]) == wanted.max()
assert np.isfinite(K.sum(probabilities)) and np.linalg.norm(probabilities) > 0
# What NumPy changes stays the object of the program.
rows = [probabilities[0], probabilities[0], 3]
np.random.shuffle(rows)
assert len(rows) == 3 and [row for row in rows if isinstance(row, int)] == [3]
target = np.zeros((1, 2), 'float32')
np.copyto(target, x[:1, :2])
assert target[0, 0] == x[0, 0]

# In a layer and in a loss, NumPy is given what it was given.
class Summed(keras.layers.Layer):
    def call(self, inputs):
        return np.add(inputs, 0) if isinstance(inputs, np.ndarray) else inputs * np.float32(2)

def loss(y_true, y_pred):
    return K.mean(K.square(y_pred - y_true)) * np.sqrt(4.)

trained = keras.Sequential([keras.layers.Dense(2, input_shape=(3,), kernel_initializer='zeros'), Summed()])
trained.compile('sgd', loss)
before = trained.get_weights()[0]
assert abs(trained.train_on_batch(x, np.ones((4, 2))) - 2) < 1e-5
assert np.abs(trained.get_weights()[0] - before).max() > 0

if os.environ['KERAS_BACKEND'] == 'torch':
    with tf.GradientTape() as tape:
        output = model(state)
        action = np.random.choice(2, p=np.squeeze(output) / np.sum(output))
        value = -tf.math.log(output[0, action])
    kernel, _ = tape.gradient(value, model.trainable_variables)
    np.testing.assert_allclose(np.array(kernel)[:, action], -(1 - wanted[action]) * state[0], rtol=1e-4)
print('passed')
"""


@pytest.mark.parametrize('backend', INSIDE)
def test_values_for_functions_of_numpy(backend, tmp_path):
    """Functions of NumPy give arrays, as with the tensors of TensorFlow."""
    passes(VALUES, backend, tmp_path)
