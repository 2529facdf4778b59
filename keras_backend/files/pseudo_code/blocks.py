"""Blocks of operations that run one behind the other, the ways between them, and conditions."""

from typing import Dict, List, NamedTuple, Optional, Set, Tuple

from ..python_code.instructions import Step
from ..python_code.which_python import ENDS
from .nodes import Node, Unclear, Visits, doings, may_drop, resolved

MOST_BLOCKS = 1000
MOST_ON_STACKS = 10_000  # at the starts of all blocks
MOST_TAILS, LONGEST_TAIL = 20, 100


class Edge:
    """A way to a block, with what is on the stack then."""

    def __init__(self, target: int, stack: List[Node]) -> None:
        """The block that begins with the step `target`."""
        self.target, self.stack = target, stack


class Block:
    """Operations without a jump in them.

    entry: what is on the stack before them. statements: what they do. log: all nodes that do something, in the order in
    which they do it. end: 'jump', 'if', 'next', 'return' or 'raise'. node: what is tested, returned or raised. edges:
    the ways out; of 'if' where the test is true and where it is false, of 'next' to an element and behind the last one.
    left: what is on the stack at the end of the function.
    """

    def __init__(self, start: int, entry: List[Node]) -> None:
        """A block with nothing in it yet."""
        self.start, self.entry = start, entry
        self.statements: List[Node] = []
        self.log: List[Node] = []
        self.end = ''
        self.node = Node('constant')
        self.edges: List[Edge] = []
        self.left: List[Node] = []
        self.line = self.end_line = 0


class Flow(NamedTuple):
    """The depth of the stack at each step that is reached, the place and the depth behind each `break`, block starts.

    tails: steps that are the same as those elsewhere until `return`, by the places of these.
    """

    depths: Dict[int, int]
    breaks: Dict[int, Tuple[int, int]]
    starts: Set[int]
    tails: Dict[int, int]


# Which ends that are there twice are made one: none, statements, or also the ends of expressions in which Python chose
# a value.
NONE, STATEMENTS, ALL = range(3)


def flow(steps: List[Step], join: int) -> Flow:
    """Which steps are reached, and where blocks start. join: NONE, STATEMENTS or ALL."""
    plain_flow = _flow(steps, {})
    if join == NONE:
        return plain_flow
    tails = {
        position: other
        for position, other in _tails(steps, plain_flow, join).items()
        if plain_flow.depths[position] == plain_flow.depths[other]
    }
    return _flow(steps, tails)


def _tails(steps: List[Step], found: Flow, join: int) -> Dict[int, int]:
    """The ends of a function that Python writes several times, since 3.8."""
    returns = [position for position in sorted(found.depths) if steps[position].operation.kind.startswith('return')]
    tails: Dict[int, int] = {}
    for i, position in enumerate(returns):
        for other in returns[max(i - MOST_TAILS, 0) : i]:
            start = _same(steps, position, other, found)
            tail = steps[position - start : position + 1]
            if start < 0 or other in tails or (not start and tail[0].operation.kind == 'return'):
                continue
            if join == ALL or not _takes_more(tail):
                tails[position - start] = other - start
                break
    return tails


def _same(steps: List[Step], place: int, other: int, found: Flow) -> int:
    """How many steps before two places are the same, in the same lines. -1, if those at the places are not."""
    count = -1
    while count < LONGEST_TAIL and other - count > 0:
        first, second = steps[place - count - 1], steps[other - count - 1]
        left, right = first.operation, second.operation
        same_value = left.value is right.value or ('constant' not in left.kind and left.value == right.value)
        is_same = left.kind == right.kind and same_value and first.line == second.line and left.target is None
        at_start = count >= 0 and (place - count in found.starts or other - count in found.starts)
        if not is_same or at_start or (count >= 0 and left.kind in (*ENDS, 'break', 'keywords')):
            break
        count += 1
    return count


def _takes_more(steps: List[Step]) -> bool:
    """Whether steps take values that were there before."""
    height = 0
    for step in steps:
        if height < step.operation.takes:
            return True
        height += step.operation.effect
    return False


def _flow(steps: List[Step], tails: Dict[int, int]) -> Flow:
    depths: Dict[int, int] = {}
    breaks: Dict[int, Tuple[int, int]] = {}
    starts = {0}
    ways: List[Tuple[int, int, Tuple[Tuple[int, int], ...]]] = [(0, 0, ())]
    while ways:
        position, depth, loops = ways.pop()
        if position in depths:
            continue
        depths[position] = depth
        if position in tails:
            starts.update([tails[position], position])
            ways.append((tails[position], depth, loops))
            continue
        operation, target = steps[position].operation, steps[position].target
        kind, after = operation.kind, depth + operation.effect
        if kind == 'next':
            starts.add(position)
        if kind in ENDS:
            continue
        if kind == 'block':
            ways.append((position + 1, after, (*loops, (target, depth))))
        elif kind == 'break':
            breaks[position] = loops[-1]
            starts.add(loops[-1][0])
            ways.append((*loops[-1], loops[:-1]))
        elif kind == 'end block':
            ways.append((position + 1, after, loops[:-1]))
        else:
            if kind != 'jump':
                ways.append((position + 1, after, loops))
            if target >= 0:
                ways.append((target, depth + operation.jump_effect, loops))
                starts.update([target, position + 1])
        if len(starts) > MOST_BLOCKS:
            raise Unclear(f'it has more than {MOST_BLOCKS} branches')
    if sum([depths.get(start, 0) for start in starts]) > MOST_ON_STACKS:
        raise Unclear('it has very many values on its stack')
    return Flow(depths, breaks, starts, tails)


# -- conditions --------------------------------------------------------------------------------------------------------
# What conditional expressions are made of.


Mapping = Dict[Node, Node]
MARK = Node('mark')  # the value that each of two ways tests


def through(node: Node, mapping: Mapping) -> Node:
    """A node, where places stand for what a way brings."""
    node = resolved(node)
    while node in mapping and mapping[node] is not node:
        node = resolved(mapping[node])
    return node


def is_pure(block: Block, mapping: Mapping) -> bool:
    """Whether a block has no statements, but for values that are dropped where nothing is lost."""
    for statement in block.statements:
        if statement.kind != 'expression':
            return False
        dropped = through(statement.parts[0], mapping)
        if not may_drop(dropped):
            return False
    return True


def joined(one: Edge, other: Edge, first: Node, second: Node, mapping: Mapping, may_mark: bool) -> Optional[List[Node]]:
    """What two ways to one place bring: the same, or each the value that it tests, for which MARK stands."""
    if one.target != other.target or len(one.stack) != len(other.stack):
        return None
    ours = [resolved(node) for node in one.stack]
    theirs = [through(node, mapping) for node in other.stack]
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if a is b:
            continue
        if i == len(ours) - 1 and may_mark and a is first and b is second:
            ours[i] = MARK
        else:
            return None
    return ours


def both(sign: str, first: Node, second: Node) -> Node:
    """`first and second`, or `or`. Comparisons that share a value are one: `a < b < c`."""
    operands = list(first.parts) if first.kind == sign else [first]
    more = list(second.parts) if second.kind == sign else [second]
    last, then = resolved(operands[-1]), resolved(more[0])
    if sign == 'and' and last.kind == then.kind == 'compare':
        middle = resolved(last.parts[-1])
        if middle is resolved(then.parts[0]) and middle.shared:
            # `b` of `a < b < c` is on the stack twice.
            operands[-1] = Node('compare', last.value + then.value, last.parts + then.parts[1:], first.line)
            operands[-1].targets = [*(last.targets or [last]), *(then.targets or [then])]
            more.pop(0)
    operands += more
    return Node(sign, None, operands, first.line) if len(operands) > 1 else operands[0]


def cut(block: Block) -> Optional[int]:
    """How many nodes at the end of the log of a block belong to its test."""
    nodes = list(doings(block.node, Visits(200)))
    end = block.log[len(block.log) - len(nodes) :]
    return len(nodes) if len(nodes) == len(end) and all([a is b for a, b in zip(nodes, end)]) else None
