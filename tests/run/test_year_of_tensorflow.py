"""The TensorFlow that a program of tf.keras was written for: names, lines of notebooks, requirements."""

import json

import pytest

from keras_backend.programs.launcher.check import tensorflow_versions, years
from keras_backend.programs.launcher.check.files import of_code, of_path

KERAS = 'import tensorflow as tf\nm = tf.keras.Sequential()\n'
OF_1 = (1, 15)


def of_1(text):
    return [name for _, name in tensorflow_versions.told_of_1(of_code(KERAS + text)[0])]


def test_each_name_of_tensorflow_1_tells():
    """All names but tf.estimator, which TensorFlow 2 had up to 2.15; those below a name tell, too."""
    names = sorted(tensorflow_versions.OF_1)
    assert len(names) > 600
    told = of_1(''.join(f'tf.{name}.nothing\n' for name in names))
    assert {f'tensorflow.{name}.nothing' for name in names if name != 'estimator'} == set(told)


@pytest.mark.parametrize(
    'text',
    [
        'tf.math.log(x)',
        'tf.compat.v1.Session()',
        'import tensorflow.compat.v1 as tf1\ntf1.placeholder(tf.float32)',
        'tf.Sessions()',
        "if tf.__version__[0] == '1':\n    tf.set_random_seed(1)",
        'try:\n    tf.log(x)\nexcept AttributeError:\n    tf.math.log(x)',
        '@tf.function\ndef f(x):\n    return tf.log(x)',
        'with tf.GradientTape() as tape:\n    tf.to_float(x)',
    ],
)
def test_what_tells_nothing_of_tensorflow_1(text):
    assert of_1(text) == []


def test_eager_execution_of_tensorflow_1():
    """GradientTape tells of TensorFlow 2, unless eager execution had to be enabled."""
    assert of_1('tf.enable_eager_execution()\ntape = tf.GradientTape()\n') == ['tensorflow.enable_eager_execution']


@pytest.mark.parametrize(
    ('line', 'version'),
    [
        ('%tensorflow_version 1.x', OF_1),
        ('!pip install -q tensorflow-gpu==1.14 keras', (1, 14)),
        ('!pip3 install tensorflow==2.3.1', (2, 3)),
        ('%tensorflow_version 2.x', years.DEFAULT),
        ('!pip install tensorflow-hub==1.2', years.DEFAULT),
        ('x = tf.log(3.)', OF_1),
    ],
)
def test_year_of_a_notebook(line, version, tmp_path):
    path = tmp_path / 'notes.ipynb'
    path.write_text(json.dumps({'cells': [{'cell_type': 'code', 'source': [line + '\n', KERAS]}]}))
    year = years.year_of(str(path))
    assert (version, version < (2, 0)) == (year.version, year.is_of_1)
    assert bool(tensorflow_versions.told_of_1(of_path(str(path))[0])) == year.is_of_1


def test_year_by_a_module_beside_the_program(tmp_path, monkeypatch):
    """The name stands in a module that the program imports; an option or the requirements say more."""
    (tmp_path / 'train.py').write_text('import losses\n' + KERAS)
    (tmp_path / 'losses.py').write_text('from tensorflow import log\ndef f(x):\n    return log(x)\n')
    assert years.year_of(str(tmp_path / 'train.py')).version == OF_1
    assert years.year_of(str(tmp_path / 'train.py')).why.endswith('losses.py:1: tensorflow.log')
    (tmp_path / 'requirements.txt').write_text('tensorflow==2.4')
    assert years.year_of(str(tmp_path / 'train.py')).version == (2, 4)
    monkeypatch.setenv(years.VARIABLE, '1.13')
    assert years.year_of(str(tmp_path / 'train.py')).is_of_1
