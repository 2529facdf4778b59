"""The notebooks that TEST_NOTEBOOKS names run from the first cell to the last, and print what is stored in them."""

import json
import os
import re

import pytest
from notebooks import executed, path_of, printed

NUMBER = re.compile(r'-?\d+\.\d+(?:e[+-]\d+)?')
# Libraries of another day add in another order.
TOLERANCE = 2e-3


def differences(found, stored):
    """The lines of two texts that differ in a word, or in a number by more than the tolerance."""
    told = []
    left, right = found.split('\n'), stored.split('\n')
    if len(left) != len(right):
        return [f'{len(left)} lines, not {len(right)}: {found!r}']
    for one, other in zip(left, right):
        numbers = [[float(word) for word in NUMBER.findall(line)] for line in (one, other)]
        same = re.split(r'\s+', NUMBER.sub('#', one).strip()) == re.split(r'\s+', NUMBER.sub('#', other).strip())
        if not same or any(abs(a - b) > TOLERANCE * max(1, abs(b)) for a, b in zip(*numbers)):
            told.append(f'{one!r}, not {other!r}')
    return told


@pytest.mark.parametrize('name', os.environ['TEST_NOTEBOOKS'].split())
def test_notebook_gives_what_is_stored(name, tmp_path, monkeypatch):
    """Each cell prints the words that are stored, and the numbers within the tolerance; no file is left beside it."""
    monkeypatch.delenv('KERAS_BACKEND', raising=False)
    monkeypatch.delenv('KERAS_BACKEND_QUIET', raising=False)
    monkeypatch.setenv('KERAS_HOME', str(tmp_path / 'home'))
    folder = tmp_path / 'folder'
    folder.mkdir()
    with open(path_of(name), encoding='utf-8') as file:
        stored = json.load(file)['cells']
    told = []
    for cell, today in zip(stored, executed(name, folder).cells):
        told += differences(printed(today), printed(cell))
    assert [] == told
    assert [] == os.listdir(str(folder)), 'the notebook leaves files beside it'


def test_differences_are_seen():
    """The comparison sees a word, a number and a line that are not the stored ones."""
    assert [] == differences('loss 0.5001', 'loss  0.5000')
    assert differences('loss 0.51', 'loss 0.50')
    assert differences('loss 0.5', 'gain 0.5')
    assert differences('loss 0.5\nmore', 'loss 0.5')
