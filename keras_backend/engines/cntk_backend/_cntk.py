"""Importing CNTK 2.7 as it is on PyPI, on a system of today, without a trace.

Its libraries are linked against Open MPI 1.10 (libmpi.so.12), which hardly any system has any more. Nothing that a
single process does calls it, so where it is absent an empty library of that name, held in memory, takes its place: no
file is written and nothing of the user's environment changes.
"""
import ctypes
import importlib.util
import os
import sys
import tempfile
import warnings
from contextlib import contextmanager

import numpy as np

from ...errors import EngineImportFailed
from . import _elf

_MPI = ('libmpi.so.12', 'libmpi_cxx.so.1')
_MPI_NAMES = (b'MPI_', b'ompi_', b'_ZN3MPI', b'_ZNK3MPI')
_MPI_OBJECTS = b'ompi_mpi_'

# how the libraries were found: 'Open MPI 1.10', 'stand-in', or 'loaded before'
mpi = 'loaded before'


def _libraries():
    """The folder of CNTK's shared libraries."""
    spec = importlib.util.find_spec('cntk')
    if spec is None:
        # the loader knows what to type
        raise ModuleNotFoundError("No module named 'cntk'", name='cntk')
    return os.path.join(os.path.dirname(spec.origin), 'libs')


def _open(path):
    return ctypes.CDLL(path, ctypes.RTLD_GLOBAL)


def _provide_mpi():
    """Load the libraries of Open MPI that CNTK asks for, or what stands in for them."""
    folder = _libraries()
    try:
        for name in _MPI:
            _first_of([name, os.path.join(folder, name), os.path.join('/usr/local/mpi/lib', name)])
        return 'Open MPI 1.10'
    except OSError:
        pass
    try:
        names = set()
        for name in sorted(os.listdir(folder)):
            if name.startswith('libCntk.'):
                names |= _elf.undefined(os.path.join(folder, name), _MPI_NAMES)
        objects = {name for name in names if name.startswith(_MPI_OBJECTS)}
        _load_images([_elf.stub(_MPI[0].encode(), names - objects, objects), _elf.stub(_MPI[1].encode())])
    except (OSError, ValueError) as error:
        raise EngineImportFailed(
            'CNTK needs %s of Open MPI 1.10, which is not on this system, and nothing could be put in its place (%s). '
            'Install Open MPI 1.10, or put its libraries into %s.' % (' and '.join(_MPI), error, folder),
            'cntk') from error
    return 'stand-in'


def _first_of(paths):
    for path in paths[:-1]:
        try:
            return _open(path)
        except OSError:
            continue
    return _open(paths[-1])


def _load_images(images):
    """Load libraries from memory."""
    create = getattr(ctypes.CDLL(None), 'memfd_create', None)
    if create is None:
        # a C library before glibc 2.27
        with tempfile.TemporaryDirectory(prefix='keras_backend_') as folder:
            for i, image in enumerate(images):
                path = os.path.join(folder, 'stand_in_%d.so' % i)
                with open(path, 'wb') as file:
                    file.write(image)
                _open(path)
        return
    descriptors = []
    try:
        for image in images:
            descriptors.append(create(b'keras_backend_mpi', 0))
            if descriptors[-1] < 0:
                raise OSError('memfd_create failed')
            os.write(descriptors[-1], image)
            # The loader tells libraries apart by path, so both descriptors stay open until both are loaded.
            _open('/proc/self/fd/%d' % descriptors[-1])
    finally:
        for descriptor in descriptors:
            if descriptor >= 0:
                os.close(descriptor)


@contextmanager
def _environment_kept():
    """Importing CNTK adds its folders to variables that child processes inherit."""
    before = {name: os.environ.get(name) for name in ('LD_LIBRARY_PATH', 'PATH')}
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _stderr_silent():
    """CNTK says "Selected CPU ..." on the file descriptor itself; no setting of its own keeps it quiet."""
    if sys.stderr is not None:
        sys.stderr.flush()
    try:
        saved = os.dup(2)
    except OSError:
        yield   # a process without stderr
        return
    try:
        with open(os.devnull, 'w') as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


@contextmanager
def _mkl_at_full_width():
    """CNTK's MKL uses AVX2 on Intel's processors alone, unless a variable is set while it first multiplies.

    On AMD's, products then take a third of the time.
    """
    if 'MKL_DEBUG_CPU_TYPE' in os.environ or not _is_amd_with_avx2():
        yield
        return
    os.environ['MKL_DEBUG_CPU_TYPE'] = '5'
    try:
        yield
    finally:
        del os.environ['MKL_DEBUG_CPU_TYPE']


def _multiply(cntk_py, cpu):
    """A product of two matrices."""
    one = cntk_py.Constant(cntk_py.NDArrayView(np.ones((1, 1), 'float32'), cpu, True, False), '')
    product = cntk_py.times(one, one, 1, -1, '')
    cntk_py.Function._forward(product, {}, {product.output(): None}, cpu, set())


def _is_amd_with_avx2():
    try:
        with open('/proc/cpuinfo') as file:
            first = file.read().partition('\n\n')[0]
    except OSError:
        return False
    return 'AuthenticAMD' in first and ' avx2 ' in first


def _import():
    global mpi
    loaded = 'cntk' in sys.modules
    if not loaded and sys.platform.startswith('linux'):
        mpi = _provide_mpi()
    try:
        with _environment_kept(), warnings.catch_warnings():
            # that the distribution is not Ubuntu 16.04, and that there is no GPU
            warnings.filterwarnings('ignore', module=r'cntk\.cntk_py_init$')
            import cntk
    except ImportError as error:
        if getattr(error, 'name', None) == 'cntk':
            raise
        raise EngineImportFailed(
            'CNTK is installed in %s, but its shared libraries cannot be loaded: %s. CNTK 2.7 needs CPython 3.6 on '
            'x86-64 with a shared libpython3.6m.so.1.0; type: ldd %s' % (
                os.path.dirname(_libraries()), error, os.path.join(_libraries(), 'libCntk.Core-2.7.so')),
            'cntk') from error
    if not loaded:
        with _stderr_silent(), _mkl_at_full_width():
            cntk.try_set_default_device(cntk.cpu())
            cntk.DeviceDescriptor.use_default_device()
            _multiply(cntk.cntk_py, cntk.cpu())
    return cntk


cntk = _import()
cntk_py = cntk.cntk_py
cpu = cntk.cpu()

# CNTK opens a team of threads for every small row; on shared cores a small call takes several times as long with two.
# Said even where the variable has said so: a Trainer of CNTK would use all cores.
_threads = os.environ.get('OMP_NUM_THREADS', '')
cntk_py.set_max_num_cputhreads(int(_threads) if _threads.isdigit() else 1)
