"""What `python -m pytest` runs in a checkout, what it leaves out, and what it says where something is absent."""

import os
import re
import subprocess
import sys

import pytest
from checkout import ROOT
from shares import one_in

# As if modules were not installed.
WITHOUT = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name in {absent!r} else find(name, *rest)
import pytest
pytest.__version__ = {version!r} or pytest.__version__
sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider']))
"""


def said(*command):
    """(status, lines) of a command in the checkout, on NumPy."""
    environment = dict(os.environ, KERAS_BACKEND='numpy')
    for name in ('TEST_ENGINE', 'SITE', 'PYTEST_ADDOPTS'):
        environment.pop(name, None)
    command = [sys.executable, *command]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, [line for line in done.stdout.decode().splitlines() if line.strip()]


@pytest.mark.parametrize(
    ('absent', 'version', 'words'),
    one_in(
        3,
        [
            (['scipy', 'hypothesis'], '', 'scipy and hypothesis'),
            (['hypothesis'], '', 'hypothesis'),
            ([], '6.2.5', 'pytest 7 or later'),
        ],
    ),
)
def test_absent_packages_are_named(absent, version, words):
    """One line says what the tests need and what to type."""
    status, lines = said('-c', WITHOUT.format(absent=absent, version=version))
    assert status
    assert [f'ERROR: The tests need {words}; type: pip install ".[test]"'] == lines


@pytest.mark.slow
def test_slow_tests_are_left_out():
    """The conformance tests are part of the run. The last line counts the slow tests, which `-m ""` takes in."""
    listing = ['-m', 'pytest', '--collect-only', '-q', '-p', 'no:cacheprovider']
    status, lines = said(*listing)
    assert not status, lines[-9:]
    left_out, way = re.match(r'(\d+) slow tests were left out\. To run all: python (.*)', lines[-1]).groups()
    assert '-m pytest -m ""' == way
    fast = {line for line in lines if '::' in line}
    assert len(fast) > 4000
    assert any('conformance/test_traps.py' in line for line in fast)
    status, lines = said(*listing, '-m', '')
    assert not status, lines[-9:]
    every = {line for line in lines if '::' in line}
    assert fast < every
    assert len(every - fast) <= int(left_out)
