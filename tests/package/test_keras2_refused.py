"""keras_backend.keras2 where Keras 2 is not installed; with it, tests/clients runs."""

from processes import fail


def test_without_keras(tmp_path):
    """What is missing is said, with the command that installs it."""
    told = fail(
        'from keras_backend.basics import installed\ninstalled.version = lambda names: None\n'
        'import keras_backend.keras2',
        home=tmp_path,
    )
    assert 'pip install --no-deps keras==2.3.1' in told
    assert 'none is installed' in told
    assert 'WrongKeras' in told


def test_other_keras(tmp_path):
    """Keras 3, which TensorFlow brings along, is called by its version."""
    told = fail(
        'from keras_backend.basics import installed\ninstalled.version = lambda names: "3.5.0"\n'
        'import keras_backend.keras2',
        home=tmp_path,
    )
    assert 'Keras 3.5.0 is installed' in told
