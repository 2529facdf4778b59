"""The report file of a conformance run, `check --report FILE.json`: counts by topic, and what ran where.

docs/engine-reports.md says what each key means.
"""

import datetime
import json
import os
import platform
import sys
import sysconfig
import time
from collections import Counter, OrderedDict

from .. import __version__
from ..basics import installed
from ..basics.exit_status import in_words
from ..contract import CONTRACT
from ..engines.table import ENGINES
from ..errors import ArgumentValueError
from . import expected

FORMAT = 1
OTHER = 'Other'
OUTCOMES = ('passed', 'failed', 'expected', 'missing', 'skipped')
FINISHED = (0, 1)  # pytest's: all tests passed, some failed
REASONS_OF = ('expected', 'skipped')


class Results:
    """A pytest plugin that collects one outcome for each test and writes the file at the end.

    tests: node id -> [topics, outcome, reason, seconds]
    """

    def __init__(self, path, namespace, engine, arguments, through):
        self.path, self.namespace, self.engine = path, namespace, engine
        self.arguments, self.through = list(arguments), through
        self.started, self.tests, self.report = time.time(), OrderedDict(), None

    def pytest_sessionstart(self, session):
        self.report = session.config.pluginmanager.get_plugin('conformance-report')

    def pytest_runtest_logreport(self, report):
        topics = topics_of(dict(report.user_properties).get('covers', ()))
        test = self.tests.setdefault(report.nodeid, [topics, None, None, 0.0])
        test[3] += report.duration
        kind = self.report.kind(report)
        # A test that passes and then fails in what comes after it has failed.
        if kind is not None and test[1] != 'failed':
            test[1:3] = [kind, reason_of(report, kind)]

    def data(self):
        """What the file says."""
        counted = [test for test in self.tests.values() if test[1] is not None]
        topics = OrderedDict((topic, []) for topic in all_topics())
        for test in counted:
            for topic in test[0]:
                topics[topic].append(test)
        origins = Counter(self.namespace._engine.origins.values())
        return OrderedDict(
            [
                ('format', FORMAT),
                ('keras_backend', __version__),
                ('engine', described(self.namespace, self.engine)),
                ('versions', versions(self.namespace)),
                ('platform', f'{platform.system()} {platform.machine()}'),
                ('date', datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')),
                ('partial', not self.report.whole or len(counted) != self.report.collected),
                ('arguments', self.arguments),
                ('through', self.through),
                ('functions', {word: origins[word] for word in ('engine', 'composed', 'setting', 'missing')}),
                ('topics', OrderedDict((topic, counts(tests)) for topic, tests in topics.items())),
                ('tests', counts(counted)),
                ('seconds', round(time.time() - self.started, 1)),
            ]
        )

    def finish(self, status):
        """Write the file; returns words about it. A run that was stopped leaves the file that was there."""
        if status not in FINISHED:
            return f'No report was written to {self.path}: the run did not come to its end.'
        if not any(test[1] is not None for test in self.tests.values()):
            return f'No report was written to {self.path}: no test ran.'
        data = self.data()
        write(self.path, (json.dumps(data, indent=1) + '\n').encode('utf-8'))
        return f'report: {self.path}{" (of a partial run)" if data["partial"] else ""}'


def all_topics():
    """The topics of the contract, in its order, and one for the tests that are about no single function."""
    return list(OrderedDict.fromkeys(entry.category for entry in CONTRACT.values())) + [OTHER]


def topics_of(names):
    """The topics of the K functions that a test is about."""
    topics = OrderedDict.fromkeys(CONTRACT[name].category for name in names if name in CONTRACT)
    return list(topics) or [OTHER]


def reason_of(report, kind):
    """Why a test fails as expected or is skipped; None for other outcomes."""
    if kind not in REASONS_OF:
        return None
    reason = getattr(report, 'wasxfail', None)
    if reason is None:
        reason = report.longrepr[2] if isinstance(report.longrepr, (tuple, list)) else str(report.longrepr)
    for word in ('reason: ', 'Skipped: '):
        reason = reason[len(word) :] if reason.startswith(word) else reason
    return reason


def counts(tests):
    """How many tests have each outcome, how long they took, and the reasons that some have."""
    kinds = Counter(test[1] for test in tests)
    summary = OrderedDict((outcome, kinds[outcome]) for outcome in OUTCOMES)
    summary['seconds'] = round(sum(test[3] for test in tests), 1)
    summary['reasons'] = {
        outcome: OrderedDict(sorted(Counter(test[2] for test in tests if test[1] == outcome).items()))
        for outcome in REASONS_OF
    }
    return summary


def described(namespace, engine):
    """The names of an engine, and the library that it runs on, with its version."""
    info = namespace._engine
    module = namespace.__name__
    if module.startswith('keras_backend.external.'):
        module = module[len('keras_backend.external.') :]
    package, version = library(namespace)
    name, title = info.name, info.title
    if name == 'keras3':  # an engine on each backend of Keras
        below = ENGINES.get(info.library)
        name, title = f'{name}_{info.library}', f'{title} on {info.library if below is None else below.title}'
    return OrderedDict(
        [
            ('name', name),
            ('module', module),
            ('title', title),
            ('asked', engine),
            ('library', {'name': package, 'version': version}),
        ]
    )


def library(namespace):
    """(name, version) of the library that an engine runs on: of a built-in engine, that of the table.

    Of another engine it is the first package that its module imports, NumPy only where there is no other.
    """
    info = namespace._engine
    built_in = ENGINES.get(info.name)
    if built_in is not None and namespace.__name__ == built_in.module:
        for package in built_in.libraries:
            version = installed.version(package.distributions)
            if version is not None and installed.spec(package.module):
                return package.title, version
    packages = imported(namespace)
    if info.library.lower() in packages:  # the engine inside Keras 3 says which of its libraries runs
        return info.library, packages[info.library.lower()]
    names = sorted(packages, key=lambda name: name == 'numpy')  # stable: in the order in which they were imported
    return (names[0], packages[names[0]]) if names else (None, None)


def versions(namespace):
    """The versions of Python, of NumPy and of what the engine imports."""
    by_name = OrderedDict([('python', platform.python_version())])
    by_name['numpy'] = installed.version(['numpy'])
    by_name.update(imported(namespace))
    built_in = ENGINES.get(namespace._engine.name)
    for package in built_in.libraries if built_in is not None else ():
        version = installed.version(package.distributions)
        if version is not None:
            by_name[package.module] = version
    if namespace._engine.name == 'keras3':
        for name in ('keras', namespace._engine.library):
            by_name[name] = installed.version([name]) or getattr(sys.modules.get(name), '__version__', None)
    return by_name


def imported(namespace):
    """The packages whose modules are attributes of an engine's module, with their versions."""
    own = namespace.__name__.replace('keras_backend.external.', '', 1).partition('.')[0]
    packages = OrderedDict()
    for name, value in list(vars(namespace).items()):
        # pytest gives the modules whose assertions it rewrites a name `@pytest_ar`, which no program can write.
        if not isinstance(value, type(sys)) or name.startswith('@'):
            continue
        package = value.__name__.partition('.')[0]
        if package in (own, 'keras_backend') or package in packages or _of_python(package):
            continue
        version = installed.version([package]) or getattr(sys.modules.get(package), '__version__', None)
        if isinstance(version, str):
            packages[package] = version
    return packages


def _of_python(package):
    path = getattr(sys.modules.get(package), '__file__', None)
    if path is None:
        return True
    inside = os.path.abspath(path).startswith(sysconfig.get_path('stdlib') + os.sep)
    return inside and 'site-packages' not in path and 'dist-packages' not in path


def write(path, data):
    """Write a draft beside `path`, which then takes its place, so nobody reads half a file."""
    draft = f'{path}.{os.getpid()}.{os.urandom(4).hex()}'
    try:
        with open(draft, 'xb') as stream:
            stream.write(data)
        os.replace(draft, path)
    finally:
        if os.path.exists(draft):
            os.unlink(draft)


def refuse_list(path):
    """Raise an error where the expected failures cannot be read, before the tests."""
    try:
        expected.read(path)
    except OSError as error:
        raise ArgumentValueError(f'check: --expected {path!r}: {in_words(error, path)}') from error
    except ValueError as error:  # a line of another form, or no text
        raise ArgumentValueError(f'check: --expected {path!r}: {error} Write one "test id: reason" a line.') from error


def refuse_place(path, option='--report', example='engine.json'):
    """Raise an error where no report can be written, before minutes of tests."""
    folder, name = os.path.split(os.path.abspath(path))
    reason = ''
    if '\0' in path:  # up to Python 3.7, all functions of os.path stop at it
        reason = 'embedded null byte'
    elif not path or not name or os.path.isdir(path):
        reason = 'it is a folder' if path else 'it is empty'
    elif os.path.exists(path) and not os.path.isfile(path):  # such as /dev/full, whose place a file would take
        reason = 'it is no file'
    elif not os.path.isdir(folder):
        reason = f'there is no folder {folder}'
    else:
        draft = f'{os.path.abspath(path)}.{os.getpid()}.{os.urandom(4).hex()}'
        try:
            with open(draft, 'xb'):
                pass
            os.unlink(draft)
        except (OSError, ValueError) as error:  # ValueError: no path at all
            reason = getattr(error, 'strerror', None) or str(error)
    if reason:
        raise ArgumentValueError(
            f'check: {option} {path!r} cannot be written: {reason}. Give the path of a file in a folder that is '
            f'there and that you may write to, e.g. {option} {example}'
        )
