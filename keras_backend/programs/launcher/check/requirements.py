"""The files beside a program that say what it needs: requirements.txt and the like."""

import os
import re
from typing import Callable, Dict, Iterator, List, NamedTuple, Set, Tuple

from . import requirement_forms as forms
from .reading import decoded
from .requirement_forms import Bounds, Include, Wanted

_Form = Callable[[str, Include], Iterator[Wanted]]
# The names of the files in a folder, the most telling first, and how each is read.
_FORMS: Tuple[Tuple[str, _Form], ...] = (
    (r'requirements\.txt', forms.of_requirements),
    (r'(?:pip[-_])?req(?:uirement)?s?[\w-]*\.txt|package-list\.txt|spec-file\.txt', forms.of_requirements),
    (r'(?:conda[-_]?)?env(?:ironment)?[\w.-]*\.ya?ml|conda[\w-]*\.ya?ml', forms.of_yaml),
    (r'setup\.py', forms.of_setup),
    (r'setup\.cfg', forms.of_setup_cfg),
    (r'pipfile|pyproject\.toml', forms.of_toml),
    (r'pipfile\.lock|poetry\.lock', forms.of_lock),
)
_README = re.compile(r'readme(?:\.md|\.rst|\.txt)?$', re.I)
# What the root of a repository has.
_OF_ROOT = ('.git', '.hg', 'setup.py', 'pyproject.toml')
_MOST_FILES, _LARGEST, _MOST_ABOVE = 40, 1 << 20, 3


class Listed(NamedTuple):
    """A thing that a program needs, and the file that says so, from the folder of the program on."""

    name: str
    bounds: Bounds
    file: str


def listed(path: str) -> List[Listed]:
    """What the files beside a program list, and those above it in its repository, the nearest and most telling first.

    Parameters
    ----------
    path : str
        A program, or a folder.
    """
    folder = _folder(path)
    waiting = [(file, form) for one in folders(folder) for file, form in _files(one)]
    seen: Set[str] = set()
    found: List[Listed] = []
    while waiting and len(seen) < _MOST_FILES:
        file, form = waiting.pop(0)
        if os.path.realpath(file) in seen:
            continue
        seen.add(os.path.realpath(file))
        included: List[str] = []
        shown = os.path.relpath(file, folder)
        found += [Listed(wanted.name, wanted.bounds, shown) for wanted in form(_text(file), included.append)]
        beside = os.path.dirname(file)
        waiting[:0] = [(os.path.join(beside, name), forms.of_requirements) for name in included]
    return found


def distributions(path: str) -> Dict[str, str]:
    """The names of modules -> the names for pip, as the program itself lists them; most modules are called alike."""
    return {re.sub(r'[-.]', '_', one.name).lower(): one.name for one in reversed(listed(path))}


def bounds(path: str, names: Tuple[str, ...]) -> Tuple[Bounds, str]:
    """The version of a thing in these files, by the first that tells one, and that file. names: in small letters."""
    for one in listed(path):
        if one.name.lower().replace('_', '-') in names and forms.spelled(one.bounds):
            return one.bounds, one.file
    return (), ''


def readme(path: str) -> str:
    """The text of README beside a program, or above it in its repository."""
    paths = (
        os.path.join(folder, name)
        for folder in folders(_folder(path))
        for name in entries(folder)
        if _README.match(name)
    )
    return next((_text(file) for file in paths), '')


def _folder(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(path) or '.'


def folders(folder: str) -> List[str]:
    """A folder, and those above it up to the root of its repository, or to the folder of the process."""
    above = [folder]
    while len(above) <= _MOST_ABOVE and os.path.dirname(os.path.abspath(above[-1])) != os.path.abspath(above[-1]):
        above.append(os.path.dirname(os.path.abspath(above[-1])))
    for index, one in enumerate(above):
        if any(os.path.exists(os.path.join(one, name)) for name in _OF_ROOT):
            return above[: index + 1]
    here = os.path.join(os.getcwd(), '')
    return [folder, *(one for one in above[1:] if os.path.join(one, '').startswith(here))]


def _files(folder: str) -> List[Tuple[str, _Form]]:
    inside = os.path.join(folder, 'requirements')
    known = [
        (os.path.join(folder, name), form)
        for pattern, form in _FORMS
        for name in entries(folder)
        if re.match(rf'(?:{pattern})$', name, re.I)
    ]
    return known + [
        (os.path.join(inside, name), forms.of_requirements) for name in entries(inside) if name.endswith('.txt')
    ]


def entries(folder: str) -> List[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _text(path: str) -> str:
    if not os.path.isfile(path):  # a pipe would wait for ever
        return ''
    try:
        with open(path, 'rb') as stream:
            return decoded(stream.read(_LARGEST))[0]
    except OSError:
        return ''
