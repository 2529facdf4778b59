"""The conformance tests through files (`check --through`): what is counted, with a format that the test makes up."""

import io
import re
import sys
import types

import numpy as np
import pytest

pytest.importorskip('hypothesis')

from keras_backend import conformance, load
from keras_backend.errors import ExportError
from keras_backend.exporting import export
from keras_backend.graph.run.function import Function

K = load('numpy')


@pytest.fixture
def form(monkeypatch):
    """A format whose files are the functions themselves. `wrong` is added to results; `refused` is a primitive."""
    made = types.ModuleType('keras_backend.exporting.made_up')
    made.wrong, made.refused, made.files, made.names = 0.0, None, {}, []

    def write(exported, path, options):
        names = [node.op.name for node in exported.program.nodes.values() if hasattr(node, 'op')]
        made.names += names
        if made.refused in names:
            raise ExportError(f'K.{made.refused}: a made-up file cannot say {made.refused}_3.', f'K.{made.refused}')
        made.files[path] = exported

    def load(path):
        exported = made.files[path]

        def run(values):
            results = exported.function([values[name] for name in exported.input_names])
            return [np.asarray(x) + made.wrong if x.dtype.kind == 'f' else np.asarray(x) for x in results]

        return run

    made.write, made.load = write, load
    monkeypatch.setitem(sys.modules, made.__name__, made)
    monkeypatch.setitem(export.FORMATS, 'made_up', export.Format('made_up', ('.made_up',), (), (), 'test'))
    return made


def through(words, engine='numpy', name='made_up'):
    """(exit code, report) of a run through a format."""
    stream = io.StringIO()
    # Modules that have none of these tests need not be read.
    only = () if 'test_elementwise' not in words else ('--ignore-glob=*/test_[!e]*.py',)
    code = conformance.run(engine, extra_args=('-k', words, *only), stream=stream, through=name)
    return code, stream.getvalue()


def closing(report):
    """The numbers of the closing line: passed, of how many, not said, without a function."""
    line = r'^through made_up: (\d+) of (\d+) cases pass \(.* %\); (\d+) cannot be said; (\d+) run no function$'
    return tuple(map(int, re.search(line, report, re.MULTILINE).groups()))


@pytest.mark.slow
def test_a_right_format(form):
    code, report = through('test_elementwise and test_edges')
    assert code == 0, report
    assert closing(report) == (32, 32, 0, 0)
    assert 'exp' in form.names


@pytest.mark.slow
def test_updates_are_assigned(form):
    code, report = through('test_updates.py')
    assert code == 0, report
    passed, of, not_said, _without = closing(report)
    assert passed == of > 20
    assert not_said == 0


def test_a_wrong_format(form):
    """Its failures are counted with their reasons, and the run fails."""
    form.wrong = 0.25
    code, report = through('test_elementwise and test_edges')
    assert code == 1
    passed, of, _not_said, _without = closing(report)
    assert of == 32
    assert passed < 16
    assert re.search(r'^failed, through made_up:\n +\d+  AssertionError: ', report, re.MULTILINE)


@pytest.mark.slow
def test_what_a_format_cannot_say(form):
    """Such cases are no failures. They are counted with their reason, without the number of the tensor."""
    form.refused = 'exp'
    code, report = through('test_elementwise and test_edges')
    assert code == 0, report
    assert closing(report) == (30, 30, 2, 0)
    assert re.search(r'^ +2  K.exp: a made-up file cannot say exp#.$', report, re.MULTILINE)


@pytest.mark.slow
def test_functions_are_their_own_again(form):
    before = Function._compile
    through('test_elementwise and test_edges and exp')
    assert Function._compile is before
    form.wrong = 1.0
    x = K.placeholder((2,))
    np.testing.assert_array_equal(K.function([x], [x * 2])([np.ones(2)])[0], [2, 2])


def test_a_format_that_is_not_known(form):
    code, report = through('test_edges', name='nonsense')
    assert code == 2
    assert re.search("'nonsense' is no format of keras_backend.export; write one of 'onnx'", report)


def test_an_engine_with_graphs_of_its_own(form, monkeypatch):
    own = types.ModuleType('engine_of_mine_without_graph')
    for name in ('placeholder', 'variable', 'function'):
        setattr(own, name, lambda *args, **kwargs: None)
    monkeypatch.setitem(sys.modules, own.__name__, own)
    code, report = through('test_edges', engine=own.__name__)
    assert code == 2
    assert 'check numpy --through made_up' in report
