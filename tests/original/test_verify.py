"""The original runs again where an input of its records has changed, and only there."""

import os
import shutil

import pytest
import record
import record_programs
import verify


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """A copy of the folder, and a list of the checks that ran there."""
    folder = tmp_path / 'tests' / 'original'
    shutil.copytree(record.FOLDER, str(folder))
    shutil.copy(os.path.join(record.FOLDER, '..', '..', 'tox.ini'), str(tmp_path / 'tox.ini'))
    monkeypatch.setattr(verify, 'FOLDER', str(folder))
    monkeypatch.setattr(verify, 'VERIFIED', str(folder / 'verified.txt'))
    monkeypatch.setattr(verify.sys, 'argv', ['verify.py'])
    found = []
    monkeypatch.setattr(record, 'main', lambda: found.append('cases') or 0)
    monkeypatch.setattr(record_programs, 'main', lambda arguments: found.append('programs') or 0)
    monkeypatch.setenv('TEST_TURN', '1')
    verify.write({})
    return found


def change(path, old, new):
    """Replace a piece of text in a file."""
    text = path.read_text(encoding='utf-8')
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding='utf-8')


def test_verified_inputs_are_not_run_again(ran):
    """One check verifies, the next has nothing to do, and the other version knows nothing of it."""
    assert 0 == verify.main([])
    assert 0 == verify.main([])
    assert ['cases', 'programs'] == ran
    assert ['2.3.1'] == list(verify.read())
    assert 0 == verify.main(['--keras224'])
    assert 4 == len(ran)


@pytest.mark.parametrize(
    ('path', 'old', 'new'),
    [
        ('tests/original/original_cases/c_conv.py', 'conv2d', 'conv3d'),
        ('tests/original/idioms/losses.py', 'K.mean', 'K.max'),
        ('tests/original/original.txt', '1', '2'),
        ('tests/original/original_run.py', 'TOGETHER = 50', 'TOGETHER = 51'),
        ('tox.ini', 'tensorflow ==1.15.5', 'tensorflow ==1.15.4'),
    ],
)
def test_a_changed_input_is_run_again(ran, tmp_path, path, old, new):
    """A case, a program, a record, how it is run, a version."""
    verify.main([])
    change(tmp_path.joinpath(*path.split('/')), old, new)
    verify.main([])
    assert 4 == len(ran)


def test_without_a_turn_all_is_run(ran, monkeypatch):
    """As in the weekly workflow."""
    verify.main([])
    monkeypatch.delenv('TEST_TURN')
    verify.main([])
    assert 4 == len(ran)


def test_a_failed_check_is_not_verified(ran, monkeypatch):
    """Nothing is written."""
    monkeypatch.setattr(record_programs, 'main', lambda arguments: 1)
    assert 1 == verify.main([])
    assert {} == verify.read()
