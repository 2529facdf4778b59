"""What the witness of a run has written."""

import json
import os
from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np

from .runs import Run

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
    found = []
    with open(path, encoding='utf-8') as stream:
        for line in stream:
            try:
                found.append(json.loads(line))
            except ValueError:  # the last line of a process that was killed
                break
    return found
