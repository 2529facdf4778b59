"""Arrays of NumPy beside tensors, as programs with a tape write them: the values, and the gradients, of TensorFlow."""

import pytest
from keras3_backends import BACKENDS, passes

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
