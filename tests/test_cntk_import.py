"""What importing the CNTK engine takes, does to a process, and says where it cannot."""
import importlib.util
import os
import sys

import pytest
from processes import fail, python, run

if importlib.util.find_spec('cntk') is None:
    pytest.skip('CNTK is not installed', allow_module_level=True)

ENGINE = 'import keras_backend.engines.cntk_backend as K\n'
PLAIN = {'OMP_NUM_THREADS': None, 'LD_LIBRARY_PATH': None}
MODEL = '''
import numpy as np
x, w = K.placeholder((None, 3)), K.variable(np.ones((3, 2)))
f = K.function([x], [K.tanh(K.dot(x, w)), K.gradients(K.sum(K.square(K.dot(x, w))), [w])[0]], updates=[(w, w * 2.)])
assert np.allclose(f([np.full((4, 3), 0.1)])[0], np.tanh(0.3))
assert np.allclose(K.get_value(w), 2.)
print('done')
'''
LIBRARIES = os.path.join(os.path.dirname(importlib.util.find_spec('cntk').origin), 'libs')


def test_import_is_quiet(tmp_path):
    """Nothing is written by the import or a run, warnings being errors; what else is written comes through."""
    program = 'import sys\n' + ENGINE + MODEL + 'sys.stderr.write("mine")'
    assert (0, 'done\n', 'mine') == python('-W', 'error', '-c', program, home=tmp_path, **PLAIN)


def test_import_leaves_no_trace(tmp_path):
    """Neither the environment nor CNTK's folder nor the standard error stream are other than before."""
    run('''
import os, sys
place = %r
before = dict(os.environ), os.fstat(2), sorted((n, os.stat(os.path.join(place, n)).st_mtime) for n in os.listdir(place))
open_before = len(os.listdir('/proc/self/fd'))
%s
after = dict(os.environ), os.fstat(2), sorted((n, os.stat(os.path.join(place, n)).st_mtime) for n in os.listdir(place))
assert before == after
assert open_before == len(os.listdir('/proc/self/fd'))
''' % (LIBRARIES, ENGINE), home=tmp_path, **PLAIN)


def test_children_inherit_nothing(tmp_path):
    """The folders that CNTK's import adds to LD_LIBRARY_PATH and PATH do not reach child processes."""
    code = ENGINE + '''
import subprocess, sys
print(subprocess.check_output([sys.executable, '-c', 'import os; print(os.environ.get("LD_LIBRARY_PATH"))']).decode())
'''
    assert 'None' == run(code, home=tmp_path, **PLAIN).strip()


def test_without_a_standard_error_stream(tmp_path):
    """A process that has closed its standard error stream can import the engine, too."""
    assert 'done' == run('import os\nos.close(2)\n' + ENGINE + MODEL, home=tmp_path, **PLAIN).strip()


@pytest.fixture(scope='module')
def open_mpi(tmp_path_factory):
    """A folder with libraries of the names that CNTK asks for."""
    folder = tmp_path_factory.mktemp('mpi')
    run(ENGINE + '''
import os
from keras_backend.engines.cntk_backend import _cntk, _elf
names, libraries, folder = set(), %r, %r
for name in os.listdir(libraries):
    if name.startswith('libCntk.'):
        names |= _elf.undefined(os.path.join(libraries, name), _cntk._MPI_NAMES)
objects = set(n for n in names if n.startswith(_cntk._MPI_OBJECTS))
for name, known in ((_cntk._MPI[0], (names - objects, objects)), (_cntk._MPI[1], ())):
    with open(os.path.join(folder, name), 'wb') as file:
        file.write(_elf.stub(name.encode(), *known))
''' % (LIBRARIES, str(folder)), home=folder, **PLAIN)
    return str(folder)


TELL = ENGINE + 'from keras_backend.engines.cntk_backend import _cntk\nprint(_cntk.mpi)\n'


def test_libraries_of_open_mpi_are_used_where_they_are(tmp_path, open_mpi):
    """With libmpi.so.12 and libmpi_cxx.so.1 where the loader looks, these are taken, and nothing stands in for them."""
    found = run(TELL, home=tmp_path, OMP_NUM_THREADS=None, LD_LIBRARY_PATH=open_mpi)
    assert 'Open MPI 1.10' == found.strip()


def test_cntk_that_was_imported_before(tmp_path, open_mpi):
    """Where the user has imported CNTK already, it is used as it is."""
    code = 'import warnings\nwarnings.simplefilter("ignore")\nimport cntk\n' + TELL + MODEL
    told = run(code, home=tmp_path, OMP_NUM_THREADS=None, LD_LIBRARY_PATH=open_mpi)
    assert ['loaded before', 'done'] == told.splitlines()


def test_unusable_libraries_of_open_mpi(tmp_path):
    """A file of the name that is no library is passed over."""
    (tmp_path / 'libmpi.so.12').write_bytes(b'no library')
    assert 'done' == run(ENGINE + MODEL, home=tmp_path, OMP_NUM_THREADS=None, LD_LIBRARY_PATH=str(tmp_path)).strip()


def test_when_nothing_can_stand_in(tmp_path):
    """The error names the libraries, and what to do about them."""
    code = '''
import ctypes
real = ctypes.CDLL
def refuse(name, *args, **kwargs):
    if name is not None and ('mpi' in name or '/fd/' in name):
        raise OSError('refused')
    return real(name, *args, **kwargs)
ctypes.CDLL = refuse
''' + ENGINE
    message = fail(code, home=tmp_path, **PLAIN)
    assert 'EngineImportFailed' in message
    for part in ('libmpi.so.12', 'libmpi_cxx.so.1', 'Open MPI 1.10', 'refused', LIBRARIES):
        assert part in message


def test_when_cntk_is_not_installed(tmp_path):
    """The loader says what to type."""
    code = 'import sys\nsys.modules["cntk"] = None\nimport keras_backend'
    message = fail(code, home=tmp_path, backend='cntk', **PLAIN)
    assert 'EngineNotInstalled' in message and 'pip install "keras_backend[cntk]"' in message


@pytest.mark.parametrize('asked, threads', [(None, '1'), ('2', '2'), ('1', '1')])
def test_threads(tmp_path, asked, threads):
    """One thread, unless OMP_NUM_THREADS says otherwise; a Trainer of CNTK's own does not change that."""
    code = ENGINE + '''
import warnings
warnings.simplefilter('ignore')
from keras_backend.engines.cntk_backend._cntk import cntk as C
x = C.input_variable(2)
z = C.times(x, C.parameter((2, 2), init=1))
rate = C.learning_parameter_schedule(0.1)
C.Trainer(z, (C.reduce_sum(z),), [C.sgd(z.parameters, rate)])
print(C.cntk_py.get_max_num_cputhreads())
'''
    assert threads == run(code, home=tmp_path, OMP_NUM_THREADS=asked, LD_LIBRARY_PATH=None).split()[-1]


def test_face(tmp_path):
    """`import keras_backend` runs on CNTK, says so once, and the command line knows it."""
    code = 'import keras_backend as K; print(K.backend())'
    status, out, err = python('-c', code, home=tmp_path, backend='cntk', **PLAIN)
    assert (0, 'cntk', 'Using CNTK backend.') == (status, out.strip(), err.strip())
    status, out, _err = python('-m', 'keras_backend', home=tmp_path, backend='cntk', **PLAIN)
    assert 0 == status and 'CNTK 2.7' in out and sys.version.split()[0] in out
