"""`python -m keras_backend`: the report, `use`, and `check`."""

import json
import os
import re
import stat
import subprocess
import sys
import types

import numpy as np
import pytest
from processes import environment, python, run

from keras_backend import __main__ as command
from keras_backend import __version__, loader
from keras_backend.basics import installed
from keras_backend.commands import report
from keras_backend.commands.devices import Devices
from keras_backend.engines.table import ENGINES
from keras_backend.errors import EngineImportFailed

USED = 'the environment variable KERAS_BACKEND'


@pytest.fixture
def tell(home, capsys, monkeypatch):
    """Runs the command in this process; returns (status, stdout, stderr)."""

    # Each question starts a process. Tests of it ask for themselves.
    monkeypatch.setattr(report.devices, 'ask', lambda engine, source: Devices('a device', 'some threads'))

    def tell(*arguments):
        capsys.readouterr()
        try:
            status = command.main(list(arguments))
        except SystemExit as stop:
            status = stop.code
        out, err = capsys.readouterr()
        return status, out, err

    return tell


def rows(out):
    """The lines of a report, with single blanks."""
    return [' '.join(line.split()) for line in out.splitlines()]


# -- the report --------------------------------------------------------------------------------------------------------


def test_report(write, tell, monkeypatch):
    """The report says which engine would run, each setting with its source, and what is installed."""
    path = write({'backend': 'theano', 'epsilon': 1e-05})
    monkeypatch.setenv('KERAS_BACKEND', 'numpy')
    status, out, err = tell()
    told = rows(out)
    assert (0, '') == (status, err)
    version = '.'.join(str(part) for part in sys.version_info[:3])
    assert f'keras_backend {__version__} on Python {version}' == told[0].rstrip('+')
    for row in [
        f'`import keras_backend` would use the numpy engine ({USED}).',
        'backend numpy ' + USED,
        f'overruled: theano, {path}, line 2',
        f'epsilon 1e-05 {path}, line 3',
        'floatx float32 default',
        'image_data_format channels_last default',
        f'file: {path}',
        f'numpy NumPy {np.__version__}',
    ]:
        assert row in told


def test_report_writes_nothing(home, tell, monkeypatch):
    """A report on an empty home says so and leaves it empty."""
    monkeypatch.setenv('KERAS_BACKEND', 'numpy')
    status, out, _err = tell()
    assert 0 == status
    assert f'file: {home / "keras.json"} (not there; `use` makes it)' in rows(out)
    assert [] == os.listdir(str(home))


@pytest.mark.parametrize(
    ('content', 'words'),
    [
        ({'backend': 'tensorfow'}, ["no 'tensorfow' on sys.path"]),
        ({'backend': 'my_absent.engine'}, ["is the module my_absent.engine, but there is no 'my_absent' on sys.path"]),
        ({'backend': 'openvino'}, ['engine of Keras 3']),
        ({'backend': ''}, ["backend is '', but it must be"]),
        ({'backend': 'numpy', 'floatx': 'float31', 'epsilon': 'tiny'}, ["'float31'", 'line 3', "'tiny'", 'line 4']),
        ('{"backend"', ['not valid JSON']),
        ('[]', ['a list']),
    ],
)
def test_report_of_problems(write, tell, content, words):
    """Everything that would stop the import is told at once, and the status is 1."""
    path = write(content)
    status, out, _err = tell()
    assert 1 == status
    assert '`import keras_backend` would fail:' in out
    assert str(path) in out
    for word in words:
        assert word in out


def test_report_of_remarks(write, tell):
    """What is probably a mistake is told, and is no failure."""
    path = write(
        {'backend': 'numpy', 'floatX': 'float64', 'image_data_format': 'channels_last', 'image_dim_ordering': 'th'}
    )
    status, out, _err = tell()
    assert 0 == status
    assert f"Remark: {path}, line 3: the key 'floatX' is unknown and was ignored; did you mean 'floatx'?" in out
    assert f"Remark: {path}, line 5: image_dim_ordering is 'th' and was ignored" in out


@pytest.mark.skipif(os.name != 'posix', reason='needs permissions')
def test_report_of_distrust(write, tell, monkeypatch):
    """A module named where others may write is a problem; the same module named by the variable is none."""
    write({'backend': 'json.decoder'}).chmod(0o666)
    status, out, _err = tell()
    assert 1 == status
    assert 'others may write the file' in out
    monkeypatch.setenv('KERAS_BACKEND', 'json.decoder')
    assert 0 == tell()[0]


def test_states_of_engines(monkeypatch):
    """An engine is absent from this version, installed with its version, to be installed, or not for this Python."""
    monkeypatch.setattr(loader, 'is_built', lambda name: name != 'theano')
    monkeypatch.setattr(installed, 'spec', lambda module: types.SimpleNamespace() if module == 'tensorflow' else None)
    monkeypatch.setattr(installed, 'version', lambda names: '2.16.2' if 'tensorflow' in names else None)
    monkeypatch.setattr(report.sys, 'version_info', (3, 6, 15, 'final', 0))
    assert 'not in this version of keras_backend' == report.state('theano')
    assert 'TensorFlow 2.16.2' == report.state('tensorflow')
    assert f'not installed; type: pip install "{installed.requirement("cntk")}"' == report.state('cntk')
    monkeypatch.setattr(report.sys, 'version_info', (3, 11, 7, 'final', 0))
    assert 'not installed; CNTK needs Python 3.6' == report.state('cntk')


@pytest.mark.parametrize('fails', [False, True])
def test_what_a_library_needs_of_the_system(home, tell, monkeypatch, fails):
    """The report tells what an installed library was given of the system; where there is nothing, that is a problem."""

    def provide():
        if fails:
            raise EngineImportFailed('libneeded.so is nowhere; install it.', 'numpy')
        return 'libneeded.so 5'

    monkeypatch.setitem(sys.modules, 'needs_of_numpy', types.SimpleNamespace(provide=provide))
    library = ENGINES['numpy'].libraries[0]._replace(system='needs_of_numpy.provide')
    monkeypatch.setitem(ENGINES, 'numpy', ENGINES['numpy']._replace(libraries=(library,)))
    monkeypatch.setenv('KERAS_BACKEND', 'numpy')
    status, out, _err = tell()
    would, engines = out.split('Engines')
    assert fails == status
    assert ('libneeded.so is nowhere; install it.' in would) == fails
    assert ('; libneeded.so is nowhere; install it.' if fails else '; libneeded.so 5') in engines


def test_library_is_missing(home, tell, monkeypatch):
    """A built-in engine without its library is a problem, with what to type."""
    monkeypatch.setenv('KERAS_BACKEND', 'tensorflow')
    monkeypatch.setattr(loader, 'is_built', lambda name: True)
    monkeypatch.setattr(installed, 'spec', lambda module: None)
    status, out, _err = tell()
    assert 1 == status
    assert f'TensorFlow is not installed in {sys.prefix}' in out


def test_entry_points_are_listed(home, tell, tmp_path, monkeypatch):
    """Engines that other packages bring are listed with module, package and version."""
    folder = tmp_path / 'site' / 'my_dist-2.5.dist-info'
    folder.mkdir(parents=True)
    (folder / 'entry_points.txt').write_text('[keras_backend.engines]\nmine = json.decoder\n')
    (folder / 'METADATA').write_text('Metadata-Version: 2.1\nName: my_dist\nVersion: 2.5\n')
    monkeypatch.syspath_prepend(str(folder.parent))
    monkeypatch.setenv('KERAS_BACKEND', 'mine')
    status, out, _err = tell()
    assert 0 == status
    assert 'mine json.decoder, of my_dist 2.5' in rows(out)


def test_names_that_the_terminal_cannot_show(tmp_path):
    """A report prints on a terminal that knows ASCII only."""
    home = tmp_path / 'h\u00e4user'
    status, out, err = python('-m', 'keras_backend', home=home, backend='numpy', PYTHONIOENCODING='ascii')
    assert (0, '') == (status, err)
    assert 'file: ' in out


# -- what an engine runs on ------------------------------------------------------------------------------------------


def test_engine_that_cannot_be_imported(tmp_path, home, monkeypatch, capsys):
    """A library that is there, but fails when it is imported, is a problem. The report tells its words."""
    broken = tmp_path / 'site' / 'jax'
    broken.mkdir(parents=True)
    (broken / '__init__.py').write_text('raise ImportError("libmissing.so: cannot open shared object file")')
    status, out, _err = python('-m', 'keras_backend', home=home, backend='jax', path=[broken.parent])
    assert 1 == status
    assert '`import keras_backend` would fail:' in out
    assert 'libmissing.so: cannot open shared object file' in out
    (broken / '__init__.py').write_text('import os; os._exit(7)')
    status, out, _err = python('-m', 'keras_backend', home=home, backend='jax', path=[broken.parent])
    assert 1 == status
    assert 'The import of the jax engine ended the process (status 7)' in out


@pytest.mark.parametrize(
    ('name', 'variable'), [('openblas', 'OPENBLAS_NUM_THREADS'), ('mkl-sdl', 'MKL_NUM_THREADS'), ('some', None)]
)
def test_threads_of_blas(monkeypatch, name, variable):
    """The variable of a BLAS comes before OMP_NUM_THREADS, and that before the number of processors."""
    blas = sys.modules['keras_backend.commands.devices']
    monkeypatch.setattr(blas, '_blas_name', lambda numpy: name)
    monkeypatch.setattr(blas, 'processors', lambda: 12)
    for other in 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS', 'OMP_NUM_THREADS':
        monkeypatch.delenv(other, raising=False)
    assert f'{np.__version__} with {name}; threads: up to 12' == blas.blas()
    monkeypatch.setenv('OMP_NUM_THREADS', '4')
    assert blas.blas().endswith('threads: 4 (OMP_NUM_THREADS)')
    if variable:
        monkeypatch.setenv(variable, '3')
        assert blas.blas().endswith(f'threads: 3 ({variable})')


# -- use ---------------------------------------------------------------------------------------------------------------


def test_use_on_an_empty_home(home, tell):
    """On an empty home the file is made with the defaults and the engine."""
    status, out, err = tell('use', 'NumPy')
    assert (0, '') == (status, err)
    told = out.splitlines()
    assert f'{home / "keras.json"}: "keras_backend" is now "numpy".' == told[0]
    assert 'Keras itself, which reads the same file, goes on with "backend": "tensorflow".' == told[1]
    made = json.loads((home / 'keras.json').read_text())
    defaults = {'image_data_format': 'channels_last', 'epsilon': 1e-07, 'floatx': 'float32', 'backend': 'tensorflow'}
    assert dict(defaults, keras_backend='numpy') == made
    assert ['keras.json'] == os.listdir(str(home))


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        (
            '{\n\t"mine" : [1,2],\n\t"keras_backend" :"theano"  ,\n "floatx": "float64"}',
            '{\n\t"mine" : [1,2],\n\t"keras_backend" :"numpy"  ,\n "floatx": "float64"}',
        ),
        ('{"backend": "jax"}', '{\n    "keras_backend": "numpy","backend": "jax"}'),
        ('{}', '{\n    "keras_backend": "numpy"\n}'),
        ('{\r\n  "floatx": "float16"\r\n}\r\n', '{\r\n    "keras_backend": "numpy",\r\n  "floatx": "float16"\r\n}\r\n'),
        (
            '{"keras_backend": "cntk", "x": {"keras_backend": 1}, "keras_backend": null}',
            '{"keras_backend": "cntk", "x": {"keras_backend": 1}, "keras_backend": "numpy"}',
        ),
        (
            '\ufeff{"keras_backend": "", "Gr\u00f6\u00dfe": "\u5bb6 \\u5bb6"}',
            '\ufeff{"keras_backend": "numpy", "Gr\u00f6\u00dfe": "\u5bb6 \\u5bb6"}',
        ),
    ],
)
def test_use_changes_one_value(write, tell, before, after):
    """`use` changes the value of the engine and no other byte, whatever the layout."""
    path = write(before)
    assert 0 == tell('use', 'numpy')[0]
    assert after.encode('utf-8') == path.read_bytes()


def test_use_keeps_permissions_and_links(write, tell, tmp_path):
    """The file keeps its permissions, and a link to a file elsewhere stays a link."""
    path = write({'backend': 'theano'})
    elsewhere = tmp_path / 'elsewhere.json'
    path.rename(elsewhere)
    elsewhere.chmod(0o600)
    path.symlink_to(elsewhere)
    assert 0 == tell('use', 'numpy')[0]
    assert path.is_symlink()
    assert {'backend': 'theano', 'keras_backend': 'numpy'} == json.loads(elsewhere.read_text())
    assert 0o600 == stat.S_IMODE(elsewhere.stat().st_mode)


@pytest.mark.parametrize('content', ['{"backend": "theano"', '', '[]', b'{"backend": "\xff"}'])
def test_use_refuses_broken_files(write, tell, content):
    """A file that is not understood is not touched."""
    path = write(content)
    before = path.read_bytes()
    status, out, err = tell('use', 'numpy')
    assert 2 == status
    assert err.startswith(str(path))
    assert '' == out
    assert before == path.read_bytes()


@pytest.mark.parametrize(
    ('engine', 'words'),
    [
        ('tensorfow', "Did you mean 'tensorflow'?"),
        ('my_absent.engine', 'there is no such module'),
        ('', 'must be'),
        ('keras_backend', 'keras_backend itself'),
        ('openvino', 'engine of Keras 3'),
        ('a b', 'dotted name of a module'),
    ],
)
def test_use_refuses_unknown_engines(write, tell, engine, words):
    """An engine that does not exist is not written down."""
    path = write({'backend': 'numpy'})
    before = path.read_bytes()
    status, out, err = tell('use', engine)
    assert 2 == status
    assert words in err
    assert '' == out
    assert before == path.read_bytes()


def test_use_of_a_module(write, tell):
    """A module that exists can be chosen, and is not written where others may write."""
    path = write({'backend': 'numpy'})
    assert 0 == tell('use', 'json.decoder')[0]
    assert {'backend': 'numpy', 'keras_backend': 'json.decoder'} == json.loads(path.read_text())
    path.chmod(0o666)
    status, _out, err = tell('use', 'json.encoder')
    assert 2 == status
    assert 'others may write the file' in err
    assert 'json.decoder' == json.loads(path.read_text())['keras_backend']


def test_use_refuses_what_is_not_installed(home, tell, monkeypatch):
    """An engine whose library is absent is refused, with what to type; --force writes it all the same."""
    monkeypatch.setattr(loader, 'has_library', lambda name: name == 'numpy')
    monkeypatch.setattr(
        installed, 'spec', lambda module: None if module == 'torch' else types.SimpleNamespace(has_location=True)
    )
    status, out, err = tell('use', 'torch')
    assert (1, '') == (status, out)
    assert [] == os.listdir(str(home))
    assert f'PyTorch is not installed in {sys.prefix}' in err
    assert 'an engine whose library is here (numpy): KERAS_BACKEND=numpy. ' in err
    assert err.endswith('To write the choice all the same, type: python -m keras_backend use torch --force\n')
    status, out, err = tell('use', 'torch', '--force')
    assert (0, '') == (status, err)
    assert 'torch' == json.loads((home / 'keras.json').read_text())['keras_backend']
    # The report of what was written says what is missing.
    assert 'PyTorch is not installed' in out


def test_use_of_an_absent_module_by_force(home, tell):
    """--force also writes the name of a module that is not here yet."""
    assert 0 == tell('use', 'my_absent.engine', '--force')[0]
    assert 'my_absent.engine' == json.loads((home / 'keras.json').read_text())['keras_backend']


def test_use_tells_what_else_matters(write, tell, monkeypatch):
    """`use` says that the variable takes precedence, and what else is wrong with the file."""
    path = write({'backend': 'theano', 'floatx': 'float31'})
    monkeypatch.setenv('KERAS_BACKEND', 'cntk')
    status, out, _err = tell('use', 'numpy')
    assert 0 == status
    assert f'{path}, line 4: floatx' in out
    write({'backend': 'theano'})
    status, out, _err = tell('use', 'numpy')
    assert 0 == status
    assert "KERAS_BACKEND says 'cntk' and takes precedence over the file; unset it." in out


def test_use_without_the_right_to_write(home, tell, monkeypatch):
    """Where the file cannot be written the command says so."""

    def refuse(*args, **kwargs):
        raise PermissionError(13, 'Permission denied', 'keras.json')

    monkeypatch.setattr(os, 'open', refuse)
    monkeypatch.setattr(report.keras_json, 'read', lambda path: None)
    status, _out, err = tell('use', 'numpy')
    assert 2 == status
    assert 'keras.json: cannot be written (Permission denied)' in err
    assert 'KERAS_BACKEND=numpy' in err


def test_use_where_the_folder_is_a_file(home, tell, monkeypatch, tmp_path):
    """A file in the place of the folder of keras.json is named."""
    place = tmp_path / 'place'
    place.write_text('')
    monkeypatch.setenv('KERAS_HOME', str(place))
    status, _out, err = tell('use', 'numpy')
    assert 2 == status
    assert f'cannot be written ({place} is no folder). Set KERAS_HOME' in err


def test_use_decides_the_next_import(home):
    """What `use` wrote is what the next import uses."""
    assert 0 == python('-m', 'keras_backend', 'use', 'numpy', home=home)[0]
    assert 'numpy\n' == run('import keras_backend as K; print(K.backend())', home=home)


# -- check and usage ---------------------------------------------------------------------------------------------------


def test_check_hands_over(tell, monkeypatch):
    """`check` runs the conformance tests with the engine and all further arguments, and returns their status."""
    import keras_backend.conformance

    seen = []
    monkeypatch.setattr(keras_backend.conformance, 'run', lambda *args, **kwargs: seen.append((args, kwargs)) or 3)
    assert (3, '', '') == tell('check', 'my_package.my_engine', '-k', 'dot', '--expected', 'file.txt', '--tb=short')
    wanted = {'extra_args': ['-k', 'dot', '--tb=short'], 'expected': 'file.txt', 'through': None}
    wanted['report'] = wanted['write_expected'] = None
    assert [(('my_package.my_engine',), wanted)] == seen


def test_check_runs(home):
    """`check` of the NumPy engine prints the table and succeeds."""
    status, out, err = python('-m', 'keras_backend', 'check', 'numpy', '-k', 'test_dot', home=home)
    assert 0 == status, out + err
    assert 'dot' in out
    assert 'passed' in out
    # Nobody watches: neither dots nor a line that counts.
    assert '' == out.split('Conformance')[0].strip()
    assert '\r' not in out.replace('\r\n', '\n')


@pytest.mark.skipif(os.name != 'posix', reason='needs a terminal of POSIX')
def test_check_on_a_terminal(home):
    """On a terminal a line counts the tests, and is gone at the end."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, '-m', 'keras_backend', 'check', 'numpy', '-k', 'test_dot'],
        env=environment(home, 'numpy', TERM='xterm'),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    seen = b''
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # Linux: the other side is closed
            more = b''
        if not more:
            break
        seen += more
    os.close(ours)
    assert 0 == process.wait(timeout=300), seen
    before, _, table = seen.decode().partition('Conformance of numpy')
    assert re.search(r'\r1 of \d+ tests *\r', before)
    assert '' == before.replace('\n', '').rstrip('\r').rpartition('\r')[2].strip()
    assert ' tests' not in table.replace('tests: ', '')


def test_check_of_nothing(home):
    """`check` of a module that does not exist says so."""
    status, out, err = python('-m', 'keras_backend', 'check', 'my_absent.engine', home=home)
    assert 0 != status
    assert "no module 'my_absent'" in out + err


@pytest.mark.parametrize(
    'arguments',
    [
        ['use'],
        ['use', 'numpy', 'more'],
        ['nonsense'],
        ['check'],
        ['--nonsense'],
        ['demo', '--engines'],
        ['demo', '--engines', 'numpy', '--picture', 'x.png'],
    ],
)
def test_wrong_usage(tell, arguments):
    """Wrong usage shows how it goes, with status 2."""
    status, _out, err = tell(*arguments)
    assert 2 == status
    assert 'usage: python -m keras_backend' in err


def test_help_names_all_commands(tell):
    """`--help` knows the commands of this module and the launchers of programs."""
    status, out, _err = tell('--help')
    assert 0 == status
    for word in ['use', 'check', 'demo']:
        assert re.search(rf'^    {word} ', out, re.MULTILINE)
    words = ' '.join(out.split())
    assert 'python -m keras_backend.keras2 PROGRAM' in words
    assert 'python -m keras_backend.keras3 PROGRAM' in words


def test_version(tell):
    """`--version` tells the version and nothing else."""
    assert (0, f'keras_backend {__version__}\n', '') == tell('--version')


def test_report_as_json(write, tell):
    """`--json` says the same as the report, as one object."""
    path = write({'keras_backend': 'numpy', 'floatx': 'float64'})
    status, out, _err = tell('--json')
    told = json.loads(out)
    assert 0 == status
    assert {'value': 'numpy', 'source': f'{path}, line 2'} == told['settings']['backend']
    assert {'value': 'float64', 'source': f'{path}, line 3'} == told['settings']['floatx']
    assert told['engines']['numpy'] == {'installed': True, 'state': f'NumPy {np.__version__}'}
    assert ([], []) == (told['problems'], told['remarks'])
    write({'keras_backend': 'numpy', 'floatx': 'float31'})
    status, out, _err = tell('--json')
    assert 1 == status
    assert 'float31' in json.loads(out)['problems'][0]


@pytest.mark.skipif(os.name != 'posix', reason='needs a shell')
def test_reader_that_stops(home):
    """A reader that takes one line, such as `head -1`, is no error."""
    for arguments in ('', '--json'):
        command_line = f'"{sys.executable}" -m keras_backend {arguments} | head -c 1'
        process = subprocess.Popen(
            ['/bin/sh', '-c', command_line],
            env=environment(home, 'numpy'),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, err = process.communicate(timeout=300)
        assert (1, b'') == (len(out), err)


@pytest.mark.skipif(os.name != 'posix', reason='needs pipes of POSIX')
def test_reader_that_stops_changes_no_status(home):
    """A reader that is gone before the report comes is no failure of the report, as `set -o pipefail` would see it."""
    ours, theirs = os.pipe()
    os.close(ours)
    process = subprocess.Popen(
        [sys.executable, '-m', 'keras_backend'], env=environment(home, 'numpy'), stdout=theirs, stderr=subprocess.PIPE
    )
    os.close(theirs)
    _out, err = process.communicate(timeout=300)
    assert (0, b'') == (process.returncode, err)


@pytest.mark.skipif(os.name != 'posix', reason='needs the errors of POSIX')
@pytest.mark.parametrize('place', ['a file', 'a long path'])
def test_use_in_impossible_places(tmp_path, place):
    """A home that is a file, or whose path is too long, is one sentence with what to do instead."""
    home = tmp_path / 'home'
    if place == 'a file':
        home.write_text('I am a file.')
    else:
        home = home / ('x' * 300)
    status, out, err = python('-m', 'keras_backend', 'use', 'numpy', home=home)
    assert (2, '') == (status, out)
    assert 'keras.json: cannot be' in err
    assert 'KERAS_HOME' in err
    assert 'Traceback' not in err


@pytest.mark.skipif(not hasattr(os, 'getuid') or os.getuid() != 0, reason='needs root')
def test_use_by_root_leaves_the_owner(write, tell):
    """The file of another user that root changes stays theirs, with its permissions."""
    path = write({'floatx': 'float64'})
    path.chmod(0o600)
    os.chown(str(path), 12345, 12345)
    assert 0 == tell('use', 'numpy')[0]
    status = path.stat()
    assert (12345, 12345, 0o600) == (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode))
    assert 'numpy' == json.loads(path.read_text())['keras_backend']


def test_commands_without_numpy(tell, monkeypatch):
    """In a clone without NumPy each command says so in one sentence."""
    monkeypatch.setattr(command, 'spec', lambda name: None)
    status, out, err = tell('run', 'train.py')
    assert (2, '') == (status, out)
    assert err.endswith('; type: pip install numpy\n')
