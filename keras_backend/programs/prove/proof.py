"""Runs a program on each engine and compares: the whole of a proof."""

import os
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

from . import differences, first_calls, runs
from .differences import Outcome, Record
from .first_calls import Call
from .programs import Program

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
    call: Optional[Call]
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
            call, compared = first_calls.first(other, traced_reference[key], _steps_before(key, reference))
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
