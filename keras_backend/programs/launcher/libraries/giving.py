"""Helpers of the cures for other libraries: names that are missing, modules that have moved, and arguments of old."""

import functools
import os
import re
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, Mapping, Sequence, Tuple

from .. import imports
from ..cures import around

Wrapper = Callable[[Callable[..., Any]], Callable[..., Any]]


def give(module: Any, names: Mapping[str, Any]) -> str:
    """Give a module the names that it lacks.

    Parameters
    ----------
    module : module or class
        The module. Its own names stay.
    names : mapping
        Name -> value.

    Returns
    -------
    str
        The names that were given, with the name of the module, or ''.
    """
    missing = [name for name in names if name not in vars(module)]
    for name in missing:
        setattr(module, name, names[name])
    return ', '.join(f'{module.__name__}.{name}' for name in missing)


# The methods by which pandas fills gaps, by the names that programs give.
FILLS = {'ffill': 'ffill', 'pad': 'ffill', 'bfill': 'bfill', 'backfill': 'bfill'}


def give_class(kind: Any, names: Mapping[str, Any]) -> str:
    """Give a class the names that neither it nor a class above it has."""
    return give(kind, {name: value for name, value in names.items() if not hasattr(kind, name)})


def of_functions(*functions: Callable[..., Any]) -> Dict[str, Callable[..., Any]]:
    """Functions by their names, for `give`."""
    return {function.__name__: function for function in functions}


def joined(*given: str) -> str:
    """The texts of several changes as one text."""
    return ', '.join(filter(None, given))


def version(module: ModuleType) -> Tuple[int, ...]:
    """The first two numbers of a library's version, (3, 1) for '3.1.0rc1'."""
    return tuple(int(number) for number in re.findall(r'\d+', module.__version__)[:2])


def moved_modules(package: ModuleType, table: Mapping[str, str]) -> str:
    """Let the old names of modules lead to the modules of today.

    Parameters
    ----------
    package : module
        The package of the old names.
    table : mapping
        Old name -> new name, both in full. A module that still has its old name stays as it is.

    Returns
    -------
    str
        The old names that were missing.
    """
    (folder,) = list(package.__path__)[:1]
    missing = []
    for old, new in table.items():
        path = os.path.join(folder, *old.split('.')[1:])
        if not os.path.exists(path) and not os.path.exists(path + '.py'):
            imports.moved(old, new)
            missing.append(old)
    return ', '.join(missing)


def made_up(name: str, fill: Callable[[ModuleType], Any]) -> None:
    """Make a module if the program imports it and it is not there. `fill` gives it its names at that moment."""

    def make() -> ModuleType:
        module = ModuleType(name, fill.__doc__)
        fill(module)
        return module

    imports.instead(name, make)


def wrap(owner: Any, name: str, wrapper: Wrapper) -> str:
    """Put a wrapper around a function of a module or class, once. Returns its name, or '' if nothing was to be done."""
    function = vars(owner).get(name)
    if function is None or isinstance(function, staticmethod):  # as `__new__`, which Python calls with the class
        function = getattr(owner, name, None)
    known = getattr(function, '_of_launcher', ())
    if not callable(function) or wrapper.__qualname__ in known:
        return ''
    wrapped = functools.wraps(function)(wrapper(function))
    wrapped._of_launcher = (*known, wrapper.__qualname__)  # type: ignore[attr-defined]
    setattr(owner, name, wrapped)
    return f'{owner.__name__}.{name}'


@around
def normed_as_density(histogram: Any, *args: Any, **kwargs: Any) -> Any:
    """`normed=True` of NumPy before 1.24 and Matplotlib before 3.1 is `density=True`."""
    normed = kwargs.pop('normed', None)
    if normed is not None:
        kwargs['density'] = bool(normed)
    return histogram(*args, **kwargs)


def wrap_lazily(module: ModuleType, wrappers: Mapping[str, Wrapper]) -> str:
    """Put wrappers around functions of a module; around those that it loads when they are asked for, at that moment."""
    done = [wrap(module, name, wrapper) for name, wrapper in wrappers.items() if name in vars(module)]
    load = vars(module).get('__getattr__')
    if load is not None and not hasattr(load, '_of_launcher'):
        done += [f'{module.__name__}.{name}' for name in wrappers if name not in vars(module)]

        def getattr_of_module(name: str) -> Any:
            value = load(name)
            if name in wrappers:
                setattr(module, name, value)
                wrap(module, name, wrappers[name])
                return vars(module)[name]
            return value

        getattr_of_module._of_launcher = True  # type: ignore[attr-defined]
        setattr(module, '__getattr__', getattr_of_module)  # noqa: B010 - a function of the module, not of its type
    return joined(*done)


def old_arguments(
    order: Sequence[str] = (), renamed: Mapping[str, str] = {}, ignored: Iterable[str] = (), kept: int = 1
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A wrapper for functions that today take fewer arguments, or take them by keyword alone.

    Parameters
    ----------
    order : sequence of str
        The arguments in their old order, `self` included. Those after the first `kept` are passed on by keyword.
    renamed : mapping
        Old keyword -> new keyword.
    ignored : iterable of str
        Keywords that have no effect any more.
    kept : int
        The number of arguments that are passed on by position.

    Returns
    -------
    callable
        Takes a function, and returns one that takes the old arguments.
    """
    unused = frozenset(ignored)

    def wrapper(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            if kept < len(args) <= len(order):
                named = dict(zip(order[kept:], args[kept:]))
                twice = sorted(set(named) & set(kwargs))
                if twice:
                    raise TypeError(f'{function.__name__}() got the argument {twice[0]!r} twice; give it once.')
                kwargs.update(named)
                args = args[:kept]
            for old, new in renamed.items():
                if old in kwargs:
                    kwargs[new] = kwargs.pop(old)
            for name in unused.intersection(kwargs):
                del kwargs[name]
            return function(*args, **kwargs)

        return called

    return wrapper
