"""Which Python wrote a code object: the one in whose instructions everything fits.

A file does not say which Python wrote the byte code in it. The layout of a code object, its table of lines and its
instructions differ from Python to Python, and each code says how deep its stack becomes. Code of Python 3.10 with a
jump, read as that of 3.9, jumps into the middle of something or comes out with another depth. Where several Pythons
fit, they nearly always give the same operations, and it does not matter which one wrote them.
"""

from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from ...errors import UnreadableCodeError
from . import instructions, marshal_data, opcodes
from .instructions import Step
from .marshal_data import Code, Version
from .operations import REFUSED, Operation

# -- the stack at each step --------------------------------------------------------------------------------------------
# How many values are on the stack at each step: a code that fits its Python comes out with what it says itself.


_State = Tuple[int, Tuple[Tuple[int, int], ...]]  # the depth, and (where it goes on, depth) of each loop
ENDS = ('return', 'return constant', REFUSED)
DEEPEST_LOOP = 20  # as in Python


def deepest(steps: List[Step]) -> int:
    """The largest number of values on the stack.

    Errors: UnreadableCodeError, if a step takes more than there is, if two ways to a step come with different numbers,
    or if a way leads behind the last step.
    """
    seen: Dict[int, _State] = {}
    ways: List[Tuple[int, _State]] = [(0, (0, ()))]
    most = 0
    while ways:
        position, state = ways.pop()
        if position >= len(steps):
            raise UnreadableCodeError('The code has no end.')
        if position in seen:
            if seen[position] != state:
                raise UnreadableCodeError(f'The stack at {steps[position].instruction} has one depth or another.')
            continue
        seen[position] = state
        depth, blocks = state
        operation, target = steps[position].operation, steps[position].target
        if operation.takes > depth:
            raise UnreadableCodeError(f'{steps[position].instruction} takes more than there is on the stack.')
        after = depth + operation.effect
        most = max(most, after)
        kind = operation.kind
        if kind in ENDS:
            continue
        if kind == 'block':
            if len(blocks) >= DEEPEST_LOOP:
                raise UnreadableCodeError(f'More than {DEEPEST_LOOP} loops are in each other.')
            ways.append((position + 1, (after, (*blocks, (target, depth)))))
        elif kind in ('break', 'end block'):
            if not blocks:
                raise UnreadableCodeError(f'{steps[position].instruction} is outside of a loop.')
            *outer, (behind, outside) = blocks
            ways.append((behind, (outside, tuple(outer))) if kind == 'break' else (position + 1, (after, tuple(outer))))
        else:
            if kind != 'jump':
                ways.append((position + 1, (after, blocks)))
            if target >= 0:
                ways.append((target, (depth + operation.jump_effect, blocks)))
                most = max(most, depth + operation.jump_effect)
    return most


class Program(NamedTuple):
    """A code object that fits `pythons`, and the steps of it and of all codes in it, by their id."""

    code: Code
    pythons: Tuple[Version, ...]
    steps: Dict[int, List[Step]]

    @property
    def is_python_2(self) -> bool:
        """Whether Python 2 wrote the code, in which some names mean something else."""
        return self.pythons[0] < (3, 0)

    def steps_of(self, code: Code) -> List[Step]:
        """The steps of a code of this program."""
        return self.steps[id(code)]


class _Fit(NamedTuple):
    code: Code
    steps: List[List[Step]]
    # Whether the stack becomes as deep as each code says, and whether each instruction is one that may be used. The
    # first weighs more: a code of another Python has both by accident only.
    rank: Tuple[bool, bool]


def read(data: bytes, likely: Optional[Iterable[Version]] = None) -> Program:
    """The code in marshalled data.

    likely: Pythons that come first where several fit and mean different things, for instance those of the time of the
    Keras that wrote the file. The newest comes first otherwise.
    Errors: UnreadableCodeError, if the data is no code of a Python from 2.7 to 3.13.
    """
    fits: Dict[Version, _Fit] = {}
    reasons: Dict[Version, str] = {}
    for python in opcodes.pythons():
        try:
            fits[python] = _fit(data, python)
        except UnreadableCodeError as error:
            reasons[python] = str(error)
    if not fits:
        pythons = ' '.join([f'{major}.{minor}: {reasons[major, minor]}' for major, minor in sorted(reasons)[-3:]])
        raise UnreadableCodeError(f'The bytes are no function of a Python from 2.7 to 3.13. {pythons}')
    best = max([fit.rank for fit in fits.values()])
    fits = {python: fit for python, fit in fits.items() if fit.rank == best}
    first = [python for python in likely or () if python in fits]
    taken = first[0] if first else max(fits)
    meaning = _meaning(fits[taken])
    same = tuple([python for python, fit in fits.items() if python == taken or _meaning(fit) == meaning])
    fit = fits[taken]
    return Program(fit.code, same, {id(code): steps for code, steps in zip(codes(fit.code), fit.steps)})


def codes(code: Code) -> List[Code]:
    """A code and all those in its constants, each once."""
    by_id: Dict[int, Code] = {}
    seen: Set[int] = set()

    def enter(constant: Any) -> None:
        if id(constant) in seen or not isinstance(constant, (Code, tuple)):
            return
        seen.add(id(constant))
        if isinstance(constant, Code):
            by_id[id(constant)] = constant
        for inner in constant.consts if isinstance(constant, Code) else constant:
            enter(inner)

    enter(code)
    return list(by_id.values())


def _fit(data: bytes, python: Version) -> _Fit:
    outermost = marshal_data.read(data, python)
    every, exact, usable = [], True, True
    for code in codes(outermost):
        steps = instructions.steps(code, python)
        depth = deepest(steps)
        if depth > code.stacksize:
            raise UnreadableCodeError(f'The stack of {code.name} has {depth} values, and it says {code.stacksize}.')
        # Some Pythons say 0 and some say 1 where nothing is on the stack.
        exact = exact and max(depth, 1) == max(code.stacksize, 1)
        usable = usable and not any([step.operation.kind == REFUSED for step in steps])
        every.append(steps)
    return _Fit(outermost, every, (exact, usable))


def _meaning(fit: _Fit) -> Any:
    """What the interpreter sees: equal for two Pythons whose code means the same."""
    heads = [(c.argcount, c.posonlyargcount, c.kwonlyargcount, c.flags & 0x2C, c.varnames) for c in codes(fit.code)]
    # A constant is told by its number: many instructions may load the same large one.
    numbers: Dict[int, int] = {}
    constants: List[Any] = []

    def told(operation: Operation) -> Any:
        if operation.kind not in ('constant', 'return constant', 'keywords'):
            return operation.value
        if id(operation.value) not in numbers:
            numbers[id(operation.value)] = len(numbers)
            constants.append(_value(operation.value))
        return numbers[id(operation.value)]

    bodies = [[(step.operation.kind, told(step.operation), step.target) for step in steps] for steps in fit.steps]
    return heads, bodies, constants


def _value(value: Any) -> Any:
    """A value that can be compared: 1, 1.0 and True differ, NaN is itself."""
    if type(value) is tuple:
        return tuple([_value(element) for element in value])
    return (type(value).__name__, None if isinstance(value, Code) else repr(value))
