r"""An engine beside its peers: ratios of the best of several rounds, as a table in Markdown.

    python benchmarks/engine_peers.py --python original=/opt/keras2/bin/python
    python benchmarks/engine_peers.py --engine torch --peers torch keras
    python benchmarks/engine_peers.py --engine cntk --peers original_cntk --clock cpu \
        --python ENV_WITH_CNTK_AND_KERAS2/bin/python --python original_cntk=ENV_WITH_CNTK_AND_KERAS2/bin/python
    python benchmarks/engine_peers.py --engine theano --peers original_theano --clock cpu \
        --python ENV_WITH_THEANO_AND_KERAS2/bin/python --python original_theano=ENV_WITH_THEANO_AND_KERAS2/bin/python
    python benchmarks/engine_peers.py --tree after=. --tree before=../base --works lstm gru --rounds 15

Each peer of each work is a process. The peers of a work take turns. A peer whose library is missing is left out. All
peers have to come to the same value in three calls, so none does less work than another. Works of one thread are pinned
to one CPU. On a machine with other users `--clock cpu` is quieter: for works of one thread it counts the CPU's time.
PEERS_LARGE=1 takes sizes for GPUs, and PEERS_DEVICE=cuda lets PyTorch compute there.
The JIT of JAX compiles nothing in the works that build: its figure is the trace alone.
"""

import argparse
import json
import os
import sys

from peers.race import TITLES, Competitor, compete

DEFAULT = ('tf_function', 'keras', 'jax', 'torch', 'original')
LEFT_OUT = (
    'lstm_unrolled',
    'call',
    'product_update',
    'transformer',
    'layers_gru',
    'layers_lstm',
    'layers_lstm_unrolled',
    'layers_embedding',
)
TOLERANCE = 1e-3


def options_of(arguments):
    from peers.data import WORKS

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [name for name, _, _ in WORKS]
    usual = [name for name in names if name not in LEFT_OUT]
    kinds = [kind for kind in TITLES if kind != 'k']
    parser.add_argument('--works', nargs='+', choices=names, default=usual, metavar='WORK', help=', '.join(names))
    parser.add_argument('--peers', nargs='*', choices=kinds, default=DEFAULT, metavar='PEER', help=', '.join(kinds))
    parser.add_argument('--rounds', type=int, default=12, help='how often each peer has a turn (12)')
    parser.add_argument('--least', type=float, default=0.15, help='seconds of a turn (0.15)')
    parser.add_argument('--threads', type=int, help='the threads of all works (1, and 2 for those that say so)')
    return parsed(parser, arguments)


def parsed(parser, arguments):
    """The options of `parser`, and those that say who is measured and how."""
    parser.add_argument(
        '--engine', default='tensorflow', help='the engine of ours, and what Keras 3 runs on (tensorflow)'
    )
    parser.add_argument(
        '--tree', action='append', metavar='[TITLE=]PATH', help='a checkout of keras_backend to measure, or several'
    )
    parser.add_argument(
        '--python',
        action='append',
        default=[],
        metavar='[PEER=]PATH',
        help='the Python of a peer, or of all but original',
    )
    parser.add_argument('--clock', choices=('wall', 'cpu'), default='wall', help='what is counted (wall)')
    parser.add_argument('--json', metavar='FILE', help='also write all figures as JSON')
    return parser.parse_args(arguments)


def competitors_of(options):
    """The checkouts of ours, then the peers."""
    pythons = dict(split(text) for text in options.python)
    usual = pythons.get(None)
    trees = [split(text) for text in options.tree or ['ours=' + os.path.join(os.path.dirname(__file__), os.pardir)]]
    ours = []
    for title, path in trees:
        taken = [competitor.title for competitor in ours]
        title = title or 'ours'
        title = f'{title} ({path})' if title in taken else title
        ours.append(Competitor('k', pythons.get('k', usual), path, title, options.engine))
    first = trees[0][1]
    return ours, [
        Competitor(
            kind, pythons.get(kind, None if kind.startswith('original') else usual), first, engine=options.engine
        )
        for kind in options.peers
    ]


def split(text):
    name, _, path = text.rpartition('=')
    return name or None, path


def differing(rows):
    """The titles of those whose value is not that of the first."""
    values = [(row['title'], row['value']) for row in rows if row and row['value'] is not None]
    return [title for title, value in values[1:] if not abs(value - values[0][1]) <= TOLERANCE * abs(values[0][1])]


def table(results, ours, titles, by_ratio):
    """Lines of Markdown: a row for each work, and a column for each of `titles`."""
    lines = ['| work | ours, ms | ' + ' | '.join(titles) + ' |', '|---' * (len(titles) + 2) + '|']
    for result in results:
        best = {row['title']: min(row['seconds']) for row in result['rows'] if row}
        if ours not in best:
            continue
        cells = [cell(best[ours], best.get(title), by_ratio, title in result['differing']) for title in titles]
        lines.append('| ' + ' | '.join([result['what'], milliseconds(best[ours])] + cells) + ' |')
    return lines


def others_of(mine, competitors, results):
    """The titles of all but `mine` that ran anywhere."""
    ran = {row['title'] for result in results for row in result['rows'] if row}
    return [competitor.title for competitor in competitors if competitor is not mine and competitor.title in ran]


def cell(mine, theirs, by_ratio, differs):
    if theirs is None:
        return '-'
    mark = ' (another value!)' if differs else ''
    if not by_ratio:
        return milliseconds(theirs) + mark
    ratio = mine / theirs
    text = f'{ratio:.2f}' if ratio < 10 else f'{ratio:.0f}'
    return (f'**{text}**' if ratio > 1 else text) + mark


def milliseconds(seconds):
    return f'{seconds * 1e3:.3g}'


def save(results, path):
    if path:
        with open(path, 'w') as file:
            json.dump(results, file, indent=1)


def main(arguments=None):
    options = options_of(arguments)
    from peers.data import WORKS

    ours, peers = competitors_of(options)
    results = []
    for name, what, threads in WORKS:
        if name not in options.works:
            continue
        threads = options.threads or threads
        clock = options.clock if threads == 1 else 'wall'
        rows = compete(
            name, ours + peers, options.rounds, options.least, lambda line: print(line, file=sys.stderr), clock, threads
        )
        result = {'work': name, 'what': what, 'threads': threads, 'rows': rows, 'differing': differing(rows)}
        results.append(result)
        save(results, options.json)
        for row in filter(None, rows):
            print(
                f'{what}: {row["title"]} {milliseconds(min(row["seconds"]))} ms, value {row["value"]}', file=sys.stderr
            )
    for mine in ours:
        others = others_of(mine, ours + peers, results)
        print(f'\nRatios, {mine.title} ({mine.tree}) / peer, best of {options.rounds} rounds:\n')
        print('\n'.join(table(results, mine.title, others, True)))
    print('\nMilliseconds a call:\n')
    print('\n'.join(table(results, ours[0].title, others_of(ours[0], ours + peers, results), False)))
    wrong = [f'{result["what"]}: {title}' for result in results for title in result['differing']]
    if wrong:
        print('\nThese came to another value than ours in three calls: ' + '; '.join(wrong) + '.', file=sys.stderr)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
