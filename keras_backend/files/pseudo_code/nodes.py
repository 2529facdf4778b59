"""Expressions and statements: trees of nodes."""

from typing import Any, Iterator, List, Optional, Sequence, Tuple

MOST_VISITS = 4  # of each node, on the average: values that are shared without limit make no text

# Of a comprehension: ('for', target, iterated) or ('if', condition, None).
Clause = Tuple[str, 'Node', Optional['Node']]


class Unclear(Exception):
    """The operations are not those of Python's expressions and statements. The text says which are not."""


class Node:
    """An expression, a target, or a statement.

    kind: as in the tables of `writing`. value: a name, an operator or a constant; of an assignment, its stores, one for
    each target. parts: the nodes in it, in the order of evaluation. targets: of an assignment; of `a < b < c`, its
    comparisons. clauses: of a comprehension. bound: the node that a place on the stack at the start of a block turned
    out to be. shared: whether it was on the stack more than once. is_local: of a name, that it is a variable of the
    code. order: of `a, b = b, a`, the places of its targets in the order of its values.
    """

    __slots__ = ('bound', 'clauses', 'is_local', 'kind', 'line', 'order', 'parts', 'shared', 'targets', 'value')

    def __init__(self, kind: str, value: Any = None, parts: Sequence['Node'] = (), line: int = 0) -> None:
        """A node without targets and clauses."""
        self.kind, self.value, self.parts, self.line = kind, value, list(parts), line
        self.targets: List[Node] = []
        self.clauses: List[Clause] = []
        self.bound: Optional[Node] = None
        self.shared = self.is_local = False
        self.order: List[int] = []


NOTHING = ('null', 'saved', 'iterate', 'constant', 'cell', 'from')  # nothing happens where these are dropped


def resolved(node: Node) -> Node:
    """The node that stands behind a place on the stack."""
    last = node
    while last.bound is not None:
        last = last.bound
    while node.bound is not None and node.bound is not last:
        node.bound, node = last, node.bound
    return last


def bind(place: Node, node: Node) -> None:
    """A place on the stack is a node."""
    node = resolved(node)
    if node is not place:
        place.bound = node
        node.shared = node.shared or place.shared


def may_drop(node: Node) -> bool:
    """Whether nothing is lost where a value is dropped. `.0` is what a comprehension goes through."""
    return node.shared or node.kind in NOTHING or (node.kind == 'name' and node.value == '.0')


class Visits:
    """How many nodes may still be visited."""

    def __init__(self, nodes: int) -> None:
        """So many nodes were made."""
        self.left = MOST_VISITS * nodes + 100

    def count(self) -> None:
        """Count one."""
        self.left -= 1
        if self.left < 0:
            raise Unclear('values are used more often than once')


# Nodes that do something, so that they have to come once, and in the order in which the operations have them.
DOING = frozenset(
    'name attribute unary binary change compare item call yield text import imported assign delete named raise '
    'iterate'.split()
)
DEEPEST = 60


def doings(node: Node, visits: Visits, depth: int = 0) -> Iterator[Node]:
    """The nodes in a tree that do something, in the order in which Python does it."""
    visits.count()
    if depth > DEEPEST:
        raise Unclear('its expressions are nested too deep')
    node = resolved(node)
    if node.kind == 'function':
        for child in node.parts:
            yield from doings(child, visits, depth + 1)
        return
    if node.kind == 'comprehension':
        for kind, first, second in node.clauses:
            if kind == 'for' and second is not None:
                yield from doings(second, visits, depth + 1)
                yield from _of_target(first, visits, depth + 1)
            else:
                yield from doings(first, visits, depth + 1)
        for child in node.parts:
            yield from doings(child, visits, depth + 1)
        return
    for i, child in enumerate(node.parts):
        yield from doings(child, visits, depth + 1)
        if node.kind == 'compare' and node.targets and i:
            yield node.targets[i - 1]
    if node.kind == 'target':
        yield from _of_target(node.targets[0], visits, depth + 1)
    elif node.kind == 'assign':
        for target, store in zip(node.targets, node.value):
            yield from _of_target(target, visits, depth + 1)
            yield store
    elif node.kind in DOING and not (node.kind == 'compare' and node.targets):
        yield node


def _of_target(target: Node, visits: Visits, depth: int) -> Iterator[Node]:
    """What is evaluated in a target: the container and the key of an element."""
    if target.kind != 'name':
        for child in target.parts:
            if target.kind == 'item':
                yield from doings(child, visits, depth + 1)
            else:
                yield from _of_target(child, visits, depth + 1)


def equal(a: Node, b: Node, visits: Visits, depth: int = 0) -> bool:
    """Whether two trees say the same."""
    visits.count()
    a, b = resolved(a), resolved(b)
    if a is b:
        return True
    if depth > DEEPEST or a.kind != b.kind or a.kind in ('place', 'function', 'comprehension', 'named', 'element'):
        return False
    # A code has each constant once.
    if (a.value is not b.value and (a.kind == 'constant' or a.value != b.value)) or len(a.parts) != len(b.parts):
        return False
    return all([equal(child, other, visits, depth + 1) for child, other in zip(a.parts, b.parts)])
