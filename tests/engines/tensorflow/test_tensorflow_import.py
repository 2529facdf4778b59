"""What importing the TensorFlow engine does to a process, and to TensorFlow that was in use before."""

import importlib.util
import os
import re

import pytest
from processes import fail, python, run

if importlib.util.find_spec('tensorflow') is None:
    pytest.skip('TensorFlow is not installed', allow_module_level=True)

ENGINE = 'import keras_backend.engines.tensorflow_backend as K\n'
QUIET = {'TF_CPP_MIN_LOG_LEVEL': None}

# TensorFlow 2.21 has written this in one of many runs on a busy machine, although the level was 3 when it was loaded.
RARE = re.compile(r'WARNING: All log messages before absl.*\nI0000 .* MLIR V1 optimization pass is not enabled\n')

MODEL = """
import numpy as np
w, x = K.variable([1., 2.]), K.placeholder((None, 3, 2))
last = K.rnn(lambda e, s: (K.switch(K.sum(e) > 0., lambda: e * w, lambda: e) + s[0], [s[0] + 1.]), x,
             [K.zeros_like(x[:, 0])])[0]
f = K.function([x], [last, K.gradients(K.sum(last), [w])[0]], updates=[(w, w * 2.)])
assert [[3., 4.]] == f([np.ones((1, 3, 2))])[0].tolist(), f([np.ones((1, 3, 2))])
assert [[4., 6.]] == f([np.ones((1, 3, 2))])[0].tolist()
print('done')
"""


def test_tensorflow_import_is_quiet(tmp_path):
    """Nothing is written by the import, by a session or by a run, and what else is written comes through."""
    program = 'import sys\n' + ENGINE + MODEL + 'sys.stderr.write("mine")'
    status, out, err = python('-c', program, home=tmp_path, **QUIET)
    assert (0, 'done', 'mine') == (status, out.strip(), RARE.sub('', err))


def test_import_leaves_the_settings_of_logs(tmp_path):
    """Neither the environment nor Python's loggers nor the standard error stream are changed for good."""
    code = (
        """
import logging, os, sys
before = dict(os.environ), logging.getLogger().level, list(logging.getLogger().handlers), os.fstat(2)
"""
        + ENGINE
        + """
import tensorflow as tf
after = dict(os.environ), logging.getLogger().level, list(logging.getLogger().handlers), os.fstat(2)
assert before[1:] == after[1:]
added = set(after[0].items()) - set(before[0].items())
assert not [name for name, _ in added if 'LOG' in name], added
tf.get_logger().warning('heard')
"""
    )
    status, _out, err = python('-c', code, home=tmp_path, **QUIET)
    assert 0 == status, err
    assert 'heard' in err, err


def test_whoever_sets_the_log_level_hears_it(tmp_path):
    """With TF_CPP_MIN_LOG_LEVEL=0 in the environment nothing is held back."""
    _status, _out, alone = python('-c', 'import tensorflow', home=tmp_path, TF_CPP_MIN_LOG_LEVEL='0')
    _status, _out, err = python('-c', ENGINE, home=tmp_path, TF_CPP_MIN_LOG_LEVEL='0')
    assert len(err.splitlines()) >= len(alone.splitlines())


def test_whoever_wants_silence_has_it(tmp_path):
    """TF_CPP_MIN_LOG_LEVEL of 2 or 3, as programs set it, is as quiet as none, and is still set afterwards."""
    tell = ENGINE + 'import os\nprint(os.environ["TF_CPP_MIN_LOG_LEVEL"])'
    for level in '2', '3':
        assert (0, level + '\n', '') == python('-c', tell, home=tmp_path, TF_CPP_MIN_LOG_LEVEL=level)


def test_import_without_a_standard_error_stream(tmp_path):
    """A process that has closed its standard error stream can import the engine, too."""
    assert 'done' == run('import os\nos.close(2)\n' + ENGINE + MODEL, home=tmp_path, **QUIET).strip()


LATE = {
    'devices were listed': 'tf.config.list_physical_devices()',
    'tensors and variables were made': 't, v = tf.ones((2,)) * 2, tf.Variable([1., 2.])',
    'a function was traced': 'f = tf.function(lambda x: tf.cond(x > 0, lambda: x, lambda: -x)); f(tf.constant(1.))',
    'data were read': 'list(tf.data.Dataset.range(3))',
    'graphs were on': 'tf.compat.v1.disable_eager_execution()',
    'version 1 was on': 'tf.compat.v1.disable_v2_behavior()',
}


@pytest.mark.parametrize('use', sorted(LATE))
def test_tensorflow_was_used_before(tmp_path, use):
    """Whatever TensorFlow was used for before the import, loops, branches, gradients and updates work afterwards."""
    code = f'import tensorflow as tf\n{LATE[use]}\n' + ENGINE + MODEL
    assert 'done' == run(code, home=tmp_path, TF_CPP_MIN_LOG_LEVEL='3').strip()


def test_eager_tensors_of_before(tmp_path):
    """Tensors that were made eagerly before the import are constants for K; a variable is refused by name."""
    code = (
        """
import tensorflow as tf
t, v = tf.constant([1., 2.]), tf.Variable(3., name='of_before')
"""
        + ENGINE
        + """
assert [2., 4.] == K.eval(K.dot(K.constant([[2., 0.], [0., 2.]]), t)).tolist()
assert 3. == K.eager(lambda: v.numpy())()
K.exp(v)
"""
    )
    message = fail(code, home=tmp_path, TF_CPP_MIN_LOG_LEVEL='3')
    assert message.startswith('keras_backend.errors.ForeignTensorError')
    assert 'of_before' in message


def test_a_thread_that_used_tensorflow_before(tmp_path):
    """A thread in which TensorFlow has run eagerly stays so; K says it and K.symbolic is the way out."""
    code = (
        """
import queue, threading
import tensorflow as tf
tasks, results = queue.Queue(), queue.Queue()
def work():
    tf.ones((2,))
    results.put(None)
    for task in iter(tasks.get, None):
        try:
            results.put(task())
        except Exception as error:
            results.put(error)
thread = threading.Thread(target=work)
thread.start()
results.get()
"""
        + ENGINE
        + """
v = K.variable(2.)
tasks.put(lambda: K.variable(1.))
print(type(results.get()).__name__)
tasks.put(K.symbolic(lambda: K.eval(K.square(v))))
print(results.get())
tasks.put(None)
thread.join()
"""
    )
    assert ['ScopeError', '4.0'] == run(code, home=tmp_path, TF_CPP_MIN_LOG_LEVEL='3').split()


def test_keras_3_beside_k(tmp_path):
    """Keras 3, which comes with TensorFlow, trains inside of a function that K.eager decorates."""
    code = (
        ENGINE
        + """
import os
os.environ['KERAS_BACKEND'] = 'tensorflow'
import numpy as np
@K.eager
def train():
    import keras
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile('sgd', 'mse')
    before = model.train_on_batch(np.ones((4, 3)), np.zeros((4, 1)))
    for _ in range(20):
        after = model.train_on_batch(np.ones((4, 3)), np.zeros((4, 1)))
    return after <= before
assert train()
"""
        + MODEL
    )
    assert 'done' == run(code, home=tmp_path, TF_CPP_MIN_LOG_LEVEL='3').strip()


def test_two_engines_in_one_process(tmp_path):
    """NumPy's engine as K and TensorFlow's beside it do not disturb each other."""
    code = """
import keras_backend as K
tensorflow = K.load('tensorflow')
a, b = K.variable([1., 2.]), tensorflow.variable([3., 4.])
assert K.eval(a * 2.).tolist() == [2., 4.] and tensorflow.eval(b * 2.).tolist() == [6., 8.]
for mix in (lambda: a + b, lambda: b + a, lambda: tensorflow.exp(a), lambda: K.exp(b)):
    try:
        mix()
    except Exception as error:
        print(type(error).__name__)
"""
    assert ['ForeignTensorError'] * 4 == run(code, home=tmp_path, backend='numpy', TF_CPP_MIN_LOG_LEVEL='3').split()


@pytest.mark.parametrize(('version', 'words'), [(None, 'pip install'), ('2.15.1', '2.16')])
def test_no_tensorflow_or_an_old_one(tmp_path, version, words):
    """Without TensorFlow, or with one that is too old, the error says what to install."""
    if version is None:
        (tmp_path / 'tensorflow.py').write_text(
            'raise ModuleNotFoundError("No module named tensorflow", name="tensorflow")'
        )
    else:
        (tmp_path / 'tensorflow.py').write_text(f'__version__ = {version!r}')
    message = fail(ENGINE, home=tmp_path, path=[tmp_path], **QUIET)
    assert message.startswith('keras_backend.errors.Engine')
    assert words in message
    assert not os.path.exists(os.path.join(str(tmp_path), 'keras.json'))


@pytest.mark.parametrize('backend', [None, 'theano', 'keras_backend.engines.numpy_backend'])
def test_keras_3_does_not_know_the_engine(tmp_path, backend):
    """Whatever engine is configured, TensorFlow's can be loaded beside it, though Keras 3 reads the same settings."""
    (tmp_path / 'keras.json').write_text('{"backend": "theano"}')
    code = (
        'import os\nbefore = os.environ.get("KERAS_BACKEND")\n' + ENGINE + 'import keras\n'
        'print(K.eval(K.constant(2.)), os.environ.get("KERAS_BACKEND") == before, keras.backend.backend())'
    )
    out = run(code, home=tmp_path, backend=backend, TF_CPP_MIN_LOG_LEVEL='3')
    assert ['2.0', 'True', 'tensorflow'] == out.split()


@pytest.mark.parametrize('backend', ['numpy', 'tensorflow'])
def test_keras_2_is_not_imported_by_tensorflow(tmp_path, backend):
    """Keras 2 in the place of Keras 3 is left alone, since it would ask for an engine that is not ready."""
    (tmp_path / 'keras').mkdir()
    (tmp_path / 'keras' / '__init__.py').write_text("raise ValueError('Missing required entry : placeholder')")
    (tmp_path / 'keras-2.3.1.dist-info').mkdir()
    (tmp_path / 'keras-2.3.1.dist-info' / 'METADATA').write_text('Metadata-Version: 2.1\nName: keras\nVersion: 2.3.1\n')
    code = """
import sys
import keras_backend as K
T = K.load('tensorflow')
print(K.eval(K.constant(2.)), T.eval(T.constant(3.) + 1.), 'keras' in sys.modules, '_NoKeras' in str(sys.meta_path))
try:
    import keras
except ValueError as error:
    print(error)
"""
    out = run(code, home=tmp_path, backend=backend, path=[tmp_path], TF_CPP_MIN_LOG_LEVEL='3').splitlines()
    assert ['2.0 4.0 False False', 'Missing required entry : placeholder'] == out


def test_log_levels_make_no_noise(tmp_path):
    """TensorFlow says no more where it was told to be quiet than where it was told nothing."""
    said = [python('-c', ENGINE + MODEL, home=tmp_path, TF_CPP_MIN_LOG_LEVEL=level)[2] for level in (None, '2', '3')]
    # A line of TensorFlow 2.21 has the time and the number of the process.
    assert len({re.sub(r'\d+', '0', text) for text in said}) == 1
