"""The command `python -m keras_backend.keras3 --check`, and every program of tests/programs/keras3."""

import contextlib
import functools
import json
import os
import shlex

import pytest
from checkout import TESTS
from processes import python
from program_records import headers, programs
from shares import one_in

from keras_backend.basics import installed
from keras_backend.engines.table import ENGINES
from keras_backend.programs.launcher.check.rules import STOPS
from keras_backend.programs.migrate import routes
from keras_backend.programs.on_keras3.check import program as command
from keras_backend.programs.on_keras3.check.program import BACKENDS, check

PROGRAMS = os.path.join(TESTS, 'programs', 'keras3')
STOPPED = 'import tensorflow as tf\nx = tf.placeholder(tf.float32)\nfrom tensorflow.keras import backend as K\n'


@pytest.mark.parametrize('name', one_in(4, programs(PROGRAMS)))
def test_nothing_false_about_a_program_that_runs(name):
    """No program is said to stop on a backend that it runs on."""
    path = os.path.join(PROGRAMS, name + '.py')
    # Those of tf_keras are for no backend of Keras 3.
    for backend in set(headers(path, ('backends',)).get('backends', BACKENDS)) & set(BACKENDS):
        program = check(path, backend)
        assert [] == [one for one in program.findings if one.severity == STOPS]
        assert program.uses_keras


def test_check_without_keras(tmp_path):
    """The command needs no Keras. It takes the backend from KERAS_BACKEND, and tells what to type."""
    (tmp_path / 'train it.py').write_text(STOPPED)
    status, out, err = python(
        '-m', 'keras_backend.keras3', '--check', 'train it.py', home=tmp_path, cwd=tmp_path, backend='jax'
    )
    assert (1, '') == (status, err)
    assert 'train it.py: Keras 3 on jax' in out
    assert 'train it.py:2: tf.placeholder is a name of TensorFlow 1' in out
    # With the stand-in where the environment has no TensorFlow.
    assert "KERAS_BACKEND=jax python -m keras_backend.keras3 'train it.py'" in out.replace(' --stand-in', '')


@pytest.mark.parametrize('home', ['home', '~/home'])
def test_backend_of_the_settings(home, tmp_path, monkeypatch, capsys):
    """Without KERAS_BACKEND it is that of keras.json, which Keras finds in a home with a tilde, too."""
    (tmp_path / 'home').mkdir()
    (tmp_path / 'home' / 'keras.json').write_text('{"backend": "torch"}')
    (tmp_path / 'train.py').write_text('import keras\n')
    place = home if home.startswith('~') else tmp_path / home
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv('KERAS_BACKEND', raising=False)
    monkeypatch.setenv('KERAS_HOME', str(place))
    monkeypatch.setenv('HOME', str(tmp_path))
    assert 0 == command.main(['train.py'])
    assert 'train.py: Keras 3 on torch' in capsys.readouterr().out


@pytest.mark.parametrize(
    ('text', 'backend', 'there', 'expected'),
    [
        ('import tensorflow as tf\ntf.keras.Input((2,))\n', 'jax', False, True),
        ('import tensorflow as tf\ntf.keras.Input((2,))\n', 'jax', True, False),
        ('import tensorflow as tf\ntf.keras.Input((2,))\n', 'tensorflow', False, False),
        ('from tensorflow.keras.layers import Dense\nDense(2)\n', 'torch', False, True),
        ('import keras\nkeras.Input((2,))\n', 'jax', False, False),
    ],
)
def test_line_to_type_without_tensorflow(text, backend, there, expected, tmp_path, monkeypatch, capsys):
    """It names the stand-in where the program imports TensorFlow, Keras runs on another backend, and there is none."""
    known = installed.spec
    monkeypatch.setattr(installed, 'spec', lambda name: there or None if name == 'tensorflow' else known(name))
    path = tmp_path / 'a.py'
    path.write_text(text)
    assert 0 == command.main(['--backend', backend, str(path)])
    assert ('python -m keras_backend.keras3 --stand-in ' in capsys.readouterr().out) == expected


def test_status_of_the_check(tmp_path, capsys, monkeypatch):
    """0 if nothing would stop, 1 if something would, 2 for arguments that cannot be used, with the reason."""
    monkeypatch.setenv('KERAS_BACKEND', 'numpy')
    path = tmp_path / 'a.py'
    path.write_text('import keras\n')
    assert 0 == command.main(['--backend', 'jax', str(path)])
    assert 'Nothing was found that would stop it.' in capsys.readouterr().out
    assert 2 == command.main([str(path)])
    assert (
        'the backend of KERAS_BACKEND or keras.json is numpy, and this checks for tensorflow, jax, torch'
        in capsys.readouterr().err
    )
    assert 2 == command.main([str(path), '--backend'])
    assert '--backend takes tensorflow, jax, torch, got nothing' in capsys.readouterr().err
    monkeypatch.delenv('KERAS_BACKEND')
    path.write_text(STOPPED)
    assert 1 == command.main([str(path)])
    assert 2 == command.main([str(tmp_path / 'never.py')])
    assert 2 == command.main([])


def test_check_names_the_backend_and_libraries_that_are_missing(tmp_path, capsys, monkeypatch):
    """Keras, the backend that is asked for and what the program imports, as one line."""
    monkeypatch.setattr(installed, 'spec', lambda name: None)
    monkeypatch.setattr(installed, 'version', lambda names: None)
    path = tmp_path / 'train.py'
    path.write_text('import keras, seaborn\nfrom keras import ops\nfrom PIL import Image\n')
    missing = functools.partial(routes.missing_for, route=routes.OF_KERAS_3)
    for backend in BACKENDS:
        assert 0 == command.main(
            ['--json', '--backend', backend, str(path)], lambda path, backend: missing(path, backend=backend)
        )
        report = json.loads(capsys.readouterr().out)
        assert {'keras>=3.12.1', ENGINES[backend].requirement, 'pillow', 'seaborn'} == set(report['missing'])
        assert report['commands'][0] == 'pip install ' + ' '.join(shlex.quote(name) for name in report['missing'])


def test_json_of_the_check(tmp_path, capsys):
    """--json has the same, for programs: one object for one path, a list for more; a folder and a notebook count."""
    cells = [{'cell_type': 'code', 'source': ['import keras\n']}, {'cell_type': 'code', 'source': STOPPED}]
    book, folder = tmp_path / 'book.ipynb', tmp_path / 'folder'
    book.write_text(json.dumps({'cells': cells, 'metadata': {}, 'nbformat': 4}))
    folder.mkdir()
    (folder / 'a.py').write_text('import keras\n')
    (folder / 'b.py').write_text(STOPPED)
    assert 1 == command.main(['--json', '--backend', 'torch', str(book)])
    one = json.loads(capsys.readouterr().out)
    assert ('torch', 'keras_backend.keras3', True) == (one['backend'], one['launcher'], one['uses_keras'])
    assert [('tf-of-graphs', 2, 2)] == [(each['rule'], each['cell'], each['line']) for each in one['findings']]
    assert one['commands'][-1] == f'KERAS_BACKEND=torch python -m keras_backend run --with keras3 {book}'
    assert 1 == command.main(['--backend', 'torch', str(folder), str(folder / 'a.py'), '--json'])
    found = json.loads(capsys.readouterr().out)
    assert [2, 1] == [len(each['files']) for each in found]
    assert [1, 0] == [len(each['findings']) for each in found]


def test_programs_without_a_stand_in(tmp_path, monkeypatch):
    """A program with tf.data gets TensorFlow itself on every backend: the stand-in lacks tf.data."""
    monkeypatch.setattr(installed, 'spec', lambda name: None)
    text = 'import tensorflow as tf\nm = tf.keras.Sequential()\n'
    for line, is_needed in ('tf.reduce_sum(x)\n', False), ('d = tf.data.Dataset.from_tensor_slices(x)\n', True):
        path = tmp_path / 'program.py'
        path.write_text(text + line)
        assert ('--stand-in' in command.start(check(str(path), 'jax'))) != is_needed
        missing = routes.missing_for(str(path), routes.OF_KERAS_3, 'jax')
        assert (ENGINES['tensorflow'].requirement in missing) == is_needed


@pytest.mark.skipif(not os.path.exists('/dev/full'), reason='/dev/full is of Linux')
def test_check_on_a_full_disk(tmp_path, monkeypatch, capsys):
    """A report that cannot be written is one sentence, and status 2."""
    path = tmp_path / 'program.py'
    path.write_text('import keras\n')
    with open('/dev/full', 'w') as full:
        monkeypatch.setattr('sys.stdout', full)
        assert 2 == command.main(['--backend', 'jax', str(path)])
        monkeypatch.undo()
        assert 'No space left on device' in capsys.readouterr().err
        with contextlib.suppress(OSError):
            full.close()
