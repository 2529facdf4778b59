"""Cures for parts of the standard library that later Pythons removed."""

import importlib.machinery
import importlib.util
import inspect
import os
import sys
import types
from collections import abc
from typing import IO, Any, Callable, NamedTuple, Optional, Sequence, Tuple


class ArgSpec(NamedTuple):
    """The result of `inspect.getargspec`."""

    args: Sequence[str]
    varargs: Optional[str]
    keywords: Optional[str]
    defaults: Optional[Tuple[Any, ...]]


def getargspec(function: Callable[..., Any]) -> ArgSpec:
    """`inspect.getargspec`: the arguments of a function."""
    return ArgSpec(*inspect.getfullargspec(function)[:4])


def abstract_classes(collections: types.ModuleType) -> str:
    """Give back the abstract classes of `collections` (`collections.Iterable`). Python 3.10 removed them."""
    if hasattr(collections, 'Iterable'):  # Python 3.7 to 3.9 have them, with a warning
        return ''
    for name in abc.__all__:
        if not hasattr(collections, name):
            setattr(collections, name, getattr(abc, name))
    return 'collections.Iterable, collections.Mapping and the like'


def argument_specifications(inspect: types.ModuleType) -> str:
    """Give back `inspect.getargspec` and `inspect.ArgSpec`. Python 3.11 removed them."""
    if hasattr(inspect, 'getargspec'):
        return ''
    vars(inspect).update(getargspec=getargspec, ArgSpec=ArgSpec)
    return 'inspect.getargspec, inspect.ArgSpec'


def imp_module(sys: types.ModuleType) -> str:
    """Give back the functions of the module `imp` that programs use. Python 3.12 removed it."""
    if 'imp' in sys.modules or importlib.util.find_spec('imp') is not None:
        return ''
    module = types.ModuleType('imp', imp_module.__doc__)
    for function in (find_module, load_module, load_source, new_module):
        setattr(module, function.__name__, function)
    vars(module).update(
        PY_SOURCE=1,
        PY_COMPILED=2,
        C_EXTENSION=3,
        PKG_DIRECTORY=5,
        C_BUILTIN=6,
        PY_FROZEN=7,
        reload=importlib.reload,
        acquire_lock=lambda: None,
        release_lock=lambda: None,
    )
    sys.modules['imp'] = module
    return 'the module imp'


def new_module(name: str) -> types.ModuleType:
    """`imp.new_module`: an empty module. It is not entered in `sys.modules`."""
    return types.ModuleType(name)


def load_source(name: str, path: str, file: Optional[IO[str]] = None) -> types.ModuleType:
    """`imp.load_source`: the module in a file. It is entered in `sys.modules` under the name given."""
    loader = importlib.machinery.SourceFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return sys.modules[name]


def find_module(name: str, path: Optional[Sequence[str]] = None) -> Tuple[Optional[IO[str]], str, Tuple[str, str, int]]:
    """`imp.find_module`: the open file, the path and the description of a module, for `load_module`."""
    spec = importlib.machinery.PathFinder.find_spec(name, path)
    if spec is None:
        raise ImportError(f'No module named {name!r}', name=name)
    if spec.submodule_search_locations:
        return None, next(iter(spec.submodule_search_locations)), ('', '', 5)
    origin = spec.origin or ''
    suffix = os.path.splitext(origin)[1]
    if suffix != '.py':
        return None, origin, (suffix, 'rb', 3)
    return open(origin, encoding='utf-8'), origin, (suffix, 'r', 1)


def load_module(name: str, file: Optional[IO[str]], path: str, details: Tuple[str, str, int]) -> types.ModuleType:
    """`imp.load_module`: the module that `find_module` has found."""
    if details[2] == 5:
        return load_source(name, os.path.join(path, '__init__.py'))
    if details[2] == 1:
        return load_source(name, path)
    return importlib.import_module(name)
