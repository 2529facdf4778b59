"""The last lines of `python -m keras_backend`: the most useful ones for the engines and files that are found."""

import json
import os
import shlex

import pytest
from processes import python
from shares import one_in

from keras_backend.__main__ import main
from keras_backend.basics import installed
from keras_backend.commands import report
from keras_backend.commands.report import Files, Next

NOTHING = Files('', '')


def typed(*arguments):
    """The lines, without `python -m keras_backend`."""
    return [line.line.replace(report.COMMAND + ' ', '') for line in report.lines(*arguments)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that is the current one."""
    work = tmp_path / 'work'
    work.mkdir()
    monkeypatch.chdir(str(work))
    return work


@pytest.mark.parametrize(
    ('engine', 'engines', 'found', 'expected'),
    [
        ('numpy', ['numpy'], NOTHING, ['demo', 'migrate PROGRAM', 'model FILE']),
        ('numpy', ['torch', 'jax', 'numpy'], NOTHING, ['demo --engines numpy jax', 'migrate PROGRAM', 'model FILE']),
        ('theano', ['theano', 'numpy'], NOTHING, ['demo', 'migrate PROGRAM', 'model FILE']),
        ('numpy', ['numpy'], Files('a.py', ''), ['migrate a.py', 'demo', 'model FILE']),
        (
            'jax',
            ['tensorflow', 'jax', 'numpy'],
            Files('a.py', 'b.h5'),
            ['migrate a.py', 'prove a.py --engines jax tensorflow', 'model b.h5'],
        ),
        ('numpy', ['numpy'], Files('', 'b.h5'), ['model b.h5', 'demo', 'migrate PROGRAM']),
    ],
)
def test_lines(monkeypatch, engine, engines, found, expected):
    """Files of the folder come first, then a comparison where two engines are installed."""
    monkeypatch.setattr(installed, 'spec', lambda name: object())
    assert expected == typed(engine, False, None, engines, found)


def test_lines_without_h5py(monkeypatch):
    """A line that needs h5py is not among them where it is missing."""
    monkeypatch.setattr(installed, 'spec', lambda name: None)
    assert ['demo', 'migrate PROGRAM', '--help'] == typed('numpy', False, None, ['numpy'], NOTHING)


def test_lines_for_an_own_engine(monkeypatch):
    """Whoever writes an engine checks it."""
    assert 'check my.engine' == typed('my.engine', True, None, ['numpy'], NOTHING)[0]


def test_mend_comes_first():
    """A line that mends the configuration comes before all others, and no line needs an engine."""
    lines = typed('', False, Next('x', 'y'), ['numpy'], NOTHING)
    assert 'x' == lines[0]
    assert 'demo' not in lines


def test_mend(monkeypatch):
    """A missing engine is installed where it can be; else another one is chosen, where the choice is made."""
    monkeypatch.setattr(os, 'name', 'posix')
    possible = {'numpy': 'k[numpy]', 'jax': 'k[jax]'}
    for arguments, line in [
        (('jax', True, ['numpy'], possible), 'pip install "k[jax]"'),
        (('cntk', True, ['torch'], possible), 'export KERAS_BACKEND=torch'),
        (('cntk', False, ['torch'], possible), 'python -m keras_backend use torch'),
        (('my.engine', True, [], possible), 'pip install "k[numpy]"'),
    ]:
        assert line == report.mend(*arguments).line
    assert report.mend('cntk', True, [], {}) is None


@pytest.mark.parametrize(
    'text',
    [
        'import keras\n',
        'from keras.layers import Dense\n',
        'from tensorflow.keras import backend as K\n',
        'from tensorflow.python.keras import backend as K\n',
        'import tensorflow as tf\nK = tf.keras.backend\n',
        '{"cells": [{"cell_type": "code", "source": ["import keras.backend as K\\n"]}]}',
    ],
)
def test_a_program_names_keras(folder, text):
    """Every spelling of an import of Keras makes a program."""
    (folder / 'some.ipynb').write_text(text)
    assert Files('some.ipynb', '') == report.files_in('.')


def test_files_of_the_folder(folder):
    """A program that trains comes before one that only names Keras; other files and folders do not count."""
    (folder / 'a_layer.py').write_text('import keras\n')
    (folder / 'zebra.py').write_text('import keras\nmodel.fit(x, y)\n')
    (folder / 'plain.py').write_text('import keras_backend\nmodel.fit(x, y)\n')
    (folder / 'bytes.py').write_bytes(b'\xff\xfe\x00')
    (folder / 'folder.h5').mkdir()
    (folder / 'model.h5').write_bytes(b'')
    assert Files('zebra.py', 'model.h5') == report.files_in('.')
    assert NOTHING == report.files_in('missing')


@pytest.mark.parametrize('name', ["it's mine.py", '-rf.py', '$HOME.py', 'a;b.py'])
def test_names_of_files_are_quoted(folder, name):
    """The shell gives the command the file's name, and the command takes it for a file."""
    (folder / name).write_text('import keras\n')
    line = typed('numpy', False, None, ['numpy'], report.files_in('.'))[0]
    given = shlex.split(line)[1:]
    assert 1 == len(given)
    assert not given[0].startswith('-')
    assert os.path.samefile(given[0], name)


def test_report_ends_with_them(folder, home, monkeypatch, capsys):
    """The command itself prints three lines, and `--json` has the same."""
    (folder / 'train.py').write_text('from keras import backend as K\n')
    monkeypatch.setenv('KERAS_BACKEND', 'numpy')
    assert 0 == main([])
    out, _err = capsys.readouterr()
    tail = out.split('\nNext\n')[1].splitlines()
    assert 6 == len(tail)
    assert '  python -m keras_backend migrate train.py' == tail[0]
    assert 0 == main(['--json'])
    out, _err = capsys.readouterr()
    assert [line.strip() for line in tail[::2]] == [line['line'] for line in json.loads(out)['next']]


@pytest.mark.parametrize('line', one_in(4, ['--help', 'demo --seed 3', 'migrate train.py', 'model --help']))
def test_the_lines_run(folder, home, line):
    """Each line without an engine's name is one that the command knows."""
    (folder / 'train.py').write_text('from keras import backend as K\nprint(K.eval(K.ones((2,))))\n')
    status, out, err = python('-m', 'keras_backend', *line.split(), home=home, backend='numpy', cwd=str(folder))
    assert 0 == status, out + err
