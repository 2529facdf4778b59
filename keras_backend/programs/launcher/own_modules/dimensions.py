"""`input_shape[1].value`: sizes were objects in TensorFlow 1, and are numbers today."""

import ast
import re
from typing import Any

from .. import rewriting

_WRITTEN = re.compile(rb'\]\s*\.\s*value\b')
_PREFIX = '_keras_backend_'


def value_of(size: Any) -> Any:
    """The `value` of a size: a number and None are their own."""
    return size if size is None or isinstance(size, int) else size.value


class _Values(ast.NodeTransformer):
    """Puts `value_of` in the place of `.value` after an index."""

    count = 0

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """`x[1].value`, where it is read."""
        self.generic_visit(node)
        is_read = node.attr == 'value' and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Subscript)
        if not is_read:
            return node
        self.count += 1
        return ast.copy_location(ast.Call(ast.Name(_PREFIX + value_of.__name__, ast.Load()), [node.value], []), node)


def _wants(source: bytes, installed: bool) -> bool:
    return not installed and bool(_WRITTEN.search(source))


def _changed(tree: ast.Module, installed: bool) -> bool:
    return rewriting.calls_are_written(_Values(), tree, value_of, _PREFIX)


CHANGE = rewriting.Change(_wants, _changed)
