"""What keras_backend.keras2 gives back to programs of 2017: each file of `cures` is a program that uses it."""

import glob
import importlib.util
import os

import pytest
from launched import launch
from processes import ENGINE, given_path, python

from keras_backend.basics.installed import version
from keras_backend.engines.table import ENGINES

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cures')
KERAS = version(['keras'])


def header(path, key):
    """The words after `# key:` in the head of a program; None where it has no such line."""
    with open(path, encoding='utf-8') as stream:
        lines = [line.partition(':')[2].split() for line in stream if line.startswith(f'# {key}:')]
    return lines[0] if lines else None


def meant_for_here(path):
    """Whether a program is one for this engine, this Keras, and what is installed beside it."""
    return (
        ENGINE in (header(path, 'engines') or [ENGINE])
        and KERAS in (header(path, 'keras') or [KERAS])
        and all(importlib.util.find_spec(module) for module in header(path, 'needs') or [])
    )


PROGRAMS = [path for path in sorted(glob.glob(os.path.join(FOLDER, '*.py'))) if meant_for_here(path)]


def run(arguments, tmp_path):
    """Run the launcher in an empty folder: status, output, errors."""
    folder = tmp_path / 'folder'
    folder.mkdir()
    return launch(*arguments, home=tmp_path / 'home', cwd=folder)


@pytest.mark.parametrize('path', PROGRAMS, ids=[os.path.basename(path)[:-3] for path in PROGRAMS])
def test_cure(path, tmp_path):
    """The program ends well, and nothing is said at its end."""
    status, out, err = run([path], tmp_path)
    assert 0 == status, out + err
    assert out.strip().endswith('cured'), out + err
    assert 'Exception ignored' not in err, err


def test_explain(tmp_path):
    """--explain lists every cure, who needs it and what was done."""
    from keras_backend.programs.keras2.cures import CURES
    from keras_backend.programs.launcher.cures import name

    status, out, err = run(['--explain'], tmp_path)
    assert 0 == status, err
    assert out.count('needed by:') == out.count('here:') == len(CURES)
    for cure in CURES:
        assert name(cure) + ': ' in out
        assert cure.apply.__doc__.strip().endswith('.')
    assert ('here: TensorFlow' in out) == (ENGINE == 'tensorflow')
    assert 'not imported here' not in out or ENGINE != 'tensorflow' or 'PIL' not in out


def test_keras_names_the_engine(tmp_path):
    """The line of Keras about its backend has the title of the engine, not the name of a module."""
    program = tmp_path / 'program.py'
    program.write_text('import keras\n')
    status, _out, err = run([str(program)], tmp_path)
    assert 0 == status, err
    assert f'Using {ENGINES[ENGINE].title} backend.' in err
    assert 'keras_backend.engines' not in err


def test_usage(tmp_path):
    """Without a program, the usage is told, and nothing is prepared."""
    status, _out, err = run([], tmp_path)
    assert 2 == status
    assert 'usage: python -m keras_backend.keras2' in err
    assert 'Using' not in err


def test_no_program(tmp_path):
    """A program that is not there is said in one sentence, before anything is imported."""
    status, _out, err = run(['missing.py'], tmp_path)
    assert 2 == status
    assert "cannot find the program 'missing.py'" in err
    assert 'Traceback' not in err


def test_keras_before(tmp_path):
    """Where Keras runs already, on an engine of its own, the line came too late, and says so."""
    code = (
        'import sys, types\n'
        'for name in "keras", "keras.backend":\n'
        '    sys.modules[name] = types.ModuleType(name)\n'
        'sys.modules["keras.backend"].backend = lambda: "tensorflow"\n'
        'sys.modules["keras"].__version__ = "2.3.1"\n'
        'import keras_backend.keras2'
    )
    status, _out, err = python('-c', code, home=tmp_path, backend=ENGINE, path=given_path())
    assert 1 == status
    assert 'put `import keras_backend.keras2` before `import keras`' in err
    assert 'WrongKeras' in err
