"""The memory of a step beside its peers: megabytes at the peak of five steps, as a table in Markdown.

    python benchmarks/memory.py --engine torch --peers torch keras
    python benchmarks/memory.py --engine jax --peers jax keras --works mlp lstm

What the libraries take when they are imported does not count. Each peer of each work is a process of its own, and the
figure is the median of `--runs` processes. The kernel of Linux counts.
"""

import argparse
import os
import statistics

from peers.race import BENCHMARKS, TITLES, Competitor, Missing, Peer

STEPS = ('mlp', 'conv', 'lstm', 'gru', 'elementwise', 'embedding_50k', 'embedding_adam')


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = [kind for kind in TITLES if kind != 'k']
    parser.add_argument('--works', nargs='+', choices=STEPS, default=STEPS, metavar='WORK', help=', '.join(STEPS))
    parser.add_argument('--peers', nargs='*', choices=kinds, default=[], metavar='PEER', help=', '.join(kinds))
    parser.add_argument('--engine', default='numpy', help='the engine of ours, and what Keras 3 runs on (numpy)')
    parser.add_argument('--runs', type=int, default=3, help='how many processes for each figure (3)')
    return parser.parse_args(arguments)


def megabytes(work, competitor, runs):
    """The median of the peaks, None where the peer does not run."""
    found = []
    for _ in range(runs):
        peer = Peer(work, competitor)
        try:
            peer.prepare()
            found.append(peer.memory() / 2**20)
        except (Missing, RuntimeError):
            return None
        finally:
            peer.close()
    return statistics.median(found)


def main(arguments=None):
    from peers.data import WORKS

    options = options_of(arguments)
    tree = os.path.dirname(BENCHMARKS)
    competitors = [Competitor(kind, tree=tree, engine=options.engine) for kind in ('k', *options.peers)]
    print('| work | ' + ' | '.join(competitor.title for competitor in competitors) + ' |')
    print('|---' * (len(competitors) + 1) + '|')
    for name, what, _ in WORKS:
        if name in options.works:
            figures = [megabytes(name, competitor, options.runs) for competitor in competitors]
            cells = ['-' if figure is None else f'{figure:.0f}' for figure in figures]
            print(f'| {what} | ' + ' | '.join(cells) + ' |', flush=True)


if __name__ == '__main__':
    main()
