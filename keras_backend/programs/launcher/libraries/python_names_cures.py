"""Cures for names and arguments of the standard library that Python 3.7 to 3.13 removed."""

import io
from types import ModuleType
from typing import Any, Callable, List

from .giving import give, joined, of_functions, old_arguments, wrap


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
    found = {}
    try:
        with open('/etc/os-release', encoding='utf-8') as file:
            for line in file:
                name, sign, value = line.strip().partition('=')
                if sign:
                    found[name] = value.strip('"\'')
    except OSError:
        pass
    return found.get('ID', ''), found.get('VERSION_ID', ''), ''


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
    one = random.random.__self__  # the generator behind the functions of the module
    for name in 'sample', 'randrange', 'randint', 'shuffle':
        setattr(random, name, getattr(one, name))
    return joined(*done)


def _of_sets(sample: Callable[..., Any]) -> Callable[..., Any]:
    from collections import abc

    def called(self: Any, population: Any, k: int, **kwargs: Any) -> Any:
        return sample(self, tuple(population) if isinstance(population, abc.Set) else population, k, **kwargs)

    return called


def _whole(randrange: Callable[..., Any]) -> Callable[..., Any]:
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        numbers_of_args: List[Any] = []
        for place, arg in enumerate(args):
            if isinstance(arg, float):
                if arg != int(arg):
                    raise ValueError(
                        f'random.randint and randrange take whole numbers, got {arg!r} as argument {place + 1}; '
                        'round it.'
                    )
                arg = int(arg)
            numbers_of_args.append(arg)
        return randrange(self, *numbers_of_args, **kwargs)

    return called


def _by_function(shuffle: Callable[..., Any]) -> Callable[..., Any]:
    def called(self: Any, x: Any, random: Any = None) -> None:
        if random is None:
            shuffle(self, x)
            return
        for last in reversed(range(1, len(x))):
            other = int(random() * (last + 1))
            x[last], x[other] = x[other], x[last]

    return called


def coroutines(asyncio: ModuleType) -> str:
    """Give back `asyncio.coroutine`. Python 3.11 removed it."""
    import types

    return give(asyncio, {'coroutine': types.coroutine})


def assertions(unittest: ModuleType) -> str:
    """Give back `assertEquals`, `assertItemsEqual` and the like of `unittest.TestCase`. Python 3.12 removed them."""
    kind = unittest.TestCase
    pairs = {
        'assertEquals': 'assertEqual',
        'assertNotEquals': 'assertNotEqual',
        'assertAlmostEquals': 'assertAlmostEqual',
        'assertNotAlmostEquals': 'assertNotAlmostEqual',
        'assertRegexpMatches': 'assertRegex',
        'assertRaisesRegexp': 'assertRaisesRegex',
        'assert_': 'assertTrue',
        'assertItemsEqual': 'assertCountEqual',
    }
    return give(kind, {old: getattr(kind, new) for old, new in pairs.items()})
