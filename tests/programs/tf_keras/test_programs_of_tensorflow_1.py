"""Programs of tf.keras of TensorFlow 1 on tf_keras, under the launcher: what TensorFlow 1.15.5 gave."""

import importlib.util
import os

import pytest
from keras3_backends import launch
from program_records import differences, recorded, result

if importlib.util.find_spec('tf_keras') is None:
    pytest.skip('tf_keras is not installed', allow_module_level=True)

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'of_tensorflow_1')
RECORD = recorded(os.path.join(os.path.dirname(FOLDER), 'tensorflow_1_15.json'))
PROGRAMS = sorted(name[:-3] for name in os.listdir(FOLDER) if name.endswith('.py'))

NAMES = """
import tensorflow as tf
from tensorflow.contrib.keras.api.keras.models import Sequential
from tensorflow.contrib.keras.python.keras.layers import Dense as of_1_3
from tensorflow.python.keras import backend as private
from tensorflow.python.keras._impl.keras.engine.topology import Layer as of_1_4
from tensorflow.python.keras.layers import Dense, Layer
from tensorflow.python.keras.utils import conv_utils, tf_utils
import tensorflow.contrib.keras as contributed
import tensorflow.keras.layers as L
from tensorflow.keras import backend as K, layers, models
assert (tf.__version__, tf.VERSION, tf.keras.__version__) == ('1.15.5', '1.15.5', '2.2.4-tf')
assert tf.keras.layers is layers is L and tf.keras is tf.compat.v1.keras
assert contributed.layers is tf.contrib.keras.layers
assert Dense is of_1_3 is layers.Dense and of_1_4 is Layer is layers.Layer and models.Sequential is Sequential
assert isinstance(K.get_session(), tf.Session) and not tf.executing_eagerly()
assert tf.keras.layers.CuDNNLSTM and tf.keras.utils.multi_gpu_model and tf.keras.wrappers.scikit_learn.KerasClassifier
i = L.Input((3,))
assert i.shape[1].value == 3 and tf.layers.dense(i, 2).shape.as_list() == [None, 2]
m = models.Model(i, L.Dense(2)(i))
assert m(tf.placeholder(tf.float32, (None, 3))).name.startswith('model')
for line, words in {
    'tf.estimator.Estimator': 'tf.estimator is gone',
    'tf.contrib.nothing': 'tf.contrib.nothing is gone',
    'tf.keras.nothing': 'nothing',
}.items():
    try:
        eval(line)
    except AttributeError as error:
        assert words in str(error), error
    else:
        raise AssertionError(line)
print('passed')
"""
CHOICE = """
import tensorflow as tf
print(hasattr(tf, 'Session'), tf.executing_eagerly())
if hasattr(tf, 'Session'):
    tf.set_random_seed(1)
"""


def launched_program(folder, *arguments):
    """What a program prints under the launcher on TensorFlow, and what it writes to the standard error stream."""
    home = {'home': folder / 'home', 'cwd': folder, 'backend': 'tensorflow'}
    status, out, err = launch(*arguments, **home)
    assert status == 0, out + err
    return out, err


@pytest.mark.parametrize('name', [name for name in PROGRAMS if name not in ('__init__', 'record')])
def test_numbers_of_tensorflow_1(name, tmp_path):
    """A program has the numbers of TensorFlow 1.15.5; the name that tells its year is said."""
    out, err = launched_program(tmp_path, os.path.join(FOLDER, name + '.py'))
    assert 'as of TensorFlow 1.15 (' in err
    assert [] == differences(result(out), RECORD[name])


def test_names_of_tensorflow_1(tmp_path):
    """The paths of Keras in TensorFlow 1.2 to 1.15 lead to one package; what is gone is an error that says so."""
    (tmp_path / 'program.py').write_text(NAMES)
    assert launched_program(tmp_path, 'program.py')[0] == 'passed\n'


@pytest.mark.parametrize(
    ('options', 'requirements', 'expected'),
    [
        ((), '', 'False True'),
        ((), 'tensorflow-gpu==1.14', 'True False'),
        (('--as', '1.13'), '', 'True False'),
        (('--as', '2.4'), 'tensorflow==1.14', 'False True'),
    ],
)
def test_who_says_tensorflow_1(options, requirements, expected, tmp_path):
    """A program that knows both is of the TensorFlow that its requirements or the option name."""
    (tmp_path / 'program.py').write_text(CHOICE)
    (tmp_path / 'requirements.txt').write_text(requirements)
    assert launched_program(tmp_path, *options, 'program.py')[0] == expected + '\n'


def test_check_on_tf_keras(tmp_path):
    """What TensorFlow 1 had, stops no program of it; what no TensorFlow has today, does."""
    text = 'import tensorflow as tf\nm = tf.keras.Sequential()\ns = tf.Session()\n'
    (tmp_path / 'program.py').write_text(text)
    out, _ = launched_program(tmp_path, '--check', 'program.py')
    assert 'program.py: tf_keras on tensorflow' in out
    (tmp_path / 'program.py').write_text(text + 'tf.estimator.Estimator(f)\n')
    status, out, _ = launch('--check', 'program.py', backend='tensorflow', home=tmp_path / 'home', cwd=tmp_path)
    assert status == 1 and 'tf.estimator.Estimator is gone' in out
