"""Modules of a program that lie neither beside it nor on the path of Python, but in its repository: `src/nets`."""

import os
from typing import Dict, Iterable, List

from ....basics import installed
from . import library_rules, requirements

# So many folders of the repository are looked into.
_MOST = 100
_OF_OTHERS = {'keras', 'keras_backend', 'tensorflow', 'theano', 'google', 'setup', *library_rules.THERE}


def elsewhere(names: Iterable[str], base: str) -> Dict[str, str]:
    """The modules of a program that Python would not find -> the folder of the repository that has each.

    Parameters
    ----------
    names : iterable of str
        The names that the program imports, in full.
    base : str
        The folder of the program.
    """
    firsts = dict.fromkeys(name.split('.')[0] for name in names)
    lost = [first for first in firsts if first and not _has(base, first) and not _is_library(first)]
    folders = _folders(base) if lost else []
    found = {first: next((folder for folder in folders if _has(folder, first)), '') for first in lost}
    return {first: folder for first, folder in found.items() if folder}


def _is_library(name: str) -> bool:
    return name in _OF_OTHERS or library_rules.is_known(name) or installed.spec(name) is not None


def _has(folder: str, name: str) -> bool:
    """Whether a folder has a module: a file, or a package with files of Python."""
    path = os.path.join(folder, name)
    return os.path.isfile(path + '.py') or any(entry.endswith('.py') for entry in requirements.entries(path))


def _folders(base: str) -> List[str]:
    """The folder of a program and those above it in its repository, each with the folders in it."""
    found: List[str] = []
    for folder in requirements.folders(base or '.'):
        found.append(folder)
        inside = (os.path.join(folder, name) for name in requirements.entries(folder) if not name.startswith('.'))
        found += [path for path in inside if os.path.isdir(path) and not _is_environment(path)]
    return [folder for folder in dict.fromkeys(found) if not _is_same(folder, base or '.')][:_MOST]


def _is_environment(path: str) -> bool:
    return os.path.exists(os.path.join(path, 'pyvenv.cfg'))


def _is_same(folder: str, other: str) -> bool:
    return os.path.realpath(folder) == os.path.realpath(other)
