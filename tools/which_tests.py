"""A plugin of pytest: coverage notes which test runs each line. tools/mutants.py uses it."""

import os

import coverage
import pytest


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    """Lines that run meanwhile belong to this test. Processes that it starts read the name of it in the environment."""
    measured = coverage.Coverage.current()
    measured.switch_context(item.nodeid)
    os.environ['COVERAGE_CONTEXT'] = item.nodeid
    yield
    os.environ.pop('COVERAGE_CONTEXT', None)
    measured.switch_context('')
