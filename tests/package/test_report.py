"""The report of `python -m keras_backend`, made in this process: what it says, and where it reads it."""

import json

import numpy as np
import pytest

import keras_backend
from keras_backend import config, loader
from keras_backend.basics import installed
from keras_backend.commands import devices
from keras_backend.commands.report import Report, state
from keras_backend.errors import EngineImportFailed


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


def test_a_file_that_cannot_be_read(home):
    """Nothing else can be told, and the sentence stands there once."""
    (home / 'keras.json').write_text('[1, 2')
    config.settings.reset()
    report = Report()
    assert len(report.problems) == 1
    assert 'keras.json' in report.problems[0]
    assert (report.file, report.settings) == (None, [])
    assert '  ' + report.problems[0] in list(report.lines())


def test_an_engine_that_cannot_be_asked(home, monkeypatch):
    def ask(name, source):
        raise EngineImportFailed(f'{name} ends the process', name)

    monkeypatch.setattr(devices, 'ask', ask)
    report = Report()
    assert report.problems == ['numpy ends the process']
    assert report.devices is None


def test_an_engine_whose_library_is_not_installed(home, monkeypatch):
    spec = installed.spec
    monkeypatch.setattr(installed, 'spec', lambda name: None if name == 'numpy' else spec(name))
    report = Report()
    (problem,) = report.problems
    assert (problem, report.devices) == (loader.not_installed('numpy', 'the environment variable KERAS_BACKEND'), None)


def test_remarks_of_the_report(home, monkeypatch):
    monkeypatch.setattr(devices, 'ask', lambda name, source: devices.Devices('CPU', '1'))
    (home / 'keras.json').write_text(
        '{"flaotx": "float32", "image_dim_ordering": "th", "image_data_format": "channels_last"}'
    )
    config.settings.reset()
    report = Report()
    misspelt, contradicted = report.remarks
    assert 'flaotx' in misspelt
    assert "image_dim_ordering is 'th' and was ignored" in contradicted
    assert {'Remark: ' + misspelt, 'Remark: ' + contradicted} <= set(report.lines())
    assert report.problems == []


def test_a_file_with_a_wrong_value(home):
    (home / 'keras.json').write_text('{"floatx": "float31"}')
    config.settings.reset()
    assert 'float31' in ''.join(Report().problems)


def test_state_of_an_engine_that_is_installed():
    """Its library and the version of that, on each Python."""
    assert state('numpy').startswith(f'NumPy {np.__version__}')
