"""Keras 2 models built, trained and asked: seconds for the 1st, 10th and 50th model of a process, beside TensorFlow 1.

    python benchmarks/keras2_models.py --python ENV_WITH_KERAS2/bin/python --python original=ENV_OF_TF1/bin/python

A model is built, compiled, trained on three batches and asked for three. Nothing calls `clear_session`, so the graph
grows, as it does in test suites and in searches over settings. Ours is Keras 2 under `keras_backend.keras2`. The
processes take turns, model by model. Each is pinned to one CPU.
"""

import argparse
import sys

from engine_peers import competitors_of, milliseconds, parsed, save
from peers.race import Missing, Peer

KINDS = {
    'dense': 'dense',
    'conv': 'convolutional',
    'lstm_dropout': 'LSTM with dropout',
    'lstm_stateful': 'stateful LSTM',
    'lstm_unrolled': 'unrolled LSTM',
}


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        '--models', nargs='+', choices=KINDS, default=list(KINDS), metavar='MODEL', help=', '.join(KINDS)
    )
    parser.add_argument(
        '--places', nargs='+', type=int, default=[1, 10, 50], help='which models of a process (1 10 50)'
    )
    parser.add_argument('--repeats', type=int, default=2, help='how many processes build each kind of model (2)')
    parser.add_argument(
        '--limit', type=float, default=300, help='the seconds that the models of a process may take (300)'
    )
    parser.add_argument(
        '--peers',
        nargs='*',
        choices=('original', 'original_cntk', 'numpy'),
        default=['original'],
        metavar='PEER',
        help='original, original_cntk, numpy',
    )
    return parsed(parser, arguments)


def grown(kind, competitors, count, limit, clock):
    """The seconds of each of `count` models, by title. A process that reaches the limit makes fewer."""
    peers, seconds = [], {}
    try:
        for competitor in competitors:
            peer = Peer('model_' + kind, competitor, clock)
            peers.append(peer)
            try:
                peer.prepare()
            except (Missing, RuntimeError) as error:
                print(f'{competitor.title} is left out of {kind}: {error} ({competitor.python})', file=sys.stderr)
            else:
                seconds[competitor.title] = []
        for _ in range(count):
            for peer in peers:
                made = seconds.get(peer.competitor.title)
                if made is not None and sum(made) < limit:
                    made.append(peer.seconds(1))
        return seconds
    finally:
        for peer in peers:
            peer.close()


def at(runs, place):
    """The best seconds at a place: from the 10th on of three models, because one model alone is noise. Else None."""
    first = place - 3 if place >= 10 else place - 1
    found = [seconds for made in runs if len(made) >= place for seconds in made[first:place]]
    return min(found) if found else None


def lines_of(results, mine, titles, places):
    """A table in Markdown: a row for each kind of model, and columns for each place."""
    columns = [f'{place}: {title}' for place in places for title in [f'{mine}, ms', *[f'/ {t}' for t in titles]]]
    lines = ['| model | ' + ' | '.join(columns) + ' |', '|---' * (len(columns) + 1) + '|']
    for kind, runs in results.items():
        cells = []
        for place in places:
            own = at(runs.get(mine, []), place)
            cells.append('-' if own is None else milliseconds(own))
            for title in titles:
                other = at(runs.get(title, []), place)
                cells.append('-' if None in (own, other) else cell(own / other))
        lines.append('| ' + ' | '.join([KINDS[kind], *cells]) + ' |')
    return lines


def cell(ratio):
    return f'**{ratio:.2f}**' if ratio > 1 else f'{ratio:.2f}'


def main(arguments=None):
    options = options_of(arguments)
    ours, peers = competitors_of(options)
    results = {}
    for kind in options.models:
        runs = results[kind] = {}
        for _ in range(options.repeats):
            seconds = grown(kind, ours + peers, max(options.places), options.limit, options.clock)
            for title, made in seconds.items():
                runs.setdefault(title, []).append(made)
                print(f'{KINDS[kind]}: {title} made {len(made)} in {sum(made):.1f} s', file=sys.stderr)
        # After each kind, because all of them together take long.
        save(results, options.json)
    for mine in ours:
        titles = [c.title for c in ours + peers if c is not mine and any(c.title in runs for runs in results.values())]
        print(f'\n{mine.title} ({mine.tree}), milliseconds a model and ratios to the peers, by place in the process:\n')
        print('\n'.join(lines_of(results, mine.title, titles, options.places)))


if __name__ == '__main__':
    main()
