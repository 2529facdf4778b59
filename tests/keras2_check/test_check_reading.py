"""What --check reads: notebooks, Python 2, magics, encodings, broken files, folders."""

import ast
import json

import pytest
from checked import check, found, reasons

from keras_backend.programs.keras2.check import program as command
from keras_backend.programs.keras2.check import program as report
from keras_backend.programs.keras2.check import versions
from keras_backend.programs.launcher.check import python2, reading
from keras_backend.programs.launcher.check.rules import NOTE, STOPS
from keras_backend.programs.launcher.check.syntax import parse


def notebook(path, cells, **metadata):
    """Write a notebook: each cell a text."""
    code = [{'cell_type': 'code', 'source': text.splitlines(True), 'outputs': []} for text in cells]
    book = {'nbformat': 4, 'metadata': metadata, 'cells': [{'cell_type': 'markdown', 'source': ['# words']}, *code]}
    path.write_text(json.dumps(book), encoding='utf-8')
    return path


@pytest.mark.parametrize(
    ('line', 'wanted'),
    [
        ('print "a", 1', 'print("a", 1)'),
        ("print 'a' % x", "print('a' % x)"),
        ('print', 'print()'),
        ('print x,', 'print(x)'),
        ('print >>sys.stderr, "x"', 'print("x")'),
        ('    for i in range(3): print i', '    for i in range(3): print(i)'),
        ('print("a")', 'print("a")'),
        ('print = 3', 'print = 3'),
        ('print.x', 'print.x'),
        ('x = "print this"', 'x = "print this"'),
        ('# print this', '# print this'),
        ('print ("a %s" % 1), 2', 'print(("a %s" % 1), 2)'),
        ('except IOError, e:', 'except IOError as e:'),
        ('    except (A, B), e:', '    except (A, B) as e:'),
        ('except (A, B):', 'except (A, B):'),
        ('raise ValueError, "no"', 'raise ValueError("no")'),
        ('exec "x = 1"', 'exec("x = 1")'),
        ('raise E, "a # b"  # why', 'raise E("a # b")  # why'),
        ('if bad: raise error[0], error[1], trace', 'if bad: raise error[0](error[1], trace)'),
        ('print x  # print y', 'print(x)  # print y'),
        ('exec code in space', 'exec(code)'),
        ('if a <> b:', 'if a != b:'),
        ('x = 10L + 0xFFL', 'x = 10 + 0xFF'),
        ('os.chmod(p, 0755)', 'os.chmod(p, 0o755)'),
        ('x = `y`', 'x = repr(y)'),
        ("ur'a'", "r'a'"),
        ('def f(a, (b, c)):', 'def f(a, b, c):'),
        ('lambda (a, b): a', 'lambda a, b: a'),
        ('f(async=True)', 'f(async_=True)'),
    ],
)
def test_python_2_line(line, wanted):
    """A line of Python 2 in the spelling of Python 3; other lines stay."""
    assert wanted == python2.repaired(line)


def test_python_2_program():
    """The tree has all that stands behind statements of Python 2, at its line."""
    text = 'import os\nprint "a", \\\n    os.name\nprint """b\n%d""" % os.getpid()\n'
    text += 'if 1:\n\tprint os.sep\n        x = os.curdir\n'
    tree = parse(text)
    assert ((2, 4, 7), ()) == (tree.python2, tree.broken)
    lines = {node.attr: node.lineno for node in ast.walk(tree.tree) if isinstance(node, ast.Attribute)}
    assert {'name': 2, 'sep': 7, 'curdir': 8} == {name: line for name, line in lines.items() if name != 'getpid'}


@pytest.mark.parametrize(
    ('text', 'broken'),
    [
        ('import keras\nx = = 1\ny = keras.layers\n', (2,)),
        ('import keras\ndef f(:\n    x = 1\ny = keras.layers\n', (2,)),
        ('import keras\n  x = 1\ny = keras.layers\n', (2,)),
        ('import keras\n<<<<<<< HEAD\nx = 1\n=======\n>>>>>>> b\ny = keras.layers\n', (2, 4, 5)),
        ('import keras\ny = keras.layers\nx = (1,\n', (3,)),
    ],
)
def test_broken_lines_are_left_out(text, broken):
    """The lines that nobody can read are told, and the rest is read."""
    tree = parse(text)
    assert broken == tree.broken
    assert any(isinstance(node, ast.Attribute) and node.attr == 'layers' for node in ast.walk(tree.tree))


@pytest.mark.parametrize(
    'data', [b'', b'\n', b'\xef\xbb\xbfx = 1\n', b'x = 1\r\ny = 2\r\n', b'(' * 300, b'"""', b'\x0c\n', b'\\']
)
def test_any_file_is_read(data, tmp_path):
    """No file raises an error."""
    check(tmp_path / 'a.py', data)
    check(tmp_path / 'a.ipynb', data)


def test_encodings(tmp_path):
    """A file says its encoding, or is UTF-8, or Python 3 does not read it."""
    text = '# -*- coding: {} -*-\nimport keras\nx = "\u00e9"\n'
    for encoding in 'latin-1', 'cp1252', 'utf-8':
        assert [] == found(check(tmp_path / 'a.py', text.format(encoding), encoding))
    program = check(tmp_path / 'a.py', 'import keras\nx = "\u00e9"\n', 'latin-1')
    assert [('encoding', 2)] == found(program)
    assert [('encoding', 1)] == found(check(tmp_path / 'a.py', '# -*- coding: nothing -*-\nimport keras\n'))
    assert program.uses_keras


def test_notebook(tmp_path, monkeypatch):
    """Cells are one program, with magics left out; a finding names cell and line."""
    monkeypatch.delenv('KERAS_BACKEND', raising=False)
    path = notebook(
        tmp_path / 'a.ipynb',
        [
            '%matplotlib inline\n!pip install keras==2.1.2 \\\n   h5py\nimport keras\nfrom keras.layers import *',
            '%%bash\nls -la | grep x',
            'files = !ls\nx = (7\n  % 2)\nDense?\nkeras.layers.NeverThere',
            '%%time\nMerge([a, b], mode="sum")\nprint "x"',
        ],
    )
    program = check(path)
    assert '2.1.2' == program.choice.asked
    assert '2.1.6' == program.choice.version
    assert [('keras-name', 3, 5), ('python2', 4, 3)] == [(one.rule, one.cell, one.line) for one in program.findings]
    assert f'{path}, cell 4, line 3' == str(program.findings[1].place)
    line = f'KERAS_BACKEND=tensorflow python -m keras_backend run --with keras2 --keras 2.1.6 {path}'
    assert line == report.commands(program)[-1]


def test_old_and_other_notebooks(tmp_path):
    """Notebooks of format 3 have sheets. Other languages are told as notes."""
    path = tmp_path / 'a.ipynb'
    path.write_text(
        json.dumps({'worksheets': [{'cells': [{'cell_type': 'code', 'input': ['import string\n', 'string.atoi(1)']}]}]})
    )
    assert [('python-removed', 2)] == found(check(path))
    notebook(path, ['library(keras)\nmodel %>% fit()'], kernelspec={'language': 'R', 'name': 'ir'})
    assert [('unreadable', 1)] == found(check(path), NOTE)
    path.write_text('{"metadata": {}}')
    assert [] == found(check(path), STOPS)


@pytest.mark.parametrize(
    ('name', 'data', 'reason'),
    [
        ('a.ipynb', b'{"cells": [', 'it is no notebook: its JSON is broken'),
        ('a.ipynb', b'[]', 'it is no notebook: its JSON is broken'),
        ('a.ipynb', b'{"cells": [3]}', 'it is no notebook: its JSON is broken'),
        ('a.h5', b'\x89HDF\r\n\x1a\n\0\0\0', 'it is no text'),
        ('a.py', b'x = 1\n' * 1000000, 'the file is too large for a program'),
    ],
    ids=['broken', 'list', 'cells', 'data', 'large'],
)
def test_what_cannot_be_read_may_stop(name, data, reason, tmp_path, capsys):
    """Nobody can say that it runs: the verdict is red, and the exit status 1."""
    path = tmp_path / name
    path.write_bytes(data)
    assert 1 == command.main([str(path)])
    out = capsys.readouterr().out
    assert reason in out
    assert 'Nothing was found' not in out


def test_notebook_with_pictures(tmp_path):
    """Megabytes of outputs do not hide the code."""
    path = notebook(tmp_path / 'a.ipynb', ['import string\nstring.atoi(1)'])
    book = json.loads(path.read_text())
    book['cells'][0]['outputs'] = [{'data': {'image/png': 'A' * 6000000}}]
    path.write_text(json.dumps(book))
    assert [('python-removed', 2)] == found(check(path))


def test_magic_at_the_start_of_a_line():
    """A line that starts with % and goes on with an expression is no magic."""
    text = 'x = ("%s"\n%name)'
    assert (text, []) == reading.without_magics(text)


def test_program_with_modules_beside_it(tmp_path):
    """What the program imports from its own folder is checked, too, and is no library."""
    (tmp_path / 'parts').mkdir()
    (tmp_path / 'parts' / '__init__.py').write_text('from .nets import net\nfrom . import losses\n')
    (tmp_path / 'parts' / 'nets.py').write_text('import keras\nx = keras.layers.Merge\n')
    (tmp_path / 'parts' / 'losses.py').write_text('import string\nt = string.atoi("1")\n')
    (tmp_path / 'helper.py').write_text('import seaborn\nimport cv2\n')
    (tmp_path / 'other.py').write_text('import keras.initializations\n')
    program = check(tmp_path / 'train.py', 'import parts\nfrom helper import *\nimport sklearn.svm, mynets\n')
    assert 5 == len(program.files)
    assert '2.1.6' == program.choice.version
    assert [('python-removed', 2)] == found(program)
    assert (
        ('cv2', 'opencv-python-headless'),
        ('mynets', ''),
        ('seaborn', 'seaborn'),
        ('sklearn', 'scikit-learn'),
    ) == program.libraries
    assert reasons(program) == [('keras.layers.Merge', 2)]
    assert 'pip install opencv-python-headless seaborn scikit-learn' == report.commands(program)[0]
    assert 'no library that is known here: mynets.' in report.text(program)


def test_folder(tmp_path):
    """A folder is one program: all its files, without what lies in an environment, and its requirements."""
    for name in 'src/net.py', 'venv/lib/site.py', '.git/hook.py', 'src/build/x.py', 'own/lib.py', 'train.py':
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text('import keras\nkeras.layers.Dense(3)\n')
    (tmp_path / 'own' / 'pyvenv.cfg').write_text('')
    (tmp_path / 'requirements.txt').write_text('numpy>=1.9\nKeras==2.0.5\ntensorflow\n')
    notebook(tmp_path / 'src' / 'show.ipynb', ['import net\nimport keras'])
    program = check(tmp_path)
    assert 3 == len(program.files)
    assert ('2.0.8', '2.0.5') == (program.choice.version, program.choice.asked)
    assert () == program.libraries
    assert program.main.endswith('train.py')


@pytest.mark.parametrize(
    ('text', 'asked', 'near'),
    [
        ('keras==2.0.8', '2.0.8', '2.0.8'),
        ('Keras>=1.2.0,<2', '>=1.2.0,<2', '1.2.2'),
        ('Keras == 1.0.5', '1.0.5', '1.2.2'),
        ('keras~=2.2.0', '~=2.2.0', '2.2.4'),
        ('my-keras==2.1.0', '', None),
        ('keras==3.0.0', '3.0.0', None),
        ('keras==0.3.3', '0.3.3', None),
        ('keras==2.3.2', '2.3.2', '2.3.1'),
    ],
)
def test_version_that_is_asked_for(text, asked, near):
    """The version of a line of requirements, and the nearest that is known."""
    assert asked == versions.asked_for(text)
    assert near == (versions.nearest(asked) if asked else None)


def test_folders_on_the_path_of_the_program(tmp_path):
    """Modules in folders that a script puts on sys.path are no libraries."""
    for name in 'scripts', 'lib/models':
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / 'lib' / 'models' / 'net.py').write_text('import keras\n')
    (tmp_path / 'lib' / 'helpers.py').write_text('')
    text = "import sys\nsys.path.append('../lib')\nimport helpers\nfrom models.net import x\nimport keras\n"
    assert () == check(tmp_path / 'scripts' / 'go.py', text).libraries
    program = check(tmp_path)
    assert () == program.libraries
    assert program.main.endswith('go.py')
