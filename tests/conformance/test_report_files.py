"""The report file of a conformance run: what it counts, when it is partial, and where it cannot be written."""

import importlib.util
import io
import json
import os
import platform
import re
import sys
import textwrap
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('hypothesis')

from keras_backend import __version__, conformance
from keras_backend.conformance import _report, _results
from keras_backend.errors import ArgumentValueError

WORDS = {'passed': 0, 'failed': 0, 'expected': 0, 'missing': 0, 'skipped': 0}
ENGINE = """
    import json
    import numpy as np
    from keras_backend.engines.numpy_backend import *
    from keras_backend.engines import numpy_backend as _n

    def exp(x):
        return _n.exp(x) * 1.001
"""
TESTS = """
    import pytest
    from keras_backend.conformance._check import covers

    @covers('exp')
    def test_small_exp(K):
        assert K.eval(K.exp(K.constant(0.0))) == 1.0

    @covers('log', 'dot')
    def test_small_log(K):
        assert K.eval(K.log(K.constant(1.0))) == 0.0

    @covers('log')
    def test_small_skip(K):
        pytest.skip('no such thing here')

    @pytest.fixture
    def bad_end():
        yield
        raise RuntimeError('afterwards')

    @covers('sin')
    def test_small_end(K, bad_end):
        pass

    def test_small_other(K):
        pass
"""


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A function that runs a suite of five tests in place of all, on an engine with a wrong `exp`."""
    suite = tmp_path / 'suite'
    suite.mkdir()
    here = os.path.dirname(os.path.abspath(conformance.__file__))
    with open(os.path.join(here, 'pytest.ini'), encoding='utf-8') as file:
        # By the path of each file: the modules of another test have the same names.
        (suite / 'pytest.ini').write_text(file.read() + 'addopts = --import-mode=importlib\n')
    (suite / 'conftest.py').write_text(
        'from keras_backend.conformance.conftest import *\n'
        'from keras_backend.conformance.conftest import _users_settings\n'
    )
    (suite / 'test_small_suite.py').write_text(textwrap.dedent(TESTS))
    (tmp_path / 'engine_of_reports.py').write_text(textwrap.dedent(ENGINE))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(conformance, 'HERE', str(suite))
    monkeypatch.setattr(_report, 'HERE', str(suite))
    path = tmp_path / 'report.json'

    def run(*arguments, **options):
        stream = io.StringIO()
        status = conformance.run('engine_of_reports', extra_args=arguments, stream=stream, report=str(path), **options)
        said = stream.getvalue()
        return status, said, json.loads(path.read_text()) if path.exists() else None

    yield run
    for name in ('engine_of_reports', 'keras_backend.external.engine_of_reports'):
        sys.modules.pop(name, None)


def counted(counts):
    """The counts alone that are not 0."""
    return {word: counts[word] for word in WORDS if counts[word]}


@pytest.mark.slow
def test_report_of_a_whole_run(small):
    """Each test has one outcome, counts in each of its topics, and the file is there although tests fail."""
    status, said, data = small()
    assert 1 == status
    assert said.endswith('report.json\n')
    assert {'passed': 2, 'failed': 2, 'skipped': 1} == counted(data['tests'])
    assert {'skipped': {'no such thing here': 1}, 'expected': {}} == data['tests']['reasons']
    topics = {topic: counted(counts) for topic, counts in data['topics'].items() if counted(counts)}
    assert {
        'Element-wise': {'passed': 1, 'failed': 2, 'skipped': 1},
        'Linear algebra': {'passed': 1},
        'Other': {'passed': 1},
    } == topics
    assert (False, [], None) == (data['partial'], data['arguments'], data['through'])
    assert (1, __version__) == (data['format'], data['keras_backend'])
    assert re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ', data['date'])
    assert 'engine_of_reports' == data['engine']['module'] == data['engine']['name']
    # The module has `json`, too, which comes with Python.
    assert {'name': 'numpy', 'version': np.__version__} == data['engine']['library']
    assert {'python', 'numpy'} == set(data['versions'])
    assert data['versions']['python'] == platform.python_version()
    assert 162 == sum(data['functions'].values())


def test_report_has_reasons(small, tmp_path):
    """Failures that are known are counted with their reasons."""
    listed = tmp_path / 'listed.txt'
    listed.write_text('test_small_suite.py::test_small_exp: rounds: badly\n')
    _status, _said, data = small(expected=str(listed))
    assert {'passed': 2, 'failed': 1, 'expected': 1, 'skipped': 1} == counted(data['tests'])
    assert {'rounds: badly': 1} == data['topics']['Element-wise']['reasons']['expected']


@pytest.mark.slow
@pytest.mark.parametrize('arguments', [('-k', 'small_log'), ('--deselect', 'x', '-x'), ('-m', 'covers')])
def test_partial_reports_say_so(small, arguments):
    """A selection, and a run that stops at its first failure, are parts of all."""
    _status, said, data = small(*arguments)
    assert data['partial'] is True
    assert list(arguments) == data['arguments']
    assert said.endswith('(of a partial run)\n')


@pytest.mark.slow
def test_stopped_runs_leave_the_file(small, tmp_path):
    """A run that does not come to its end, or without a test, writes nothing and says so."""
    path = tmp_path / 'report.json'
    path.write_text('"before"')

    class Stop:
        def pytest_runtest_setup(self, item):
            raise KeyboardInterrupt

    for arguments, plugins in (((), [Stop()]), (('--collect-only',), []), (('-k', 'nothing_at_all'), [])):
        status, said, data = small(*arguments, plugins=plugins)
        assert 'before' == data, arguments
        assert 'No report was written to ' in said
        assert status != 1
    assert ['report.json'] == [name for name in os.listdir(str(tmp_path)) if name.startswith('report')]


@pytest.mark.parametrize(
    ('path', 'words'),
    [('', 'it is empty'), ('.', 'it is a folder'), ('no_such_folder/x.json', 'there is no folder'), ('x\0y', 'null')],
)
def test_bad_places_are_refused_first(path, words):
    """No test runs where the report could not be written."""
    stream = io.StringIO()
    assert 2 == conformance.run('numpy', extra_args=['-k', 'test_dot'], stream=stream, report=path)
    said = stream.getvalue()
    assert said.startswith('check: --report ')
    assert words in said
    assert '--report engine.json' in said
    assert 'Conformance' not in said


def test_a_place_without_the_right_to_write(tmp_path, monkeypatch):
    """What the system says of the place is in the message."""
    monkeypatch.setattr('builtins.open', _refuse)
    with pytest.raises(ArgumentValueError, match=r'cannot be written: .*ermission'):
        _results.refuse_place(str(tmp_path / 'x.json'))


def _refuse(*args, **kwargs):
    raise PermissionError(13, 'Permission denied')


def test_no_half_file_is_left(tmp_path, monkeypatch):
    """Where the draft cannot take its place, the old file stays and the draft goes."""
    path = tmp_path / 'x.json'
    path.write_text('old')

    def refuse(*args):
        raise OSError('no')

    monkeypatch.setattr(os, 'replace', refuse)
    with pytest.raises(OSError, match='no'):
        _results.write(str(path), b'new')
    assert (['x.json'], 'old') == (os.listdir(str(tmp_path)), path.read_text())


def test_pytest_is_no_library_of_an_engine():
    """pytest gives a module whose assertions it rewrites names of its own modules."""
    K = SimpleNamespace(__name__='an_engine', np=np)
    vars(K)['@pytest_ar'] = pytest
    assert ['numpy'] == list(_results.imported(K))


def test_workers_say_what_they_collected():
    """The process that counts takes it from the workers of pytest-xdist; one that crashed makes the run partial."""
    K = SimpleNamespace(_engine=SimpleNamespace(origins={}))
    worker, counting = [_report.Report('numpy', K, {}, '') for _ in range(2)]
    worker.whole, worker.collected, worker.unmatched = True, 7, ['x']
    config = SimpleNamespace(workeroutput={})
    worker.pytest_sessionfinish(SimpleNamespace(config=config, exitstatus=0), 0)
    counting.pytest_testnodedown(SimpleNamespace(workeroutput=config.workeroutput), None)
    assert (True, 7, ['x']) == (counting.whole, counting.collected, counting.unmatched)
    counting.pytest_testnodedown(SimpleNamespace(), 'crashed')
    assert counting.whole is False


if importlib.util.find_spec('xdist') is not None:

    def test_report_of_several_processes(tmp_path):
        """It counts what one process counts."""
        found = []
        for more in ([], ['-n', '2']):
            path = tmp_path / 'report.json'
            arguments = ['-k', 'test_elementwise and test_edges', *more]
            assert 0 == conformance.run('numpy', extra_args=arguments, stream=io.StringIO(), report=str(path))
            data = json.loads(path.read_text())
            found.append((data['partial'], {topic: counted(counts) for topic, counts in data['topics'].items()}))
        assert found[0] == found[1]
        assert 32 == found[0][1]['Element-wise']['passed'] + found[0][1]['Neural network'].get('passed', 0)


@pytest.mark.slow
def test_report_of_a_built_in_engine(tmp_path):
    """Its library is that of the table of engines."""
    path = tmp_path / 'report.json'
    assert 0 == conformance.run('numpy', extra_args=['-k', 'test_dot'], stream=io.StringIO(), report=str(path))
    engine = json.loads(path.read_text())['engine']
    assert {'name': 'NumPy', 'version': np.__version__} == engine['library']
    assert 'keras_backend.engines.numpy_backend' == engine['module']
