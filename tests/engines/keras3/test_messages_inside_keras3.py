"""What the launcher says, and keeps to itself: lines of TensorFlow's C++ part, tensors that have no value."""

import os

import keras
import pytest
from keras3_backends import BACKENDS, launch
from processes import fail

from keras_backend.engines import process
from keras_backend.programs.on_tf_keras.launcher import install_line

BACKEND = keras.backend.backend()
LINES = [
    'WARNING: All log messages before absl::InitializeLog() is called are written to STDERR',
    'I0000 00:00:1795743268.378330   29118 port.cc:153] oneDNN custom operations are on.',
    '2026-01-01 10:00:00.123456: W tensorflow/core/util.cc:10] about',
    'E0000 00:00:1795743268.378330   29118 cuda.cc:153] an error',
    'a line of the program',
]


@pytest.mark.parametrize(('asked', 'first'), [(None, 3), ('2', 3), ('0', 0), ('1', 0)])
def test_lines_that_are_held_back(asked, first, capfd):
    """Chatter is dropped unless somebody has asked for it; errors, and what others write, are shown."""
    before = os.environ.get(process.LOG_LEVEL)
    with process.held_back('2', asked):
        os.write(2, '\n'.join([*LINES, '']).encode())
    assert LINES[first:] == capfd.readouterr().err.splitlines()
    assert before == os.environ.get(process.LOG_LEVEL)


QUIET = """
import numpy as np
from tensorflow.keras import layers, models
model = models.Sequential([layers.Dense(1)])
model.compile('sgd', 'mse')
model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
print('trained')
raise ValueError('an error of the program')
"""


def test_a_small_program_is_quiet(tmp_path):
    """Nothing but its own error, and on TensorFlow one line that names tf_keras, is on its standard error stream."""
    (tmp_path / 'program.py').write_text(QUIET)
    # TensorFlow 2.21 sets the variable in the process of the tests.
    unset = {process.LOG_LEVEL: None}
    status, out, err = launch('program.py', backend=BACKEND, home=tmp_path / 'home', cwd=tmp_path, **unset)
    assert (1, 'trained\n') == (status, out)
    if BACKEND == 'tensorflow':
        first, err = err.split('\n', 1)
        assert first.endswith(install_line())
    assert err.startswith('Traceback'), err
    assert err.endswith('ValueError: an error of the program\n')


VALUES = """
import sys
import numpy as np
import keras
from keras import backend as K

def train(value, where):
    class Own(keras.layers.Layer):
        def call(self, x):
            if where == 'layer':
                value(x)
            return x * 1

    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3)] + [Own()] * (where == 'layer'))
    model.compile('sgd', 'mse' if where == 'layer' else lambda t, p: K.mean(K.square(t - p)) + 0 * K.sum(value(p)))
    model.fit(np.ones((4, 3)), np.ones((4, 3)), verbose=0)

cases = {
    'array': lambda x: np.array(x),
    'exp': lambda x: np.exp(x),
}
if keras.backend.backend() == 'jax':
    cases.update({
        'if': lambda x: 1. if K.sum(x) > 0 else 2.,
        'if-of-many': lambda x: 1. if x > 0 else 2.,
        'int': lambda x: int(K.sum(x)),
        'range': lambda x: [i for i in range(K.cast(K.sum(x), 'int32'))],
        'item': lambda x: x.item(),
        'mask': lambda x: K.zeros((2,))[K.sum(x, 0)[:2] > 0],
        'numpy': lambda x: x.numpy(),
        'get_value': lambda x: K.get_value(x),
    })
if 'with-tensorflow' in sys.argv:
    import tensorflow as tf
    two, entered = tf.constant(2.), keras.Input((3,))
    for made in two * entered, two - entered, two ** entered, two / entered, two < entered, two == entered:
        assert isinstance(made, keras.KerasTensor) and made.shape == (None, 3)
    result = K.function([entered], [(two - entered) / 2])([np.ones((1, 3))])[0]
    np.testing.assert_allclose(result, np.full((1, 3), 0.5))
    cases.update({
        'tf-raw': lambda x: tf.raw_ops.Neg(x=x),
        'tf-v1': lambda x: tf.compat.v1.reduce_sum(x),
        'tf-variable': lambda x: tf.Variable(x).read_value(),
    })
for name, value in cases.items():
    for where in 'layer', 'loss':
        try:
            train(value, where)
        except Exception as error:
            text = str(error)
        else:
            text = 'no error'
        assert '_error_repr' not in text, (name, where, text)
        print(name, where, text.splitlines()[0])
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
assert model(np.ones((2, 3))).numpy().shape == np.array(model(np.ones((2, 3)))).shape == (2, 1)
"""
ASKS = {
    **{'array': 'NumPy asks', 'exp': 'NumPy asks', 'get_value': 'NumPy asks', 'range': 'an index or a size asks'},
    **{'if': '`if`, `while`, `and` or `or` asks', 'if-of-many': '`if`, `while`, `and` or `or` asks'},
    **{'int': 'float(), int() or item() asks', 'item': 'float(), int() or item() asks', 'mask': 'x[mask] asks'},
    **{'numpy': 'x.numpy() asks', 'tf-raw': 'a function of TensorFlow (neg) asks'},
    **{'tf-v1': 'a function of TensorFlow (reduce_sum_v1) asks', 'tf-variable': 'a function of TensorFlow asks'},
}

if BACKEND != 'tensorflow':

    def test_tensors_without_a_value(tmp_path):
        """What asks for the value of a tensor in a layer or a loss is named first, with its line and what to write."""
        (tmp_path / 'program.py').write_text(VALUES)
        arguments = ['with-tensorflow'] if 'tensorflow' in BACKENDS else []
        status, out, err = launch('program.py', *arguments, backend=BACKEND, home=tmp_path / 'home', cwd=tmp_path)
        assert 0 == status, out + err
        lines = [line.split(' ', 2) for line in out.splitlines()]
        assert len(lines) >= 4
        for name, where, text in lines:
            place = 'K.get_value: ' if name == 'get_value' and where == 'loss' else 'program.py:'
            assert text.startswith(place), (name, where, text)
            assert f'{ASKS[name]} for the value of a tensor' in text, (name, where, text)
            assert '; write ' in text or '; leave it a tensor' in text, (name, where, text)


if 'tensorflow' not in BACKENDS:

    def test_a_backend_that_is_not_installed(tmp_path):
        """Keras 3 takes TensorFlow where nothing is said: one line says so before anything is imported."""
        (tmp_path / 'program.py').write_text('import keras\n')
        status, _, err = launch('program.py', home=tmp_path / 'home', cwd=tmp_path, KERAS_BACKEND='')
        assert 2 == status
        (line,) = err.splitlines()
        assert line.startswith('keras_backend.keras3: Keras 3 runs on TensorFlow')
        assert line.endswith(f'type: KERAS_BACKEND={BACKENDS[0]} python ...')
        (tmp_path / 'home').mkdir(exist_ok=True)
        (tmp_path / 'home' / 'keras.json').write_text(f'{{"backend": "{BACKENDS[0]}"}}')
        status, _, err = launch('program.py', home=tmp_path / 'home', cwd=tmp_path, KERAS_BACKEND='')
        assert 0 == status, err

    def test_the_error_names_the_stand_in(tmp_path):
        """Without TensorFlow and without its stand-in, the last line of the error says what to type."""
        (tmp_path / 'program.py').write_text('import tensorflow as tf\n')
        options = {'stand_in': False, 'backend': BACKEND, 'home': tmp_path / 'home', 'cwd': tmp_path}
        status, _, err = launch('program.py', '5', **options)
        assert 1 == status
        last = err.splitlines()[-1]
        assert last.startswith("ModuleNotFoundError: No module named 'tensorflow'. TensorFlow is not installed.")
        assert last.endswith('type: python -m keras_backend.keras3 --stand-in program.py 5')


RATES = """
import numpy as np
import keras
from keras import backend as K
from keras.callbacks import Callback
from keras.optimizers import SGD

def compiled(rate):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    try:
        K.get_value(getattr(model, 'optimizer', None))
    except TypeError as error:
        assert 'compile the model' in str(error), error
    model.compile(SGD(rate, momentum=0.9), 'mse')
    return model

class Finder(Callback):
    def on_train_begin(self, logs=None):
        self.rates, self.first = [], K.get_value(self.model.optimizer.lr)
        K.set_value(self.model.optimizer.lr, 1e-3)

    def on_batch_end(self, batch, logs=None):
        self.rates.append(K.get_value(self.model.optimizer.lr))
        K.set_value(self.model.optimizer.lr, self.rates[-1] * 2)

    def on_train_end(self, logs=None):
        K.set_value(self.model.optimizer.lr, self.first)

model, finder = compiled(0.1), Finder()
model.fit(np.ones((6, 3)), np.ones((6, 1)), batch_size=2, verbose=0, callbacks=[finder])
np.testing.assert_allclose(finder.rates, [1e-3, 2e-3, 4e-3], rtol=1e-6)
assert abs(K.get_value(model.optimizer.learning_rate) - 0.1) < 1e-6
assert K.get_value(model.optimizer.momentum) == 0.9 and K.get_value(np.float32(2)) == 2
model = compiled(keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9))
assert abs(K.get_value(model.optimizer.lr) - 0.1) < 1e-6
for rate in model.optimizer.lr, 0.9, model.optimizer:
    try:
        K.set_value(rate, 0.5)
    except TypeError as error:
        print(error)
"""


def test_rates_of_optimizers(tmp_path):
    """Finders of learning rates run; where there is no variable, the error says what to write."""
    (tmp_path / 'program.py').write_text(RATES)
    status, out, err = launch('program.py', backend=BACKEND, home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, out + err
    computed, number, optimizer = out.splitlines()
    assert 'K.set_value: x is a tensor that was computed' in computed
    assert 'a number as learning_rate' in computed
    assert 'K.set_value: x has to be a variable, got 0.9' in number
    assert 'K.set_value: x has to be a variable' in optimizer


@pytest.mark.parametrize('name', ['openvino', 'numpy'])
def test_a_backend_that_k_does_not_run_on(name, tmp_path):
    """Keras has backends of which K knows nothing: the error names those that it knows."""
    code = f"import keras; keras.backend.backend = lambda: '{name}'\nimport keras_backend.engines.keras3_backend"
    said = fail(code, backend=BACKEND, home=tmp_path)
    assert said.startswith('keras_backend.errors.WrongKeras: keras_backend.keras3 runs where Keras runs on tensorflow')
    assert f'Keras runs on {name} here; type: KERAS_BACKEND=jax python ...' in said
