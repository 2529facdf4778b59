"""The operations of a block, done with expressions in the place of values."""

from typing import Any, Callable, Dict, List, Tuple

from ..python_code.instructions import Step
from ..python_code.marshal_data import Code
from .blocks import Block, Edge, Flow, flow
from .nodes import DOING, Node, Unclear, resolved

Do = Callable[['Execution', Step], None]
TABLE: Dict[str, Do] = {}
KNOWN = ('null', 'saved', 'element')  # on the stack, they are the same on all ways to a block
# What an operation adds to.
DISPLAYS = {
    'append': 'list', 'extend': 'list', 'add': 'set', 'set update': 'set', 'map add': 'dict', 'dict update': 'dict',
}  # fmt: skip


def blocks(code: Code, steps: List[Step], join: int) -> Dict[int, Block]:
    """The blocks of a code, by the step with which each starts. join: as for `flow`.

    Errors: Unclear, if an operation is none of those that expressions and statements have.
    """
    code_flow = flow(steps, join)
    by_start: Dict[int, Block] = {}
    ways: List[Tuple[int, List[Node]]] = [(0, [])]
    while ways:
        start, stack = ways.pop()
        if start not in by_start:
            by_start[start] = Execution(code, steps, code_flow, start, stack).run()
            ways += [(edge.target, edge.stack) for edge in by_start[start].edges]
    return by_start


def of(*kinds: str) -> Callable[[Do], Do]:
    """Enter a function for operations of these kinds."""

    def enter(do: Do) -> Do:
        TABLE.update(dict.fromkeys(kinds, do))
        return do

    return enter


class Execution:
    """One block while it is made."""

    def __init__(self, code: Code, steps: List[Step], found: Flow, start: int, stack: List[Node]) -> None:
        """Begin with a block. stack: what one of the ways to it brings."""
        self.code, self.steps, self.flow = code, steps, found
        self.block = Block(start, [node if node.kind in KNOWN else Node('place') for node in stack])
        self.stack = list(self.block.entry)
        self.keywords: Any = ()
        self.place = start
        self.line = steps[start].line

    def run(self) -> Block:
        """The block."""
        self.block.line = self.line
        if self.place in self.flow.tails:
            self.ends('jump', [self.flow.tails[self.place]])
        while not self.block.end:
            step = self.steps[self.place]
            self.line = step.line
            do = TABLE.get(step.operation.kind)
            if do is None:
                raise Unclear(f'it has the instruction {step.operation.value or step.instruction}')
            try:
                do(self, step)
            except IndexError:
                raise Unclear('it takes values that are not there') from None
            self.place += 1
            if not self.block.end and self.place in self.flow.starts:
                self.ends('jump', [self.place])
        return self.block

    def ends(self, end: str, targets: List[int], node: Any = None) -> None:
        """The block ends, with ways to these steps."""
        self.block.end, self.block.end_line = end, self.line
        self.block.node = node or self.block.node
        self.block.edges = [Edge(target, list(self.stack)) for target in targets]
        if not targets:
            self.block.left = self.stack

    # -- the stack -------------------------------------------------------------------------------------------------
    def pop(self) -> Node:
        return self.stack.pop()

    def take(self, count: int) -> List[Node]:
        start = len(self.stack) - count
        taken = self.stack[start:]
        del self.stack[start:]
        return taken

    def make(self, kind: str, value: Any = None, parts: Any = ()) -> Node:
        node = Node(kind, value, parts, self.line)
        if kind in DOING:
            self.block.log.append(node)
        return node

    def push(self, kind: str, value: Any = None, parts: Any = ()) -> None:
        self.stack.append(self.make(kind, value, parts))

    def repeated(self, nodes: List[Node]) -> List[Node]:
        for node in nodes:
            node.shared = True
        return nodes

    # -- statements ------------------------------------------------------------------------------------------------
    def store(self, target: Node, value: Node) -> None:
        """Give a value to a target. A value that stays on the stack is given to several, or goes on as `:=`."""
        value = resolved(value)
        if value.kind == 'part':
            self.fill(value, target)
        elif value.kind == 'element':
            node = Node('target', value.value, [], self.line)
            node.targets = [target]
            if self.block.statements:
                raise Unclear('it uses an element of a loop in another way')
            self.block.statements.append(node)
        elif value.kind == 'from' and value.parts[0].kind == 'import' and value.parts[0].value[1] is not None:
            value.parts[0].targets.append(Node('alias', (value.value, target.value)))
        elif self.stack and self.stack[-1] is value:
            node = self.make('named', None, [value])
            node.targets = [target]
            self.stack[-1] = node
        else:
            self.assign(target, value)

    def assign(self, target: Node, value: Node) -> None:
        targets = [target]
        stores: List[Node] = []
        while value.kind == 'named':
            targets, stores = [*value.targets, *targets], [value, *stores]
            value = resolved(value.parts[0])
        node = self.make('assign', None, [value])
        node.targets, node.value = targets, [*stores, node]
        self.block.statements.append(node)

    def fill(self, part: Node, target: Node) -> None:
        """A target for one of the values of an unpacking. The last one completes the assignment."""
        whole = part.parts[0]
        if len(whole.targets) != part.value[0]:
            raise Unclear('it unpacks values in another order')
        if part.value[1]:
            target = Node('star', None, [target])
        whole.targets.append(target)
        if len(whole.targets) == whole.value:
            self.store(Node('tuple', None, whole.targets), whole.parts[0])

    def unpack(self, count: int, rest: int = -1) -> None:
        whole = Node('unpack', count, [self.pop()], self.line)
        self.stack += [Node('part', (i, i == rest), [whole], self.line) for i in reversed(range(count))]

    def grow(self, kind: str, place: int, parts: List[Node]) -> None:
        """Add to the list, set or dict that is so many values below the top."""
        if not 0 < place <= len(self.stack):
            raise Unclear('it adds to something that is not there')
        node = Node('grow', (kind, self.stack[-place]), parts, self.line)
        if not grown(node):
            self.block.statements.append(node)


def grown(node: Node) -> bool:
    """Put what is added into the list, set or dict to which it is added, where that is known."""
    kind, container = node.value
    display = resolved(container)
    if display.kind not in DISPLAYS.values() or display.value == 'done':
        return False
    if display.kind != DISPLAYS.get(kind):
        raise Unclear('it adds to a container of another kind')
    if not node.clauses:
        display.parts += added(kind, node.parts)
        return True
    if display.parts:
        raise Unclear('it adds to a list in a loop')
    make_comprehension(display, display.kind, node)
    return True


def make_comprehension(display: Node, kind: str, node: Node) -> None:
    """A display becomes the comprehension that adds to it."""
    display.kind, display.value = 'comprehension', kind
    display.parts, display.clauses = node.parts, node.clauses


def added(kind: str, parts: List[Node]) -> List[Node]:
    """The parts of a display that something which is added to it makes."""
    if kind == 'map add':
        return [Node('pair', None, parts)]
    node = resolved(parts[0])
    if kind == 'dict update':
        return node.parts if node.kind == 'dict' and not node.shared else [Node('stars', None, parts)]
    if kind in ('extend', 'set update'):
        if node.kind in ('tuple', 'list', 'set') and not node.shared:
            return node.parts
        if node.kind == 'constant' and isinstance(node.value, (tuple, frozenset)):
            values = node.value if isinstance(node.value, tuple) else sorted(node.value, key=repr)
            return [Node('constant', value) for value in values]
        return [Node('star', None, parts)]
    return parts
