"""What importing the CNTK engine takes, does to a process, and says where it cannot."""

import importlib.util
import os
import sys

import pytest
from processes import fail, python, run

from keras_backend.basics.installed import requirement
from keras_backend.engines import cntk_libraries
from keras_backend.engines import cntk_libraries as libraries

if importlib.util.find_spec('cntk') is None:
    pytest.skip('CNTK is not installed', allow_module_level=True)

ENGINE = 'import keras_backend.engines.cntk_backend as K\n'
PLAIN = {'OMP_NUM_THREADS': None, 'LD_LIBRARY_PATH': None}
MODEL = """
import numpy as np
x, w = K.placeholder((None, 3)), K.variable(np.ones((3, 2)))
f = K.function([x], [K.tanh(K.dot(x, w)), K.gradients(K.sum(K.square(K.dot(x, w))), [w])[0]], updates=[(w, w * 2.)])
assert np.allclose(f([np.full((4, 3), 0.1)])[0], np.tanh(0.3))
assert np.allclose(K.get_value(w), 2.)
print('done')
"""
LIBRARIES = os.path.join(os.path.dirname(importlib.util.find_spec('cntk').origin), 'libs')


def test_cntk_import_is_quiet(tmp_path):
    """Nothing is written by the import or a run, warnings being errors; what else is written comes through."""
    program = 'import sys\n' + ENGINE + MODEL + 'sys.stderr.write("mine")'
    assert (0, 'done\n', 'mine') == python('-W', 'error', '-c', program, home=tmp_path, **PLAIN)


def test_import_leaves_no_trace(tmp_path):
    """Neither the environment nor CNTK's folder nor the standard error stream are other than before."""
    run(
        f"""
import os, sys
place = {LIBRARIES!r}
before = dict(os.environ), os.fstat(2), sorted((n, os.stat(os.path.join(place, n)).st_mtime) for n in os.listdir(place))
open_before = len(os.listdir('/proc/self/fd'))
{ENGINE}
after = dict(os.environ), os.fstat(2), sorted((n, os.stat(os.path.join(place, n)).st_mtime) for n in os.listdir(place))
assert before == after
assert open_before == len(os.listdir('/proc/self/fd'))
""",
        home=tmp_path,
        **PLAIN,
    )


def test_children_inherit_nothing(tmp_path):
    """The folders that CNTK's import adds to LD_LIBRARY_PATH and PATH do not reach child processes."""
    code = (
        ENGINE
        + """
import subprocess, sys
print(subprocess.check_output([sys.executable, '-c', 'import os; print(os.environ.get("LD_LIBRARY_PATH"))']).decode())
"""
    )
    assert 'None' == run(code, home=tmp_path, **PLAIN).strip()


def test_without_a_standard_error_stream(tmp_path):
    """A process that has closed its standard error stream can import the engine, too."""
    assert 'done' == run('import os\nos.close(2)\n' + ENGINE + MODEL, home=tmp_path, **PLAIN).strip()


@pytest.fixture(scope='module')
def open_mpi(tmp_path_factory):
    """Makes a folder with libraries of the given names that have all that CNTK expects, but for the names in `lack`.

    The other names are files that are no libraries: they hide the Open MPI of the system that the tests run on.
    """
    known_names = libraries.WANTED + sum(libraries._LATER, ())

    def make(names, lack=()):
        folder = tmp_path_factory.mktemp('mpi')
        needed = libraries._names() - set(lack)
        objects = {name for name in needed if name.startswith(libraries._OBJECTS)}
        for name, known in zip(names, ((needed - objects, objects), ())):
            (folder / name).write_bytes(cntk_libraries.stub(name.encode(), *known))
        for name in set(known_names) - set(names):
            (folder / name).write_bytes(b'no library')
        return str(folder)

    return make


TELL = ENGINE + 'from keras_backend.engines.cntk_backend import vendor\nprint(vendor.mpi)\n'
STAND_IN = 'no MPI on this system, an empty library stands in'


@pytest.mark.parametrize(
    ('names', 'words'),
    [
        (libraries.WANTED, 'Open MPI 1.10 of the system (libmpi.so.12)'),
        (('libmpi.so.20', 'libmpi_cxx.so.20'), 'Open MPI of the system (libmpi.so.20)'),
        (('libmpi.so.40', 'libmpi_cxx.so.40'), 'Open MPI of the system (libmpi.so.40)'),
        (('libmpi.so.40', 'libmpi.so.41'), STAND_IN),
        ((), STAND_IN),
    ],
)
def test_libraries_of_open_mpi_are_used_where_they_are(tmp_path, open_mpi, names, words):
    """Both libraries of an Open MPI are taken where the loader finds them; the command says which."""
    variables = dict(PLAIN, LD_LIBRARY_PATH=open_mpi(names))
    assert [words, 'done'] == run(TELL + MODEL, home=tmp_path, **variables).splitlines()
    status, out, _err = python('-m', 'keras_backend', home=tmp_path, backend='cntk', **variables)
    assert 0 == status
    assert f'  cntk               CNTK 2.7; {words}\n' in out


def test_open_mpi_that_lacks_a_function(tmp_path, open_mpi):
    """Libraries that do not have all that CNTK expects are passed over."""
    place = open_mpi(('libmpi.so.40', 'libmpi_cxx.so.40'), lack=[b'MPI_Init_thread'])
    assert [STAND_IN, 'done'] == run(TELL + MODEL, home=tmp_path, **dict(PLAIN, LD_LIBRARY_PATH=place)).splitlines()


def test_cntk_that_was_imported_before(tmp_path, open_mpi):
    """Where the user has imported CNTK already, it is used as it is."""
    code = 'import warnings\nwarnings.simplefilter("ignore")\nimport cntk\n' + TELL + MODEL
    told = run(code, home=tmp_path, OMP_NUM_THREADS=None, LD_LIBRARY_PATH=open_mpi(libraries.WANTED))
    assert ['loaded before', 'done'] == told.splitlines()


def test_interpreter_without_a_library(tmp_path, open_mpi):
    """An interpreter that was built without libpython is given an empty one, beside those of MPI."""
    code = """
import ctypes
real = ctypes.CDLL
def without(name, *args, **kwargs):
    if name == 'libpython3.6m.so.1.0':
        raise OSError('not loaded')
    return real(name, *args, **kwargs)
ctypes.CDLL = without
"""
    look = """
with open('/proc/self/maps') as file:
    print(len({line.split()[4] for line in file if 'keras_backend_mpi' in line}))
"""
    for given, libraries_made in (('', '2'), (code, '3')):
        told = run(given + TELL + MODEL + look, home=tmp_path, **dict(PLAIN, LD_LIBRARY_PATH=open_mpi(())))
        assert [STAND_IN, 'done', libraries_made] == told.splitlines()


def test_unusable_libraries_of_open_mpi(tmp_path):
    """A file of the name that is no library is passed over."""
    (tmp_path / 'libmpi.so.12').write_bytes(b'no library')
    assert 'done' == run(ENGINE + MODEL, home=tmp_path, OMP_NUM_THREADS=None, LD_LIBRARY_PATH=str(tmp_path)).strip()


NOTHING = """
import ctypes
real = ctypes.CDLL
def refuse(name, *args, **kwargs):
    if name is not None and ('mpi' in name or '/fd/' in name):
        raise OSError('refused')
    return real(name, *args, **kwargs)
ctypes.CDLL = refuse
"""


def test_when_nothing_can_stand_in(tmp_path):
    """The error names the libraries, and what to do about them; the command says the same."""
    message = fail(NOTHING + ENGINE, home=tmp_path, **PLAIN)
    assert 'EngineImportFailed' in message
    parts = 'libmpi.so.12', 'libmpi_cxx.so.1', 'Install Open MPI', 'refused', LIBRARIES
    assert all([part in message for part in parts])
    told = NOTHING + 'from keras_backend.__main__ import main\nprint(main([]))'
    failed, engines = run(told, home=tmp_path, backend='cntk', **PLAIN).split('Engines')
    assert engines.endswith('1\n')
    assert 'would fail' in failed
    assert all([part in failed and part in engines for part in parts])


def test_when_cntk_is_not_installed(tmp_path):
    """The loader says what to type."""
    code = 'import sys\nsys.modules["cntk"] = None\nimport keras_backend'
    message = fail(code, home=tmp_path, backend='cntk', **PLAIN)
    assert 'EngineNotInstalled' in message
    assert f'pip install "{requirement("cntk")}"' in message


@pytest.mark.parametrize(('asked', 'threads'), [(None, '1'), ('2', '2'), ('1', '1')])
def test_cntk_threads(tmp_path, asked, threads):
    """One thread, unless OMP_NUM_THREADS says otherwise; a Trainer of CNTK's own does not change that."""
    code = (
        ENGINE
        + """
import warnings
warnings.simplefilter('ignore')
from keras_backend.engines.cntk_backend.vendor import cntk as C
x = C.input_variable(2)
z = C.times(x, C.parameter((2, 2), init=1))
rate = C.learning_parameter_schedule(0.1)
C.Trainer(z, (C.reduce_sum(z),), [C.sgd(z.parameters, rate)])
print(C.cntk_py.get_max_num_cputhreads())
"""
    )
    assert threads == run(code, home=tmp_path, OMP_NUM_THREADS=asked, LD_LIBRARY_PATH=None).split()[-1]


def test_face(tmp_path):
    """`import keras_backend` runs on CNTK, says so once, and the command line knows it."""
    code = 'import keras_backend as K; print(K.backend())'
    status, out, err = python('-c', code, home=tmp_path, backend='cntk', **PLAIN)
    assert (0, 'cntk', 'Using CNTK backend.') == (status, out.strip(), err.strip())
    status, out, _err = python('-m', 'keras_backend', home=tmp_path, backend='cntk', **PLAIN)
    assert 0 == status
    assert 'CNTK 2.7' in out
    assert sys.version.split()[0] in out
