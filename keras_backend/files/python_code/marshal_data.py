"""The marshal format of Python, and the code objects in it, read into plain objects.

Sources: the documentation of `marshal` and `types.CodeType`; what Python 2.7 and 3.6 to 3.13 write.

Of all that the format can hold, a code object needs the constants of Python, tuples and other code objects. The reader
takes these only. All of them are immutable, so a reference to an earlier object (`r`) can alias nothing that changes.

References let few bytes stand for very many objects: a tuple of the same tuple twice, and so on. The reader counts the
parts of each object by all ways to them, and refuses data of too many. So no reader of a code has to look for aliases.
"""

import struct
from typing import Any, Callable, Dict, FrozenSet, List, NamedTuple, Tuple, Type, TypeVar

from ...errors import UnreadableCodeError

Version = Tuple[int, int]
_T = TypeVar('_T')

MOST_BYTES = 1 << 22
MOST_PARTS = 30_000  # objects, instructions, and entries of tables of lines
MOST_IN_SETS = 1_000_000  # the sum of the squares of their sizes: all elements may have one hash
DEEPEST = 40
LONGEST_NAME = 1000
LARGEST_STACK = 1 << 16
LARGEST_INTEGER = 4096  # bits

# Bits of the kinds of local variables since Python 3.11.
LOCAL, CELL, FREE = 0x20, 0x40, 0x80


class Fields(NamedTuple):
    """The fields of `types.CodeType`, without `co_`."""

    argcount: int
    posonlyargcount: int
    kwonlyargcount: int
    stacksize: int
    flags: int
    code: bytes
    consts: Tuple[Any, ...]
    names: Tuple[str, ...]
    varnames: Tuple[str, ...]
    freevars: Tuple[str, ...]
    cellvars: Tuple[str, ...]
    filename: str
    name: str
    firstlineno: int
    lines: bytes
    # Since Python 3.11: the names of all local variables, in the order in which instructions count them.
    localsplus: Tuple[str, ...]


class Code:
    """A code object, which is no tuple to the code that has it as a constant."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.argcount, self.posonlyargcount, self.kwonlyargcount = fields[:3]
        self.stacksize, self.flags, self.code, self.consts, self.names = fields[3:8]
        self.varnames, self.freevars, self.cellvars, self.filename, self.name = fields[8:13]
        self.firstlineno, self.lines, self.localsplus = fields[13:]

    @property
    def arguments(self) -> Tuple[str, ...]:
        """The names of the arguments, those of `*args` and `**kwargs` behind the others."""
        return self.varnames[: self.argcount + self.kwonlyargcount + bool(self.flags & 4) + bool(self.flags & 8)]

    @property
    def is_generator(self) -> bool:
        """Whether the code yields values."""
        return bool(self.flags & 0x20)


class _Reader:
    def __init__(self, data: bytes, python: Version) -> None:
        self._data, self._python, self._place = data, python, 0
        # An object that is being read has a place in the list, and no value yet.
        self._references: List[Any] = []
        self._interned: List[str] = []
        self._objects = self._in_sets = self._of_codes = 0
        # By the id of a tuple or a code, the number of its parts by all ways to them.
        self._sizes: Dict[int, int] = {}
        self._kept: List[Any] = []  # so that no id is used twice

    def take(self, count: int) -> bytes:
        taken = self._data[self._place : self._place + count]
        if count < 0 or len(taken) < count:
            raise UnreadableCodeError('The code ends too early.')
        self._place += count
        return taken

    def ends(self) -> bool:
        return self._place == len(self._data)

    def byte(self) -> int:
        return self.take(1)[0]

    def integer(self) -> int:
        return int(struct.unpack('<i', self.take(4))[0])

    def object(self, depth: int = 0) -> Any:
        self._objects += 1
        if depth > DEEPEST or self._objects > MOST_PARTS:
            raise UnreadableCodeError('The code is nested too deep, or has too many parts.')
        kind = self.byte()
        flagged = self._python >= (3, 4) and kind & 0x80
        read = _KINDS.get(chr(kind & 0x7F if flagged else kind))
        if read is None:
            raise UnreadableCodeError(f'Byte {kind} at {self._place - 1} is no constant of Python.')
        if not flagged:
            return read(self, depth + 1)
        index = len(self._references)
        self._references.append(_UNREAD)
        value = self._references[index] = read(self, depth + 1)
        return value

    def many(self, count: int, depth: int) -> Tuple[Any, ...]:
        if not 0 <= count <= MOST_PARTS:
            raise UnreadableCodeError(f'A tuple of {count} elements is too long.')
        values = tuple([self.object(depth) for _ in range(count)])
        self.weigh(values, 1 + self.size_of(values))
        return values

    def size_of(self, values: Tuple[Any, ...]) -> int:
        return sum([self._sizes.get(id(value), 1) for value in values])

    def weigh(self, made: Any, size: int) -> None:
        if size > MOST_PARTS:
            raise UnreadableCodeError(f'The code has {size} parts, more than {MOST_PARTS}.')
        self._sizes[id(made)] = size
        self._kept.append(made)

    def set(self, depth: int) -> FrozenSet[Any]:
        values = self.many(self.integer(), depth)
        for value in values:
            if not isinstance(value, (str, bytes, int, float, complex, type(None))):
                raise UnreadableCodeError(f'A set in the code holds a {type(value).__name__}.')
        self._in_sets += len(values) ** 2
        if self._in_sets > MOST_IN_SETS:
            raise UnreadableCodeError('The code has sets of too many elements.')
        return frozenset(values)

    def long(self, depth: int) -> int:
        count = self.integer()
        if abs(count) * 15 > LARGEST_INTEGER:
            raise UnreadableCodeError('An integer in the code is too large.')
        digits = struct.unpack(f'<{abs(count)}H', self.take(2 * abs(count)))
        value = sum([int(digit) << 15 * i for i, digit in enumerate(digits)])
        return -value if count < 0 else value

    def float_text(self, depth: int) -> float:
        try:
            return float(self.take(self.byte()).decode('ascii'))
        except ValueError:
            raise UnreadableCodeError('A number in the code cannot be read.') from None

    def text(self, count: int, encoding: str) -> str:
        try:
            return self.take(count).decode(encoding, 'surrogatepass' if encoding == 'utf8' else 'strict')
        except ValueError:
            raise UnreadableCodeError('A string in the code cannot be decoded.') from None

    def interned(self, depth: int) -> str:
        if self._python >= (3, 0):
            return self.text(self.integer(), 'utf8')
        self._interned.append(self.text(self.integer(), 'latin1'))
        return self._interned[-1]

    def earlier(self, known: List[Any]) -> Any:
        index = self.integer()
        if not 0 <= index < len(known) or known[index] is _UNREAD:
            raise UnreadableCodeError('The code refers to an object that is not there.')
        return known[index]

    def code(self, depth: int) -> Code:
        python = self._python
        argcount = self.integer()
        posonly = self.integer() if python >= (3, 8) else 0
        kwonly = self.integer() if python >= (3, 0) else 0
        local_count = self.integer() if python < (3, 11) else 0
        stacksize, flags = self.integer(), self.integer()
        code, consts, names = self.bytes_of(depth), self.tuple_of(depth), self.names_of(depth)
        constants = self.size_of(consts)
        if python < (3, 0):
            consts = _as_text(consts)
        if python >= (3, 11):
            localsplus, kinds = self.names_of(depth), self.bytes_of(depth)
            if len(kinds) != len(localsplus):
                raise UnreadableCodeError('The local variables of the code have no kinds.')
            varnames, cellvars, freevars = [
                tuple([name for name, kind in zip(localsplus, kinds) if kind & bit]) for bit in (LOCAL, CELL, FREE)
            ]
        else:
            varnames, freevars, cellvars = [self.names_of(depth) for _ in range(3)]
            localsplus = ()
            if local_count != len(varnames):
                raise UnreadableCodeError('The code has another number of local variables than it says.')
        filename, name = self.name_of(depth), self.name_of(depth)
        if python >= (3, 11):
            self.name_of(depth)  # the qualified name
        first, lines = self.integer(), self.bytes_of(depth)
        if python >= (3, 11):
            self.bytes_of(depth)  # the table of exceptions: none are caught
        arguments = argcount + kwonly + bool(flags & 4) + bool(flags & 8)
        if min(argcount, posonly, kwonly) < 0 or posonly > argcount or arguments > len(varnames):
            raise UnreadableCodeError('The code has a number of arguments that cannot be.')
        if not 0 <= stacksize <= LARGEST_STACK:
            raise UnreadableCodeError(f'The code says that its stack has {stacksize} values.')
        code_object = Code(
            Fields(
                argcount, posonly, kwonly, stacksize, flags, code, consts, names, varnames, freevars, cellvars,
                filename, name, first, lines, localsplus,
            )
        )  # fmt: skip
        names_in_all = sum([len(words) for words in (names, varnames, freevars, cellvars)])
        size = constants + names_in_all + (len(code) + len(lines)) // 2
        self._of_codes += size
        if self._of_codes > 2 * MOST_PARTS:
            raise UnreadableCodeError(f'The codes in the code have more than {2 * MOST_PARTS} parts.')
        self.weigh(code_object, size)
        return code_object

    def bytes_of(self, depth: int) -> bytes:
        value = self.object(depth)
        if self._python < (3, 0) and isinstance(value, str):  # Python 2 interns short ones
            value = value.encode('latin1', 'replace')
        return _checked(value, bytes)

    def tuple_of(self, depth: int) -> Tuple[Any, ...]:
        return _checked(self.object(depth), tuple)

    def name_of(self, depth: int) -> str:
        return self._name(self.object(depth))

    def names_of(self, depth: int) -> Tuple[str, ...]:
        return tuple([self._name(name) for name in self.tuple_of(depth)])

    def _name(self, name: Any) -> str:
        """A name, which messages show: a terminal obeys some texts."""
        text = _checked(_as_text(name) if self._python < (3, 0) else name, str)
        if len(text) > LONGEST_NAME or not text.isprintable():
            raise UnreadableCodeError('A name in the code is too long, or cannot be printed.')
        return text


def _as_text(value: Any) -> Any:
    """A constant of Python 2, whose `str` is a string of Python 3."""
    if isinstance(value, bytes):
        return value.decode('latin1')
    return tuple([_as_text(element) for element in value]) if type(value) is tuple else value


def _checked(value: Any, kind: Type[_T]) -> _T:
    if type(value) is not kind:
        raise UnreadableCodeError(f'The code has a {type(value).__name__} in the place of a {kind.__name__}.')
    return value


_UNREAD = object()
_Read = Callable[[_Reader, int], Any]


def _number(form: str) -> _Read:
    size = struct.calcsize(form)

    def read(reader: _Reader, depth: int) -> Any:
        values = struct.unpack(form, reader.take(size))
        return values[0] if len(values) == 1 else complex(*values)

    return read


def _text(size: str, encoding: str) -> _Read:
    def read(reader: _Reader, depth: int) -> str:
        return reader.text(reader.byte() if size == 'short' else reader.integer(), encoding)

    return read


_KINDS: Dict[str, _Read] = {
    'N': lambda reader, depth: None,
    'T': lambda reader, depth: True,
    'F': lambda reader, depth: False,
    '.': lambda reader, depth: Ellipsis,
    'i': lambda reader, depth: reader.integer(),
    'I': _number('<q'),
    'l': _Reader.long,
    'g': _number('<d'),
    'f': _Reader.float_text,
    'y': _number('<dd'),
    's': lambda reader, depth: reader.take(reader.integer()),
    't': _Reader.interned,
    'R': lambda reader, depth: reader.earlier(reader._interned),
    'u': _text('long', 'utf8'),
    'a': _text('long', 'latin1'),
    'A': _text('long', 'latin1'),
    'z': _text('short', 'latin1'),
    'Z': _text('short', 'latin1'),
    '(': lambda reader, depth: reader.many(reader.integer(), depth),
    ')': lambda reader, depth: reader.many(reader.byte(), depth),
    '>': _Reader.set,
    'r': lambda reader, depth: reader.earlier(reader._references),
    'c': _Reader.code,
}


def read(data: bytes, python: Version) -> Code:
    """The code object in marshalled data, as a Python of a version writes it.

    Errors: UnreadableCodeError, if the data is anything else, or if bytes are left after it.
    """
    if len(data) > MOST_BYTES:
        raise UnreadableCodeError(f'The data has {len(data)} bytes, more than {MOST_BYTES}.')
    reader = _Reader(data, python)
    code = reader.object()
    if not isinstance(code, Code) or not reader.ends():
        raise UnreadableCodeError('The data is not exactly one code object.')
    return code
