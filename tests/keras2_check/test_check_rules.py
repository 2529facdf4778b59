"""The rules of --check: each is told somewhere, and the page and the errors at run time have the same words."""

import json
import os
import re
import sys
import types

import numpy as np
import pytest
from checked import check, found, reasons
from checkout import ROOT
from processes import python

import keras_backend
from keras_backend.programs.keras2.check import tensorflow_rules, versions
from keras_backend.programs.keras2.check.program import main, needed_keras
from keras_backend.programs.keras2.check.rules import OF_READING, OF_RUNS, RULES, plain
from keras_backend.programs.keras2.versions import VERSIONS
from keras_backend.programs.launcher.check import library_rules, python_rules
from keras_backend.programs.launcher.check.library_rules import LIBRARIES
from keras_backend.programs.launcher.check.rules import OF_ALL_PROGRAMS, SECTIONS

# A few lines for each rule that --check sees, and the line that it tells.
SEEN = {
    'imported-before': ('import keras\nimport keras_backend.keras2\n', 2),
    'python2': ('import keras\nprint "a"\n', 2),
    'python2-name': ('for i in xrange(3):\n    pass\n', 1),
    'python2-division': ('print "a"\nx = range(10 / 3)\n', 2),
    'python-removed': ('import string\nt = string.atoi("3")\n', 2),
    'broken-syntax': ('import keras\nx = = 3\n', 2),
    'encoding': (b'import keras\n# \xe9t\xe9\n', 2),
    'unreadable': (b'\x7fELF\0\0\0', 1),
    'magic': ('import keras\n%matplotlib inline\n', 1),
    'keras-name': ('import keras\nkeras.layers.NeverThere()\n', 2),
    'keras-argument': (
        'import keras.initializations\nimport keras.utils.visualize_util\nfrom keras.optimizers import SGD\n'
        'SGD(learning_rate=1)\n',
        4,
    ),
    'keras-idiom': (
        'import keras.initializations\nimport keras.utils.visualize_util\nimport keras.layers\n'
        'class A(keras.layers.Layer):\n    def compute_output_shape(self, s):\n        return s\n',
        5,
    ),
    'history-acc': (
        'from keras.layers import ReLU\nfrom keras.callbacks import LearningRateScheduler\n'
        'from keras.optimizers import SGD\nSGD(learning_rate=1)\nimport keras.utils.metrics_utils\n\n'
        "m.compile(metrics=['accuracy'])\nh.history['acc']\n",
        8,
    ),
    'monitor-acc': (
        'from keras.callbacks import EarlyStopping\nfrom keras.optimizers import SGD\nSGD(learning_rate=1)\n'
        "import keras.utils.metrics_utils\nm.compile(metrics=['accuracy'])\nEarlyStopping(monitor='val_acc')\n",
        6,
    ),
    'samples-per-epoch': (
        'from keras.models import Model\nfrom keras.layers import concatenate\nfrom keras import losses\n'
        'm.fit_generator(g, samples_per_epoch=100)\n',
        4,
    ),
    'batch-dot': ('from keras import backend as K\nK.batch_dot(a, b)\n', 2),
    'keras-0': ('import keras\nfrom keras.layers.containers import Sequential\n', 2),
    'of-keras-3': ('import keras\nkeras.ops.ones(3)\n', 2),
    'tf-gone': ('import tensorflow as tf\ntf.contrib.tpu.TPUEstimator\n', 2),
    'tf-renamed': ('import tensorflow as tf\ntf.pack([1])\n', 2),
    'one-device': ('from keras.utils import multi_gpu_model\nm = multi_gpu_model(m, 2)\n', 2),
    'library-removed': ('import numpy as np\nnp.irr([1])\n', 2),
}


@pytest.mark.parametrize('rule', sorted(SEEN))
def test_check_tells_a_rule(rule, tmp_path):
    """A few lines break one rule, and the line is told."""
    text, line = SEEN[rule]
    assert (rule, line) in found(check(tmp_path / 'program.py', text))


def test_check_tells_every_rule(tmp_path):
    """No rule of reading is without an example, and --check tells no other rule."""
    known = {rule.name for rule in (*OF_ALL_PROGRAMS, *OF_READING)}
    assert known == set(SEEN) | {'own-keras', 'tf-engine'}
    (tmp_path / 'keras').mkdir()
    (tmp_path / 'keras' / '__init__.py').write_text('')
    assert ('own-keras', 1) in found(check(tmp_path / 'program.py', 'import keras\n'))


def test_check_tells_what_the_engine_lacks(tmp_path, monkeypatch, capsys):
    """With another engine in KERAS_BACKEND, --check tells the names that only TensorFlow has, and stops for none."""
    text = 'import keras\nimport tensorflow as tf\nc = tf.ConfigProto()\ntf.log(3.0)\nkeras.backend.tf.exp(1.0)\n'
    (tmp_path / 'program.py').write_text(text)
    for engine, lines in (('torch', ['4: tf.log', '5: tf.exp']), ('tensorflow', []), ('', [])):
        monkeypatch.setenv('KERAS_BACKEND', engine)
        assert main([str(tmp_path / 'program.py')]) == 0
        told = [line for line in capsys.readouterr().out.splitlines() if 'needs the engine TensorFlow' in line]
        assert lines == [line.split('program.py:')[1].split(' needs')[0] for line in told]


def test_requirements_count_before_the_style_of_the_program(tmp_path):
    """Keras 2 takes the arguments of Keras 1, so a program that asks for it gets it."""
    (tmp_path / 'requirements.txt').write_text('keras==2.0.8\n')
    program = check(tmp_path / 'program.py', 'import keras\nkeras.layers.LSTM(3, inner_init="one")\n')
    assert '2.0.8' == program.choice.version


@pytest.mark.parametrize('axes', ['[2, 2]', '(1, -1)', 'axes', '1'])
def test_products_of_three_axes_need_no_older_keras(axes, tmp_path):
    """They mean the same in each Keras."""
    program = check(tmp_path / 'program.py', f'import keras\nkeras.backend.batch_dot(q, k, axes={axes})\n')
    assert '2.3.1' == program.choice.version


def rows_of_the_page():
    """{message: (what it means, what to do)} of docs/legacy-errors.md, by heading."""
    with open(os.path.join(ROOT, 'docs', 'legacy-errors.md'), encoding='utf-8') as stream:
        text = stream.read()
    found = {}
    for part in text.split('\n## ')[1:]:
        heading, _, table = part.partition('\n')
        for line in table.splitlines():
            if line.startswith('| ') and not line.startswith('| message |'):
                message, meaning, advice = line.strip('| ').split(' | ')
                found[message] = (heading, meaning, advice)
    return found


def test_page_of_errors_has_the_rules():
    """Each row of docs/legacy-errors.md is a rule with a message, and each such rule a row, in the same words."""
    rules = {rule.message: (rule.section, rule.reason, rule.advice) for rule in RULES.values() if rule.message}
    assert rows_of_the_page() == rules
    assert {rule.section for rule in RULES.values()} == set(SECTIONS)


def messages_of_the_package():
    """The source of keras_backend, in one text, the check and the tests left out."""
    found = []
    for folder, folders, names in os.walk(os.path.dirname(keras_backend.__file__)):
        folders[:] = [name for name in folders if name not in ('check', 'conformance', '__pycache__')]
        for name in names:
            if name.endswith('.py'):
                with open(os.path.join(folder, name), encoding='utf-8') as stream:
                    found.append(stream.read())
    # Texts that are written in pieces.
    return re.sub(r"'\s+f?'", '', '\n'.join(found))


@pytest.mark.parametrize(
    'words',
    [
        'keras_backend.keras2 needs Keras 1.2.2 or Keras 2, and',
        'Keras was imported before keras_backend.keras2',
        'cannot find the program',
        'is gone: TensorFlow',
        'needs the engine TensorFlow',
        'belongs to another TensorFlow graph',
        'is not initialised; run its initializer',
        'which is not among the inputs',
    ],
)
def test_page_of_errors_has_words_of_the_code(words):
    """The errors that the package raises itself say what the page says."""
    assert words in messages_of_the_package()
    shown = ' '.join(rule.message for rule in RULES.values())
    assert words.split(': ')[0] in shown.replace('.... is', ' is').replace('`', '')


def test_findings_are_plain_text():
    """A link of the page is told with the name of the page."""
    assert 'see x (docs/y.md)' == plain('see [x](y.md)')
    assert not any('](' in plain(rule.advice) for rule in (*OF_READING, *OF_RUNS))


def test_versions_of_names():
    """Names, modules, arguments and idioms of Keras by version, as its documents and release notes have them."""
    every = versions.all_versions()
    assert ('1.2.2', '2.0.8', '2.1.6', '2.2.2', '2.2.4', '2.2.5', '2.3.0', '2.3.1') == every == tuple(VERSIONS)
    assert every == versions.of_name('keras.layers.Dense') == versions.of_name('keras.models.Sequential.fit')
    assert ('1.2.2',) == versions.of_name('keras.initializations') == versions.of_name('keras.initializations.get')
    assert every[1:] == versions.of_name('keras.initializers.he_normal')
    assert (
        ('2.3.0', '2.3.1') == versions.of_name('keras.metrics.MeanIoU') == versions.of_argument('SGD', 'learning_rate')
    )
    assert () == versions.of_name('keras.layers.NeverThere')
    assert versions.of_name('numpy.ones') is None
    assert every == versions.of_argument('Dense', 'output_dim') == versions.of_argument('Conv2D', 'nb_filter')
    assert every[1:] == versions.of_argument('Dense', 'units')
    assert versions.of_argument('Dense', 'never') is None
    assert every[:6] == versions.of_idiom('history_acc')
    assert '2.0.8 to 2.3.1' == versions.span(every[1:])
    assert 'no version' == versions.span(())


@pytest.mark.parametrize(
    ('line', 'version'),
    [
        ('keras.layers.Merge([a, b], mode="sum")', '2.1.6'),
        ('keras.layers.Convolution2D(64, 3, 3, border_mode="same", subsample=(2, 2))', '2.3.1'),
        ('keras.layers.LSTM(64, return_state=True)', '2.3.1'),
        ('keras.layers.Dense(output_dim=64, init="uniform", W_regularizer=None)', '2.3.1'),
        ('model.fit(x, y, nb_epoch=3)', '2.3.1'),
        ('model.fit_generator(g, samples_per_epoch=3, nb_epoch=3)', '1.2.2'),
        ('model.layers[0].inbound_nodes', '2.0.8'),
        ('keras.initializations.get("uniform")', '1.2.2'),
        ('keras.optimizers.Adam(learning_rate=0.1)', '2.3.1'),
        ('self.add_weight((3, 4), initializer="uniform", name="w")', '2.2.4'),
        ('keras.layers.activations.relu', '2.2.4'),
        ('keras.utils.visualize_util.plot(model)', '1.2.2'),
        ('keras.layers.TimeDistributedDense(3)', '1.2.2'),
        ('keras.backend.batch_dot(x, w, [2, 3])', '2.2.4'),
        ('keras.layers.LSTM(3, inner_init="one")', '1.2.2'),  # Keras 2 takes it, and draws all gates together
        ('keras.layers.GRU(3, dropout_W=0.1)', '1.2.2'),
        ('model.add(keras.layers.LSTM(3, inner_init="one")); model.fit(x, y, epochs=2)', '2.3.1'),
        ('model.add(keras.layers.LSTM(units=3, dropout_W=0.1))', '2.3.1'),
        ('keras.backend.batch_dot(q, k, axes=(3, 3))', '2.2.4'),
        ('self.trainable_weights = self.net.trainable_weights', '2.2.4'),  # Keras 2.3 lists them twice
        ('self.trainable_weights += self.net.trainable_weights[1:]', '2.2.4'),
        ('self.trainable_weights = [self.w] + list(other.trainable_weights)', '2.3.1'),
        ('layer.trainable_weights = []', '2.3.1'),
    ],
)
def test_version_by_idiom(line, version, tmp_path):
    """One line decides for a version."""
    program = check(tmp_path / 'program.py', f'import keras\n{line}\n')
    if version is None:
        assert ('keras-name', 2) in found(program)
    else:
        assert version == program.choice.version, reasons(program)
        assert [] == found(program)


TRUTH = """
import importlib, json, sys, warnings
from keras_backend.programs.keras2 import cures
warnings.simplefilter('ignore')
cures.watch()

def there(name):
    parts = name.split('.')
    for count in range(len(parts), 0, -1):
        try:
            value = importlib.import_module('.'.join(parts[:count]))
        except ImportError:
            continue
        try:
            for part in parts[count:]:
                value = getattr(value, part)
            return True
        except (AttributeError, ImportError):  # scikit-learn says why a data set is gone
            return False
    return False

print(json.dumps([name for name in json.loads(sys.argv[1]) if there(name)]))
"""


@pytest.mark.slow
def test_names_that_are_gone_are_gone(tmp_path):
    """No name that --check calls gone is there with all cures applied, on the newest Python and libraries."""
    names = (
        [name for pin in LIBRARIES.values() for name in pin.removed] if int(np.__version__.split('.')[0]) > 1 else []
    )
    names += [*python_rules.MODULES, *(python_rules.REMOVED if sys.version_info >= (3, 13) else ())]
    status, out, err = python('-c', TRUTH, json.dumps(names), home=tmp_path)
    assert (0, []) == (status, json.loads(out)), err


def test_parts_of_tensorflow_1_that_are_given(tmp_path, monkeypatch):
    """What `keras_backend.keras2` gives back is no finding, nor is a module that holds it."""
    table = {'contrib.layers.flatten': 'a:b', 'layers.dense': 'a:b', 'contrib.crf.crf_decode': 'a:b'}
    successors = {'contrib.distributions': ('tensorflow_probability', 'distributions')}
    tables = {'GIVEN': table, 'SUCCESSORS': successors, 'REPLACED': {'contrib.crf': 'K.rnn'}}
    monkeypatch.setattr(tensorflow_rules, 'table', lambda module, name: tables[name])
    text = (
        'import tensorflow as tf\nfrom tensorflow.contrib import layers, crf\nx = tf.contrib.layers.flatten(1)\n'
        'y = tf.layers.dense(3)\nz = layers.nothing\nv = crf.crf_sequence\nw = tf.contrib.distributions.Gamma\n'
    )
    program = check(tmp_path / 'a.py', text)
    assert [('tf-gone', 5), ('tf-gone', 6)] == found(program, 'stops')
    assert [('tf-gone', 7)] == found(program, 'differs')
    advice = [one.advice for one in program.findings]
    assert ['write it with K functions or tf functions', 'write K.rnn', 'pip install tensorflow-probability'] == advice


def test_version_of_a_library_that_has_a_name(tmp_path, monkeypatch):
    """The advice names the pinned version if that version has the name."""
    pins = {'3.10 and 3.11': {'numpy': types.SimpleNamespace(version='1.23.5')}}
    monkeypatch.setattr(library_rules, 'PINS', pins)
    program = check(tmp_path / 'a.py', 'import numpy as np\nx = np.who()\ny = np.irr([1])\n')
    assert [('library-removed', 2), ('library-removed', 3)] == found(program)
    advice = [one.advice for one in program.findings]
    assert ['write locals, or pip install "numpy==1.23.5"', 'write numpy_financial.irr'] == advice


@pytest.mark.parametrize(
    ('name', 'version'), [("h.history['acc']", '2.2.4'), ("h.history['accuracy']", '2.3.1'), ('h.history', '2.3.1')]
)
def test_the_name_of_accuracy_in_another_file(name, version, tmp_path):
    """What the history is asked for in one file decides the Keras for a model that another file compiles."""
    text = "from keras.models import Sequential\ndef make():\n    m.compile('sgd', 'mse', metrics=['accuracy'])\n"
    (tmp_path / 'model.py').write_text(text)
    path = tmp_path / 'train.py'
    path.write_text('from model import make\nh = make().fit(x, y)\n' + name)
    assert version == check(str(path)).choice.version
    assert version == needed_keras(str(path))[0]
