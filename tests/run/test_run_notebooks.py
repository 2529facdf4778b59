"""Notebooks run cell by cell: magics, the value of a cell, files, errors with cell and line, Python 2."""

import base64
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


def test_the_folder_of_a_notebook(place, capsys, monkeypatch):
    """`%cd` goes into a folder, and a folder that is not there is told, as in a notebook."""
    monkeypatch.chdir(str(place))
    (place / 'data').mkdir()
    (place / 'data' / 'a.txt').write_text('text')
    cells = ["name = 'data'", '%cd {name}', "open('a.txt').read()", '%cd "/content/no such folder"\n1']
    assert run(notebook(place / 'n.ipynb', *cells), place) == 0
    told = capsys.readouterr()
    assert "'text'" in told.out
    assert '%cd "/content/no such folder": No such file or directory; the notebook stays in ' in told.err


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


# -- --shell and --save-as ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('text', 'code'),
    [
        ('!ls -l', "_run_in_shell('ls -l', is_quiet=False)"),
        ('files = !ls', "files = _run_in_shell('ls', is_quiet=True)"),
        ('if x:\n    !ls', "if x:\n    _run_in_shell('ls', is_quiet=False)"),
        ('%%bash\nls\n', "_run_in_shell('ls\\n', 'bash')"),
        ("x = '''\n!ls\n'''", "x = '''\n!ls\n'''"),
    ],
)
def test_lines_of_a_shell(text, code):
    assert (code, ('', ''), []) == cell(text, runs_shell=True)


def test_a_command_that_goes_on_is_left_out():
    assert ('pass\n\nx', ['!ls \\', '-l']) == cell('!ls \\\n  -l\nx', runs_shell=True)[::2]


@pytest.mark.skipif(os.name != 'posix', reason='the commands are those of POSIX')
def test_the_shell_of_a_notebook(place, capsys):
    """`!` lines see the variables of the notebook; their lines are shown, or taken by an assignment."""
    path = notebook(
        place / 'a.ipynb',
        "word = 'hello'\n!echo {word} $word $HOME_OF_NOBODY {no}",
        'x = !echo a; echo b\nx',
        '%%sh\necho c',
    )
    (place / 'cells').mkdir()
    assert Notebook(path, str(place / 'cells'), runs_shell=True).run() == 0
    assert ['hello hello {no}', "['a', 'b']", 'c'] == capsys.readouterr().out.splitlines()


def test_save_as(place, capsys):
    """What cells print, show and draw, and the error at the end, are in the notebook that is written."""
    path = notebook(
        place / 'a.ipynb',
        "import sys\nprint('one')\nprint('two')\nsys.stderr.write('bad')\n3",
        "display('shown', 4)",
        '',
        'x = 1',
        "{}['key']",
        'never',
    )
    (place / 'cells').mkdir()
    saved = place / 'saved.ipynb'
    assert Notebook(path, str(place / 'cells'), str(saved)).run() == 1
    printed = capsys.readouterr()
    assert ['one', 'two', '3', 'shown', '4'] == printed.out.splitlines()
    assert printed.err.endswith("KeyError: 'key'\n")
    book = json.loads(saved.read_text(encoding='utf-8'))
    words, first, shown, empty, quiet, failed, never = book['cells']
    assert {'cell_type': 'markdown', 'source': 'words'} == words
    streams = [(output['name'], ''.join(output['text'])) for output in first['outputs'][:2]]
    assert [('stdout', 'one\ntwo\n'), ('stderr', 'bad')] == streams
    assert ('execute_result', {'text/plain': '3'}) == (first['outputs'][2]['output_type'], first['outputs'][2]['data'])
    assert 1 == first['execution_count'] == first['outputs'][2]['execution_count']
    assert ['shown', '4'] == [output['data']['text/plain'] for output in shown['outputs']]
    assert [[], [], []] == [cell['outputs'] for cell in (empty, quiet, never)]
    assert None is never['execution_count']
    error = failed['outputs'][0]
    assert ('error', 'KeyError', "'key'") == (error['output_type'], error['ename'], error['evalue'])
    assert 'a.ipynb, cell 5' in '\n'.join(error['traceback'])
    assert 'cells' in json.loads(open(path, encoding='utf-8').read())


def test_pictures_are_saved_in_the_notebook(place, monkeypatch):
    """A picture is an output. A stand-in for Matplotlib writes the file."""
    png = b'\x89PNG of a test'
    code = (
        'import sys, types\n'
        'class Figure:\n    def savefig(self, path):\n'
        f'        with open(path, "wb") as stream:\n            stream.write({png!r})\n'
        'plt = types.ModuleType("matplotlib.pyplot")\n'
        'plt.get_fignums, plt.figure, plt.close = lambda: [1], lambda number: Figure(), lambda figure: None\n'
        'sys.modules["matplotlib.pyplot"] = plt\n'
    )
    monkeypatch.setenv('MPLBACKEND', 'Agg')
    monkeypatch.setitem(sys.modules, 'matplotlib.pyplot', None)
    (place / 'cells').mkdir()
    saved = place / 'saved.ipynb'
    assert Notebook(notebook(place / 'a.ipynb', code), str(place / 'cells'), str(saved)).run() == 0
    outputs = json.loads(saved.read_text(encoding='utf-8'))['cells'][1]['outputs']
    assert png == base64.b64decode(outputs[-1]['data']['image/png'])
    assert 'a_pictures' in ''.join(outputs[0]['text'])


def test_a_notebook_of_format_3_is_saved_in_format_4(place):
    cells = [
        {'cell_type': 'heading', 'level': 2, 'source': ['T']},
        {'cell_type': 'code', 'input': ['1 + 1'], 'outputs': []},
    ]
    path = place / 'old.ipynb'
    path.write_text(json.dumps({'worksheets': [{'cells': cells}], 'nbformat': 3, 'metadata': {'name': 'x'}}))
    (place / 'cells').mkdir()
    saved = place / 'saved.ipynb'
    assert Notebook(str(path), str(place / 'cells'), str(saved)).run() == 0
    book = json.loads(saved.read_text())
    assert (4, '## T') == (book['nbformat'], book['cells'][0]['source'])
    assert (['1 + 1'], '2') == (book['cells'][1]['source'], book['cells'][1]['outputs'][0]['data']['text/plain'])
    nbformat = pytest.importorskip('nbformat')
    nbformat.validate(nbformat.from_dict(book))


def test_magics_of_ipython(place, capsys):
    """Where IPython is there, it carries out its magics with the variables of the notebook."""
    pytest.importorskip('IPython')
    path = notebook(place / 'a.ipynb', 'x = 5\n%who_ls int', "folder = %pwd\nfolder[-1:] != ''", '%no_such_magic')
    assert run(path, place / 'cells') == 0
    printed = capsys.readouterr()
    assert ["['x']", 'True'] == printed.out.splitlines()
    assert printed.err == 'cell 3: %no_such_magic is not run\n'
