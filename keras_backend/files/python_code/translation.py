"""Instructions of Python 2.7 and 3.5 to 3.13, translated into operations.

Sources: the documentation of the module `dis` of each of these Pythons, and what they write.
"""

from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Union

from ...basics.tables import beside
from ...errors import UnreadableCodeError
from .marshal_data import Code, Version
from .operations import REFUSED, Call, Operation, call, jump, push, replace

COMPARISONS = ('<', '<=', '==', '!=', '>', '>=', 'in', 'not in', 'is', 'is not')
# The operators of BINARY_OP by their number. Those that change their left side follow in the same order.
OPERATORS = ('+', '&', '//', '<<', '@', '*', '%', '|', '**', '>>', '-', '/', '^')
BY_NAME = {
    'ADD': '+', 'AND': '&', 'FLOOR_DIVIDE': '//', 'LSHIFT': '<<', 'MATRIX_MULTIPLY': '@', 'MULTIPLY': '*',
    'MODULO': '%', 'OR': '|', 'POWER': '**', 'RSHIFT': '>>', 'SUBTRACT': '-', 'TRUE_DIVIDE': '/', 'XOR': '^',
    # The division of Python 2, which rounds integers down.
    'DIVIDE': 'old /',
}  # fmt: skip
EXCEPTION = 10  # of COMPARE_OP, until Python 3.8: in a handler of exceptions
POSITIVE, TO_TUPLE = 5, 6  # of CALL_INTRINSIC_1
TO_TEXT = 1  # of FORMAT_VALUE and CONVERT_VALUE: `!s`, before `!r` and `!a`


class Place(NamedTuple):
    """An instruction in its code. `after` is the offset of the next one."""

    name: str
    argument: int
    after: int
    code: Code
    python: Version


class MakeFunction(NamedTuple):
    """How a function is made of the stack.

    From the bottom: so many `defaults`, `pairs` of a name and a default, `annotations` and the tuple of their names;
    or, since Python 3.6, by `flags` a tuple, a dict, annotations; then the closure, the code, and its name.
    """

    defaults: int = 0
    pairs: int = 0
    annotations: int = 0
    flags: int = 0
    closure: bool = False
    has_name: bool = True

    @property
    def takes(self) -> int:
        """The number of values that are taken from the stack."""
        by_flags = sum([bool(self.flags & bit) for bit in (1, 2, 4)])
        annotations = self.annotations + bool(self.annotations)
        return self.defaults + 2 * self.pairs + annotations + by_flags + self.closure + 1 + self.has_name


_Some = Union[Operation, List[Operation]]
_Translate = Callable[[Place], _Some]
_TABLE: Dict[str, _Translate] = {}


def operations(place: Place) -> List[Operation]:
    """The operations of an instruction. One that is not allowed gives an operation of the kind REFUSED.

    Errors: UnreadableCodeError, if the argument of the instruction points outside of its table.
    """
    translate = _TABLE.get(place.name)
    if translate is None:
        return [Operation(REFUSED, place.name)]
    translated = translate(place)
    return translated if isinstance(translated, list) else [translated]


def _of(*names: str) -> Callable[[_Translate], _Translate]:
    def enter(translate: _Translate) -> _Translate:
        _TABLE.update(dict.fromkeys(names, translate))
        return translate

    return enter


def _entry(table: Sequence[Any], index: int, what: str) -> Any:
    if not 0 <= index < len(table):
        raise UnreadableCodeError(f'An instruction asks for {what} {index} of {len(table)}.')
    return table[index]


def _name(place: Place, shift: int = 0) -> str:
    return str(_entry(place.code.names, place.argument >> shift, 'name'))


def _local(place: Place, index: int) -> str:
    return str(_entry(place.code.localsplus if place.python >= (3, 11) else place.code.varnames, index, 'variable'))


def _cell(place: Place) -> str:
    if place.python >= (3, 11):
        return _local(place, place.argument)
    return str(_entry(place.code.cellvars + place.code.freevars, place.argument, 'variable'))


def _unit(place: Place) -> int:
    """The bytes that a jump counts as one."""
    return 2 if place.python >= (3, 10) else 1


def _forward(place: Place) -> int:
    return place.after + place.argument * _unit(place)


def _backward(place: Place) -> int:
    return place.after - place.argument * _unit(place)


def _target(place: Place) -> int:
    """The target of a jump that was absolute until Python 3.10."""
    if place.python >= (3, 11):
        return _backward(place) if 'BACKWARD' in place.name else _forward(place)
    return place.argument * _unit(place)


# translations.json has a row for each instruction that is one operation: its kind, its value, how many values it takes,
# and by how many it changes their number. A pair of numbers (n, m) is n + m times the argument of the instruction.
_VALUES: Dict[str, Callable[[Place], Any]] = {
    'the argument': lambda place: place.argument,
    'the constant': lambda place: _entry(place.code.consts, place.argument, 'constant'),
    'the local': lambda place: _local(place, place.argument),
    'the cell': _cell,
    'the name': _name,
}


def _row(kind: str, value: Any = None, takes: Any = 0, effect: Any = 0) -> _Translate:
    def count(number: Any, place: Place) -> int:
        return int(number[0] + number[1] * place.argument if isinstance(number, list) else number)

    def translate(place: Place) -> Operation:
        of_place = _VALUES[value](place) if value in _VALUES else value
        return Operation(kind, of_place, count(takes, place), count(effect, place))

    return translate


for _names, _columns in beside(__file__, 'translations.json').items():
    _TABLE.update(dict.fromkeys(_names.split(), _row(*_columns)))

_TABLE.update(
    END_FOR=lambda place: [replace('drop', 1, gives=0)] * (2 if place.python < (3, 13) else 1),
    # It is not done, and the text of a function shows it.
    RAISE_VARARGS=lambda place: Operation(REFUSED, place.name, place.argument),
)


@_of('DUP_TOPX')
def _repeat(place: Place) -> Operation:
    count = place.argument
    if not 1 <= count <= 5:
        raise UnreadableCodeError(f'An instruction repeats {count} values.')
    return Operation('repeat', count, count, count)


@_of('LOAD_FAST', 'LOAD_FAST_CHECK', 'LOAD_FAST_AND_CLEAR')
def _load_local(place: Place) -> Operation:
    kind = 'local or null' if place.name == 'LOAD_FAST_AND_CLEAR' else 'local'
    return push(kind, _local(place, place.argument))


@_of('LOAD_FAST_LOAD_FAST', 'STORE_FAST_LOAD_FAST', 'STORE_FAST_STORE_FAST')
def _two_locals(place: Place) -> List[Operation]:
    first, second = [_local(place, index) for index in (place.argument >> 4, place.argument & 15)]
    store = [replace('set local', 1, name, 0) for name in (first, second)]
    if place.name == 'STORE_FAST_STORE_FAST':
        return store
    return [push('local', first) if place.name.startswith('LOAD') else store[0], push('local', second)]


@_of('LOAD_GLOBAL')
def _load_global(place: Place) -> List[Operation]:
    if place.python < (3, 11):
        return [push('global', _name(place))]
    load = push('global', _name(place, 1))
    if not place.argument & 1:
        return [load]
    return [load, push('null')] if place.python >= (3, 13) else [push('null'), load]


@_of('LOAD_ATTR', 'LOAD_METHOD')
def _load_attribute(place: Place) -> Operation:
    method = place.name == 'LOAD_METHOD' or (place.python >= (3, 12) and place.argument & 1)
    name = _name(place, 1 if place.python >= (3, 12) else 0)
    if not method:
        return replace('attribute', 1, name)
    return replace('method', 1, (name, place.python < (3, 13)), 2)


# Operators.
def _always(operation: Operation) -> _Translate:
    return lambda place: operation


for _word, _operator in BY_NAME.items():
    _TABLE['BINARY_' + _word] = _always(replace('binary', 2, _operator))
    _TABLE['INPLACE_' + _word] = _always(replace('change', 2, _operator))
for _word, _operator in (('NEGATIVE', '-'), ('POSITIVE', '+'), ('NOT', 'not'), ('INVERT', '~')):
    _TABLE['UNARY_' + _word] = _always(replace('unary', 1, _operator))
_TABLE.update(
    BINARY_SLICE=lambda place: replace('slice item', 3, (True, True)),
    CONTAINS_OP=lambda place: replace('compare', 2, ('in', 'not in')[place.argument & 1]),
    IS_OP=lambda place: replace('compare', 2, ('is', 'is not')[place.argument & 1]),
)
for _bits in range(4):
    _ends = bool(_bits & 1), bool(_bits & 2)
    _TABLE[f'SLICE+{_bits}'] = _always(replace('slice item', 1 + sum(_ends), _ends))


@_of('BINARY_OP')
def _binary(place: Place) -> Operation:
    kind = 'binary' if place.argument < len(OPERATORS) else 'change'
    return replace(kind, 2, _entry(OPERATORS * 2, place.argument, 'operator'))


@_of('COMPARE_OP')
def _compare(place: Place) -> Operation:
    shift = 5 if place.python >= (3, 13) else 4 if place.python >= (3, 12) else 0
    if place.python < (3, 9) and place.argument == EXCEPTION:
        return Operation(REFUSED, 'COMPARE_OP of exceptions')
    known = COMPARISONS if place.python < (3, 9) else COMPARISONS[:6]
    return replace('compare', 2, _entry(known, place.argument >> shift, 'comparison'))


@_of('CALL_INTRINSIC_1')
def _intrinsic(place: Place) -> Operation:
    if place.argument == POSITIVE:
        return replace('unary', 1, '+')
    return replace('tuple of', 1) if place.argument == TO_TUPLE else Operation(REFUSED, place.name)


# Containers.
_TABLE.update(
    STORE_MAP=lambda place: Operation('map add', (1, True), 3, -2),
    MAP_ADD=lambda place: Operation('map add', (place.argument, place.python < (3, 8)), place.argument + 2, -2),
)


@_of('BUILD_TUPLE_UNPACK', 'BUILD_LIST_UNPACK', 'BUILD_SET_UNPACK', 'BUILD_TUPLE_UNPACK_WITH_CALL')
def _chain(place: Place) -> Operation:
    return replace('chain', place.argument, place.name.split('_')[1].lower())


@_of('BUILD_MAP')
def _build_map(place: Place) -> Operation:
    pairs = place.argument if place.python >= (3, 5) else 0
    return replace('dict', 2 * pairs, pairs)


@_of('BUILD_MAP_UNPACK', 'BUILD_MAP_UNPACK_WITH_CALL')
def _merge_dicts(place: Place) -> Operation:
    count = place.argument & 0xFF if place.python < (3, 6) else place.argument
    return replace('merge', count, count)


@_of('UNPACK_EX')
def _unpack_rest(place: Place) -> Operation:
    before, after = place.argument & 0xFF, place.argument >> 8
    return replace('unpack rest', 1, (before, after), before + 1 + after)


# Text.
@_of('FORMAT_VALUE', 'CONVERT_VALUE', 'FORMAT_SIMPLE')
def _format(place: Place) -> Operation:
    if place.name == 'FORMAT_VALUE' and place.argument & 4:
        return Operation(REFUSED, 'FORMAT_VALUE with a format')
    conversion = 0 if place.name == 'FORMAT_SIMPLE' else place.argument & 3
    if conversion > TO_TEXT:
        return Operation(REFUSED, f'{place.name} by repr')
    return replace('text of', 1, '!s' if conversion else '')


# Jumps and loops.
_TABLE.update(
    JUMP_FORWARD=lambda place: jump('jump', _forward(place), 0, 0, 0),
    JUMP_ABSOLUTE=lambda place: jump('jump', place.argument * _unit(place), 0, 0, 0),
    JUMP_BACKWARD=lambda place: jump('jump', _backward(place), 0, 0, 0),
    SETUP_LOOP=lambda place: jump('block', _forward(place), 0, 0, 0),
)


@_of('FOR_ITER')
def _next(place: Place) -> Operation:
    """The next element. At the end Python took the iterator away until 3.11, and END_FOR takes two values since."""
    keeps = place.python >= (3, 12)
    return jump('next', _forward(place), 1, 1, 1 if keeps else -1, keeps)


@_of(
    *(
        f'POP_JUMP_{way}IF_{when}'
        for way in ('', 'FORWARD_', 'BACKWARD_')
        for when in ('TRUE', 'FALSE', 'NONE', 'NOT_NONE')
    )
)
def _jump_if(place: Place) -> Operation:
    when = place.name.split('IF_')[1].lower().replace('_', ' ')
    return jump('jump if', _target(place), 1, -1, -1, when)


@_of('JUMP_IF_TRUE_OR_POP', 'JUMP_IF_FALSE_OR_POP')
def _jump_or_drop(place: Place) -> Operation:
    target = _forward(place) if place.python >= (3, 11) else _target(place)
    return jump('jump or drop', target, 1, -1, 0, 'TRUE' in place.name)


# Calls.
@_of('CALL_FUNCTION', 'CALL_FUNCTION_VAR', 'CALL_FUNCTION_KW', 'CALL_FUNCTION_VAR_KW', 'CALL_METHOD', 'CALL', 'CALL_KW')
def _call(place: Place) -> Operation:
    name, argument, python = place.name, place.argument, place.python
    if name in ('CALL_METHOD', 'CALL', 'CALL_KW'):
        return call(Call(argument, names=name == 'CALL_KW', two=True))
    if python >= (3, 6):
        return call(Call(argument, names=name == 'CALL_FUNCTION_KW'))
    shape = Call(argument & 0xFF, argument >> 8, star='VAR' in name, stars='KW' in name)
    return call(shape._replace(star_first=python >= (3, 5)))


_TABLE.update(
    CALL_FUNCTION_EX=lambda place: call(Call(star=True, stars=bool(place.argument & 1), two=place.python >= (3, 11)))
)


# Functions.
@_of('MAKE_FUNCTION', 'MAKE_CLOSURE')
def _make_function(place: Place) -> Operation:
    argument, python = place.argument, place.python
    closure = place.name == 'MAKE_CLOSURE'
    if python >= (3, 13):
        shape = MakeFunction(has_name=False)
    elif python >= (3, 6):
        shape = MakeFunction(flags=argument, closure=bool(argument & 8), has_name=python < (3, 11))
    elif python >= (3, 0):
        shape = MakeFunction(argument & 0xFF, argument >> 8 & 0xFF, argument >> 16 & 0x7FFF, 0, closure)
    else:
        shape = MakeFunction(argument, closure=closure, has_name=False)
    return replace('function', shape.takes, shape)
