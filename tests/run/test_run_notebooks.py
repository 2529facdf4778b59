"""Notebooks run cell by cell: magics, the value of a cell, files, errors with cell and line, Python 2."""

import json
import os
import sys

import pytest
from processes import python

from keras_backend.programs.run.cells import Notebook, parts
from keras_backend.programs.run.magics import cell


def notebook(path, *cells, **more):
    code = [{'cell_type': 'code', 'source': text.splitlines(True)} for text in cells]
    book = {'cells': [{'cell_type': 'markdown', 'source': 'words'}, *code], 'metadata': {}, 'nbformat': 4, **more}
    path.write_text(json.dumps(book), encoding='utf-8')
    return str(path)


@pytest.mark.parametrize(
    ('text', 'code', 'skipped'),
    [
        ('%matplotlib inline\nx = 1', 'pass\nx = 1', []),
        ('%load_ext autoreload\n%autoreload 2', 'pass\npass', []),
        ('!pip install keras\nx = 1', 'pass\nx = 1', ['!pip install keras']),
        ('%time x = f(2)', 'x = f(2)', []),
        ('%timeit -n 10 f(2)', 'f(2)', []),
        ('%%time\nx = 1', '\nx = 1', []),
        ('%env A=b c', "import os; os.environ['A'] = 'b c'", []),
        ('files = !ls\nfiles', 'files = None\nfiles', ['files = !ls']),
        ('%%bash\nls', '\n', ['%%bash']),
        ('x = 5 \\\n%2', 'x = 5 \\\n%2', []),
        ('%no_such_magic 3', 'pass', ['%no_such_magic 3']),
    ],
)
def test_magics(text, code, skipped):
    found = cell(text)
    assert (code, ('', ''), skipped) == (found.code, found.file, found.skipped)


@pytest.mark.parametrize(
    ('first', 'mode'), [('%%writefile a.py', 'w'), ('%%file a.py', 'w'), ('%%writefile -a a.py', 'a')]
)
def test_a_cell_that_is_a_file(first, mode):
    assert ('x = !1\n', ('a.py', mode), []) == cell(first + '\nx = !1\n')


@pytest.mark.parametrize(
    ('text', 'shown'),
    [
        ('x = 1\nx', '\n_show_value_of_cell((x\n))'),
        ('x', '_show_value_of_cell((x\n))'),
        ('x = 1; x, 2', '_show_value_of_cell((x, 2\n))'),
        ("'ä', x", "_show_value_of_cell(('ä', x\n))"),
        ('f(\n  x)\n# the end', '_show_value_of_cell((f(\n  x)\n# the end\n))'),
        ('x;', None),
        ('x;  # no', None),
        ('x  # yes', '_show_value_of_cell((x  # yes\n))'),
        ('x = 1', None),
        ('for x in y:\n    x', None),
        ('', None),
    ],
)
def test_the_value_of_a_cell(text, shown):
    """The last expression is shown, at the line where it stands; what ends in a semicolon is not."""
    found = list(parts(text))
    assert found[-1] == (text if shown is None else shown)
    for one in found:
        compile(one, '', 'exec')


def run(path, folder):
    folder.mkdir(exist_ok=True)
    return Notebook(path, str(folder)).run()


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The folder of the notebook is the current one, and what it imports is forgotten."""
    monkeypatch.chdir(str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_notebook(place, capsys):
    """Cells share their names, write modules, show values, and see the last one as `_`."""
    path = notebook(
        place / 'a.ipynb',
        '%matplotlib inline\n!ls\nx = 2',
        '%%writefile written_by_a_cell.py\ndef double(x):\n    return 2 * x',
        'from written_by_a_cell import double\ndouble(x)',
        '_ + 1',
        "display('words')\nNone",
        'class A:\n    pass\nA.__module__, __name__',
    )
    assert run(path, place / 'cells') == 0
    found = capsys.readouterr()
    assert found.out.splitlines() == ['4', '5', 'words', "('__main__', '__main__')"]
    assert found.err == 'cell 1: !ls is not run; --shell before the notebook runs it\n'
    assert sys.modules.pop('written_by_a_cell').double(3) == 6


@pytest.mark.parametrize('status', [3, None, 'words'])
def test_a_notebook_that_ends_itself(status, place):
    path = notebook(place / 'a.ipynb', f'import sys\nsys.exit({status!r})', '1 / 0')
    assert run(path, place / 'cells') == {3: 3, None: 0, 'words': 1}[status]


def test_an_error_names_cell_and_line(place, capsys):
    path = notebook(place / 'a.ipynb', 'x = 1', '\ndef f(x):\n    return x / 0\n\nf(x)', 'print("not reached")')
    assert run(path, place / 'cells') == 1
    found = capsys.readouterr()
    assert found.out == ''
    assert found.err.splitlines() == [
        'Traceback (most recent call last):',
        '  File "a.ipynb, cell 2", line 5, in <module>',
        '    f(x)',
        '  File "a.ipynb, cell 2", line 3, in f',
        '    return x / 0',
        'ZeroDivisionError: division by zero',
    ]


def test_a_cell_that_is_no_python(place, capsys):
    assert run(notebook(place / 'a.ipynb', 'x = 1', 'y = (\n'), place / 'cells') == 1
    assert 'a.ipynb, cell 2' in capsys.readouterr().err


def test_a_notebook_of_python_2(place, capsys):
    """The whole notebook is translated, where fissix or lib2to3 is there."""
    pytest.importorskip('fissix' if sys.version_info >= (3, 13) else 'lib2to3')
    path = notebook(place / 'a.ipynb', 'import numpy as np\na = np.ones(2)', "print 'two', a.sum()", 'print (a).mean()')
    assert run(path, place / 'cells') == 0
    assert capsys.readouterr().out.splitlines() == ['two 2.0', '1.0']


@pytest.mark.slow
def test_a_notebook_runs_in_its_folder(tmp_path):
    """From elsewhere, with data beside it, on the engine of the command line; its pictures become files."""
    folder = tmp_path / 'ä b'
    folder.mkdir()
    (folder / 'data.txt').write_text('7')
    cells = ['import sys\nimport keras_backend as K\nK.backend(), open("data.txt").read(), sys.argv[1:]']
    if has_matplotlib():
        cells.append('import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()')
    path = notebook(folder / 'a.ipynb', *cells)
    status, out, err = python('-m', 'keras_backend', 'run', '--engine', 'numpy', path, '3', home=tmp_path, cwd=tmp_path)
    assert status == 0, err
    assert out.splitlines()[0] == "('numpy', '7', ['3'])"
    if has_matplotlib():
        assert os.listdir(str(folder / 'a_pictures')) == ['cell-2-1.png']


def has_matplotlib():
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True
