"""The text of a program with its tree, and places in it that a change can name."""

import ast
import re
import sys
import warnings
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from .models import Models
from .scopes import Names

# The ends of expressions, which changes are made by.
HAS_ENDS = sys.version_info >= (3, 8)
NEEDS_3_8 = 'the patch needs Python 3.8 or later, and this is Python ' + '.'.join(map(str, sys.version_info[:2]))


class Change(NamedTuple):
    """One thing to change, for one reason.

    Attributes
    ----------
    rule : str
        The name of the rule.
    line : int
        The line.
    reason : str
        What is changed and why, in one line.
    spans : tuple of (int, int, str)
        Start, end and new text. Empty for what a person has to decide.
    to_keras_2 : bool
        Whether Keras 1 does not read the result.
    """

    rule: str
    line: int
    reason: str
    spans: Tuple[Tuple[int, int, str], ...] = ()
    to_keras_2: bool = False


class Reading:
    """What Python makes of a text: the same for each route.

    Parameters
    ----------
    tree : ast.Module
        The tree of the text.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.names = Names(tree)
        placed: List[Any] = [node for node in ast.walk(tree) if hasattr(node, 'lineno')]
        self._all = sorted(placed, key=lambda node: (node.lineno, node.col_offset))
        self._nodes: Dict[Any, List[Any]] = {}
        for node in self._all:
            self._nodes.setdefault(type(node), []).append(node)

    def nodes(self, kind: Any) -> Iterator[Any]:
        """All nodes of a class, or of a tuple of classes, in the order of the text."""
        if isinstance(kind, tuple):
            return (node for node in self._all if isinstance(node, kind))
        return iter(self._nodes.get(kind, ()))


class Code:
    """A program that Python reads, on its way to a route.

    Parameters
    ----------
    text : str
        The text, with any ends of lines.
    reading : Reading
        The same lines without the commands of notebooks, as Python reads them.
    route : str
        'keras2', 'keras3' or 'import': where the program is to go.
    inside_keras : bool
        Whether K goes inside Keras 3 on the way 'import'.
    """

    def __init__(self, text: str, reading: Reading, route: str, inside_keras: bool = False) -> None:
        self.text, self.route, self.inside_keras = text, route, inside_keras
        self.names, self.nodes = reading.names, reading.nodes
        self.models = Models(self.names)
        self._starts = [0] + [match.end() for match in re.finditer(r'\r\n|\r|\n', text)]

    @property
    def newline(self) -> str:
        """The end of the first line."""
        match = re.search(r'\r\n|\r|\n', self.text)
        return match.group() if match else '\n'

    def _offset(self, line: int, column: int) -> int:
        start = self._starts[line - 1]
        after = self._starts[line] if line < len(self._starts) else len(self.text)
        row = self.text[start:after]
        return start + (column if row.isascii() else len(row.encode('utf-8', 'surrogatepass')[:column].decode('utf-8')))

    def span(self, node: Any) -> Tuple[int, int]:
        """The start and the end of a node in the text."""
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)

    def source(self, node: Any) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def replaced(self, node: Any, new: str) -> Tuple[int, int, str]:
        """The change of a whole node."""
        return (*self.span(node), new)

    def keyword(self, keyword: Any) -> Optional[Tuple[int, int]]:
        """The place of the name of an argument: `name` in `f(name=1)`. None if a comment stands behind it."""
        before = self.span(keyword.value)[0]
        match = re.search(r'(\w+)\s*=[\s(\\]*$', self.text[max(0, before - 300) : before])
        if match is None or match.group(1) != keyword.arg:
            return None
        start = max(0, before - 300) + match.start(1)
        return start, start + len(keyword.arg)

    def attribute(self, node: Any) -> Tuple[int, int]:
        """The place of the last name of `a.b.c`."""
        end = self.span(node)[1]
        return end - len(node.attr), end

    def statement(self, node: Any) -> Any:
        """The statement that a node is part of."""
        while not isinstance(node, ast.stmt):
            node = self.names.parents[id(node)]
        return node

    def is_alone(self, statement: Any) -> bool:
        """Whether a statement has its lines for itself."""
        start, end = self.span(statement)
        before = self.text[self._starts[statement.lineno - 1] : start]
        after = re.match(r'[^\r\n]*', self.text[end:])
        return not before.strip() and after is not None and re.match(r'\s*(#|$)', after.group()) is not None

    def indent(self, statement: Any) -> str:
        """The blanks before a statement."""
        return self.text[self._starts[statement.lineno - 1] : self.span(statement)[0]]


def tree(text: str) -> Optional[ast.Module]:
    """The tree of a text, None if Python does not read it."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            # Whatever Python raises for a text that it cannot read.
            return None
