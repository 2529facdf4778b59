"""Write the table of engines, docs/engines-table.md, and a badge for each engine, from reports of conformance runs.

    python -m keras_backend check numpy --report numpy.json     a report
    python tools/make_engines_table.py --add numpy.json         put it among those of docs/engines, and write
    python tools/make_engines_table.py                          write again
    python tools/make_engines_table.py --check                  compare, change nothing
    python tools/make_engines_table.py REPORTS --to FOLDER      a page and badges of other reports, in another folder

The newest report of each engine and each version of its library counts. Reports of a part of the tests are left out,
since a share of a part is no share of all. docs/engine-reports.md says what is in a report.
"""

import argparse
import glob
import json
import os
import re
import sys
from collections import Counter, OrderedDict

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REPORTS = os.path.join(ROOT, 'docs', 'engines')
PAGE = 'engines-table.md'
BADGES = os.path.join('_static', 'badges')
FORMAT = 1
COUNTED = ('passed', 'failed', 'expected', 'missing')  # what is skipped has told nothing
COLOURS = ((100, 'brightgreen'), (95, 'green'), (80, 'yellowgreen'), (60, 'yellow'), (40, 'orange'), (0, 'red'))

HEADER = """# How much of K each engine does

<!-- `python tools/make_engines_table.py` writes this page. Do not edit it. -->

A number is the percentage of the [conformance tests](engines.md) that pass on an engine, rounded down. 100 means that
all of them pass. A test that fails counts against the engine whether the failure is known or not. So does a test of a
function that the engine does not have. A test about functions of several topics counts in each of them. Skipped tests
do not count.

The numbers come from [report files](engine-reports.md), which `python -m keras_backend check ENGINE --report FILE.json`
writes. That page says how to show an engine of your own, and how to get a badge for it.
"""


class Unusable(Exception):
    """A file that is no report that the page could show."""


def read(path):
    """A report; an error that names the file and what is wrong with it."""
    try:
        with open(path, encoding='utf-8') as file:
            report = json.load(file)
    except (OSError, ValueError) as error:
        raise Unusable(f'{path} is no report: {error}') from None
    if not isinstance(report, dict) or report.get('format') != FORMAT:
        found = report.get('format') if isinstance(report, dict) else None
        raise Unusable(f'{path} is no report of format {FORMAT}: its "format" is {found!r}')
    try:
        names = [report['engine'][key] for key in ('name', 'title', 'module')]
        wanted = [*names, report['date'], report['keras_backend'], report['versions']['python']]
        for counts in [report['tests'], *report['topics'].values()]:
            numbers = [counts[outcome] for outcome in (*COUNTED, 'skipped')]
            if not all(isinstance(number, int) and number >= 0 for number in numbers):
                raise Unusable(f'{path} has a count that is no number: {numbers}')
        library(report)
        reasons(report)
        whole = report['partial'] is False and report['through'] is None
    except (KeyError, TypeError, AttributeError) as error:
        raise Unusable(f'{path} lacks what format {FORMAT} has: {error}') from None
    if not all(isinstance(word, str) for word in wanted):
        raise Unusable(f'{path} has a name, date or version that is no text: {wanted}')
    if not whole:
        raise Unusable(f'{path} is left out: it is of a part of the tests, or of files instead of functions')
    return report


def library(report):
    """(name, version) of the library under an engine; the engine itself where it says none."""
    said = report['engine']['library']
    return said['name'] or report['engine']['title'], said['version'] or '-'


def reasons(report):
    """The reasons of the failures that are known, with their numbers."""
    return Counter(report['tests']['reasons']['expected'])


def key(report):
    """What a history is of: an engine on a library."""
    return report['engine']['name'], report['engine']['module'], library(report)[0]


def release(version):
    """A version as something that sorts: 1.10rc1 comes before 1.10, and that before 1.10.1."""
    parts = re.findall(r'\d+|[a-z]+', version.lower())
    return [(2, int(part), '') if part.isdigit() else (0, 0, part) for part in parts] + [(1, 0, '')]


def histories(reports):
    """The reports of each engine, the newest release of the library first, one report a release."""
    newest = {}
    for report in reports:
        place = (*key(report), library(report)[1])
        if place not in newest or newest[place]['date'] <= report['date']:
            newest[place] = report
    found = OrderedDict()
    for report in sorted(newest.values(), key=lambda report: key(report)):
        found.setdefault(key(report), []).append(report)
    for history in found.values():
        history.sort(key=lambda report: release(library(report)[1]), reverse=True)
    return found


def share(counts):
    """Percent of the tests that pass, rounded down to a tenth; None where no test ran."""
    total = sum(counts[outcome] for outcome in COUNTED)
    return None if not total else counts['passed'] * 1000 // total / 10


def words(percent):
    """A share as a cell says it."""
    return '' if percent is None else f'{percent:g}'


def plain(text):
    """Text of somebody's report without a meaning in Markdown or HTML."""
    return re.sub(r'([\\`*_{}\[\]<>|#&])', r'\\\1', ' '.join(str(text).split()))[:200]


def table(titles, rows):
    """The lines of a table."""
    yield f'| {" | ".join(titles)} |'
    yield '|' + '---|' * len(titles)
    for cells in rows:
        yield f'| {" | ".join(cells)} |'
    yield ''


def page(reports):
    """The text of the page."""
    found = histories(reports)
    topics = list(OrderedDict.fromkeys(topic for history in found.values() for topic in history[0]['topics']))
    short = [plain(topic.partition(':')[0]) for topic in topics]

    def shares(report):
        of_topics = [report['topics'].get(topic) for topic in topics]
        return [words(share(counts)) if counts else '' for counts in (report['tests'], *of_topics)]

    def version(report):
        return plain(' '.join(library(report)))

    first = [[plain(h[0]['engine']['title']), version(h[0]), *shares(h[0])] for h in found.values()]
    lines = [HEADER, *table(['engine', 'newest library', 'all', *short], first)]
    lines += ['## History', '', 'A row for each release of the library, the newest first.', '']
    for history in found.values():
        engine = history[0]['engine']
        lines += [f'### {plain(engine["title"])}', '', f'Module `{engine["module"].replace("`", "")}`.', '']
        rows = [
            [version(r), plain(r['versions']['python']), plain(r['keras_backend']), plain(r['date'][:10]), *shares(r)]
            for r in history
        ]
        lines += table(['library', 'Python', 'keras_backend', 'date', 'all', *short], rows)
        tests = history[0]['tests']
        counts = [f'{tests[outcome]} {word}' for outcome, word in SAID.items() if tests[outcome]]
        lines += [f'Newest release: {", ".join(counts)}.', '']
        lines += [f'* {number} known to fail: {plain(reason)}' for reason, number in reasons(history[0]).most_common(8)]
        lines += [''] if reasons(history[0]) else []
    return '\n'.join(lines).rstrip() + '\n'


SAID = OrderedDict(
    [
        ('passed', 'tests pass'),
        ('failed', 'fail'),
        ('expected', 'fail as expected'),
        ('missing', 'are of missing functions'),
        ('skipped', 'are skipped'),
    ]
)


def badge(report):
    """What Shields shows for an engine (https://shields.io/badges/endpoint-badge)."""
    percent = share(report['tests'])
    total = sum(report['tests'][outcome] for outcome in COUNTED)
    colour = next((colour for least, colour in COLOURS if percent is not None and percent >= least), 'lightgrey')
    message = 'no tests' if percent is None else f'{percent:g} % of {total} tests'
    content = [('schemaVersion', 1), ('label', f'K on {" ".join(library(report))}'), ('message', message)]
    return json.dumps(OrderedDict([*content, ('color', colour)]), indent=1) + '\n'


def file_name(text):
    """Text as a part of the name of a file."""
    return re.sub(r'[^A-Za-z0-9.]+', '_', text).strip('._') or 'engine'


def made(reports, target):
    """The files of a folder, as a dict path -> text: the page, and the badges."""
    files = {os.path.join(target, PAGE): page(reports)}
    for (name, _module, under), history in histories(reports).items():
        path = os.path.join(target, BADGES, file_name(name) + '.json')
        if path in files:  # one engine on two libraries
            path = os.path.join(target, BADGES, file_name(f'{name}_{under}') + '.json')
        files[path] = badge(history[0])
    return files


def text(path):
    """What is in a file; None where there is none."""
    if not os.path.exists(path):
        return None
    with open(path, encoding='utf-8') as file:
        return file.read()


def write(path, content):
    """Write a file, and the folders that it needs."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8', newline='\n') as file:
        file.write(content)


def add(path, folder):
    """Put a report among others, under the names of its engine and release."""
    report = read(path)
    name, version = report['engine']['name'], library(report)[1]
    write(os.path.join(folder, f'{file_name(name)}-{file_name(version)}.json'), json.dumps(report, indent=1) + '\n')


def main(arguments):
    """Write or compare; returns the exit status."""
    parser = argparse.ArgumentParser(prog='python tools/make_engines_table.py', description=__doc__.partition('\n')[0])
    parser.add_argument('reports', nargs='?', default=REPORTS, help='the folder of the reports (default: docs/engines)')
    parser.add_argument('--to', default=os.path.join(ROOT, 'docs'), metavar='FOLDER', help='where the files go')
    parser.add_argument('--add', nargs='+', default=[], metavar='FILE', help='put these reports into the folder first')
    parser.add_argument('--check', action='store_true', help='compare what is there, change nothing')
    options = parser.parse_args(arguments)
    try:
        for path in options.add:
            add(path, options.reports)
    except Unusable as error:
        print(error, file=sys.stderr)
        return 1
    reports = []
    for path in sorted(glob.glob(os.path.join(glob.escape(options.reports), '*.json'))):
        try:
            reports.append(read(path))
        except Unusable as error:
            print(error, file=sys.stderr)
    if not reports:
        print(f'There is no report in {options.reports}; type: python -m keras_backend check ENGINE --report FILE.json')
        return 1
    files = made(reports, options.to)
    old = set(glob.glob(os.path.join(glob.escape(options.to), BADGES, '*.json'))) - set(files)
    if not options.check:
        for path in old:
            os.remove(path)
        for path, content in files.items():
            write(path, content)
        return 0
    stale = sorted(old) + [path for path, content in files.items() if text(path) != content]
    for path in stale:
        print(f'{os.path.relpath(path, ROOT)} is stale; type: python tools/make_engines_table.py')
    return 1 if stale else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
