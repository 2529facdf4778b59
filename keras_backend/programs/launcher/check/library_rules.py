"""Other libraries in a program: names that they have removed and that no cure gives back, and what to write today."""

import sys
from typing import Callable, Dict, Iterator, List, Mapping, NamedTuple, Set, Tuple

from ....basics.tables import beside
from ..libraries.library_pins import PINS
from .rules import Finding, Place, finding
from .uses import Uses

# -- names that are gone -----------------------------------------------------------------------------------------------
# Other libraries: names that they have removed and that no cure gives back, and what to write today.


class Gone(NamedTuple):
    """A name that is gone: what to write today, and whether the pinned version for Python 3.10 and 3.11 has it."""

    today: str
    pinned: bool = False


class Library(NamedTuple):
    """A library that programs of the time use: its name for pip, and the names that are gone."""

    install: str
    removed: Dict[str, Gone]


_TABLE = beside(__file__, 'libraries.json')
# Name of the module that programs import -> the library.
LIBRARIES: Dict[str, Library] = {
    module: Library(
        row['install'],
        {
            name: Gone(today, kind == 'in_the_pins')
            for kind in ('removed', 'in_the_pins')
            for name, today in row[kind].items()
        },
    )
    for module, row in _TABLE['libraries'].items()
}

# The libraries that programs of the time import: no other name is given to pip. These have one name for both.
SAME = set(_TABLE['same'])
# Name of a module -> its name for pip.
INSTALL: Dict[str, str] = {**{name: name for name in SAME}, **_TABLE['install']}

# Packages that the environment of `--keras` has already, or that Keras brings along.
THERE: Tuple[str, ...] = tuple(_TABLE['there'])


At = Callable[[int], Place]
NOTHING: Mapping[str, str] = {}

# Modules of Python 2, and of Python before 3.13. No library has these names.
_OLD = set(_TABLE['old'])
# For Python before 3.10, which has no list of its modules.
_STANDARD = set(_TABLE['standard']) | set(getattr(sys, 'stdlib_module_names', ()))


def judge(found: Uses, place: At, local: Set[str]) -> Iterator[Finding]:
    """Names of libraries that are gone."""
    seen: Set[str] = set()
    for use in found.names:
        if use.guarded or use.name.split('.')[0] in local:
            continue
        for library in LIBRARIES.values():
            gone = next((name for name in library.removed if use.name == name or use.name.startswith(name + '.')), '')
            if gone and gone not in seen:
                seen.add(gone)
                today, pinned = library.removed[gone]
                version = _pinned_version(library.install) if pinned else ''
                advice = f'write {today}' + (f', or pip install "{library.install}=={version}"' if version else '')
                yield finding('library-removed', place(use.line), f'{gone} is gone from {library.install}', advice)


def _pinned_version(install: str) -> str:
    """The version of a library in the combination for Python 3.10 and 3.11, '' if it has none."""
    for pythons, pins in PINS.items():
        if pythons.startswith('3.10') and install in pins:
            return str(pins[install].version)
    return ''


def is_known(module: str) -> bool:
    """Whether a module is one of Python's own, of today or of before, or a library with a known name for pip."""
    return module in INSTALL or module in _STANDARD or module in _OLD


def imported(found: Uses, local: Set[str], asked: Mapping[str, str] = NOTHING) -> List[Tuple[str, str]]:
    """The libraries that a program imports, without those that are there.

    asked : mapping of str to str
        The names of modules and their names for pip in the requirements of the program.

    Returns
    -------
    list of (str, str)
        The module and its name for pip. The name is '' for a module that is no known library: it may lie anywhere,
        and a stranger may have taken its name at PyPI.
    """
    modules = {use.name.split('.')[0] for use in found.names} | {module.split('.')[0] for module, _ in found.stars}
    others = sorted(modules - local - _STANDARD - _OLD - set(THERE) - {'', 'tensorboard', 'IPython', 'google'})
    return [(module, INSTALL.get(module) or asked.get(module.lower(), '')) for module in others]
