"""The plugins of pytest that CI uses: a share of the tests for each commit, and a budget of skips."""

import os
import subprocess
import sys

import pytest
from checkout import TESTS

EXAMPLE = """
import pytest

@pytest.mark.parametrize('n', range(200))
def test_slow(n):
    pass

def test_quick():
    pass

@pytest.mark.skipif(True, reason='on purpose')
def test_skipped():
    pass
"""
GROUPED = """
import pytest

@pytest.mark.parametrize('n', range(200))
def test_slow(n):
    pass

def ROTATES_BY(item):
    return item.callspec.params['n'] // 10
"""


@pytest.fixture
def run(tmp_path):
    """Runs pytest on a module with the two plugins; returns the exit status and what it said."""

    def run(*arguments, text=EXAMPLE, **variables):
        (tmp_path / 'test_example.py').write_text(text)
        (tmp_path / 'pytest.ini').write_text('[pytest]\n')
        environment = {name: value for name, value in os.environ.items() if not name.startswith(('TEST_', 'PYTEST'))}
        environment.update(variables, PYTHONPATH=os.path.join(TESTS, 'tools'))
        command = [sys.executable, '-m', 'pytest', '-p', 'rotating', '-p', 'skip_budget', '-p', 'no:cacheprovider']
        done = subprocess.run(
            command + list(arguments),
            cwd=str(tmp_path),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )
        return done.returncode, done.stdout

    return run


def passed(said):
    """The ids of the tests that passed, of a run with -v."""
    return {line.split(' ')[0] for line in said.splitlines() if ' PASSED' in line}


def test_turns_share_the_tests(run):
    """Each turn runs other ones, all turns all of them, and the others run each time."""
    shares = [passed(run('-v', '--rotate', 'test_slow:4', TEST_TURN=str(turn))[1]) for turn in range(4)]
    assert all(30 < len(share) < 75 for share in shares)
    assert all('test_example.py::test_quick' in share for share in shares)
    assert 201 == len(set.union(*shares))
    assert 201 + 3 == sum(map(len, shares))


def test_a_turn_can_be_repeated(run):
    """It is the same each time, and may be written as a commit is."""
    first, second = (run('-v', '--rotate', 'test_slow:4', TEST_TURN=turn)[1] for turn in ('0x7bb1995', '129702293'))
    assert passed(first) == passed(second)
    assert 'one in 4 of test_slow; to repeat it, set TEST_TURN=129702293' in first


def test_environments_take_other_shares(run):
    """Each has about as many tests, and they are not the same."""
    places = 'py313-torch', 'py313-jax'
    first, second = (run('-v', '--rotate', 'test_slow:4', TEST_TURN='1', TOX_ENV_NAME=place)[1] for place in places)
    assert 'set TEST_TURN=1 TOX_ENV_NAME=py313-torch' in first
    assert all(30 < len(passed(said)) < 75 for said in (first, second))
    assert len(passed(first) & passed(second)) < 30


def test_without_a_turn_every_test_runs(run):
    """As in the weekly workflow."""
    status, said = run('-v', '--rotate', 'test_slow:4')
    assert 0 == status
    assert 201 == len(passed(said))


def test_groups_stay_together(run):
    """A module says which of its tests share work."""
    found = passed(run('-v', '--rotate', 'test_slow:3', text=GROUPED, TEST_TURN='2')[1])
    groups = {int(name.partition('[')[2][:-1]) // 10 for name in found}
    assert len(found) == 10 * len(groups)
    assert 0 < len(groups) < 20


def test_a_share_is_checked(run):
    """A word alone says not how many."""
    status, said = run('--rotate', 'test_slow')
    assert 0 != status
    assert 'test_slow' in said


def test_one_skip_more_is_a_failure(run):
    """The line says how many there were."""
    assert 0 == run()[0]
    assert 0 == run(TEST_SKIPS='1')[0]
    status, said = run(TEST_SKIPS='0')
    assert 1 == status
    assert '1 tests were skipped, and TEST_SKIPS allows 0: -rs says why.' in said
