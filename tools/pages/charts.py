"""The directive `chart`: a recorded run of the benchmarks as a picture, and its figures as a table."""

import json
import os
from typing import Any, Dict, List

import matplotlib.pyplot as plt
from docutils import nodes
from docutils.statemachine import StringList
from drawing import Look, both, draw
from sphinx.util.docutils import SphinxDirective

MARKERS = 'osD^v'
# What the charts and tables call the works of benchmarks/peers/data.py, and how large they are.
WORDS = {
    'MLP 784-512-512-10, batch 128': ('Dense network', '784, 512, 512 and 10 units, 128 samples'),
    'conv 28x28x1-32-64-pool-10, batch 64': (
        'Convolutional network',
        '28 x 28 images, 32 and 64 filters, pooling, 10 classes, 64 samples',
    ),
    'LSTM T50 B32 I64 H128': ('LSTM', '50 time steps, 64 inputs, 128 units, 32 samples'),
    'masked GRU T100 B32 I64 H64': ('GRU with a mask', '100 time steps, 64 inputs, 64 units, 32 samples'),
    '10 element-wise ops on 4 M floats': ('Ten element-wise functions', '4 million numbers'),
    'mean, sum, max, std of 4 M floats': ('Mean, sum, maximum, deviation', '4 million numbers'),
    'embedding 50k x 128, SGD': ('Embedding', '50,000 words of 128 numbers, gradient descent'),
    'embedding 500k x 128, SGD': ('Large embedding', '500,000 words of 128 numbers, gradient descent'),
    'embedding 50k x 128, Adam': ('Embedding with Adam', '50,000 words of 128 numbers'),
    'batch norm + conv, 2 threads': ('Convolution, normalized', 'batch normalization, two threads'),
    'building 200 nodes, and the first call': ('Build 200 operations, call once', ''),
    'building 800 nodes, and the first call': ('Build 800 operations, call once', ''),
    'building 200 nodes, without a call': ('Build 200 operations', ''),
    'building 800 nodes, without a call': ('Build 800 operations', ''),
    'product (32, 64) by (64, 64) and an update': (
        'Small product and an update',
        'a (32, 64) matrix times a (64, 64) matrix',
    ),
    'call, (32, 64) by (64, 64)': ('Call of a small function', 'a (32, 64) matrix times a (64, 64) matrix'),
    'transformer block T64 B16 D128 H4': ('Transformer block', '64 time steps, width 128, 4 heads, 16 samples'),
}


def ratios(record: Dict[str, Any]) -> Dict[str, Dict[str, float]]:
    """{work: {peer: time of ours / time of the peer}}."""
    return {WORDS[work['what']][0]: work['ratios'] for work in record['works']}


def peers(record: Dict[str, Any]) -> List[str]:
    """The peers of a record, in the order of their first work."""
    return list(dict.fromkeys(peer for found in ratios(record).values() for peer in found))


def chart(record: Dict[str, Any], look: Look) -> Any:
    """A line a work, a mark a peer, on a logarithmic axis; left of the line at 1 ours is faster."""
    works, names = ratios(record), peers(record)
    figure, axes = plt.subplots(figsize=(5.4, 1.3 + 0.36 * len(works)))
    least = min(value for found in works.values() for value in found.values())
    low = max(least * 0.8, 0.02)
    for place, (_work, found) in enumerate(works.items()):
        axes.axhline(place, color=look.grid, linewidth=0.8, zorder=0)
        for peer, value in found.items():
            colour, marker = look.series[names.index(peer)], MARKERS[names.index(peer)]
            axes.plot(max(value, low * 1.06), place, marker if value > low else '<', color=colour, markersize=7)
    axes.axvline(1, color=look.muted, linewidth=1.2)
    axes.set_xscale('log')
    axes.set_xlim(low, max(2.6, max(value for found in works.values() for value in found.values()) * 1.2))
    ticks = [tick for tick in (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2) if tick >= low]
    axes.set_xticks(ticks, [f'{tick:g}' for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(works)), list(works))
    axes.invert_yaxis()
    axes.tick_params(axis='y', length=0)
    axes.spines['left'].set_visible(False)
    axes.set_xlabel('time of K / time of the other; K is faster left of 1', fontsize=9, loc='right')
    handles = [
        plt.Line2D([], [], color=look.series[i], marker=MARKERS[i], linestyle='', label=name, markersize=7)
        for i, name in enumerate(names)
    ]
    figure.legend(handles=handles, loc='outside upper left', ncols=2, frameon=False, fontsize=9, handletextpad=0.2)
    return figure


def table(record: Dict[str, Any]) -> List[str]:
    """The figures in Markdown."""
    names = peers(record)
    has_times = any('ms' in work for work in record['works'])
    head = ['work', *(['milliseconds of K'] if has_times else []), *[f'K / {name}' for name in names]]
    lines = ['| ' + ' | '.join(head) + ' |', '|---' * len(head) + '|']
    for work in record['works']:
        time = [number(work['ms']) if 'ms' in work else ''] if has_times else []
        shown = [ratio(work, name) for name in names]
        lines.append('| ' + ' | '.join([': '.join(filter(None, WORDS[work['what']])), *time, *shown]) + ' |')
    return lines


def ratio(work: Dict[str, Any], peer: str) -> str:
    """The ratio of a work to a peer, with the quartiles of the runs where these are recorded."""
    if peer not in work['ratios']:
        return ''
    middle, *quartiles = [
        f'{value:.2f}' if value >= 0.005 else '< 0.01'
        for value in (work['ratios'][peer], *work.get('quartiles', {}).get(peer, ()))
    ]
    return f'{middle} ({" to ".join(quartiles)})' if len(set(quartiles)) > 1 else middle


def number(value: float) -> str:
    """Three digits of a number, without an exponent."""
    return f'{value:.0f}' if value >= 100 else f'{value:.3g}'


class Chart(SphinxDirective):
    """`{chart} NAME` shows docs/benchmarks/NAME.json."""

    required_arguments = 1

    def run(self) -> List[nodes.Node]:
        name = self.arguments[0]
        path = os.path.join(self.env.srcdir, 'benchmarks', name + '.json')
        self.env.note_dependency(path)
        with open(path, encoding='utf-8') as stream:
            record = json.load(stream)
        files = draw(os.path.join(self.env.srcdir, '_drawn'), f'chart-{name}', lambda look: chart(record, look))
        lines = both(files, f'Ratios of times, {record["engine"]} engine. The table below has the figures.')
        lines += ['', f'{record["machine"]}, {record["date"]}. {record["how"]}', '']
        lines += [':::{dropdown} The figures', *table(record), ':::', '']
        node = nodes.container()
        self.state.nested_parse(StringList(lines, source=path), self.content_offset, node)
        return node.children


def setup(app: Any) -> None:
    app.add_directive('chart', Chart)
