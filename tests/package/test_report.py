"""The report of `python -m keras_backend`, made in this process: what it says, and where it reads it."""

import json

import numpy as np
import pytest

import keras_backend
from keras_backend import config
from keras_backend.commands.report import Report, state


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Settings of their own."""
    monkeypatch.setenv('KERAS_HOME', str(tmp_path))
    monkeypatch.setenv('KERAS_BACKEND', 'numpy')
    config.settings.reset()
    yield tmp_path
    monkeypatch.undo()
    config.settings.reset()


def test_nothing_is_wrong(home):
    """The engine with its source, each setting, the hardware, and each engine: as lines, and as one object."""
    report = Report()
    lines = list(report.lines())
    assert lines[0].startswith(f'keras_backend {keras_backend.__version__} on Python 3.')
    assert '`import keras_backend` would use the numpy engine (the environment variable KERAS_BACKEND).' in lines
    assert any(line.split()[:2] == ['floatx', 'float32'] for line in lines)
    assert any(line.strip().startswith('NumPy ') and np.__version__ in line for line in lines)
    data = json.loads(json.dumps(report.data()))
    assert data['problems'] == []
    assert data['engines']['numpy']['installed']
    assert data['hardware']['threads'].startswith('1')


@pytest.mark.parametrize(
    ('engine', 'words'),
    [('numpi', 'numpi'), ('no_such_module_of_mine.engine', "there is no 'no_such_module_of_mine' on sys.path")],
)
def test_what_is_wrong(engine, words, home, monkeypatch):
    """A problem is told first, and the settings all the same."""
    monkeypatch.setenv('KERAS_BACKEND', engine)
    config.settings.reset()
    report = Report()
    lines = list(report.lines())
    assert '`import keras_backend` would fail:' in lines
    assert words in ''.join(report.problems)
    assert '  ' + report.problems[0] in lines
    assert 'Settings' in lines


def test_a_file_with_a_wrong_value(home):
    (home / 'keras.json').write_text('{"floatx": "float31"}')
    config.settings.reset()
    assert 'float31' in ''.join(Report().problems)


def test_state_of_an_engine_that_is_installed():
    """Its library and the version of that, on each Python."""
    assert state('numpy').startswith(f'NumPy {np.__version__}')
