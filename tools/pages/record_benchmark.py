"""Keep a run of benchmarks/engine_peers.py as docs/benchmarks/ENGINE.json, which the page on performance draws.

python benchmarks/engine_peers.py --engine jax --clock cpu --json jax.json
python tools/pages/record_benchmark.py jax.json --how "One thread, CPU time, best of 12 rounds."
"""

import argparse
import datetime
import json
import os
import platform
from typing import Any, Dict, List

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def processor() -> str:
    """The name of the processor, and how many of them there are."""
    name = platform.processor() or platform.machine()
    if os.path.exists('/proc/cpuinfo'):
        with open('/proc/cpuinfo') as stream:
            found = [line.partition(':')[2].strip() for line in stream if line.startswith('model name')]
        name = found[0] if found else name
    return f'{name}, {os.cpu_count()} cores'


def works(results: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """The best time of ours in milliseconds, and its ratios to the best times of the peers, for each work."""
    found = []
    for result in results:
        rows = [row for row in result['rows'] if row]
        if not rows or rows[0]['title'] != 'ours':
            continue
        best = {row['title']: min(row['seconds']) for row in rows}
        mine = best.pop('ours')
        ratios = {title: round(mine / seconds, 4) for title, seconds in best.items() if seconds}
        found.append({'what': result['what'], 'ms': round(mine * 1e3, 4), 'ratios': ratios})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('results', help='the file that engine_peers.py wrote')
    parser.add_argument('--engine', help='the name of the engine (that of the file)')
    parser.add_argument('--without', help='leave out works whose title has this text')
    parser.add_argument('--machine', default=processor(), help='the processor (this one)')
    parser.add_argument('--date', default=f'{datetime.date.today():%B %Y}', help='when (this month)')
    parser.add_argument('--how', default='', help='a sentence on threads, clock and versions')
    options = parser.parse_args()
    with open(options.results) as stream:
        results = json.load(stream)
    engine = options.engine or os.path.splitext(os.path.basename(options.results))[0]
    record = {'engine': engine, 'machine': options.machine, 'date': options.date, 'how': options.how}
    with open(os.path.join(ROOT, 'docs', 'benchmarks', engine + '.json'), 'w') as stream:
        kept = [work for work in works(results) if not options.without or options.without not in work['what']]
        json.dump({**record, 'works': kept}, stream, indent=1)
        stream.write('\n')


if __name__ == '__main__':
    main()
