"""The last lines of .ci/run: what ran, and what failed."""

import os
import sys

import pytest
from checkout import ROOT

sys.path.append(os.path.join(ROOT, 'tools'))
import what_ran

CONFIGURED = """[testenv:one]
commands =
  pytest -m '' tests
  python -m keras_backend check torch

[testenv:two]
commands = pre-commit run --all-files
"""
PASSED = '===== 12 passed, 1 skipped in 3.20s =====\n'
CONFORMED = '====== 7 passed in 1.00s (0:00:01) ======\n'
RED = """E       assert 1 == 2
FAILED tests/test_a.py::test_b - assert 1 == 2
===== 1 failed, 11 passed in 3.20s =====
"""


def write(folder, environment, number, command, exit_code, output):
    """A log as tox writes it."""
    logs = folder / environment / 'log'
    logs.mkdir(parents=True, exist_ok=True)
    head = f'name: {environment}\nrun_id: commands\ncwd: /\ncmd: {command}\nexit_code: {exit_code}\n'
    (logs / f'{number}-commands.log').write_text(head + output)


@pytest.fixture
def ran(tmp_path, capsys):
    """Returns the exit status and the lines for the logs that the test has written."""

    def told():
        (tmp_path / 'commands').write_text(CONFIGURED)
        status = what_ran.main([str(tmp_path), str(tmp_path / 'commands')])
        return status, capsys.readouterr().out.splitlines()

    return told


def test_what_ran_and_passed(tmp_path, ran):
    write(tmp_path, 'one', 9, 'pytest', 0, PASSED)
    write(tmp_path, 'one', 10, 'check', 0, CONFORMED)
    write(tmp_path, 'two', 1, 'pre-commit', 0, 'Passed\n')
    status, lines = ran()
    assert (status, lines) == (0, ['one: 12 passed, 1 skipped in 3.20s; 7 passed in 1.00s', 'two: '])


def test_a_suite_that_did_not_run(tmp_path, ran):
    write(tmp_path, 'one', 1, 'pytest', 0, PASSED)
    status, lines = ran()
    assert (status, lines[-1]) == (1, 'one: 1 of 2 test suites came to their end')


@pytest.mark.parametrize(
    'said',
    [
        'The change does not reach the conformance tests on this engine.\n',
        '====== 128 deselected in 1.58s ======\n',
        '====== no tests ran in 0.05s ======\n',
        '128 deselected, 2 warnings in 1.58s (0:00:01)\n',
    ],
)
def test_what_a_plan_leaves_out_is_not_missing(said, tmp_path, ran, monkeypatch):
    """With a plan a suite may say that the change does not reach it. Without one it has to run."""
    write(tmp_path, 'one', 1, 'pytest', 0, PASSED)
    write(tmp_path, 'one', 2, 'check', 0, said)
    monkeypatch.setenv('TEST_PLAN', 'plan')
    assert ran()[0] == 0
    monkeypatch.delenv('TEST_PLAN')
    assert ran()[0] == 1


def test_what_failed_comes_last(tmp_path, ran):
    write(tmp_path, 'one', 1, 'pytest -m tests', 1, RED)
    write(tmp_path, 'two', 1, 'pre-commit', -9, 'a line\n' * 100)
    status, lines = ran()
    assert status == 1
    said = '\n'.join(lines[lines.index('What failed:') :])
    assert 'one: exit status 1 of pytest -m tests\n    E       assert 1 == 2\n    FAILED tests/test_a' in said
    assert 'two: exit status -9 of pre-commit\n    a line\n' in said


def test_a_long_failure_is_shortened(tmp_path, ran):
    for number in range(90):
        write(tmp_path, 'one', number, 'pytest', 1, f'FAILED {number} {"x" * 280}\n')
    _, lines = ran()
    said = '\n'.join(lines[lines.index('What failed:') :])
    assert len(said) < what_ran.LENGTH + 20
    assert 'FAILED 0 ' in said
    assert 'test suites came to their end' in said
