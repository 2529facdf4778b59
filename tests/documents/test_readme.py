"""README.md says what is so: its code and its commands run, its numbers are counted, or a mark says why not."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from checkout import ROOT, TESTS
from documents import fenced
from processes import environment, python

from keras_backend.contract import CONTRACT
from keras_backend.engines.table import ENGINES

sys.path.append(os.path.join(ROOT, 'tools'))
import readme_commands

BLOCKS = [(block.language, block.text, block.reason) for block in fenced('../README.md')]
# What the tests of this file do with a block of a language.
RUN = {'python', 'bash', 'text'}


def texts(language):
    """The blocks of a language that are run."""
    return [text for kind, text, why_not in BLOCKS if kind == language and why_not is None]


def readme():
    """The text of the page, each paragraph on one line."""
    with open(os.path.join(ROOT, 'README.md'), encoding='utf-8') as file:
        return re.sub(r'\n(?=[^\n*|#`])\s*', ' ', file.read())


def test_length():
    """The page has at most 900 words, as `wc -w` counts them."""
    with open(os.path.join(ROOT, 'README.md'), encoding='utf-8') as file:
        assert len(file.read().split()) <= 900


def test_line_for_python_3_6():
    """What the pip of Python 3.6 needs stands before the commands, which are two lines."""
    before = readme().partition('```bash')[0]
    assert ['pip install -U pip==21.3.1'] == readme_commands.CURE.findall(before)
    first = next(text for language, text, _ in BLOCKS if language == 'bash').splitlines()
    assert 2 == len(first)
    assert first == readme_commands.commands(sys.executable)[-2:]


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists(os.path.join(ROOT, '.git')), reason='is not in the source distribution')
def test_first_commands(tmp_path):
    """The two commands of the first screen do in an empty environment what the page says; pip needs its index."""
    readme_commands.run(sys.executable, str(tmp_path))


def test_claim_about_the_tests():
    """A run writes the number of tests and the minutes into the page; a number that is a tenth away is refused."""
    printed = '== 12345 passed, 5 skipped, 9 deselected in 250.41s (0:04:10) ==\n'
    passed, seconds = readme_commands.of_tests(printed)
    assert (12345, 250.41) == (passed, seconds)
    with open(os.path.join(ROOT, 'README.md'), encoding='utf-8') as file:
        text = file.read()
    written = readme_commands.write_claim(passed, seconds, text)
    assert 'The second runs 12,300 tests, in four minutes.' in written
    readme_commands.check_claim(passed, written)
    for number, page in ((11000, written), (13600, written), (passed, '')):
        with pytest.raises(readme_commands.Failed, match='README'):
            readme_commands.check_claim(number, page)
    assert 'in a minute.' in readme_commands.write_claim(passed, 3.0, text)
    with pytest.raises(readme_commands.Failed, match='does not say'):
        readme_commands.of_tests('1 failed in 2.00s')


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
    clone = tmp_path / 'clone'
    clone.mkdir()
    (clone / 'taste.py').write_text(texts('python')[0])
    (tmp_path / 'bin').mkdir()
    (tmp_path / 'bin' / 'python').symlink_to(sys.executable)
    variables = environment(
        tmp_path / 'home',
        PATH=os.pathsep.join([os.path.dirname(sys.executable), str(tmp_path / 'bin'), os.environ['PATH']]),
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
    assert f'{len(CONTRACT)} functions in all' in readme()


def test_figures_of_the_speed_table():
    """Each figure of the table of speeds is that of a recorded run, rounded."""
    columns = [('jax', 'JAX (jit)'), ('torch', 'PyTorch eager'), ('tensorflow', 'Keras 2.3.1 on TF 1.15')]
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
            record = json.load(file)
        recorded[engine] = record['works']
        assert 'One thread' in record['how']
        assert record['machine'].startswith('A virtual machine with two cores')
        assert f'on one thread of a virtual machine with two cores, in {record["date"]}:' in readme()
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
    assert 90 < len(programs)
    assert 'over 90 programs' in readme()


def test_picture_shows_what_is_recorded():
    """The picture is a PNG that a phone loads quickly, and the page says of how many libraries and steps it is."""
    with open(os.path.join(ROOT, 'docs', 'losses.png'), 'rb') as file:
        picture = file.read()
    assert b'\x89PNG\r\n\x1a\n' == picture[:8]
    assert (np.frombuffer(picture[16:24], '>u4') > 600).all()
    assert len(picture) < 100000
    with open(os.path.join(ROOT, 'docs', 'losses.json'), encoding='utf-8') as file:
        record = json.load(file)
    assert [80] * 8 == [len(run['losses']) for run in record.values()]
    assert 'in 80 steps, on 8 libraries' in readme()
    assert 'trained on eight libraries' in readme()


def test_table_of_engines():
    """The page has each engine, with an extra and the Pythons of its libraries."""
    (table,) = re.findall(r'^\| engine \|.*\n((?:\|.*\n)+)', readme(), re.MULTILINE)
    rows = {
        row[0].strip('`'): row[1:]
        for row in ([c.strip() for c in line.split('|')[1:4]] for line in table.splitlines()[1:])
    }
    assert {*ENGINES, 'inside Keras 3'} == set(rows)
    assert 'on seven engines' in readme()
    assert 7 == len(rows)
    for name, engine in ENGINES.items():
        install, pythons = rows[name]
        ranges = [library.pythons for library in engine.libraries]
        newest = (3, 13) if None in [each.newest for each in ranges] else max(each.newest for each in ranges)
        oldest = min(each.oldest for each in ranges)
        assert pythons == (' to ' if oldest < newest else '').join(
            '{}.{}'.format(*each) for each in sorted({oldest, newest})
        )
        assert set(re.findall(r'\[([\w-]+)\]', install)) == set(engine.extras)


def test_badges():
    """The badges say the license and the Pythons of pyproject.toml."""
    with open(os.path.join(ROOT, 'pyproject.toml'), encoding='utf-8') as file:
        project = file.read()
    pythons = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project)
    assert f'[![Python {pythons[0]} to {pythons[-1]}]' in readme()
    assert f'/python-{pythons[0]}_to_{pythons[-1]}-' in readme()
    assert 'License :: OSI Approved :: MIT License' in project
    assert '[![License: MIT](https://img.shields.io/badge/license-MIT-blue)](LICENSE)' in readme()
