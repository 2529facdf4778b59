"""The gradients of K.sqrt at and below 0, for KerasTensors, computed tensors and what a library differentiates."""

import keras
import numpy as np
import pytest

import keras_backend.keras3 as K

BACKEND = keras.backend.backend()
X = np.array([-np.inf, -2.0, -0.0, 0.0, 0.25, 4.0, np.inf, np.nan], 'float32')
VALUE = np.array([0.0, 0.0, -0.0, 0.0, 0.5, 2.0, np.inf, np.nan])
SLOPE = np.array([0.0, 0.0, np.inf, np.inf, 1.0, 0.25, 0.0, np.nan])


def by_the_library(f):
    """The gradient of the sum of f at X, as the library of Keras has it."""
    if BACKEND == 'jax':
        import jax

        return np.asarray(jax.grad(lambda x: K.sum(f(x)))(jax.numpy.asarray(X)))
    if BACKEND == 'torch':
        import torch

        x = torch.tensor(X, requires_grad=True)
        K.sum(f(x)).backward()
        return x.grad.numpy()
    import tensorflow as tf

    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = K.sum(f(x))
    return tape.gradient(y, x).numpy()


def test_values_of_roots():
    x = K.placeholder((8,))
    for found in (K.eval(K.sqrt(K.constant(X))), K.function([x], [K.sqrt(x)])([X])[0]):
        np.testing.assert_array_equal(found, VALUE)


def test_slopes():
    x = K.placeholder((8,))
    # On TensorFlow the slope at NaN is 0.
    known = slice(0, 7 if BACKEND == 'tensorflow' else 8)
    np.testing.assert_allclose(by_the_library(K.sqrt)[known], SLOPE[known])
    (slopes,) = K.function([x], K.gradients(K.sum(K.sqrt(x)), [x]))([X])
    np.testing.assert_allclose(slopes[known], SLOPE[known])


OF_ROOTS = {
    'product': (lambda x: K.sqrt(x) * x, [1.5 * 0.5, 1.5 * 2.0]),
    'root': (lambda x: K.sqrt(K.sqrt(x)), [0.25 * 0.25**-0.75, 0.25 * 4.0**-0.75]),
    'exponential': (lambda x: K.exp(K.sqrt(x)), [np.exp(0.5), np.exp(2.0) / 4]),
}


@pytest.mark.parametrize('name', OF_ROOTS)
def test_slopes_of_what_holds_a_root(name):
    """They are 0 at -2, and right at 0.25 and 4."""
    f, truth = OF_ROOTS[name]
    np.testing.assert_allclose(by_the_library(f)[[1, 4, 5]], [0.0, *truth], rtol=1e-6)


def test_second_slopes():
    """0 below 0, and what is beside a negative number has its own."""
    x = K.placeholder((3,))
    (first,) = K.gradients(K.sum(K.sqrt(x)), [x])
    (second,) = K.gradients(K.sum(first), [x])
    value = np.array([-1.0, 0.25, 4.0], 'float32')
    np.testing.assert_allclose(K.function([x], [second])([value])[0], [0.0, -2.0, -1 / 32], rtol=1e-6)
