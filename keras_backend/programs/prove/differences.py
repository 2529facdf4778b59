"""Two records of the numbers of a program, and where they differ."""

import json
import os
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from ...comparison import TOLERANCE, differ
from .runs import Run

# -- records -----------------------------------------------------------------------------------------------------------
# What the witness of a run has written.


Key = Tuple[str, str, int]


class Event(NamedTuple):
    """An event of a run.

    Attributes
    ----------
    kind : str
        'call', 'weights' or 'draw'.
    name : str
        The function, the model or the kind of draw.
    call : int
        Its number, from 1.
    step : bool
        Whether variables change.
    outputs, inputs : list of str
        The names of its arrays.
    path : str
        The file of the arrays.
    """

    kind: str
    name: str
    call: int
    step: bool
    outputs: List[str]
    inputs: List[str]
    path: str

    @property
    def key(self) -> Key:
        """What is the same for this event in every run."""
        return self.kind, self.name, self.call

    def arrays(self, part: str) -> List[Tuple[str, np.ndarray]]:
        """The names and arrays of 'outputs' or 'inputs'."""
        with np.load(self.path) as file:
            return [(name, file[f'{part}{i}']) for i, name in enumerate(getattr(self, part))]


class Record(NamedTuple):
    """The record of a run.

    Attributes
    ----------
    run : Run
        The process.
    events : dict
        The events by their keys, in order.
    error : str
        How the program failed, or ''.
    notes : list of str
        What the witness has to say.
    versions : dict
        The versions of the libraries by name.
    """

    run: Run
    events: Dict[Key, Event]
    error: str
    notes: List[str]
    versions: Dict[str, str]


def read(run: Run) -> Record:
    """The record of a run, also of one that died.

    Parameters
    ----------
    run : Run
        The process.
    """
    events: Dict[Key, Event] = {}
    for line in _lines(os.path.join(run.folder, 'events.jsonl')):
        path = os.path.join(run.folder, f'{line["number"]:06d}.npz')
        event = Event(line['kind'], line['name'], line['call'], line['step'], line['outputs'], line['inputs'], path)
        events[event.key] = event
    end: Dict[str, Any] = {'status': run.status, 'error': '', 'notes': [], 'versions': {}}
    path = os.path.join(run.folder, 'end.json')
    if os.path.exists(path):
        with open(path, encoding='utf-8') as stream:
            end = json.load(stream)
    error = end['error']
    if not error and (run.status or not os.path.exists(path)):
        last = run.output.strip().splitlines()[-1:] or ['it printed nothing']
        error = f'the process ended with the status {run.status}: {last[0]}'
    return Record(run, events, error, end['notes'], end['versions'])


def _lines(path: str) -> List[Dict[str, Any]]:
    if not os.path.exists(path):
        return []
    events = []
    with open(path, encoding='utf-8') as stream:
        for line in stream:
            try:
                events.append(json.loads(line))
            except ValueError:  # the last line of a process that was killed
                break
    return events


# A tensor whose largest value is smaller than this counts as this large. A small loss or gradient is a difference of
# larger numbers, and has their rounding errors.
SMALLEST = 1e-2


class Difference(NamedTuple):
    """The first place where a run differs from the reference.

    Attributes
    ----------
    event : str
        The function and the number of its call, or the weights of a model.
    part : str
        'inputs', 'outputs', 'event' (one of the runs has no such event) or 'run'.
    name : str
        The output or weight.
    kind : str
        'value', 'shape', 'number' or 'missing'.
    index : tuple of int or None
        The place in the array.
    value, expected : any
        Both values: of the run and of the reference.
    relative : float or None
        The difference of the two arrays, relative to the largest value.
    """

    event: str
    part: str
    name: str
    kind: str
    index: Optional[Tuple[int, ...]]  # type: ignore[assignment]  # the name of a method of tuples
    value: Any
    expected: Any
    relative: Optional[float]


class Line(NamedTuple):
    """A row of the table: one function.

    Attributes
    ----------
    name : str
        The function or the model.
    kind : str
        'call' or 'weights'.
    calls : int
        How many events were compared.
    first, last : tuple of float
        The first number of the first and the last event: of the reference, and of the run.
    largest : float
        The largest relative difference.
    own : float
        How far the reference is from itself when the last digits of its inputs change.
    """

    name: str
    kind: str
    calls: int
    first: Tuple[float, float]
    last: Tuple[float, float]
    largest: float
    own: float


class Outcome:
    """What a comparison has found: `events`, how many were compared; `lines`; `first`, the first Difference or None;
    `key`, the key of its event; `losses`, by function the pairs of the first output; `chaos`, the first event where the
    reference moves so far by itself that nothing can be told, or ''; `free`, the first weights that are so far away
    although no difference is, or ''."""

    def __init__(self) -> None:
        self.events = 0
        self.lines: List[Line] = []
        self.first: Optional[Difference] = None
        self.key: Optional[Key] = None
        self.losses: Dict[str, List[Tuple[float, float]]] = {}
        self.chaos = ''
        self.free = ''

    @property
    def largest(self) -> float:
        """The largest relative difference of all results and weights."""
        return max([line.largest for line in self.lines], default=0.0)


# A larger relative difference is no proof of anything, even if the program moves as far by itself.
CHAOS = 0.05


def tolerance(dtype: str, steps: int) -> float:
    """The relative difference that is allowed after a number of steps of training.

    A step of training sums products in an order that each library chooses, and some ten such operations follow each
    other, so that ten times the tolerance of one operation is allowed. Each step adds errors of this size to the
    weights. Gradient descent carries them on without making them much larger, so they grow like the number of steps,
    up to CHAOS.
    """
    first = 10 * TOLERANCE.get(dtype, 0.0)
    return min(first * (1 + steps), max(first, CHAOS))


# A run whose last digits were changed is one sample of how far rounding leads. Another library is another sample, and
# rounds at every operation.
SAMPLES = 5


def spreads(controls: List[Record], reference: Record) -> Dict[Tuple[Key, int], float]:
    """How far the reference moves when the last digits of its inputs change: by event and number of the array.

    Adam and RMSprop divide a gradient by its size. So a weight whose gradient is nothing but rounding errors, such as
    the bias before a BatchNormalization, takes steps that no two libraries share. The program itself shows it.

    Parameters
    ----------
    controls : list of Record
        The runs with changed digits.
    reference : Record
        The run without.
    """
    spread: Dict[Tuple[Key, int], float] = {}
    most: Dict[Tuple[str, int], float] = {}
    for key, expected in reference.events.items():
        same = [control.events[key] for control in controls if key in control.events]
        for event in same if expected.kind != 'draw' else []:
            for side, sign in ('outputs', 1), ('inputs', -1):
                pairs = _aligned(event.arrays(side), expected.arrays(side), expected.kind == 'weights')
                for i, (_name, value, expected_value) in enumerate(pairs or []):
                    array_key = (expected.name, sign * (i + 1))
                    most[array_key] = max(most.get(array_key, 0.0), relative_difference(value, expected_value))
                    spread[key, sign * (i + 1)] = most[array_key]
    return spread


def compare(record: Record, reference: Record, spread: Optional[Dict[Tuple[Key, int], float]] = None) -> Outcome:
    """Compare a run with the reference, in the order of the reference.

    Parameters
    ----------
    record, reference : Record
        What both have written.
    spread : dict, optional
        What `spreads` has found.
    """
    spread = spread or {}
    outcome = Outcome()
    rows: Dict[str, List[Any]] = {}
    kinds: Dict[str, str] = {}
    steps = 0
    for key, expected in reference.events.items():
        actual = record.events.get(key)
        if actual is None:
            # A model that is garbage in one process may still be there in another.
            if expected.kind != 'weights' and not outcome.first and not record.error:
                outcome.first, outcome.key = _missing(expected, record, reference), key
            continue
        outcome.events += 1
        difference, relative = _event(actual, expected, steps, spread)
        if difference is not None and outcome.first is None:
            outcome.first, outcome.key = difference, key
        elif relative > CHAOS and expected.kind == 'call' and not outcome.chaos:
            outcome.chaos = _title(expected)
        # A weight whose gradient is nothing but rounding errors may be anywhere, and changes no result.
        elif relative > CHAOS and expected.kind == 'weights' and not outcome.free:
            outcome.free = _title(expected)
        if expected.kind != 'draw':
            kinds[expected.name] = expected.kind
            row = rows.setdefault(expected.name, [0, None, None, 0.0, 0.0])
            pair = _pair(actual, expected)
            own = max([spread.get((key, i + 1), 0.0) for i in range(len(expected.outputs))], default=0.0)
            row[:] = [row[0] + 1, row[1] or pair, pair, max(row[3], relative), max(row[4], own)]
            if expected.kind == 'call':
                outcome.losses.setdefault(expected.name, []).append(pair)
        steps += expected.step
    more = [event for key, event in record.events.items() if key not in reference.events and key[0] != 'weights']
    if more and outcome.first is None and not reference.error:
        outcome.first = _missing(more[0], reference, record)._replace(value='an event', expected='none')
        outcome.key = more[0].key
    outcome.lines = [Line(name, kinds[name], *row) for name, row in rows.items()]
    return outcome


def _title(event: Event) -> str:
    return f'{event.name}, call {event.call}' if event.kind == 'call' else event.name


def _missing(event: Event, without: Record, others: Record) -> Difference:
    name = event.name
    if event.kind == 'draw':
        name += f', number {event.call}'
    return Difference(_title(event), 'event', name, 'missing', None, 'none', 'an event', None)


def _pair(found: Event, expected: Event) -> Tuple[float, float]:
    pairs = []
    for event in (expected, found):
        arrays = event.arrays('outputs')
        named = dict(arrays)
        value = named.get('loss', arrays[0][1] if arrays else np.nan)
        pairs.append(float(np.ravel(value)[0]) if np.size(value) else float('nan'))
    return pairs[0], pairs[1]


def _event(
    found: Event, expected: Event, steps: int, spread: Dict[Tuple[Key, int], float]
) -> Tuple[Optional[Difference], float]:
    """The first difference of two events, and the largest relative difference of their outputs."""
    largest, first = 0.0, None
    for side, sign in ('inputs', -1), ('outputs', 1):
        pairs = _aligned(found.arrays(side), expected.arrays(side), expected.kind == 'weights')
        if pairs is None:
            counts = len(getattr(found, side)), len(getattr(expected, side))
            return Difference(_title(expected), side, side, 'number', None, *counts, None), largest
        for i, (name, value, expected_value) in enumerate(pairs):
            relative = relative_difference(value, expected_value)
            largest = max(largest, relative if side == 'outputs' else 0.0)
            wrong = differs(value, expected_value, steps, SAMPLES * spread.get((expected.key, sign * (i + 1)), 0.0))
            if wrong and first is None:
                first = Difference(_title(expected), side, name, *wrong, relative)
    return first, largest


def differs(
    value: np.ndarray, expected: np.ndarray, steps: int, allowed: float = 0.0
) -> Optional[Tuple[str, Any, Any, Any]]:
    """(kind, index, value, expected) of the first place where two arrays differ after a number of steps.

    allowed: a relative difference that is no difference, whatever the tolerance is.
    """
    dtype = expected.dtype.name if expected.dtype.kind == 'f' else value.dtype.name
    if value.dtype.kind == 'f' and expected.dtype.kind == 'f':
        dtype = min(value.dtype, expected.dtype, key=lambda each: each.itemsize).name
    # Libraries have other integers and give floats for counts; the values matter.
    rtol = max(tolerance(dtype, steps), allowed)
    return differ(value.astype('float64'), expected.astype('float64'), rtol, SMALLEST)


def _aligned(
    found: List[Tuple[str, np.ndarray]], expected: List[Tuple[str, np.ndarray]], by_place: bool
) -> Optional[List[Tuple[str, np.ndarray, np.ndarray]]]:
    """Pairs of arrays with their names; None if they cannot be paired."""
    names, expected_names = [name for name, _ in found], [name for name, _ in expected]
    if not by_place and len(set(names)) == len(names) and not (set(names) ^ set(expected_names)):
        values = dict(found)
        return [(name, values[name], value) for name, value in expected]
    common = [name for name in expected_names if name in names]
    if not by_place and common and 'output 0' not in common and 'input 0' not in common:
        values, of = dict(found), dict(expected)
        return [(name, values[name], of[name]) for name in common]
    if len(found) != len(expected):
        return None
    return [(name, value, other) for (_, value), (name, other) in zip(found, expected)]


def relative_difference(value: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference of two arrays over the largest finite value of the second. NaN equals NaN."""
    if value.shape != expected.shape or not value.size:
        return 0.0 if value.shape == expected.shape else float('inf')
    x, y = value.astype('float64'), expected.astype('float64')
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    with np.errstate(invalid='ignore'):
        far = np.where(same, 0.0, np.abs(x - y))
    far = np.where(np.isnan(far), np.inf, far)
    finite = np.abs(y[np.isfinite(y)])
    return float(far.max() / max(SMALLEST, finite.max() if finite.size else 0.0))
