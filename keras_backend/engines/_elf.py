"""Shared libraries of x86-64 Linux: reading which names one lacks, and making an empty one that has them.

Only what that takes is here; the format is that of the System V ABI, "Object Files".
"""

import struct
from typing import Iterable, Set, Tuple

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
    found = set()
    for _name, kind, _flags, _address, start, length, link, _info, _align, entry in sections:
        if kind != _DYNSYM:
            continue
        names = sections[link][4]
        for at in range(start, start + length, entry):
            name, _kind, _other, section, _value, _size = _SYMBOL.unpack_from(image, at)
            text = image[names + name : image.index(b'\0', names + name)]
            if not section and text.startswith(prefixes):
                found.add(text)
    return found


def stub(soname: bytes, functions: Iterable[bytes] = (), objects: Iterable[bytes] = ()) -> bytes:
    """The image of a library called `soname` whose functions return 0 and whose objects are 1 KB of zeros."""
    names = [(name, _GLOBAL_FUNCTION) for name in sorted(functions)] + [(n, _GLOBAL_OBJECT) for n in sorted(objects)]
    count = len(names) + 1
    strings, places = b'\0' + soname + b'\0', []
    for name, _kind in names:
        places.append(len(strings))
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
        _SYMBOL.pack(place, kind, 0, 1, code_at if kind == _GLOBAL_FUNCTION else data_at, 8)
        for place, (_name, kind) in zip(places, names)
    ]
    parts = [
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
    for at, part in parts:
        image[at : at + len(part)] = part
    return bytes(image)


def _segment(kind: int, access: int, start: int, end: int, align: int) -> bytes:
    return _SEGMENT.pack(kind, access, start, start, start, end - start, end - start, align)


def _aligned(offset: int, unit: int) -> int:
    return (offset + unit - 1) // unit * unit
