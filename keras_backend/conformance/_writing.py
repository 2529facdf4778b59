"""`check --write-expected FILE`: the list of expected failures that the run has found, for the author of an engine."""

from collections import OrderedDict

from ._results import FINISHED, write
from .expected import match

LONGEST_REASON = 100
PASSES = '[XPASS(strict)]'  # what pytest says of a test that passes though it is expected to fail


class Writing:
    """A pytest plugin that collects which tests fail, and writes the list at the end.

    tests: test id -> 'failed', 'expected' or 'passed'; messages: test id -> what its failure says
    old: the file whose reasons and comments are kept, or None
    """

    def __init__(self, path, old):
        self.path, self.old = path, old
        self.tests, self.messages, self.report = OrderedDict(), {}, None

    def pytest_sessionstart(self, session):
        self.report = session.config.pluginmanager.get_plugin('conformance-report')

    def pytest_runtest_logreport(self, report):
        test, kind = dict(report.user_properties).get('test'), self.report.kind(report)
        if test is None or kind not in ('failed', 'expected', 'passed'):
            return
        if kind == 'failed' and str(report.longrepr).startswith(PASSES):
            kind = 'passed'
        if kind == 'failed':
            self.messages[test] = self.report._message(report)
        if self.tests.get(test) != 'failed':
            self.tests[test] = kind

    def finish(self, status):
        """Write the file; returns lines about it. A run that was stopped leaves the file that was there."""
        if status not in FINISHED or not self.tests:
            reason = 'no test ran' if status in FINISHED else 'the run did not come to its end'
            return [f'Nothing was written to {self.path}: {reason}.']
        kept, lines = self._kept()
        new = {
            entry_of(test): self._reason(test)
            for test, kind in self.tests.items()
            if kind == 'failed' and match(self.report.entries, test) is None
        }
        entries = sorted([*kept.items(), *new.items()])
        before, comments, after = comments_of(self.old)
        text = list(before)
        for entry, reason in entries:
            text += comments.get(entry, [])
            text.append(f'{entry}: {reason}')
        write(self.path, ''.join(f'{line}\n' for line in text + after).encode('utf-8'))
        lines.append(f'{self.path}: {len(entries)} expected failures, {len(new)} of them new')
        lines += [f'  new: {entry}' for entry in sorted(new)]
        if new:
            lines.append('The reason of a new one is the message of its failure. Write in its place why it is right.')
        return lines

    def _reason(self, test):
        message = ' '.join(self.messages[test].split()) or 'no message'
        return message if len(message) <= LONGEST_REASON else message[: LONGEST_REASON - 3] + '...'

    def _kept(self):
        """The entries of the old list that hold, and a line for each that does not."""
        kept, lines, tests = {}, [], {}
        for test in self.tests:
            tests.setdefault(match(self.report.entries, test), []).append(test)
        for entry, reason in self.report.entries.items():
            ran = tests.get(entry, [])
            failing = [test for test in ran if self.tests[test] != 'passed']
            if failing == ran and (ran or entry not in self.report.unmatched):
                kept[entry] = reason  # each test of it fails, or none of them was chosen
            elif failing:
                kept.update((entry_of(test), reason) for test in failing)
                lines.append(f'{entry}: {len(ran) - len(failing)} of its {len(ran)} tests pass; the others are listed')
            else:
                lines.append(f'{entry}: removed, {"its test passes" if ran else "no test has this name"} ({reason})')
        return kept, lines


def entry_of(test):
    """The entry for a test id: in a list, a colon and a space end the id."""
    return test.replace(': ', ':*')


def comments_of(path):
    """(lines above all, {entry: comments above it}, lines below all) of a list. None is an empty list."""
    before, comments, pending = [], {}, []
    for line in [] if path is None else open_lines(path):
        if line.startswith('#'):
            pending.append(line)
        elif line:
            comments[line.partition(': ')[0]], pending = pending, []
        elif pending and not comments and not before:
            before, pending = [*pending, ''], []
    return before, comments, pending


def open_lines(path):
    """The lines of a text, without the spaces around them."""
    with open(path, encoding='utf-8') as lines:
        return [line.strip() for line in lines]
