"""The report of migrate: its lines, its diff, and the line that leads to the proof."""

import json
import shlex

import pytest

from keras_backend.__main__ import main
from keras_backend.programs.launcher.check.rules import Place
from keras_backend.programs.migrate import edits, report
from keras_backend.programs.migrate.plan import Note, Plan
from keras_backend.programs.migrate.report import ORIGINALS
from keras_backend.programs.migrate.routes import Route
from keras_backend.programs.migrate.what_program import Written
from keras_backend.programs.prove.command import parser
from keras_backend.programs.prove.originals import OF_KIND

PROGRAMS = {
    'keras2': ('from keras.layers import Dense\nmodel = Dense(3, input_shape=(2,))\n', ['--keras', '2.3.1']),
    'keras3': (
        'import tensorflow as tf\nmodel = tf.keras.Sequential([tf.keras.layers.Dense(3)])\nmodel.fit([[1.0]])\n',
        ['--original', 'tf_keras'],
    ),
}


@pytest.mark.parametrize('kind', sorted(PROGRAMS))
def test_line_is_one_that_prove_takes(kind, home, tmp_path, capsys):
    """The same line in the text and in the JSON, for a path with a space, with the original of its Keras."""
    text, options = PROGRAMS[kind]
    path = tmp_path / 'my train.py'
    path.write_text(text)
    lines = {}
    for form in [], ['--json']:
        assert main(['migrate', str(path), *form]) in (0, 1)
        lines[bool(form)], _err = capsys.readouterr()
    line = json.loads(lines[True])['proof']
    assert line in lines[False]
    words = shlex.split(line)
    assert words[:4] == ['python', '-m', 'keras_backend', 'prove']
    found = parser().parse_args(words[4:])
    assert found.program == str(path)
    assert ' '.join(options) in line


def test_program_of_tensorflow_1_has_no_original_on_tf_keras(home, tmp_path, monkeypatch, capsys):
    """On TensorFlow it runs on tf_keras, where no line leads to a proof; elsewhere on Keras 2, with one."""
    (tmp_path / 'train.py').write_text(PROGRAMS['keras3'][0] + 'tf.Session()\n')
    told = {}
    for engine in 'tensorflow', 'torch':
        monkeypatch.setenv('KERAS_BACKEND', engine)
        main(['migrate', str(tmp_path / 'train.py'), '--json'])
        plan = json.loads(capsys.readouterr()[0])
        told[engine] = plan['route'], bool(plan['proof'])
    assert told == {'tensorflow': ('keras3', False), 'torch': ('keras2', True)}


def test_originals_are_those_of_prove():
    for kind, names in ORIGINALS.items():
        assert set(names) <= set(OF_KIND[kind])


# -- the diff ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('name', 'old', 'new', 'lines'),
    [
        ('a.py', b'a\nb\n', b'a\nc\n', b'@@ -1,2 +1,2 @@\n a\n-b\n+c\n'),
        ('a b.py', b'a\n', b'b\n', b'@@ -1 +1 @@\n-a\n+b\n'),
        # A carriage return alone ends no line.
        ('a.py', b'a\rb\r\n\nc\r\n', b'a\rb\r\n\nd\r\n', b'@@ -1,3 +1,3 @@\n a\rb\r\n \n-c\r\n+d\r\n'),
        (
            'a.py',
            b'a\nb',
            b'a\nc',
            b'@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n',
        ),
        ('a.py', b'', b'a\n', b'@@ -0,0 +1 @@\n+a\n'),
    ],
)
def test_diff_of_bytes(name, old, new, lines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = [edits.Changed('same.py', b'x', b'x'), edits.Changed(name, old, new)]
    end = '\t\n' if ' ' in name else '\n'
    assert edits.diff(files) == f'--- a/{name}{end}+++ b/{name}{end}'.encode() + lines
    assert edits.diff(files[:1]) == b''


# -- the words ---------------------------------------------------------------------------------------------------------


def finding(line, severity, cured=False, cell=0):
    """What a check finds."""
    place = {'path': 'a.py', 'line': line, 'cell': cell}
    return {**place, 'severity': severity, 'cured': cured, 'reason': f'reason {line}', 'advice': f'advice {line}'}


def written(*reasons):
    return Written('Keras 2', reasons, False, None, (), set())


def plan_of(findings, **others):
    """A plan for a program of Keras 2."""
    ways = [Route('keras2', 'it is near', ['run this', 'or this'], 'start', ['pip install six', 'a key'])]
    ways.append(Route('keras3', 'it is new', [], 'start', []))
    fields = dict(path='a.py', written=written(), routes=ways, advised='keras3', route='keras2')
    fields.update(version='2.2.4', after=[], changes=[], left=[], files=[], remarks=[])
    return Plan(**{**fields, 'check': {'findings': findings}, **others})


def test_lines_of_the_report():
    """Each part has its head; what stops comes first, and what the patch does has no advice."""
    notes = [Note(Place('a.py', 3), 'rule', 'changed')], [Note(Place('a.py', 4, 2), 'rule', 'to decide')]
    found = [finding(1, 'note'), finding(2, 'differs', cured=True), finding(3, 'stops', cell=5)]
    an_import = written((Place('a.py', 1), 'an import'))
    plan = plan_of(
        found, written=an_import, changes=notes[0], left=notes[1], remarks=['mind this'], after=['type this']
    )
    assert list(report.lines(plan, {'a.py': 'written to a.patch'})) == [
        'a.py: Keras 2',
        '  a.py:1: an import',
        '',
        'Ways:',
        '  launcher of Keras 2: it is near',
        '      run this',
        '      or this',
        '      missing here: pip install six; a key',
        '  launcher of tf.keras (advised): it is new',
        '',
        'Found for the way "launcher of Keras 2":',
        '  stops: a.py, cell 5, line 3: reason 3',
        '      advice 3',
        '  gives other numbers: a.py:2: reason 2',
        '      the patch does it',
        '  note: a.py:1: reason 1',
        '      advice 1',
        '',
        'Changes:',
        '  a.py:3: changed',
        '',
        'For you to decide:',
        '  a.py, cell 2, line 4: to decide',
        '  mind this',
        '  with the patch, the program runs on Keras 2.2.4:',
        '      type this',
        '',
        'The proof that the numbers are the old ones:',
        '      python -m keras_backend prove a.py --keras 2.2.4 --original 2.2.4',
        '  a.py: written to a.patch',
    ]


def test_lines_of_a_report_of_nothing():
    lines = list(report.lines(plan_of([], path='a.txt'), {}))
    assert lines[-3:] == ['  nothing', '', 'Changes: none']


@pytest.mark.parametrize(('count', 'told'), [(8, 8), (9, 8), (20, 8)])
def test_findings_that_are_told(count, told):
    """Eight of each kind; a line counts the others."""
    lines = list(report.lines(plan_of([finding(line, 'stops') for line in range(1, count + 1)]), {}))
    assert sum(line.startswith('  stops: a.py') for line in lines) == told
    more = [f'  stops: {count - told} more; the launcher with --check tells all'] if count > told else []
    assert [line for line in lines if 'more; ' in line] == more


@pytest.mark.parametrize(('count', 'told'), [(6, 6), (7, 6), (9, 6)])
def test_reasons_that_are_told(count, told):
    """Six of what says which Keras a program was written for."""
    reasons = [(Place('a.py', line), 'an import') for line in range(1, count + 1)]
    lines = list(report.lines(plan_of([], written=written(*reasons)), {}))
    assert lines[1 : told + 1] == [f'  a.py:{line}: an import' for line in range(1, told + 1)]
    assert lines[told + 1] == (f'  and {count - told} more' if count > told else '')


@pytest.mark.parametrize(
    ('route', 'path', 'version', 'line'),
    [
        ('keras2', 'a b.py', '2.3.1', "python -m keras_backend prove 'a b.py' --keras 2.3.1 --original 2.3.1"),
        ('keras2', 'a.ipynb', '2.1.6', 'python -m keras_backend prove a.ipynb --keras 2.1.6'),
        ('keras3', 'a.py', '2.2.4', 'python -m keras_backend prove a.py --original tf_keras'),
        ('import', 'a.py', '2.2.4', ''),
        ('keras2', 'a', '2.2.4', ''),
    ],
)
def test_line_of_the_proof(route, path, version, line):
    """None for what prove does not read, and for a way without an original."""
    assert report.proof(plan_of([], route=route, path=path, version=version)) == line
