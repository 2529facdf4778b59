"""Ratios of a benchmark beside its record, so that a regression is seen: no time of one machine meets one of another.

    KERAS_BACKEND=jax python benchmarks/embedding_forms.py --json new.json
    python benchmarks/ratios.py new.json docs/benchmarks/ratios/embedding_forms-jax.json --record      keep the ratios
    python benchmarks/ratios.py new.json docs/benchmarks/ratios/embedding_forms-jax.json --most 2      compare

Files of `benchmarks/engine_peers.py --json` are read as well: a row is a work beside one peer, by medians of rounds.

A row that takes more than `--most` times its record, beside the same reference, is listed, and the exit status is 1. A
row without a record is told. Several files may be given: the median of each row counts then.
"""

import argparse
import json
import os
import statistics
import sys


def rows_of(paths):
    """what -> the median of its ratios in several files."""
    found = {}
    for path in paths:
        with open(path) as file:
            for entry in json.load(file):
                for what, figure in beside_peers(entry) if 'rows' in entry else beside_a_reference(entry):
                    found.setdefault(what, []).append(figure)
    return {what: statistics.median(figures) for what, figures in found.items()}


def beside_a_reference(row):
    """What a row of most benchmarks is, and its ratio; nothing of a row of seconds."""
    return [(row['what'], row['figure'])] if row['unit'] == 'ratio' else []


def beside_peers(work):
    """The same of a work of benchmarks/engine_peers.py, for each peer that ran."""
    ours, *peers = work['rows']
    if ours is None:
        return []
    mine = statistics.median(ours['seconds'])
    return [(f'{work["what"]}, {p["title"]}', mine / statistics.median(p['seconds'])) for p in peers if p]


def differences(new, old, most):
    """(the rows that are slower, the rows that only one of the two has), as sentences."""
    slower = [
        f'{what}: {new[what]:.3g} of the reference, {new[what] / old[what]:.2f} times the record ({old[what]:.3g})'
        for what in new
        if what in old and new[what] > most * old[what]
    ]
    alone = [f'{what}: no record' for what in new if what not in old]
    return slower, alone + [f'{what}: recorded, and not measured' for what in old if what not in new]


def main(arguments):
    """Compare or record; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('measured', nargs='+', metavar='FILE', help='what a benchmark wrote with --json')
    parser.add_argument('record', metavar='RECORD', help='the file of the record')
    parser.add_argument('--record', dest='keep', action='store_true', help='write the record instead')
    parser.add_argument('--most', type=float, default=2.0, help='how many times the record a row may take (default: 2)')
    options = parser.parse_args(arguments)
    new = rows_of(options.measured)
    if not new:
        print(f'{", ".join(options.measured)}: there is no ratio.')
        return 1
    if options.keep:
        os.makedirs(os.path.dirname(options.record) or '.', exist_ok=True)
        with open(options.record, 'w') as file:
            json.dump({what: float(f'{figure:.3g}') for what, figure in new.items()}, file, indent=1)
            file.write('\n')
        return 0
    with open(options.record) as file:
        slower, told = differences(new, json.load(file), options.most)
    for line in told + slower:
        print(line)
    return 1 if slower else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
