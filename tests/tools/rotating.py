"""A plugin of pytest that runs a share of the slowest tests, another share for each day and environment of tox.

    TEST_TURN=20787 python -m pytest -p rotating --rotate=test_original.py:4 tests/original
    TEST_TURN=20787 python -m keras_backend check jax -p rotating --rotate=test_no_rows:4

`--rotate=WORD:N` runs one in N of the tests whose ids contain WORD, and all others. The environment variable TEST_TURN,
an integer, says which. .ci/run takes the day of the commit, so a run can be repeated, a mend of the same day runs the
same tests, and N days see every test once. Environments of tox take other shares, so that one day sees many tests, and
no long test runs in all of them.
Without TEST_TURN every test runs; so do the weekly workflow and tox on its own.

A module whose tests share work names the groups: `ROTATES_BY(item)` returns what the tests of one group have in common.
"""

import os
import zlib

import pytest

TURN = 'TEST_TURN'
# Which environment runs: tox sets it.
PLACE = 'TOX_ENV_NAME'


def share(text):
    """The word and the number of `--rotate=WORD:N`."""
    word, _, number = text.rpartition(':')
    if not word or not number.isdigit() or int(number) < 1:
        raise ValueError(f'--rotate takes WORD:N, such as test_no_rows:4, and was given {text!r}.')
    return word, int(number)


def pytest_addoption(parser):
    group = parser.getgroup('keras_backend')
    group.addoption('--rotate', action='append', default=[], type=share, metavar='WORD:N', help='run one in N of these')


def turn():
    """The turn that the environment asks for, or None for all tests."""
    text = os.environ.get(TURN, '')
    return int(text, 0) if text else None


def group(item):
    """What decides whether a test runs: its id, or the group that its module puts it in."""
    name = getattr(item.module, 'ROTATES_BY', None)
    text = item.nodeid.rpartition('/')[2] if name is None else f'{item.module.__name__} {name(item)}'
    return zlib.crc32(f'{os.environ.get(PLACE, "")} {text}'.encode())


def runs(item, shares, now):
    """Whether the turn of a test has come."""
    for word, number in shares:
        if word in item.nodeid:
            return (group(item) - now) % number == 0
    return True


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    shares, now = config.getoption('rotate'), turn()
    if now is None or not shares:
        return
    chosen = [item for item in items if runs(item, shares, now)]
    config.hook.pytest_deselected(items=[item for item in items if not runs(item, shares, now)])
    items[:] = chosen


def pytest_report_header(config):
    if config.getoption('rotate'):
        said = ', '.join(f'one in {number} of {word}' for word, number in config.getoption('rotate'))
        place = os.environ.get(PLACE, '')
        again = f'to repeat it, set {TURN}={turn()}' + (f' {PLACE}={place}' if place else '')
        return f'rotating: {said}; ' + ('all run' if turn() is None else again)
    return None
