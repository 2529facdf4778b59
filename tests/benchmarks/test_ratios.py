"""benchmarks/ratios.py: a row that became slower beside its reference is told, whatever the machine."""

import json
import os

from checkout import ROOT
from processes import python


def ratios(*arguments, folder):
    """The exit status and what is said."""
    status, out, err = python(os.path.join(ROOT, 'benchmarks', 'ratios.py'), *map(str, arguments), home=folder)
    assert '' == err
    return status, out


def measured(folder, name, **figures):
    """A file as a benchmark writes it."""
    rows = [{'what': what, 'figure': figure, 'unit': 'ratio'} for what, figure in figures.items()]
    path = folder / name
    path.write_text(json.dumps([*rows, {'what': 'start', 'figure': 0.5, 'unit': 'seconds'}]))
    return path


def test_a_row_that_is_slower(tmp_path):
    """The median of several runs is held against the record; seconds are not."""
    record = tmp_path / 'kept' / 'record.json'
    files = [measured(tmp_path, f'{i}.json', step=figure, other=1.0) for i, figure in enumerate([0.1, 0.02, 0.03])]
    assert (0, '') == ratios(*files, record, '--record', folder=tmp_path)
    assert {'step': 0.03, 'other': 1.0} == json.loads(record.read_text())
    assert (0, '') == ratios(measured(tmp_path, 'new.json', step=0.059, other=0.5), record, folder=tmp_path)
    status, out = ratios(measured(tmp_path, 'new.json', step=0.061, other=1.0), record, folder=tmp_path)
    assert (1, 'step: 0.061 of the reference, 2.03 times the record (0.03)\n') == (status, out)
    assert 1 == ratios(measured(tmp_path, 'new.json', step=0.059, other=1), record, '--most', 1.5, folder=tmp_path)[0]


def test_rows_of_one_side(tmp_path):
    """What is new or gone is told, and is no failure; a file without ratios is one."""
    record = tmp_path / 'record.json'
    ratios(measured(tmp_path, 'old.json', gone=1.0, step=1.0), record, '--record', folder=tmp_path)
    status, out = ratios(measured(tmp_path, 'new.json', step=1.0, more=1.0), record, folder=tmp_path)
    assert (0, 'more: no record\ngone: recorded, and not measured\n') == (status, out)
    assert 1 == ratios(measured(tmp_path, 'none.json'), record, folder=tmp_path)[0]


def test_works_beside_peers(tmp_path):
    """A file of engine_peers.py has a row for each work and each peer that ran; a disturbed round counts little."""
    rows = [{'title': 'ours', 'seconds': [1.0, 9.0, 1.0]}, None, {'title': 'a peer', 'seconds': [2.0, 2.0, 2.0]}]
    path, record = tmp_path / 'peers.json', tmp_path / 'record.json'
    path.write_text(json.dumps([{'what': 'a step', 'rows': rows}, {'what': 'another', 'rows': [None, None, rows[2]]}]))
    assert (0, '') == ratios(path, record, '--record', folder=tmp_path)
    assert {'a step, a peer': 0.5} == json.loads(record.read_text())
