"""`check --write-expected FILE`: the list of expected failures is what a run has found, and keeps what people wrote."""

import io

import pytest
from documents import fenced

pytest.importorskip('hypothesis')

from keras_backend import conformance
from keras_backend.conformance import _writing, expected

ENGINE = """
from keras_backend.engines import numpy_backend as _n
from keras_backend.engines.numpy_backend import *


def exp(x):
    return _n.exp(x) * 1.001


def sin(x):
    return _n.sin(x) * 1.001
"""
QUICK = ('-k', 'test_elementwise and test_edges and (exp- or sin- or cos-)')
# Modules that have none of these tests need not be read.
ALONE = (*QUICK, '--ignore-glob=*/test_[!e]*.py')
EDGES = 'test_elementwise.py::test_edges'


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Writes the list of an engine with two mistakes; returns the exit status, the report and the list."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / 'engine_of_wrong_waves.py').write_text(ENGINE)
    path = tmp_path / 'expected.txt'

    def run(*extra, text=None, **options):
        if text is not None:
            path.write_text(text)
        stream = io.StringIO()
        options.setdefault('write_expected', str(path))
        status = conformance.run('engine_of_wrong_waves', extra or QUICK, stream=stream, **options)
        return status, stream.getvalue(), path.read_text() if path.exists() else None

    return run


def test_new_list(run):
    """Every failing test is in it, sorted, with its message; and the next run passes with it."""
    status, report, text = run(*ALONE)
    assert status == 0
    ids = [line.partition(': ')[0] for line in text.splitlines()]
    assert [f'{EDGES}[{name}-{dtype}]' for name in ('exp', 'sin') for dtype in ('float32', 'float64')] == ids
    assert all(line.partition(': ')[2].strip() for line in text.splitlines())
    assert 'expected.txt: 4 expected failures, 4 of them new' in report
    status, report, _ = run(*ALONE, expected=None, write_expected=None)
    assert status == 1
    status, report, again = run(*ALONE)
    assert (0, text, True) == (status, again, '4 expected failures, 0 of them new' in report)


def test_old_reasons_are_kept(run):
    """Reasons and comments stay, stale entries are named and go, entries that were not tried stay."""
    old = [
        '# The engine of waves.',
        '',
        '# Not yet.',
        f'{EDGES}[sin-float32]: rounds: badly',
        f'{EDGES}[cos-float32]: was wrong',
        f'{EDGES}_of_yesterday: gone',
        'test_dtypes.py::test_integers_of_every_dtype: not run here',
        f'{EDGES}[exp-*]: of the approximation',
        '# The end.',
    ]
    status, report, text = run(text='\n'.join(old) + '\n')
    assert status == 0, report
    lines = text.splitlines()
    assert old[:2] == lines[:2]
    assert f'{EDGES}[exp-*]: of the approximation' in lines
    assert lines.index(old[2]) + 1 == lines.index(old[3])
    assert 'test_dtypes.py::test_integers_of_every_dtype: not run here' in lines
    assert '# The end.' == lines[-1]
    assert f'{EDGES}[cos-float32]: removed, its test passes (was wrong)' in report
    assert f'{EDGES}_of_yesterday: removed, no test has this name (gone)' in report
    assert f'  new: {EDGES}[sin-float64]\n' in report
    assert not any('cos' in line or 'yesterday' in line for line in lines)


@pytest.mark.slow
def test_entry_of_many_tests(run):
    """An entry of which some tests pass now becomes the entries of the others."""
    status, report, text = run(text=f'{EDGES}: all of them\n')
    assert status == 0
    assert 4 == text.count(': all of them\n')
    assert f'{EDGES}: 2 of its 6 tests pass; the others are listed' in report


@pytest.mark.slow
def test_lists_that_cannot_be_written(run, tmp_path):
    """A folder, and a run without a test: nothing is written, in one sentence."""
    status, report, _ = run(write_expected=str(tmp_path))
    assert (2, True) == (status, 'check: --write-expected' in report)
    status, report, text = run('-k', 'no_such_test')
    assert (2, None, True) == (status, text, 'Nothing was written to' in report)


def test_colon_in_an_id():
    """An id with a colon and a space in it can be listed, too."""
    test = 'test_a.py::test_b[of: this]'
    assert _writing.entry_of(test) == expected.match({_writing.entry_of(test): 'x'}, test)


def test_workflow_of_an_engine():
    """The workflow of docs/writing-an-engine.md runs `check` with options that it has."""
    yaml = pytest.importorskip('yaml')
    (text,) = [block.text for block in fenced('writing-an-engine.md') if block.language == 'yaml']
    commands = [step['run'] for step in yaml.safe_load(text)['jobs']['check']['steps'] if 'run' in step]
    assert 'python -m keras_backend check lazy --expected expected.txt --report lazy.json -n auto' == commands[-1]
