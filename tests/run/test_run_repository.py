"""`run` of a program in its repository: folders with several files, and modules that lie elsewhere in it."""

import json
import os

import pytest
from processes import python
from run_command import few_libraries, said

from keras_backend.programs.launcher.check import own_folders, translation
from keras_backend.programs.run.decision import decide
from keras_backend.programs.run.entry import CannotRun

PROGRAM = 'from keras.layers import Dense\nDense(3)\n'


@pytest.fixture
def write(monkeypatch, tmp_path):
    """Writes files into the folder of the process. Of libraries, NumPy and what Keras needs are here."""
    few_libraries(monkeypatch, tmp_path / 'home')
    monkeypatch.delenv('PYTHONPATH', raising=False)
    monkeypatch.chdir(str(tmp_path))

    def put(**files):
        for name, text in files.items():
            path = tmp_path / f'{name}.py'
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return put


@pytest.mark.parametrize(
    ('files', 'started'),
    [
        ({'setup': '', 'conftest': '', 'test_net': '', '__init__': '', 'digits': PROGRAM}, 'digits.py'),
        ({'net': PROGRAM, 'digits': 'import net\n'}, 'digits.py'),
        (
            {'net': PROGRAM, 'digits': 'from .net import f\nif __name__ == "__main__":\n    f()\n', 'old': ''},
            'digits.py',
        ),
        ({'main': 'import train\n', 'train': PROGRAM}, 'main.py'),
        ({'train': PROGRAM, 'predict': PROGRAM}, 'train.py'),
        ({'setup': 'import keras\n'}, 'setup.py'),
    ],
)
def test_the_file_that_a_folder_starts(files, started, write):
    """What belongs to the tools of a repository is no program, and neither is what another file imports."""
    write(**{f'nets/{name}': text for name, text in files.items()})
    assert os.path.join('nets', started) == decide('nets').path


def test_a_folder_with_two_programs(write):
    """Two files that nothing tells apart are named."""
    write(**{'nets/digits': PROGRAM, 'nets/letters': PROGRAM, 'nets/model': PROGRAM, 'nets/setup': ''})
    with pytest.raises(CannotRun, match=r"The folder 'nets' has digits\.py, letters\.py, model\.py; give the one"):
        decide('nets')


@pytest.mark.parametrize('package', ['src/nets', 'nets', 'lib/deep/nets'])
def test_modules_elsewhere_in_the_repository(package, write, tmp_path):
    """A package that is to be installed first is found, read, and put on the path of the program; the line says so."""
    write(
        **{
            'repo/setup': '',
            f'repo/{package}/__init__': '',
            f'repo/{package}/model': 'import seaborn\n' + PROGRAM,
            'repo/examples/digits/train': 'from nets.model import Dense\nimport keras\n',
        }
    )
    found = decide(os.path.join('repo', 'examples', 'digits', 'train.py'))
    if package == 'lib/deep/nets':  # two folders down: nobody would guess it
        assert (['nets'], []) == (found.unknown, found.folders)
        return
    assert ([], ['seaborn']) == (found.unknown, found.missing)
    folder = os.path.dirname(str(tmp_path / 'repo' / package))
    assert [folder] == list(found.folders)
    assert folder == found.variables()['PYTHONPATH']
    _status, out, _err = said('--check', found.path)
    assert f'Modules of its own lie in {folder}.' in out
    _status, out, _err = said('--check', '--json', found.path)
    assert [folder] == json.loads(out)['folders']


def test_a_program_that_says_where_its_modules_are(write):
    """With sys.path in the program, its modules are read all the same, and the path stays its own."""
    write(
        **{
            'src/nets/model': 'import seaborn\n',
            'scripts/train': 'import sys\nsys.path.append("../src")\nimport nets.model\n' + PROGRAM,
        }
    )
    found = decide(os.path.join('scripts', 'train.py'))
    assert ([], ['seaborn'], []) == (found.unknown, found.missing, found.folders)
    assert 'PYTHONPATH' not in found.variables()


def test_what_is_no_module_elsewhere(write):
    """Libraries, guarded imports, modules beside the program, and folders without Python are not looked for."""
    write(**{'nets/helper': '', 'scripts/nets': '', 'pandas/x': '', 'more/x': '', 'keras/x': '', 'empty/y/x': ''})
    names = ['nets.helper', 'pandas', 'keras.layers', 'os.path', 'numpy', 'empty', 'there_is_none']
    assert {} == own_folders.elsewhere(names, 'scripts')
    assert {'more': os.getcwd()} == own_folders.elsewhere(['more.x'], 'scripts')
    write(**{'scripts/train': 'try:\n    import more.x\nexcept ImportError:\n    pass\n' + PROGRAM})
    assert [] == decide(os.path.join('scripts', 'train.py')).folders


def test_a_program_with_modules_elsewhere_runs(tmp_path):
    """The modules are found at run time, from any folder."""
    for name, text in {
        'setup.py': '',
        'src/nets/__init__.py': 'f = 3\n',
        'a folder/train.py': 'import keras_backend as K\nfrom nets import f\nprint(K.backend(), f)\n',
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    program = str(tmp_path / 'a folder' / 'train.py')
    status, out, err = python('-m', 'keras_backend', 'run', program, home=tmp_path / 'home', backend='numpy')
    assert (0, 'numpy 3') == (status, out.strip()), err


def test_json_without_check(write):
    """`--json` says how a program would run: without --check it would run it, and print no JSON."""
    write(train=PROGRAM)
    status, _out, err = said('--json', 'train.py')
    assert (2, 'python -m keras_backend run: --json says how a program would run; give --check, too.') == (status, err)


OF_NUMPY = 'import sys\nimport numpy as np\nprint(np.ones(2, np.float).sum(), sys.argv[1:], __name__)\n'


@pytest.mark.parametrize('program', ['script', 'module', 'code', 'notebook'])
def test_a_program_without_keras_has_its_libraries(program, tmp_path):
    """A script that prepares data has the names of NumPy of its time, however it is started; the line says so."""
    (tmp_path / 'prepare.py').write_text(OF_NUMPY)
    cells = [{'cell_type': 'code', 'source': OF_NUMPY, 'metadata': {}, 'outputs': []}]
    (tmp_path / 'book.ipynb').write_text(json.dumps({'nbformat': 4, 'metadata': {}, 'cells': cells}))
    words = {
        'script': ['prepare.py'],
        'module': ['-m', 'prepare'],
        'code': ['-c', OF_NUMPY],
        'notebook': ['book.ipynb'],
    }[program]
    arguments = ['-m', 'keras_backend', 'run', *words, 'a b']
    status, out, err = python(*arguments, home=tmp_path / 'home', backend='numpy', cwd=str(tmp_path))
    assert (0, "2.0 ['a b'] __main__") == (status, out.strip()), err
    assert 'no Keras. It runs in Python, with the old names of NumPy and other libraries.' in err


@pytest.mark.skipif(not translation.tool(), reason='Python 3.13 has no lib2to3, and fissix is not here')
def test_a_program_of_python_2_without_keras(tmp_path):
    """It is translated, and its exit status is its own."""
    (tmp_path / 'prepare.py').write_text('import sys\nprint 7 / 2, sys.argv[1]\nsys.exit(4)\n')
    arguments = ['-m', 'keras_backend', 'run', 'prepare.py', 'x']
    status, out, err = python(*arguments, home=tmp_path / 'home', backend='numpy', cwd=str(tmp_path))
    assert (4, '3 x') == (status, out.strip()), err


@pytest.mark.parametrize(
    ('text', 'way', 'kind'),
    [
        (
            'import tensorflow as tf\nwith tf.Session() as s:\n    print(s.run(tf.constant(3)))\n',
            'keras2',
            'TensorFlow 1',
        ),
        ('import tensorflow as tf\nx = tf.Variable(3.)\ng = tf.Graph()\n', 'import', 'no Keras'),
        ('import tensorflow.compat.v1 as tf\ns = tf.Session()\n', 'import', 'no Keras'),
    ],
)
def test_a_program_of_tensorflow_without_keras(text, way, kind, write):
    """The launcher of Keras 2 gives the names of TensorFlow 1; what runs on TensorFlow 2 needs no launcher."""
    write(train=text)
    found = decide('train.py')
    assert (way, kind, 'tensorflow') == (found.way, found.kind, found.engine)
    assert any('tensorflow' in name for name in found.missing)


def test_check_with_a_module_that_nothing_knows(write):
    """What the program imports and nobody can name for pip stops it: the verdict is no."""
    write(train='import mynets\n' + PROGRAM)
    status, out, _err = said('--check', 'train.py')
    assert 1 == status
    assert 'It imports mynets, not found here' in out
    assert out.endswith('Nothing else is known that would stop it.')
    assert (1, ['mynets']) == (said('--check', '--json', 'train.py')[0], decide('train.py').unknown)
    write(mynets='')
    status, out, _err = said('--check', 'train.py')
    assert (0, 'Nothing is known that would stop it.') == (status, out.splitlines()[-1])
