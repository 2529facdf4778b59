"""Modules of a program that are compiled from a changed tree. No class of a library has to be changed for them."""

import ast
import importlib.machinery
import os
import runpy
import sys
import sysconfig
from types import CodeType, ModuleType
from typing import Any, Callable, List, NamedTuple, Optional, Sequence

from .. import environments
from .imports import spec_from

# They stay as they are, be they installed or not.
LIBRARIES = frozenset(
    'keras keras_backend tensorflow tf_keras torch jax jaxlib numpy scipy pandas matplotlib sklearn PIL h5py'.split()
)
# What reads a file of a program, from its bytes and its path: the tree that it means. None leaves that to Python.
Reader = Callable[[bytes, str], Optional[ast.Module]]


class Change(NamedTuple):
    """A change of the modules of programs.

    Attributes
    ----------
    wants : callable
        Whether there may be something to change, from the bytes of a file and whether it lies among installed packages.
        It is asked before the file is parsed.
    apply : callable
        Changes a tree, given whether its file is installed, and returns whether it did.
    """

    wants: Callable[[bytes, bool], bool]
    apply: Callable[[ast.Module, bool], bool]


_PLACES = sysconfig.get_paths()
_OF_PYTHON = [os.path.join(os.path.realpath(_PLACES[name]), '') for name in ('stdlib', 'platstdlib')]
_INSTALLED = [os.path.join(os.path.realpath(_PLACES[name]), '') for name in ('purelib', 'platlib')]


class Loader(importlib.machinery.SourceFileLoader):
    """The loader of a module whose code is made here. It is kept in no file: without a launcher it is another one."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        """The code of the module."""
        return self._code


class Finder:
    """Gives modules of programs the code that the changes make."""

    def __init__(self) -> None:
        self.readers: List[Reader] = []
        self.changes: List[Change] = []

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec of a module with a file of Python code that is changed. None for every other module."""
        if name.partition('.')[0] in LIBRARIES:
            return None
        spec = spec_from(sys.meta_path[sys.meta_path.index(self) + 1 :], name, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader or not spec.origin:
            return None
        code = self.code_of(spec.origin)
        if code is None:
            return None
        spec.loader = Loader(name, spec.origin, code)
        return spec

    def code_of(self, path: str) -> Optional[CodeType]:
        """The changed code of a file; None where nothing is to be changed."""
        real_path = os.path.realpath(path)
        installed = _is_installed(real_path)
        if not installed and _is_below(real_path, _OF_PYTHON):
            return None
        with open(path, 'rb') as stream:
            source = stream.read()
        return changed_code(source, path, installed, [] if installed else self.readers, self.changes)


def changed_code(
    source: bytes, path: str, installed: bool, readers: Sequence[Reader], changes: Sequence[Change]
) -> Optional[CodeType]:
    """The code of a file as the readers and changes make it; None where nothing is to be changed."""
    tree = next((tree for tree in (read(source, path) for read in readers) if tree is not None), None)
    is_changed = tree is not None
    wanted = [change for change in changes if change.wants(source, installed)]
    if tree is None:
        if not wanted:
            return None
        try:
            tree = ast.parse(source, path)
        except (SyntaxError, ValueError):  # the import says it better
            return None
    for change in wanted:
        is_changed = change.apply(tree, installed) or is_changed
    if not is_changed:
        return None
    code: CodeType = compile(ast.fix_missing_locations(tree), path, 'exec', dont_inherit=True)
    return code


def import_at_start(tree: ast.Module, module: str, names: Sequence[str], prefix: str) -> None:
    """Let a tree import names of a module first of all, each with a prefix that no name of the program has."""
    position = 0
    for i, node in enumerate(tree.body):
        value = getattr(node, 'value', None) if isinstance(node, ast.Expr) else None
        is_text = isinstance(getattr(value, 'value', getattr(value, 's', None)), str)
        if (i == 0 and is_text) or (isinstance(node, ast.ImportFrom) and node.module == '__future__'):
            position = i + 1
    aliases = [ast.alias(name, prefix + name) for name in names]
    statement = ast.ImportFrom(module, aliases, 0)
    tree.body.insert(position, ast.copy_location(statement, tree.body[0]) if tree.body else statement)


def calls_are_written(change: Any, tree: ast.Module, function: Callable[..., Any], prefix: str) -> bool:
    """Let a transformer put calls of a function into a tree, which imports it then. Returns whether it has put any.

    change: an `ast.NodeTransformer` with the number of its calls as `count`.
    """
    change.visit(tree)
    if change.count:
        import_at_start(tree, function.__module__, [function.__name__], prefix)
    return bool(change.count)


def _is_installed(path: str) -> bool:
    # A Keras that the launcher has fetched lies beside keras.json.
    fetched = os.path.join(os.path.realpath(environments.folder_of_all()), '')
    return _is_below(path, [*_INSTALLED, fetched]) or os.sep + 'site-packages' + os.sep in path


def _is_below(path: str, folders: List[str]) -> bool:
    return any(path.startswith(folder) for folder in folders)


_finder = Finder()


def watch(changes: Sequence[Change], readers: Sequence[Reader] = ()) -> None:
    """From now on, read the modules of the program that are imported with these readers, and make these changes."""
    _finder.changes += [change for change in changes if change not in _finder.changes]
    _finder.readers += [reader for reader in readers if reader not in _finder.readers]
    if _finder not in sys.meta_path:
        # After that of `imports`, which asks those that follow it.
        sys.meta_path.insert(1, _finder)


def code_of(path: str) -> Optional[CodeType]:
    """The code that was made for a file of the program; None where it is to run as it is."""
    return _finder.code_of(path)


def run(path: str) -> None:
    """Run a program as `runpy.run_path` does, with the code that was made for it."""
    code = code_of(path) if os.path.isfile(path) else None  # a pipe can be read once
    if code is None:
        runpy.run_path(path, run_name='__main__')
    else:
        execute(code, path)


def execute(code: CodeType, path: Optional[str] = None) -> None:
    """Run code as the program: its module is `__main__`. path: its file."""
    main, before = ModuleType('__main__'), sys.modules['__main__']
    vars(main).update(__package__='' if path else None, __cached__=None)
    if path:
        main.__file__ = path
    sys.modules['__main__'] = main
    try:
        exec(code, vars(main))
    finally:
        sys.modules['__main__'] = before
