"""The text of a program with its tree, and places in it that a change can name."""

import ast
import re
import sys
import warnings
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from .scopes import Binding, Names, parameters

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


# -- models ------------------------------------------------------------------------------------------------------------
# Which expressions of a program are models of Keras, where that is certain.


# Names below `keras` that make models.
_MAKE = {f'{home}{name}' for home in ('', 'models.', 'engine.', 'engine.training.') for name in ('Model', 'Sequential')}
_MAKE |= {f'models.{name}' for name in ('load_model', 'model_from_json', 'model_from_yaml', 'clone_model')}
_MAKE |= {'utils.multi_gpu_model', 'utils.training_utils.multi_gpu_model'}
_CLASSES = ('Model', 'Sequential')


class Models:
    """The models of a program."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._busy: Set[int] = set()

    def is_model(self, node: Any) -> bool:
        """Whether an expression is a model of Keras whatever happens."""
        if id(node) in self._busy:
            return False
        self._busy.add(id(node))
        try:
            return self._is_model(node)
        finally:
            self._busy.discard(id(node))

    def _is_model(self, node: Any) -> bool:
        if isinstance(node, ast.Call):
            return self._makes(node.func)
        if isinstance(node, ast.Name):
            bound = self._names.bindings(node)
            return bool(bound) and all(self._binds(binding, node.id) for binding in bound)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == 'self':
            return self._of_self(node)
        return False

    def _makes(self, function: Any) -> bool:
        full = self._names.full(function)
        if full.startswith('keras.'):
            return full[6:] in _MAKE or (
                full.startswith('keras.applications.') and full.rpartition('.')[2][0].isupper()
            )
        if not isinstance(function, ast.Name):
            return False
        bound = self._names.bindings(function)
        return len(bound) == 1 and self._defined(bound[0])

    def _defined(self, binding: Binding) -> bool:
        node = binding.node
        if binding.kind == 'class':
            return any(self._names.full(base).rpartition('.')[2] in _CLASSES for base in node.bases)
        if binding.kind != 'function' or isinstance(node, ast.Lambda) or node.decorator_list:
            return False
        exits = [child for child in _own(node) if isinstance(child, ast.Return)]
        others = [child for child in _own(node) if isinstance(child, (ast.Yield, ast.YieldFrom))]
        return bool(exits) and not others and all(one.value is not None and self.is_model(one.value) for one in exits)

    def _binds(self, binding: Binding, name: str) -> bool:
        if binding.kind == 'assign':
            return self.is_model(binding.node.value)
        return binding.kind == 'parameter' and self._given(binding.node, name)

    def _given(self, function: Any, name: str) -> bool:
        """Whether each call of a function gives a model for a parameter."""
        if isinstance(function, ast.Lambda) or self._names.scope(function) is not self._names.module:
            return False
        arguments = [arg.arg for arg in function.args.args]
        calls: List[Any] = []
        for node in ast.walk(self._names.tree):
            if isinstance(node, ast.Name) and node.id == function.name and isinstance(node.ctx, ast.Load):
                above = self._names.parents[id(node)]
                if not isinstance(above, ast.Call) or above.func is not node or len(self._names.bindings(node)) != 1:
                    return False
                calls.append(above)
        if name not in arguments or not calls or function.name in {arg.arg for arg in parameters(function.args)}:
            return False
        values = [_argument(call, arguments.index(name), name) for call in calls]
        return all(value is not None and self.is_model(value) for value in values)

    def _of_self(self, node: ast.Attribute) -> bool:
        """Whether all that a class assigns to `self.model` are models."""
        above: Any = node
        while above is not None and not isinstance(above, ast.ClassDef):
            above = self._names.parents.get(id(above))
        if above is None:
            return False
        values = []
        for target in ast.walk(above):
            if isinstance(target, ast.Attribute) and target.attr == node.attr and not isinstance(target.ctx, ast.Load):
                parent = self._names.parents[id(target)]
                values.append(parent.value if isinstance(parent, ast.Assign) and target in parent.targets else None)
        return bool(values) and all(value is not None and self.is_model(value) for value in values)


def _argument(call: Any, place: int, name: str) -> Optional[Any]:
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    if place < len(call.args):
        return call.args[place]
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _own(function: Any) -> List[Any]:
    """The nodes of a function without those of the functions in it."""
    nodes: List[Any] = []
    todo = list(function.body)
    while todo:
        node = todo.pop()
        nodes.append(node)
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.AsyncFunctionDef)):
            todo.extend(ast.iter_child_nodes(node))
    return nodes
