"""Modules of a program that are compiled from a changed tree. No class of a library has to be changed for them."""

import importlib.machinery
import os
import runpy
import sys
import sysconfig
from types import CodeType, ModuleType
from typing import Any, Callable, FrozenSet, List, Optional

from .imports import spec_from

# What gives the code of a file of a program: its path, and whether it lies among installed packages. None leaves it.
Rewrite = Callable[[str, bool], Optional[CodeType]]

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
    """Gives modules of programs the code that `rewrite` makes."""

    def __init__(self, rewrite: Rewrite, libraries: FrozenSet[str]) -> None:
        self.rewrite, self.libraries = rewrite, libraries

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec of a module with a file of Python code that is changed. None for every other module."""
        if name.partition('.')[0] in self.libraries:
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
        installed = _is_below(real_path, _INSTALLED) or os.sep + 'site-packages' + os.sep in real_path
        if not installed and _is_below(real_path, _OF_PYTHON):
            return None
        return self.rewrite(path, installed)


def _is_below(path: str, folders: List[str]) -> bool:
    return any(path.startswith(folder) for folder in folders)


_finders: List[Finder] = []


def watch(rewrite: Rewrite, libraries: FrozenSet[str]) -> None:
    """From now on, give modules that are imported the code that `rewrite` makes. `libraries` stay as they are."""
    _finders.append(Finder(rewrite, libraries))
    # After that of `imports`, which asks those that follow it.
    sys.meta_path.insert(1, _finders[-1])


def code_of(path: str) -> Optional[CodeType]:
    """The code that was made for a file of the program; None where it is to run as it is."""
    codes = [code for code in [finder.code_of(path) for finder in _finders] if code is not None]
    return codes[-1] if codes else None


def run(path: str) -> None:
    """Run a program as `runpy.run_path` does, with the code that was made for it."""
    code = code_of(path)
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
