"""The first call of K whose result differs, from a second run of two processes."""

import difflib
import json
import os
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from .differences import differs, relative_difference
from .runs import Run


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
