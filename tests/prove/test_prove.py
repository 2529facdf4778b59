"""`python -m keras_backend prove`: equal engines are proved, a wrong one is found with the call that is wrong."""

import importlib.util
import json
import os
import pathlib
from types import SimpleNamespace

import pytest
from processes import environment

from keras_backend.__main__ import main
from keras_backend.programs import environments
from keras_backend.programs.launcher.libraries.library_pins import PINS
from keras_backend.programs.prove import command, originals, programs
from keras_backend.programs.prove.programs import UsageError, engines, kind_of, program

PROGRAM = """
import sys

import numpy as np

import keras_backend as K

x, t = K.placeholder((None, 3)), K.placeholder((None, 1))
w = K.random_normal_variable((3, 1), 0.0, 1.0)
b = K.zeros((1,))
y = K.sigmoid(K.dot(x, w) + b)  # the line of the call
loss = K.mean(K.square(y - t))
updates = [K.update_sub(p, 0.5 * g) for p, g in zip([w, b], K.gradients(loss, [w, b]))]
train = K.function([x, t], [loss], updates)
generator = np.random.RandomState(0)
for _ in range(int((sys.argv + ['6'])[1])):
    data = generator.randn(8, 3).astype('float32')
    print(train([data, (data[:, :1] > 0).astype('float32')]))
"""
LINE = PROGRAM.splitlines().index('y = K.sigmoid(K.dot(x, w) + b)  # the line of the call') + 1

SAME = 'from keras_backend.engines.numpy_backend import *\n'
ENGINES = {
    'same': SAME,
    # Rounding of another order.
    'close': SAME
    + 'from keras_backend.engines import numpy_backend as E\n\n\n'
    + 'def sigmoid(x):\n    return 1 - E.sigmoid(-x)\n',
    'wrong': SAME
    + 'from keras_backend.engines import numpy_backend as E\n\n\n'
    + 'def sigmoid(x):\n    return E.sigmoid(x) * 1.0003\n',
    'dead': SAME + '\n\ndef sigmoid(x):\n    raise ValueError("no sigmoid today")\n',
}


@pytest.fixture
def folder(tmp_path):
    """A folder with the program and the engines."""
    (tmp_path / 'train.py').write_text(PROGRAM)
    for name, text in ENGINES.items():
        (tmp_path / f'{name}.py').write_text(text)
    return tmp_path


@pytest.fixture
def prove(folder, home, monkeypatch, capfd):
    """Runs the command in the folder; returns (status, stdout, stderr). Each engine gets a process, as always."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    variables = environment(home, path=[folder])
    for name in set(os.environ) - set(variables):
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    def prove(*arguments):
        capfd.readouterr()
        status = main(['prove', *arguments])
        return (status, *capfd.readouterr())

    return prove


@pytest.mark.slow
def test_equal_engines(prove, folder):
    status, out, err = prove('train.py', '--engines', 'numpy', 'same', 'close', '--json', 'found.json')
    assert status == 0, out + err
    assert out.splitlines()[-1] == 'PROVED, beside numpy. same, close: equal'
    assert 'variables at the end' in out
    same, _close = json.loads((folder / 'found.json').read_text())['engines']
    assert (same['verdict'], same['largest'], same['first_difference']) == ('equal', 0.0, None)


def test_wrong_engine_with_its_first_call(prove, folder):
    status, out, err = prove('train.py', '--engines', 'numpy', 'wrong', '--json', 'found.json')
    assert status == 1, out + err
    assert f'the first call of K that differs: K.sigmoid at train.py:{LINE}' in out
    assert out.splitlines()[-1] == 'NOT PROVED, beside numpy. wrong: parts'
    found = json.loads((folder / 'found.json').read_text())
    assert (found['format'], found['status'], found['kind']) == (1, 1, 'plain')
    assert found['reference']['name'] == 'numpy'
    (wrong,) = found['engines']
    assert wrong['verdict'] == 'parts'
    assert wrong['first_difference']['event'] == 'function 1, call 1'
    assert wrong['first_call']['name'] == 'sigmoid'
    assert wrong['first_call']['relative'] == pytest.approx(3e-4, rel=1e-2)
    # The losses, pair by pair: of the reference and of the engine.
    losses = wrong['losses']['function 1']
    assert len(losses) == 6
    assert all(0 < abs(ours - theirs) < 1e-2 for theirs, ours in losses)


@pytest.mark.slow
def test_engine_that_dies(prove):
    status, out, err = prove('train.py', '--engines', 'numpy', 'dead')
    assert status == 1, out + err
    assert 'died: ValueError: no sigmoid today' in out
    assert out.splitlines()[-1] == 'NOT PROVED. dead: died; so numpy has nothing to be compared with'


@pytest.mark.slow
def test_reference_that_dies(prove, folder):
    """The verdict says that it died, and the others are compared with each other."""
    status, out, err = prove('train.py', '--engines', 'dead', 'same', 'close', '--json', 'found.json')
    assert status == 1, out + err
    assert ', because dead died\n' in out
    assert 'died: ValueError: no sigmoid today' in out
    assert out.splitlines()[-1] == 'NOT PROVED, since dead died. The others, beside same: dead: died; close: equal'
    report = json.loads((folder / 'found.json').read_text())
    assert (report['reference']['name'], report['chosen']) == ('same', 'dead')
    died, close = report['engines']
    assert (died['verdict'], close['verdict'], close['first_difference']) == ('died', 'equal', None)
    assert 0 < close['largest'] < 1e-5


@pytest.mark.slow
def test_arguments_of_the_program_and_steps(prove, folder):
    status, out, err = prove(
        'train.py', '--engines', 'numpy', 'same', '--steps', '3', '--json', 'found.json', '--', '9'
    )
    assert status == 0, out + err
    found = json.loads((folder / 'found.json').read_text())
    assert found['arguments'] == ['9']
    lines = {line['name']: line for line in found['engines'][0]['functions']}
    assert lines['function 1']['calls'] == 3


@pytest.mark.slow
def test_picture(prove, folder):
    """A PNG where Matplotlib is installed; else a sentence, and the proof all the same."""
    status, out, err = prove('train.py', '--engines', 'numpy', 'same', '--picture', 'losses.png')
    assert status == 0, out + err
    if importlib.util.find_spec('matplotlib') is None:
        assert 'Matplotlib' in err
    else:
        assert (folder / 'losses.png').read_bytes().startswith(b'\x89PNG')


@pytest.mark.slow
def test_prove_a_notebook(prove, folder):
    """Cells are one program, magics are left out, and modules beside the notebook are found."""
    cells = [
        '%matplotlib inline\n!ls\n' + PROGRAM.split('x, t =')[0],
        'import rate\n',
        'x, t =' + PROGRAM.split('x, t =')[1],
    ]
    book = {
        'cells': [
            {'cell_type': 'code', 'source': [cell], 'outputs': [], 'metadata': {}, 'execution_count': None}
            for cell in cells
        ]
        + [{'cell_type': 'markdown', 'source': ['# words'], 'metadata': {}}],
        'metadata': {},
        'nbformat': 4,
        'nbformat_minor': 5,
    }
    below = folder / 'books'
    below.mkdir()
    (below / 'train.ipynb').write_text(json.dumps(book))
    (below / 'rate.py').write_text('')
    status, out, err = prove('books/train.ipynb', '--engines', 'numpy', 'wrong')
    assert status == 1, out + err
    assert 'K.sigmoid at train.py:' in out
    assert 'died' not in out


@pytest.mark.slow
def test_files_of_a_run_are_not_found_by_the_next(prove, folder):
    """A program that goes on with the weights it finds would compare its second run with its first."""
    text = PROGRAM + "import os\nassert not os.path.exists('made.txt')\nopen('made.txt', 'w').close()\n"
    (folder / 'train.py').write_text(text + "assert os.path.exists('same.py')\n")
    status, out, err = prove('train.py', '--engines', 'numpy', 'same')
    assert status == 0, out + err
    assert not (folder / 'made.txt').exists()


@pytest.mark.slow
def test_other_draws_of_the_program(prove, folder):
    """Inputs that differ are told as such, not as an error of the engine."""
    text = PROGRAM.replace('import sys', 'import os\nimport sys')
    (folder / 'train.py').write_text(text.replace('RandomState(0)', "RandomState(len(os.environ['KERAS_BACKEND']))"))
    status, out, err = prove('train.py', '--engines', 'numpy', 'same')
    assert status == 1, out + err
    assert 'The program itself made other inputs' in out


@pytest.mark.parametrize(
    ('text', 'kind'),
    [
        ('import keras_backend as K\nK.square(1.0)\n', 'plain'),
        ('import keras_backend.keras3 as K\nK.square(1.0)\n', 'keras3'),
        ('from keras import backend as K\nK.square(1.0)\n', 'keras2'),
        ('from tensorflow.keras import backend as K\nK.square(1.0)\n', 'keras3'),
        ('from keras.layers import Dense\nDense(3)\n', 'keras2'),
        ('import tensorflow as tf\ntf.keras.layers.Dense(3)\n', 'keras3'),
        ('import keras\nkeras.ops.square(1.0)\nkeras.layers.Dense(2)\n', 'keras3'),
        # The names are in a module beside the program.
        ('import layers\nlayers.make()\n', 'keras2'),
        ('import sys\n', ''),
    ],
)
def test_kind_of_program(text, kind, tmp_path):
    (tmp_path / 'train.py').write_text(text)
    (tmp_path / 'layers.py').write_text('from keras.layers import Dense\n\n\ndef make():\n    return Dense(3)\n')
    assert kind_of(str(tmp_path / 'train.py')) == kind


@pytest.mark.parametrize(
    ('text', 'needs'),
    [
        ('import tensorflow as tf\nfrom keras.layers import Dense\ntf.set_random_seed(1)\n', 'tensorflow'),
        ('import theano.tensor as T\nfrom keras.layers import Dense\nT.log(1.0)\n', 'theano'),
        ('import tensorflow\nfrom keras.layers import Dense\n', ''),
        ('from keras.layers import Dense\n', ''),
        ('from tensorflow.keras.layers import Dense\n', ''),
    ],
)
def test_engine_that_a_program_needs(text, needs, tmp_path, monkeypatch):
    """TensorFlow as it was in 2017 is there on one engine; the sentence names it."""
    monkeypatch.setattr(programs, 'make', lambda version: version)
    path = tmp_path / 'train.py'
    path.write_text(text)
    here = program(str(path), [], '', '2.3.1' if 'from keras' in text else '')
    assert here.needs == needs
    if needs:
        with pytest.raises(UsageError, match=f'uses {needs} beside Keras, so that the engine {needs} alone can run it'):
            engines(['numpy'], here)
        assert set(engines([], here)) <= {needs}
    elif here.kind == 'keras2':
        assert engines(['numpy'], here) == ['numpy']


# -- the original ------------------------------------------------------------------------------------------------------


def test_arguments_behind_two_dashes(monkeypatch, folder):
    """What stands behind `--` belongs to the program, and nothing of it to the command."""
    given = []

    def taken(path, arguments, kind, keras):
        given.append((path, arguments))
        raise UsageError('enough')

    monkeypatch.setattr(programs, 'program', taken)
    with pytest.raises(SystemExit):
        main(['prove', 'train.py', '--', '--epochs', '3', '--', 'last'])
    assert given == [('train.py', ['--epochs', '3', '--', 'last'])]


@pytest.mark.parametrize('failing', [False, True])
def test_what_is_written_of_a_proof(failing, monkeypatch, folder, capsys):
    """Its lines, its data and its picture, and the sentence at the end; the records go unless they are kept."""
    run = SimpleNamespace(run=SimpleNamespace(name='other'))
    verdict = SimpleNamespace(record=run, outcome=SimpleNamespace(losses={'train': [(1.0, 2.0)]}))
    proof = SimpleNamespace(reference=SimpleNamespace(run=SimpleNamespace(name='same')), verdicts=[verdict], status=1)
    asked, drawn = [], []

    def proved(program, names, python, folder, options, show):
        asked.append((os.path.basename(program.path), names, tuple(options), os.path.isdir(folder), folder))
        return proof

    def save(*arguments):
        drawn.append(arguments)
        if failing:
            raise command.report.NoPicture('no picture today')

    monkeypatch.setattr(command, 'prove', proved)
    monkeypatch.setattr(command.report, 'save', save)
    for name, value in ('lines', ['a line']), ('data', {'format': 1}), ('summary', 'the end'):
        monkeypatch.setattr(command.report, name, lambda given, value=value: value)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    options = ['--steps', '1', '--stop', '--seed', '7', '--json', 'a.json', '--picture', 'a.png']
    said = []
    line = ['train.py', '--engines', 'dead', 'same', 'other']
    (folder / 'other.py').write_text(SAME)
    assert command.main([*line, *options], said.append) == 1
    # The picture is beside the reference, which is not the first where that died.
    assert drawn == [({'other': {'train': [(1.0, 2.0)]}}, 'same', 'a.png')]
    assert said == ['a line', '', 'the end']
    assert (folder / 'a.json').read_text() == '{\n "format": 1\n}\n'
    assert ('no picture today' in capsys.readouterr().err) == failing
    assert command.main([*line, '--keep', 'kept'], said.append) == 1
    assert [entry[:4] for entry in asked] == [
        ('train.py', ['dead', 'same', 'other'], (1, True, 7), True),
        ('train.py', ['dead', 'same', 'other'], (20, False, 1), True),
    ]
    assert [os.path.isdir(entry[4]) for entry in asked] == [False, True]
    assert os.path.basename(asked[1][4]) == 'kept'


def test_script_of_a_notebook(tmp_path):
    """The code of a notebook lies in a script of its name, in the folder that is given."""
    (tmp_path / 'notes.ipynb').write_text(
        json.dumps({'cells': [{'cell_type': 'code', 'source': 'import keras_backend'}]})
    )
    found = program(str(tmp_path / 'notes.ipynb'), [])
    (tmp_path / 'scripts').mkdir()
    script = programs.with_script(found, str(tmp_path / 'scripts')).script
    assert script == str(tmp_path / 'scripts' / 'notes.py')
    with open(script, encoding='utf-8') as file:
        assert 'import keras_backend' in file.read()


def test_pins_of_2017_are_those_of_the_page():
    """What is installed beside Keras 2 on TensorFlow 1 is what docs/legacy-pins.md says, and no version but one."""
    for name in ('2.3.1', '2.2.4'):
        original = originals.ORIGINALS[name]
        packages = [*original.packages, *original.beside]
        assert {f'{library}=={pin.version}' for library, pin in PINS['3.7'].items()} <= set(packages)
        names = [environments.distribution(package) for package in packages]
        assert len(set(names)) == len(names)
        assert {'tqdm', 'imageio', 'scikit-image', 'pip'} <= set(names)
        assert f'keras=={name}' in original.packages


@pytest.fixture
def installs(monkeypatch, tmp_path):
    """An environment whose installer has all packages but those that are added to the result."""
    absent, commands = [], []

    def install(folder, packages, is_quiet):
        commands.append(list(packages))
        if set(packages) & set(absent):
            raise environments.CannotInstall('no such package')

    folder = tmp_path / 'original'
    folder.mkdir()
    monkeypatch.setattr(environments, '_install', install)
    monkeypatch.setattr(environments, '_create', lambda where, pythons: environments._note(where, []))
    python_path = pathlib.Path(environments.python_of(str(folder)))
    python_path.parent.mkdir()
    python_path.write_text('')
    return str(folder), absent, commands


def test_environment_without_what_cannot_be_installed(installs, capsys):
    """An optional package that cannot be installed is told, and stops nothing; a needed one stops."""
    folder, absent, commands = installs
    absent.append('networkx==2.3')
    python_path = environments.make(folder, ['3.7'], ['keras'], True, ['scipy', 'networkx==2.3', 'tqdm'])
    assert python_path == environments.python_of(folder)
    assert environments._noted(folder) == ['keras', 'scipy', 'tqdm']
    assert 'networkx==2.3 could not be installed' in capsys.readouterr().err
    # What is needed is in every command, so that its version stays.
    assert all('keras' in command for command in commands)
    absent.clear()
    environments.make(folder, ['3.7'], ['keras'], True, ['scipy', 'networkx==2.3', 'tqdm'])
    assert environments._noted(folder)[-1] == 'networkx==2.3'
    absent.append('tensorflow')
    with pytest.raises(environments.CannotInstall):
        environments.make(folder, ['3.7'], ['keras', 'tensorflow'], True)


def test_libraries_of_the_program_go_into_its_original(monkeypatch, tmp_path):
    """What the program imports beside the usual libraries is optional there; a pinned library keeps its pin."""
    asked = []
    monkeypatch.setattr(environments, 'make', lambda *arguments: asked.append(arguments) or 'python')
    path = tmp_path / 'train.py'
    path.write_text('import keras_backend as K\nimport gym\nimport pandas\nK.ones((2,))\n')
    assert originals.interpreter('2.3.1', program(str(path), [])) == 'python'
    ((_folder, _pythons, packages, _is_quiet, beside),) = asked
    assert 'gym' in beside
    assert [package for package in (*packages, *beside) if package.startswith('pandas')] == ['pandas==0.25.3']


# -- wrong usage -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('arguments', 'told'),
    [
        (['absent.py'], "cannot find the program 'absent.py'"),
        (['words.txt'], 'runs .py files and notebooks (.ipynb)'),
        (['empty.py'], 'there is no code in it'),
        (['broken.ipynb'], 'it is no notebook: its JSON is broken'),
        (['other.py'], 'imports neither keras, tf.keras nor keras_backend'),
        (['train.py', '--engines', 'numpy'], 'prove compares two runs'),
        (['train.py', '--engines', 'numpy', 'numpy'], 'names numpy twice'),
        (['train.py', '--engines', 'numpy', 'no_such_engine'], '--engines no_such_engine: this program can run on'),
        (['train.py', '--engines', 'numpy', '--original', 'no_such_python'], 'there is no such interpreter'),
        (['train.py', '--engines', 'numpy', '--original', 'tf_keras'], 'one of 2.3.1, 2.2.4'),
        (['train.py', '--engines', 'numpy', 'same', '--steps', '0'], 'at least one step'),
        (['train.py', '--engines', 'numpy', 'same', '--keras', '2.3.1'], '--keras is for programs of Keras 1 and 2'),
        (['train.py', '--engines', 'numpy', 'same', '--json', 'no/folder.json'], 'There is no folder for'),
        (['train.py', '--with', 'keras2', '--keras', '7'], '--keras 7: the versions that run here are'),
    ],
)
def test_wrong_usage_of_prove(folder, monkeypatch, capsys, arguments, told):
    """One sentence and status 2, before anything runs."""
    (folder / 'words.txt').write_text('words')
    (folder / 'empty.py').write_text('\n')
    (folder / 'other.py').write_text('import sys\n')
    (folder / 'broken.ipynb').write_text('{"cells": [')
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    with pytest.raises(SystemExit) as ended:
        main(['prove', *arguments])
    assert ended.value.code == 2
    assert told in capsys.readouterr().err
