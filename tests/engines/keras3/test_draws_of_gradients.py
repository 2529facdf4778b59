"""A value and its gradient in one call of K.function come of the same random numbers.

Of y = m * x, with a random mask m, the gradient of sum(y) by x is m, which y shows.
"""

import keras
import numpy as np
import pytest
from keras import layers

import keras_backend.keras3 as K
from keras_backend.engines.keras3_backend.state.updates import set_learning_phase

SHAPE = (16, 8)
X = np.linspace(1.0, 2.0, 128, dtype='float32').reshape(SHAPE)


class DropoutOfK(layers.Layer):
    """A layer without an argument `training`, as they were written."""

    def call(self, x):
        return K.in_train_phase(K.dropout(x, 0.5), x)


def noise(x):
    return x * K.random_uniform(K.shape(x))


def noise_of_known_size(x):
    return x * K.random_uniform((8,), seed=7)


def step_with_dropout(x):
    drop = layers.Dropout(0.5)
    sequence = K.reshape(x, (-1, 4, 2))
    y = K.rnn(lambda t, states: (drop(t), states), sequence, [K.zeros_like(sequence[:, 0])])[1]
    return K.reshape(y, (-1, 8))


def model_with_dropout(x):
    inner = keras.Input((8,))
    return keras.Model(inner, layers.Dropout(0.5)(layers.Dropout(0.25)(inner)))(x)


def one_layer_twice(x):
    drop = layers.Dropout(0.5)
    return drop(drop(x))


MASKED = {
    'Dropout': lambda x: layers.Dropout(0.5)(x),
    'Dropout with a seed': lambda x: layers.Dropout(0.5, seed=3)(x),
    'GaussianDropout': lambda x: layers.GaussianDropout(0.5)(x),
    'K.dropout in a layer': lambda x: DropoutOfK()(x),
    'K.dropout in a Lambda': lambda x: layers.Lambda(lambda t: K.dropout(t, 0.5))(x),
    'K.dropout in a Lambda of known shape': lambda x: layers.Lambda(lambda t: K.dropout(t, 0.5), output_shape=(8,))(x),
    'a Lambda that draws beside one that draws': lambda x: layers.Lambda(noise)(layers.Lambda(noise)(x)),
    'K.dropout between layers': lambda x: K.dropout(x, 0.5),
    'K.random_uniform between layers': noise,
    'K.random_uniform with a seed in a Lambda': lambda x: layers.Lambda(noise_of_known_size)(x),
    'a step of K.rnn': step_with_dropout,
    'a model': model_with_dropout,
    'one layer twice': one_layer_twice,
}


def masks(y, g):
    """What a function returned for y and its gradient, as two masks."""
    np.testing.assert_allclose(y / X, g, rtol=1e-5)
    assert 0.1 < np.std(g), 'nothing was drawn'
    return g


@pytest.fixture(autouse=True)
def _phase():
    yield
    set_learning_phase(None)


@pytest.mark.parametrize('name', MASKED)
def test_the_gradient_has_the_mask_of_the_value(name):
    x = keras.Input((8,))
    y = MASKED[name](x)
    f = K.function([x, K.learning_phase()], [y, K.gradients(K.sum(y), x)[0]])
    first, second = [masks(*f([X, 1])) for _ in range(2)]
    assert np.abs(first - second).max() > 0.1, 'each call draws anew'


@pytest.mark.parametrize('name', ['Dropout', 'K.dropout in a layer', 'K.dropout in a Lambda of known shape'])
def test_the_gradient_has_the_mask_of_the_value_in_a_phase_that_was_set(name):
    K.set_learning_phase(1)
    x = keras.Input((8,))
    y = MASKED[name](x)
    f = K.function([x], [K.gradients(K.sum(y), x)[0], y])
    masks(*reversed(f([X])))


def test_gradients_of_gradients_have_the_mask_of_the_value():
    """Of y = m * x ** 3 the second derivative is 6 * m * x."""
    x = keras.Input((8,))
    y = layers.Dropout(0.5)(x) * x * x
    first = K.gradients(K.sum(y), x)[0]
    second = K.gradients(K.sum(first), x)[0]
    y, first, second = K.function([x, K.learning_phase()], [y, first, second])([X, 1])
    m = masks(y / X / X, first / (3 * X * X))
    np.testing.assert_allclose(second, 6 * m * X, rtol=1e-5)


def test_two_gradients_and_an_update_have_one_mask():
    x, w = keras.Input((8,)), K.variable(np.full(8, 2.0))
    total = K.variable(0.0)
    y = layers.Dropout(0.5)(x * w)
    loss = K.sum(y)
    of_x, of_w = K.gradients(loss, [x, w])
    alone = K.gradients(loss, [w])[0]
    f = K.function([x, K.learning_phase()], [y, of_x, of_w, alone], [K.update_add(total, loss)])
    y, of_x, of_w, alone = f([X, 1])
    m = masks(y / 2, of_x / 2)
    np.testing.assert_allclose(of_w, np.sum(m * X, 0), rtol=1e-5)
    np.testing.assert_array_equal(alone, of_w)
    np.testing.assert_allclose(K.get_value(total), y.sum(), rtol=1e-5)
