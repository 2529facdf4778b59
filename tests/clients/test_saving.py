"""What is saved and loaded: weights, architecture, whole models with the state of their optimizer."""

import keras
import numpy as np
import pytest
from keras import backend as K
from keras import layers as L

from .cases import UNBIASED_AVERAGES, digits_model, run_steps


def batch():
    """Images and labels without a meaning."""
    rng = np.random.RandomState(5)
    return rng.rand(32, 8, 8, 1).astype('float32'), rng.randint(0, 10, 32)


@pytest.fixture(params=['convolutional', 'recurrent'])
def trained(request):
    """A network after some steps."""
    model = digits_model(request.param)
    model.compile(keras.optimizers.Adam(0.01), 'sparse_categorical_crossentropy', metrics=['accuracy'])
    run_steps(model, *batch())
    return model


def trained_weights(model):
    """The arrays that gradients move."""
    return [K.get_value(weight) for weight in model.trainable_weights]


def test_whole_model(trained, tmp_path):
    """A loaded model predicts the same, and goes on learning where the saved one stood."""
    x, y = batch()
    path = str(tmp_path / 'model.h5')
    trained.save(path)
    expected = trained.predict(x)
    run_steps(trained, x, y)
    after, weights = trained.predict(x), trained_weights(trained)
    loaded = keras.models.load_model(path)
    np.testing.assert_allclose(loaded.predict(x), expected, rtol=1e-5, atol=1e-6)
    run_steps(loaded, x, y)
    for found, expected in zip(trained_weights(loaded), weights):
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
    if not UNBIASED_AVERAGES:
        np.testing.assert_allclose(loaded.predict(x), after, rtol=1e-3, atol=1e-4)


def test_architecture_and_weights(trained, tmp_path):
    """Architecture as JSON and YAML's equal, a dict; weights in a file of their own, by order and by name."""
    x, _ = batch()
    path = str(tmp_path / 'weights.h5')
    trained.save_weights(path)
    for by_name in False, True:
        again = keras.models.model_from_json(trained.to_json())
        again.load_weights(path, by_name=by_name)
        np.testing.assert_allclose(again.predict(x), trained.predict(x), rtol=1e-5, atol=1e-6)
    clone = keras.models.clone_model(trained)
    clone.set_weights(trained.get_weights())
    np.testing.assert_allclose(clone.predict(x), trained.predict(x), rtol=1e-5, atol=1e-6)


def test_own_objects(tmp_path):
    """Lambdas, and what is named in custom_objects, come back."""

    def halved(x):
        return K.abs(x) / 2

    def loss(y_true, y_pred):
        return K.mean(K.abs(y_true - y_pred), axis=-1)

    model = keras.models.Sequential(
        [L.Dense(3, input_shape=(4,), activation=halved), L.Lambda(lambda x: x**2, output_shape=(3,))]
    )
    model.compile('sgd', loss)
    path = str(tmp_path / 'model.h5')
    model.save(path)
    loaded = keras.models.load_model(path, custom_objects={'halved': halved, 'loss': loss})
    x = np.ones((2, 4))
    np.testing.assert_allclose(loaded.predict(x), model.predict(x), rtol=1e-6)


def test_best_model_is_kept(tmp_path):
    """ModelCheckpoint writes the best model while it learns."""
    x, y = batch()
    model = digits_model('convolutional')
    model.compile('adam', 'sparse_categorical_crossentropy')
    path = str(tmp_path / 'best.h5')
    model.fit(
        x,
        y,
        epochs=2,
        verbose=0,
        callbacks=[keras.callbacks.ModelCheckpoint(path, monitor='loss', save_best_only=True)],
    )
    assert (10,) == keras.models.load_model(path).output_shape[1:]


class TwoOfOneName(L.Layer):
    """A layer that gives two weights the same name."""

    def build(self, input_shape):
        """As people copied the line."""
        self.first = self.add_weight(name='w', shape=(input_shape[-1],), initializer='uniform')
        self.second = self.add_weight(name='w', shape=(input_shape[-1],), initializer='uniform')
        super().build(input_shape)

    def call(self, x):
        """A line."""
        return self.first * x + self.second


def test_weights_of_one_name(tmp_path):
    """Weights whose names the layer gives twice are saved, each as its own."""
    x = np.random.RandomState(0).rand(2, 4)
    model = keras.models.Sequential([TwoOfOneName(input_shape=(4,)), TwoOfOneName(name='last')])
    model.set_weights([np.full(4, n + 1.0) for n in range(4)])
    expected = model.predict(x)
    path = str(tmp_path / 'weights.h5')
    model.save_weights(path)
    model.set_weights([np.zeros(4)] * 4)
    model.load_weights(path)
    np.testing.assert_allclose(model.predict(x), expected, rtol=1e-6)
    np.testing.assert_allclose(expected, ((x + 2) * 3 + 4), rtol=1e-6)
    assert 4 == len({weight.name for weight in model.weights})
