"""The bytes of a code object as operations, with the line of each."""

from typing import Dict, Iterator, List, NamedTuple, Tuple

from ...errors import UnreadableCodeError
from . import lines, opcodes
from .marshal_data import Code, Version
from .operations import Operation
from .translation import Place, operations

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
    line_of = lines.of(code, python)
    made: List[Tuple[Operation, int, str]] = []
    starts: Dict[int, int] = {}
    for offset, name, argument, after in _instructions(code.code, python):
        starts[offset] = len(made)
        translated = operations(Place(name, argument, after, code, python))
        made += [(operation, line_of(offset), name) for operation in translated]
    found = []
    for operation, line, name in made:
        target = -1
        if operation.target is not None:
            if operation.target not in starts:
                raise UnreadableCodeError(f'{name} in line {line} of {code.name} jumps to no instruction.')
            target = starts[operation.target]
        found.append(Step(operation, target, line, name))
    return found


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
