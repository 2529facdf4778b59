"""README.md says what is so: its code and its commands run, its numbers are counted, or a mark says why not."""

import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from checkout import ROOT, TESTS
from documents import fenced
from processes import environment, python

from keras_backend.config.keras_json import DEFAULTS
from keras_backend.contract import CONTRACT

BLOCKS = [(block.language, block.text, block.reason) for block in fenced('../README.md')]
# What the tests of this file do with a block of a language.
RUN = {'python', 'bash', 'text', 'json'}
SHOWN_IN_POWERSHELL = re.compile(r"\$env:(\w+) = '(\w+)'")


def texts(language):
    """The blocks of a language that are run."""
    return [text for kind, text, why_not in BLOCKS if kind == language and why_not is None]


def readme():
    """The text of the page, each paragraph on one line."""
    with open(os.path.join(ROOT, 'README.md'), encoding='utf-8') as file:
        return re.sub(r'\n(?=[^\n*|#`])\s*', ' ', file.read())


def test_every_block_is_run_or_marked():
    """A block that no test runs has a comment above it that says why; a mark stands above nothing else."""
    assert [] == [text for kind, text, why_not in BLOCKS if kind not in RUN and why_not is None]
    assert len(re.findall('<!-- not run', readme())) == len([1 for _, _, why_not in BLOCKS if why_not])
    assert 3 < len(texts('bash') + texts('python'))


def test_readme_prints_what_it_shows(tmp_path):
    """The first program prints the lines that stand below it."""
    (tmp_path / 'taste.py').write_text(texts('python')[0])
    status, out, err = python('taste.py', home=tmp_path, backend='numpy', cwd=tmp_path)
    assert (0, texts('text')[0]) == (status, out), err


def test_readme_code(tmp_path, monkeypatch):
    """The Python of the page runs from top to bottom; NumPy stands there for TensorFlow."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('KERAS_BACKEND', 'numpy')
    scope = {}
    for block in texts('python'):
        exec(block.replace("'tensorflow'", "'numpy'"), scope)
    assert (3, 2) == scope['K'].get_value(scope['w']).shape


@pytest.mark.skipif(os.name != 'posix', reason='the commands are for a POSIX shell')
@pytest.mark.parametrize('block', texts('bash'))
def test_readme_commands(tmp_path, block):
    """The commands for a POSIX shell succeed, one after the other, in a clone where `taste.py` was saved."""
    if 'digits' in block:
        pytest.importorskip('sklearn')
        pytest.importorskip('matplotlib')
        pytest.importorskip('tqdm')
    clone = tmp_path / 'clone'
    clone.mkdir()
    shutil.copytree(os.path.join(ROOT, 'examples'), str(clone / 'examples'))
    (clone / 'taste.py').write_text(texts('python')[0])
    (tmp_path / 'bin').mkdir()
    (tmp_path / 'bin' / 'python').symlink_to(sys.executable)
    variables = environment(
        tmp_path / 'home',
        PATH=os.pathsep.join([os.path.dirname(sys.executable), str(tmp_path / 'bin'), os.environ['PATH']]),
        MPLBACKEND='agg',
    )
    done = subprocess.run(
        ['/bin/sh', '-e', '-c', block],
        cwd=str(clone),
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=600,
    )
    assert 0 == done.returncode, done.stdout.decode()
    assert ('digits' in block) == (clone / 'digits.png').exists()


def test_notebooks_and_powershell_choose_the_same():
    """The lines for a shell, for PowerShell and for notebooks set the same variable to the same engine."""
    shown = SHOWN_IN_POWERSHELL.search('\n'.join(text for kind, text, _ in BLOCKS if kind == 'powershell')).groups()
    assert ('KERAS_BACKEND', 'numpy') == shown
    assert 'KERAS_BACKEND=numpy python taste.py' in '\n'.join(texts('bash'))
    assert "os.environ['KERAS_BACKEND'] = 'numpy'" in '\n'.join(texts('python'))


def test_readme_settings():
    """The keras.json of the page holds the defaults."""
    (block,) = texts('json')
    assert json.loads(block) == DEFAULTS


def test_numbers_of_functions():
    """As many functions of Keras 2.3.1 and of Keras 3's legacy backend are here as the page says.

    tests/data/public_names.json has what `dir` of the two modules says, without modules and imported helpers.
    """
    with open(os.path.join(TESTS, 'data', 'public_names.json'), encoding='utf-8') as file:
        named = json.load(file)
    counts = {title: (sum(name in CONTRACT for name in names), len(names)) for title, names in named.items()}
    two, three = (next(counts[title] for title in counts if title.startswith(word)) for word in ('Keras 2', 'Keras 3'))
    assert two[0] == two[1]
    assert f'K has all {two[0]} functions of `keras.backend` in Keras 2.3.1' in readme()
    assert '{} of the {} in the legacy backend of Keras 3'.format(*three) in readme()
    assert f'the other functions, {len(CONTRACT)} in all' in readme()


def test_figures_of_the_speed_table():
    """Each figure of the table of speeds is that of a recorded run, rounded."""
    columns = [('jax', 'JAX (jit)'), ('tensorflow', 'tf.function'), ('tensorflow', 'Keras 2.3.1 on TF 1.15')]
    works = {
        'MLP': 'MLP',
        'convolutions': 'conv',
        'LSTM': 'LSTM',
        'masked GRU': 'masked GRU',
        'embedding of 50,000 rows': 'embedding',  # the first of them
    }
    recorded = {}
    for engine, _ in columns:
        with open(os.path.join(ROOT, 'docs', 'benchmarks', engine + '.json'), encoding='utf-8') as file:
            recorded[engine] = json.load(file)['works']
    (table,) = re.findall(r'^\| work \|.*\n((?:\|.*\n)+)', readme(), re.MULTILINE)
    rows = [[cell.strip() for cell in line.strip('|').split('|')] for line in table.splitlines()[1:]]
    assert list(works) == [row[0] for row in rows]
    for work, *shown in rows:
        found = [
            next(each['ratios'][peer] for each in recorded[engine] if each['what'].startswith(works[work]))
            for engine, peer in columns
        ]
        assert [f'{ratio:.2f}' for ratio in found] == shown, work


def test_programs_are_counted():
    """There are as many programs as the page says."""
    programs = [name for name in os.listdir(os.path.join(TESTS, 'programs')) if name.endswith('.py')]
    programs = [name for name in programs if not name.startswith(('test_', '__', 'record'))]
    assert 50 < len(programs)
    assert 'over 50 programs' in readme()


def test_picture_is_there():
    """The picture of the page is a PNG of the size that matplotlib draws."""
    with open(os.path.join(ROOT, 'docs', 'digits.png'), 'rb') as file:
        head = file.read(24)
    assert b'\x89PNG\r\n\x1a\n' == head[:8]
    assert (np.frombuffer(head[16:24], '>u4') > 300).all()
