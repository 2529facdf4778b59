"""The bytes of a code object as operations, with the line of each."""

import bisect
from typing import Callable, Dict, Iterator, List, NamedTuple, Tuple

from ...errors import UnreadableCodeError
from . import opcodes
from .marshal_data import Code, Version
from .operations import Operation
from .translation import Place, operations

# -- lines -------------------------------------------------------------------------------------------------------------
# The lines of instructions: the three tables that Python has had for them.
#
# Sources: "lnotab_notes.txt" and PEP 626 (until 3.10), "Objects/locations.md" of Python 3.11.


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
    offset = 0

    def byte() -> int:
        nonlocal offset
        if offset >= len(table):
            raise UnreadableCodeError('The table of lines is cut.')
        offset += 1
        return table[offset - 1]

    def number() -> int:
        """Six bits a byte, the lowest first."""
        value, shift = 0, 0
        while True:
            bits = byte()
            value |= (bits & 63) << shift
            shift += 6
            if not bits & 64:
                return value
            if shift > 36:
                raise UnreadableCodeError('A number in the table of lines is too large.')

    while offset < len(table):
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


LONGEST = 1 << 16  # bytes of instructions


class Step(NamedTuple):
    """An operation, the step to which it jumps, and the line and the instruction that it is of."""

    operation: Operation
    target: int
    line: int
    instruction: str


def steps(code: Code, python: Version) -> List[Step]:
    """The operations of a code object.

    Errors: UnreadableCodeError, if an instruction is none of this Python, or a jump leads to no instruction.
    """
    if len(code.code) > LONGEST:
        raise UnreadableCodeError(f'The code {code.name} has {len(code.code)} bytes, more than {LONGEST}.')
    line_of = of(code, python)
    unlinked: List[Tuple[Operation, int, str]] = []
    starts: Dict[int, int] = {}
    for offset, name, argument, after in _instructions(code.code, python):
        starts[offset] = len(unlinked)
        translated = operations(Place(name, argument, after, code, python))
        unlinked += [(operation, line_of(offset), name) for operation in translated]
    linked = []
    for operation, line, name in unlinked:
        target = -1
        if operation.target is not None:
            if operation.target not in starts:
                raise UnreadableCodeError(f'{name} in line {line} of {code.name} jumps to no instruction.')
            target = starts[operation.target]
        linked.append(Step(operation, target, line, name))
    return linked


def _instructions(data: bytes, python: Version) -> Iterator[Tuple[int, str, int, int]]:
    """(offset, name, argument, offset of the next one) of each instruction. Prefixes of arguments are part of it."""
    names, caches = opcodes.names(python), opcodes.caches(python)
    start, extended, offset = 0, 0, 0
    pending: List[Tuple[int, str, int]] = []  # caches follow an instruction
    left = 0
    while offset < len(data):
        name = names.get(data[offset])
        if name is None:
            raise UnreadableCodeError(f'Byte {data[offset]} is no instruction of Python {python[0]}.{python[1]}.')
        offset, argument = _argument(data, offset, python)
        argument |= extended
        if argument >= 1 << 31:
            raise UnreadableCodeError(f'{name} has the argument {argument}, which is too large.')
        if name == 'EXTENDED_ARG':
            extended = argument << (8 if python >= (3, 6) else 16)
            continue
        if (name == 'CACHE') != (left > 0):
            raise UnreadableCodeError(
                f'{name} follows {pending[0][1] if pending else "nothing"}, which has other caches.'
            )
        if name != 'CACHE':
            for at, earlier, its in pending:
                yield at, earlier, its, start
            pending, left = [(start, name, argument)], caches.get(name, 0)
        else:
            left -= 1
        start, extended = offset, 0
    if left:
        raise UnreadableCodeError('The caches of the last instruction are cut.')
    for at, earlier, its in pending:
        yield at, earlier, its, offset


def _argument(data: bytes, offset: int, python: Version) -> Tuple[int, int]:
    """The offset behind an instruction, and its argument."""
    if python >= (3, 6):
        behind, width = offset + 2, 1
    else:
        width = 2 if data[offset] >= 90 else 0
        behind = offset + 1 + width
    if behind > len(data):
        raise UnreadableCodeError('The last instruction of the code is cut.')
    return behind, int.from_bytes(data[behind - width : behind], 'little')
