"""What the witness of prove writes down: the calls of functions, the results of K, and how the program ended."""

import builtins
import json
import os
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from keras_backend.programs.prove.prove_witness import program, record
from keras_backend.programs.prove.prove_witness.calls import Functions, Trace
from keras_backend.programs.prove.prove_witness.record import LARGEST, Record, Stop, changed, kept


def events_of(folder):
    """The lines of a record, and the arrays of each."""
    lines = [json.loads(line) for line in (folder / 'events.jsonl').read_text().splitlines()]
    arrays = []
    for line in lines:
        with np.load(str(folder / f'{line["number"]:06d}.npz')) as stored:
            arrays.append({name: stored[name] for name in stored.files})
    return lines, arrays


# -- values ------------------------------------------------------------------------------------------------------------


def test_values_that_a_record_keeps():
    assert [kept(value).dtype.kind for value in (1.5, 2, True, np.uint8(3))] == ['f', 'i', 'b', 'u']

    class Sparse:
        def __array__(self, *args, **kwargs):
            raise TypeError('no array')

    assert [kept(value) for value in ('word', None, 1j, Sparse())] == [None] * 4
    assert kept(np.arange(LARGEST)).shape == (LARGEST,)
    sample = kept(np.arange(2 * LARGEST).reshape(2, LARGEST))
    np.testing.assert_array_equal(sample, np.arange(0, 2 * LARGEST, 2))


def test_last_digits_that_are_changed():
    value = np.linspace(1, 2, 999, dtype='float32').reshape(27, 37)
    assert changed(value, 0) is value
    for other in ('word', [1.0], np.arange(3)):
        assert changed(other, 1) is other
    first, second = changed(value, 1), changed(value, 2)
    assert (first.dtype, first.shape) == (value.dtype, value.shape)
    np.testing.assert_allclose(first, value, rtol=2.4e-7)
    for mask in first < value, first == value, first > value:
        assert 0.2 < mask.mean() < 0.5
    assert (first != second).mean() > 0.4
    np.testing.assert_array_equal(changed(value, 1), first)
    # A scalar, also with the NumPy of 2019, and an array without entries.
    numbers = [changed(np.float64(3), control) for control in range(1, 30)]
    assert {number.dtype.name for number in numbers} == {'float64'}
    assert {np.shape(number) for number in numbers} == {()}
    assert {int(np.sign(number - 3)) for number in numbers} == {-1, 0, 1}
    assert changed(np.zeros((0, 3)), 1).shape == (0, 3)


# -- events ------------------------------------------------------------------------------------------------------------


def test_events_of_a_record(tmp_path, monkeypatch):
    written = Record(str(tmp_path), 2, True)
    pairs = [('loss', np.float32(0.5)), ('a word', 'text'), ('counts', [1, 2])]
    written.event('call', 'f 1', 1, pairs, [('input 0', np.ones((2,)))], step=True)
    written.event('weights', 'model', 1, [])
    lines, arrays = events_of(tmp_path)
    first = {'number': 1, 'kind': 'call', 'name': 'f 1', 'call': 1, 'step': True}
    assert lines[0] == dict(first, outputs=['loss', 'counts'], inputs=['input 0'])
    second = {'number': 2, 'kind': 'weights', 'name': 'model', 'call': 1, 'step': False}
    assert lines[1] == dict(second, outputs=[], inputs=[])
    assert {name: array.tolist() for name, array in arrays[0].items()} == {
        'outputs0': 0.5,
        'outputs1': [1, 2],
        'inputs0': [1, 1],
    }
    written.note('one')
    written.note('two')
    written.note('one')
    written.end(1, 'an error')
    end = json.loads((tmp_path / 'end.json').read_text())
    assert (end['status'], end['error'], end['notes']) == (1, 'an error', ['one', 'two'])
    assert end['versions']['numpy'] == np.__version__
    assert end['versions']['Python'] == '.'.join(map(str, sys.version_info[:3]))
    # A process that is forked from this one writes nothing.
    monkeypatch.setattr(os, 'getpid', lambda: 0)
    written.event('call', 'f 1', 2, [])
    written.end(0, '')
    assert len(events_of(tmp_path)[0]) == 2
    assert json.loads((tmp_path / 'end.json').read_text()) == end


def test_stop_after_the_steps_that_are_recorded(tmp_path):
    stopping, going = Record(str(tmp_path), 3, True), Record(str(tmp_path), 3, False)
    stopping.after_step(2)
    for call in 3, 4:
        going.after_step(call)
        with pytest.raises(Stop, match='after 3 steps' if call == 3 else 'after 4 steps'):
            stopping.after_step(call)
    assert not issubclass(Stop, Exception)


def test_version_behind_a_launcher(monkeypatch):
    """A launcher tells programs an older TensorFlow; the record has the one that is installed."""
    monkeypatch.setitem(sys.modules, 'tensorflow', SimpleNamespace(__version__='1.15.0'))
    monkeypatch.setattr(record, '_installed', lambda *packages: '2.16.1' if 'tensorflow' in packages else '')
    monkeypatch.setitem(sys.modules, 'keras', SimpleNamespace(__version__='2.3.1'))
    monkeypatch.setitem(sys.modules, 'theano', SimpleNamespace(__version__=None))
    versions = record.versions()
    assert (versions['tensorflow'], versions['keras']) == ('2.16.1', '2.3.1')
    assert 'theano' not in versions
    monkeypatch.setattr(record, '_installed', lambda *packages: '')
    assert record.versions()['tensorflow'] == '1.15.0'


def test_version_of_an_installed_package():
    # Older Pythons do not know versions of packages.
    expected = np.__version__ if sys.version_info >= (3, 8) else ''
    assert record._installed('no-such-package', 'numpy', 'pytest') == expected
    assert record._installed('no-such-package') == ''


# -- imports -----------------------------------------------------------------------------------------------------------


def test_action_after_each_import_of_the_program(tmp_path, monkeypatch):
    for name, text in (
        ('outside', 'import inside_of_it\n'),
        ('inside_of_it', ''),
        ('broken_module', 'import gone_one\n'),
    ):
        (tmp_path / f'{name}.py').write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(builtins, '__import__', builtins.__import__)
    seen = []

    def action():
        seen.append('inside_of_it' in sys.modules)
        import json  # noqa: F401 - an import of the action calls no action

    record.after_imports(action)
    import outside

    assert (seen, outside.inside_of_it) == ([True], sys.modules['inside_of_it'])
    with pytest.raises(ImportError):
        import broken_module  # noqa: F401
    assert seen == [True]
    import outside as again

    assert (seen, again) == ([True, True], outside)
    for name in 'outside', 'inside_of_it':
        sys.modules.pop(name)


def test_modules_whose_import_has_ended(monkeypatch):
    assert record.complete('json') is json
    assert record.complete('no.such.module') is None
    partial = ModuleType('partial_module')
    monkeypatch.setitem(sys.modules, 'partial_module', partial)
    assert record.complete('partial_module') is partial
    partial.__spec__ = SimpleNamespace(_initializing=True)
    assert record.complete('partial_module') is None


# -- calls -------------------------------------------------------------------------------------------------------------


class Models:
    """Notes the snapshots that it is asked for."""

    def __init__(self):
        self.asked = []

    def snapshot(self, when, new=False):
        self.asked.append((when, new))


class Library:
    """A module of K whose tensors are functions of what is fed."""

    def __init__(self, folder, steps=2, stop=False, control=0, event=None):
        self.record, self.models = Record(str(folder), steps, stop), Models()
        self.module = ModuleType('k')
        self.made = []
        self.module.function = self.function
        self.trace = Trace(event, __file__, str(folder))
        self.functions = Functions(self.record, self.models, self.trace, control)
        self.functions.patch(self.module)

    def function(self, inputs, outputs, *args, **kwargs):
        """The function of the library."""

        def call(fed, *more, **named):
            self.made.append((fed, more, named))
            return [output(*fed) for output in outputs]

        call.its_own = 'attribute'
        return call


def test_calls_of_functions_are_written_down(tmp_path):
    library = Library(tmp_path)
    before = []
    library.functions.before_calls = lambda: before.append(len(library.made))
    patched = library.module.function
    assert patched.__doc__ == 'The function of the library.'
    library.functions.patch(library.module)
    assert library.module.function is patched
    adds = patched(['x', 'y'], [lambda x, y: x + y, lambda x, y: None], ['an update'])
    named = patched(['x'], [lambda x: 2 * x], name='test')
    assert adds.its_own == 'attribute'
    assert adds([np.float32(1), np.float32(2)])[0] == 3
    assert named([4]) == [8]
    for _ in range(2):  # the third call is beyond the steps that are recorded
        adds([np.float32(5), np.float32(2)])
    patched(['x'], [lambda x: x], updates=[])([1])
    lines, arrays = events_of(tmp_path)
    assert [(line['name'], line['call'], line['step']) for line in lines] == [
        ('function 1', 1, True),
        ('test 1', 1, False),
        ('function 1', 2, True),
        ('function 2', 1, False),
    ]
    assert (lines[0]['outputs'], lines[0]['inputs']) == (['output 0'], ['input 0', 'input 1'])
    assert {name: float(value) for name, value in arrays[2].items()} == {'outputs0': 7, 'inputs0': 5, 'inputs1': 2}
    assert before == [0, 1, 2, 3, 4]
    assert library.models.asked == [('before its first step', True)] * 4


def test_function_that_returns_one_array(tmp_path):
    library = Library(tmp_path)
    library.module.function = lambda inputs, outputs, *args, **kwargs: lambda inputs: inputs * 2
    library.functions.patch(library.module)
    assert library.module.function([], [])(inputs=np.float32(3)) == 6
    lines, arrays = events_of(tmp_path)
    assert (lines[0]['outputs'], lines[0]['inputs']) == (['output 0'], ['input 0'])
    assert (arrays[0]['outputs0'], arrays[0]['inputs0']) == (6, 3)


def test_weights_after_the_last_step_that_is_recorded(tmp_path):
    library = Library(tmp_path, steps=2, stop=True)
    train = library.module.function(['x'], [lambda x: x], ['an update'], name='train_function')
    other = library.module.function(['x'], [lambda x: x], name='test_function')
    for _ in range(3):
        other([1.0])
    train([1.0])
    assert {when for when, _new in library.models.asked} == {'before its first step'}
    with pytest.raises(Stop):
        train([1.0])
    assert library.models.asked[-1] == ('after 2 steps of train_function 1', False)


def test_inputs_with_changed_digits(tmp_path):
    library = Library(tmp_path, control=1)
    value = np.linspace(1, 2, 100, dtype='float32')
    library.module.function(['x', 'n'], [lambda x, n: x])([value, 3], 'more', named=1)
    ((fed, more, named),) = library.made
    np.testing.assert_array_equal(fed[0], changed(value, 1))
    assert (fed[0] != value).any()
    assert (fed[1], more, named) == (3, ('more',), {'named': 1})


# -- the trace ---------------------------------------------------------------------------------------------------------


class Tensor:
    """A function of what is fed."""

    def __init__(self, compute):
        self.compute = compute

    def __call__(self, *fed):
        return self.compute(*fed)


def test_results_of_k_at_an_event(tmp_path):
    library = Library(tmp_path, event=['function 1', 2])
    module = library.module

    def square(x):
        return Tensor(lambda *fed: x(*fed) ** 2)

    def split(x):
        return [x, 5, square(x), module.square(x)]

    def fails(x):
        return Tensor(lambda *fed: fed[7])

    def update(x, new_x):
        return Tensor(lambda *fed: 'an operation')

    def is_tensor(x):
        return isinstance(x, Tensor)

    def placeholder():
        return Tensor(lambda *fed: fed[0])

    for function in square, split, fails, update, is_tensor, placeholder:
        setattr(module, function.__name__, function)
    library.trace.patch(module, is_tensor)
    assert (module.is_tensor, module.placeholder) == (is_tensor, placeholder)
    x = module.placeholder()
    line = sys._getframe().f_lineno
    y = module.square(x)
    module.split(x)
    module.fails(x)
    module.update(x, y)
    run = module.function([x], [y])
    run([np.float32(2)])
    assert not (tmp_path / 'trace.json').exists()
    run([np.float32(3)])
    place = f'{os.path.basename(__file__)}:{line + 1}'
    found = json.loads((tmp_path / 'trace.json').read_text())
    assert found[0] == ['square', place, 0]
    assert [(name, number) for name, _place, number in found] == [
        ('square', 0),
        ('split', 0),
        ('split', 2),
        ('split', 3),
        ('fails', 0),
        ('update', 0),
    ]
    with np.load(str(tmp_path / 'trace.npz')) as values:
        assert {name: float(values[name]) for name in values.files} == {'t0': 9, 't1': 3, 't2': 9, 't3': 9, 't5': 9}


def test_no_trace_without_an_event(tmp_path):
    library = Library(tmp_path)
    library.module.square = function = lambda x: x
    library.trace.patch(library.module, callable)
    assert library.module.square is function
    library.module.function(['x'], [function])([1.0])
    assert not (tmp_path / 'trace.json').exists()


def test_place_of_a_call_from_elsewhere(tmp_path):
    """Where no line of the program is among the callers, the nearest function of another folder is named."""
    place = Trace(['f', 1], str(tmp_path / 'absent.py'), str(tmp_path)).place()
    assert place == f'prove/{os.path.basename(__file__)}, test_place_of_a_call_from_elsewhere'


# -- the end of the program --------------------------------------------------------------------------------------------


@pytest.fixture
def status_of(tmp_path, monkeypatch):
    """What `program._status` says of a program with this text."""

    def status_of(text):
        path = tmp_path / 'train.py'
        path.write_text(text)
        settings = {
            'program': str(path),
            'launcher': [],
            'arguments': ['--epochs', '3'],
            'home': str(tmp_path / 'home'),
        }
        monkeypatch.setattr(sys, 'argv', ['witness'])
        monkeypatch.setattr(sys, 'path', list(sys.path))
        return program._status(settings)

    return status_of


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('', (0, '')),
        ('import sys\nsys.exit()', (0, '')),
        ('import sys\nsys.exit(0)', (0, '')),
        ('import sys\nsys.exit(3)', (1, 'SystemExit: 3')),
        ('raise ValueError("no")', (1, 'ValueError: no')),
        ('raise KeyboardInterrupt', (1, 'KeyboardInterrupt: ')),
        ('from keras_backend.programs.prove.prove_witness.record import Stop\nraise Stop', (0, '')),
        ('import sys\nassert sys.argv == [__file__, "--epochs", "3"], sys.argv', (0, '')),
        ('import os, sys\nassert sys.path[0] == os.path.dirname(__file__), sys.path', (0, '')),
        ('import sys\nassert sys.path[-1].endswith("home"), sys.path', (0, '')),
        ('assert __name__ == "__main__"', (0, '')),
    ],
)
def test_how_a_program_ends_under_the_witness(status_of, text, expected, capfd):
    assert status_of(text) == expected
    assert ('Traceback' in capfd.readouterr().err) == (expected[0] == 1 and 'SystemExit' not in expected[1])


def test_package_beside_the_program(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, 'path', [str(tmp_path)])
    (tmp_path / 'a_file').write_text('')
    (tmp_path / 'a_package').mkdir()
    assert [program._is_installed(name) for name in ('a_package', 'a_file', 'absent')] == [True, False, False]
