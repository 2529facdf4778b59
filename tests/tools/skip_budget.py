"""A plugin of pytest that fails a run with more skipped tests than the environment variable TEST_SKIPS allows.

A machine without a compiler or a browser skips tests, and a run that says "passed" hides it. Each environment of
tox.ini says how many of its tests have a reason to be skipped there. Without TEST_SKIPS any number may be.
"""

import os

import pytest

ALLOWED = 'TEST_SKIPS'


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    allowed = os.environ.get(ALLOWED)
    reporter = session.config.pluginmanager.get_plugin('terminalreporter')
    if not allowed or reporter is None:
        return
    skipped = len(reporter.stats.get('skipped', []))
    if skipped > int(allowed):
        session.exitstatus = exitstatus or pytest.ExitCode.TESTS_FAILED
        reporter.write_line(f'\n{skipped} tests were skipped, and {ALLOWED} allows {allowed}: -rs says why.', red=True)
