"""`np.stack(f(x) for x in y)`: what joins arrays took any iterable before NumPy 1.24."""

import ast
import re
from collections.abc import Iterator, MappingView
from typing import Any, Set

from .. import rewriting

# The functions that take a sequence of arrays first.
JOINING = {'stack', 'vstack', 'hstack', 'dstack', 'column_stack', 'row_stack', 'concatenate'}
_CALLED = re.compile(rb'(?:stack|concatenate)\s*\(')
_PREFIX = '_keras_backend_'


def as_sequence(arrays: Any) -> Any:
    """What NumPy takes for a sequence of arrays: the list of what an iterator or a view of a dict has."""
    is_iterator = isinstance(arrays, Iterator) and not hasattr(arrays, '__array__')
    return list(arrays) if is_iterator or isinstance(arrays, MappingView) else arrays


class _Lists(ast.NodeTransformer):
    """Puts `as_sequence` around the arrays that a call of NumPy joins."""

    def __init__(self, tree: ast.Module) -> None:
        self.modules: Set[str] = set()
        self.functions: Set[str] = set()
        self.count = 0
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self.modules |= {alias.asname or alias.name for alias in node.names if alias.name == 'numpy'}
            elif isinstance(node, ast.ImportFrom) and node.module == 'numpy':
                joining = [alias for alias in node.names if alias.name in JOINING]
                self.functions |= {alias.asname or alias.name for alias in joining}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call of a function that joins arrays."""
        self.generic_visit(node)
        function = node.func
        joins = isinstance(function, ast.Name) and function.id in self.functions
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            joins = function.value.id in self.modules and function.attr in JOINING
        if joins and node.args and not isinstance(node.args[0], (ast.List, ast.Tuple, ast.Starred)):
            self.count += 1
            called = ast.Name(_PREFIX + as_sequence.__name__, ast.Load())
            node.args[0] = ast.copy_location(ast.Call(called, [node.args[0]], []), node.args[0])
        return node


def _wants(source: bytes, installed: bool) -> bool:
    return not installed and b'numpy' in source and bool(_CALLED.search(source))


def _changed(tree: ast.Module, installed: bool) -> bool:
    return rewriting.calls_are_written(_Lists(tree), tree, as_sequence, _PREFIX)


CHANGE = rewriting.Change(_wants, _changed)
