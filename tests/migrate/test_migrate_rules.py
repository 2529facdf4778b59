"""`python -m keras_backend migrate`: rules one by one, files byte for byte, notebooks, usage, programs."""

import ast
import json
import os
import sys

import pytest
from checkout import TESTS

from keras_backend.__main__ import main
from keras_backend.basics import installed
from keras_backend.programs.keras2.versions import place
from keras_backend.programs.launcher.check.translation import tool
from keras_backend.programs.migrate.plan import plan

K1 = 'from keras.models import Sequential\nfrom keras.layers import Convolution2D, Dense\nm = Sequential()\n'
MERGE = 'from keras.layers import Input, {}\nfrom keras.layers.core import Lambda\n'
K_AND_TF = 'import tensorflow as tf\nfrom keras import backend as K\nfrom keras.layers import Lambda\n'
CALLBACK = 'from keras.callbacks import Callback\nclass C(Callback):\n    def f(self): return self.model.optimizer.'
NUMPY = 'import numpy as np\nfrom keras import backend as K\n'
CASES = [
    ('keras2', K1 + 'm.fit(x, y, nb_epoch=3)', K1 + 'm.fit(x, y, epochs=3)'),
    (
        'keras2',
        K1 + 'def train(model):\n    model.fit(x, y, nb_epoch=3)\n\ntrain(Sequential())',
        K1 + 'def train(model):\n    model.fit(x, y, epochs=3)\n\ntrain(Sequential())',
    ),
    ('keras2', K1 + 'm.add(Dense(output_dim=3))', K1 + 'm.add(Dense(units=3))'),
    ('keras2', K1 + 'Convolution2D(8, 3, 3)', K1 + 'Convolution2D(8, (3, 3))'),
    ('keras2', K1 + 'Convolution2D(8, nb_row=3, nb_col=3)', K1 + 'Convolution2D(8, kernel_size=(3, 3))'),
    ('keras3', K1 + 'm.fit_generator(g, 10)', K1 + 'm.fit(g, steps_per_epoch=10)'),
    ('keras2', K1 + "Dense(2, init='one', bias=False)", K1 + "Dense(2, kernel_initializer='one', use_bias=False)"),
    (
        'keras2',
        'from keras.layers import LSTM\nLSTM(2, forget_bias_init="one", inner_activation="tanh")',
        'from keras.layers import LSTM\nLSTM(2, unit_forget_bias=True, recurrent_activation="tanh")',
    ),
    (
        'keras2',
        MERGE.format('merge') + "a = merge([b, c], mode='concat', concat_axis=1)\nd = merge([a, b])",
        MERGE.format('concatenate, add') + 'a = concatenate([b, c], axis=1)\nd = add([a, b])',
    ),
    (
        'keras2',
        MERGE.format('merge')
        + "a = merge([b], mode=lambda x: x[0], output_shape=lambda s: s[0])\nd = merge(a, mode='mul')",
        MERGE.format('multiply') + 'a = Lambda(lambda x: x[0], output_shape=lambda s: s[0])([b])\nd = multiply(a)',
    ),
    (
        'keras2',
        'from keras.layers import merge\na = merge([b], mode=lambda x: x[0])',
        'from keras.layers import Lambda\na = Lambda(lambda x: x[0])([b])',
    ),
    ('keras2', 'import keras.backend as K\nK.tf.reduce_sum(x, 1)', 'import keras.backend as K\nK.sum(x, 1)'),
    (
        'keras2',
        'import keras.backend as K\nK.tf.svd(x)',
        'import tensorflow as tf\nimport keras.backend as K\ntf.svd(x)',
    ),
    (
        'keras2',
        K_AND_TF + 'Lambda(lambda x: tf.nn.l2_normalize(tf.cast(x, tf.float32), dim=1))',
        K_AND_TF + "Lambda(lambda x: K.l2_normalize(K.cast(x, 'float32'), axis=1))",
    ),
    ('keras2', NUMPY + "K.set_image_dim_ordering('th')", NUMPY + "K.set_image_data_format('channels_first')"),
    ('keras3', CALLBACK + 'lr', CALLBACK + 'learning_rate'),
    (
        'keras3',
        'from keras import optimizers as o\no.SGD(lr=1)',
        'from keras import optimizers as o\no.SGD(learning_rate=1)',
    ),
    ('keras3', K1 + 'm.evaluate_generator(g, (4))', K1 + 'm.evaluate(g, steps=(4), verbose=0)'),
    (
        'keras3',
        K1 + 'm.add(Dense(2, activation="softmax"))\nm.predict_classes(x)',
        K1 + 'm.add(Dense(2, activation="softmax"))\nm.predict(x, verbose=0).argmax(axis=-1)',
    ),
    (
        'keras3',
        K1 + 'm.add(Dense(1, activation="sigmoid"))\nm.predict_classes(x, verbose=1)',
        K1 + 'm.add(Dense(1, activation="sigmoid"))\n(m.predict(x, verbose=1) > 0.5).astype(\'int32\')',
    ),
    (
        'import',
        NUMPY + 'from keras.engine.topology import Layer, InputSpec\nfrom tensorflow.keras.engine import Model',
        NUMPY.replace('from keras import backend', 'import keras_backend.keras3')
        + 'from keras.layers import Layer, InputSpec\nfrom keras.models import Model',
    ),
    (
        'keras3',
        'from keras.utils import np_utils\nnp_utils.to_categorical(y, 3)',
        'from keras import utils as np_utils\nnp_utils.to_categorical(y, 3)',
    ),
    ('import', 'from keras import backend as K  # K\nK.dot', 'import keras_backend as K  # K\nK.dot'),
    *[
        ('import', f'{old}\n{name}.Sequential().fit(x, y)', f'{new}\n{name}.Sequential().fit(x, y)')
        for old, new, name in (
            ('import tensorflow.keras as ks', 'import keras as ks', 'ks'),
            ('import tensorflow.keras as keras', 'import keras', 'keras'),
            ('from tensorflow import keras', 'import keras', 'keras'),
            ('from tensorflow import keras as ks', 'import keras as ks', 'ks'),
        )
    ],
    ('import', NUMPY + 'np.float', 'import numpy as np\nimport keras_backend as K\nfloat'),
    ('import', 'from keras.backend import dot as d, sum\nd(a, b)', 'from keras_backend import dot as d, sum\nd(a, b)'),
    (
        'import',
        'from keras import backend as K, layers as L, models\nK.dot(L.Dense(2))',
        'import keras_backend.keras3 as K\nfrom keras import layers as L, models\nK.dot(L.Dense(2))',
    ),
    ('import', 'import keras.backend as KB\nKB.dot(a, b)', 'import keras_backend as KB\nKB.dot(a, b)'),
    (
        'import',
        'import tensorflow as tf\nK = tf.keras.backend\nK.dot(tf.keras.layers.Dense(2))',
        'import tensorflow as tf\nimport keras_backend.keras3 as K\nK.dot(tf.keras.layers.Dense(2))',
    ),
    ('import', 'import keras\nkeras.backend.dot(a, b)', 'import keras_backend as K\nK.dot(a, b)'),
    ('import', 'import keras\ndef f(a: keras.backend.Tensor): 0', 'import keras_backend as K\ndef f(a: K.Tensor): 0'),
    (
        'import',
        'import keras\nkeras.backend.dot(keras.layers.Dense(2))',
        'import keras_backend.keras3 as K\nimport keras\nK.dot(keras.layers.Dense(2))',
    ),
    (
        'import',
        'import keras as ks\nks.backend.dot(a, b)',
        'import keras_backend as K\nimport keras as ks\nK.dot(a, b)',
    ),
    (
        'import',
        'import keras\nfrom keras import backend as K\nkeras.backend.dot(a, b)',
        'import keras\nimport keras_backend as K\nK.dot(a, b)',
    ),
    ('keras3', 'from keras.objectives import mse\nmse(a, b)', 'from keras.losses import mse\nmse(a, b)'),
    (
        'keras3',
        NUMPY + 'np.Inf\nnp.product(x)\nnp.asscalar(f(x)) + np.asscalar(x, y) + np.asscalar',
        NUMPY + 'np.inf\nnp.prod(x)\nnp.asarray(f(x)).item() + np.asscalar(x, y) + np.asscalar',
    ),
    (
        'keras2',
        NUMPY + 'from scipy.misc import comb as c, factorial',
        NUMPY + 'from scipy.special import comb as c, factorial',
    ),
    (
        'keras2',
        NUMPY + 'try: a = unicode\nexcept ValueError: a = str',
        NUMPY + 'try: a = str\nexcept ValueError: a = str',
    ),
    (
        'keras2',
        'import tensorflow as T\nimport keras.backend as K\nK.tf.svd(x)',
        'import tensorflow as T\nimport keras.backend as K\nT.svd(x)',
    ),
    ('keras3', K1 + 'm.fit_generator(generator=g, workers=2)', K1 + 'm.fit(x=g, workers=2)'),
    ('keras3', K1 + 'm.evaluate_generator((g)\n   )', K1 + 'm.evaluate((g), verbose=0\n   )'),
    ('keras2', K1 + 'i = "one"\nDense(2, init=i)', K1 + 'i = "one"\nDense(2, kernel_initializer=i)'),
    (
        'keras2',
        "from keras.layers import (remerge,\n  merge)\nmerge([a, b], mode='sum')",
        'from keras.layers import (remerge,\n  add)\nadd([a, b])',
    ),
    *[
        ('keras2', K1 + text + '.fit(x, nb_epoch=3)', K1 + text + '.fit(x, epochs=3)')
        for text in (
            'def train(n, model): model.fit(x)\n\ntrain(1, model=m)\nm',
            'class A:\n    def a(self): self.m = Sequential()\n    def b(self): self.m',
            'def make():\n    return Sequential()\nmake()',
            'class Own(Sequential): pass\nOwn()',
            'from keras.applications import VGG16\nVGG16()',
            'def f():\n    global m\n    m',
        )
    ],
]
if sys.version_info >= (3, 10):
    OF_3_10 = ['match x:\n    case [1, *m]: 0\nm', 'match x:\n    case {1: 2, **m}: 0\nm', 'match x:\n    case m: 0\nm']
else:
    OF_3_10 = []
# Where none of these is surely a model of Keras.
UNSURE = [
    'def train(n, model): return model.fit(nb_epoch=3)\n\ntrain(m, 1)\nm',
    'def train(model): return model.fit(nb_epoch=3)\n\ntrain(*[m])\nm',
    'def train(*model): return model.fit(nb_epoch=3)\n\ntrain(m)\nm',
    'def train(model): return model.fit(nb_epoch=3)\n\nf = train\ntrain(m)\nm',
    'def train(model): return model.fit(nb_epoch=3)\n\ndef train(model): return 0\ntrain(m)\nm',
    'def train(model): return model.fit(nb_epoch=3)\n\nm',
    'class A:\n    def a(self): self.m = m\n    def b(self): self.m = 0\n    def c(self): self.m.fit(nb_epoch=3)',
    'class A:\n    def c(self): self.m.fit(nb_epoch=3)',
    'self.m = m\nself.m.fit(nb_epoch=3)',
    *[
        text + '.fit(nb_epoch=3)'
        for text in (
            'def make():\n    if x: return None\n    return Sequential()\nmake()',
            'def make():\n    yield 1\n    return Sequential()\nmake()',
            '@own\ndef make():\n    return Sequential()\nmake()',
            'def make(): pass\nmake()',
            'def make():\n    return make()\nmake()',
            'from keras.applications.vgg16 import preprocess_input\npreprocess_input(x)',
            'def f():\n    global m\n    m = Own()\nm',
            'def f():\n    n = m\n    def g():\n        nonlocal n\n        n = Own()\n    n',
            '(m := Own())\nm',
            '[(m := Own()) for _ in x]\nm',
            'try: 0\nexcept E as m: 0\nm',
            *OF_3_10,
        )
    ],
]
UNTOUCHED = [
    'lr = 0.1\ndef f(lr=lr): return lr\nf(lr=3)',
    'class Own:\n    def fit(self, nb_epoch): pass\nOwn().fit(nb_epoch=3)',
    "text = 'np.float nb_epoch=3'  # K.set_image_dim_ordering('th')",
    'class np: float = 1\nnp.float',
    'try: a = unicode\nexcept NameError: a = str',
    'try: a = unicode\nexcept: a = str',
    'from keras.callbacks import Callback\nclass C(Callback):\n    def f(self): return self.other.optimizer.lr',
    'from keras.callbacks import Callback\nclass C(object):\n    def f(self): return self.model.optimizer.lr',
    'from keras.callbacks import Callback\ndef f(self): return self.model.optimizer.lr',
]


@pytest.mark.parametrize(('route', 'old', 'new'), CASES)
def test_rule_of_migrate(route, old, new, tmp_path):
    """A change is made, and nothing is found in the result."""
    path = tmp_path / 'a.py'
    path.write_text(old)
    assert new == plan(str(path), route).files[0].new.decode()
    path.write_text(new)
    assert [] == plan(str(path), route).changes


LEFT = [
    ('keras2', 'from keras.layers import BatchNormalization\nBatchNormalization(mode=1)', 'mode='),
    ('keras3', K1 + 'def f(shape, name=None): pass\nDense(3, init=f)', 'f(shape, dtype=None)'),
    ('keras2', K1 + 'm.fit_generator(g, samples_per_epoch=100)', 'counts batches'),
    ('keras2', "from keras.layers import merge\nmerge([a, b], mode='dot', dot_axes=1)", 'is gone since Keras 2'),
    ('keras3', K1 + 'm.predict_classes(x)', 'argmax'),
    ('import', K1 + 'from keras.engine.topology import Container', 'Keras 3 has no keras.engine.topology'),
    ('import', K1 + 'from keras.layers.core import *', 'Keras 3 has no keras.layers.core'),
    ('import', K1 + 'from scipy.misc import imresize\nimresize(x, (2, 2))', 'gone since SciPy 1.3'),
    ('import', K1 + 'from keras.optimizers import SGD\nSGD(decay=0.1)', 'InverseTimeDecay(RATE, 1, DECAY)'),
    ('import', 'from keras.backend.tensorflow_backend import dot\ndot(a, b)', 'write the names of K by hand'),
    ('import', 'x = 1; from keras import backend as K, layers\nK.dot(a, b)', 'the line has other statements'),
    *[
        ('import', text, 'keras.backend.dot is a name of K')
        for text in (
            'import keras\nK = 3\nkeras.backend.dot(a, b)',
            'def f():\n    import keras\n    keras.backend.dot(a, b)',
            'import os; import keras\nkeras.backend.dot(a, b)',
            'def f():\n    K = 3\n    keras.backend.dot(a, b)\nimport keras',
            'if 1:\n    import keras\nkeras.backend.dot(a, b)',
        )
    ],
    ('keras2', K1 + 'Convolution2D(8, 3, nb_row=3)', 'write kernel_size=(...) by hand'),
    ('keras3', K1 + 'm.fit_generator(*a)', 'write fit, with names for the arguments, by hand'),
    *[('keras2', K1 + text, 'it is not certain that this is a model of Keras') for text in UNSURE],
]


@pytest.mark.parametrize(('route', 'text', 'words'), LEFT)
def test_what_a_person_decides(route, text, words, tmp_path):
    """What has no certain change stays, and is told with its line."""
    path = tmp_path / 'a.py'
    path.write_text(text)
    found = plan(str(path), route)
    assert [text.encode()] == [one.new for one in found.files]
    (note,) = [one for one in found.left if words in one.reason] or found.remarks
    assert words in str(note)


def test_keras_1_as_a_whole(tmp_path):
    """A program of Keras 1 is brought to Keras 2 if all of it can be, and stays in Keras 1 otherwise."""
    path = tmp_path / 'a.py'
    path.write_text(K1 + 'm.fit(x, y, nb_epoch=3)\nDense(output_dim=2)')
    assert ('2.3.1', 2) == (plan(str(path)).version, len(plan(str(path)).changes))
    path.write_text(K1 + 'm.fit(x, y, nb_epoch=3)\nm.fit_generator(g, samples_per_epoch=9)')
    found = plan(str(path))
    assert ('1.2.2', []) == (found.version, found.changes)
    assert '--keras 1.2.2' in found.routes[0].commands[-1]
    assert 'the spellings of Keras 1 stay' in found.remarks[0]


@pytest.mark.parametrize(
    'text',
    [
        'Dense(2, init="one")',
        'Convolution2D(8, 3, 3)',
        "from keras.layers import merge\na = merge([b, c], mode='sum')",
        "from keras import backend as K\nK.set_image_dim_ordering('th')",
        "from keras import backend as K\nif K.image_dim_ordering() == 'th': pass",
    ],
)
def test_spellings_of_keras_1_that_stay(text, tmp_path):
    """Each is changed by itself, and stays beside what only Keras 1 has."""
    path = tmp_path / 'a.py'
    path.write_text(K1 + text)
    assert plan(str(path), 'keras2').changes
    path.write_text(K1 + text + '\nm.fit_generator(g, samples_per_epoch=9)')
    assert plan(str(path), 'keras2').changes == []


def test_flatten_of_another_keras(tmp_path):
    """The patch makes Keras 2.3.1 of 2.1.6, whose Flatten has another order. Found with numbers of both."""
    path = tmp_path / 'a.py'
    text = "from keras.layers import merge, Flatten\nfrom keras import backend as K\nK.set_image_dim_ordering('{}')\n"
    text += 'y = merge([Flatten()(x), z])'
    path.write_text(text.format('th'))
    found = plan(str(path))
    assert [('flatten', 4)] == [(one.rule, one.place.line) for one in found.left]
    assert '--keras 2.3.1' in found.after[-1]
    path.write_text(text.format('tf'))
    assert [] == plan(str(path)).left


def test_what_the_patch_cures(tmp_path, capsys):
    """A finding that the patch takes away stops nothing; one that stays does."""
    path = tmp_path / 'a.py'
    path.write_text('from keras import backend as K\nfor i in xrange(3): K.dot(x, y)\n')
    found = plan(str(path))
    assert [True] == [one['cured'] for one in found.check['findings']]
    assert 0 == main(['migrate', str(path)])
    assert 'the patch does it' in capsys.readouterr().out
    path.write_text('from keras import backend as K\nfor i in xrange(3): K.dot(x, y)\nfile("a")\n')
    assert 1 == main(['migrate', str(path)])


@pytest.mark.parametrize('line', ['K.set_session(K.get_session())', 'K.no_such_function(x)'])
@pytest.mark.parametrize('module', ['keras', 'tensorflow.keras'])
def test_what_another_import_does_not_cure(module, line, tmp_path):
    """What K lacks is lacking under its new name, too, so the patch that changes the import does not take it away."""
    path = tmp_path / 'a.py'
    path.write_text(f'from {module} import backend as K\nfrom {module}.layers import Dense\nDense(3)\n{line}\n')
    way = plan(str(path), 'import')
    assert way.changes
    assert {4} == {finding['line'] for finding in way.check['findings']}
    assert not any(finding['cured'] for finding in way.check['findings'])
    assert way.stops


def test_what_a_fetched_keras_has_is_not_missing(tmp_path, monkeypatch):
    """A Keras that the launcher has fetched is there, with what was fetched beside it."""
    there = {'numpy': '2.0', 'pip': '24', 'PIL': '9'}
    monkeypatch.setattr(installed, 'spec', lambda name: there.get(name))
    monkeypatch.setattr(installed, 'version', lambda names: next((there[n] for n in names if n in there), None))
    monkeypatch.setenv('KERAS_HOME', str(tmp_path / 'home'))
    monkeypatch.delenv('KERAS_BACKEND', raising=False)
    path = tmp_path / 'a.py'
    path.write_text('from keras.layers import Dense\nDense(3)\n')

    def missing():
        way = plan(str(path), 'keras2')
        return next(' '.join(route.missing) for route in way.routes if route.name == 'keras2')

    # The launcher gets all of it.
    assert 'Keras 2.3.1, which the launcher gets' in missing()
    assert 'pip install' not in missing()
    folder = tmp_path / place('2.3.1')
    (folder / 'keras').mkdir(parents=True)
    for name in ('yaml', 'h5py', 'scipy'):
        (folder / name).mkdir()
        (folder / name / '__init__.py').write_text('')
    # It was six that was installed when Keras was fetched.
    assert missing() == 'pip install six'
    (folder / 'six.py').write_text('')
    assert missing() == ''
    there['keras'] = '2.3.1'
    assert missing() == 'pip install pyyaml six h5py scipy'


@pytest.mark.parametrize('text', UNTOUCHED)
@pytest.mark.parametrize('route', ['keras2', 'keras3'])
def test_names_of_others_stay(route, text, tmp_path):
    """What only looks like a name of Keras or NumPy stays."""
    path = tmp_path / 'a.py'
    path.write_text(K1 + text)
    assert [] == plan(str(path), route).changes


def test_bytes_of_a_migrated_file(tmp_path, capsys):
    """CRLF, tabs, an encoding and a BOM stay; FILE.orig is the file as it was."""
    for start, encoding in (b'# -*- coding: latin-1 -*-\r\n', 'latin-1'), (b'\xef\xbb\xbf', 'utf-8'):
        old = start + 'import keras, numpy as np\r\nif 1:\r\n\tx = "ä", np.float'.encode(encoding)
        path = tmp_path / 'a.py'
        path.write_bytes(old)
        assert 0 == main(['migrate', str(path), '--write'])
        assert old.replace(b'np.float', b'float') == path.read_bytes()
        assert old == (tmp_path / 'a.py.orig').read_bytes()
        (tmp_path / 'a.py.orig').unlink()


def test_notebook_is_migrated(tmp_path, capsys):
    """Cells change; magics, outputs and indentation stay."""
    cell = {
        'cell_type': 'code',
        'outputs': [{'x': 1e-5}],
        'source': ['%time x\n', 'import keras, numpy as np\n', 'np.float'],
    }
    old = json.dumps({'cells': [cell], 'metadata': {}, 'nbformat': 4}, indent=3) + '\n'
    path = tmp_path / 'a.ipynb'
    path.write_text(old)
    assert 0 == main(['migrate', str(path), '--write', '--json'])
    assert old.replace('"np.float"', '"float"') == path.read_text()
    assert 'numpy' == json.loads(capsys.readouterr().out)['changes'][0]['rule']


def test_program_is_read_once(tmp_path, monkeypatch):
    """Python reads the program once. What the changes make of it is read by the rules, and by the check."""
    texts = []
    whole = ast.parse
    monkeypatch.setattr(ast, 'parse', lambda text, *more: texts.append(text) or whole(text, *more))
    path = tmp_path / 'a.py'
    path.write_text(K1 + 'm.summary()')
    assert [] == plan(str(path), 'keras3').changes
    assert 1 == sum('summary' in text for text in texts)
    path.write_text(K1 + 'm.fit(x, nb_epoch=1)')
    assert 1 == len(plan(str(path), 'keras3').changes)
    assert (1, 2) == (sum('nb_epoch' in text for text in texts), sum('epochs' in text for text in texts))


def test_python_2_is_translated(tmp_path, monkeypatch):
    """Python 2 becomes Python 3 where there is a tool for it, without the commands of notebooks; else it is named."""
    path = tmp_path / 'a.py'
    path.write_text('import cPickle as pickle\nimport keras\nprint "a", len(x) / 2, 1 / 2.0  # a\nd.has_key(k)\n')
    notebook = tmp_path / 'a.ipynb'
    cell = {'cell_type': 'code', 'source': ['%matplotlib inline\n', 'import keras\n', 'print "a"\n', '!ls']}
    notebook.write_text(json.dumps({'cells': [cell]}))
    if tool():
        found = plan(str(path))
        new = 'import pickle\nimport keras\nprint("a", len(x) / 2, 1 / 2.0)  # a\nk in d\n'
        assert new == found.files[0].new.decode()
        assert [('division', 3)] == [(one.rule, one.place.line) for one in found.left]
        assert (
            json.dumps({'cells': [cell]}).replace('print \\"a\\"', 'print(\\"a\\")')
            == plan(str(notebook)).files[0].new.decode()
        )
    monkeypatch.setattr('keras_backend.programs.launcher.check.translation.tool', lambda: '')
    for one in path, notebook:
        assert 'pip install fissix' in plan(str(one)).remarks[0]
        assert plan(str(one)).files == []


def test_usage_of_migrate(tmp_path, capsys):
    """2 for wrong usage, with a sentence; Python 2 and broken text raise no error."""
    assert 2 == main(['migrate', str(tmp_path / 'never.py')])
    path = tmp_path / 'a.py'
    path.write_text('import keras\nprint "a"\n')
    assert 2 == main(['migrate', str(path), '--backend', 'never'])
    assert 'got never' in capsys.readouterr().err
    assert 1 - bool(tool()) == main(['migrate', str(path)])
    path.write_text('from keras import backend as K\nK.tf.abs(x)\n')
    for status in 0, 2:  # the second time the file is there
        assert status == main(['migrate', str(path), '--patch', str(tmp_path / 'p')])
    assert 'exists, and migrate writes over no file' in capsys.readouterr().err
    assert b'+K.abs(x)' in (tmp_path / 'p').read_bytes()


@pytest.mark.parametrize(
    'name', ['keras1_mnist.py', 'kaggle_attention.py', 'keras3/focal_loss.py', 'keras3/f1_metric.py']
)
def test_program_is_migrated(name, tmp_path):
    """The result compiles, and is the same again."""
    path = tmp_path / 'a.py'
    with open(os.path.join(TESTS, 'programs', name), 'rb') as stream:
        path.write_bytes(stream.read())
    new = plan(str(path), 'keras3').files[0].new
    compile(new, 'a.py', 'exec')
    path.write_bytes(new)
    assert [] == plan(str(path), 'keras3').changes
