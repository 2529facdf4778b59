"""Keras 2 as a client: its own settings and those of the engine that it runs on are the same ones."""

import sys
import types

import pytest

from keras_backend import config, load


class Keras(types.ModuleType):
    """A `keras.backend` with settings of its own, as Keras 2 has."""

    def __init__(self, engine):
        super().__init__('keras.backend')
        self.values = {'epsilon': 1e-7, 'floatx': 'float32', 'image_data_format': 'channels_last'}
        self.backend = lambda: engine
        for key in self.values:
            setattr(self, key, lambda key=key: self.values[key])
            setattr(self, 'set_' + key, lambda value, key=key: self.values.update({key: value}))


@pytest.fixture
def client(monkeypatch):
    """Makes a Keras that runs on an engine, in place of any there is."""

    def client(engine):
        keras = Keras(engine)
        monkeypatch.setitem(sys.modules, 'keras.backend', keras)
        return keras

    load('numpy')
    yield client
    monkeypatch.undo()  # before the settings are restored, in Keras, too


@pytest.fixture
def keras(client):
    """A Keras that runs on the NumPy engine, by its dotted name."""
    return client('keras_backend.engines.numpy_backend')


def test_engine_goes_by_the_settings_of_keras(keras):
    """What is set in Keras holds in the engine at once, for default dtypes and layouts."""
    K = load('numpy')
    keras.set_floatx('float64')
    keras.set_image_data_format('channels_first')
    keras.set_epsilon(1e-3)
    assert ('float64', 'channels_first', 1e-3) == (K.floatx(), K.image_data_format(), K.epsilon())
    assert 'float64' == K.dtype(K.placeholder((2,)))
    assert (2, 3, 4, 4) == K.int_shape(K.pool2d(K.placeholder((2, 3, 8, 8)), (2, 2), strides=(2, 2)))
    assert 'keras.backend.set_floatx' == config.settings.get('floatx').source


def test_keras_goes_by_the_settings_of_the_engine(keras):
    """What is set by our names holds in Keras, and is undone there together with ours."""
    saved = config.settings.saved()
    config.set_floatx('float16')
    assert 'float16' == keras.floatx()
    config.settings.restore(saved)
    assert 'float32' == keras.floatx() == config.floatx()


def test_changes_back_and_forth_are_not_piled_up(keras):
    """A setting remembers what it overruled, but not each of a thousand changes."""
    for _ in range(1000):
        keras.set_floatx('float64')
        config.floatx()
        config.set_floatx('float32')
    assert config.settings.get('floatx').overruled.overruled is None


@pytest.mark.parametrize('engine', ['tensorflow', 'numpy', 'no.such.module', None])
def test_other_keras_is_left_alone(client, engine):
    """A Keras that runs on an engine of its own keeps its settings, and so do we."""
    keras = client(engine)
    keras.set_floatx('float64')
    assert 'float32' == config.floatx()
    config.set_epsilon(1e-3)
    assert 1e-7 == keras.epsilon()


def test_keras_that_is_being_imported_has_no_say(monkeypatch):
    """While Keras imports its engine its backend is an empty module."""
    monkeypatch.setitem(sys.modules, 'keras.backend', types.ModuleType('keras.backend'))
    assert 'float32' == config.floatx()
