"""The launcher on the backend of this run: cures are applied once, and tensorflow.python.keras is tensorflow.keras."""

import keras
import pytest
from keras3_backends import launch
from processes import run

BACKEND = keras.backend.backend()

ONCE = """
import keras_backend.programs.launcher.command
keras_backend.programs.launcher.command.about_to_run = lambda package: True
from keras_backend.programs.on_keras3 import launcher, stand_in
from keras_backend.programs.launcher.cures import name
done = []
def action(cure):
    def act(module):
        done.append((cure.module, name(cure), id(module)))
        cure.apply(module)
    return act
launcher.action = action
stand_in.ask()
launcher.watch()
launcher.watch()
import {first}
import {second}
import tensorflow.keras.backend
twice = {{each for each in done if done.count(each) > 1}}
missing = [cure for cure in launcher.CURES if cure.module in ('keras', 'tensorflow') and
           not any(each[:2] == (cure.module, name(cure)) for each in done)]
print(sorted(twice), missing, len(done) > 40)
"""


@pytest.mark.parametrize(('first', 'second'), [('keras', 'tensorflow'), ('tensorflow', 'keras')])
def test_each_cure_is_applied_once(first, second, tmp_path):
    """Whichever of Keras and TensorFlow comes first (TensorFlow imports Keras in the middle of its own import).

    A program that prepares the process once more changes nothing.
    """
    assert '[] [] True\n' == run(ONCE.format(first=first, second=second), home=tmp_path, backend=BACKEND)


PATHS = """
import importlib
import tensorflow
from keras_backend.programs.on_keras3.older_modules import MODULES

for path in MODULES:
    package, _, name = path.rpartition('.')
    for keras in ('keras', 'tensorflow.keras'):
        found = {}
        exec('from ' + f'{keras}.{package}'.rstrip('.') + f' import {name}', found)
        assert found[name] is not None
        importlib.import_module(f'{keras}.{path}')
from tensorflow.keras import experimental
print(experimental.LinearModel.__name__)
"""


def test_older_paths_from_their_packages(tmp_path):
    """`from tensorflow.keras import experimental` finds what `import tensorflow.keras.experimental` does."""
    (tmp_path / 'program.py').write_text(PATHS)
    status, out, err = launch('program.py', backend=BACKEND, home=tmp_path / 'home', cwd=tmp_path)
    assert (0, 'LinearModel') == (status, out.strip()), err


PRIVATE = """
import numpy as np
from tensorflow.python.keras import Model, Sequential
from tensorflow.python.keras import backend as K
from tensorflow.python.keras.applications.imagenet_utils import preprocess_input
from tensorflow.python.keras.backend_config import floatx
from tensorflow.python.keras.callbacks import ModelCheckpoint
from tensorflow.python.keras.engine import base_layer
from tensorflow.python.keras.engine.base_layer import Layer
from tensorflow.python.keras.engine.keras_tensor import KerasTensor
from tensorflow.python.keras.engine.network import Network
from tensorflow.python.keras.layers import Dense, Input
from tensorflow.python.keras.layers.core import Activation
from tensorflow.python.keras.optimizer_v2.adam import Adam
from tensorflow.python.keras.optimizer_v2.optimizer_v2 import OptimizerV2
from tensorflow.python.keras.optimizers import SGD
from tensorflow.python.keras.utils import conv_utils, tf_utils, to_categorical
from tensorflow.python import keras as private
import tensorflow.python.keras.backend as third
import tensorflow as tf
import keras

assert Dense is keras.layers.Dense is tf.keras.layers.Dense is private.layers.Dense
assert Layer is base_layer.Layer is keras.layers.Layer
assert (Network, Model, KerasTensor) == (keras.Model, keras.Model, keras.KerasTensor)
assert OptimizerV2 is keras.optimizers.Optimizer and Adam is keras.optimizers.Adam
assert K.ctc_decode is third.ctc_decode is tf.keras.backend.ctc_decode
assert floatx() == 'float32'

class Scaled(Layer):
    @tf_utils.shape_type_conversion
    def build(self, shape):
        self.w = self.add_weight('w', shape=(shape[-1],), initializer='ones')

    def call(self, x, training=None):
        x = tf_utils.smart_cond(True, lambda: x, lambda: 0 / 0)
        assert tf_utils.is_tensor_or_tensor_list([x]) and tf_utils.constant_value(x) is None
        return tf_utils.smart_cond(K.sum(x) > -100, lambda: x * self.w, lambda: x)

    @tf_utils.shape_type_conversion
    def compute_output_shape(self, shape):
        return shape

model = Sequential([Input((3,)), Scaled(), Dense(2), Activation('softmax')])
model.compile(SGD(lr=0.1), 'categorical_crossentropy')
x = np.cos(np.arange(12.)).reshape(4, 3)
losses = model.fit(x, to_categorical([0, 1, 0, 1]), epochs=3, verbose=0).history['loss']
assert losses[-1] < losses[0]
try:
    from tensorflow.python.keras.engine import no_such_part
except ImportError as error:
    print('ended', error)
"""


def test_keras_inside_tensorflow(tmp_path):
    """Programs that import TensorFlow's private copy of Keras get the names, classes and cures of tf.keras."""
    (tmp_path / 'program.py').write_text(PRIVATE)
    status, out, err = launch('program.py', backend=BACKEND, home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, out + err
    assert 'ended' in out
    assert 'no_such_part' in out
