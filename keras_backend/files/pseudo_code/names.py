"""Variables whose names would mean something else in a text than they do in the code."""

from collections import Counter
from typing import Dict, FrozenSet, List, NamedTuple, Set, Tuple

from ..python_code.instructions import Step
from ..python_code.marshal_data import Code
from ..python_code.which_python import Program, codes
from .blocks import Block
from .nodes import DEEPEST, Node, Unclear, Visits, resolved

MOST_CODES = 2000


class _Names(NamedTuple):
    own: FrozenSet[str]  # variables that have a value in the code
    local: FrozenSet[str]  # those that it reads as its own
    outer: FrozenSet[str]  # those that it reads as global names
    wrong: FrozenSet[str]  # those that it uses as shared with other functions, and which are not


def mixed_names(program: Program) -> Dict[int, str]:
    """By the id of a code, a name that it uses as no text of Python does.

    It reads a variable of its own that never has a value, a variable of a function around it that is none, or a global
    name that is a variable of it or of a function around it.
    """
    mixed: Dict[int, str] = {}
    known: Dict[int, _Names] = {}
    # Variables of the functions around that a code sets: `nonlocal`, and `:=` in a comprehension.
    shared = {
        step.operation.value
        for code in codes(program.code)
        for step in program.steps_of(code)
        if step.operation.kind == 'set cell' and step.operation.value in code.freevars
    }
    ways: List[Tuple[Code, FrozenSet[str]]] = [(program.code, frozenset(program.code.freevars))]
    seen: Set[Tuple[int, FrozenSet[str]]] = set()
    while ways:
        code, around = ways.pop()
        if (id(code), around) in seen:
            continue
        seen.add((id(code), around))
        if len(seen) > MOST_CODES:
            mixed[id(code)] = '...'
            continue
        names = known.get(id(code)) or known.setdefault(id(code), _names_of(program, code))
        own = names.own | shared.intersection(code.cellvars)
        wrong = names.wrong | (names.local - own) | (names.outer & (own | around)) | (set(code.freevars) - around)
        if wrong:
            mixed[id(code)] = min(wrong)
        inner = around | own
        ways += [(constant, inner) for constant in code.consts if isinstance(constant, Code)]
    return mixed


def _names_of(program: Program, code: Code) -> _Names:
    own, local, outer, inlined = set(code.arguments), set(), set(), set()
    wrong, shared = set(), code.cellvars + code.freevars
    operations = [step.operation for step in program.steps_of(code)]
    kinds = Counter([(one.kind, one.value) for one in operations if one.kind in ('make cell', 'local or null')])
    if program.pythons[-1] >= (3, 11):
        for word in code.cellvars:
            if not 1 <= kinds['make cell', word] <= 1 + kinds['local or null', word]:
                wrong.add(word)
    for step in program.steps_of(code):
        kind, value = step.operation.kind, step.operation.value
        if kind in ('cell value', 'set cell') and value not in shared:
            wrong.add(value)
        if kind == 'global':
            outer.add(value)
        elif kind in ('set local', 'set cell') and value not in code.freevars:
            own.add(value)
        elif kind in ('local', 'cell value') and value not in code.freevars:
            local.add(value)
        elif kind == 'local or null':
            inlined.add(value)
    # The variable of a comprehension may have the name of a global one.
    return _Names(frozenset(own - (inlined & outer)), frozenset(local - inlined), frozenset(outer), frozenset(wrong))


def check_variables(code: Code, steps: List[Step], blocks: Dict[int, Block], visits: Visits) -> None:
    """Each variable that has a value in comprehensions alone is used in them alone.

    Errors: Unclear, if one is not: a text would say something else than the code.
    """
    inlined = Counter([step.operation.value for step in steps if step.operation.kind == 'local or null'])
    if not inlined:
        return
    nodes = [node for block in blocks.values() for node in [*block.statements, block.node]]
    own = set(code.arguments)
    for node in nodes:
        if node.kind in ('assign', 'target', 'imported'):
            for target in node.targets:
                own |= _stored(target)
    walk = _Walk(frozenset(inlined), visits)
    for node in nodes:
        walk.check(node, frozenset(set(inlined) - own), 0)
    if walk.found != inlined:
        raise Unclear('the variables of its comprehensions are not clear')


def _stored(target: Node) -> Set[str]:
    if target.kind == 'name':
        return {target.value}
    if target.kind == 'alias':
        return {target.value[1]}
    return {word for inner in target.parts for word in _stored(inner)} if target.kind in ('tuple', 'star') else set()


class _Walk:
    """Where the variables of comprehensions are used, and how many comprehensions have each."""

    def __init__(self, inlined: FrozenSet[str], visits: Visits) -> None:
        self.inlined, self.visits = inlined, visits
        self.found: Dict[str, int] = Counter()

    def check(self, node: Node, free: FrozenSet[str], depth: int) -> Set[str]:
        """Check a node. Result: the variables of the comprehensions in it."""
        node = resolved(node)
        self.visits.count()
        if depth > DEEPEST:
            raise Unclear('its expressions are nested too deep')
        if node.kind == 'name' and node.is_local and node.value in free:
            raise Unclear(f'it uses the variable {node.value[:40]!r} of a comprehension outside of it')
        outside: Set[str] = set()
        inner: Set[str] = set()
        bound: Set[str] = set()
        for i, (kind, first, second) in enumerate(node.clauses):
            if kind == 'for' and second is not None:
                names = self.check(second, free - bound, depth + 1)
                bound |= _stored(first)
            else:
                names = self.check(first, free - bound, depth + 1)
            # The first value that a comprehension goes through is made outside of it.
            (inner if i else outside).update(names)
        inner |= bound
        for child in [*node.parts, *[child for target in node.targets for child in target.parts]]:
            inner |= self.check(child, free - bound, depth + 1)
        if node.clauses:
            for word in inner & self.inlined:
                self.found[word] += 1
        return inner | outside
