"""The text of statements, a line each."""

from typing import Callable, List, Tuple

from .nodes import Node, Unclear, resolved
from .structure import Statement, Statements
from .writing import Expressions, name

Lines = List[str]
# The lines of a `def`, of its node, with so many decorators before it.
Define = Callable[[Node], Lines]


class Writer:
    """The lines of statements. define: the lines of a `def`."""

    def __init__(self, write: Expressions, define: Define) -> None:
        """Keep what gives the text of expressions and functions."""
        self.write, self.define = write, define

    def lines(self, found: Statements) -> Lines:
        """The lines of statements, which are not moved to the right."""
        return [line for statement in found for line in self._one(statement)]

    def _inner(self, found: Statements) -> Lines:
        return moved(self.lines(found) or ['pass'])

    def _one(self, one: Statement) -> Lines:
        write, node = self.write, one.node
        if one.kind == 'for' and one.target is not None and node is not None:
            iterated = write.bare(resolved(node).parts[0])
            lines = [f'for {write.target(one.target)} in {iterated}:', *self._inner(one.body)]
        elif one.kind == 'while':
            lines = [f'while {"True" if node is None else self._test(node, one.negated)}:', *self._inner(one.body)]
        elif node is None:
            return [one.kind]
        elif one.kind == 'plain':
            return self._plain(node)
        elif one.kind == 'return':
            return [f'return {write.bare(node)}']
        elif one.kind == 'raise':
            return ['raise' + ' from'.join([f' {write.text(error)}' for error in node.parts[:2]])]
        elif one.kind == 'assert':
            return [f'assert {write.text(node)}{self._message(one.body[0])}']
        else:
            return self._branch(one, 'if')
        return lines + (['else:', *self._inner(one.orelse)] if one.orelse else [])

    def _branch(self, one: Statement, word: str) -> Lines:
        assert one.node is not None
        lines = [f'{word} {self._test(one.node, one.negated)}:', *self._inner(one.body)]
        if len(one.orelse) == 1 and one.orelse[0].kind == 'if':
            return lines + self._branch(one.orelse[0], 'elif')
        return lines + (['else:', *self._inner(one.orelse)] if one.orelse else [])

    def _test(self, node: Node, negated: bool) -> str:
        return self.write.text(_opposite(node) if negated else node)

    def _message(self, one: Statement) -> str:
        error = resolved(one.node.parts[0]) if one.node is not None else Node('nothing')
        return f', {self.write.text(error.parts[1])}' if error.kind == 'call' else ''

    def _plain(self, node: Node) -> Lines:
        write = self.write
        if node.kind == 'expression':
            return [write.bare(node.parts[0], True)]
        if node.kind == 'delete':
            return [f'del {name(node.value)}']
        if node.kind == 'print':
            return [f'print({write.text(node.parts[0])})']
        if node.kind == 'imported':
            words = [_renamed(*alias.value) for alias in node.targets]
            return [f'from {_module(node.value[0])} import {", ".join(words)}']
        if node.kind != 'assign':
            raise Unclear(f'it has a statement of the kind {node.kind}')
        if len(node.parts) > 1:
            targets = [write.target(node.targets[i], True) for i in node.order]
            return [f'{", ".join(targets)} = {write.joined(node.parts)}']
        return self._assign(node, resolved(node.parts[0]))

    def _assign(self, node: Node, value: Node) -> Lines:
        write, first = self.write, node.targets[0]
        if value.kind == 'change':
            old = resolved(value.parts[0])
            if len(node.targets) > 1 or not (first.kind == 'same' or (old.kind == first.kind == 'name')):
                raise Unclear('it changes a value in an expression')
            if first.kind == 'name' and first.value != old.value:
                raise Unclear('it changes a value in an expression')
            return [f'{write.text(old)} {value.value.replace("old ", "")}= {write.bare(value.parts[1])}']
        if first.kind == 'name' and len(node.targets) == 1:
            lines = self._definition(first.value, value) or _import(first.value, value)
            if lines:
                return lines
        targets = [write.target(target) for target in node.targets]
        return [' = '.join([*targets, write.bare(value, True)])]

    def _definition(self, word: str, value: Node) -> Lines:
        """The lines of `def`, with its decorators."""
        decorators = []
        while value.kind == 'call' and len(value.parts) == 2:
            decorators.append(resolved(value.parts[0]))
            value = resolved(value.parts[1])
        if value.kind != 'function' or value.value.name != word or word == '<lambda>':
            return []
        return [f'@{self.write.text(decorator)}' for decorator in decorators] + self.define(value)


_OPPOSITES = {'is': 'is not', 'is not': 'is', 'in': 'not in', 'not in': 'in'}


def _opposite(node: Node) -> Node:
    """A test that is true where another is false."""
    node = resolved(node)
    if node.kind == 'unary' and node.value == 'not':
        return resolved(node.parts[0])
    if node.kind == 'compare' and node.value[0] in _OPPOSITES and len(node.value) == 1:
        return Node('compare', (_OPPOSITES[node.value[0]],), node.parts)
    if node.kind in ('and', 'or'):
        tests = [resolved(test) for test in node.parts]
        tests = [_opposite(test) if test.kind not in ('and', 'or') else Node('unary', 'not', [test]) for test in tests]
        if len([test for test in tests if test.kind == 'unary' and test.value == 'not']) < 2:
            return Node('or' if node.kind == 'and' else 'and', None, tests)
    return Node('unary', 'not', [node])


def moved(lines: Lines) -> Lines:
    """Lines, moved to the right."""
    return ['    ' + line if line else line for line in lines]


def _module(word: str) -> str:
    inner = word.lstrip('.')
    for segment in inner.split('.') if inner else ():
        name(segment)
    return word


def _renamed(word: str, known: str) -> str:
    return name(word) if word == known else f'{name(word)} as {name(known)}'


def _import(word: str, value: Node) -> Lines:
    """`import a`, `import a.b`, `import a.b as c`."""
    attributes: List[str] = []
    while value.kind in ('from', 'attribute'):
        attributes.insert(0, value.value)
        value = resolved(value.parts[0])
    if value.kind != 'import' or value.value[1] is not None:
        return []
    module, (top, *inner) = _module(value.value[0]), value.value[0].split('.')
    if attributes:
        return [f'import {module} as {name(word)}'] if attributes == inner else []
    if word == top:
        return [f'import {module}']
    return [] if inner else [f'import {module} as {name(word)}']


def split_arguments(found: Statements, arguments: List[str]) -> Tuple[Statements, List[Tuple[str, Node]]]:
    """Statements without those at their start that unpack an argument, as Python 2 has it: `lambda (a, b): a - b`."""
    targets: List[Tuple[str, Node]] = []
    for statement in found:
        node = statement.node
        if statement.kind != 'plain' or node is None or node.kind != 'assign' or len(node.parts) != 1:
            break
        value = resolved(node.parts[0])
        if value.kind != 'name' or value.value not in arguments or not value.value.startswith('.'):
            break
        targets.append((value.value, node.targets[0]))
    return found[len(targets) :], targets
