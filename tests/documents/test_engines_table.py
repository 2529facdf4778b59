"""docs/engines-table.md and the badges: what tools/make_engines_table.py makes of reports."""

import copy
import json
import os
import sys

import pytest
from checkout import ROOT

sys.path.append(os.path.join(ROOT, 'tools'))
import make_engines_table


def counts(passed=0, failed=0, expected=0, missing=0, skipped=0, reasons=None):
    """The counts of a report."""
    numbers = {'passed': passed, 'failed': failed, 'expected': expected, 'missing': missing, 'skipped': skipped}
    return dict(numbers, seconds=1.5, reasons={'expected': reasons or {}, 'skipped': {}})


REPORT = {
    'format': 1,
    'keras_backend': '0.3.0',
    'engine': {
        'name': 'mine',
        'module': 'my.engine',
        'title': 'My | <engine>',
        'library': {'name': 'lib', 'version': '1.9.0'},
    },
    'versions': {'python': '3.13.0', 'numpy': '2.4.0'},
    'date': '2026-03-01T04:00:00Z',
    'partial': False,
    'through': None,
    'topics': {'Random': counts(2, 1), 'Graph: functions': counts(1999, missing=1), 'CTC': counts(skipped=3)},
    'tests': counts(2000, 1, 2, 1, 3, {'rounds | badly': 2}),
}


@pytest.fixture
def tool(tmp_path, capsys):
    """Writes reports into a folder and runs the tool on it; returns (status, what it said, page or None)."""
    reports, target = tmp_path / 'reports', tmp_path / 'site'
    reports.mkdir()

    def run(found, *arguments):
        for name, report in found.items():
            (reports / name).write_text(report if isinstance(report, str) else json.dumps(report))
        capsys.readouterr()
        status = make_engines_table.main([str(reports), '--to', str(target), *arguments])
        page = target / 'engines-table.md'
        return status, ''.join(capsys.readouterr()), page.read_text() if page.exists() else None

    return run


def changed(**changes):
    """The report with other values; `version` is that of the library."""
    report = copy.deepcopy(REPORT)
    version = changes.pop('version', None)
    if version is not None:
        report['engine']['library']['version'] = version
    report.update(changes)
    return report


def cells(page, first):
    """The cells of the first row that begins with these words."""
    line = next(line for line in page.splitlines() if line.startswith(f'| {first} |'))
    return [cell.strip() for cell in line.strip('|').replace('\\|', '').split('|')]


def test_the_page_of_the_project(capsys):
    """The page and the badges are what the tool makes of docs/engines."""
    assert (0, '', '') == (make_engines_table.main(['--check']), *capsys.readouterr())


def test_shares_are_rounded_down(tool, tmp_path):
    """A failure among thousands is seen, a topic without tests says nothing, and words of others are text alone."""
    status, said, page = tool({'a.json': REPORT})
    assert (0, '') == (status, said)
    row = cells(page, 'My \\| \\<engine\\>')
    assert ['lib 1.9.0', '99.8', '66.6', '99.9', ''] == row[1:]
    assert '| engine | newest library | all | Random | Graph | CTC |' in page
    assert '2000 tests pass, 1 fail, 2 fail as expected, 1 are of missing functions, 3 are skipped.' in page
    assert '* 2 known to fail: rounds \\| badly' in page
    badge = json.loads((tmp_path / 'site' / '_static' / 'badges' / 'mine.json').read_text())
    wanted = {'schemaVersion': 1, 'label': 'K on lib 1.9.0', 'message': '99.8 % of 2004 tests', 'color': 'green'}
    assert wanted == badge


def test_history(tool):
    """A row for each release, the newest first; of two reports of a release the later one counts."""
    status, _said, page = tool(
        {
            'old.json': changed(version='1.9.0', tests=counts(1, 1)),
            'new.json': changed(version='1.10.0', tests=counts(9, 1)),
            'again.json': changed(version='1.10.0', tests=counts(1, 3), date='2026-02-01T04:00:00Z'),
            'draft.json': changed(version='1.10.0rc1', tests=counts(1, 9)),
        }
    )
    assert 0 == status
    history = [line for line in page.partition('## History')[2].splitlines() if line.startswith('| lib 1')]
    assert [['lib 1.10.0', '90'], ['lib 1.10.0rc1', '10'], ['lib 1.9.0', '50']] == [
        [line.split(' | ')[0].strip('| '), line.split(' | ')[4]] for line in history
    ]
    assert ['lib 1.10.0', '90'] == cells(page, 'My \\| \\<engine\\>')[1:3]


@pytest.mark.parametrize(
    ('report', 'words'),
    [
        (changed(partial=True), 'is left out'),
        (changed(through='onnx'), 'is left out'),
        (changed(format=2), 'no report of format 1'),
        ('{', 'is no report'),
        ('[]', 'no report of format 1'),
        (changed(tests={'passed': 1}), "lacks what format 1 has: 'failed'"),
        (changed(tests=counts('many')), 'a count that is no number'),
        (changed(date=5), 'is no text'),
        (changed(topics=5), 'lacks what format 1 has'),
    ],
)
def test_what_is_no_report_is_named(tool, tmp_path, report, words):
    """Such a file is named and left out; a folder with nothing else, and `--add`, are errors."""
    status, said, page = tool({'a.json': REPORT, 'bad.json': report})
    assert 0 == status
    assert 'bad.json' in said
    assert words in said
    assert 'My' in page
    status, said, _page = tool({}, '--add', str(tmp_path / 'reports' / 'bad.json'))
    assert 1 == status
    assert words in said


def test_no_report_at_all(tool):
    """The message says how to make one."""
    status, said, page = tool({})
    assert (1, None) == (status, page)
    assert 'python -m keras_backend check ENGINE --report FILE.json' in said


def test_added_reports_have_names_of_their_own(tool, tmp_path):
    """A report of the same release takes the place of the one before; `--check` sees what is stale."""
    new = tmp_path / 'new.json'
    for number in (1, 9):
        new.write_text(json.dumps(changed(tests=counts(number, 1))))
        assert 0 == tool({}, '--add', str(new))[0]
    assert ['mine-1.9.0.json'] == os.listdir(str(tmp_path / 'reports'))
    assert (0, '') == tool({}, '--check')[:2]
    (tmp_path / 'site' / '_static' / 'badges' / 'gone.json').write_text('{}')
    status, said, _page = tool({'b.json': changed(version='2.0')}, '--check')
    assert 1 == status
    assert 3 == said.count('is stale')
    assert 0 == tool({})[0]
    assert ['mine.json'] == os.listdir(str(tmp_path / 'site' / '_static' / 'badges'))


def test_one_engine_on_two_libraries(tool, tmp_path):
    """Each has a history and a badge."""
    other = changed()
    other['engine']['library'] = {'name': 'Other', 'version': None}
    status, _said, page = tool({'a.json': REPORT, 'b.json': other})
    assert 0 == status
    assert 2 == page.count('### My')
    assert {'mine.json', 'mine_lib.json'} == set(os.listdir(str(tmp_path / 'site' / '_static' / 'badges')))
