"""tools/pages/record_benchmark.py: a record holds medians of runs, and says how much these vary."""

import json
import os

from checkout import ROOT
from processes import python


def run(folder, name, **seconds):
    """A file as benchmarks/engine_peers.py writes it."""
    rows = [{'title': title, 'seconds': found} for title, found in seconds.items()]
    path = folder / name
    path.write_text(json.dumps([{'what': 'a step', 'rows': [*rows, None]}]))
    return str(path)


def recorded(folder, files, *more):
    """The works of the record that is made of `files`."""
    script = os.path.join(ROOT, 'tools', 'pages', 'record_benchmark.py')
    arguments = [*files, '--engine', 'jax', '--folder', str(folder), '--machine', 'a machine', '--date', 'today', *more]
    status, _out, err = python(script, *arguments, home=folder)
    assert (0, '') == (status, err)
    record = json.loads((folder / 'jax.json').read_text())
    assert ('jax', 'a machine', 'today') == (record['engine'], record['machine'], record['date'])
    return record['works']


def test_medians_and_quartiles(tmp_path):
    """A run is the ratio of two medians; five runs have a median and two quartiles."""
    files = [run(tmp_path, f'{i}.json', ours=[i, 9.0, 0.0], other=[2.0, 2.0, 8.0]) for i in (1.0, 5.0, 2.0, 4.0, 3.0)]
    (work,) = recorded(tmp_path, files)
    assert {
        'what': 'a step',
        'ms': 3000.0,
        'ratios': {'other': 1.5},
        'runs': 5,
        'quartiles': {'other': [1.0, 2.0]},
    } == work


def test_few_runs_have_no_quartiles(tmp_path):
    """Three runs say nothing of how much they vary."""
    files = [run(tmp_path, f'{i}.json', ours=[i], other=[2.0]) for i in (1.0, 5.0, 2.0)]
    assert [{'what': 'a step', 'ms': 2000.0, 'ratios': {'other': 1.0}}] == recorded(tmp_path, files)


def test_first_rounds_are_left_out(tmp_path):
    """The rounds in which a library still compiles do not count."""
    files = [run(tmp_path, 'one.json', ours=[90.0, 30.0, 1.0, 2.0], other=[5.0, 5.0, 3.0, 3.0])]
    (work,) = recorded(tmp_path, files, '--skip', '2')
    assert (1500.0, {'other': 0.5}) == (work['ms'], work['ratios'])


def test_what_was_not_measured_again_is_kept(tmp_path):
    """A record keeps the peers and the works of an older one, on demand."""
    files = [run(tmp_path, 'one.json', ours=[1.0], other=[2.0], third=[4.0])]
    recorded(tmp_path, files)
    files = [run(tmp_path, 'two.json', ours=[3.0], other=[2.0])]
    assert [{'what': 'a step', 'ms': 3000.0, 'ratios': {'other': 1.5, 'third': 0.25}}] == recorded(
        tmp_path, files, '--keep'
    )
    assert [{'what': 'a step', 'ms': 3000.0, 'ratios': {'other': 1.5}}] == recorded(tmp_path, files)
