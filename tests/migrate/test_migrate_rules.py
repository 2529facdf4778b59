"""`python -m keras_backend migrate`: rules one by one, files byte for byte, notebooks, usage, programs."""

import json
import os

import pytest
from checkout import TESTS

from keras_backend.__main__ import main
from keras_backend.migrate.plan import plan
from keras_backend.migrate.python2 import tool

K1 = 'from keras.models import Sequential\nfrom keras.layers import Convolution2D, Dense\nm = Sequential()\n'
NUMPY = 'import numpy as np\nfrom keras import backend as K\n'
CASES = [
    ('keras2', K1 + 'm.fit(x, y, nb_epoch=3)', K1 + 'm.fit(x, y, epochs=3)'),
    ('keras2', K1 + 'm.add(Dense(output_dim=3))', K1 + 'm.add(Dense(units=3))'),
    ('keras2', K1 + 'Convolution2D(8, 3, 3)', K1 + 'Convolution2D(8, (3, 3))'),
    ('keras2', K1 + 'Convolution2D(8, nb_row=3, nb_col=3)', K1 + 'Convolution2D(8, kernel_size=(3, 3))'),
    ('keras3', K1 + 'm.fit_generator(g, 10)', K1 + 'm.fit(g, steps_per_epoch=10)'),
    ('import', 'from keras import backend as K  # K\nK.dot', 'import keras_backend as K  # K\nK.dot'),
    ('import', NUMPY + 'np.float', 'import numpy as np\nimport keras_backend as K\nfloat'),
]
UNTOUCHED = [
    'lr = 0.1\ndef f(lr=lr): return lr\nf(lr=3)',
    'class Own:\n    def fit(self, nb_epoch): pass\nOwn().fit(nb_epoch=3)',
    "text = 'np.float nb_epoch=3'  # K.set_image_dim_ordering('th')",
    'class np: float = 1\nnp.float',
]


@pytest.mark.parametrize(('route', 'old', 'new'), CASES)
def test_rule_of_migrate(route, old, new, tmp_path):
    """A change is made, and nothing is found in the result."""
    path = tmp_path / 'a.py'
    path.write_text(old)
    assert new == plan(str(path), route).files[0].new.decode()
    path.write_text(new)
    assert [] == plan(str(path), route).changes


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
