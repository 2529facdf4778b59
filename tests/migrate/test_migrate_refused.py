"""`python -m keras_backend migrate` of what is no program: one sentence, exit status 2, and no file is touched."""

import json
import os
import sys

import pytest

from keras_backend.__main__ import main

K = 'from keras import backend as K\n'
MARKDOWN = {'cell_type': 'markdown', 'source': ['# K']}


def notebook(*cells, **metadata):
    """The text of a notebook."""
    return json.dumps({'cells': cells, 'metadata': metadata, 'nbformat': 4})


BAD = [
    ('empty.py', '', 'is empty'),
    ('blank.py', '\n \n', 'is empty'),
    ('other.py', 'import numpy as np\nnp.float\n', 'does not use Keras'),
    ('data.txt', 'keras', 'does not use Keras'),
    ('broken.py', K + 'def f(:\n  pass\n', r'broken.py:2; mend it'),
    ('words.py', K + 'K.dot(x y\n', r'words.py:2; mend it'),
    ('binary.py', '\0\0\1', 'it is no text'),
    ('deeper.py', K + 'x = ' + '+'.join(['1'] * 3000), 'nested too deeply'),
    ('deep.py', K + 'x = ' + '+'.join(['1'] * 10000), 'nested too deeply'),
    ('text.ipynb', notebook(MARKDOWN), 'has no cell with code'),
    ('none.ipynb', notebook(), 'has no cell with code'),
    ('blank.ipynb', notebook({'cell_type': 'code', 'source': []}), 'has no cell with code'),
    ('half.ipynb', '{"cells": [', 'its JSON is broken'),
    ('list.ipynb', '[3]', 'its JSON is broken'),
    ('r.ipynb', notebook({'cell_type': 'code', 'source': 'x <- 1'}, kernelspec={'language': 'R'}), 'written in r'),
]


@pytest.mark.parametrize(('name', 'text', 'words'), BAD, ids=[name for name, _, _ in BAD])
def test_migrate_refuses(name, text, words, tmp_path, monkeypatch, capsys):
    """One sentence on the output of errors; nothing is written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    writes = [] if sys.version_info < (3, 8) else ['--write', '--patch', 'a.patch']
    assert 2 == main(['migrate', name] + writes)
    out, err = capsys.readouterr()
    assert ('', 1) == (out, err.count('\n'))
    assert name in err
    assert words in err
    assert [name] == os.listdir(str(tmp_path))
    assert text == (tmp_path / name).read_text()


@pytest.mark.parametrize('name', ['never.py', ''])
def test_migrate_finds_nothing(name, tmp_path, monkeypatch, capsys):
    """A path that is not there, and a folder without programs."""
    monkeypatch.chdir(tmp_path)
    assert 2 == main(['migrate', name])
    assert 'cannot find' in capsys.readouterr().err
    assert 2 == main(['migrate', '.'])
    assert 'has no program in it' in capsys.readouterr().err


def test_no_patch_before_python_3_8(tmp_path, monkeypatch, capsys):
    """An older Python gives the report, and says what the patch needs."""
    import keras_backend.programs.migrate.code
    import keras_backend.programs.migrate.plan

    for module in keras_backend.programs.migrate.code, keras_backend.programs.migrate.plan:
        monkeypatch.setattr(module, 'HAS_ENDS', False)
    path = tmp_path / 'a.py'
    path.write_text(K + 'K.dot(x, y)\n')
    assert 0 == main(['migrate', str(path)])
    assert 'the patch needs Python 3.8 or later, and this is Python 3.' in capsys.readouterr().out
    assert 2 == main(['migrate', str(path), '--write'])
    assert '--write cannot be used here' in capsys.readouterr().err


def test_process_stays_as_it_was(tmp_path, capsys):
    """The check of the launcher of Keras 2 is used, and its cures are not: they are for the process of a program."""
    path = tmp_path / 'a.py'
    path.write_text(K + 'K.dot(x, y)\n')
    finders, variables = list(sys.meta_path), dict(os.environ)
    assert 0 == main(['migrate', str(path)])
    assert finders == sys.meta_path
    assert variables == dict(os.environ)
