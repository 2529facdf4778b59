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
import struct
import sys
import tempfile
from functools import lru_cache
from typing import FrozenSet, Iterable, List, Optional, Set, Tuple

from ..errors import EngineImportFailed

# -- shared libraries of Linux -----------------------------------------------------------------------------------------
# Shared libraries of x86-64 Linux: reading which names one lacks, and making an empty one that has them.
#
# Only what that takes is here; the format is that of the System V ABI, "Object Files".


_HEADER = struct.Struct('<16sHHIQQQIHHHHHH')
_SECTION = struct.Struct('<IIQQQQIIQQ')
_SEGMENT = struct.Struct('<IIQQQQQQ')
_SYMBOL = struct.Struct('<IBBHQQ')
_DYNAMIC = struct.Struct('<QQ')

_IDENT = b'\x7fELF\x02\x01\x01'  # 64 bits, little-endian, version 1
_SHARED, _X86_64 = 3, 62
_DYNSYM = 11
_LOAD, _DYNAMIC_SEGMENT, _STACK = 1, 2, 0x6474E551
_READ_EXECUTE, _READ_WRITE = 5, 6
_HASH, _STRTAB, _SYMTAB, _STRSZ, _SYMENT, _SONAME = 4, 5, 6, 10, 11, 14
_GLOBAL_OBJECT, _GLOBAL_FUNCTION = 0x11, 0x12
_PAGE = 4096

RETURN_ZERO = b'\x31\xc0\xc3'  # xor eax, eax; ret


def undefined(path: str, prefixes: Tuple[bytes, ...]) -> Set[bytes]:
    """The names beginning with one of `prefixes` that the library at `path` expects to find in others."""
    with open(path, 'rb') as file:
        image = file.read()
    header = _HEADER.unpack_from(image)
    if not header[0].startswith(_IDENT):
        raise ValueError(f'{path} is no 64-bit ELF library.')
    offset, size, count = header[6], header[11], header[12]
    sections = [_SECTION.unpack_from(image, offset + i * size) for i in range(count)]
    symbols = set()
    for _name, kind, _flags, _address, start, length, link, _info, _align, entry in sections:
        if kind != _DYNSYM:
            continue
        names = sections[link][4]
        for at in range(start, start + length, entry):
            name, _kind, _other, section, _value, _size = _SYMBOL.unpack_from(image, at)
            text = image[names + name : image.index(b'\0', names + name)]
            if not section and text.startswith(prefixes):
                symbols.add(text)
    return symbols


def stub(soname: bytes, functions: Iterable[bytes] = (), objects: Iterable[bytes] = ()) -> bytes:
    """The image of a library called `soname` whose functions return 0 and whose objects are 1 KB of zeros."""
    names = [(name, _GLOBAL_FUNCTION) for name in sorted(functions)] + [(n, _GLOBAL_OBJECT) for n in sorted(objects)]
    count = len(names) + 1
    strings, offsets = b'\0' + soname + b'\0', []
    for name, _kind in names:
        offsets.append(len(strings))
        strings += name + b'\0'

    symbols_at = _HEADER.size + 4 * _SEGMENT.size
    hash_at = _aligned(symbols_at + _SYMBOL.size * count, 16)
    # one bucket: the loader walks the list of all names, which are few
    table = struct.pack(
        f'<{count + 3}I', 1, count, 1 if names else 0, 0, *[i + 1 if i + 1 < count else 0 for i in range(1, count)]
    )
    strings_at = hash_at + len(table)
    code_at = _aligned(strings_at + len(strings), 16)
    code_end = code_at + len(RETURN_ZERO)
    dynamic_at = _aligned(code_end, _PAGE)
    dynamic = b''.join(
        [
            _DYNAMIC.pack(*entry)
            for entry in (
                (_SONAME, 1),
                (_HASH, hash_at),
                (_STRTAB, strings_at),
                (_SYMTAB, symbols_at),
                (_STRSZ, len(strings)),
                (_SYMENT, _SYMBOL.size),
                (0, 0),
            )
        ]
    )
    data_at = dynamic_at + len(dynamic)
    end = data_at + 1024

    symbols = [_SYMBOL.pack(0, 0, 0, 0, 0, 0)] + [
        _SYMBOL.pack(offset, kind, 0, 1, code_at if kind == _GLOBAL_FUNCTION else data_at, 8)
        for offset, (_name, kind) in zip(offsets, names)
    ]
    chunks = [
        (
            0,
            _HEADER.pack(_IDENT, _SHARED, _X86_64, 1, 0, _HEADER.size, 0, 0, _HEADER.size, _SEGMENT.size, 4, 0, 0, 0)
            + _segment(_LOAD, _READ_EXECUTE, 0, code_end, _PAGE)
            + _segment(_LOAD, _READ_WRITE, dynamic_at, end, _PAGE)
            + _segment(_DYNAMIC_SEGMENT, _READ_WRITE, dynamic_at, data_at, 8)
            + _segment(_STACK, _READ_WRITE, 0, 0, 16),
        ),
        (symbols_at, b''.join(symbols)),
        (hash_at, table),
        (strings_at, strings),
        (code_at, RETURN_ZERO),
        (dynamic_at, dynamic),
    ]
    image = bytearray(end)
    for at, chunk in chunks:
        image[at : at + len(chunk)] = chunk
    return bytes(image)


def _segment(kind: int, access: int, start: int, end: int, align: int) -> bytes:
    return _SEGMENT.pack(kind, access, start, start, start, end - start, end - start, align)


def _aligned(offset: int, unit: int) -> int:
    return (offset + unit - 1) // unit * unit


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
            images += [stub(WANTED[0].encode(), names - objects, objects), stub(WANTED[1].encode())]
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
            return [stub(_PYTHON.encode())]
    return []


def _system_mpi(images: List[bytes]) -> Optional[str]:
    """Load the system's Open MPI; returns its name, in words. `images` is given the libraries that lead to it."""
    if _opened(WANTED, [folder(), _PLACE]):
        return f'Open MPI 1.10 of the system ({WANTED[0]})'
    for pair in _LATER:
        if _opened(pair, [], _names()):
            images.extend([stub(name.encode()) for name in WANTED])
            return f'Open MPI of the system ({pair[0]})'
    return None


@lru_cache(maxsize=None)
def _names() -> FrozenSet[bytes]:
    """The names that CNTK expects to find in MPI."""
    names: Set[bytes] = set()
    for file in sorted(os.listdir(folder())):
        if file.startswith('libCntk.'):
            names |= undefined(os.path.join(folder(), file), _PREFIXES)
    return frozenset(names)


def _opened(pair: Pair, places: Iterable[str], names: Iterable[bytes] = ()) -> bool:
    """Whether both libraries are there and have all `names`; only then are they made known to all loaded later."""
    paths: List[str] = []
    for name in pair:
        path = _first([name] + [os.path.join(directory, name) for directory in places])
        if path is None:
            return False
        paths.append(path)
    libraries = [ctypes.CDLL(path) for path in paths]
    if not all([any([hasattr(library, name.decode()) for library in libraries]) for name in names]):
        return False
    for path in paths:
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
        with tempfile.TemporaryDirectory(prefix='keras_backend_') as directory:
            for i, image in enumerate(images):
                path = os.path.join(directory, f'stand_in_{i}.so')
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
