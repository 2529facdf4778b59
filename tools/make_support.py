"""Write docs/support.md: what each engine supports, by the results of the conformance tests.

    python tools/make_support.py numpy

This runs the tests on the engines that are named and keeps the results in docs/support/ENGINE.json. Then it writes the
page from all files there. Engines are installed in different environments, so each is measured where it is installed.
"""

import ast
import json
import os
import sys
import tempfile
from collections import OrderedDict
from xml.etree import ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, 'docs', 'support')
PAGE = os.path.join(ROOT, 'docs', 'support.md')

HEADER = """# What each engine supports

`python tools/make_support.py ENGINE` writes this page from the results of the conformance tests. Do not edit it.

* "own" is a function of the engine.
* "composed" is a function that is composed of other K functions.
* "setting" is a function that belongs to keras_backend and is the same on all engines.
* The number counts the conformance tests that passed.
* "-n" counts the tests that fail as expected. The reasons are in `keras_backend/conformance/expected/`.
"""


def measure(engine):
    """The results of the conformance tests on an engine that is installed here."""
    from keras_backend.conformance import run
    from keras_backend.loader import load

    info = load(engine)._engine
    with tempfile.TemporaryDirectory() as folder:
        xml = os.path.join(folder, 'report.xml')
        code = run(engine, ['--junitxml', xml])
        tree = ElementTree.parse(xml)
    if code:
        raise SystemExit(f'The conformance tests fail on {engine}; the page is left as it is.')
    functions = {name: {'origin': origin, 'passed': 0, 'expected': 0} for name, origin in info.origins.items()}
    for case in tree.iter('testcase'):
        properties = {p.get('name'): p.get('value') for p in case.iter('property')}
        skipped = case.find('skipped')
        kind = 'passed' if skipped is None else 'expected' if 'xfail' in skipped.get('type', '') else None
        for name in ast.literal_eval(properties.get('covers', '[]')) if kind else ():
            functions[name][kind] += 1
    return {'engine': info.name, 'title': info.title, 'functions': functions}


def cell(seen):
    words = {'engine': 'own', 'composed': 'composed', 'setting': 'setting', 'missing': 'missing'}
    failed = ', -{}'.format(seen['expected']) if seen['expected'] else ''
    tests = '' if seen['origin'] == 'missing' else ' ({}{})'.format(seen['passed'], failed)
    return words[seen['origin']] + tests


def page(reports):
    from keras_backend.contract import CONTRACT

    topics = OrderedDict()
    for name, entry in CONTRACT.items():
        topics.setdefault(entry.category, []).append(name)
    lines = [HEADER]
    for topic, names in topics.items():
        lines += [
            f'## {topic}',
            '',
            f'| function | {" | ".join(r["title"] for r in reports)} |',
            f'|---|{"---|" * len(reports)}',
        ]
        lines += [f'| `{name}` | {" | ".join(cell(r["functions"][name]) for r in reports)} |' for name in names]
        lines.append('')
    return '\n'.join(lines)


def main(engines):
    from keras_backend.engines.table import ENGINES

    os.makedirs(FOLDER, exist_ok=True)
    for engine in engines:
        report = measure(engine)
        with open(os.path.join(FOLDER, report['engine'] + '.json'), 'w') as file:
            json.dump(report, file, indent=1, sort_keys=True)
            file.write('\n')
    reports = []
    for name in sorted(os.listdir(FOLDER)):
        with open(os.path.join(FOLDER, name)) as file:
            reports.append(json.load(file))
    order = list(ENGINES)
    reports.sort(key=lambda r: (order.index(r['engine']) if r['engine'] in order else len(order), r['engine']))
    with open(PAGE, 'w') as file:
        file.write(page(reports))


if __name__ == '__main__':
    sys.path.insert(0, ROOT)
    main(sys.argv[1:])
