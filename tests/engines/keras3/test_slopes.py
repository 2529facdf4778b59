"""Gradients at kinks and of powers inside Keras 3, also where Keras runs the graph as a model, and in a file."""

import keras
import numpy as np
import pytest

import keras_backend.keras3 as K

SLOPED = {
    'maximum': (lambda x: K.maximum(x, 1.0), [0.0, 1.0, 1.0]),
    'maximum of a number and x': (lambda x: K.maximum(K.ones_like(x), x), [0.0, 0.0, 1.0]),
    'minimum': (lambda x: K.minimum(x, 1.0), [1.0, 1.0, 0.0]),
    'clip': (lambda x: K.clip(x, 0.0, 1.0), [1.0, 1.0, 0.0]),
    'product': (lambda x: K.prod(x, axis=-1, keepdims=True), [3.0, 0.0, 0.0]),
    'running product': (lambda x: K.cumprod(x, axis=-1), [5.0, 0.0, 0.0]),
    'abs': (lambda x: K.abs(x), [0.0, 1.0, 1.0]),
    'pow to 0': (lambda x: K.pow(x, 0), [0.0, 0.0, 0.0]),
    'pow to 1': (lambda x: K.pow(x, 1), [1.0, 1.0, 1.0]),
    'pow to 2': (lambda x: K.pow(x, 2), [0.0, 2.0, 6.0]),
    'pow to 3': (lambda x: K.pow(x, 3.0), [0.0, 3.0, 27.0]),
    'pow of exponents': (lambda x: K.pow(x, K.constant([0.0, 0.5, 2.0])), [0.0, 0.5, 6.0]),
}


@pytest.mark.parametrize('case', sorted(SLOPED))
def test_slopes_inside_of_a_model(case):
    """A model that Keras runs gives them as K.function does."""
    build, expected = SLOPED[case]
    x = keras.Input((3,))
    model = keras.Model(x, K.gradients(K.sum(build(x)), [x])[0])
    at = np.array([[0.0, 1.0, 3.0]], 'float32')
    np.testing.assert_allclose(model.predict(at, verbose=0), [expected], rtol=1e-6)


@pytest.mark.parametrize('case', sorted(SLOPED))
def test_slopes_of_a_loss(case):
    """In the gradients of a loss that Keras differentiates."""
    build, expected = SLOPED[case]
    layer = keras.layers.Dense(3, use_bias=False, kernel_initializer=keras.initializers.Constant([[0.0, 1.0, 3.0]]))
    model = keras.Sequential([keras.Input((1,)), layer])
    model.compile(keras.optimizers.SGD(1.0), lambda y, p: K.sum(build(p), axis=-1))
    model.fit(np.ones((1, 1), 'float32'), np.zeros((1, 3), 'float32'), verbose=0)
    np.testing.assert_allclose(np.array([[0.0, 1.0, 3.0]]) - layer.get_weights()[0], [expected], rtol=1e-5)


@pytest.mark.parametrize('case', sorted(SLOPED))
def test_sloped_functions_in_a_file(case, tmp_path):
    """A model made of them is saved, and read again."""
    x = keras.Input((3,))
    model = keras.Model(x, SLOPED[case][0](x))
    model.save(str(tmp_path / 'model.keras'))
    at = np.array([[0.0, 1.0, 3.0], [-1.0, -0.5, np.nan]], 'float32')
    read = keras.models.load_model(str(tmp_path / 'model.keras'))
    np.testing.assert_array_equal(read.predict(at, verbose=0), model.predict(at, verbose=0))


def test_slopes_of_any_order():
    """A power comes down to a line and to a number, whose gradients are 0."""
    x = K.placeholder((3,))
    at, y = np.array([0.0, 1.0, -2.0], 'float32'), K.pow(x, K.constant([3.0, 3.0, 3.0]))
    for expected in (3 * at**2, 6 * at, np.full(3, 6.0), np.zeros(3)):
        y = K.gradients(K.sum(y), [x])[0]
        np.testing.assert_allclose(K.function([x], [y])([at])[0], expected, rtol=1e-5)


def test_a_nan_is_the_larger_and_the_smaller_one():
    values = np.array([np.nan, 1.0, np.nan, 2.0], 'float32'), np.array([1.0, np.nan, np.nan, 3.0], 'float32')
    x, y = K.placeholder((4,)), K.placeholder((4,))
    run = K.function([x, y], [K.maximum(x, y), K.minimum(x, y)])
    for given in (run(list(values)), [K.eval(f(*map(K.constant, values))) for f in (K.maximum, K.minimum)]):
        np.testing.assert_array_equal(given, [[np.nan, np.nan, np.nan, 3.0], [np.nan, np.nan, np.nan, 2.0]])
