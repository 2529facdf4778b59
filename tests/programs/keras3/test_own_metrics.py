"""Metrics of a program that were written for tf.keras 2.0 to 2.4: `reset_states`, functions of NumPy."""

import pytest
from keras3_backends import BACKENDS, INSIDE, passes

PROGRAM = """
import keras, numpy as np

class Counted(keras.metrics.Metric):
    def __init__(self, name='counted', **kwargs):
        super().__init__(name=name, **kwargs)
        self.total = self.add_weight(name='total', initializer='zeros')
        self.resets = 0
    def update_state(self, y_true, y_pred, sample_weight=None):
        self.total.assign_add(1.)
    def result(self):
        return self.total
    def reset_states(self):
        self.resets += 1
        self.total.assign(0.)

class Twice(Counted):
    def reset_states(self):
        super().reset_states()
        self.resets += 10

class Mean(keras.metrics.Mean):
    resets = 0
    def reset_states(self):
        super().reset_states()
        self.resets += 1

mean = keras.metrics.Mean()
mean.update_state([1., 3.])
mean.reset_states()
assert float(mean.result()) == 0.
for metric in Counted(), Twice(), Mean():
    metric.update_state([1., 3.], None)
    for reset in metric.reset_states, metric.reset_state:
        reset()
        assert float(metric.result()) == 0.
    assert metric.resets == (22 if isinstance(metric, Twice) else 2)

class Own(keras.Sequential):
    @property
    def metrics(self):
        return [mean] + self.compiled_metrics.metrics

model = Own([keras.layers.Input((2,)), keras.layers.Dense(1)])
model.compile('sgd', 'mse', metrics=['mae', Counted()])
x = np.ones((12, 2))
history = model.fit(x, x[:, :1], batch_size=4, epochs=2, verbose=0).history
assert [m.name for m in model.metrics][1:] == ['mae', 'counted'], model.metrics
assert history['counted'] == [3., 3.], history
print('passed')
"""


@pytest.mark.parametrize('backend', BACKENDS)
def test_metrics_that_are_set_back(backend, tmp_path):
    """A metric is set back between epochs by the method that it has, which may call that of its base."""
    passes(PROGRAM, backend, tmp_path)


ARRAYS = """
import numpy as np
import tensorflow as tf
from tensorflow import keras

seen = []

def largest(y_true, y_pred):
    def of_arrays(targets, outputs):
        assert isinstance(targets, np.ndarray) and isinstance(outputs, np.ndarray)
        seen.append(len(targets))
        return np.max(outputs).astype('float32')
    return tf.numpy_function(of_arrays, [y_true, y_pred], tf.float32)

def partly(y_true, y_pred):
    constant = tf.numpy_function(lambda y: np.mean(y), [y_pred], tf.float32)
    return keras.backend.mean(keras.backend.square(y_true - y_pred)) + constant

x, y = np.ones((4, 2), 'float32'), np.full((4, 1), 3., 'float32')
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer='ones', use_bias=False)])
model.compile(keras.optimizers.SGD(0.1), partly, metrics=[largest])
history = model.fit(x, y, batch_size=2, epochs=2, verbose=0).history
# The steps are those of the mean square: no gradient goes through the function.
w, losses, outputs = 1., [], []
for step in range(4):
    losses.append((3 - 2 * w) ** 2 + 2 * w)
    outputs.append(2 * w)
    w += 0.1 * 2 * (3 - 2 * w)
np.testing.assert_allclose(model.get_weights()[0], [[w], [w]], rtol=1e-5)
np.testing.assert_allclose(history['loss'], [np.mean(losses[:2]), np.mean(losses[2:])], rtol=1e-5)
np.testing.assert_allclose(history['largest'], [np.mean(outputs[:2]), np.mean(outputs[2:])], rtol=1e-5)
assert seen == [2] * 4, seen

one = keras.ops.convert_to_tensor(x)
total, rest = tf.numpy_function(lambda a, b: (a.sum(), a[:, :1] + b), [one, 2.], [tf.float32, tf.float32])
np.testing.assert_allclose([float(total), *np.asarray(rest)[:, 0]], [8., 3., 3., 3., 3.])

def said(function):
    try:
        function()
    except Exception as error:
        return str(error)
    raise AssertionError('nothing was said')

def of_samples(y_true, y_pred):
    return tf.numpy_function(lambda y: y[:, 0], [y_pred], tf.float32)

def by_tensors(y_true, y_pred):
    return tf.py_function(lambda y, z: keras.backend.mean(keras.backend.square(y - z)), [y_true, y_pred], tf.float32)

model.compile('sgd', 'mse', metrics=[of_samples])
if keras.backend.backend() == 'jax':
    assert 'the shape (4,)' in said(lambda: model.evaluate(x, y, verbose=0))
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile('sgd', by_tensors)
    assert 'tf.py_function was given' in said(lambda: model.fit(x, y, verbose=0))
else:
    np.testing.assert_allclose(model.evaluate(x, y, verbose=0)[1], 2 * w, rtol=1e-5)
    model.compile(keras.optimizers.SGD(0.1), by_tensors)
    model.fit(x, y, verbose=0)
    np.testing.assert_allclose(model.get_weights()[0], [[w + 0.2 * (3 - 2 * w)]] * 2, rtol=1e-5)
assert 'KerasTensor' in said(lambda: tf.numpy_function(np.sum, [model.output], tf.float32))
print('passed')
"""


@pytest.mark.parametrize('backend', INSIDE)
def test_functions_of_arrays(backend, tmp_path):
    """`tf.numpy_function` is called with the arrays of each batch, in metrics and losses."""
    passes(ARRAYS, backend, tmp_path)
