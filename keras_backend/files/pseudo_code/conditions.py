"""What conditional expressions are made of."""

from typing import Dict, List, Optional

from .blocks import Block, Edge
from .nodes import Node, Visits, doings, may_drop, resolved

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
    found = [resolved(node) for node in one.stack]
    theirs = [through(node, mapping) for node in other.stack]
    for i, (a, b) in enumerate(zip(found, theirs)):
        if a is b:
            continue
        if i == len(found) - 1 and may_mark and a is first and b is second:
            found[i] = MARK
        else:
            return None
    return found


def both(sign: str, first: Node, second: Node) -> Node:
    """`first and second`, or `or`. Comparisons that share a value are one: `a < b < c`."""
    parts = list(first.parts) if first.kind == sign else [first]
    more = list(second.parts) if second.kind == sign else [second]
    last, then = resolved(parts[-1]), resolved(more[0])
    if sign == 'and' and last.kind == then.kind == 'compare':
        middle = resolved(last.parts[-1])
        if middle is resolved(then.parts[0]) and middle.shared:
            # `b` of `a < b < c` is on the stack twice.
            parts[-1] = Node('compare', last.value + then.value, last.parts + then.parts[1:], first.line)
            parts[-1].targets = [*(last.targets or [last]), *(then.targets or [then])]
            more.pop(0)
    parts += more
    return Node(sign, None, parts, first.line) if len(parts) > 1 else parts[0]


def cut(block: Block) -> Optional[int]:
    """How many nodes at the end of the log of a block belong to its test."""
    found = list(doings(block.node, Visits(200)))
    end = block.log[len(block.log) - len(found) :]
    return len(found) if len(found) == len(end) and all([a is b for a, b in zip(found, end)]) else None
