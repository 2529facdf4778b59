"""The processes of a proof: which run, with which settings, and what is made of their records."""

import json
import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from keras_backend.programs.prove import programs, runs
from keras_backend.programs.prove import proof as proof_module
from keras_backend.programs.prove.programs import Program, UsageError
from keras_backend.programs.prove.runs import Options, Run


def write_record(folder, losses, error):
    """What a process of a program writes that trains."""
    folder.mkdir()
    lines = []
    for number, loss in enumerate(losses, 1):
        np.savez(str(folder / f'{number:06d}.npz'), outputs0=np.float32(loss))
        line = {'number': number, 'kind': 'call', 'name': 'train', 'call': number, 'step': True}
        lines.append(json.dumps(dict(line, outputs=['output 0'], inputs=[])))
    (folder / 'events.jsonl').write_text('\n'.join(lines) + '\n')
    end = {'status': int(bool(error)), 'error': error, 'notes': [], 'versions': {}}
    (folder / 'end.json').write_text(json.dumps(end))


@pytest.fixture
def runs_of(tmp_path, monkeypatch):
    """Gives prove records in place of processes; returns what was run, and what was shown."""

    def runs_of(losses, calls, dead=()):
        asked, shown = [], []

        def run(program, name, python, folder, options, trace=None, control=0):
            asked.append((name, python, os.path.basename(folder), trace, control))
            place = tmp_path / 'work' / os.path.basename(folder)
            values = [loss * (1 + 1e-7 * control) for loss in losses[name]]
            write_record(place, values, 'it died' if name in dead else '')
            if trace:
                with open(str(place / 'trace.json'), 'w') as stream:
                    json.dump([(call, f'a.py:{line}', 0) for line, (call, _value) in enumerate(calls[name], 1)], stream)
                arrays = {f't{number}': np.float32(value) for number, (_call, value) in enumerate(calls[name])}
                np.savez(str(place / 'trace.npz'), **arrays)
            return Run(name, str(place), int(name in dead), 0.0, '')

        monkeypatch.setattr(proof_module.runs, 'run', run)
        return asked, shown

    return runs_of


def proved(names, shown, tmp_path):
    (tmp_path / 'work').mkdir()
    program = Program('a.py', [], 'k', '')
    return proof_module.prove(program, names, 'python of old', str(tmp_path / 'work'), Options(), shown.append)


def test_runs_of_a_proof(runs_of, tmp_path):
    """One for each name; where one parts, two of the reference with other last digits, and two with the calls of K."""
    losses = {'one': [1.0, 0.5], 'two': [1.0, 0.5], 'other': [1.0, 0.75]}
    calls = {'one': [('dot', 1.0), ('exp', 2.0)], 'other': [('dot', 1.0), ('exp', 2.5)]}
    asked, shown = runs_of(losses, calls)
    proof = proved(['one', 'two', 'other'], shown, tmp_path)
    assert asked == [
        *[(name, 'python of old', name, None, 0) for name in ('one', 'two', 'other')],
        *[('one', 'python of old', f'control-{number}', None, number) for number in (1, 2)],
        ('one', 'python of old', 'trace-5', ('train', 2), 0),
        ('other', 'python of old', 'trace-6', ('train', 2), 0),
    ]
    assert shown == [
        'one runs ...',
        'two runs ...',
        'other runs ...',
        'one runs with other last digits ...',
        'other and one run again, with the calls of K ...',
    ]
    assert [(verdict.verdict, verdict.traced) for verdict in proof.verdicts] == [('equal', 0), ('parts', 2)]
    call = proof.verdicts[1].call
    assert (call.name, call.place, call.value, call.expected, call.relative) == ('exp', 'a.py:2', 2.5, 2.0, 0.25)
    assert (proof.chosen, proof.reference.run.name, proof.status) == ('one', 'one', 1)
    assert 0 < proof.control < 1e-6


def test_runs_of_a_proof_of_equal_engines(runs_of, tmp_path):
    """Nothing runs a second time."""
    asked, shown = runs_of({'one': [1.0], 'two': [1.0]}, {})
    proof = proved(['one', 'two'], shown, tmp_path)
    assert ([name for name, *_ in asked], shown) == (['one', 'two'], ['one runs ...', 'two runs ...'])
    assert (proof.status, proof.control, proof.verdicts[0].verdict) == (0, 0.0, 'equal')


def test_reference_of_a_proof_where_the_first_died(runs_of, tmp_path):
    _asked, shown = runs_of({'one': [], 'two': [1.0], 'other': [1.0]}, {}, dead=['one'])
    proof = proved(['one', 'two', 'other'], shown, tmp_path)
    assert (proof.chosen, proof.reference.run.name, proof.status) == ('one', 'two', 1)
    assert [(verdict.record.run.name, verdict.verdict) for verdict in proof.verdicts] == [
        ('one', 'died'),
        ('other', 'equal'),
    ]


# -- a process ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def processes(monkeypatch, tmp_path):
    """Notes the processes in place of starting them. The current folder has a file."""
    (tmp_path / 'here').mkdir()
    (tmp_path / 'here' / 'data.txt').write_text('data')
    monkeypatch.chdir(tmp_path / 'here')
    for name in ('PYTHONPATH', 'TF_CPP_MIN_LOG_LEVEL', 'KERAS_HOME'):
        monkeypatch.delenv(name, raising=False)
    started = []

    def start(command, env, cwd, stdin, stdout, stderr):
        started.append((command, env, cwd))
        assert (stdin, stdout, stderr) == (runs.subprocess.DEVNULL, runs.subprocess.PIPE, runs.subprocess.STDOUT)
        return SimpleNamespace(stdout=b'na\xc3\xafve \xff', returncode=3)

    monkeypatch.setattr(runs.subprocess, 'run', start)
    return started


KERAS_2 = Program('books/a.ipynb', ['--epochs', '3'], 'keras2', 'code', '2.2.4', '/there/a.py')


def test_process_of_an_engine(processes, tmp_path):
    """It gets the settings in a file, a folder with links to the files of this one, and the variables of its engine."""
    folder = str(tmp_path / 'run')
    found = runs.run(KERAS_2, 'numpy', 'python of old', folder, Options(5, True, 7), trace=('train', 2), control=1)
    ((command, variables, work),) = processes
    assert command == [sys.executable, runs.WITNESS, os.path.join(folder, 'settings.json')]
    with open(command[2], encoding='utf-8') as stream:
        assert json.load(stream) == {
            'record': os.path.join(folder, 'record'),
            'program': '/there/a.py',
            'home': os.path.join(os.getcwd(), 'books'),
            'arguments': ['--epochs', '3'],
            'kind': 'keras2',
            'launcher': ['keras_backend.keras2', '--keras', '2.2.4'],
            'original': False,
            'steps': 5,
            'stop': True,
            'seed': 7,
            'trace': ['train', 2],
            'control': 1,
        }
    assert work == os.path.join(folder, 'work')
    assert os.name != 'posix' or os.listdir(work) == ['data.txt']  # Windows needs a privilege for links
    assert os.listdir(os.path.join(folder, 'record')) == []
    told = {name: variables[name] for name in ('KERAS_BACKEND', 'PYTHONPATH', 'PYTHONHASHSEED', 'PYTHONIOENCODING')}
    expected = {'KERAS_BACKEND': 'numpy', 'PYTHONPATH': runs.ROOT, 'PYTHONHASHSEED': '0', 'PYTHONIOENCODING': 'utf-8'}
    assert told == expected
    assert (variables['PYTHONDONTWRITEBYTECODE'], variables['TF_CPP_MIN_LOG_LEVEL']) == ('1', '2')
    assert (found.name, found.folder, found.status) == ('numpy', os.path.join(folder, 'record'), 3)
    assert found.output == 'na\xefve \ufffd'
    assert 0 <= found.seconds < 60


def test_process_of_the_original(processes, tmp_path, monkeypatch):
    """Another interpreter, without the launcher and without what leads to our packages and settings."""
    monkeypatch.setenv('PYTHONPATH', '/ours')
    monkeypatch.setenv('KERAS_HOME', '/settings')
    monkeypatch.setenv('TF_CPP_MIN_LOG_LEVEL', '0')
    runs.run(KERAS_2, runs.ORIGINAL, 'python of old', str(tmp_path / 'run'), Options())
    ((command, variables, _work),) = processes
    assert command[0] == 'python of old'
    with open(command[2], encoding='utf-8') as stream:
        settings = json.load(stream)
    assert (settings['launcher'], settings['original'], settings['trace'], settings['control']) == ([], True, None, 0)
    assert (settings['steps'], settings['stop'], settings['seed']) == (20, False, 1)
    assert variables['KERAS_BACKEND'] == 'tensorflow'
    assert not {'PYTHONPATH', 'KERAS_HOME'} & set(variables)
    assert variables['TF_CPP_MIN_LOG_LEVEL'] == '0'


@pytest.mark.parametrize(
    ('given', 'path'),
    [(['/a', '/b'], [runs.ROOT, '/a', '/b']), (['/a', runs.ROOT], ['/a', runs.ROOT]), (['', '/a'], [runs.ROOT, '/a'])],
)
def test_path_of_a_process(given, path, processes, tmp_path, monkeypatch):
    """keras_backend is found, where the path of the user does not lead to it."""
    monkeypatch.setenv('PYTHONPATH', os.pathsep.join(given))
    runs.run(KERAS_2, 'numpy', '', str(tmp_path / 'run'), Options())
    assert processes[0][1]['PYTHONPATH'].split(os.pathsep) == path


# -- engines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('kind', 'keras', 'launcher'),
    [
        ('plain', '', []),
        ('keras2', '', ['keras_backend.keras2']),
        ('keras2', '2.3.1', ['keras_backend.keras2', '--keras', '2.3.1']),
        ('keras3', '', ['keras_backend.keras3']),
    ],
)
def test_launcher_of_a_program(kind, keras, launcher):
    assert Program('a.py', [], kind, keras=keras).launched() == launcher


@pytest.mark.parametrize(
    ('kind', 'needs', 'there', 'names'),
    [
        ('keras2', '', 'tensorflow numpy jax torch', 'tensorflow numpy jax'),
        ('keras2', '', 'numpy torch', 'numpy'),
        ('keras2', 'tensorflow', 'tensorflow numpy jax', 'tensorflow'),
        ('keras2', 'theano', 'tensorflow numpy jax', ''),
        ('keras3', '', 'tensorflow numpy jax torch', 'tensorflow jax torch'),
        ('plain', '', 'numpy jax', 'numpy jax'),
    ],
)
def test_engines_where_none_is_named(kind, needs, there, names, monkeypatch):
    """Those of the kind of program that are installed and can run it."""
    monkeypatch.setattr(programs, '_is_installed', lambda name: name in there.split())
    assert programs.engines([], Program('a.py', [], kind, needs=needs)) == names.split()


@pytest.mark.parametrize(
    ('kind', 'needs', 'asked', 'words'),
    [
        ('plain', '', ['numpy', 'numpy'], '--engines names numpy twice; name each engine once.'),
        ('plain', '', ['no_such_engine'], '--engines no_such_engine: this program can run on tensorflow, '),
        (
            'keras3',
            '',
            ['numpy'],
            '--engines numpy: this program can run on tensorflow, jax, torch; name some of these.',
        ),
        ('keras3', '', ['json'], '--engines json: this program can run on'),
        ('keras2', 'theano', ['numpy'], 'type: --engines theano --original 2.3.1'),
        ('plain', '', ['torch'], 'The engine torch is not installed in this environment; type: pip install "'),
    ],
)
def test_engines_that_cannot_run(kind, needs, asked, words, monkeypatch):
    monkeypatch.setattr(programs, '_is_installed', lambda name: name == 'numpy')
    with pytest.raises(UsageError) as caught:
        programs.engines(asked, Program('a.py', [], kind, needs=needs))
    assert words in str(caught.value)


def test_engines_that_are_named(monkeypatch):
    """In the order of the command line; a module may be one."""
    monkeypatch.setattr(programs, '_is_installed', lambda name: name in ('numpy', 'jax'))
    assert programs.engines(['json', 'numpy'], Program('a.py', [], 'plain')) == ['json', 'numpy']
    assert programs.engines(['jax', 'numpy'], Program('a.py', [], 'keras2')) == ['jax', 'numpy']
    assert programs.engines(['json', 'jax'], Program('a.py', [], 'keras2', needs='jax')) == ['json', 'jax']
