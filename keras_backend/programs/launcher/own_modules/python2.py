"""Modules of a program in Python 2: translated as `migrate` does, with the meaning that their operators had.

A module is of Python 2 if Python 3 cannot read it, or if it uses names that only Python 2 has. So are the modules that
such a program imports afterwards, and all of its own where `run` has seen one of them.
"""

import ast
import copy
import os
import re
from typing import Any, Dict, List, Optional, Set, Union

from .. import rewriting
from ..check import files, reading, translation
from . import names_of_python2, pickle_of_python2

# `run` sets it for a program with a module of Python 2.
VARIABLE = 'KERAS_BACKEND_PYTHON_2'
_PREFIX = '_keras_backend_'
# Words that a module of Python 2 may have. Only then is it worth a closer look.
_WORDS = re.compile(
    rb'\b(?:xrange|raw_input|unicode|basestring|long|unichr|reload|execfile|iteritems|itervalues|iterkeys|has_key|'
    rb'viewitems|cPickle|c?StringIO|ConfigParser|Queue|urllib2?|urlparse|izip|imap|ifilter|maxint|file|reduce|cmp|'
    rb'letters|lowercase|uppercase|Tkinter|httplib|thread|commands|__builtin__)\b'
)
_FUTURE = re.compile(r'^from\s+__future__\s+import\b[^\n;]*(?:\([^)]*)?\bdivision\b', re.M)
# (module, name) of Python 2 that the translation leaves -> the name of today.
_ATTRIBUTES = {
    ('sys', 'maxint'): 'maxsize',
    ('string', 'letters'): 'ascii_letters',
    ('string', 'lowercase'): 'ascii_lowercase',
    ('string', 'uppercase'): 'ascii_uppercase',
}
_FUNCTIONS = {'round': 'rounded', 'open': 'opened'}


class _State:
    """Whether a module of Python 2 was read in this process, and files with code that was translated before.

    Of each such file it is known whether it has the division of Python 3.
    """

    is_old = False
    translated: Dict[str, bool] = {}


def read(source: bytes, path: str) -> Optional[ast.Module]:
    """The tree of a module of Python 2; None for every other one, and where nothing can translate it."""
    if path in _State.translated:
        return with_meanings(ast.parse(source, path), _State.translated[path])
    if not (_State.is_old or os.environ.get(VARIABLE) or is_of_python_2(source, path)):
        return None
    text = reading.decoded(source)[0]
    tree = translation.tree_of(text)
    if tree is None:
        return None
    _State.is_old = True
    return with_meanings(tree, has_true_division(text))


def has_true_division(text: str) -> bool:
    """Whether a module asks for the division of Python 3. The translation leaves that line out."""
    return bool(_FUTURE.search(text))


def note_translated(path: str, is_true: bool) -> None:
    """Note that a file has translated code, so that only its meanings are left to be given back.

    is_true: whether its division is that of Python 3.
    """
    _State.is_old = True
    _State.translated[path] = is_true


def is_of_python_2(source: bytes, path: str) -> bool:
    """Whether a file is one that only Python 2 runs."""
    text = reading.decoded(source)[0]
    try:
        compile(text, path, 'exec', ast.PyCF_ONLY_AST, dont_inherit=True)
    except (SyntaxError, ValueError):  # the second is that of a text with a null byte
        return True
    if not _WORDS.search(source):
        return False
    return files.uses_python_2(files.of_source(reading.Source(path, text)), os.path.dirname(path))


# -- meanings ----------------------------------------------------------------------------------------------------------


def with_meanings(tree: ast.Module, has_true_division: bool) -> ast.Module:
    """A translated tree, changed so that it computes what Python 2 computed."""
    change = _Meanings(tree, not has_true_division)
    tree = change.visit(tree)
    if change.used:
        rewriting.import_at_start(tree, names_of_python2.__name__, sorted(change.used), _PREFIX)
    return tree


class _Meanings(ast.NodeTransformer):
    """Puts calls of `names_of_python2` in the place of operators and functions with another meaning."""

    def __init__(self, tree: ast.Module, divides: bool) -> None:
        self.used: Set[str] = set()
        imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        self.divides = divides
        stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        defined = {getattr(node, 'name', '') for node in tree.body}
        taken = {alias.asname or alias.name for node in imported for alias in node.names}
        self.functions = {old: new for old, new in _FUNCTIONS.items() if old not in stored | defined | taken}

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """A division, which was one of whole numbers for whole numbers."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div) or not self.divides or _is_float(node.left) or _is_float(node.right):
            return node
        return self._call('divided', node, [node.left, node.right])

    def visit_AugAssign(self, node: ast.AugAssign) -> Union[ast.AST, List[ast.AST]]:
        """`x /= y`."""
        self.generic_visit(node)
        is_plain = not any(isinstance(inner, ast.Call) for inner in ast.walk(node.target))
        if not isinstance(node.op, ast.Div) or not self.divides or _is_float(node.value) or not is_plain:
            return node
        value: Any = copy.deepcopy(node.target)
        value.ctx = ast.Load()
        call = self._call('divided_in_place', node, [value, node.value])
        return ast.copy_location(ast.Assign([node.target], call), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`round` and `open`."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self.functions:
            name = self.functions[node.func.id]
            self.used.add(name)
            node.func = ast.copy_location(ast.Name(_PREFIX + name, ast.Load()), node.func)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """A name that a module has no more."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Name):
            node.attr = _ATTRIBUTES.get((node.value.id, node.attr), node.attr)
        return node

    def visit_Import(self, node: ast.Import) -> Union[ast.AST, List[ast.AST]]:
        """`import pickle`, for files that Python 2 has written."""
        others = [alias for alias in node.names if alias.name != 'pickle']
        statements: List[ast.AST] = []
        if others:
            statements.append(ast.copy_location(ast.Import(others), node))
        for alias in node.names:
            if alias.name == 'pickle':
                package, _, name = pickle_of_python2.__name__.rpartition('.')
                taken = ast.ImportFrom(package, [ast.alias(name, alias.asname or alias.name)], 0)
                statements.append(ast.copy_location(taken, node))
        return statements

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        """`from pickle import load`."""
        if node.module == 'pickle' and not node.level:
            node.module = pickle_of_python2.__name__
        return node

    def _call(self, name: str, node: ast.AST, arguments: List[ast.expr]) -> ast.expr:
        self.used.add(name)
        called = ast.Call(ast.Name(_PREFIX + name, ast.Load()), arguments, [])
        return ast.copy_location(called, node)


def _is_float(node: ast.AST) -> bool:
    """Whether an operand is a float by its spelling."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == 'float'
    return isinstance(getattr(node, 'value', getattr(node, 'n', None)), float)
