"""`run --install`: environments are made, used, listed and removed; what is in the way is said in a sentence."""

import base64
import hashlib
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import threading
import time
import zipfile

import numpy
import pytest
from processes import python
from run_command import said

from keras_backend.basics import installed
from keras_backend.programs import environments
from keras_backend.programs.environments import CannotInstall
from keras_backend.programs.run import code, installing, sizes
from keras_backend.programs.run.decision import decide

K_PROGRAM = (
    'import sys, webcolors\nimport keras_backend as K\nprint(webcolors.NAME, K.eval(K.ones((2,))), sys.argv[1:])\n'
)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The folder of all environments of a user who has none."""
    monkeypatch.setenv('KERAS_HOME', str(tmp_path / 'home'))
    monkeypatch.delenv('KERAS_BACKEND', raising=False)
    monkeypatch.chdir(str(tmp_path))
    return tmp_path / 'home' / 'keras_backend'


def complete(folder, *packages):
    """A folder that looks like an environment which is done."""
    interpreter = environments.python_of(str(folder))
    os.makedirs(os.path.dirname(interpreter))
    with open(interpreter, 'w', encoding='utf-8') as stream:
        stream.write('x' * 2000000)
    (folder / 'complete').write_text(''.join(name + '\n' for name in packages))


# -- what is there -----------------------------------------------------------------------------------------------------


def test_list_and_remove(home):
    """Environments and fetched versions of Keras are listed with their sizes, and removed by their names."""
    assert (0, f'There are no environments in {home}.', '') == said('--list')
    complete(home / 'py3.11-k-numpy', 'numpy')
    (home / 'python-3.11' / 'keras-2.2.4' / 'keras').mkdir(parents=True)
    (home / 'unfinished').mkdir()
    status, out, err = said('--list')
    assert (0, '') == (status, err)
    assert ['py3.11-k-numpy', '2', 'MB', str(home / 'py3.11-k-numpy')] == out.splitlines()[0].split()
    assert 'python-3.11/keras-2.2.4' == out.splitlines()[1].split()[0]
    status, _out, err = said('--remove', 'keras')
    assert 1 == status
    assert 'there are: py3.11-k-numpy, python-3.11/keras-2.2.4' in err
    assert (0, f'Removed {home / "py3.11-k-numpy"}.', '') == said('--remove', 'py3.11-k-numpy')
    assert ['python-3.11/keras-2.2.4'] == [environment.name for environment in environments.every()]
    assert 0 == said('--remove', 'all')[0]
    assert [] == environments.every()
    assert ['unfinished'] == [name for name in os.listdir(str(home)) if name != 'python-3.11']


def test_a_folder_of_others_is_left_alone(home, tmp_path):
    """Only an empty or new folder, or an environment, becomes one; files of the user stay."""
    (tmp_path / 'thesis').mkdir()
    (tmp_path / 'thesis' / 'chapter').write_text('years of work')
    with pytest.raises(CannotInstall, match='has other files and is no environment'):
        environments.make(str(tmp_path / 'thesis'), [environments.THIS_PYTHON], [])
    assert 'years of work' == (tmp_path / 'thesis' / 'chapter').read_text()


def test_a_folder_that_cannot_be_written(home, tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(CannotInstall, match='Set KERAS_HOME to a folder that can be written'):
        environments.make(str(tmp_path / 'file' / 'environment'), [environments.THIS_PYTHON], [])


def test_no_such_python(home, monkeypatch):
    monkeypatch.setattr(environments, 'find_python', lambda versions: '')
    monkeypatch.setenv('PATH', '')
    with pytest.raises(CannotInstall, match='It needs Python 3.1 or 3.0, and none is on PATH or in pyenv'):
        environments.make(str(home / 'a'), ['3.1', '3.0'], [])
    # What it began is no folder of the user: the next attempt removes it.
    (home / 'a').mkdir()
    (home / 'a' / 'half').write_text('')
    monkeypatch.setattr(environments, '_create_empty', lambda folder, pythons: complete(home / 'a'))
    environments.make(str(home / 'a'), ['3.1'], [])
    assert not (home / 'a' / 'half').exists()
    assert not (home / 'a.unfinished').exists()


@pytest.mark.skipif(os.name != 'posix', reason='the lock of Windows is another')
def test_two_at_once(home, monkeypatch):
    """The second process waits until the first has installed, and finds what it did."""
    complete(home / 'a')
    begun, goes_on, installs, said_lines = threading.Event(), threading.Event(), [], io.StringIO()
    # What pytest captures may lose a line that another thread writes while it is read.
    monkeypatch.setattr(sys, 'stderr', said_lines)

    def install(folder, packages, is_quiet):
        installs.append(list(packages))
        begun.set()
        goes_on.wait(20)

    monkeypatch.setattr(environments, '_install', install)
    make = [threading.Thread(target=environments.make, args=(str(home / 'a'), ['3.11'], ['numpy'])) for _ in range(2)]
    make[0].start()
    assert begun.wait(20)
    make[1].start()
    until = time.monotonic() + 20
    while 'this one waits for it' not in said_lines.getvalue() and time.monotonic() < until:
        time.sleep(0.01)
    assert 'this one waits for it' in said_lines.getvalue()
    goes_on.set()
    for thread in make:
        thread.join(20)
    assert [['numpy']] == installs
    assert ['numpy'] == environments.every()[0].packages


def test_what_cannot_be_installed(home, monkeypatch):
    """The sentence names the packages and the command."""
    complete(home / 'a')
    monkeypatch.setenv('PATH', '')
    monkeypatch.setattr(environments, '_shown', lambda command, is_quiet: 'the last line')
    monkeypatch.setattr(environments, '_for_wheels', lambda interpreter: None)
    with pytest.raises(CannotInstall, match=r'(?s)no_such could not be installed in .* -m pip install .*the last line'):
        environments.make(str(home / 'a'), ['3.11'], ['no_such'])
    assert [] == environments.every()[0].packages


def test_packages_with_markers_are_told_plainly(home, monkeypatch, capsys):
    """Progress and errors name a package and its versions; the command can be pasted as it is."""
    complete(home / 'a')
    monkeypatch.setenv('PATH', '')
    monkeypatch.setattr(environments, '_shown', lambda command, is_quiet: '')
    monkeypatch.setattr(environments, '_for_wheels', lambda interpreter: None)
    wanted = 'no_such >=2,!=2.1; python_version >= "3.6"'
    with pytest.raises(CannotInstall) as error:
        environments.make(str(home / 'a'), ['3.11'], ['numpy', wanted])
    assert f'Installing numpy, no_such>=2,!=2.1 in {home / "a"}\n' == capsys.readouterr().err
    told = str(error.value).splitlines()[0]
    assert told.startswith('numpy, no_such>=2,!=2.1 could not be installed in')
    assert [wanted] == shlex.split(told.partition('The command was: ')[2])[-1:]


# -- what is installed -------------------------------------------------------------------------------------------------

METADATA = """Metadata-Version: 2.1
Name: keras_backend
Version: 0
Requires-Dist: numpy >=1.17
Requires-Dist: Theano ==1.0.5 ; extra == "theano" and ( python_version < '3.12')
Requires-Dist: pytensor>=3.3; (python_version >= "3.12") and extra == "theano"
Requires-Dist: h5py ; extra == 'files'
"""


def test_requirements_of_an_extra(tmp_path, monkeypatch):
    """They come from the metadata of the installed package, or from the checkout."""
    folder = tmp_path / 'keras_backend-0.dist-info'
    folder.mkdir()
    (folder / 'METADATA').write_text(METADATA)
    monkeypatch.setattr(installed, '__file__', str(tmp_path / 'keras_backend' / 'basics' / 'installed.py'))
    theano = ["Theano ==1.0.5; python_version < '3.12'", 'pytensor>=3.3; python_version >= "3.12"']
    assert theano == installed.requirements('theano')
    assert ['h5py'] == installed.requirements('files')
    assert [] == installed.requirements('jax')
    shutil.rmtree(str(folder))
    assert [] == installed.requirements('theano')
    (tmp_path / 'pyproject.toml').write_text('[x]\njax = [\n    "jax >=0.4",  # the oldest\n    "b"\n]\n')
    assert ['jax >=0.4', 'b'] == installed.requirements('jax')


def test_the_engine_of_a_new_environment(home, tmp_path, monkeypatch):
    """What is installed here does not count. A program that names no engine gets TensorFlow, where there is one."""
    (tmp_path / 'a.py').write_text('from keras.layers import Dense\n')
    fresh = decide('a.py', on_new_environment=True)
    runs = sys.version_info >= (3, 10)
    assert ('keras2', 'tensorflow' if runs else 'numpy', '2.3.1') == (fresh.way, fresh.engine, fresh.keras)
    assert 'py3.11-keras-2.3.1-' + fresh.engine == installing.name_of(fresh, '3.11')
    (tmp_path / 'new.py').write_text('import tensorflow as tf\nm = tf.keras.Sequential()\n')
    assert 'py3.11-tf_keras-tensorflow' == installing.name_of(decide('new.py', engine='tensorflow'), '3.11')
    assert 'py3.11-keras-3-jax' == installing.name_of(decide('new.py', engine='jax'), '3.11')
    monkeypatch.setattr(installing, '_has_nvidia', lambda: False)
    if runs:
        assert ['numpy', 'tensorflow-cpu'] == [sizes.distribution(name) for name in installing._packages(fresh)]
    monkeypatch.setattr(installing, '_has_nvidia', lambda: True)
    if runs:
        assert ['numpy', 'tensorflow'] == [sizes.distribution(name) for name in installing._packages(fresh)]
    (tmp_path / 'b.py').write_text('import keras_backend.keras3 as K\n')
    fresh = decide('b.py', on_new_environment=True)
    assert ('import', 'tensorflow', '3.13', '3.10') == (fresh.way, fresh.engine, fresh.pythons[0], fresh.pythons[-1])
    assert 'keras' in [sizes.distribution(name) for name in installing._packages(fresh)]
    assert ['3.6'] == decide('a.py', engine='cntk').pythons
    assert '3.6' in decide('a.py', engine='numpy').pythons


@pytest.mark.parametrize(
    ('packages', 'words'),
    [
        ([], ''),
        (['webcolors'], ''),
        (['scipy'], 'about 140 MB'),
        (['scipy>=1', 'h5py'], 'about 157 MB'),
        (['/a/b[tensorflow-cpu]', 'webcolors'], 'more than 1.5 GB'),
        (['torch >=2.2; python_version >= "3.10"'], 'about 4.6 GB'),
    ],
)
def test_sizes(packages, words):
    assert words == sizes.of_packages(packages)


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['--env', 'x', 'a.py'], '--env is the environment for --install'),
        (['--save-as', 'b.ipynb', 'a.py'], '--save-as is for notebooks, and a.py is none'),
        (['--shell', 'a.py'], '--shell is for notebooks'),
        (['--save-as', 'no/b.ipynb', 'a.ipynb'], 'there is no folder'),
        (['-c'], 'no program is named'),
        (['--remove'], '--remove needs a value'),
    ],
)
def test_options_that_do_not_go_together(arguments, words, home, tmp_path):
    (tmp_path / 'a.py').write_text('import keras_backend as K\n')
    (tmp_path / 'a.ipynb').write_text(json.dumps({'cells': [{'cell_type': 'code', 'source': 'import keras_backend'}]}))
    status, out, err = said(*arguments)
    assert (2, '') == (status, out)
    assert words in err
    assert 1 == len(err.splitlines())


def test_uv_and_then_pip(home, monkeypatch):
    """uv installs where it is there. pip does it where uv fails: it may know another index."""
    complete(home / 'a')
    commands, answers = [], {'uv': 'no such package', 'ensurepip': None, 'pip': None}

    def shown(command, is_quiet):
        name = 'uv' if command[0] == 'uv' else command[2]
        commands.append(name)
        return answers[name]

    monkeypatch.setattr(environments, '_shown', shown)
    monkeypatch.setattr(environments, '_for_wheels', lambda interpreter: None)
    monkeypatch.setattr(shutil, 'which', lambda name: name)
    environments.make(str(home / 'a'), ['3.11'], ['numpy'])
    assert ['uv', 'ensurepip', 'pip'] == commands
    answers['uv'] = None
    environments.make(str(home / 'a'), ['3.11'], ['numpy', 'scipy'])
    assert ['uv'] == commands[3:]
    assert ['numpy', 'scipy'] == environments.every()[0].packages


def test_pythons_of_the_machine(home, tmp_path, monkeypatch):
    """This Python, those on PATH, those of pyenv; the first that is there, else the first that uv may bring."""
    assert sys.executable == environments.find_python(['3.0', environments.THIS_PYTHON])
    monkeypatch.setenv('PATH', '')
    monkeypatch.setenv('PYENV_ROOT', str(tmp_path / 'pyenv'))
    assert '' == environments.find_python(['3.0', '3.1'])
    assert '3.0' == environments.first_there(['3.0', '3.1'])
    if os.name == 'posix':
        bin_of_pyenv = tmp_path / 'pyenv' / 'versions' / '3.1.5' / 'bin'
        bin_of_pyenv.mkdir(parents=True)
        os.symlink(sys.executable, str(bin_of_pyenv / 'python'))
        assert str(bin_of_pyenv / 'python') == environments.find_python(['3.0', '3.1'])
        assert '3.1' == environments.first_there(['3.0', '3.1'])


def test_the_environment_is_asked_until_nothing_is_missing(home, tmp_path, monkeypatch):
    """What the program lacks there is installed, and the command to run is that of the environment."""
    (tmp_path / 'a.py').write_text('import keras_backend as K\n')
    decision = decide('a.py', engine='numpy', on_new_environment=True)
    made = []
    monkeypatch.setattr(environments, 'make', lambda folder, pythons, packages: made.append(packages) or 'python there')
    answers = [{'refused': '', 'missing': ['scipy']}, {'refused': '', 'missing': []}]
    monkeypatch.setattr(installing, '_asked', lambda interpreter, options: answers.pop(0))
    assert ['python there', '-m', 'keras_backend', 'run', 'a.py'] == installing.prepare(decision, ['a.py'])
    assert [['numpy'], ['scipy']] == made
    answers[:] = [{'refused': '', 'missing': ['scipy']}] * 5
    with pytest.raises(CannotInstall, match='scipy is installed in .*k-numpy, and still cannot be imported there'):
        installing.prepare(decision, ['a.py'])
    answers[:] = [{'refused': 'It is written in Python 2', 'missing': []}]
    with pytest.raises(CannotInstall, match='It is written in Python 2'):
        installing.prepare(decision, ['a.py'])


@pytest.mark.slow
def test_another_process_finds_this_package_alone(home, tmp_path):
    """The environment is asked by `run --check --json`, in a process that has this package on its path."""
    (tmp_path / 'a.py').write_text('import keras_backend as K\n')
    answer = installing._asked(sys.executable, ['--engine', 'numpy', 'a.py'])
    assert ('import', 'numpy', '', []) == (answer['way'], answer['engine'], answer['refused'], answer['missing'])
    (folder,) = [name for name in os.listdir(str(home)) if name.startswith('package-')]
    assert ['keras_backend'] == os.listdir(str(home / folder))
    assert installing.variables()['PYTHONPATH'].startswith(str(home / folder))
    with pytest.raises(CannotInstall, match='cannot say what the program lacks'):
        installing._asked(sys.executable, ['missing.py'])


def test_code_of_the_command_line(home, monkeypatch, capsys):
    """It runs as `python -c` does: its name, its arguments, and errors without a file of ours."""
    monkeypatch.setattr(sys, 'argv', ['run'])
    monkeypatch.setattr(sys, 'path', list(sys.path))
    code.main(['import sys\nprint(__name__, sys.argv, sys.path[0])', 'a'])
    assert "__main__ ['-c', 'a'] \n" == capsys.readouterr().out
    found = decide('', code='from keras.layers import Dense\n')
    assert ['-m', 'keras_backend.programs.run.code', 'from keras.layers import Dense\n'] == found.command[-3:]


@pytest.mark.slow
def test_code_of_the_command_line_in_a_process(home):
    """What is decided comes first, and what the code prints is all that is printed."""
    status, out, err = python(
        '-m', 'keras_backend', 'run', '-c', 'import keras_backend, sys; print(sys.argv)', 'b', home=home
    )
    assert (0, "['-c', 'b']") == (status, out.strip())
    assert err.startswith('The code: K of keras_backend (-c:1: keras_backend).')


# -- really installed --------------------------------------------------------------------------------------------------


def wheel(folder, name, version, files):
    """Write a wheel. files: a dict of path -> bytes, without the metadata."""
    info = f'{name}-{version}.dist-info'
    files = {
        **files,
        f'{info}/METADATA': f'Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n'.encode(),
        f'{info}/WHEEL': b'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    }
    rows = [
        f'{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()},{len(data)}'
        for path, data in files.items()
    ]
    with zipfile.ZipFile(str(folder / f'{name}-{version}-py3-none-any.whl'), 'w') as archive:
        for path, data in files.items():
            archive.writestr(path, data)
        archive.writestr(f'{info}/RECORD', '\n'.join([*rows, f'{info}/RECORD,,', '']))


def installed_numpy():
    """The files of the NumPy that is here, for a wheel."""
    folder = os.path.dirname(os.path.dirname(numpy.__file__))
    files = {}
    for top in ('numpy', 'numpy.libs'):
        for place, _, names in os.walk(os.path.join(folder, top)):
            for name in names:
                path = os.path.join(place, name)
                if not name.endswith('.pyc') and 'tests' not in place.split(os.sep):
                    with open(path, 'rb') as stream:
                        files[os.path.relpath(path, folder).replace(os.sep, '/')] = stream.read()
    return files


@pytest.mark.slow
def test_install(tmp_path):
    """A program whose library is not here gets an environment, and runs there; the second start installs nothing."""
    shop = tmp_path / 'shop'
    shop.mkdir()
    wheel(shop, 'numpy', numpy.__version__, installed_numpy())
    wheel(shop, 'webcolors', '1', {'webcolors.py': b"NAME = 'green'\n"})
    (tmp_path / 'train.py').write_text(K_PROGRAM)
    # pip alone, and no other index than the folder.
    variables = {
        'PIP_NO_INDEX': '1',
        'PIP_FIND_LINKS': str(shop),
        'PIP_CONFIG_FILE': os.devnull,
        'PIP_CONSTRAINT': None,
    }
    options = {'home': tmp_path / 'home', 'cwd': tmp_path, 'PATH': os.defpath, **variables}
    status, out, err = python('-m', 'keras_backend', 'run', 'train.py', **options)
    assert (1, '') == (status, out)
    assert 'Missing here; type: ' in err
    assert 'webcolors' in err
    for arguments in (['7'], ['8', '--engine']):
        status, out, err = python('-m', 'keras_backend', 'run', '--install', 'train.py', *arguments, **options)
        assert 0 == status, err
        assert f'green [1. 1.] {arguments}' == out.strip()
        assert ('7' in arguments) == ('Installing webcolors in ' in err)
    name = f'py{environments.THIS_PYTHON}-k-numpy'
    status, out, err = python('-m', 'keras_backend', 'run', '--list', **options)
    assert name == out.split()[0]
    # Nothing else of what is installed here is seen there.
    interpreter = environments.python_of(str(tmp_path / 'home' / 'keras_backend' / name))
    assert 1 == subprocess.run([interpreter, '-c', 'import pytest'], stderr=subprocess.DEVNULL).returncode
    # A package that nobody has is told, and the environment goes on working.
    (tmp_path / 'other.py').write_text('import tifffile\n' + K_PROGRAM)
    status, out, err = python('-m', 'keras_backend', 'run', '--install', 'other.py', **options)
    assert (1, '') == (status, out)
    assert 'tifffile could not be installed in' in err.splitlines()[-2] + err.splitlines()[-1]
    assert 'Traceback' not in err
    assert 0 == python('-m', 'keras_backend', 'run', '--install', 'train.py', **options)[0]
