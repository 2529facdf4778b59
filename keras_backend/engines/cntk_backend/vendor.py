"""Importing CNTK 2.7 as it is on PyPI, on a system of today, without a trace."""

import os
import sys
import warnings
from contextlib import contextmanager
from typing import Any, Iterator

import numpy as np

from ...errors import EngineImportFailed
from .. import cntk_libraries as libraries

# which MPI libraries CNTK was given, in words
mpi = 'loaded before'


@contextmanager
def _environment_kept() -> Iterator[None]:
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
def _stderr_silent() -> Iterator[None]:
    """CNTK says "Selected CPU ..." on the file descriptor itself; no setting of its own keeps it quiet."""
    if sys.stderr is not None:
        sys.stderr.flush()
    try:
        saved = os.dup(2)
    except OSError:
        yield  # a process without stderr
        return
    try:
        with open(os.devnull, 'w') as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


@contextmanager
def _mkl_at_full_width() -> Iterator[None]:
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


def _multiply(cntk_py: Any, cpu: Any) -> None:
    """A product of two matrices."""
    matrix = cntk_py.Constant(cntk_py.NDArrayView(np.ones((1, 1), 'float32'), cpu, True, False), '')
    product = cntk_py.times(matrix, matrix, 1, -1, '')
    cntk_py.Function._forward(product, {}, {product.output(): None}, cpu, set())


def _is_amd_with_avx2() -> bool:
    try:
        with open('/proc/cpuinfo') as file:
            first = file.read().partition('\n\n')[0]
    except OSError:
        return False
    return 'AuthenticAMD' in first and ' avx2 ' in first


def _import() -> Any:
    global mpi
    loaded = 'cntk' in sys.modules
    if not loaded:
        mpi = libraries.provide()
    try:
        with _environment_kept(), warnings.catch_warnings():
            # that the distribution is not Ubuntu 16.04, and that there is no GPU
            warnings.filterwarnings('ignore', module=r'cntk\.cntk_py_init$')
            import cntk
    except ImportError as error:
        if getattr(error, 'name', None) == 'cntk':
            raise
        raise EngineImportFailed(
            f'CNTK is installed in {os.path.dirname(libraries.folder())}, but its shared libraries cannot be loaded: '
            f'{error}. CNTK 2.7 needs CPython 3.6 on x86-64 and a system library of that name; type: ldd '
            f'{os.path.join(libraries.folder(), "libCntk.Core-2.7.so")}',
            'cntk',
        ) from error
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
