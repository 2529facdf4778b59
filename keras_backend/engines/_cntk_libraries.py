"""The libraries that CNTK 2.7 is linked against: the system's, or what stands in for them.

MPI: those of Open MPI 1.10, which hardly any system has any more. A later Open MPI has all functions that CNTK names,
in libraries of other names; an empty library of the old name, held in memory, then leads to them. Where there is none,
the empty library has functions that do nothing: a process that trains alone calls none of them.

Python: libpython3.6m.so.1.0. An interpreter that was built without it has everything in itself, and an empty library
of that name leads there.

No file is written and nothing of the user's environment changes. Nothing here imports CNTK.
"""

import ctypes
import importlib.util
import os
import sys
import tempfile
from functools import lru_cache
from typing import FrozenSet, Iterable, List, Optional, Set, Tuple

from ..errors import EngineImportFailed
from . import _elf

Pair = Tuple[str, str]

WANTED: Pair = ('libmpi.so.12', 'libmpi_cxx.so.1')
# of Open MPI 3 and 4, and of 2; the later ones have no C++ library
_LATER: Tuple[Pair, ...] = (('libmpi.so.40', 'libmpi_cxx.so.40'), ('libmpi.so.20', 'libmpi_cxx.so.20'))
# where CNTK's libraries look, besides their own folder and the system's
_PLACE = '/usr/local/mpi/lib'
_PREFIXES = (b'MPI_', b'ompi_', b'_ZN3MPI', b'_ZNK3MPI')
_OBJECTS = b'ompi_mpi_'

_PYTHON = 'libpython3.6m.so.1.0'
# dlopen: only if it is there already
_NO_LOAD = 4


def folder() -> str:
    """The folder of CNTK's shared libraries."""
    spec = importlib.util.find_spec('cntk')
    if spec is None or not spec.origin:
        # the loader knows what to type
        raise ModuleNotFoundError("No module named 'cntk'", name='cntk')
    return os.path.join(os.path.dirname(spec.origin), 'libs')


@lru_cache(maxsize=None)
def provide() -> str:
    """Load what CNTK asks for, for all that is loaded later; returns what that is, in words.

    Raises EngineImportFailed where nothing can be loaded.
    """
    if not sys.platform.startswith('linux'):
        return 'MPI as installed with CNTK'
    try:
        images = _python()
        words = _system_mpi(images)
        if words is None:
            names = _names()
            objects = {name for name in names if name.startswith(_OBJECTS)}
            images += [_elf.stub(WANTED[0].encode(), names - objects, objects), _elf.stub(WANTED[1].encode())]
            words = 'no MPI on this system, an empty library stands in'
        _load_images(images)
    except (OSError, ValueError) as error:
        raise EngineImportFailed(
            f'CNTK needs {" and ".join(WANTED)} of Open MPI 1.10, which is not on this system, and nothing could be '
            f'put in its place ({error}). Install Open MPI, up to version 4, or put these libraries into {folder()}.',
            'cntk',
        ) from error
    return words


def _python() -> List[bytes]:
    """The library that keeps a second interpreter out of a process whose own is no library; [] where none is needed."""
    try:
        ctypes.CDLL(_PYTHON, _NO_LOAD)
    except OSError:
        if hasattr(ctypes.CDLL(None), 'PyModule_GetDict'):
            return [_elf.stub(_PYTHON.encode())]
    return []


def _system_mpi(images: List[bytes]) -> Optional[str]:
    """Load the system's Open MPI; returns its name, in words. `images` is given the libraries that lead to it."""
    if _opened(WANTED, [folder(), _PLACE]):
        return f'Open MPI 1.10 of the system ({WANTED[0]})'
    for pair in _LATER:
        if _opened(pair, [], _names()):
            images.extend([_elf.stub(name.encode()) for name in WANTED])
            return f'Open MPI of the system ({pair[0]})'
    return None


@lru_cache(maxsize=None)
def _names() -> FrozenSet[bytes]:
    """The names that CNTK expects to find in MPI."""
    names: Set[bytes] = set()
    for file in sorted(os.listdir(folder())):
        if file.startswith('libCntk.'):
            names |= _elf.undefined(os.path.join(folder(), file), _PREFIXES)
    return frozenset(names)


def _opened(pair: Pair, places: Iterable[str], names: Iterable[bytes] = ()) -> bool:
    """Whether both libraries are there and have all `names`; only then are they made known to all loaded later."""
    found: List[str] = []
    for name in pair:
        path = _first([name] + [os.path.join(place, name) for place in places])
        if path is None:
            return False
        found.append(path)
    libraries = [ctypes.CDLL(path) for path in found]
    if not all([any([hasattr(library, name.decode()) for library in libraries]) for name in names]):
        return False
    for path in found:
        _open(path)
    return True


def _first(paths: Iterable[str]) -> Optional[str]:
    """The first of `paths` that is a library."""
    for path in paths:
        try:
            ctypes.CDLL(path)
        except OSError:
            continue
        return path
    return None


def _open(path: str) -> None:
    ctypes.CDLL(path, ctypes.RTLD_GLOBAL)


def _load_images(images: Iterable[bytes]) -> None:
    """Load libraries from memory. Called once: see below."""
    create = getattr(ctypes.CDLL(None), 'memfd_create', None)
    if create is None:
        # a C library before glibc 2.27
        with tempfile.TemporaryDirectory(prefix='keras_backend_') as place:
            for i, image in enumerate(images):
                path = os.path.join(place, f'stand_in_{i}.so')
                with open(path, 'wb') as file:
                    file.write(image)
                _open(path)
        return
    descriptors: List[int] = []
    try:
        for image in images:
            descriptors.append(create(b'keras_backend_mpi', 0))
            if descriptors[-1] < 0:
                raise OSError('memfd_create failed')
            os.write(descriptors[-1], image)
            # The loader tells libraries apart by path, so all descriptors stay open until all are loaded.
            _open(f'/proc/self/fd/{descriptors[-1]}')
    finally:
        for descriptor in descriptors:
            if descriptor >= 0:
                os.close(descriptor)
