"""Runs a program on each engine and compares: the whole of a proof."""

import difflib
import json
import os
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from . import differences, runs
from .differences import Outcome, Record, differs, relative_difference
from .programs import Program
from .runs import Run

# Functions of K that make variables.
STATE = ('variable', 'zeros', 'ones', 'eye', 'zeros_like', 'random_normal_variable', 'random_uniform_variable')
# The verdicts of an engine.
EQUAL, ROUNDING, PARTS, DIED = 'equal', 'equal but for rounding', 'parts', 'died'
UNDECIDED = 'undecided'
RESULTS = 'equal in results'
# These prove that the numbers are the same.
GOOD = (EQUAL, ROUNDING, RESULTS)
# How often the reference runs with changed digits.
CONTROLS = 2


class Verdict(NamedTuple):
    """What was found for an engine.

    Attributes
    ----------
    record : Record
        What its run has written.
    verdict : str
        EQUAL, ROUNDING, RESULTS, UNDECIDED, PARTS or DIED.
    outcome : Outcome
        The comparison with the reference.
    call : Call or None
        The first call of K that differs, where one was found.
    traced : int
        How many results of K were compared to find it.
    """

    record: Record
    verdict: str
    outcome: Outcome
    call: Optional['Call']
    traced: int


class Proof(NamedTuple):
    """What was found.

    Attributes
    ----------
    program : Program
        The program.
    reference : Record
        The run that all others are compared with.
    verdicts : list of Verdict
        What was found for the others.
    control : float
        How far the reference moves when the last digits of its inputs change.
    chosen : str
        The name of the run that was to be the reference. It is another one if that died.
    """

    program: Program
    reference: Record
    verdicts: List[Verdict]
    control: float
    chosen: str

    @property
    def status(self) -> int:
        """0 if all are equal, else 1."""
        good = not self.reference.error and all(verdict.verdict in GOOD for verdict in self.verdicts)
        return 0 if good else 1


def prove(
    program: Program, names: List[str], python: str, folder: str, options: runs.Options, show: Callable[[str], None]
) -> Proof:
    """Run a program, and compare the runs with the first of them that did not die.

    Parameters
    ----------
    program : Program
        The program.
    names : list of str
        The engines; ORIGINAL first, if there is one.
    python : str
        The interpreter of the original.
    folder : str
        A folder for the records.
    options : Options
        What is recorded.
    show : callable
        Is told what goes on.
    """
    records: List[Record] = []
    for name in names:
        show(f'{name} runs ...')
        records.append(differences.read(runs.run(program, name, python, os.path.join(folder, name), options)))
    reference = next((record for record in records if not record.error), records[0])
    of_reference = reference.run.name
    others = [record for record in records if record is not reference]
    outcomes = [differences.compare(record, reference) for record in others]
    first_outcomes: Dict[int, Outcome] = {}
    spread: Dict[Tuple[differences.Key, int], float] = {}
    if any(outcome.first is not None for outcome in outcomes) and not reference.error:
        show(f'{of_reference} runs with other last digits ...')
        paths = [(number, os.path.join(folder, f'control-{number}')) for number in range(1, CONTROLS + 1)]
        controls = [
            differences.read(runs.run(program, of_reference, python, path, options, control=number))
            for number, path in paths
        ]
        spread = differences.spreads(controls, reference)
        first_outcomes = {i: outcome for i, outcome in enumerate(outcomes) if outcome.first is not None}
        outcomes = [differences.compare(record, reference, spread) for record in others]
    verdicts = []
    traced_reference: Dict[differences.Key, runs.Run] = {}

    def traced(name: str, key: differences.Key) -> runs.Run:
        path = os.path.join(folder, f'trace-{len(os.listdir(folder))}')
        return runs.run(program, name, python, path, options, trace=(key[1], key[2]))

    def first_call(record: Record, outcome: Outcome) -> Tuple[Optional[Call], int]:
        key = _to_trace(outcome.key, reference) if outcome.key else None
        while key is not None and key in record.events:
            show(f'{record.run.name} and {of_reference} run again, with the calls of K ...')
            if key not in traced_reference:
                traced_reference[key] = traced(of_reference, key)
            other = traced(record.run.name, key)
            call, compared = first(other, traced_reference[key], _steps_before(key, reference))
            # A variable that differs has got its value in the step before.
            before = _step_before(key, reference)
            if call is None or call.name not in STATE or before is None or before in traced_reference:
                return call, compared
            key = before
        return None, 0

    for i, (record, outcome) in enumerate(zip(others, outcomes)):
        call, compared = (None, 0) if outcome.first is None else first_call(record, outcome)
        verdicts.append(Verdict(record, _verdict(record, outcome, i in first_outcomes), outcome, call, compared))
    return Proof(program, reference, verdicts, max(spread.values(), default=0.0), names[0])


def _verdict(record: Record, outcome: Outcome, differed: bool) -> str:
    """The verdict. differed: whether some number differs by more than a library's own rounding."""
    if record.error:
        return DIED
    if outcome.first is not None:
        return PARTS
    has_calls = any(line.kind == 'call' for line in outcome.lines)
    if outcome.chaos or not outcome.events or (outcome.free and not has_calls):
        return UNDECIDED
    if outcome.free:
        return RESULTS
    return ROUNDING if differed else EQUAL


def _to_trace(key: differences.Key, reference: Record) -> Optional[differences.Key]:
    """The call whose results tell why an event differs: itself, or the last step before weights that differ."""
    if key not in reference.events or key[0] == 'draw':
        return None
    return key if key[0] == 'call' else _step_before(key, reference)


def _step_before(key: differences.Key, reference: Record) -> Optional[differences.Key]:
    steps = [earlier for earlier in _before(key, reference) if reference.events[earlier].step]
    return steps[-1] if steps else None


def _steps_before(key: differences.Key, reference: Record) -> int:
    return sum(reference.events[earlier].step for earlier in _before(key, reference))


def _before(key: differences.Key, reference: Record) -> List[differences.Key]:
    keys = list(reference.events)
    return keys[: keys.index(key)]


# -- the first call that differs ---------------------------------------------------------------------------------------
# The first call of K whose result differs, from a second run of two processes.


class Call(NamedTuple):
    """A call of K whose result differs.

    Attributes
    ----------
    name, place : str
        The function, and where it was called: 'train.py:12', or a part of Keras.
    kind : str
        'value', 'shape' or 'number'.
    index : tuple of int or None
        The place in the array.
    value, expected : any
        Both values: of the run and of the reference.
    relative : float
        The difference of the two arrays, relative to the largest value.
    """

    name: str
    place: str
    kind: str
    index: Optional[Tuple[int, ...]]  # type: ignore[assignment]  # the name of a method of tuples
    value: Any
    expected: Any
    relative: float


def first(run: Run, reference: Run, steps: int) -> Tuple[Optional[Call], int]:
    """The first call whose result differs, and how many results were compared.

    Parameters
    ----------
    run, reference : Run
        Two processes that have traced the same event.
    steps : int
        How many steps of training came before it.
    """
    calls, arrays = _trace(run)
    expected_calls, expected = _trace(reference)
    compared = 0
    for ours, theirs in _same(calls, expected_calls):
        value, other = arrays.get(f't{ours}'), expected.get(f't{theirs}')
        if value is None or other is None:
            continue
        compared += 1
        wrong = differs(value, other, steps)
        if wrong:
            name, position, _ = calls[ours]
            return Call(name, position, *wrong, relative_difference(value, other)), compared
    return None, compared


def _trace(run: Run) -> Tuple[List[Tuple[str, str, int]], Any]:
    path = os.path.join(run.folder, 'trace.json')
    if not os.path.exists(path):
        return [], {}
    with open(path, encoding='utf-8') as stream:
        calls = [(str(name), str(position), int(number)) for name, position, number in json.load(stream)]
    with np.load(os.path.join(run.folder, 'trace.npz')) as file:
        return calls, {name: file[name] for name in file.files}


def _same(calls: List[Tuple[str, str, int]], wanted: List[Tuple[str, str, int]]) -> List[Tuple[int, int]]:
    """The places of equal calls in both lists, in order."""
    blocks = difflib.SequenceMatcher(None, calls, wanted, autojunk=False).get_matching_blocks()
    return [(block.a + i, block.b + i) for block in blocks for i in range(block.size)]
