"""The conformance tests through a format of `keras_backend.export`: each function runs as the file that it becomes.

A function is written when it is called for the first time. The file then runs in place of the function: it takes what
is fed and the values of the variables, and it gives the results and the new values of the variables. So a case that
passes here has shown that the file computes what K computes.
"""

import os
import re
import shutil
import tempfile
from collections import Counter

import numpy as np
import pytest

from ..errors import ExportError
from ..exporting.export import module_of
from ..exporting.request import Exported, Options
from ..graph.run.function import Function, Unchanging
from ..graph.run.interpreter import fits
from ._report import own

MOST_REASONS = 40


class ThroughFile:
    """A function that runs as a file (see `graph.run.kernels.Run`)."""

    def __init__(self, function, form, path):
        options = Options(updates='outputs', variables='inputs')
        self.exported = exported = Exported(function, options)
        self.lock = exported.graph.lock
        form.write(exported, path, options)
        try:
            if hasattr(form, 'verify'):
                _verified(form, path)
            self.run = form.load(path)
        finally:
            # A test of large variables writes 500 MB, and a run writes thousands of files.
            shutil.rmtree(os.path.dirname(path))

    def __call__(self, *fed):
        exported, kernels = self.exported, self.exported.kernels
        values = dict(zip(exported.input_names, map(_array, fed, exported.inputs)))
        with self.lock:
            values.update(zip(exported.variable_names, exported.values))
            results = self.run(values)
            own = len(results) - len(exported.updates)
            new = [fits(variable, value) for (variable, _new), value in zip(exported.updates, results[own:])]
            for (variable, _new), value in zip(exported.updates, new):
                variable.data = kernels.private_copy(value, variable.dtype)
        return [_handed_out(kernels, t.dtype, value) for t, value in zip(exported.outputs, results[:own])]

    def located(self, error):
        """A file does not tell which node has failed."""


def _verified(form, path):
    """Run the checker of the format. What it finds is a failure, and nothing that the format cannot say."""
    try:
        form.verify(path)
    except ExportError as error:
        raise AssertionError(str(error)) from error


def _array(value, tensor):
    """What is fed for a tensor, as an array: files have no sparse matrices, and want also what they do not use."""
    if value is None:
        return np.zeros([n or 1 for n in tensor.shape or ()], tensor.dtype)
    return value.toarray() if hasattr(value, 'toarray') else np.asarray(value)


def _handed_out(kernels, dtype, value):
    hand_out = kernels.hand_out(dtype, np.ndim(value), True)
    return value if hand_out is None else hand_out(value)


class Through:
    """A pytest plugin. It puts files in the place of functions and says at the end how many cases pass.

    cases:   outcome of the cases that ran a file -> how many
    reasons: outcome -> the reasons, each with its number
    """

    def __init__(self, K, name):
        self.name, self.form, self.graph = name, module_of(name), K._graph
        self.folder, self.number = tempfile.mkdtemp(), 0
        self.ran, self.refused = False, []
        self.cases, self.without = Counter(), 0
        self.reasons = {'cannot be said': Counter(), 'failed': Counter()}
        self.compile = Function._compile
        Function._compile = lambda function: self.written(function)

    def written(self, function):
        """What runs in place of a function: its file."""
        if function._graph is not self.graph or isinstance(function, Unchanging) or function._session.closed:
            return self.compile(function)
        self.number += 1
        self.ran = True
        folder = os.path.join(self.folder, str(self.number))
        os.mkdir(folder)
        try:
            function._run = ThroughFile(function, self.form, os.path.join(folder, f'{self.number}.{self.name}'))
        except ExportError as error:
            self.refused.append(str(error))
            raise
        return function._run

    # -- during a test -------------------------------------------------------------------------------------------------
    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        if not own([item]):
            return
        if report.when == 'setup':
            self.ran, self.refused = False, []
        if report.when != 'call':
            return
        expected = getattr(report, 'wasxfail', None) if report.skipped else None
        if self.refused:
            self._count(report, 'cannot be said', kind_of(self.refused[0]))
            report.outcome = 'skipped'
            report.longrepr = (str(item.fspath), 0, f'cannot be said: {self.refused[0]}')
        elif not self.ran:
            self.without += not report.skipped
        elif expected is not None:
            self._count(report, 'failed', expected)
        elif report.failed and call.excinfo is not None:
            self._count(report, 'failed', kind_of(f'{type(call.excinfo.value).__name__}: {call.excinfo.value}'))
        elif report.passed:
            self._count(report, 'passed')

    def _count(self, report, outcome, reason=None):
        self.cases[outcome] += 1
        report.user_properties.append(('through', outcome))
        if reason is not None:
            self.reasons[outcome][reason] += 1

    # -- after ---------------------------------------------------------------------------------------------------------
    def pytest_unconfigure(self):
        Function._compile = self.compile
        shutil.rmtree(self.folder, ignore_errors=True)

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter):
        for line in self.lines():
            terminalreporter.write_line(line)

    def lines(self):
        """The reasons, the commonest first, and what came of all cases."""
        for outcome, counts in self.reasons.items():
            if counts:
                yield ''
                yield f'{outcome}, through {self.name}:'
            for reason, number in counts.most_common(MOST_REASONS):
                yield f'{number:>7}  {reason}'
        passed, failed, not_said = [self.cases[word] for word in ('passed', 'failed', 'cannot be said')]
        share = 100.0 * passed / (passed + failed) if passed + failed else 100.0
        yield ''
        yield (
            f'through {self.name}: {passed} of {passed + failed} cases pass ({share:.1f} %); '
            f'{not_said} cannot be said; {self.without} run no function'
        )


def kind_of(message):
    """The first line of a message without what differs from case to case: names with numbers, numbers, shapes."""
    line = ' '.join(message.split())
    line = re.sub(r'\([-\d, ]*\)', '(..)', line)
    return re.sub(r'_?\d+', '#', line)[:170]
