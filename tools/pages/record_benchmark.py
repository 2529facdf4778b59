"""Keep runs of benchmarks/engine_peers.py as docs/benchmarks/ENGINE.json, which the page on performance draws.

for i in $(seq 10); do python benchmarks/engine_peers.py --engine jax --clock cpu --json jax-$i.json; done
python tools/pages/record_benchmark.py jax-*.json --engine jax --how "One thread, CPU time."

A run gives the ratio of two medians. The record has the median of the runs, and of four runs or more the quartiles.
"""

import argparse
import datetime
import json
import os
import platform
import statistics
from typing import Any, Dict, List

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def processor() -> str:
    """The name of the processor, and how many of them there are."""
    name = platform.processor() or platform.machine()
    if os.path.exists('/proc/cpuinfo'):
        with open('/proc/cpuinfo') as stream:
            found = [line.partition(':')[2].strip() for line in stream if line.startswith('model name')]
        name = found[0] if found else name
    return f'{name}, {os.cpu_count()} cores'


def run_of(results: List[Dict[str, Any]], skip: int = 0) -> Dict[str, Dict[str, float]]:
    """{work: {'ours': milliseconds, a peer: ours / peer}} of one run, from the medians of its rounds after `skip`."""
    found = {}
    for result in results:
        middle = {row['title']: statistics.median(row['seconds'][skip:]) for row in result['rows'] if row}
        if 'ours' in middle:
            mine = middle.pop('ours')
            ratios = {title: mine / seconds for title, seconds in middle.items() if seconds}
            found[result['what']] = {'ours': mine * 1e3, **ratios}
    return found


def works(runs: List[Dict[str, Dict[str, float]]]) -> List[Dict[str, Any]]:
    """Our milliseconds and our ratios to the peers for each work: medians of `runs`, and quartiles of four or more."""
    found = []
    for what in dict.fromkeys(what for run in runs for what in run):
        figures: Dict[str, List[float]] = {}
        for run in runs:
            for title, figure in run.get(what, {}).items():
                figures.setdefault(title, []).append(figure)
        mine = figures.pop('ours')
        work = {
            'what': what,
            'ms': round(statistics.median(mine), 4),
            'ratios': {title: round(statistics.median(of), 4) for title, of in figures.items()},
        }
        if len(mine) >= 4:
            work['runs'] = len(mine)
            work['quartiles'] = {title: quartiles(of) for title, of in figures.items() if len(of) >= 4}
        found.append(work)
    return found


def joined(older: List[Dict[str, Any]], newer: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """The works of two records in the order of the older one; where both have a figure, the newer one counts."""
    of_newer = {work['what']: work for work in newer}
    made = []
    for work in older:
        new = of_newer.pop(work['what'], {'ratios': {}})
        made.append({**work, **new, 'ratios': {**work['ratios'], **new['ratios']}})
    return made + list(of_newer.values())


def quartiles(figures: List[float]) -> List[float]:
    """The first and the third quartile."""
    return [round(float(quartile), 4) for quartile in np.quantile(figures, [0.25, 0.75])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('results', nargs='+', help='what engine_peers.py wrote, a file a run')
    parser.add_argument('--engine', help='the name of the engine (that of the first file)')
    parser.add_argument('--without', help='leave out works whose title has this text')
    parser.add_argument('--machine', default=processor(), help='the processor (this one)')
    parser.add_argument('--date', default=f'{datetime.date.today():%B %Y}', help='when (this month)')
    parser.add_argument('--how', default='', help='a sentence on threads, clock and versions')
    parser.add_argument('--keep', action='store_true', help='keep works and peers of the record that the runs lack')
    parser.add_argument('--skip', type=int, default=0, help='rounds to leave out, in which TensorFlow compiles (0)')
    parser.add_argument('--folder', default=os.path.join(ROOT, 'docs', 'benchmarks'), help='where the record goes')
    options = parser.parse_args()
    runs = []
    for path in options.results:
        with open(path) as stream:
            runs.append(run_of(json.load(stream), options.skip))
    engine = options.engine or os.path.splitext(os.path.basename(options.results[0]))[0]
    record = {'engine': engine, 'machine': options.machine, 'date': options.date, 'how': options.how}
    path = os.path.join(options.folder, engine + '.json')
    older: List[Dict[str, Any]] = []
    if options.keep and os.path.exists(path):
        with open(path) as stream:
            older = json.load(stream)['works']
    with open(path, 'w') as stream:
        kept = [w for w in joined(older, works(runs)) if not options.without or options.without not in w['what']]
        json.dump({**record, 'works': kept}, stream, indent=1)
        stream.write('\n')


if __name__ == '__main__':
    main()
