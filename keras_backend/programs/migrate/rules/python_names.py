"""Names of Python 2 that are another builtin of Python 3."""

import ast
from typing import Iterator, Set

from ...launcher.check.python_rules import BUILTINS
from ..code import Change, Code

_GUARDS = {'NameError', 'Exception', 'BaseException'}


def judge(code: Code) -> Iterator[Change]:
    """`xrange`, `raw_input`, `unicode`, where nothing binds the name."""
    for node in code.nodes(ast.Name):
        new = BUILTINS.get(node.id, '')
        if not new.isidentifier() or node.id == 'file' or not isinstance(node.ctx, ast.Load):
            continue
        names = code.names
        if names.is_builtin(node.id, node) and names.is_builtin(new, node) and not _guarded(code, node):
            reason = f'{node.id} is {new} in Python 3'
            yield Change('python2-name', node.lineno, reason, (code.replaced(node, new),))


def _guarded(code: Code, node: ast.AST) -> bool:
    """Whether a `try` catches that the name is missing."""
    above = code.names.parents.get(id(node))
    while above is not None:
        if isinstance(above, ast.Try):
            caught: Set[str] = {getattr(one.type, 'id', '') if one.type else 'Exception' for one in above.handlers}
            if caught & _GUARDS:
                return True
        above = code.names.parents.get(id(above))
    return False
