"""Cures for parts, names and arguments of the standard library that later Pythons removed."""

import importlib.machinery
import importlib.util
import inspect
import io
import os
import sys
import types
from collections import abc
from types import ModuleType
from typing import IO, Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

from ....basics.tables import beside
from ..cures import around
from .giving import give, joined, of_functions, old_arguments, wrap

# -- parts -------------------------------------------------------------------------------------------------------------
# Cures for parts of the standard library that later Pythons removed.


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
    # importlib.util.find_spec refuses a module without one.
    module.__spec__ = importlib.machinery.ModuleSpec('imp', None)
    for function in (find_module, load_module, load_source, new_module):
        setattr(module, function.__name__, function)
    kinds = dict(PY_SOURCE=1, PY_COMPILED=2, C_EXTENSION=3, PKG_DIRECTORY=5, C_BUILTIN=6, PY_FROZEN=7)
    locks = dict.fromkeys(('acquire_lock', 'release_lock'), lambda: None)
    vars(module).update(kinds, reload=importlib.reload, **locks)
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


# -- names and arguments -----------------------------------------------------------------------------------------------
# Cures for names and arguments of the standard library that Python 3.7 to 3.13 removed.


def clock(time: ModuleType) -> str:
    """Give back `time.clock`: the time of the processor, on Windows the time that has passed. Python 3.8 removed it."""
    import os

    return give(time, {'clock': time.perf_counter if os.name == 'nt' else time.process_time})


def divisor(fractions: ModuleType) -> str:
    """Give back `fractions.gcd`, whose sign is that of the second number. Python 3.9 removed it."""
    return give(fractions, of_functions(gcd))


def gcd(a: Any, b: Any) -> Any:
    """`fractions.gcd`: the greatest common divisor, by Euclid's algorithm."""
    while b:
        a, b = b, a % b
    return a


def threads(threading: ModuleType) -> str:
    """Give back `Thread.isAlive`. Python 3.9 removed it."""
    return give(threading.Thread, {'isAlive': threading.Thread.is_alive})


def strings_of_bytes(base64: ModuleType) -> str:
    """Give back `base64.encodestring` and `decodestring`. Python 3.9 removed them."""
    return give(base64, {'encodestring': base64.encodebytes, 'decodestring': base64.decodebytes})


def entities(parser: ModuleType) -> str:
    """Give back `HTMLParser.unescape`. Python 3.9 removed it."""
    import html

    return give(parser.HTMLParser, {'unescape': lambda self, s: html.unescape(s)})


def system(platform: ModuleType) -> str:
    """Give back `platform.linux_distribution` and `dist`, from /etc/os-release. Python 3.8 removed them."""
    return give(platform, of_functions(linux_distribution, dist))


def linux_distribution(*args: Any, **kwargs: Any) -> Any:
    """`platform.linux_distribution`: (name, version, '')."""
    fields = {}
    try:
        with open('/etc/os-release', encoding='utf-8') as file:
            for line in file:
                name, sign, value = line.strip().partition('=')
                if sign:
                    fields[name] = value.strip('"\'')
    except OSError:
        pass
    return fields.get('ID', ''), fields.get('VERSION_ID', ''), ''


def dist(*args: Any, **kwargs: Any) -> Any:
    """`platform.dist`: the same as `linux_distribution`."""
    return linux_distribution()


def error_numbers(os: ModuleType) -> str:
    """Give back `os.errno`. Python 3.7 removed it."""
    import errno

    return give(os, {'errno': errno})


def encodings(json: ModuleType) -> str:
    """Take `json.load(file, encoding='utf-8')`, which has no effect. Python 3.9 removed the argument."""
    import sys

    if sys.version_info < (3, 9):
        return ''
    return joined(*[wrap(json, name, old_arguments(ignored=('encoding',))) for name in ('load', 'loads')])


def text_files(builtins: ModuleType) -> str:
    """Take `open(path, 'rU')`. Python 3.11 removed the letter U, which has no effect on text."""
    import sys

    if sys.version_info < (3, 11):
        return ''

    def without_letter(function: Callable[..., Any]) -> Callable[..., Any]:
        def opened(file: Any, mode: Any = 'r', *args: Any, **kwargs: Any) -> Any:
            if isinstance(mode, str) and 'U' in mode:
                mode = mode.replace('U', '')
                mode = mode if mode.strip('bt') else 'r' + mode
            return function(file, mode, *args, **kwargs)

        return opened

    done = wrap(builtins, 'open', without_letter)
    if done:
        io.open = builtins.open
    return "open(path, 'rU')" if done else ''


def choices(random: ModuleType) -> str:
    """Take sets in `random.sample`, whole floats in `random.randint`, and `random.shuffle(x, random)`."""
    import sys

    if sys.version_info < (3, 11):
        return ''
    kind = random.Random
    done = [wrap(kind, 'sample', _of_sets), wrap(kind, 'randrange', _whole), wrap(kind, 'shuffle', _by_function)]
    generator = random.random.__self__  # the generator behind the functions of the module
    for name in 'sample', 'randrange', 'randint', 'shuffle':
        setattr(random, name, getattr(generator, name))
    return joined(*done)


def _of_sets(sample: Callable[..., Any]) -> Callable[..., Any]:
    from collections import abc

    def called(self: Any, population: Any, k: int, **kwargs: Any) -> Any:
        return sample(self, tuple(population) if isinstance(population, abc.Set) else population, k, **kwargs)

    return called


@around
def _whole(randrange: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    numbers_of_args: List[Any] = []
    for index, arg in enumerate(args):
        if isinstance(arg, float):
            if arg != int(arg):
                raise ValueError(
                    f'random.randint and randrange take whole numbers, got {arg!r} as argument {index + 1}; round it.'
                )
            arg = int(arg)
        numbers_of_args.append(arg)
    return randrange(self, *numbers_of_args, **kwargs)


@around
def _by_function(shuffle: Any, self: Any, x: Any, random: Any = None) -> None:
    if random is None:
        shuffle(self, x)
        return
    for last in reversed(range(1, len(x))):
        other = int(random() * (last + 1))
        x[last], x[other] = x[other], x[last]


def coroutines(asyncio: ModuleType) -> str:
    """Give back `asyncio.coroutine`. Python 3.11 removed it."""
    import types

    return give(asyncio, {'coroutine': types.coroutine})


def assertions(unittest: ModuleType) -> str:
    """Give back `assertEquals`, `assertItemsEqual` and the like of `unittest.TestCase`. Python 3.12 removed them."""
    kind = unittest.TestCase
    pairs = beside(__file__, 'names.json')['assertions']
    return give(kind, {old: getattr(kind, new) for old, new in pairs.items()})
