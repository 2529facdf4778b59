"""`python -m keras_backend run` of a program of tf.keras, on every backend that is installed."""

import pytest
from keras3_backends import BACKENDS, launch
from processes import given_path, python
from program_records import result

from .record_tf_keras import path_of

NAME = 'center_loss'


@pytest.mark.parametrize('backend', BACKENDS)
def test_a_program_of_tf_keras(backend, tmp_path):
    """`run --engine BACKEND` is the launcher of tf.keras on this backend: the numbers are equal."""
    options = {'home': tmp_path / 'home', 'cwd': tmp_path, 'path': given_path()}
    arguments = ['-W', 'ignore', '-m', 'keras_backend', 'run', '--engine', backend, path_of(NAME)]
    status, out, err = python(*arguments, **options)
    assert status == 0, err
    assert f'in Keras 3, engine {backend}' in err
    launched = launch(path_of(NAME), backend=backend, home=tmp_path / 'home', cwd=tmp_path)
    assert result(launched[1]) == result(out)
