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
# How often the reference runs with changed digits.
CONTROLS = 2


class Verdict(NamedTuple):
    """What was found for an engine.

    Attributes
    ----------
    record : Record
        What its run has written.
    verdict : str
        EQUAL, ROUNDING, UNDECIDED, PARTS or DIED.
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
    """What was found. control: how far the reference moves when the last digits of its inputs change."""

    program: Program
    reference: Record
    verdicts: List[Verdict]
    control: float

    @property
    def status(self) -> int:
        """0 if all are equal, else 1."""
        good = not self.reference.error and all(verdict.verdict in (EQUAL, ROUNDING) for verdict in self.verdicts)
        return 0 if good else 1


def prove(
    program: Program, names: List[str], python: str, folder: str, options: runs.Options, show: Callable[[str], None]
) -> Proof:
    """Run a program, and compare the runs with the first of them.

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
    reference = records[0]
    outcomes = [differences.compare(record, reference) for record in records[1:]]
    first_outcomes: Dict[int, Outcome] = {}
    spread: Dict[Tuple[differences.Key, int], float] = {}
    if any(outcome.first is not None for outcome in outcomes) and not reference.error:
        show(f'{names[0]} runs with other last digits ...')
        paths = [(number, os.path.join(folder, f'control-{number}')) for number in range(1, CONTROLS + 1)]
        controls = [
            differences.read(runs.run(program, names[0], python, path, options, control=number))
            for number, path in paths
        ]
        spread = differences.spreads(controls, reference)
        first_outcomes = {i: outcome for i, outcome in enumerate(outcomes) if outcome.first is not None}
        outcomes = [differences.compare(record, reference, spread) for record in records[1:]]
    verdicts = []
    traced_reference: Dict[differences.Key, runs.Run] = {}

    def traced(name: str, key: differences.Key) -> runs.Run:
        path = os.path.join(folder, f'trace-{len(os.listdir(folder))}')
        return runs.run(program, name, python, path, options, trace=(key[1], key[2]))

    def first_call(record: Record, outcome: Outcome) -> Tuple[Optional[Call], int]:
        key = _to_trace(outcome.key, reference) if outcome.key else None
        while key is not None and key in record.events:
            show(f'{record.run.name} and {names[0]} run again, with the calls of K ...')
            if key not in traced_reference:
                traced_reference[key] = traced(names[0], key)
            other = traced(record.run.name, key)
            call, compared = first_calls.first(other, traced_reference[key], _steps_before(key, reference))
            # A variable that differs has got its value in the step before.
            before = _step_before(key, reference)
            if call is None or call.name not in STATE or before is None or before in traced_reference:
                return call, compared
            key = before
        return None, 0

    for i, (record, outcome) in enumerate(zip(records[1:], outcomes)):
        call, compared = (None, 0) if outcome.first is None else first_call(record, outcome)
        verdict = ROUNDING if i in first_outcomes else EQUAL
        if outcome.chaos or not outcome.events:
            verdict = UNDECIDED
        if outcome.first is not None:
            verdict = PARTS
        if record.error:
            verdict = DIED
        verdicts.append(Verdict(record, verdict, outcome, call, compared))
    return Proof(program, reference, verdicts, max(spread.values(), default=0.0))


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
