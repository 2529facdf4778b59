"""`--keras VERSION` of the launcher of Keras 2: what it installs, and where."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from processes import python

from keras_backend.basics import installed
from keras_backend.errors import WrongKeras
from keras_backend.programs.keras2 import versions


@pytest.fixture
def commands(home, monkeypatch):
    """The commands that would install; each makes the folder that it was given. Only pip and NumPy are there."""
    found = []

    def run(command, **_options):
        os.makedirs(os.path.join(command[command.index('--target') + 1], 'keras'))
        found.append(command)
        return SimpleNamespace(returncode=0, stdout='')

    monkeypatch.setattr(subprocess, 'run', run)
    monkeypatch.setattr(installed, 'spec', lambda module: module if module == 'pip' else None)
    return found


@pytest.mark.parametrize('version', versions.VERSIONS)
def test_all_that_keras_imports_is_installed(version, commands):
    """In the environment that `pip install .` makes."""
    folder = versions.make(version)
    (command,) = commands
    assert {f'keras=={version}', 'scipy', 'h5py', 'pyyaml', 'six'} <= set(command)
    assert [folder] == [versions.make(version)]
    assert 1 == len(commands)


def test_each_python_has_its_own(commands, monkeypatch):
    """What is compiled for one does not run on another."""
    first = versions.make('2.2.4')
    monkeypatch.setattr(sys, 'version_info', (3, 99, 0))
    second = versions.make('2.2.4')
    assert first != second
    assert 2 == len(commands)


def test_home_that_cannot_be_written(tmp_path):
    """One sentence says what to set."""
    (tmp_path / 'a.py').write_text('import keras\n')
    (tmp_path / 'home').write_text('a file')
    arguments = ['-m', 'keras_backend.keras2', '--keras', '2.2.4', 'a.py']
    status, out, err = python(*arguments, home=tmp_path / 'home', cwd=tmp_path)
    assert (2, '') == (status, out)
    assert 'Set KERAS_HOME to a folder that can be written.' in err
    assert 'Traceback' not in err


def test_version_that_is_none():
    with pytest.raises(WrongKeras, match='the versions that run here are'):
        versions.version_asked_for('7')
