"""What the interpreter would refuse in a function, found without a call of it.

The list has names, imports, attributes and instructions, from the tables that the interpreter uses. It cannot be
complete: the attributes and functions of a value are refused by its kind, and the limits count what is done. Both are
known when the function runs. And what is listed is refused only where the function comes there: an error that it raises
for wrong arguments is listed, too.
"""

import builtins
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Set, Tuple

from .instructions import Step
from .limits import NotAllowed
from .machine import COROUTINES
from .marshal_data import Code
from .operations import REFUSED
from .values import ATTRIBUTES, Allowed, Namespace
from .which_python import Program, codes

_Names = Callable[[Mapping[str, Any], str], Any]
_Module = Callable[[str, Any], Any]


class Refusal(NamedTuple):
    """What is refused, and in which line of which function."""

    line: int
    function: str
    name: str
    reason: str


def refusals(program: Program, names: _Names, module: _Module, given: Mapping[str, Any], closure: int) -> List[Refusal]:
    """What the interpreter would refuse, in the order of lines.

    names, module: the tables of global names and of modules. given: the values of names that the program gives.
    closure: the number of variables of functions around it that are given.
    Result: one entry for each name in each line. `name` is `K.eval`, `open`, `.__class__`, `import os`, a word such as
    `raise`, or the name of an instruction.
    """
    refused: List[Refusal] = []
    for word in program.code.freevars[closure:]:
        refused += _Reading(program.code, names, module, given).tried(program.code.firstlineno, word)
    imported: Dict[str, Any] = {}
    for code in codes(program.code):
        reading = _Reading(code, names, module, given)
        reading.imported = imported
        refused += reading.of(program.steps_of(code))
    # An error is named where it is raised.
    seen: Set[Tuple[int, str]] = {
        (refusal.line, name) for refusal in refused if refusal.name == 'raise' for name in _ERRORS
    }  # fmt: skip
    kept = []
    for refusal in sorted(refused, key=lambda refusal: refusal.line):
        if (refusal.line, refusal.name) not in seen:
            seen.add((refusal.line, refusal.name))
            kept.append(refusal)
    return kept


class _Reading:
    """One code while it is read, one step behind the other."""

    def __init__(self, code: Code, names: _Names, module: _Module, given: Mapping[str, Any]) -> None:
        self.code, self.names, self.module, self.given = code, names, module, given
        # What the last step loaded, and its name: a module or a function of a table, None where it is not known.
        self.value: Any = None
        self.word = ''
        self.imports: Any = None
        self.imported: Dict[str, Any] = {}

    def of(self, steps: List[Step]) -> List[Refusal]:
        refused = []
        if self.code.flags & COROUTINES:
            refused.append(self.refusal(self.code.firstlineno, 'async', 'it is a coroutine'))
        reached = _reached(steps)
        before: Optional[Step] = None
        for position, step in enumerate(steps):
            if position in reached and step.operation.kind != 'nothing':
                refused += self.step(step, before)
                before = step
        return refused

    def step(self, step: Step, before: Optional[Step]) -> List[Refusal]:
        kind, word = step.operation.kind, step.operation.value
        value, self.value = self.value, None
        if kind == REFUSED:
            return [self.refusal(step.line, _SPOKEN.get(word, word), f'its instruction {word} is not allowed')]
        if kind == 'global':
            return self.tried(step.line, word)
        if kind in ('local', 'cell value'):
            self.value, self.word = self.imported.get(word), word
        elif kind in ('set local', 'set cell'):
            if value is None:
                self.imported.pop(word, None)
            else:
                self.imported[word] = value
        elif kind in ('attribute', 'method'):
            return self.attribute(step, word if kind == 'attribute' else word[0], value)
        elif kind == 'import':
            return self.to_import(step, before)
        elif kind == 'import from':
            return self.attribute(step, word, self.imports)
        elif kind in ('swap', 'rotate', 'drop', 'null'):
            self.value = value  # of `import a.b as c`, and of calls
        return []

    def refusal(self, line: int, name: str, reason: str) -> Refusal:
        return Refusal(line, self.code.name, name, reason)

    def tried(self, line: int, word: str) -> List[Refusal]:
        """Look for a global name."""
        self.word = word
        try:
            self.value = self.names(self.given, word)
        except NotAllowed as error:
            return [self.refusal(line, word, str(error))]
        return []

    def attribute(self, step: Step, word: str, value: Any) -> List[Refusal]:
        if isinstance(value, Namespace):
            self.word = f'{self.word}.{word}'
            try:
                self.value = value.member(word)
            except NotAllowed as error:
                return [self.refusal(step.line, f'{value.name}.{word}', str(error))]
        elif isinstance(value, Allowed):
            return [self.refusal(step.line, f'{self.word}.{word}', f'it uses the attribute {word} of a function')]
        elif word not in ATTRIBUTES and step.operation.kind != 'import from':
            return [self.refusal(step.line, f'.{word}', f'it uses the attribute {word}, which no value has here')]
        return []

    def to_import(self, step: Step, before: Optional[Step]) -> List[Refusal]:
        names = before.operation.value if before is not None and before.operation.kind == 'constant' else None
        self.word = step.operation.value
        try:
            self.value = self.imports = self.module(step.operation.value, names)
        except NotAllowed as error:
            self.imports = None
            return [self.refusal(step.line, f'import {step.operation.value or "."}', str(error))]
        return []


_ERRORS = [
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
]
# Instructions as programs have them.
_SPOKEN = {
    'RAISE_VARARGS': 'raise', 'STORE_GLOBAL': 'global', 'STORE_ATTR': 'attribute = value', 'LOAD_BUILD_CLASS': 'class',
    'DELETE_SUBSCR': 'del', 'BEFORE_WITH': 'with', 'SETUP_WITH': 'with', 'SETUP_FINALLY': 'try', 'SETUP_EXCEPT': 'try',
}  # fmt: skip


def _reached(steps: List[Step]) -> Set[int]:
    """The steps to which a way leads. Behind an instruction that is refused nothing is known."""
    reached: Set[int] = set()
    ways = [0]
    while ways:
        position = ways.pop()
        if position in reached or not 0 <= position < len(steps):
            continue
        reached.add(position)
        kind = steps[position].operation.kind
        if steps[position].target >= 0:
            ways.append(steps[position].target)
        if kind not in ('jump', 'break', 'return', 'return constant', REFUSED):
            ways.append(position + 1)
    return reached
