"""The launcher of Keras 3: every spelling of K in a program, what stays Keras's, children, threads, the stand-in."""

import pytest
from documents import blocks
from keras3_backends import BACKENDS, INSIDE, launch
from processes import fail, run

BACKEND = (BACKENDS or ['tensorflow'])[0]

SPELLINGS = """
import inspect
import sys
from keras import backend as first
from tensorflow.keras import backend as second
import tensorflow.keras.backend as third
import tensorflow as tf
from tensorflow.keras.layers import Dense
import keras
import keras_backend.keras3 as K

modules = first, second, third, tf.keras.backend, keras.backend
for module in modules:
    assert module.mean(keras.Input((3,)), axis=1).shape == (None,), module
    assert inspect.unwrap(module.gradients) is inspect.unwrap(K.gradients), module
    assert module.floatx is keras.config.floatx and module.backend() == keras.config.backend(), module
    assert not hasattr(module, 'no_name_of_k')
assert Dense is keras.layers.Dense
assert sys.argv[1:] == ['--epochs', '3'], sys.argv
model = keras.Sequential([keras.Input((2,)), Dense(1)])
assert model.output is model.outputs[0] and model.input is model.inputs[0]
model.compile('sgd')
first.set_value(model.optimizer.lr, .5)
assert abs(first.get_value(model.optimizer.learning_rate) - .5) < 1e-6
print('all have them')
"""

THREADS = """
import threading
seen, gate = [], threading.Barrier(4)
def use(number):
    gate.wait()
    if number % 2:
        from tensorflow.keras import backend as K
    else:
        import tensorflow.keras.backend as K
    import keras
    seen.append(K.learning_phase is not None and K.int_shape(K.square(keras.Input((2,)))))
threads = [threading.Thread(target=use, args=(i,)) for i in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(seen)
"""

CHILD = """
import subprocess, sys
code = 'from keras import backend as K; print(hasattr(K, "ctc_decode"))'
print(subprocess.check_output([sys.executable, '-c', code]).decode())
"""


OLDER_CALLS = """
import keras, numpy as np
from keras import backend as K
from keras.layers import Dense, Embedding, Input, LSTM
from keras.models import Model, Sequential, load_model

x = np.cos(np.arange(36, dtype='float32')).reshape(12, 3)
y = x.sum(1, keepdims=True)

def batches():
    while True:
        for i in range(0, 12, 4):
            yield x[i:i + 4], y[i:i + 4]

model = Sequential([Input((3,)), Dense(1, kernel_initializer='ones')])
model.compile(keras.optimizers.SGD(lr=0.1, decay=0.5, momentum=0.9, nesterov=True), 'mse')
model.layers[0].set_weights([np.full((3, 1), 0.5), np.ones(1)])
model.fit_generator(batches(), 3, 1, 0, max_queue_size=10, workers=1)
w, m = np.array([[.5], [.5], [.5], [1.]]), np.zeros((4, 1))
for t in range(3):
    a = np.concatenate([x[4 * t:4 * t + 4], np.ones((4, 1))], 1)
    g, rate = 2 * a.T @ (a @ w - y[4 * t:4 * t + 4]) / 4, .1 / (1 + .5 * t)
    m = .9 * m - rate * g
    w = w + .9 * m - rate * g
np.testing.assert_allclose(np.concatenate([v.reshape(-1, 1) for v in model.get_weights()]), w, atol=1e-5)
assert model.predict_generator(batches(), steps=3, verbose=0).shape == (12, 1)
assert abs(model.evaluate_generator(batches(), 3, verbose=0) - model.evaluate(x, y, verbose=0)) < 1e-5
optimizer = keras.optimizers.Adam(lr=0.25, decay=0.)
assert K.get_value(optimizer.lr) == 0.25

i = Input((5,))
masked = Model(i, LSTM(3)(Embedding(7, 4, mask_zero=True)(i)))
masked.compile('sgd', 'mse', metrics=['mae', 'mse'])
masked.save('masked.h5')
given = np.array([[1, 2, 3, 0, 0]])
loaded = load_model('masked.h5')
np.testing.assert_allclose(*[m.evaluate(given, np.ones((1, 3)), verbose=0) for m in (masked, loaded)], rtol=1e-5)
np.testing.assert_array_equal(loaded.predict(given, verbose=0), masked.predict(given, verbose=0))

i = Input((3,))
h = Dense(2, activation='tanh')(i)
o = Dense(1)(h)
added = Model(i, [o, h])
added.add_loss(K.mean(K.square(h)))
added.add_loss([0.5 * K.sum(K.abs(o))])
added.compile('sgd')
first, second = added.predict(x, verbose=0)
expected = np.mean(second ** 2) + .5 * np.sum(np.abs(first))
assert abs(added.evaluate(x, verbose=0) - expected) < 1e-4
added.save('added.keras')
again = load_model('added.keras')
assert abs(again.evaluate(x, verbose=0) - expected) < 1e-4
assert added.fit(x, epochs=3, batch_size=12, verbose=0).history['loss'][-1] < expected
assert len(added.trainable_weights) == 4
print('all older calls')
"""


def launched(tmp_path, text, *arguments, **options):
    """What a program prints under the launcher."""
    program = tmp_path / 'program.py'
    program.write_text(text)
    status, out, err = launch(str(program), *arguments, backend=BACKEND, home=tmp_path / 'home', cwd=tmp_path, **options)
    assert 0 == status, out + err
    return out


def test_every_spelling(tmp_path):
    """K has all names by each way to import it; Keras's own settings and layers are as they were."""
    assert 'all have them' in launched(tmp_path, SPELLINGS, '--epochs', '3')


def test_older_calls(tmp_path):
    """Optimizers take `lr` and `decay`, with the steps of Keras 2; models take generators, and files have masks."""
    assert 'all older calls' in launched(tmp_path, OLDER_CALLS)


def test_several_threads(tmp_path):
    """Threads that import K at the same time all find its names."""
    assert str([(None, 2)] * 4) in launched(tmp_path, THREADS)


def test_child_of_the_launcher(tmp_path):
    """A child process with the same Python finds the names, too."""
    assert launched(tmp_path, CHILD).split() == ['True']


def test_module_by_its_name(tmp_path):
    """`-m MODULE` runs a module as `python -m` does."""
    (tmp_path / 'trains.py').write_text("import sys\nfrom keras import backend as K\nprint(K.ndim, sys.argv[1:])\n")
    status, out, err = launch('-m', 'trains', '5', backend=BACKEND, home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, err
    assert "['5']" in out


def test_explanation_for_keras_3(tmp_path):
    """--explain lists everything that is done, who needs it and what was changed here."""
    status, out, err = launch('--explain', backend=BACKEND, home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, err
    assert out.startswith('Keras 3.')
    assert out.count('needed by:') == out.count('here:') > 6
    assert 'names that were missing' in out


def test_usage_for_keras_3(tmp_path):
    """Without a program the usage is told; a program that is not there is said in one sentence."""
    status, _, err = launch(backend=BACKEND, home=tmp_path, cwd=tmp_path)
    assert 2 == status
    assert 'usage: python -m keras_backend.keras3' in err
    status, _, err = launch('missing.py', backend=BACKEND, home=tmp_path, cwd=tmp_path)
    assert 2 == status
    assert "cannot find the program 'missing.py'" in err


@pytest.mark.skipif('tensorflow' in BACKENDS, reason='needs to be without TensorFlow')
def test_the_stand_in_is_named_where_tensorflow_is_missing(tmp_path):
    """A program that imports tf.keras, which is not installed, is told of the stand-in before the traceback."""
    (tmp_path / 'program.py').write_text('from tensorflow.keras import backend as K\n')
    status, _, err = launch('program.py', '5', stand_in=False, backend=BACKEND, home=tmp_path / 'home', cwd=tmp_path)
    assert 1 == status
    assert 'type: python -m keras_backend.keras3 --stand-in program.py 5' in err


def test_legacy_keras_is_refused(tmp_path):
    """Where tf.keras is another Keras, the launcher says so before anything runs."""
    told = fail('import keras_backend.keras3.launcher', home=tmp_path, backend=BACKEND, TF_USE_LEGACY_KERAS='1')
    words = 'asks for tf_keras, which is not installed' if BACKEND == 'tensorflow' else 'makes tf.keras the older Keras'
    assert f'WrongKeras: TF_USE_LEGACY_KERAS {words}' in told


def test_import_of_k_changes_nothing_of_keras(tmp_path):
    """`import keras_backend.keras3` alone gives nothing to keras.backend."""
    code = 'import keras_backend.keras3 as K, keras; print(hasattr(keras.backend, "mean"), K.mean is not None)'
    assert 'False True\n' == run(code, home=tmp_path, backend=BACKEND)


@pytest.mark.skipif('tensorflow' not in BACKENDS, reason='needs TensorFlow')
@pytest.mark.parametrize('backend', [name for name in BACKENDS if name == 'jax'])
def test_data_map_of_tensorflow(backend, tmp_path):
    """K functions in the map of a tf.data.Dataset compute with TensorFlow where Keras runs on JAX."""
    text = (
        'import tensorflow as tf\n'
        'from tensorflow.keras import backend as K\n'
        'data = tf.data.Dataset.from_tensor_slices([[1., -2.], [3., 4.]]).map(lambda x: K.relu(x) + K.sum(x))\n'
        'print([x.tolist() for x in data.as_numpy_iterator()])\n'
    )
    program = tmp_path / 'program.py'
    program.write_text(text)
    status, out, err = launch(str(program), backend=backend, home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, err
    assert '[[0.0, -1.0], [10.0, 11.0]]' in out


@pytest.mark.skipif('tensorflow' not in BACKENDS, reason='needs TensorFlow')
def test_eager_mode_stays(tmp_path):
    """A program that turns eager mode off, as K.gradients needed once, is told that it stays on."""
    program = tmp_path / 'program.py'
    program.write_text('import tensorflow as tf\ntf.compat.v1.disable_eager_execution()\nprint(tf.executing_eagerly())\n')
    status, out, err = launch(str(program), backend=BACKEND, home=tmp_path / 'home', cwd=tmp_path)
    assert (0, 'True') == (status, out.strip())
    assert 'disable_eager_execution() does nothing here' in err


LAZY_STEPS = """
import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Embedding, Flatten
from tensorflow.keras.models import Sequential
from tensorflow.keras.optimizers import Optimizer

class LazyDescent(Optimizer):
    def __init__(self, learning_rate=.1, name='LazyDescent', **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper('learning_rate', learning_rate)

    def _resource_apply_dense(self, grad, var):
        return K.update_sub(var, self._decayed_lr('float32') * grad)

    def _resource_apply_sparse(self, grad, var, indices):
        raise AssertionError

for first in (Embedding(5, 2, embeddings_initializer='ones'), Dense(2)):
    model = Sequential([first, Flatten(), Dense(1)])
    model.compile(LazyDescent(), 'mse')
    model.fit(np.array([[0], [3]]), np.array([1., 2.]), verbose=0)
    print('trained')
"""


@pytest.mark.parametrize('backend', INSIDE[:1])
def test_steps_of_rows_alone(backend, tmp_path):
    """An optimizer that treats the rows of a batch apart is told that all rows are stepped, once."""
    program = tmp_path / 'program.py'
    program.write_text(LAZY_STEPS)
    status, out, err = launch(str(program), backend=backend, home=tmp_path / 'home', cwd=tmp_path)
    assert (0, ['trained'] * 2) == (status, out.split()), err
    assert 1 == err.count('LazyDescent._resource_apply_sparse is not called')


@pytest.mark.parametrize('number', range(len(blocks('coming-from-tf-keras.md', 'python'))))
def test_snippet_of_the_guide(number, tmp_path):
    """The Python of docs/coming-from-tf-keras.md runs as it stands there."""
    assert launched(tmp_path, blocks('coming-from-tf-keras.md', 'python')[number] + "\nprint('done')\n").endswith('done\n')
