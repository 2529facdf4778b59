"""Timing and reporting for the benchmarks: ratios of things that are measured in turns in one run."""

import argparse
import json
import sys
import time


def best(*functions, **options):
    """Seconds per call of each of `functions`: the best of several rounds. In a round each function has a turn.

    Because of the turns, a busy machine slows all functions and not one of them. Options: `rounds`; `least`, the
    seconds of a turn; `clock`, time.process_time if all run on one thread and the machine has other users.
    """
    rounds, least, clock = options.get('rounds', 7), options.get('least', 0.02), options.get('clock', time.perf_counter)
    numbers = []
    for function in functions:
        function()
        started = clock()
        function()
        once = max(clock() - started, 1e-7)
        numbers.append(max(1, int(least / once)))
    times = [float('inf')] * len(functions)
    for _ in range(rounds):
        for i, (function, number) in enumerate(zip(functions, numbers)):
            started = clock()
            for _ in range(number):
                function()
            times[i] = min(times[i], (clock() - started) / number)
    return times


class Report:
    """Rows of (what, seconds, beside what, seconds, ratio or difference, target)."""

    def __init__(self, title):
        self.title, self.rows = title, []

    def ratio(self, what, seconds, beside, reference, target=None):
        self._add(what, seconds, beside, reference, seconds / reference, 'ratio', target)

    def difference(self, what, seconds, beside, reference, target=None):
        self._add(what, seconds, beside, reference, seconds - reference, 'seconds', target)

    def _add(self, what, seconds, beside, reference, figure, unit, target):
        self.rows.append(
            {
                'what': what,
                'seconds': seconds,
                'beside': beside,
                'reference': reference,
                'figure': figure,
                'unit': unit,
                'target': target,
                'met': None if target is None else figure <= target,
            }
        )

    def print(self):
        print(self.title)
        for row in self.rows:
            figure = f'{row["figure"]:.2f} x' if row['unit'] == 'ratio' else _time(row['figure'], '+')
            target = (
                ''
                if row['target'] is None
                else '  (target {}: {})'.format(
                    '{:.2f} x'.format(row['target']) if row['unit'] == 'ratio' else _time(row['target'], '+'),
                    'met' if row['met'] else 'MISSED',
                )
            )
            print(
                f'  {row["what"]:44} {_time(row["seconds"]):>10}   {row["beside"]:34} {_time(row["reference"]):>10}   '
                f'{figure}{target}'
            )


def _time(seconds, sign=''):
    size = abs(seconds)
    sign = sign if seconds >= 0 else ''
    if size < 1e-6:
        return f'{sign}{seconds * 1e9:.0f} ns'
    if size < 1e-3:
        return f'{sign}{seconds * 1e6:.1f} us'
    return f'{sign}{seconds * 1e3:.2f} ms' if size < 1 else f'{sign}{seconds:.2f} s'


def main(run, description):
    """The command line of a benchmark. `run(report)` fills the report."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('--json', metavar='FILE', help="also write the rows as JSON ('-' for standard output only)")
    options = parser.parse_args()
    report = Report(description)
    run(report)
    if options.json == '-':
        json.dump(report.rows, sys.stdout, indent=1)
        return
    report.print()
    if options.json:
        with open(options.json, 'w') as file:
            json.dump(report.rows, file, indent=1)
