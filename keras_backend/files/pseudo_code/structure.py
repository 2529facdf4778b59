"""Blocks as statements: `if`, `for`, `while`, `return`, `break`, `continue`.

The method: a loop is what leads back to a block that all ways into it pass (its header). A block to which several ways
lead comes behind the statement that all of them pass (its dominator). Source: A. Aho et al., "Compilers", 9.6.
"""

from typing import Callable, Dict, List, NamedTuple, Optional, Set

from .blocks import Block
from .nodes import NOTHING, Node, Unclear, Visits, bind, doings, may_drop, resolved

DEEPEST = 40  # statements in statements
Statements = List['Statement']


class Statement:
    """A statement: `node` alone, or with statements in it.

    kind: 'plain', 'if', 'for', 'while', 'return', 'raise', 'assert', 'continue' or 'break'. node: the test, the value,
    or what a loop goes through, None for `while True`. target: of a loop.
    """

    def __init__(
        self,
        kind: str,
        node: Optional[Node] = None,
        body: Optional[Statements] = None,
        orelse: Optional[Statements] = None,
        target: Optional[Node] = None,
    ) -> None:
        """A statement."""
        self.kind, self.node, self.target = kind, node, target
        self.body: Statements = body or []
        self.orelse: Statements = orelse or []
        self.negated = False


class _Loop:
    """The loop around a statement: where `continue` goes, and where `break` goes."""

    def __init__(self, header: int, after: Optional[int], nodes: Set[int]) -> None:
        self.header, self.after, self.nodes = header, after, nodes
        self.breaks = False


class _Context(NamedTuple):
    follow: Optional[int]
    loop: Optional[_Loop]
    depth: int

    def then(self, follow: Optional[int]) -> '_Context':
        return self._replace(follow=follow)

    def inner(self) -> '_Context':
        if self.depth >= DEEPEST:
            raise Unclear(f'it has more than {DEEPEST} statements in each other')
        return self._replace(depth=self.depth + 1)


_Make = Callable[[_Context], Statements]


def statements(blocks: Dict[int, Block], visits: Visits) -> Statements:
    """The statements that blocks are.

    Errors: Unclear, if they are not those of Python.
    """
    return _Structure(blocks, visits).run()


class _Structure:
    def __init__(self, blocks: Dict[int, Block], visits: Visits) -> None:
        self.blocks, self.visits = blocks, visits
        self.order = _order(blocks)
        self.place = {start: i for i, start in enumerate(self.order)}
        self.before: Dict[int, List[int]] = {start: [] for start in self.order}
        for start in self.order:
            for edge in blocks[start].edges:
                self.before[edge.target].append(start)
        self.dominators = self._dominators()
        self.loops = self._loops()
        self.forward = {
            start: [via for via in self.before[start] if self.place[via] < self.place[start]] for start in self.order
        }
        self.merges: Dict[int, List[int]] = {}
        for start in self.order:
            if len(self.forward[start]) > 1:
                self.merges.setdefault(self.dominators[start], []).append(start)
        self.emitted = 0

    def run(self) -> Statements:
        self.settle()
        for start in self.order:
            self.check(self.blocks[start])
        return self.unit(0, _Context(None, None, 0))

    # -- the graph -------------------------------------------------------------------------------------------------
    def _dominators(self) -> Dict[int, int]:
        dominators = {0: 0}
        changed = True
        while changed:
            changed = False
            for start in self.order[1:]:
                known = [predecessor for predecessor in self.before[start] if predecessor in dominators]
                new = known[0]
                for predecessor in known[1:]:
                    new = self._common(dominators, new, predecessor)
                if dominators.get(start) != new:
                    dominators[start], changed = new, True
        return dominators

    def _common(self, found: Dict[int, int], a: int, b: int) -> int:
        while a != b:
            while self.place[a] > self.place[b]:
                a = found[a]
            while self.place[b] > self.place[a]:
                b = found[b]
        return a

    def _loops(self) -> Dict[int, Set[int]]:
        loops: Dict[int, Set[int]] = {start: {start} for start in self.order if self.blocks[start].end == 'next'}
        for start in self.order:
            for edge in self.blocks[start].edges:
                if self.place[edge.target] > self.place[start]:
                    continue
                header, node = edge.target, start
                while self.place[node] > self.place[header]:
                    node = self.dominators[node]
                if node != header:
                    raise Unclear('it has a loop with two entries')
                nodes, waiting = loops.setdefault(header, {header}), [start]
                while waiting:
                    node = waiting.pop()
                    if node not in nodes:
                        nodes.add(node)
                        waiting += self.before[node]
        return loops

    # -- values ----------------------------------------------------------------------------------------------------
    def settle(self) -> None:
        """Find what the places on the stack at the start of a block are: the iterators of the loops around it."""
        for start in self.order[1:]:
            block = self.blocks[start]
            first = next(edge for edge in self.blocks[self.forward[start][0]].edges if edge.target == start)
            for placeholder, node in zip(block.entry, first.stack):
                if placeholder.kind == 'place' and placeholder.bound is None:
                    bind(placeholder, node)
        for start in self.order:
            block = self.blocks[start]
            known = {resolved(node) for node in block.entry}
            for edge in block.edges:
                for placeholder, node in zip(self.blocks[edge.target].entry, edge.stack):
                    if resolved(placeholder) is not resolved(node) and resolved(placeholder).kind != 'null':
                        raise Unclear('the values on its stack are not clear')
                for node in edge.stack:
                    if resolved(node) not in known and resolved(node).kind not in (*NOTHING, 'element'):
                        raise Unclear('a value on its stack goes over statements')
            for node in block.left:
                if resolved(node) not in known and resolved(node).kind not in NOTHING:
                    raise Unclear('it leaves a value on its stack')
            kept = []
            for statement in block.statements:
                if statement.kind == 'grow':
                    raise Unclear('it adds to a list as no statement does')
                dropped = resolved(statement.parts[0]) if statement.kind == 'expression' else None
                if dropped is None or not may_drop(dropped):
                    kept.append(statement)
            block.statements = kept

    def check(self, block: Block) -> None:
        """All that a block does is in its statements, once, and in the same order."""
        positions = {node: i for i, node in enumerate(block.log)}
        grouped: List[List[Node]] = []
        for statement in block.statements:
            group = [statement]
            if statement.kind == 'assign':
                earliest = next(iter([n for child in statement.parts for n in doings(child, self.visits)]), None)
                first = len(positions) if earliest is None else positions.get(earliest, -1)
                while grouped and grouped[-1][0].kind == 'assign' and first < positions[grouped[-1][0].value[0]]:
                    group = grouped.pop() + group
            grouped.append(group)
        block.statements = [group[0] if len(group) == 1 else self.together(group, positions) for group in grouped]
        nodes = list(block.statements)
        if block.end in ('if', 'return', 'raise'):
            nodes.append(block.node)
        elif block.end == 'jump' and self.blocks[block.edges[0].target].end == 'next':
            iterator = resolved(block.edges[0].stack[-1])
            if iterator not in {resolved(node) for node in block.entry}:
                nodes.append(iterator)
        done = [doing for node in nodes for doing in doings(node, self.visits)]
        if len(done) != len(block.log) or any([a is not b for a, b in zip(done, block.log)]):
            raise Unclear('it uses values in another order than expressions do')

    def together(self, group: List[Node], places: Dict[Node, int]) -> Node:
        """`a, b = b, a`."""
        targets = [statement.targets[0] for statement in group]
        if any([len(statement.targets) != 1 for statement in group]):
            raise Unclear('it gives values in another order')
        firsts = []
        for statement in group:
            nodes = list(doings(statement.parts[0], self.visits))
            firsts.append(places.get(nodes[0], -1) if nodes else len(places))
        assignment = Node('assign', None, [], group[0].line)
        assignment.order = sorted(range(len(group)), key=lambda i: firsts[i])
        names = [target.value for target in targets if target.kind == 'name']
        if assignment.order != list(range(len(group))) and len(set(names)) != len(group):
            raise Unclear('it gives values in another order')
        assignment.parts = [group[i].parts[0] for i in assignment.order]
        assignment.targets, assignment.value = targets, [statement.value[0] for statement in group]
        return assignment

    # -- statements ------------------------------------------------------------------------------------------------
    def unit(self, start: int, context: _Context) -> Statements:
        """A block and all that only it leads to."""
        self.emitted += 1
        if self.emitted > 4 * len(self.blocks) + 10:
            raise Unclear('its branches lead into each other')
        nodes = self.loops.get(start)
        around = context.loop.nodes if context.loop and (start in context.loop.nodes) else None
        if nodes is None:
            behind = self.merges.get(start, [])
            return self.chain(behind, around, context, lambda inner: self.plain(start, inner))
        merges = [merge for dominator in sorted(nodes) for merge in self.merges.get(dominator, [])]
        behind = [merge for merge in merges if merge not in nodes]
        return self.chain(behind, around, context, lambda inner: self.loop(start, inner))

    def chain(self, merges: List[int], around: Optional[Set[int]], context: _Context, make: _Make) -> Statements:
        """A statement, and the blocks behind it to which several ways lead."""
        behind = sorted([merge for merge in merges if around is None or merge in around], key=lambda a: self.place[a])
        follows = [*behind, context.follow]
        body: Statements = make(context.then(follows[0]))
        for merge, follow in zip(behind, follows[1:]):
            body += self.unit(merge, context.then(follow))
        return body

    def plain(self, start: int, context: _Context) -> Statements:
        block = self.blocks[start]
        body = [Statement('plain', node) for node in block.statements if node.kind != 'target']
        return body + self.end(block, context)

    def end(self, block: Block, context: _Context) -> Statements:
        if block.end in ('return', 'raise'):
            return [Statement(block.end, block.node)]
        if block.end == 'jump':
            return self.go(block, block.edges[0].target, context)
        yes, no = [self.go(block, edge.target, context.inner()) for edge in block.edges]
        statement = Statement('if', block.node, yes, no)
        if not yes and not no:
            return [statement]
        if len(no) == 1 and no[0].kind == 'raise' and _is_assertion(no[0].node):
            return [Statement('assert', block.node, no), *yes]
        if not yes and len(no) > 1 and context.loop is not None and context.follow == context.loop.header:
            statement.body, statement.orelse = [Statement('continue')], []
            return [statement, *no]
        if not yes:
            statement.body, statement.orelse, statement.negated = no, [], True
        elif ends(yes):
            statement.orelse = []
            return [statement, *no]
        return [statement]

    def go(self, block: Block, target: int, context: _Context) -> Statements:
        """What comes after a block."""
        if target == context.follow:
            return []
        loop = context.loop
        if loop is not None and target == loop.header:
            return [Statement('continue')]
        if loop is not None and target == loop.after:
            loop.breaks = True
            return [Statement('break')]
        if self.forward[target] == [block.start]:
            return self.unit(target, context)
        if self.blocks[target].end in ('return', 'raise') and not self.blocks[target].statements:
            self.emitted += 1
            return self.plain(target, context)
        raise Unclear("its flow is not that of Python's statements")

    def loop(self, start: int, context: _Context) -> Statements:
        nodes, block = self.loops[start], self.blocks[start]
        ways = sorted(block.edges, key=lambda edge: edge.target not in nodes)
        if block.end != 'next':
            is_test = block.end == 'if' and not block.statements and ways[1].target not in nodes
            if not is_test or ways[0].target not in nodes:
                return self.endless(start, nodes, context)
        inner = _Loop(start, context.follow, nodes)
        within = _Context(start, inner, context.inner().depth)
        if block.end == 'next':
            into, behind = [edge.target for edge in block.edges]
            statement = Statement('for', block.node, target=self.target(block, into))
        else:
            into, behind = [edge.target for edge in ways]
            statement = Statement('while', block.node)
            statement.negated = ways[0] is not block.edges[0]
        statement.body = _without_end(self.go(block, into, within))
        rest = self.go(block, behind, context)
        if inner.breaks and rest:
            statement.orelse = rest
            return [statement]
        return [statement, *rest]

    def endless(self, start: int, nodes: Set[int], context: _Context) -> Statements:
        """`while True`. What is behind the only way out of it comes behind it."""
        exits = [edge.target for node in nodes for edge in self.blocks[node].edges if edge.target not in nodes]
        after = context.follow
        if len(exits) == 1 and len(self.forward[exits[0]]) == 1:
            after = exits[0]
        within = _Context(start, _Loop(start, after, nodes), context.inner().depth)
        merges = [node for node in self.merges.get(start, []) if node in nodes]
        body = self.chain(merges, nodes, within, lambda deeper: self.plain(start, deeper))
        tail = self.unit(after, context) if after is not None and after != context.follow else []
        return [Statement('while', None, _without_end(body)), *tail]

    def target(self, block: Block, into: int) -> Node:
        """The target of `for`."""
        body = self.blocks[into].statements
        if self.before[into] != [block.start] or not body or body[0].kind != 'target':
            raise Unclear('a loop in it gives its elements no name')
        if resolved(block.node).kind != 'iterate' or body[0].value != block.start:
            raise Unclear('a loop in it goes through something else')
        ahead = self.forward[block.start]
        if len(ahead) != 1 or self.blocks[ahead[0]].end != 'jump':
            raise Unclear('a loop in it begins at several places')
        if resolved(block.node) in {resolved(node) for node in self.blocks[ahead[0]].entry}:
            raise Unclear('a loop in it goes on with the iterator of another')
        return body[0].targets[0]


def _without_end(body: Statements) -> Statements:
    """The body of a loop without a `continue` at its end."""
    return body[:-1] if body and body[-1].kind == 'continue' else body


def ends(found: Statements) -> bool:
    """Whether nothing behind these statements is reached."""
    if not found:
        return False
    last = found[-1]
    if last.kind == 'if':
        return ends(last.body) and ends(last.orelse)
    return last.kind in ('return', 'raise', 'continue', 'break')


def _is_assertion(node: Optional[Node]) -> bool:
    """Whether a `raise` is that of `assert`."""
    if node is None or len(node.parts) != 1:
        return False
    error = resolved(node.parts[0])
    if error.kind == 'call' and len(error.parts) == 2 and error.parts[1].kind not in ('star', 'stars', 'keyword'):
        error = resolved(error.parts[0])
    return error.kind == 'name' and error.value == 'AssertionError'


def _order(blocks: Dict[int, Block]) -> List[int]:
    """The blocks that are reached, so that each comes before those behind it."""
    seen, postorder, waiting = {0}, [], [(0, 0)]
    while waiting:
        start, index = waiting.pop()
        edges = blocks[start].edges
        if index < len(edges):
            waiting.append((start, index + 1))
            # The last way first, so that the first one comes first in the order.
            target = edges[len(edges) - 1 - index].target
            if target not in seen:
                seen.add(target)
                waiting.append((target, 0))
        else:
            postorder.append(start)
    return postorder[::-1]
