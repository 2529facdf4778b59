"""The conformance suite itself: what its report says of good, broken, partial and lying engines."""

import io
import re
import sys
import textwrap

import numpy as np
import pytest

pytest.importorskip('hypothesis')

from keras_backend import conformance
from keras_backend.basics.installed import requirement
from keras_backend.conformance import _check, expected

QUICK = ('-k', 'test_elementwise and test_edges')


def run(engine, *extra, **options):
    """(exit code, report) of a run."""
    stream = io.StringIO()
    code = conformance.run(engine, extra_args=extra or QUICK, stream=stream, **options)
    return code, stream.getvalue()


def row(report, name):
    """The line of a function in the table, its columns."""
    return re.search(rf'^  {name} +(\S+) +(\S+) +(\S+) +(\S+)(.*)$', report, re.MULTILINE).groups()


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Writes an engine module of the user's own and returns its name."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(name, text):
        (tmp_path / (name + '.py')).write_text(textwrap.dedent(text))
        return name

    before = set(sys.modules)
    yield write
    for name in set(sys.modules) - before:
        if name.startswith('engine_of_mine'):
            del sys.modules[name]


def borrowed(*names):
    """Lines that take `names` from the NumPy engine."""
    return ''.join(f'{name} = _n.{name}\n' for name in names)


WHOLE = 'from keras_backend.engines import numpy_backend as _n\nfrom keras_backend.engines.numpy_backend import *\n'


def test_a_good_engine():
    """All tests pass: exit code 0, a row per function that was tested, totals."""
    code, report = run('numpy')
    assert code == 0, report
    assert row(report, 'exp')[1:4] == ('2', '-', '-')
    assert row(report, 'exp')[0] in ('present', 'composed')
    assert re.search(r'^tests: 32 passed, 0 failed$', report, re.MULTILINE)
    assert re.search(r'^functions: \d+ present, \d+ composed, 0 missing$', report, re.MULTILINE)


def test_a_broken_engine(module):
    """A wrong function fails the run, and its row shows the first failure."""
    name = module('engine_of_mine_broken', WHOLE + 'def exp(x):\n    return _n.exp(x) * 1.001\n')
    code, report = run(name)
    assert code == 1
    origin, passed, failed, expected_failures, first = row(report, 'exp')
    assert (origin, passed, failed, expected_failures) == ('present', '0', '2', '-')
    assert 'test_elementwise.py::test_edges[exp-float32]' in first
    assert row(report, 'log')[1:3] == ('2', '-')


def test_a_partial_engine(module, tmp_path):
    """What is missing is reported as missing and fails nothing; it cannot be expected to fail, too."""
    name = module(
        'engine_of_mine_partial',
        'from keras_backend.engines import numpy_backend as _n\n'
        + borrowed(
            'placeholder', 'variable', 'function', 'int_shape', 'ndim', 'dtype', 'clear_session', 'reset_uids', 'exp'
        ),
    )
    code, report = run(name)
    assert code == 0, report
    assert row(report, 'exp')[:3] == ('present', '2', '-')
    assert row(report, 'sqrt')[0] == 'missing'
    assert row(report, 'sqrt')[1:3] == ('0', '-')
    assert 'of missing functions' in report
    assert '0 failed' in report
    # No test of this selection is about them.
    assert not re.search(r'^  (conv2d|rnn|placeholder) ', report, re.MULTILINE)
    listed = tmp_path / 'listed.txt'
    listed.write_text('test_elementwise.py::test_edges[sqrt-float32]: not there\n')
    code, report = run(name, expected=str(listed))
    assert code == 1
    assert 'matches no test that runs' in report


def test_expected_failures(module, tmp_path):
    """Listed failures are expected, by exact id or for all parameters."""
    name = module('engine_of_mine_listed', WHOLE + 'def exp(x):\n    return _n.exp(x) * 1.001\n')
    listed = tmp_path / 'listed.txt'
    listed.write_text(
        'test_elementwise.py::test_edges[exp-float32]: rounds: badly\n\n# a comment\n'
        'test_elementwise.py::test_edges[exp-float64]: the same'
    )
    code, report = run(name, expected=str(listed))
    assert code == 0, report
    assert row(report, 'exp')[:4] == ('present', '0', '-', '2')
    assert '2 failed as expected' in report


def test_stale_entries(tmp_path):
    """An entry that matches no test fails the run, and so does one whose test passes."""
    listed = tmp_path / 'listed.txt'
    listed.write_text('test_elementwise.py::test_of_yesterday: gone\ntest_yesterday.py::test_x: gone too\n')
    code, report = run('numpy', expected=str(listed))
    assert code == 1
    assert "'test_elementwise.py::test_of_yesterday' matches no test that runs" in report
    assert "'test_yesterday.py::test_x' matches no test that runs" in report
    listed.write_text('test_elementwise.py::test_edges: repaired long ago\n')
    code, report = run('numpy', expected=str(listed))
    assert code == 1
    assert '32 failed' in report


@pytest.mark.parametrize('line', ['test_x.py::test_y', 'test_x.py::test_y: ', 'test_x.py::test_y reason'])
def test_entries_need_reasons(tmp_path, line):
    """A line without a reason is refused with file and line."""
    listed = tmp_path / 'listed.txt'
    listed.write_text(f'# comment\n{line}\n')
    with pytest.raises(ValueError, match='listed.txt, line 2'):
        expected.read(str(listed))
    listed.write_text('a.py::t: one\na.py::t: two\n')
    with pytest.raises(ValueError, match='twice'):
        expected.read(str(listed))


def test_matching_entries():
    """The exact id wins over the entry for all parameters."""
    entries = {'a.py::t': 'all', 'a.py::t[x]': 'one'}
    assert expected.match(entries, 'a.py::t[x]') == 'a.py::t[x]'
    assert expected.match(entries, 'a.py::t[y]') == 'a.py::t' == expected.match(entries, 'a.py::t')
    assert expected.match(entries, 'a.py::u[x]') is None


def test_entries_with_a_star():
    """A star stands for any text, and nothing else of an id has a meaning of its own."""
    entries = {'a.py::t[*-b.c]': 'some', 'a.py::t[1-b.c]': 'one', 'b.py::*': 'a file'}
    assert expected.match(entries, 'a.py::t[2-b.c]') == 'a.py::t[*-b.c]'
    assert expected.match(entries, 'a.py::t[1-b.c]') == 'a.py::t[1-b.c]'
    assert expected.match(entries, 'b.py::u[x]') == 'b.py::*'
    for other in ('a.py::t[2-bxc]', 'a.py::t[2-b.c]x', 'a.py::t', 'c.py::u'):
        assert expected.match(entries, other) is None, other


def test_files_of_an_engine(tmp_path, monkeypatch):
    """An engine on a library has the entries of both files. The same entry in both is refused."""
    monkeypatch.setattr(expected, 'HERE', str(tmp_path))
    (tmp_path / 'mine.txt').write_text('a.py::t: everywhere\n')
    (tmp_path / 'mine_fast.txt').write_text('a.py::u: on the fast one\n')
    assert expected.read(*expected.paths_for('mine', 'fast')) == {'a.py::t': 'everywhere', 'a.py::u': 'on the fast one'}
    assert expected.paths_for('mine', 'Fast 1.2') == expected.paths_for('mine', 'fast')
    assert expected.read(*expected.paths_for('mine', 'slow')) == {'a.py::t': 'everywhere'}
    assert expected.read(*expected.paths_for('yours')) == {}
    (tmp_path / 'mine_fast.txt').write_text('a.py::t: twice\n')
    with pytest.raises(ValueError, match=r'mine_fast.txt, line 1: a.py::t is listed twice'):
        expected.read(*expected.paths_for('mine', 'fast'))


def test_an_engine_that_does_not_load(module):
    """The loader's own message is the report."""
    code, report = run('engine_of_mine_absent')
    assert code == 2
    assert 'engine_of_mine_absent' in report
    code, report = run(module('engine_of_mine_empty', 'x = 1\n'))
    assert code == 2
    assert 'placeholder' in report


def test_without_pytest(monkeypatch):
    """Where pytest or hypothesis is not installed the report says what to type."""
    monkeypatch.setattr(conformance.importlib.util, 'find_spec', lambda name: None)
    code, report = run('numpy')
    assert code == 2
    assert f'pip install "{requirement("test")}"' in report
    assert 'pytest' in report
    assert 'hypothesis' in report


def test_users_settings_come_back():
    """A run leaves floatx, epsilon and the data format of the process as they were."""
    from keras_backend import config

    before = config.floatx(), config.epsilon(), config.image_data_format()
    config.set_floatx('float64')
    config.set_epsilon(1e-3)
    try:
        assert run('numpy')[0] == 0
        assert config.floatx() == 'float64'
        assert config.epsilon() == 1e-3
    finally:
        config.set_floatx(before[0])
        config.set_epsilon(before[1])


# -- what the tests compare with ------------------------------------------------------------------------------------
def test_close_is_strict_where_it_should_be():
    """Errors beyond the tolerance, shapes, infinities and integers are all told apart."""
    _check.close(np.float32([1.0, np.nan, np.inf]), [1.0 + 1e-6, np.nan, np.inf])
    for actual, right in [
        (np.float32([1.0]), [1.0001]),
        (np.float64([1.0]), [1.0 + 1e-8]),
        (np.float32([1e-20]), [2e-20]),
        (np.float32([np.inf]), [1e30]),
        (np.float32([np.nan]), [1.0]),
        (np.int32([16777217]), [16777216]),
        (np.float32([[1.0]]), [1.0]),
        (np.float16([1.0]), [1.05]),
    ]:
        with pytest.raises(AssertionError):
            _check.close(actual, np.array(right))


def test_a_wrong_gradient_is_found(module):
    """The finite differences notice a gradient that is off by a thousandth, and one of second order."""
    name = module(
        'engine_of_mine_gradients',
        WHOLE
        + textwrap.dedent("""
        def square(x):
            return _n.stop_gradient(_n.square(x)) * 1.0 + 0.999 * (x * x - _n.stop_gradient(x * x))

        def sin(x):
            stopped = _n.stop_gradient(_n.cos(x))
            return _n.stop_gradient(_n.sin(x)) + stopped * (x - _n.stop_gradient(x))
    """),
    )
    code, report = run(
        name, '-k', 'test_gradient_table and (test_gradient[square] or test_gradient[sin] or test_gradient[cos])'
    )
    assert code == 1
    assert 'order 1' in row(report, 'square')[4]
    assert 'order 2' in row(report, 'sin')[4]
    assert row(report, 'cos')[2] == '-'


def test_a_lying_int_shape_is_found(module):
    """A static shape or dtype that a run contradicts fails."""
    name = module(
        'engine_of_mine_lying',
        WHOLE
        + textwrap.dedent("""
        def int_shape(x):
            shape = _n.int_shape(x)
            return shape[:-1] + (7,) if len(shape) == 5 else shape
    """),
    )
    code, report = run(name, '-k', 'test_elementwise and test_values and exp')
    assert code == 1
    assert 'int_shape said' in row(report, 'exp')[4]
