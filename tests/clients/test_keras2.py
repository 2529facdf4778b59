"""keras_backend.keras2: programs of 2017 as they are, on every Python and with every name of an engine."""

import os
import subprocess
import sys

import pytest
from checkout import TESTS

NAME = os.environ['KERAS_BACKEND'].split('.')[-1][: -len('_backend')]

PROGRAM = """
import os, sys
from helper import units
import collections
import keras
from keras import backend as K
from keras.layers import Dense, Lambda
assert isinstance([], collections.Iterable)
K.clear_session()
model = keras.models.Sequential([Dense(units, input_shape=(5,)), Lambda(lambda x: x[:, :2]), Dense(1)])
assert model.layers[1].output_shape == (None, 2), model.layers[1].output_shape
model.compile('adam', 'mse')
model.save(sys.argv[1])
keras.models.load_model(sys.argv[1])
print(K.backend(), __name__, os.path.basename(sys.argv[0]), sys.argv[2:], K.get_session() is not None)
"""


@pytest.fixture
def repository(tmp_path):
    """A folder with a program and a module that it imports."""
    (tmp_path / 'train.py').write_text(PROGRAM)
    (tmp_path / 'helper.py').write_text('units = 4\n')
    return tmp_path


def python(folder, *arguments, **variables):
    """Run Python in a folder; the first line that it prints."""
    done = subprocess.run(
        [sys.executable, '-W', 'ignore'] + list(arguments),
        env=dict(os.environ, **variables),
        cwd=str(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout.split('\n')[0]


def run(folder, *arguments, **variables):
    """Run `python -m keras_backend.keras2` in a folder that is not the program's; the first line that it prints."""
    return python(folder, '-m', 'keras_backend.keras2', *arguments, **variables)


def test_launched_program(repository):
    """A program runs with its folder, its arguments, and the engine by its short name."""
    told = run(TESTS, str(repository / 'train.py'), str(repository / 'model.h5'), '--epochs', '3', KERAS_BACKEND=NAME)
    assert f"{NAME} __main__ train.py ['--epochs', '3'] True" == told


def test_module(repository):
    """`-m MODULE` runs a module of the working folder, as `python -m` does."""
    told = run(repository, '-m', 'train', str(repository / 'model.h5'))
    assert f'{NAME} __main__ train.py [] True' == told


def test_line(repository):
    """One line before `import keras` does the same."""
    program = 'import keras_backend.keras2\n' + PROGRAM
    (repository / 'train.py').write_text(program)
    assert python(repository, 'train.py', 'model.h5').startswith(NAME)


def test_line_in_a_package(repository):
    """The same in the `__init__` of a package that is run by `python -m`, before its `__main__`."""
    package = repository / 'my_app'
    package.mkdir()
    (package / '__init__.py').write_text('import keras_backend.keras2\n')
    (package / '__main__.py').write_text(PROGRAM)
    assert python(repository, '-m', 'my_app', 'model.h5').startswith(NAME)


# What the test puts before the installed libraries: a package that says that it is imported.
LIBRARIES = {
    'tensorflow/__init__.py': 'print("tensorflow")\n',
    'tensorflow/python/__init__.py': '',
    'tensorflow/python/lib/__init__.py': '',
    'tensorflow/python/lib/io/__init__.py': '',
    'tensorflow/python/lib/io/file_io.py': 'file_exists = len\n',
    'sklearn/__init__.py': 'print("sklearn")\n',
    'pandas.py': 'print("pandas")\n',
}
ALONE = """
import sys
import keras
from keras.layers import Dense
from keras.wrappers.scikit_learn import KerasClassifier
model = keras.models.Sequential([Dense(2, input_shape=(5,))])
model.compile('adam', 'mse')
model.save('model.h5')
keras.models.load_model('model.h5')
assert not {'tensorflow', 'tensorflow.python', 'sklearn', 'pandas'} & set(sys.modules)
from keras.engine import saving
if getattr(saving, 'tf_file_io', None) is not None:
    assert saving.tf_file_io.file_exists('four') == 4 and 'tensorflow.python.lib.io.file_io' in sys.modules
"""


@pytest.mark.skipif(NAME == 'tensorflow', reason='it is TensorFlow that the engine imports')
def test_no_library_that_nobody_asks_for(tmp_path):
    """Keras imports no TensorFlow on another engine, and no scikit-learn for its wrappers, until they are asked for."""
    for name, text in LIBRARIES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / 'alone.py').write_text(ALONE)
    assert run(tmp_path, 'alone.py', PYTHONPATH=str(tmp_path)) in ('', 'tensorflow')
