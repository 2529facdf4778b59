"""Runs random programs on an engine, and says how many were tried, were not counted, and differ.

    python tests/tools/run_programs.py torch 5000 --start 300 --shrink 60 --out found.txt

`--start` is the first seed. With `--shrink` what differs is made small, for that many seconds, and written to --out as
entries for the corpus, tests/tools/found_programs.py; of one kind of difference no more than three are.
"""

import argparse
import collections
import importlib
import os
import re
import sys
import time
import warnings

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [FOLDER]
sys.path.append(os.path.join(FOLDER, '..', '..'))

from engine_programs import Difference, compare  # noqa: E402
from shrink_programs import as_entry, first_words, shrunk  # noqa: E402
from wide_programs import Wide  # noqa: E402

# What is known, by engine ('': by all of them), and a pattern of the message. docs/reliability.md promises none of it.
KNOWN = (
    ('', r'Index -?\d+ is out of range for axis', 'an index into an axis of size 0 in a branch that is not taken'),
    ('jax', 'needs at least 1 time step', 'a loop of no steps in a branch that is not taken'),
    ('theano', 'needs at least 1 time step', 'a loop of no steps in a branch that is not taken'),
    ('theano', 'index -1 is out of bounds for axis 0 with size 0', 'a loop of no steps in a branch that is not taken'),
)


def known(engine, error):
    for name, pattern, why in KNOWN:
        if name in ('', engine) and re.search(pattern, str(error)):
            return why
    return None


def tally(K, engine, seeds, shrink=0, out=None, report=print):
    """Counts of all that happened with the programs of `seeds`."""
    counts, kinds = collections.Counter(), collections.Counter()
    for number, seed in enumerate(seeds):
        case = Wide(seed).case()
        counts['programs'] += 1
        try:
            outcome = compare(K, case)
        except Exception as e:
            kind = e.kind if isinstance(e, Difference) else f'{type(e).__name__}: {first_words(e)}'
            why = known(engine, e)
            counts[f'known: {why}' if why else 'found'] += 1
            if why:
                continue
            kinds[kind] += 1
            report(f'{engine} {seed}: {kind}: {str(e)[:200]!r}')
            if shrink and kinds[kind] <= 3:
                small = shrunk(K, case, shrink)
                entry = as_entry(small, f'{engine}, {seed}: {kind}')
                if out:
                    with open(out, 'a') as file:
                        file.write(entry + '\n')
                else:
                    report(entry)
            continue
        counts['not counted'] += not outcome.feeds
        for name in ('feeds', 'outputs', 'compared', 'gradients', 'gradients_compared'):
            counts[name] += getattr(outcome, name)
        counts.update(outcome.uncounted)
        if number % 50 == 49:
            report(f'{engine} {number + 1}: {dict(counts)} {dict(kinds)}')
    return counts, kinds


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('engine')
    parser.add_argument('programs', type=int)
    parser.add_argument('--start', type=int, default=0)
    parser.add_argument('--shrink', type=float, default=0)
    parser.add_argument('--seconds', type=float, default=1e9, help='stop after this time')
    parser.add_argument('--out')
    given = parser.parse_args(arguments)
    warnings.simplefilter('ignore')
    K = importlib.import_module(f'keras_backend.engines.{given.engine}_backend')
    end = time.time() + given.seconds

    def seeds():
        for seed in range(given.start, given.start + given.programs):
            if time.time() > end:
                return
            yield seed

    def report(text):
        print(text, flush=True)

    counts, kinds = tally(K, given.engine, seeds(), given.shrink, given.out, report)
    report(f'{given.engine}: {dict(counts)} {dict(kinds)}')
    return bool(counts['found'])


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
