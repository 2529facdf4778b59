"""`try: import google.colab`: a program that asks whether it is in Colab learns that it is not, stand-in or not."""

import ast
from importlib.machinery import PathFinder
from typing import Any

from .. import rewriting

_ERRORS = {'ImportError', 'ModuleNotFoundError', 'Exception', 'BaseException'}


class _Refused(ast.NodeTransformer):
    """Puts an error in the place of imports of `google.colab` whose failure the program handles."""

    def __init__(self) -> None:
        self.count = 0
        self._handled = 0

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """The body of a `try` with a handler for a missing module."""
        handles = any(_catches(handler) for handler in node.handlers)
        self._handled += handles
        node.body = [self.visit(statement) for statement in node.body]
        self._handled -= handles
        for statements in (node.handlers, node.orelse, node.finalbody):
            statements[:] = [self.visit(statement) for statement in statements]
        return node

    def visit_Import(self, node: ast.Import) -> ast.AST:
        """`import google.colab`."""
        is_colab = any(alias.name.startswith('google.colab') for alias in node.names)
        return self._refused(node) if is_colab else node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        """`from google.colab import drive`."""
        is_colab = str(node.module).startswith('google.colab') or (
            node.module == 'google' and any(alias.name == 'colab' for alias in node.names)
        )
        return self._refused(node) if is_colab else node

    def _refused(self, node: ast.AST) -> ast.AST:
        if not self._handled:
            return node
        self.count += 1
        text = "raise ModuleNotFoundError(\"No module named 'google.colab'\", name='google.colab')"
        return ast.copy_location(ast.parse(text).body[0], node)


def _catches(handler: Any) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(getattr(kind, 'id', '') in _ERRORS for kind in kinds)


def _wants(source: bytes, installed: bool) -> bool:
    return not installed and b'google' in source and b'colab' in source


def _changed(tree: ast.Module, installed: bool) -> bool:
    above = PathFinder.find_spec('google')
    if above is not None and PathFinder.find_spec('google.colab', list(above.submodule_search_locations or [])):
        return False
    change = _Refused()
    change.visit(tree)
    return bool(change.count)


CHANGE = rewriting.Change(_wants, _changed)
