"""The lines of instructions: the three tables that Python has had for them.

Sources: "lnotab_notes.txt" and PEP 626 (until 3.10), "Objects/locations.md" of Python 3.11.
"""

import bisect
from typing import Callable, Iterator, List, Tuple

from ...errors import UnreadableCodeError
from .marshal_data import Code, Version

_Entries = Iterator[Tuple[int, int]]


def of(code: Code, python: Version) -> Callable[[int], int]:
    """The function from the offset of an instruction to its line.

    Errors: UnreadableCodeError, if the table does not fit the length of the code.
    """
    if python >= (3, 11):
        entries, exact = _locations(code.lines), True
    elif python >= (3, 10):
        entries, exact = _ranges(code.lines), True
    else:
        entries, exact = _increments(code.lines, python), False
    offsets: List[int] = []
    lines: List[int] = []
    offset, line = 0, code.firstlineno
    for length, change in entries:
        # Until Python 3.9 an entry tells the way to its line, and since then how long its line goes on.
        if not exact:
            offset += length
        line += change
        offsets.append(offset)
        lines.append(line)
        if exact:
            offset += length
    # Python 3.8 and 3.9 have no line that begins behind the last instruction. So their tables are none of Python 3.10.
    behind = offset == len(code.code) and offset > 0 and python in ((3, 8), (3, 9))
    if offset > len(code.code) or behind or (exact and offset != len(code.code)):
        raise UnreadableCodeError(f'The table of lines is for {offset} bytes of code, and there are {len(code.code)}.')

    def line_of(place: int) -> int:
        index = bisect.bisect_right(offsets, place) - 1
        return lines[index] if index >= 0 else code.firstlineno

    return line_of


def _increments(table: bytes, python: Version) -> _Entries:
    if len(table) % 2:
        raise UnreadableCodeError('The table of lines is cut.')
    for length, change in zip(table[::2], table[1::2]):
        yield length, change - 256 if change >= 128 and python >= (3, 6) else change


def _ranges(table: bytes) -> _Entries:
    if len(table) % 2:
        raise UnreadableCodeError('The table of lines is cut.')
    for length, change in zip(table[::2], table[1::2]):
        yield length, 0 if change == 128 else change - 256 if change > 128 else change


def _locations(table: bytes) -> _Entries:
    place = 0

    def byte() -> int:
        nonlocal place
        if place >= len(table):
            raise UnreadableCodeError('The table of lines is cut.')
        place += 1
        return table[place - 1]

    def number() -> int:
        """Six bits a byte, the lowest first."""
        value, shift = 0, 0
        while True:
            part = byte()
            value |= (part & 63) << shift
            shift += 6
            if not part & 64:
                return value
            if shift > 36:
                raise UnreadableCodeError('A number in the table of lines is too large.')

    while place < len(table):
        first = byte()
        if not first & 128:
            raise UnreadableCodeError('An entry of the table of lines begins in its middle.')
        kind, length, change = first >> 3 & 15, 2 * ((first & 7) + 1), 0
        if kind in (13, 14):
            signed = number()
            change = -(signed >> 1) if signed & 1 else signed >> 1
        if kind == 14:
            number(), number(), number()
        elif kind < 10:
            byte()
        elif kind < 13:
            change = kind - 10
            byte(), byte()
        yield length, change
