"""The command --check, and the line that the launcher writes before a program runs."""

import functools
import json
import os
import shlex

import pytest
from checked import check
from checkout import TESTS
from processes import python

from keras_backend.basics import installed
from keras_backend.engines.table import ENGINES
from keras_backend.programs.keras2 import versions
from keras_backend.programs.keras2.check import program
from keras_backend.programs.keras2.check.program import needed_keras
from keras_backend.programs.launcher.check import translation
from keras_backend.programs.migrate import routes

OWN = os.path.join(TESTS, 'keras2_check', 'programs')
NEW = 'import keras\nkeras.optimizers.SGD(learning_rate=0.1)\n'
OLD = "import keras\nmodel.compile(metrics=['accuracy'])\nprint(history.history['acc'])\n"


def test_check_command(tmp_path):
    """The command needs no Keras, and its status says whether something would stop."""
    status, out, err = python(
        '-m', 'keras_backend.keras2', '--check', os.path.join(OWN, 'plain_2017.py'), home=tmp_path
    )
    assert (0, '') == (status, err)
    assert 'Nothing was found that would stop it' in out
    assert 'KERAS_BACKEND=tensorflow python -m keras_backend.keras2 --keras 2.3.1 ' in out


def test_check_takes_the_engine_of_keras_backend(tmp_path, capsys, monkeypatch):
    """A program that names no library keeps the engine that is set; one of TensorFlow needs TensorFlow."""
    path = tmp_path / 'a.py'
    monkeypatch.setenv('KERAS_BACKEND', 'numpy')
    for text, engine in (NEW, 'numpy'), ('import tensorflow as tf\n' + NEW, 'tensorflow'):
        path.write_text(text)
        program.main([str(path)])
        assert f'  KERAS_BACKEND={engine} python -m keras_backend.keras2' in capsys.readouterr().out
        lacks = {name.partition('<')[0].partition('=')[0] for name in routes.missing_for(str(path), routes.KERAS_2)}
        assert 'tensorflow' not in lacks or engine == 'tensorflow'


def test_check_status(tmp_path, capsys):
    """0 if nothing would stop, 1 if something would, 2 for arguments that cannot be used, with one sentence."""
    path = tmp_path / 'a b.py'
    path.write_text(OLD)
    assert 0 == program.main([str(path)])
    out = capsys.readouterr().out
    assert f"{path}:3: ['acc'] (Keras 1.2.2 to 2.2.5)" in out
    assert f"--keras 2.2.4 '{path}'" in out
    path.write_text('import keras\nkeras.layers.NeverThere\n')
    assert 1 == program.main([str(path)])
    capsys.readouterr()
    assert 2 == program.main([str(tmp_path / 'never.py')])
    assert capsys.readouterr().err.count('\n') == 1
    assert 2 == program.main([])
    assert 2 == program.main(['--jsn', str(path)])
    assert '--check does not know --jsn' in capsys.readouterr().err


@pytest.mark.parametrize('translator', ['fissix', ''])
def test_check_names_all_that_is_missing(translator, tmp_path, capsys, monkeypatch):
    """The engine and what the program imports, by the table of `run`: one line. The Keras that is fetched brings SciPy.

    Python 2 is no stop where the launcher translates it.
    """
    monkeypatch.delenv('KERAS_BACKEND', raising=False)
    there = {'matplotlib', 'tqdm'}
    monkeypatch.setattr(installed, 'spec', lambda name: name in there or None)
    monkeypatch.setattr(translation, 'tool', lambda: translator)
    monkeypatch.setenv('KERAS_HOME', str(tmp_path))
    path = tmp_path / 'train.py'
    path.write_text(
        'from keras.preprocessing.image import ImageDataGenerator\nimport matplotlib.pyplot, seaborn, tqdm\n'
        'from PIL import Image\nfor i in xrange(3):\n    print "a"\n'
    )
    missing = functools.partial(routes.missing_for, route=routes.KERAS_2)
    assert int(not translator) == program.main(['--json', str(path)], missing)
    report = json.loads(capsys.readouterr().out)
    asked = ['fissix'] * (not translator) + [ENGINES['tensorflow'].requirement]
    assert [*asked, 'seaborn', 'pillow'] == report['missing']
    assert shlex.split(report['commands'][0]) == ['pip', 'install', *report['missing']]
    assert {'note' if translator else 'stops'} == {one['severity'] for one in report['findings']}
    program.main([str(path)], missing)
    out = capsys.readouterr().out
    assert ('Nothing was found that would stop it, once what is missing here is installed.' in out) == bool(translator)
    assert ('pip install fissix; the launcher translates it then' in out) == (not translator)
    there.update(('tensorflow', 'PIL', 'seaborn', *versions.NEEDED))
    path.write_text('import keras, seaborn\n')
    assert 0 == program.main([str(path)], missing)
    out = capsys.readouterr().out
    assert 'Nothing was found that would stop it.\n' in out
    assert 'pip install' not in out
    # A Keras that was fetched before takes the libraries from here.
    there -= {'scipy', 'h5py'}
    monkeypatch.setattr(versions, 'is_there', lambda version: True)
    assert {'scipy', 'h5py'} == set(missing(str(path)))


def test_check_json(capsys):
    """--json has the same, for programs: one object for one path, a list for more."""
    paths = [os.path.join(OWN, name) for name in ('tensorflow_1.py', 'keras_1_cifar.py')]
    assert 1 == program.main(['--json', paths[0]])
    one = json.loads(capsys.readouterr().out)
    assert ('2.2.4', 'tensorflow', 'keras_backend.keras2') == (one['keras'], one['engine'], one['launcher'])
    assert {'path', 'line', 'rule', 'reason', 'advice', 'severity', 'cell'} == set(one['findings'][0])
    assert ["['acc']"] == [reason['what'] for reason in one['reasons'] if reason['what'] == "['acc']"]
    program.main([*paths, '--json'])
    assert ['2.2.4', '1.2.2'] == [each['keras'] for each in json.loads(capsys.readouterr().out)]


def test_needed_keras(tmp_path):
    """The version and why, for a program with a module beside it. '' without Keras."""
    path = tmp_path / 'train.py'
    path.write_text('import net\n')
    (tmp_path / 'net.py').write_text(OLD)
    version, reasons = needed_keras(str(path))
    assert '2.2.4' == version
    assert (f"{tmp_path / 'net.py'}:3: ['acc']",) == reasons
    assert ('2.2.5', ()) == needed_keras(str(path), '2.2.5')
    assert ('', ()) == needed_keras(str(path), seconds=0)
    path.write_text('print(1)\n')
    assert ('', ()) == needed_keras(str(path))


@pytest.mark.parametrize(
    ('there', 'text', 'told'),
    [
        ('2.3.1', OLD, '--keras 2.2.4'),
        ('2.2.5', OLD, ''),
        ('2.2.4', NEW, '--keras 2.3.1'),
        ('2.3.0', NEW, ''),
        ('3.5.0', OLD, ''),
        (None, OLD, ''),
        ('2.3.1', 'x = 3\n', ''),
        ('2.3.1', 'import keras\n', ''),
    ],
)
def test_line_before_a_program(there, text, told, tmp_path, capsys, monkeypatch):
    """One line on the standard error where another Keras than the installed one is needed; otherwise nothing."""
    monkeypatch.setattr(installed, 'version', lambda names: there)
    path = tmp_path / 'train.py'
    path.write_text(text)
    program.tell([str(path), '--epochs', '3'])
    out, err = capsys.readouterr()
    assert '' == out
    if told:
        assert err.endswith(f'type: python -m keras_backend.keras2 {told} {path} --epochs 3\n')
        assert 1 == err.count('\n')
    else:
        assert '' == err


def test_line_before_a_program_never_fails(tmp_path, capsys, monkeypatch):
    """No program, no file, or an error inside: nothing is said."""
    for arguments in [], ['-m', 'module'], ['--explain'], [str(tmp_path / 'never.py')], [str(tmp_path)]:
        program.tell(arguments)
    path = tmp_path / 'train.py'
    path.write_text(OLD)

    def fail(names):
        raise RuntimeError

    monkeypatch.setattr(installed, 'version', fail)
    program.tell([str(path)])
    assert ('', '') == tuple(capsys.readouterr())


def test_check_runs_nothing(tmp_path):
    """The program is read and never run."""
    trace = tmp_path / 'trace'
    check(tmp_path / 'a.py', f'open({str(trace)!r}, "w").close()\nimport keras\n')
    assert not trace.exists()
