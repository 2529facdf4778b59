"""Blocks joined to larger ones: conditional expressions, `and`, `or`, chained comparisons and comprehensions.

What is left are blocks that statements make: `if`, `for`, `while`, `return`.
"""

from typing import Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from .blocks import MARK, Block, Edge, both, cut, is_pure, joined, through
from .execution import grown, make_comprehension
from .nodes import NOTHING, Node, Unclear, Visits, bind, doings, equal, may_drop, resolved

Blocks = Dict[int, Block]


class _Arm(NamedTuple):
    """One of two ways: where it ends, with what on the stack, and the block between, which has no statements."""

    target: Optional[int]
    stack: List[Node]
    block: Optional[Block]


def reduced(blocks: Blocks, is_expression: bool) -> Blocks:
    """The blocks that are left. is_expression: the function is a lambda, which returns one expression."""
    return _Reduction(blocks, is_expression).run()


class _Reduction:
    def __init__(self, blocks: Blocks, is_expression: bool) -> None:
        self.blocks, self.is_expression = blocks, is_expression
        self.before: Dict[int, List[int]] = {start: [] for start in blocks}
        for start, block in blocks.items():
            for edge in block.edges:
                self.before[edge.target].append(start)

    def run(self) -> Blocks:
        self.join(sorted(self.blocks))
        # `a and b` comes before `b if a else c`, of which it may be a part.
        while self.any_of(self.choose) or self.turned_loops():
            pass
        return self.blocks

    def any_of(self, rule: Callable[[Block], bool]) -> bool:
        """Follow a rule for conditional values, at the last place where it can be followed."""
        for start in sorted(self.blocks, reverse=True):
            block = self.blocks[start]
            if block.end == 'if' and rule(block):
                self.join(self.near(block))
                return True
        return False

    def near(self, block: Block) -> List[int]:
        starts = [block.start, *self.before[block.start]]
        for edge in block.edges:
            starts += [edge.target, *self.before[edge.target]]
        return starts

    def join(self, waiting: List[int]) -> None:
        """Follow the other rules at these blocks and where something changes."""
        queued = set(waiting)
        while waiting:
            start = waiting.pop()
            queued.discard(start)
            if start in self.blocks and self.step(self.blocks[start]):
                more = [neighbour for neighbour in self.near(self.blocks[start]) if neighbour not in queued]
                queued.update(more)
                waiting += more

    def step(self, block: Block) -> bool:
        """Join a block with those behind it. Whether something was joined."""
        if block.end == 'jump':
            return self.skip(block) or self.follow(block)
        if block.end == 'if':
            return self.skip(block) or self.short(block) or self.choose_test(block) or self.filter(block)
        return block.end == 'next' and (self.skip(block) or self.comprehend(block))

    # -- helpers ---------------------------------------------------------------------------------------------------
    def only(self, target: int) -> bool:
        return target != 0 and len(self.before[target]) == 1

    def set_edges(self, block: Block, edges: List[Edge]) -> None:
        for edge in block.edges:
            self.before[edge.target].remove(block.start)
        block.edges = edges
        for edge in edges:
            self.before[edge.target].append(block.start)

    def remove(self, block: Block) -> None:
        self.set_edges(block, [])
        del self.blocks[block.start]

    def settle(self, block: Block) -> None:
        """Look again at the statements whose values are known now."""
        kept = []
        for statement in block.statements:
            if statement.kind == 'expression':
                dropped = resolved(statement.parts[0])
                if may_drop(dropped):
                    continue
            if statement.kind == 'grow' and grown(statement):
                continue
            kept.append(statement)
        block.statements = kept

    def enter(self, block: Block, edge: Edge) -> None:
        for placeholder, node in zip(block.entry, edge.stack):
            if placeholder.kind == 'place':
                bind(placeholder, node)

    # -- rules -----------------------------------------------------------------------------------------------------
    def skip(self, block: Block) -> bool:
        """Ways lead through a block that does nothing to the one behind it."""
        for edge in block.edges:
            seen: Set[int] = set()
            way = edge
            while way.target not in seen and way.target != 0:
                seen.add(way.target)
                via = self.blocks[way.target]
                mapping = dict(zip(via.entry, way.stack))
                if via.end != 'jump' or via.log or not is_pure(via, mapping) or via.edges[0].target == via.start:
                    break
                stack = [through(node, mapping) for node in via.edges[0].stack]
                brought = {resolved(node) for node in way.stack}
                if not all([node in brought or node.kind in NOTHING for node in stack]):
                    break
                way = Edge(via.edges[0].target, stack)
            else:
                if way.target in seen and way.target != 0 and way is not edge:
                    continue  # blocks that do nothing, in a circle
            if way is not edge:
                self.set_edges(block, [way if other is edge else other for other in block.edges])
                if not self.before[edge.target]:
                    self.remove_unreached(edge.target)
                return True
        return False

    def remove_unreached(self, start: int) -> None:
        waiting = [start]
        while waiting:
            candidate = waiting.pop()
            if candidate in self.blocks and candidate != 0 and not self.before[candidate]:
                waiting += [edge.target for edge in self.blocks[candidate].edges]
                self.remove(self.blocks[candidate])

    def follow(self, block: Block) -> bool:
        """A block and the only one behind it are one."""
        edge = block.edges[0]
        if not self.only(edge.target) or edge.target == block.start:
            return False
        behind = self.blocks[edge.target]
        if behind.end == 'next':
            return False
        self.enter(behind, edge)
        block.statements += behind.statements
        block.log += behind.log
        block.left = behind.left
        block.end, block.node, block.end_line = behind.end, behind.node, behind.end_line
        edges = behind.edges
        self.remove(behind)
        self.set_edges(block, edges)
        self.settle(block)
        return True

    def arm(self, edge: Edge, line: int) -> Optional[_Arm]:
        if not self.only(edge.target):
            return _Arm(edge.target, [resolved(node) for node in edge.stack], None)
        block = self.blocks[edge.target]
        mapping = dict(zip(block.entry, edge.stack))
        if not is_pure(block, mapping):
            return None
        if block.end == 'return' and (self.is_expression or block.end_line == line):
            return _Arm(None, [through(block.node, mapping)], block)
        if block.end != 'jump':
            return None
        return _Arm(block.edges[0].target, [through(node, mapping) for node in block.edges[0].stack], block)

    def choose(self, block: Block) -> bool:
        """`a if test else b`, and `a or b`, of which the value is used."""
        arms = [self.arm(edge, block.end_line) for edge in block.edges]
        yes, no = arms
        if yes is None or no is None or yes.target != no.target or len(yes.stack) != len(no.stack) or not yes.stack:
            return False
        if yes.stack[-1] is no.stack[-1] or any([a is not b for a, b in zip(yes.stack[:-1], no.stack[:-1])]):
            return False
        for edge, arm in zip(block.edges, (yes, no)):
            if arm.block is not None:
                self.enter(arm.block, edge)
        test, true, false = resolved(block.node), resolved(yes.stack[-1]), resolved(no.stack[-1])
        if false is test:
            expression = both('and', test, true)
        elif true is test:
            expression = both('or', test, false)
        else:
            expression = Node('if', None, [test, true, false], block.line)
        for arm in (yes, no):
            if arm.block is not None:
                block.log += arm.block.log
                block.left = block.left + arm.block.left
                self.remove(arm.block)
        if yes.target is None:
            block.end, block.node = 'return', expression
            self.set_edges(block, [])
        else:
            block.end = 'jump'
            self.set_edges(block, [Edge(yes.target, [*yes.stack[:-1], expression])])
        return True

    def short(self, block: Block) -> bool:
        """`a and b`, `a or b`, of which the truth is tested."""
        for index in (0, 1):
            edge, other = block.edges[index], block.edges[1 - index]
            if not self.only(edge.target) or edge.target == other.target:
                continue
            behind = self.blocks[edge.target]
            mapping = dict(zip(behind.entry, edge.stack))
            if behind is block or behind.end != 'if' or not is_pure(behind, mapping):
                continue
            first, second = resolved(block.node), through(behind.node, mapping)
            for side in (1 - index, index):
                shared = joined(other, behind.edges[side], first, second, mapping, side != index)
                if shared is None:
                    continue
                self.enter(behind, edge)
                second = resolved(second)
                sign = 'and' if (index == 0) == (side != index) else 'or'
                if side == index:
                    first = Node('unary', 'not', [first], block.line)
                    self.negate(block, first)
                test = both(sign, first, second)
                test.shared = second.shared
                free = behind.edges[1 - side]
                # Where `a and b` is true, it is b.
                is_value = (1 - side == 0) == (sign == 'and')
                rest = [test if resolved(n) is second and is_value else n for n in free.stack[-1:]]
                edges = [Edge(free.target, free.stack[:-1] + rest)]
                edges.insert(side, Edge(other.target, shared[:-1] + [test if n is MARK else n for n in shared[-1:]]))
                block.log += behind.log
                block.node = test
                self.remove(behind)
                self.set_edges(block, edges)
                return True
        return False

    def negate(self, block: Block, node: Node) -> None:
        """`not` before the second part of a test is an operation that the code need not have."""
        block.log.append(node)

    def choose_test(self, block: Block) -> bool:
        """`if (a if test else b)`."""
        branches = []
        for edge in block.edges:
            if not self.only(edge.target):
                return False
            behind = self.blocks[edge.target]
            if behind is block or behind.end != 'if' or not is_pure(behind, dict(zip(behind.entry, edge.stack))):
                return False
            branches.append(behind)
        first, second = branches
        if first is second:
            return False
        for a, b in zip(first.edges, second.edges):
            stacks = [
                [through(node, dict(zip(behind.entry, edge.stack))) for node in way.stack]
                for behind, edge, way in ((first, block.edges[0], a), (second, block.edges[1], b))
            ]
            if a.target != b.target or len(stacks[0]) != len(stacks[1]):
                return False
            if any([x is not y for x, y in zip(*stacks)]):
                return False
        for behind, edge in zip(branches, block.edges):
            self.enter(behind, edge)
            block.log += behind.log
        block.node = Node('if', None, [block.node, first.node, second.node], block.line)
        edges = first.edges
        self.remove(first)
        self.remove(second)
        self.set_edges(block, edges)
        return True

    def filter(self, block: Block) -> bool:
        """`if` in a comprehension: the way where the test is true adds something, and both lead to the same place."""
        for index in (0, 1):
            edge, other = block.edges[index], block.edges[1 - index]
            if not self.only(edge.target):
                continue
            behind = self.blocks[edge.target]
            if behind.end != 'jump' or behind.edges[0].target != other.target or behind is block:
                continue
            if [statement.kind for statement in behind.statements] != ['grow']:
                continue
            mapping = dict(zip(behind.entry, edge.stack))
            ends = behind.edges[0].stack, other.stack
            if len(ends[0]) != len(ends[1]):
                continue
            if any([through(a, mapping) is not resolved(b) for a, b in zip(*ends)]):
                continue
            self.enter(behind, edge)
            (added,) = behind.statements
            test = block.node if index == 0 else Node('unary', 'not', [block.node], block.line)
            if index == 1:
                self.negate(block, test)
            added.clauses.insert(0, ('if', test, None))
            block.statements.append(added)
            block.log += behind.log
            block.end = 'jump'
            self.remove(behind)
            self.set_edges(block, [other])
            return True
        return False

    def comprehend(self, block: Block) -> bool:
        """`for` in a comprehension: a loop that does nothing but add something."""
        item, end = block.edges
        if block.statements or block.log or not self.only(item.target):
            return False
        body = self.blocks[item.target]
        if body.end != 'jump' or body.edges[0].target != block.start or body is block:
            return False
        if [node.kind for node in body.statements] != ['target', 'grow'] or body.statements[0].value != block.start:
            return False
        mapping = dict(zip(body.entry, item.stack))
        back = [through(value, mapping) for value in body.edges[0].stack]
        if len(back) != len(block.entry) or any([a is not resolved(b) for a, b in zip(back, block.entry)]):
            return False
        self.enter(body, item)
        target, added = body.statements
        added.clauses.insert(0, ('for', target.targets[0], block.node))
        block.statements, block.log, block.end = [added], body.log, 'jump'
        self.remove(body)
        self.set_edges(block, [end])
        return True

    def turned_loops(self) -> bool:
        """A loop whose test is at its end, too: since Python 3.8, `while` tests before and then behind its body."""
        tests: Dict[Tuple[int, int], List[Block]] = {}
        for start in sorted(self.blocks):
            block = self.blocks[start]
            if block.end == 'if':
                tests.setdefault((block.edges[0].target, block.edges[1].target), []).append(block)
        for blocks in tests.values():
            first = blocks[0]
            for other in blocks[1:]:
                if self.is_same_test(first, other):
                    self.join(sorted(self.blocks))
                    return True
        return False

    def is_same_test(self, first: Block, other: Block) -> bool:
        """Lead a way to the first of two tests instead of the second, which is the same and behind it."""
        inside = [edge.target for edge in first.edges if first.start < edge.target <= other.start]
        if not inside or not equal(first.node, other.node, Visits(200)):
            return False
        ways = list(zip(first.edges, other.edges))
        if any([len(a.stack) != len(b.stack) for a, b in ways]):
            return False
        if any([len(edge.stack) != len(first.edges[0].stack) for edge in (*first.edges, *other.edges)]):
            return False
        counts = [cut(block) for block in (first, other)]
        if None in counts:
            return False
        if not (first.start in self.before[first.start] or (not first.statements and counts[0] == len(first.log))):
            first = self.split(first, counts[0] or 0)
        del other.log[len(other.log) - (counts[1] or 0) :]
        other.end = 'jump'
        self.set_edges(other, [Edge(first.start, other.edges[0].stack)])
        return True

    def split(self, block: Block, count: int) -> Block:
        """The test at the end of a block as a block of its own."""
        start = max(self.blocks) + 1
        test = Block(start, [Node('place') for _ in block.edges[0].stack])
        test.log = block.log[len(block.log) - count :]
        del block.log[len(block.log) - count :]
        test.end, test.node, test.line = 'if', block.node, block.node.line or block.line
        stack = block.edges[0].stack
        targets = [edge.target for edge in block.edges]
        self.blocks[start] = test
        self.before[start] = []
        block.end = 'jump'
        self.set_edges(block, [Edge(start, stack)])
        self.set_edges(test, [Edge(target, list(test.entry)) for target in targets])
        return test


def one_comprehension(blocks: Blocks, visits: Visits) -> Node:
    """The comprehension that a code is, whose first iterated value is the argument `.0`."""
    comprehension = _one(blocks)
    if comprehension is not None and comprehension.clauses and comprehension.clauses[0][0] == 'for':
        first = comprehension.clauses[0][2]
        iterated = resolved(first) if first is not None else comprehension
        # Until Python 3.7, the value of a dict comes before its key.
        orders = [comprehension.parts] + [comprehension.parts[::-1]] * (comprehension.value == 'dict')
        in_order = False
        for order in orders:
            comprehension.parts = order
            done = list(doings(comprehension, visits))
            same = len(done) == len(blocks[0].log) and all([a is b for a, b in zip(done, blocks[0].log)])
            in_order = in_order or same
        comprehension.parts = orders[0]
        if in_order and (iterated.kind, iterated.value) == ('name', '.0'):
            return comprehension
    raise Unclear('a comprehension in it is not clear')


def _one(blocks: Blocks) -> Optional[Node]:
    block = blocks[0]
    if len(blocks) > 1 or block.end != 'return' or not all([may_drop(resolved(value)) for value in block.left]):
        return None
    result = resolved(block.node)
    if result.kind == 'comprehension' and not block.statements:
        return result
    if result.kind != 'constant' or result.value is not None or [node.kind for node in block.statements] != ['grow']:
        return None
    (grow,) = block.statements
    if grow.value[0] != 'generator':
        return None
    result = Node('comprehension')
    make_comprehension(result, 'generator', grow)
    return result
