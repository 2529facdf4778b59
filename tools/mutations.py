"""Small errors that a program may have, made at random in the text of a module: what tools/mutants.py tries."""

import ast
import random
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple


class Mutation(NamedTuple):
    """Text between two places of a file that something else is written for."""

    path: str
    line: int
    kind: str
    start: int  # in bytes, as the syntax tree counts
    end: int
    wrong: str

    def applied(self, text: str) -> str:
        """The file with the error in it."""
        source = text.encode()
        return (source[: self.start] + self.wrong.encode() + source[self.end :]).decode()

    def words(self, text: str) -> str:
        """One line that says what became of what."""
        right = ' '.join(text.encode()[self.start : self.end].decode().split())
        return f'{self.path}:{self.line}: {self.kind}: {right[:80]!r} -> {self.wrong[:80]!r}'


_COMPARISONS = {
    ast.Eq: '!=',
    ast.NotEq: '==',
    ast.Lt: '<=',
    ast.LtE: '<',
    ast.Gt: '>=',
    ast.GtE: '>',
    ast.Is: 'is not',
    ast.IsNot: 'is',
    ast.In: 'not in',
    ast.NotIn: 'in',
}
# Messages for people and imports stay as they are.
_SKIPPED = (ast.Raise, ast.Assert, ast.JoinedStr, ast.ImportFrom, ast.Import)


class _Finder:
    """Collects the mutations of one module."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.source = path, text.encode()
        self.starts = [0]
        for line in self.source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.found: List[Mutation] = []

    def span(self, node: ast.AST) -> Tuple[int, int]:
        """The first byte of a node, and the one behind it."""
        first = self.starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        return first, self.starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def text(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.source[start:end].decode()

    def add(self, node: ast.AST, kind: str, wrong: str, span: Optional[Tuple[int, int]] = None) -> None:
        start, end = span or self.span(node)
        self.found.append(Mutation(self.path, node.lineno, kind, start, end, wrong))  # type: ignore[attr-defined]

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, _SKIPPED) or _is_for_types(node):
            return
        change = getattr(self, '_' + type(node).__name__.lower(), None)
        if change is not None:
            change(node)
        for child in _children(node):
            self.visit(child)

    def _compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1:
            between = self.span(node.left)[1], self.span(node.comparators[0])[0]
            written = self.source[between[0] : between[1]].decode()
            if not written.strip(' =!<>isnot'):  # else a bracket or the end of a line is between them
                self.add(node, 'comparison', f' {_COMPARISONS[type(node.ops[0])]} ', between)

    def _boolop(self, node: ast.BoolOp) -> None:
        word, other = (' and ', ' or ') if isinstance(node.op, ast.And) else (' or ', ' and ')
        between = self.span(node.values[0])[1], self.span(node.values[1])[0]
        if self.source[between[0] : between[1]].decode() == word:
            self.add(node, 'boolean', other, between)

    def _unaryop(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self.add(node, 'boolean', f'({self.text(node.operand)})')
        elif isinstance(node.op, ast.USub):
            self.add(node, 'number', f'({self.text(node.operand)})')

    def _constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.add(node, 'boolean', str(not node.value))
        elif isinstance(node.value, (int, float)):
            self.add(node, 'number', '1' if node.value == 0 else f'({self.text(node)} + 1)')

    def _binop(self, node: ast.BinOp) -> None:
        signs = {ast.Add: ('+', '-'), ast.Sub: ('-', '+'), ast.FloorDiv: ('//', '*')}
        if type(node.op) in signs:
            sign, other = signs[type(node.op)]
            between = self.span(node.left)[1], self.span(node.right)[0]
            if self.source[between[0] : between[1]].decode() == f' {sign} ':
                self.add(node, 'number', f' {other} ', between)

    def _call(self, node: ast.Call) -> None:
        names = [(arg, self.text(arg)) for arg in node.args]
        for (first, one), (second, two) in zip(names, names[1:]):
            if one != two and '\n' not in one + two and not isinstance(first, ast.Starred):
                between = self.source[self.span(first)[1] : self.span(second)[0]].decode()
                if between == ', ':
                    self.add(first, 'argument', f'{two}, {one}', (self.span(first)[0], self.span(second)[1]))
        for keyword in node.keywords:
            before = self.source[: self.span(keyword)[0]].decode()
            if keyword.arg and before.endswith(', ') and '\n' not in self.text(keyword):
                start, end = self.span(keyword)
                self.add(keyword, 'argument', '', (start - 2, end))

    def _expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.add(node, 'call taken out', 'pass')

    def _return(self, node: ast.Return) -> None:
        if isinstance(node.value, ast.Call) and len(node.value.args) == 1 and not node.value.keywords:
            argument = node.value.args[0]
            if isinstance(argument, (ast.Name, ast.Attribute)):
                self.add(node, 'call taken out', 'return ' + self.text(argument))


def _is_for_types(node: ast.AST) -> bool:
    """Whether only a checker of types reads it, or the names that others import."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == 'TYPE_CHECKING'
    if isinstance(node, ast.Assign):
        return [getattr(target, 'id', '') for target in node.targets] == ['__all__']
    return False


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node that run, without annotations and decorators."""
    for name, value in ast.iter_fields(node):
        if name in ('annotation', 'returns', 'decorator_list', 'type_comment'):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child


def mutations(path: str, text: str) -> List[Mutation]:
    """All that can be tried in a file. Python may be unable to read a few of them."""
    finder = _Finder(path, text)
    finder.visit(ast.parse(text))
    return finder.found


def _compiles(text: str) -> bool:
    try:
        compile(text, 'a mutant', 'exec')
    except SyntaxError:
        return False
    return True


def chosen(files: Dict[str, str], rooms: Sequence[Sequence[str]], count: int, seed: int) -> List[Mutation]:
    """`count` mutations of files {path: text}. As many are of each room, which is its paths, and of each kind."""
    draw = random.Random(seed)
    result: List[Mutation] = []
    while len(result) < count:
        room = rooms[len(result) % len(rooms)]
        # Large files have more of them.
        path = draw.choices(room, [len(files[path]) for path in room])[0]
        some = mutations(path, files[path])
        if not some:
            continue
        kind = draw.choice(sorted({mutation.kind for mutation in some}))
        mutation = draw.choice([mutation for mutation in some if mutation.kind == kind])
        if mutation not in result and _compiles(mutation.applied(files[path])):
            result.append(mutation)
    return result
