"""The launcher on TensorFlow where tf_keras is installed: names, K, optimizers, losses, the year, children."""

import importlib.util
import os

import pytest
from keras3_backends import launch
from processes import python

if importlib.util.find_spec('tf_keras') is None:
    pytest.skip('tf_keras is not installed', allow_module_level=True)

NAMES = """
import importlib.util
import sys
assert importlib.util.find_spec('keras') and 'tf_keras' not in sys.modules
from tensorflow.python.keras.engine.base_layer import Layer
import tensorflow as tf
import keras, tf_keras, tf_keras.src, keras.src.layers
import tensorflow.keras.backend as K
from tensorflow.keras import layers
from tensorflow.python.keras import backend as private
from tensorflow.compat.v1.keras.backend import set_session, is_tensor
from keras.api._v2.keras import losses
from keras.src.engine import keras_tensor
from keras.src.layers.convolutional.base_conv import BaseConv
from keras.engine.network import Network
from keras.engine.topology import InputSpec, Layer as older
from keras.layers.core import Dense, Lambda
from keras.layers.merge import _Merge, concatenate
from keras.layers.recurrent import LSTM
from keras.optimizers import adam_v2
from keras.optimizer_v2 import adam
from keras.saving.hdf5_format import save_model_to_hdf5
from keras.utils import generic_utils, multi_gpu_model, np_utils
from keras.utils.generic_utils import CustomObjectScope
from keras.utils.multi_gpu_utils import multi_gpu_model as same
from keras.utils.tf_utils import is_tensor_or_tensor_list
from keras.wrappers.scikit_learn import KerasClassifier
assert keras is tf_keras and tf.keras.layers is layers is keras.layers and tf.compat.v2.keras.layers is layers
assert K is private is keras.backend is tf.keras.backend and losses is keras.losses and multi_gpu_model is same
assert Layer is older is layers.Layer and Dense is layers.Dense and LSTM is layers.LSTM
assert concatenate is layers.concatenate
assert tf_keras.src.layers.__name__ == 'tf_keras.src.layers'
assert adam_v2.Adam is adam.Adam is keras.optimizers.legacy.Adam
assert tf.keras.wrappers.scikit_learn.KerasClassifier is KerasClassifier
assert tf.keras.layers.experimental.preprocessing.Rescaling is layers.Rescaling
assert tf.keras.engine.network.Network is Network and issubclass(layers.Conv2D, BaseConv)
for line in ('import keras.nothing', 'from keras.layers import Nothing', 'from keras.layers.merge import Nothing'):
    try:
        exec(line)
    except ImportError:
        continue
    raise AssertionError(line)
print('passed')
"""

FUNCTIONS = """
import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
import keras_backend as ours
from keras_backend.contract import CONTRACT
assert [] == [name for name in CONTRACT if not hasattr(K, name) or not hasattr(ours, name)]
assert ours.backend() == 'tf_keras.backend' and tf.executing_eagerly()
x = tf.keras.Input((3,))
h = tf.keras.layers.Dense(2, kernel_initializer='ones')(x)
given, counter = np.arange(6.).reshape(2, 3), K.variable(1.)
assert ours.int_shape(ours.square(h)) == (None, 2)
np.testing.assert_allclose(ours.eval(ours.logsumexp(ours.constant([0., 0.]))), np.log(2), rtol=1e-6)
count = K.function([x, K.learning_phase()], [K.mean(h)], [K.update_add(counter, K.mean(h))])
(mean,) = count([given, 0])
assert mean == 7.5 and K.get_value(counter) == 8.5, (mean, K.get_value(counter))
(slope,) = K.gradients(h[:, 0] ** 2, [x])
np.testing.assert_allclose(K.function([x], [slope])([given])[0], 2 * given.sum(1, keepdims=True) * np.ones((1, 3)))
np.testing.assert_allclose(K.function([x], K.mean(K.gradients(K.sum(h), h)[0]))([given]), 1)
assert K.gradients(K.sum(h), [tf.keras.Input((3,)), x])[0] is None
choice = K.switch(K.sum(x) > 100, lambda: h, lambda: 2 * h)
np.testing.assert_allclose(K.function([x], [choice])([given])[0], [[6, 6], [24, 24]])
np.testing.assert_allclose(K.function([x], [K.map_fn(lambda row: row + 1, x)])([given])[0], given + 1)
assert K.batch_get_value(ops=[counter]) == [8.5]
ours.set_floatx('float64')
assert K.floatx() == 'float64'
try:
    K.function([x], [h], [(counter, counter + 1)])
except ValueError as error:
    assert 'disable_eager_execution' in str(error)
print('passed')
"""

GRAPHS = """
import numpy as np
from tensorflow.keras import backend as K
counter = K.variable(0.)
x = K.placeholder((None, 2))
step = K.function([x], [K.sum(x)], updates=[K.update_add(counter, 1.), (K.variable(0.), counter + 1)])
for _ in range(3):
    step([np.ones((1, 2))])
assert K.get_value(counter) == 3
print('passed')
"""

METHODS = """
import numpy as np
from tensorflow import keras
model = keras.Sequential([keras.layers.Dense(3, activation='softmax', input_shape=(2,))])
model.set_weights([np.array([[0, 1, 0], [0, 0, 1.]]), np.zeros(3)])
given = np.array([[5., 0], [0, 5], [-5, -5]])
assert model.predict_classes(given).tolist() == [1, 2, 0]
np.testing.assert_allclose(model.predict_proba(given).sum(1), 1, rtol=1e-6)
assert not model.compiled
model.compile('sgd', 'mse')
assert model.compiled
before = model.get_weights()
assert model.fit(given, given @ np.ones((2, 3)), epochs=0).history == {}
assert all((old == new).all() for old, new in zip(before, model.get_weights()))
one = keras.Sequential([keras.layers.Dense(1, input_shape=(2,), kernel_initializer='ones')])
assert one.predict_classes(given).tolist() == [[1], [1], [0]]
print('passed')
"""

# A library of these years, which the test writes: it imports Keras, and derives from its classes, as such libraries do.
LIBRARY = """
import abc
import importlib.util
import tensorflow as tf

HAS_OLDER = importlib.util.find_spec('tensorflow.keras.optimizers.legacy') is not None
if tf.keras.optimizers.Optimizer.__module__ == tf.keras.optimizers.experimental.Optimizer.__module__:
    Base = tf.keras.optimizers.legacy.Optimizer
else:
    Base = tf.keras.optimizers.Optimizer

class Averaged(Base, metaclass=abc.ABCMeta):
    def __init__(self, optimizer):
        super().__init__('Averaged')
        assert isinstance(optimizer, Base), type(optimizer)
        self._optimizer = optimizer

    @abc.abstractmethod
    def average(self):
        pass

class AdamW(Averaged):
    def average(self):
        return self._optimizer.lr

@tf.keras.utils.register_keras_serializable('Library')
def twice(x):
    return 2 * x

@tf.keras.utils.register_keras_serializable('Library')
class Around(tf.keras.layers.Wrapper):
    def call(self, x):
        return self.layer(x)

    @classmethod
    def from_config(cls, config):
        return cls(tf.keras.layers.deserialize(config.pop('layer')), **config)
"""

OF_LIBRARY = """
import copy
import sys
import numpy as np
import tensorflow as tf
sys.path.append('site')
import library_of_test as lib

keras = tf.keras
assert lib.HAS_OLDER and float(lib.optimizers.AdamW(keras.optimizers.SGD(.5)).average()) == .5
values = keras.initializers.Constant(np.arange(6.).reshape(3, 2))
inner = keras.layers.Dense(2, activation=lib.twice, kernel_initializer=values)
assert inner.get_config()['activation'] == 'Library>twice', inner.get_config()
assert sorted(inner.get_config()['kernel_initializer']) == ['class_name', 'config']
model = keras.Sequential([lib.Around(inner, input_shape=(3,)), keras.layers.Dense(2, activation=lib.twice)])
given = np.ones((1, 3), 'float32')
for path in 'model.h5', 'model.keras', 'model':
    model.save(path)
    again = keras.models.load_model(path)
    assert (again.predict(given) == model.predict(given)).all(), path
assert copy.deepcopy(model).count_params() == keras.models.model_from_json(model.to_json()).count_params() == 14

@keras.utils.register_keras_serializable('Program')
class Own(keras.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = keras.layers.Dense(2, kernel_initializer=values, activation=lib.twice)

    def call(self, x):
        return self.dense(x)

    def get_config(self):
        return {}

own = Own()
own.compile(keras.optimizers.Adam(.1), keras.losses.MeanSquaredError())
own.fit(given, np.ones((1, 2)), verbose=0)
own.save('own.keras')
assert (keras.models.load_model('own.keras').predict(given) == own.predict(given)).all()
print('passed')
"""

YEARS = """
import sys
import numpy as np
from tensorflow import keras
layers = keras.layers
x = keras.Input((3, 2))
model = keras.Model(x, layers.Dense(1, kernel_initializer='ones')(layers.Masking()(x)))
model.compile('adam', 'mse')
given = np.array([[[1, 1], [2, 2], [0, 0]], [[1, 3], [0, 0], [0, 0]]], 'float32')
loss = model.evaluate(given, np.zeros((2, 3, 1)), verbose=0)
print('legacy' in type(model.optimizer).__module__, 'legacy' in keras.optimizers.SGD.__module__, loss)
"""


def launched(tmp_path, text, *options, **variables):
    """What a program prints under the launcher, and what it writes to the standard error stream."""
    path = tmp_path / 'program.py'
    path.write_text(text, encoding='utf-8')
    home = {'home': tmp_path / 'home', 'cwd': tmp_path, 'backend': 'tensorflow'}
    status, out, err = launch(*options, str(path), **home, **variables)
    assert status == 0, out + err
    return out, err


@pytest.mark.parametrize('text', [NAMES, FUNCTIONS, GRAPHS, METHODS], ids=['names', 'functions', 'graphs', 'methods'])
def test_program_on_tf_keras(text, tmp_path):
    """Every name of Keras is tf_keras, K is complete, and a program of graphs has graphs."""
    out, err = launched(tmp_path, text)
    assert out.endswith('passed\n')
    assert 'tf.keras is tf_keras' in err
    assert ('Eager execution is off' in err) == (text is GRAPHS)


@pytest.mark.parametrize(
    ('options', 'requirements', 'expected', 'said'),
    [
        ((), '', 'True True 6.0', 'as of TensorFlow 2.10:'),
        (('--as', '2.12'), '', 'False False 12.0', 'as of TensorFlow 2.12 (--as)'),
        ((), 'numpy\ntensorflow==2.11.0\n', 'False False 12.0', 'as of TensorFlow 2.11 (requirements.txt)'),
        ((), 'tensorflow-gpu~=2.4', 'True True 6.0', 'as of TensorFlow 2.4 (requirements.txt)'),
    ],
)
def test_year_of_a_program(options, requirements, expected, said, tmp_path):
    """Optimizers and the loss of masked steps are those of the TensorFlow of the program; one line says which."""
    (tmp_path / 'requirements.txt').write_text(requirements)
    out, err = launched(tmp_path, YEARS, *options)
    assert out == expected + '\n'
    assert said in err


@pytest.mark.parametrize(('year', 'expected'), [('2.10', '6.0'), ('2.12', '12.0')])
def test_masked_losses_of_graphs(year, expected, tmp_path):
    """Without eager execution the loss of masked steps is that of the year, too."""
    graphs = 'import tensorflow\ntensorflow.compat.v1.disable_eager_execution()\n'
    out, _ = launched(tmp_path, graphs + YEARS, '--as', year)
    assert out.split()[-1] == expected


def test_libraries_of_these_years(tmp_path):
    """Libraries import and derive as they did, and models with their functions come back from every format."""
    library = tmp_path / 'site' / 'library_of_test'
    library.mkdir(parents=True)
    (library / '__init__.py').write_text(LIBRARY + '\nfrom . import optimizers\n')
    (library / 'optimizers.py').write_text('from . import AdamW\n')
    out, err = launched(tmp_path, OF_LIBRARY)
    assert out.endswith('passed\n')
    assert 'as of TensorFlow 2.10:' in err  # an AdamW of another library tells no year


@pytest.mark.parametrize('refusal', ['option', 'variable'])
def test_keras_3_on_tensorflow(refusal, tmp_path):
    """--keras-3 and TF_USE_LEGACY_KERAS=0 keep Keras 3, and nothing is said about it."""
    variables = {'TF_USE_LEGACY_KERAS': '0'} if refusal == 'variable' else {}
    options = ['--keras-3'] if refusal == 'option' else []
    out, err = launched(tmp_path, 'import keras; print(keras.__version__[0])', *options, **variables)
    assert out == '3\n'
    assert 'tf_keras' not in err


def test_program_of_keras_3_stays_there(tmp_path):
    """A program that uses what tf_keras never had runs inside Keras 3."""
    text = 'import keras\nfrom keras import ops\nprint(keras.__version__[0], float(ops.sum(ops.ones((2,)))))'
    out, err = launched(tmp_path, text)
    assert out == '3 2.0\n'
    assert 'tf_keras' not in err


def test_children_run_on_tf_keras_too(tmp_path):
    """A child process of a program has tf_keras, and says nothing."""
    text = """
import subprocess, sys
from tensorflow import keras
code = 'import keras; from keras import backend as K; print(keras.__name__, K.logsumexp is not None)'
done = subprocess.run([sys.executable, '-W', 'ignore', '-c', code], capture_output=True, text=True)
print(done.stdout, 'tf.keras is' in done.stderr)
"""
    assert launched(tmp_path, text)[0].split() == ['tf_keras', 'True', 'False']


def test_launcher_in_a_notebook(tmp_path):
    """The import that notebooks begin with does the same for the process."""
    text = 'import keras_backend.keras3.launcher\nimport keras\nprint(keras.__name__)'
    assert launched(tmp_path, text)[0] == 'tf_keras\n'


@pytest.mark.parametrize(
    ('options', 'expected', 'said'),
    [(['--as', '2.12'], 'tf_keras', 'as of TensorFlow 2.12 (--as)'), (['--keras-3'], 'keras', 'It runs in Keras 3')],
)
def test_options_of_run(options, expected, said, tmp_path):
    """`run` takes the options that the line of the launcher names."""
    (tmp_path / 'program.py').write_text('from tensorflow import keras\nprint(keras.Model.__module__.split(".")[0])')
    command = ['-m', 'keras_backend', 'run', *options, 'program.py']
    status, out, err = python(*command, home=tmp_path / 'home', cwd=tmp_path)
    assert (0, expected) == (status, out.strip()), err
    assert said in err


def test_version_of_tf_keras_that_is_none(tmp_path):
    """--as takes a version, and the command ends with its usage otherwise."""
    status, _, err = launch('--as', 'old', os.devnull, home=tmp_path)
    assert status == 2
    assert '--as needs a version' in err
