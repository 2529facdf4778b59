"""The pytest plugins of the conformance tests: missing functions and expected failures; the table at the end."""

import os
import time
from collections import OrderedDict, defaultdict

import pytest

from ..contract import CONTRACT
from ..errors import UnsupportedByEngine
from . import expected

HERE = os.path.dirname(os.path.abspath(__file__))
ORIGINS = {'engine': 'present', 'setting': 'present', 'composed': 'composed', 'missing': 'missing'}


def test_id(item):
    """The id of a test in the spelling of the lists of expected failures. It does not depend on the working folder."""
    return f'{os.path.basename(str(item.fspath))}::{item.name}'


def own(items):
    """The conformance tests among `items`: they may be a part of a larger run."""
    return [item for item in items if os.path.dirname(os.path.abspath(str(item.fspath))) == HERE]


def covered(item):
    """The names of the K functions that a test is about."""
    return [name for mark in item.iter_markers('covers') for name in mark.args]


class Report:
    """Collects the results of the tests for one engine.

    counts : name of a K function -> outcome ('passed', 'failed', 'missing', 'expected') -> number of tests
    first :  name of a K function -> (test id, message) of its first failure
    """

    def __init__(self, engine, K, entries, source):
        self.engine, self.K, self.entries, self.source = engine, K, entries, source
        self.origins = K._engine.origins
        self.counts = defaultdict(lambda: defaultdict(int))
        self.total = defaultdict(int)
        self.first = {}
        self.uncovered = []
        self.whole = True
        self.collected = 0
        self.unmatched = []

    # -- before ------------------------------------------------------------------------------------------------------
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config, items):
        seen, files, names = set(), set(), set()
        for item in own(items):
            test = test_id(item)
            item.user_properties += [('test', test), ('covers', covered(item))]
            names.update(covered(item))
            files.add(test.split('::')[0])
            entry = expected.match(self.entries, test)
            if entry is not None and not self.lacking(item):
                seen.add(entry)
                item.add_marker(pytest.mark.xfail(reason=self.entries[entry], strict=True))
        here = set(os.listdir(HERE))
        self.whole = files == {name for name in here if name.startswith('test_') and name.endswith('.py')}
        if any('::' in argument for argument in config.args):
            self.whole = False
            return  # with a selection of tests, most entries of the list match nothing
        self.unmatched = [
            entry
            for entry in self.entries
            if entry not in seen and (entry.split('::')[0] in files | {None} or entry.split('::')[0] not in here)
        ]
        if self.whole:
            self.uncovered = [name for name in CONTRACT if name not in names]

    def pytest_deselected(self, items):
        self.whole = False

    def pytest_collection_finish(self, session):
        self.collected = len(session.items)

    # -- during ------------------------------------------------------------------------------------------------------
    def lacking(self, item):
        """The functions that a test is about and that the engine says it lacks. Such a test does not run."""
        return [name for name in covered(item) if self.origins.get(name) == 'missing']

    def pytest_runtest_setup(self, item):
        if self.lacking(item):
            pytest.skip(f'missing: K.{self.lacking(item)[0]}')

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        error = call.excinfo.value if call.excinfo is not None else None
        if report.failed and isinstance(error, UnsupportedByEngine) and (self.origins.get(error.function) == 'missing'):
            report.outcome = 'skipped'
            report.longrepr = (str(item.fspath), 0, f'missing: needs K.{error.function}')

    def pytest_runtest_logreport(self, report):
        properties = dict(report.user_properties)
        kind = self.kind(report)
        if kind is None:
            return
        self.total[kind] += 1
        for name in properties.get('covers', ()):
            self.counts[name][kind] += 1
            if kind == 'failed':
                self.first.setdefault(name, (properties.get('test'), self._message(report)))

    @staticmethod
    def kind(report):
        """The outcome of a test that a report of one of its phases decides, or None."""
        if report.failed:
            return 'failed'
        if report.skipped:
            if hasattr(report, 'wasxfail'):
                return 'expected'
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            return 'missing' if 'missing: ' in reason else 'skipped'
        return 'passed' if report.when == 'call' else None

    @staticmethod
    def _message(report):
        crash = getattr(report.longrepr, 'reprcrash', None)
        text = crash.message if crash is not None else str(report.longrepr)
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return ' '.join(lines[:3])[:160]

    # -- after -------------------------------------------------------------------------------------------------------
    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error):
        """Take over what a worker of pytest-xdist has collected: the process that counts collects nothing itself."""
        report = getattr(node, 'workeroutput', {}).get('conformance')
        if report is None:
            self.whole = False  # it has crashed
        else:
            self.whole, self.collected, self.unmatched = self.whole and report[0], report[1], report[2]

    def pytest_sessionfinish(self, session, exitstatus):
        if hasattr(session.config, 'workeroutput'):
            session.config.workeroutput['conformance'] = (self.whole, self.collected, self.unmatched)
        if exitstatus == 0 and self.unmatched:
            session.exitstatus = 1

    def lines(self):
        """The lines of the table."""
        yield ''
        yield f'Conformance of {self.engine} ({self.K._engine.title})'
        topic = None
        for name, entry in CONTRACT.items():
            # A run of all tests shows what is missing. A selection shows what it is about.
            if not self.counts[name] and not (self.whole and self.origins.get(name) == 'missing'):
                continue
            if entry.category != topic:
                topic = entry.category
                yield ''
                yield f'{topic:41} {"passed":>7} {"failed":>7} {"expected":>9}'
            counts = self.counts[name]
            yield '  {:28} {:10} {:>7} {:>7} {:>9}{}'.format(
                name,
                ORIGINS.get(self.origins.get(name), '?'),
                counts['passed'],
                counts['failed'] or '-',
                counts['expected'] or '-',
                '  {}: {}'.format(*self.first[name]) if name in self.first else '',
            )
        yield ''
        for entry in self.unmatched:
            yield f'{self.source}: the entry {entry!r} matches no test that runs; remove it.'
        origins = OrderedDict((word, 0) for word in ('present', 'composed', 'missing'))
        for name in CONTRACT:
            origins[ORIGINS.get(self.origins.get(name), 'missing')] += 1
        yield 'functions: {}'.format(', '.join(f'{number} {word}' for word, number in origins.items()))
        words = [
            ('passed', 'passed'),
            ('failed', 'failed'),
            ('expected', 'failed as expected'),
            ('missing', 'of missing functions'),
            ('skipped', 'skipped'),
        ]
        yield 'tests: {}'.format(
            ', '.join(
                f'{self.total[kind]} {word}' for kind, word in words if self.total[kind] or kind in ('passed', 'failed')
            )
        )


class Table:
    """Shows a Report: how far the run is, and the table at the end. A larger run leaves it out."""

    def __init__(self, report):
        self.report, self.terminal = report, None
        self.collected, self.ran, self.shown = 0, set(), 0.0

    def pytest_collection_finish(self, session):
        self.collected = len(session.items)
        self.terminal = session.config.pluginmanager.get_plugin('terminalreporter')

    @pytest.hookimpl(hookwrapper=True)
    def pytest_report_teststatus(self, report, config):
        """No dots: a line counts the tests. With -v pytest writes what it always writes."""
        outcome = yield
        if config.option.verbose < 0:
            category, _letter, _word = outcome.get_result()
            outcome.force_result((category, '', ''))

    def pytest_runtest_logreport(self, report):
        """Tell a terminal how far the run is, a few times in a second."""
        self.ran.add(report.nodeid)
        if self.terminal is not None and self.terminal.isatty and time.time() - self.shown > 0.2:
            self.shown = time.time()
            failed = f', {self.report.total["failed"]} failed' if self.report.total['failed'] else ''
            self.terminal.rewrite(f'{len(self.ran)} of {self.collected} tests{failed}', erase=True)

    def pytest_terminal_summary(self, terminalreporter):
        if terminalreporter.isatty:
            terminalreporter.rewrite('', erase=True)
        for line in self.report.lines():
            terminalreporter.write_line(line)


# -- support -----------------------------------------------------------------------------------------------------------
# What an engine supports, without running a test: the origin of each function, and the tests known to fail. A run of
# the conformance tests fails if an expected failure passes, or if another test fails. So what is said here holds
# wherever such a run succeeds.


class Support:
    """A pytest plugin that counts, for each K function, the collected tests that are expected to fail.

    `expected` is a dict from the name of a K function to that number. Functions without such a test are not in it.
    """

    def __init__(self):
        self.expected = {}

    def pytest_collection_finish(self, session):
        for item in session.items:
            if item.get_closest_marker('xfail') is not None:
                for name in covered(item):
                    self.expected[name] = self.expected.get(name, 0) + 1
