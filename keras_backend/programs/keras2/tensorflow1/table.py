"""The names of TensorFlow 1 that are given back, each with the function or class that it stands for.

This module imports no TensorFlow, so that a program can be checked without it.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from ....basics import installed
from ....basics.tables import beside

# The tables of names.json:
# given: a part of TensorFlow 1 -> where its names lie -> the names. `MODULE:` is a module of this folder, or of
#   TensorFlow by its full path. `tf:` is tf.compat.v1. A path without a colon is the module itself.
#   `conv1d=convolution1d` has another name there.
# same: a part -> other parts whose names it has, too.
# successors: a part -> the package that has its other names, if it is installed, and the place in it.
# private modules: a module of TensorFlow that programs import by its path -> the part whose names it has.
# replaced: a part that is gone -> what to write instead.
# moved: a module of TensorFlow that programs import by its path -> names that it no longer has.
# renamed: a name of before TensorFlow 1.0 -> what TensorFlow 1 calls it.
NAMES: Dict[str, Any] = beside(__file__, 'names.json')
SUCCESSORS: Dict[str, Tuple[str, str]] = NAMES['successors']
PRIVATE_MODULES: Dict[str, str] = NAMES['private modules']
REPLACED: Dict[str, str] = NAMES['replaced']


def _given() -> Iterator[Tuple[str, str]]:
    """The names that are given back, each with the place of what it stands for."""
    for part, places in NAMES['given'].items():
        for place, names in places.items():
            for name, _, meaning in (word.partition('=') for word in names.split()):
                yield f'{part}.{name}', place + (meaning or name) if ':' in place else place


GIVEN: Dict[str, str] = dict(_given())
for _part, _others in NAMES['same'].items():
    _of_others = [(path, path.rpartition('.')) for path in GIVEN]
    GIVEN.update({f'{_part}.{name}': GIVEN[path] for path, (part, _, name) in _of_others if part in _others})


# -- parts -------------------------------------------------------------------------------------------------------------
# Modules that stand for parts of TensorFlow 1, such as `tf.contrib.layers`.
#
# A name that is given back is imported when it is asked for. Any other name is an error that says what to write
# instead.


TENSORFLOW = 'tensorflow.'
PARENTS = ('contrib', 'layers', 'nn', 'examples', 'examples.tutorials')


def known_path(path: str) -> str:
    """The path of a part without the folders of its sources: `contrib.rnn` for `contrib.rnn.python.ops`."""
    return path.partition('.python')[0]


def is_part(path: str) -> bool:
    """Whether some name of this part of TensorFlow 1 is given back."""
    short, last = known_path(path), path.rpartition('.')[2]
    if short != path and (last.startswith('_') or last != last.lower()):
        return False  # a function or a class, rather than a module of the sources
    restored = short in PARENTS or any(known.startswith(short + '.') for known in GIVEN)
    return restored or (short in SUCCESSORS and _successor(short) is not None)


def value(place: str) -> Any:
    """The object at a place of the table: see `table`."""
    module, _, name = place.partition(':')
    if module == 'tf':
        target: Any = import_module(f'{__package__}.itself').tf
        for word in name.split('.'):
            target = getattr(target, word)
        return target
    if not name:
        return import_module(module)
    return getattr(import_module(module if '.' in module else f'{__package__}.{module}'), name)


def _successor(path: str) -> Optional[ModuleType]:
    """The module of another package that has the other names of a part, if the package is installed."""
    package, name = SUCCESSORS.get(path, ('', ''))
    if not package or (package not in sys.modules and installed.spec(package) is None):
        return None
    successor: ModuleType = getattr(import_module(package), name)
    return successor


class Part(ModuleType):
    """A part of TensorFlow 1.

    Args:
        path: Its name without `tf.`.
        gone: A function of a path that gives the sentence for a name that is not given back.
        rest: A module with all other names.
    """

    def __init__(self, path: str, gone: Callable[[str], str], rest: Optional[ModuleType] = None) -> None:
        super().__init__(TENSORFLOW + path, f'What is given back of tf.{path}.')
        self._path, self._gone, self._rest = path, gone, rest
        self.__path__: List[str] = []
        self.__all__ = _names(known_path(path))

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__'):
            raise AttributeError(name)
        short = known_path(self._path)
        if f'{short}.{name}' in GIVEN:
            attribute = value(GIVEN[f'{short}.{name}'])
        elif is_part(f'{self._path}.{name}') or (name == 'python' and short.startswith('contrib.')):
            attribute = import_module(f'{TENSORFLOW}{self._path}.{name}')
        else:
            attribute = self._other(short, name)
        setattr(self, name, attribute)
        return attribute

    def _other(self, short: str, name: str) -> Any:
        """A name that is not in the table."""
        successor = _successor(short)
        for module in (self._rest, successor):
            if module is not None and hasattr(module, name):
                return getattr(module, name)
        raise AttributeError(self._gone(f'{short}.{name}'))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise AttributeError(self._gone(self._path))

    def __dir__(self) -> List[str]:
        return sorted({*vars(self), *self.__all__, *(dir(self._rest) if self._rest else [])})


def _names(path: str) -> List[str]:
    return sorted({known[len(path) + 1 :].split('.')[0] for known in GIVEN if known.startswith(path + '.')})
