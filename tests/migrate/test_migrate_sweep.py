"""migrate over all programs of the tests and the examples: each patch applies, and its result compiles and is done."""

import os
import re

import pytest
from checkout import ROOT
from shares import one_in

from keras_backend.programs.migrate import edits, report
from keras_backend.programs.migrate.command import ROUTES
from keras_backend.programs.migrate.plan import plan

_HUNK = re.compile(rb'@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@')


def programs():
    """The programs, as paths from the checkout."""
    for start in 'tests/programs', 'examples':
        for folder, _, names in os.walk(os.path.join(ROOT, *start.split('/'))):
            for name in names:
                if name.endswith('.py') and not name.startswith(('test_', 'record', 'grid', 'compare_grid', '__')):
                    yield os.path.relpath(os.path.join(folder, name), ROOT)


def applied(old, diff):
    """The lines of a file with the hunks of its diff, each of which has to fit."""
    new, place = [], 0
    for line in diff[2:]:
        hunk = _HUNK.match(line)
        if hunk:
            start = int(hunk.group(1)) - (1 if hunk.group(2) != b'0' else 0)
            new += old[place:start]
            place = start
        elif line[:1] == b'+':
            new.append(line[1:])
        else:
            assert line[1:] == old[place]
            place += 1
            new += [line[1:]] if line[:1] == b' ' else []
    return new + old[place:]


# The way changes from program to program, '' is the advised one: all ways of all programs take two minutes.
RUNS = [(path, ('', *ROUTES)[number % 4]) for number, path in enumerate(sorted(programs()))]


@pytest.mark.parametrize(('path', 'route'), one_in(10, RUNS), ids=['-'.join(run) for run in RUNS])
def test_patch_of_each_program(path, route, monkeypatch, tmp_path):
    """The patch makes the new file of the old one; Python reads it, and migrate finds nothing more to change."""
    monkeypatch.chdir(ROOT)
    found = plan(path, route)
    assert list(report.lines(found, {}))
    for one in found.files:
        diff = edits.diff([one])
        compile(one.new, one.path, 'exec')
        assert one.new.splitlines(True) == applied(one.old.splitlines(True), diff.splitlines(True))
        if diff and route:
            again = tmp_path / os.path.basename(one.path)
            again.write_bytes(one.new)
            assert [] == plan(str(again), route).changes


def test_sweep_has_changes():
    """The sweep is one of many programs, and of patches."""
    assert 150 < len(RUNS)
    assert {'', *ROUTES} == {route for _, route in RUNS}
    names = [path for path, _ in RUNS if 'keras1_' in path]
    assert all(edits.diff(plan(os.path.join(ROOT, path), 'keras3').files) for path in names if 'functions' not in path)
    assert 5 < len(names)
