"""A figure that stands on several pages has one source: each place says what the source says."""

import json
import os
import re
import sys

import pytest
from checkout import ROOT, TESTS
from documents import pages, source
from files_of_models import INDEX

from keras_backend.commands.demo import training
from keras_backend.contract import CONTRACT
from keras_backend.engines.table import ENGINES
from keras_backend.programs.keras2.versions import VERSIONS
from keras_backend.programs.on_keras3.tf_on_keras import dispatch

sys.path.append(os.path.join(ROOT, 'tools'))
import error_texts
import readme_commands

WORDS = 'zero one two three four five six seven eight nine ten eleven twelve thirteen'.split()
# The pages that may show how long K takes beside another library: of docs/benchmarks, of a GPU, and of files.
OF_TIMES = ('performance.md', 'gpu.md', 'export.md', '../README.md')


def text(page):
    """A page without the breaks of its lines; of the changes those that are not released."""
    whole = source(page)
    if page == '../CHANGELOG.md':
        whole = re.split(r'^## ', whole, flags=re.MULTILINE)[1]
    return re.sub(r'\s+', ' ', whole)


TEXTS = {page: text(page) for page in ['../README.md', '../CONTRIBUTING.md', '../CHANGELOG.md', *pages()]}


def record(*path):
    """What a recorded file of the project holds."""
    with open(os.path.join(ROOT, *path), encoding='utf-8') as stream:
        return json.load(stream)


def records(*path):
    """What the recorded files of a folder hold."""
    return [record(*path, name) for name in sorted(os.listdir(os.path.join(ROOT, *path))) if name.endswith('.json')]


def models():
    """(files with a model, versions of Keras that wrote them)."""
    entries = [entry for entry in INDEX.values() if entry['form'] != 'weights']
    return len(entries), len({(entry['library'], entry['version']) for entry in entries})


def conformance():
    """The tests of the newest report, in hundreds."""
    kinds = ('passed', 'failed', 'expected', 'missing', 'skipped')
    return round(max(sum(report['tests'][kind] for kind in kinds) for report in records('docs', 'engines')), -2)


def programs(*folders):
    """How many programs lie in a folder of tests/programs, in tens."""
    names = os.listdir(os.path.join(TESTS, 'programs', *folders))
    kept = [name for name in names if name.endswith('.py') and not name.startswith(('test_', '__', 'record'))]
    return len(kept) // 10 * 10


def recorded_cases():
    """The lines of the record of the original."""
    with open(os.path.join(TESTS, 'original', 'original.txt'), encoding='utf-8') as stream:
        return sum(not line.startswith('#') for line in stream)


def messages():
    """The messages of programs that ran without keras_backend."""
    return sum(origin != 'keras_backend' for door in error_texts.DOORS for _, _, origin in error_texts.shown(door))


def losses():
    """(steps, libraries) of the picture of losses."""
    runs = record('docs', 'losses.json')
    (steps,) = {len(run['losses']) for run in runs.values()}
    return steps, len(runs)


# What a page may say, as a pattern with a group for each figure; in how many places it stands at least; its source.
FIGURES = {
    'functions': (
        r'(\d+) functions (?:in all|out of|with what Keras 3)|of the (\d+) names left',
        4,
        lambda: len(CONTRACT),
    ),
    'engines': (r'on (\w+) engines: TensorFlow', 1, lambda: len(ENGINES) + 1),
    'model files': (r'([\d,]+) files (?:by|of) (\w+) versions', 3, models),
    'conformance tests': (r'conformance tests: about ([\d,]+)', 1, conformance),
    'programs of Keras 2': (r'over (\w+) programs of', 1, programs),
    'programs of tf.keras': (r'`tests/programs/keras3` has over (\w+) ', 1, lambda: programs('keras3')),
    'versions of Keras': (r'(?:each|record) of (?:the )?(\w+) versions(?: of Keras|\.)', 2, lambda: len(VERSIONS)),
    'recorded cases': (r'([\d,]+) recorded cases', 1, recorded_cases),
    'messages': (r'([\d,]+) messages were recorded', 1, messages),
    'steps and libraries': (r'falls in (\w+) steps, on (\w+) libraries', 3, losses),
    'libraries': (r'trained on (\w+) libraries', 1, lambda: losses()[1]),
    'digits': (r'([\d,]+) scans of digits', 1, lambda: sum(map(len, training.digits(1)[1::2]))),
}


def number(word):
    """The number that a word, or digits with commas, says."""
    return WORDS.index(word) if word in WORDS else int(word.replace(',', ''))


@pytest.mark.parametrize('subject', FIGURES)
def test_figure_is_that_of_its_source(subject):
    """Each page that has the figure has the number of the source."""
    pattern, least, count = FIGURES[subject]
    wanted = count()
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    said = [
        (page, tuple(number(word) for word in match.groups() if word))
        for page, words in TEXTS.items()
        for match in re.finditer(pattern, words)
    ]
    assert len(said) >= least, said
    assert [(page, wanted) for page, _ in said] == said


def test_names_of_tensorflow_are_as_many_as_the_table_has():
    """The page of tf.keras code counts the names of `tf`, in tens, in two places."""
    counts = re.findall(r'(\d+)(?: other)? names(?:\]| of `tf`)', TEXTS['coming-from-tf-keras.md'])
    assert len(counts) >= 2
    assert {str(len(dispatch.NAMES) // 10 * 10)} == set(counts)


def test_times_stand_on_one_page():
    """No other page has a row of a benchmark with a time or a ratio, or says how torch.compile compares."""
    row = re.compile(
        r'^\| *(?:MLP|LSTM|masked GRU|GRU|[Ee]mbedding|[Cc]onvolutions)\b[^|]*\|.*\d\.\d+ \|$', re.MULTILINE
    )
    found = {page: row.findall(source(page)) for page in TEXTS if page not in OF_TIMES}
    assert {page: rows for page, rows in found.items() if rows} == {}
    compared = [page for page in pages() if re.search(r'`torch\.compile[^|]*? (?:\d\.\d\d)\b', TEXTS[page])]
    assert compared == ['performance.md']


def test_figures_by_release_are_near_the_charts():
    """A figure of today in the table of releases is at most 0.15 away from the chart of the engine."""
    titles = {
        'Dense network': 'MLP',
        'LSTM': 'LSTM',
        'GRU with a mask': 'masked GRU',
        'Ten element-wise functions': '10 element-wise',
        'Mean, sum, maximum, deviation': 'mean, sum',
        'Embedding, 50,000 rows, SGD': 'embedding 50k x 128, SGD',
        'Embedding, 50,000 rows, Adam': 'embedding 50k x 128, Adam',
    }
    columns = [('torch', 'PyTorch eager'), ('jax', 'JAX (jit)'), ('tensorflow', 'tf.function')]
    charts = {engine: record('docs', 'benchmarks', engine + '.json')['works'] for engine, _ in columns}
    table = source('performance.md').partition('## By release')[2].partition('\n## ')[0]
    rows = [
        [cell.strip() for cell in line.strip('|').split('|')] for line in re.findall(r'^\|.*\|$', table, re.MULTILINE)
    ]
    far = []
    compared = 0
    for title, _numpy, *cells in rows[2:]:
        for cell, (engine, peer) in zip(cells, columns):
            work = [work for work in charts[engine] if work['what'].startswith(titles.get(title, 'nothing'))]
            if cell and work:
                compared += 1
                today, chart = float(cell.split('/')[1]), work[0]['ratios'][peer]
                far += [(title, engine, today, chart)] if abs(today - chart) > 0.15 else []
    assert compared > 12
    assert far == []


def test_hours_and_minutes_of_the_tests():
    """What tox says of the time of the tests is what README.md and CONTRIBUTING.md say."""
    with open(os.path.join(ROOT, 'toxfile.py'), encoding='utf-8') as stream:
        told = stream.read()
    (minutes,) = re.findall(r'The tests that find most errors take (\w+ minutes?): python -m pytest', told)
    assert readme_commands.CLAIM.search(TEXTS['../README.md']).group(0).endswith(f'in {minutes}.')
    (hours,) = re.findall(r'All environments together take about (\w+ hours?) on two cores', told)
    assert f'(about {hours})' in TEXTS['../CONTRIBUTING.md']


def test_pages_give_no_figure_of_a_picture_that_is_drawn_anew():
    """The picture of the digits is drawn when the site is made, and has the share itself."""
    part = source('gallery.md').partition('## Handwritten digits')[2].partition('\n## ')[0]
    assert re.findall(r'[\d.]+ (?:per cent|%)|(?:\w+) digits that were misread\b', part) == [
        'The digits that were misread'
    ]
