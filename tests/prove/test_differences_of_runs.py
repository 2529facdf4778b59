"""What prove calls a difference: tolerances, NaN, what the reference does to itself, records that end early."""

import errno
import json
import os
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from keras_backend.programs.prove import proof as proof_module
from keras_backend.programs.prove.differences import (
    SAMPLES,
    compare,
    differs,
    read,
    relative_difference,
    spreads,
    tolerance,
)
from keras_backend.programs.prove.programs import Program
from keras_backend.programs.prove.proof import RESULTS, ROUNDING, UNDECIDED, Call, Proof, Verdict, _verdict
from keras_backend.programs.prove.report import NoPicture, _functions, data, lines, save, summary
from keras_backend.programs.prove.runs import Options, Run


@pytest.fixture
def recorded(tmp_path):
    """Writes a record of events: (kind, name, call, outputs by name, whether it is a step)."""

    def recorded(name, events, error=''):
        folder = tmp_path / name
        folder.mkdir()
        lines = []
        for number, (kind, title, call, outputs, step) in enumerate(events, 1):
            np.savez(str(folder / f'{number:06d}.npz'), **{f'outputs{i}': v for i, v in enumerate(outputs.values())})
            line = {'number': number, 'kind': kind, 'name': title, 'call': call, 'step': step}
            lines.append(json.dumps(dict(line, outputs=list(outputs), inputs=[])))
        (folder / 'events.jsonl').write_text('\n'.join(lines) + '\n')
        end = {'status': int(bool(error)), 'error': error, 'notes': [], 'versions': {}}
        (folder / 'end.json').write_text(json.dumps(end))
        return read(Run(name, str(folder), end['status'], 0.0, ''))

    return recorded


def steps(*losses):
    """Calls of a function that trains."""
    return [('call', 'train', i, {'output 0': np.float32(loss)}, True) for i, loss in enumerate(losses, 1)]


def test_tolerance_grows_with_steps_and_falls_with_digits():
    assert tolerance('float64', 0) < tolerance('float32', 0) < tolerance('float16', 0)
    assert tolerance('float32', 9) == pytest.approx(10 * tolerance('float32', 0))


@pytest.mark.parametrize(
    ('value', 'expected', 'kind'),
    [
        (np.float32([1, np.nan]), np.float32([1, np.nan]), None),
        (np.float32([1, np.nan]), np.float32([1, 2]), 'value'),
        (np.float32([1, np.inf]), np.float32([1, np.inf]), None),
        (np.float32([1, -np.inf]), np.float32([1, np.inf]), 'value'),
        (np.float32([[1]]), np.float32([1]), 'shape'),
        (np.float32([]), np.float32([]), None),
        (np.float32([1 + 1e-6]), np.float32([1]), None),
        (np.float32([1 + 1e-3]), np.float32([1]), 'value'),
        # The narrower of two dtypes has the say: TensorFlow 1 gives float32 where NumPy gives float64.
        (np.float64([1 + 1e-6]), np.float32([1]), None),
        (np.float64([1 + 1e-9]), np.float64([1]), 'value'),
        # A small number is a difference of larger ones.
        (np.float32([1e-8]), np.float32([3e-8]), None),
        (np.int32([3]), np.int64([3]), None),
        (np.int32([3]), np.int64([4]), 'value'),
    ],
)
def test_one_array(value, expected, kind):
    found = differs(value, expected, 0)
    assert (found[0] if found else None) == kind


def test_relative_difference():
    assert relative_difference(np.float64([1, 2.5]), np.float64([1, 2])) == 0.25
    assert relative_difference(np.float64([1]), np.float64([1, 2])) == float('inf')
    assert relative_difference(np.float64([np.nan]), np.float64([1])) == float('inf')
    assert relative_difference(np.float64([np.nan, np.inf, 2]), np.float64([np.nan, np.inf, 1])) == 1.0
    assert relative_difference(np.float64([3, np.nan]), np.float64([3, np.nan])) == 0.0


def test_first_difference_is_that_of_the_reference_order(recorded):
    reference = recorded('reference', steps(1.0, 0.5, 0.25))
    outcome = compare(recorded('run', steps(1.0, 0.6, 0.4)), reference)
    assert outcome.first.event == 'train, call 2'
    assert outcome.first.value == pytest.approx(0.6)
    assert outcome.losses['train'][2] == (0.25, pytest.approx(0.4))
    assert outcome.largest == pytest.approx(0.6)


def test_a_program_that_moves_by_itself(recorded):
    """A run inside what the reference does to itself is no difference; far from it, it is undecided."""
    reference = recorded('reference', steps(1.0, 0.5))
    control = recorded('control', steps(1.0, 0.502))
    spread = spreads([control], reference)
    assert compare(recorded('near', steps(1.0, 0.505)), reference).first is not None
    near = compare(recorded('near 2', steps(1.0, 0.505)), reference, spread)
    assert (near.first, near.chaos) == (None, '')
    assert compare(recorded('far', steps(1.0, 0.52)), reference, spread).first is not None
    wild = spreads([recorded('wild', steps(1.0, 0.6))], reference)
    assert compare(recorded('far 2', steps(1.0, 0.55)), reference, wild).chaos == 'train, call 2'


def test_weights_that_no_result_needs(recorded):
    """Weights that go far in the reference, too, are no difference; the verdict does not call that rounding."""

    def run(name, weight, loss=0.5):
        events = [*steps(1.0, loss), ('weights', 'variables at the end', 1, {'bias': np.float32([weight])}, False)]
        return recorded(name, events)

    reference = run('reference', 1.0)
    spread = spreads([run('control', 1.3)], reference)
    record = run('run', 1.38)
    outcome = compare(record, reference, spread)
    assert (outcome.first, outcome.chaos, outcome.free) == (None, '', 'variables at the end')
    assert outcome.lines[-1].own == pytest.approx(0.3, rel=1e-3)
    assert _verdict(record, outcome, True) == RESULTS
    verdict = Verdict(record, RESULTS, outcome, None, 0)
    text = '\n'.join(lines(Proof(Program('a.py', [], 'plain'), reference, [verdict], 0.3, 'reference')))
    assert 'run: equal in results' in text
    assert 'equal but for rounding\n' not in text
    assert re.search(r'variables at the end +1 .* 3.8e-01 +3.0e-01$', text, re.M), text
    near = compare(run('near', 1.004), reference, spread)
    assert _verdict(record, near, True) == ROUNDING
    # Nothing but weights tells nothing.
    alone = [('weights', 'variables at the end', 1, {'bias': np.float32([weight])}, False) for weight in (1.0, 1.3)]
    first, second = recorded('alone', alone[:1]), recorded('alone 2', alone[1:])
    assert _verdict(second, compare(second, first, spreads([second], first)), True) == UNDECIDED


def test_no_number_of_steps_makes_a_large_difference_small():
    assert differs(np.float32([1.38]), np.float32([1.0]), 100000) is not None


def test_no_call_before_the_spread_profits_from_it(recorded):
    """What a later call moves by itself says nothing of an earlier one."""
    reference = recorded('reference', steps(1.0, 0.5))
    spread = spreads([recorded('control', steps(1.0, 0.9))], reference)
    assert compare(recorded('run', steps(1.01, 0.5)), reference, spread).first.event == 'train, call 1'


def test_run_with_fewer_or_more_events(recorded):
    reference = recorded('reference', steps(1.0, 0.5))
    fewer = compare(recorded('fewer', steps(1.0)), reference)
    assert (fewer.first.kind, fewer.first.event) == ('missing', 'train, call 2')
    more = compare(recorded('more', steps(1.0, 0.5, 0.3)), reference)
    assert (more.first.kind, more.first.value) == ('missing', 'an event')
    died = compare(recorded('died', steps(1.0), error='ValueError: no'), reference)
    assert died.first is None  # the error is told, not the events that it prevents


def test_record_of_a_process_that_was_killed(recorded, tmp_path):
    recorded('killed', steps(1.0, 0.5))
    folder = tmp_path / 'killed'
    os.remove(str(folder / 'end.json'))
    text = (folder / 'events.jsonl').read_text()
    (folder / 'events.jsonl').write_text(text[:-20])
    found = read(Run('killed', str(folder), -9, 0.0, 'one\nKilled\n'))
    assert len(found.events) == 1
    assert found.error == 'the process ended with the status -9: Killed'


# -- the report --------------------------------------------------------------------------------------------------------


def proof_of(reference, *others):
    """A proof beside a reference, without a trace."""
    verdicts = []
    for record in others:
        outcome = compare(record, reference)
        verdicts.append(Verdict(record, _verdict(record, outcome, outcome.first is not None), outcome, None, 0))
    return Proof(Program('a.py', [], 'plain'), reference, verdicts, 0.0, reference.run.name)


def test_report_of_a_run_that_died(recorded):
    """The error and the last twelve lines of its output; what the reference says, too, is not said twice."""
    reference = recorded('reference', steps(1.0, 0.5))
    died = recorded('run', steps(1.0), error='ValueError: no')
    died = died._replace(run=died.run._replace(output='\n'.join(f'line {i}' for i in range(20))))
    proof = proof_of(reference, died)
    text = list(lines(proof))
    assert '  died: ValueError: no' in text
    place = text.index('  died: ValueError: no')
    assert text[place + 1 : place + 14] == [f'    line {i}' for i in range(8, 20)]
    assert summary(proof) == 'NOT PROVED. run: died; so reference has nothing to be compared with'
    both = proof_of(died._replace(run=died.run._replace(name='first')), died)
    text = list(lines(both))
    assert text.count('  died: ValueError: no') == 1
    assert text.index('  died: ValueError: no') < text.index('run: died')
    assert summary(both) == 'NOT PROVED. All died: first, run'


def calls(outputs, kind='call'):
    """One event with these outputs."""
    return [(kind, 'f', 1, outputs, True)]


def test_run_with_another_number_of_results(recorded):
    reference = recorded('reference', calls({'output 0': np.float32(1), 'output 1': np.float32(2)}))
    proof = proof_of(reference, recorded('run', calls({'output 0': np.float32(1)})))
    (verdict,) = proof.verdicts
    first = verdict.outcome.first
    assert (first.kind, first.value, first.expected) == ('number', 1, 2)
    told = 'f, call 1, outputs: run has this number of arrays: 1, reference has this number of arrays: 2'
    assert '  the first difference: ' + told in list(lines(proof))


def test_results_are_paired_by_name_where_they_have_one(recorded):
    """Versions of Keras give the metrics of fit in another order, and one more or less."""
    one, two, three = np.float32(1), np.float32(2), np.float32(3)
    reference = recorded('reference', calls({'loss': one, 'accuracy': two}))
    assert compare(recorded('moved', calls({'accuracy': two, 'loss': one})), reference).first is None
    assert compare(recorded('fewer', calls({'accuracy': two})), reference).first is None
    wrong = compare(recorded('wrong', calls({'accuracy': three, 'mae': two})), reference).first
    assert (wrong.name, wrong.value, wrong.expected) == ('accuracy', 3, 2)
    # Without a name in common, and for weights, the place tells.
    assert compare(recorded('others', calls({'a': one, 'b': two})), reference).first is None
    weights = recorded('weights', calls({'a': one, 'b': two}, 'weights'))
    assert compare(recorded('changed', calls({'b': one, 'a': two}, 'weights')), weights).first is None


def test_words_of_the_first_call_that_differs(recorded):
    reference = recorded('reference', steps(1.0, 0.5))
    proof = proof_of(reference, recorded('run', steps(1.0, 0.75)))
    (verdict,) = proof.verdicts
    call = Call('dot', 'a.py:3', 'value', (0, 2), 0.75, 0.5, 0.25)
    text = list(lines(proof._replace(verdicts=[verdict._replace(call=call)])))
    told = '  the first call of K that differs: K.dot at a.py:3[0, 2]: 0.75 and 0.5 (relative 2.5e-01)'
    assert text[text.index(told) - 1] == (
        '  the first difference: train, call 2, output 0: run has 0.75, reference has 0.5 (relative 5.0e-01)'
    )
    text = list(lines(proof._replace(verdicts=[verdict._replace(call=call._replace(index=None))])))
    assert told.replace('[0, 2]', '') in text
    text = list(lines(proof._replace(verdicts=[verdict._replace(traced=7)])))
    assert '  7 results of K at this event were compared, and all are equal' in text
    assert 'compared, and all' not in '\n'.join(lines(proof))


@pytest.fixture
def runs_of(recorded, monkeypatch):
    """Gives prove records in place of processes; returns what was run, and what was shown."""

    def runs_of(losses, calls, dead=()):
        asked, shown = [], []

        def run(program, name, python, folder, options, trace=None, control=0):
            asked.append((name, python, os.path.basename(folder), trace, control))
            place = os.path.join('work', os.path.basename(folder))
            values = [loss * (1 + 1e-7 * control) for loss in losses[name]]
            record = recorded(place, steps(*values), 'it died' if name in dead else '')
            if trace:
                with open(os.path.join(record.run.folder, 'trace.json'), 'w') as stream:
                    json.dump([(call, f'a.py:{line}', 0) for line, (call, _value) in enumerate(calls[name], 1)], stream)
                arrays = {f't{number}': np.float32(value) for number, (_call, value) in enumerate(calls[name])}
                np.savez(os.path.join(record.run.folder, 'trace.npz'), **arrays)
            return record.run._replace(name=name)

        monkeypatch.setattr(proof_module.runs, 'run', run)
        return asked, shown

    return runs_of


def proved(names, shown, tmp_path):
    (tmp_path / 'work').mkdir()
    program = Program('a.py', [], 'k', '')
    return proof_module.prove(program, names, 'python of old', str(tmp_path / 'work'), Options(), shown.append)


def test_runs_of_a_proof(runs_of, tmp_path):
    """One for each name; where one parts, two of the reference with other last digits, and two with the calls of K."""
    losses = {'one': [1.0, 0.5], 'two': [1.0, 0.5], 'other': [1.0, 0.75]}
    calls = {'one': [('dot', 1.0), ('exp', 2.0)], 'other': [('dot', 1.0), ('exp', 2.5)]}
    asked, shown = runs_of(losses, calls)
    proof = proved(['one', 'two', 'other'], shown, tmp_path)
    assert asked == [
        *[(name, 'python of old', name, None, 0) for name in ('one', 'two', 'other')],
        *[('one', 'python of old', f'control-{number}', None, number) for number in (1, 2)],
        ('one', 'python of old', 'trace-5', ('train', 2), 0),
        ('other', 'python of old', 'trace-6', ('train', 2), 0),
    ]
    assert shown == [
        'one runs ...',
        'two runs ...',
        'other runs ...',
        'one runs with other last digits ...',
        'other and one run again, with the calls of K ...',
    ]
    assert [(verdict.verdict, verdict.traced) for verdict in proof.verdicts] == [('equal', 0), ('parts', 2)]
    call = proof.verdicts[1].call
    assert (call.name, call.place, call.value, call.expected, call.relative) == ('exp', 'a.py:2', 2.5, 2.0, 0.25)
    assert (proof.chosen, proof.reference.run.name, proof.status) == ('one', 'one', 1)
    assert 0 < proof.control < 1e-6


def test_runs_of_a_proof_of_equal_engines(runs_of, tmp_path):
    """Nothing runs a second time."""
    asked, shown = runs_of({'one': [1.0], 'two': [1.0]}, {})
    proof = proved(['one', 'two'], shown, tmp_path)
    assert ([name for name, *_ in asked], shown) == (['one', 'two'], ['one runs ...', 'two runs ...'])
    assert (proof.status, proof.control, proof.verdicts[0].verdict) == (0, 0.0, 'equal')


def test_reference_of_a_proof_where_the_first_died(runs_of, tmp_path):
    _asked, shown = runs_of({'one': [], 'two': [1.0], 'other': [1.0]}, {}, dead=['one'])
    proof = proved(['one', 'two', 'other'], shown, tmp_path)
    assert (proof.chosen, proof.reference.run.name, proof.status) == ('one', 'two', 1)
    assert [(verdict.record.run.name, verdict.verdict) for verdict in proof.verdicts] == [
        ('one', 'died'),
        ('other', 'equal'),
    ]


def test_notes_of_a_report(recorded):
    reference = recorded('reference', steps(1.0, 0.5))._replace(notes=['one'])
    proof = proof_of(reference, recorded('run', steps(1.0, 0.5))._replace(notes=['two', 'one']))
    text = list(lines(proof))
    assert text[-3:] == ['', 'note: one (reference, run)', 'note: two (run)']
    text = list(lines(proof._replace(control=0.001)))
    assert text[-4:-2] == [
        '',
        'note: reference differs from itself by up to 1.0e-03 when the last digits of its inputs change. A run that is '
        f'no further from it than {SAMPLES} times that, at each event, is equal but for rounding',
    ]


def test_numbers_of_a_report_that_json_lacks(recorded):
    reference = recorded('reference', steps(1.0, np.nan))
    proof = proof_of(reference, recorded('run', steps(1.0, np.inf)))
    found = data(proof)
    assert found['engines'][0]['losses'] == {'train': [[1.0, 1.0], ['nan', 'inf']]}
    assert json.loads(json.dumps(found)) == found


class Axes:
    """Notes what is drawn."""

    def __init__(self):
        self.lines = []

    def plot(self, steps, values, *style, label, **more):
        self.lines.append((list(steps), values, style, label))

    def set_title(self, title):
        self.title = title

    def set_xlabel(self, label):
        self.label = label

    def legend(self):
        self.has_legend = True


@pytest.fixture
def figures(monkeypatch):
    """Matplotlib without pixels: its figures, in a list."""
    made = []

    class Figure:
        def __init__(self, figsize):
            self.size, self.axes, self.saved, self.error = figsize, {}, [], None
            made.append(self)

        def add_subplot(self, rows, columns, place):
            assert (rows, columns) == (self.size[1] // 3, 1)
            self.axes[place] = Axes()
            return self.axes[place]

        def tight_layout(self):
            self.is_tight = True

        def savefig(self, path, dpi, format):
            if 'full' in path:
                raise OSError(errno.ENOSPC, 'No space left on device')
            if format == 'words':
                raise ValueError('no such format')
            self.saved.append((path, dpi, format))

    monkeypatch.setitem(sys.modules, 'matplotlib.backends.backend_agg', SimpleNamespace(FigureCanvasAgg=id))
    monkeypatch.setitem(sys.modules, 'matplotlib.figure', SimpleNamespace(Figure=Figure))
    return made


LOSSES = {
    'same': {'train 1': [(1.0, 1.5), (0.5, 0.75)], 'test 1': [(3.0, 3.0)]},
    'other': {'train 2': [(2.0, 2.0)], 'a fit': [], 'a train_on_batch': [(4.0, 4.5)], 'train 1': [(1.0, 1.25)]},
}


def test_picture_of_losses(figures):
    """A line for the reference, and marks for each engine, of each function that trains."""
    save(LOSSES, 'numpy', 'losses.PDF')
    (figure,) = figures
    assert (figure.size, figure.saved, figure.is_tight) == ((7, 12), [('losses.PDF', 100, 'pdf')], True)
    assert [axes.title for axes in figure.axes.values()] == ['train 1', 'train 2', 'a fit', 'a train_on_batch']
    assert list(figure.axes) == [1, 2, 3, 4]
    assert figure.axes[1].lines == [
        ([1, 2], [1.0, 0.5], (), 'numpy'),
        ([1, 2], [1.5, 0.75], ('x',), 'same'),
        ([1], [1.25], ('+',), 'other'),
    ]
    assert figure.axes[1].has_legend
    assert figure.axes[1].label == 'call'
    save({'same': {'test 1': [(3.0, 3.5)], 'another': []}}, 'numpy', 'losses')
    assert figures[1].saved == [('losses', 100, 'png')]
    assert [axes.title for axes in figures[1].axes.values()] == ['test 1', 'another']
    save({}, 'numpy', 'losses.png')
    assert figures[2].size == (7, 3)
    assert len(_functions({'one': {f'f {i}': [] for i in range(9)}})) == 4


def test_pictures_that_cannot_be_written(figures, monkeypatch):
    with pytest.raises(NoPicture, match='There is no picture: losses.words cannot be written'):
        save(LOSSES, 'numpy', 'losses.words')
    with pytest.raises(NoPicture, match='There is no picture. .*full.png'):
        save(LOSSES, 'numpy', 'full.png')
    monkeypatch.setitem(sys.modules, 'matplotlib.figure', None)
    with pytest.raises(NoPicture, match='Matplotlib is not installed. Type: pip install matplotlib'):
        save(LOSSES, 'numpy', 'losses.png')
