"""Crossentropies of what layers return: from the logits where Keras or TensorFlow tells them, as in tf.keras."""

import keras
import numpy as np
import pytest

import keras_backend.keras3 as K

BACKEND = keras.backend.backend()
X = np.array([[-50.0, 0.0], [40.0, -3.0], [0.3, 0.1]], 'float32')
if BACKEND == 'jax':
    # JAX does not tell the logits of what layers return; of these the probabilities tell as much.
    X = X / 100
TARGET = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], 'float32')
SIGMOID = np.maximum(X, 0) - X * TARGET + np.log1p(np.exp(-np.abs(X.astype('float64'))))
SOFTMAX = np.logaddexp(X[:, 0], X[:, 1]) - np.sum(X * TARGET, -1)

LOSSES = {
    'binary': ('sigmoid', SIGMOID, lambda t, p: K.binary_crossentropy(t, p)),
    'categorical': ('softmax', SOFTMAX, lambda t, p: K.categorical_crossentropy(t, p)),
    'sparse': ('softmax', SOFTMAX, lambda t, p: K.sparse_categorical_crossentropy(K.argmax(t, axis=-1), p)),
}
MAKERS = {
    'Activation': lambda name: keras.layers.Activation(name),
    'Dense': lambda name: keras.layers.Dense(2, activation=name, kernel_initializer='identity'),
    'model': lambda name: keras.Sequential([keras.Input((2,)), keras.layers.Activation(name)]),
}


@pytest.mark.parametrize('run_eagerly', [False, True])
@pytest.mark.parametrize('maker', MAKERS)
@pytest.mark.parametrize('loss', LOSSES)
def test_loss_of_what_a_layer_returns(loss, maker, run_eagerly):
    """A custom loss on K has the logits that the loss of Keras has on TensorFlow."""
    activation, truth, function = LOSSES[loss]
    x = keras.Input((2,))
    model = keras.Model(x, MAKERS[maker](activation)(x))
    model.compile('sgd', function, run_eagerly=run_eagerly)
    np.testing.assert_allclose(model.evaluate(X, TARGET, verbose=0), truth.mean(), rtol=1e-5)


@pytest.mark.parametrize('maker', MAKERS)
@pytest.mark.parametrize('loss', LOSSES)
def test_crossentropy_between_layers(loss, maker):
    """The same of KerasTensors, with the gradient, and through a file."""
    activation, truth, function = LOSSES[loss]
    x, t = keras.Input((2,)), keras.Input((2,))
    cost = function(t, MAKERS[maker](activation)(x))
    assert cost.shape == ((None, 2) if loss == 'binary' else (None,))
    (gradient,) = K.gradients(K.sum(cost), [x])
    found, slope = K.function([x, t], [cost, gradient])([X, TARGET])
    np.testing.assert_allclose(found, truth, rtol=1e-5, atol=1e-6)
    e = np.exp(X - X.max(-1, keepdims=True))
    p = 1 / (1 + np.exp(-X)) if loss == 'binary' else e / e.sum(-1, keepdims=True)
    np.testing.assert_allclose(slope, p - TARGET, atol=1e-6)


def test_crossentropy_between_layers_in_a_file(tmp_path):
    """A model that computes a crossentropy itself is saved and loaded."""
    x, t = keras.Input((2,)), keras.Input((2,))
    model = keras.Model([x, t], K.binary_crossentropy(t, keras.layers.Activation('sigmoid')(x)))
    model.save(tmp_path / 'model.keras')
    loaded = keras.saving.load_model(tmp_path / 'model.keras')
    np.testing.assert_allclose(loaded.predict([X, TARGET], verbose=0), SIGMOID, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('run_eagerly', [False, True])
def test_probabilities_that_have_other_logits(run_eagerly):
    """A softmax over another axis, a sigmoid in place of a softmax and a product count as probabilities."""
    epsilon = K.epsilon()
    x = np.random.RandomState(3).normal(size=(4, 3, 3)).astype('float32')
    t = np.eye(3, dtype='float32')[np.random.RandomState(4).randint(0, 3, (4, 3))]
    e = np.exp(x.astype('float64'))

    def truth(p):
        p = np.clip(p / p.sum(-1, keepdims=True), epsilon, 1 - epsilon)
        return np.mean(np.sum(-t * np.log(p), -1))

    for layer, p in (
        (keras.layers.Softmax(axis=1), e / e.sum(1, keepdims=True)),
        (keras.layers.Activation('sigmoid'), e / (1 + e)),
        (keras.layers.Lambda(lambda v: keras.activations.softmax(v) ** 2), (e / e.sum(-1, keepdims=True)) ** 2),
    ):
        inputs = keras.Input((3, 3))
        model = keras.Model(inputs, layer(inputs))
        model.compile('sgd', lambda t, p: K.categorical_crossentropy(t, p), run_eagerly=run_eagerly)
        np.testing.assert_allclose(model.evaluate(x, t, verbose=0), truth(p), rtol=1e-5)


@pytest.mark.parametrize('maker', ['K', 'layer'])
def test_saturated_outputs_on_every_backend(maker):
    """What each backend gives: 50 of the logits, else what the smallest probability gives, and never less."""
    x = keras.Input((2,))
    model = keras.Model(x, K.sigmoid(x) if maker == 'K' else keras.layers.Activation('sigmoid')(x))
    model.compile('sgd', lambda t, p: K.binary_crossentropy(t, p))
    found = model.evaluate(np.full((1, 2), -50.0), np.ones((1, 2)), verbose=0)
    known = maker == 'K' or BACKEND != 'jax'
    assert found == pytest.approx(50.0 if known else -np.log(2e-7), rel=1e-4)


def test_activation_in_a_layer_and_in_a_loss():
    """K.softmax as the activation of a layer and in a loss of logits, in compiled steps, through a file."""

    def of_logits(t, logits):
        return K.categorical_crossentropy(t, K.softmax(logits))

    for activation, loss in ((K.softmax, K.categorical_crossentropy), (None, of_logits)):
        x = keras.Input((2,))
        model = keras.Model(x, keras.layers.Dense(2, activation=activation, kernel_initializer='identity')(x))
        model.compile('sgd', lambda t, p, loss=loss: loss(t, p))
        found = model.evaluate(np.array([[-50.0, 0.0]]), np.array([[1.0, 0.0]]), verbose=0)
        assert found == pytest.approx(50.0, rel=1e-5)


def test_activation_between_layers_in_a_file(tmp_path):
    """A model with K.sigmoid and K.softmax between layers is saved and loaded."""
    x = keras.Input((2,))
    model = keras.Model(x, K.softmax(K.sigmoid(x)))
    model.save(tmp_path / 'model.keras')
    loaded = keras.saving.load_model(tmp_path / 'model.keras')
    np.testing.assert_array_equal(loaded.predict(X, verbose=0), model.predict(X, verbose=0))
