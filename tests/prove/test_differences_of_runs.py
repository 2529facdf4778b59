"""What prove calls a difference: tolerances, NaN, what the reference does to itself, records that end early."""

import json
import os
import re

import numpy as np
import pytest

from keras_backend.programs.prove.differences import compare, differs, read, relative_difference, spreads, tolerance
from keras_backend.programs.prove.programs import Program
from keras_backend.programs.prove.proof import RESULTS, ROUNDING, UNDECIDED, Proof, Verdict, _verdict
from keras_backend.programs.prove.report import lines
from keras_backend.programs.prove.runs import Run


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
