"""A function of any engine is built again on NumPy, whose functions `keras_backend.export` takes: docs/export.md."""

import importlib.util

import numpy as np

import keras_backend
import keras_backend as K


def build(K):
    """A function with a gradient, and its weights."""
    x = K.placeholder((None, 3), name='x')
    weights = [K.variable(np.zeros((3, 4))), K.variable(np.zeros((4,)))]
    y = K.tanh(K.bias_add(K.dot(x, weights[0]), weights[1]))
    return K.function([x], [y, *K.gradients(K.sum(K.square(y)), [x])]), weights


def test_a_function_built_again_on_numpy(tmp_path):
    """With the values of the weights handed over it gives the same numbers, and becomes a file."""
    other = keras_backend.load('numpy')
    trained, weights = build(K)
    values = [np.cos(np.arange(12.0)).reshape(3, 4), np.sin(np.arange(4.0))]
    K.batch_set_value(list(zip(weights, values)))
    same, others = build(other)
    other.batch_set_value(list(zip(others, K.batch_get_value(weights))))
    x = np.linspace(-1, 1, 6, dtype='float32').reshape(2, 3)
    y = np.tanh(x @ values[0] + values[1])
    for f in trained, same:
        found, slope = f([x])
        np.testing.assert_allclose(found, y, rtol=1e-5)
        np.testing.assert_allclose(slope, (2 * y * (1 - y**2)) @ values[0].T, rtol=1e-4, atol=1e-6)
    if importlib.util.find_spec('onnx') is not None:
        assert keras_backend.export(same, str(tmp_path / 'f.onnx')).inputs == ['x']
