"""Write docs/support.md and docs/support-keras3.md: what each engine supports, and which tests are known to fail.

    python tools/make_support.py numpy             write the record of an engine that is installed here, and the page
    python tools/make_support.py --check numpy     compare the record and the page, change nothing
    python tools/make_support.py --check           compare the page with the records alone

Engines are installed in different environments, so each has a record, docs/support/ENGINE.json, and the page is written
from the records. No test runs here. `python -m keras_backend check ENGINE` shows that the tests pass, or fail, as a
record says. So a record holds nothing that changes with each new test: no number of tests that pass.

The engine inside Keras 3, `KERAS_BACKEND=jax python tools/make_support.py keras_backend.engines.keras3_backend`, has a
record for each backend of Keras, and the second page.
"""

import json
import os
import sys
from collections import OrderedDict

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, 'docs', 'support')
PAGE = os.path.join(ROOT, 'docs', 'support.md')
PAGE_OF_KERAS_3 = os.path.join(ROOT, 'docs', 'support-keras3.md')
BACKENDS_OF_KERAS_3 = OrderedDict([('tensorflow', 'TensorFlow'), ('jax', 'JAX'), ('torch', 'PyTorch')])
WORDS = OrderedDict([('engine', 'own'), ('composed', 'composed'), ('setting', 'setting'), ('missing', 'missing')])

HEADER = """# What each engine supports

<!-- `python tools/make_support.py ENGINE` writes this page. Do not edit it. -->

A test compares this page with every engine.

* "own" is a function of the engine.
* "composed" is a function that is composed of other K functions.
* "setting" is a function that belongs to keras_backend and is the same on all engines.
* "-n" counts the conformance tests of a function that are known to fail on the engine. The reasons are in
  `keras_backend/conformance/expected/`. All other conformance tests pass.
"""

HEADER_OF_KERAS_3 = HEADER.replace('each engine supports', 'K supports inside Keras 3').replace(
    'make_support.py ENGINE` writes', 'make_support.py keras_backend.engines.keras3_backend` writes'
)
HEADER_OF_KERAS_3 = HEADER_OF_KERAS_3.replace(
    'A test compares this page with every engine.',
    'This page is about `import keras_backend.keras3 as K`: see [Coming from tf.keras](coming-from-tf-keras.md).\n'
    'There is a column for each backend of Keras 3. A test compares the page with each.',
)


def text(path):
    """A file of the checkout; nothing where there is none."""
    if not os.path.exists(path):
        return ''
    with open(path, encoding='utf-8') as file:
        return file.read()


def write(path, content):
    """Write a file of the checkout."""
    with open(path, 'w', encoding='utf-8') as file:
        file.write(content)


def measured(engine):
    """The path of the record of an engine that is installed here, and what it has to say."""
    from keras_backend.conformance import support
    from keras_backend.loader import load

    found = support(engine)
    if found['engine'] == 'keras3':
        backend = load(engine)._engine.library
        found.update(engine=f'keras3_{backend}', title=BACKENDS_OF_KERAS_3[backend])
    return os.path.join(FOLDER, found['engine'] + '.json'), json.dumps(found, indent=1, sort_keys=True) + '\n'


def cell(seen):
    """What a cell of the table says of a function on an engine."""
    return WORDS[seen['origin']] + (', -{}'.format(seen['expected']) if seen['expected'] else '')


def table(first, titles, rows):
    """The lines of a table."""
    yield f'| {first} | {" | ".join(titles)} |'
    yield f'|---|{"---|" * len(titles)}'
    for name, cells in rows:
        yield f'| {name} | {" | ".join(str(cell) for cell in cells)} |'
    yield ''


def page(header, reports):
    """The text of a page."""
    from keras_backend.contract import CONTRACT

    topics = OrderedDict()
    for name, entry in CONTRACT.items():
        topics.setdefault(entry.category, []).append(name)
    titles = [report['title'] for report in reports]
    functions = [report['functions'] for report in reports]
    for title, every in zip(titles, functions):
        lacking = [name for name in CONTRACT if name not in every]
        if lacking:
            raise SystemExit(
                f'The record of {title} has no {", ".join(lacking)}; run: python tools/make_support.py ENGINE'
            )
    counts = [
        (f'functions: {word}', [sum(seen['origin'] == origin for seen in every.values()) for every in functions])
        for origin, word in WORDS.items()
    ]
    lines = [header, *table('all', titles, counts)]
    for topic, names in topics.items():
        rows = [(f'`K.{name}`', [cell(every[name]) for every in functions]) for name in names]
        lines += [f'## {topic}', '', *table('function', titles, rows)]
    return '\n'.join(lines)


def pages():
    """The pages, as pairs (path, text): the records are in the order of the table of engines."""
    from keras_backend.engines.table import ENGINES

    inside = [f'keras3_{backend}' for backend in BACKENDS_OF_KERAS_3]
    for path, header, names in ((PAGE, HEADER, ENGINES), (PAGE_OF_KERAS_3, HEADER_OF_KERAS_3, inside)):
        yield path, page(header, [json.loads(text(os.path.join(FOLDER, name + '.json'))) for name in names])


def main(arguments):
    """Write or compare; returns the exit status."""
    engines = [argument for argument in arguments if argument != '--check']
    records = [measured(engine) for engine in engines]
    if '--check' not in arguments:
        for path, content in records:
            write(path, content)
        for path, content in pages():
            write(path, content)
        return 0
    stale = [path for path, content in records if content != text(path)]
    stale = stale or [path for path, content in pages() if text(path) != content]
    for path in stale:
        print(f'{os.path.relpath(path, ROOT)} is stale; type: python tools/make_support.py {" ".join(engines)}')
    return 1 if stale else 0


if __name__ == '__main__':
    sys.path.insert(0, ROOT)
    sys.exit(main(sys.argv[1:]))
