"""Files of every Keras as models of tf_keras: their predictions, what is saved again, folders, what is refused."""

import importlib.util
import os

import pytest
from processes import given_path, python

if importlib.util.find_spec('tf_keras') is None:
    pytest.skip('tf_keras is not installed', allow_module_level=True)

TOOLS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), 'tools')
PARTS = 24

PREDICTIONS = """
import sys
import warnings
import numpy as np
sys.path.insert(0, sys.argv[1])
from files_of_models import INDEX, LAMBDAS, arguments, of_models, recorded, recorded_again
import keras_backend.files as files
from keras_backend.errors import LayerConfigError
warnings.simplefilter('ignore')
# Keras 3 hands masks to other layers.
REFUSED = ('archive_masks', 'archive_masks_in_a_row', 'archive_masks_inside', 'masked_states_archive')
for name in (of_models() + LAMBDAS)[int(sys.argv[2])::int(sys.argv[3])]:
    given, outputs = recorded(name)
    try:
        model = files.load(**arguments(name), keras='tf_keras')
    except LayerConfigError as error:
        assert name in ['keras3_python313_' + word for word in REFUSED] and 'makes a mask' in str(error), name
        continue
    for wanted in filter(None, (outputs, recorded_again(name))):
        found = model.predict(given if len(given) > 1 else given[0], batch_size=len(given[0]), verbose=0)
        found = found if isinstance(found, list) else [found]
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted):
            np.testing.assert_allclose(one, other, atol=1e-5, rtol=1e-5, err_msg=name)
print('passed')
"""

SAVED = """
import sys
import warnings
import numpy as np
import tf_keras
sys.path.insert(0, sys.argv[1])
from files_of_models import arguments, recorded
import keras_backend.files as files
warnings.simplefilter('ignore')
for name in ('keras231_python37_lambdas', 'keras231_python37_images', 'tf24_python38_time_major'):
    given, outputs = recorded(name)
    given = given if len(given) > 1 else given[0]
    model = files.load(**arguments(name), keras='tf_keras')
    wanted = model.predict(given, verbose=0)
    for path in (name + '.h5', name + '.keras', name):
        model.save(path)
        again = tf_keras.models.load_model(path, compile=False)
        found = again.predict(given, verbose=0)
        for one, other in zip(*[x if isinstance(x, list) else [x] for x in (found, wanted)]):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6, err_msg=path)
print('passed')
"""

TRAINED = """
import numpy as np
import tf_keras
import keras_backend.files as files
layers = tf_keras.layers
model = tf_keras.Sequential([layers.Dense(3, activation='tanh', input_shape=(2,)), layers.Dense(1)])
legacy = tf_keras.optimizers.legacy
schedule = tf_keras.optimizers.schedules.ExponentialDecay(.1, 2, .5)
x, y = np.cos(np.arange(12.)).reshape(6, 2), np.ones((6, 1))
for optimizer in (legacy.SGD(.1, momentum=.9, decay=.01), tf_keras.optimizers.SGD(.1), legacy.SGD(schedule)):
    model.compile(optimizer, 'mae', metrics=['mse'])
    for path in ('model.h5', 'model.keras', 'folder'):
        model.save(path)
        again = files.load(path, keras='tf_keras')
        before = model.get_weights()
        wanted = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0).history
        found = again.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0).history
        assert wanted == found, (path, optimizer, wanted, found)
        model.set_weights(before)
        model.compile(type(optimizer).from_config(optimizer.get_config()), 'mae', metrics=['mse'])
print('passed')
"""

FOLDERS = """
import os
import shutil
import warnings
import numpy as np
import tensorflow as tf
import tf_keras
import keras_backend.files as files
from keras_backend.errors import UnreadableFileError


class Book(tf_keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.normal = tf_keras.layers.Dense(4), tf_keras.layers.BatchNormalization()

    def call(self, inputs, training=None):
        return {'sum': self.normal(self.first(inputs['x']) + inputs['y'], training=training)}


class Writes(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None, 1])])
    def __call__(self, x):
        return self.deeper(x)

    @tf.function(input_signature=[tf.TensorSpec([None, 1])])
    def deeper(self, x):
        tf.io.write_file('written', 'text')
        return x


class Reads(tf.Module):
    def __init__(self):
        line = tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
        self.table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer('words.txt', tf.string, *line), 0)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def __call__(self, x):
        return self.table.lookup(x)


class Counts(tf.Module):
    def __init__(self):
        self.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'b'], [3, 5]), 0)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def __call__(self, x):
        return self.table.lookup(x)


model = Book()
given = {'x': np.cos(np.arange(12.)).reshape(4, 3), 'y': np.ones((4, 4))}
model.compile(tf_keras.optimizers.legacy.SGD(.1), 'mse')
model.fit(given, {'sum': np.ones((4, 4))}, verbose=0)
model.save('book')
again = files.load('book', keras='tf_keras')
np.testing.assert_allclose(again.predict(given, verbose=0)['sum'], model.predict(given, verbose=0)['sum'], rtol=1e-6)
assert len(again.trainable_weights) == 4 and len(again.weights) == 6
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    again.compile(tf_keras.optimizers.legacy.SGD(.1), 'mse')
assert any('add to the loss' in str(warning.message) for warning in caught)
histories = [one.fit(given, {'sum': np.ones((4, 4))}, epochs=2, verbose=0).history['loss'] for one in (model, again)]
np.testing.assert_allclose(*histories, rtol=1e-5)

tf.saved_model.save(Counts(), 'counts')
assert files.load('counts', keras='tf_keras')(tf.constant(['b', 'c'])).numpy().tolist() == [5, 0]
with open('words.txt', 'w') as file:
    file.write('a')
for module, operation in ((Writes(), 'WriteFile'), (Reads(), 'InitializeTableFromTextFileV2')):
    tf.saved_model.save(module, 'refused')
    try:
        files.load('refused', keras='tf_keras')
    except UnreadableFileError as error:
        assert operation in str(error), error
    else:
        raise AssertionError(operation)
assert not os.path.exists('written')
shutil.copy('counts/saved_model.pb', 'counts/saved_model.cpb')
os.symlink(os.path.abspath('words.txt'), 'book/assets/link')
for path, word in (('counts', 'in parts'), ('book', 'is a link')):
    try:
        files.load(path, keras='tf_keras')
    except UnreadableFileError as error:
        assert word in str(error), error
    else:
        raise AssertionError(path)
print('passed')
"""


def passes(text, tmp_path, *arguments):
    """A program of a process of its own ends with 'passed'."""
    path = tmp_path / 'program.py'
    path.write_text(text, encoding='utf-8')
    status, out, err = python(str(path), TOOLS, *arguments, cwd=tmp_path, home=tmp_path / "home", path=given_path())
    assert status == 0 and out.endswith('passed\n'), out + err


@pytest.mark.parametrize('part', range(PARTS))
def test_model_of_file_on_tf_keras(part, tmp_path):
    """Within 1e-5 of the predictions of the library that wrote it; files of Keras 3 with masks are refused."""
    passes(PREDICTIONS, tmp_path, str(part), str(PARTS))


@pytest.mark.parametrize('text', [SAVED, TRAINED, FOLDERS], ids=['saved', 'trained', 'folders'])
def test_files_of_tf_keras(text, tmp_path):
    """What is saved again opens, training goes on as the file says, and graphs run that reach nothing but tensors."""
    passes(text, tmp_path)
