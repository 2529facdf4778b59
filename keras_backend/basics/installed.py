"""The packages installed beside us, found without importing them, and the machine."""

import importlib.util
import json
import os
import re
import sys
from importlib.machinery import ModuleSpec
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple


def entry_points(group: str) -> Dict[str, Tuple[str, str]]:
    """Entry points of a group, as a dict name -> (module, distribution); the first on sys.path counts."""
    points: Dict[str, Tuple[str, str]] = {}
    for distribution in _distributions():
        text = distribution.read_text('entry_points.txt') or ''
        for name, value in _section(text, group):
            # 'module:attribute [extras]'; an engine is a module.
            points.setdefault(name, (value.partition('[')[0].partition(':')[0].strip(), distribution.metadata['Name']))
    return points


def version(names: Sequence[str]) -> Optional[str]:
    """The version of the first of these distributions that is installed, or None."""
    normalized = [_plain(name) for name in names]
    versions: Dict[str, str] = {}
    for distribution in _distributions():
        name = _plain(distribution.metadata['Name'] or '')
        if name in normalized and name not in versions:
            versions[name] = distribution.version
    return next((versions[name] for name in normalized if name in versions), None)


def spec(module: str) -> Optional[ModuleSpec]:
    """The spec of a module, or None; the packages above it are imported, it is not."""
    try:
        return importlib.util.find_spec(module)
    except (ImportError, ValueError):  # ValueError: put into sys.modules by hand, without a spec
        return None


def requirement(extra: str = '') -> str:
    """The argument of `pip install` for this package with an extra: where it came from, or its name.

    A checkout is its folder. An installed package has a record of the folder, file or address that pip was given (PEP
    610). It has none where it came from the index.
    """
    name, extras = 'keras_backend', f'[{extra}]' if extra else ''
    above = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..'))
    if os.path.isfile(os.path.join(above, 'pyproject.toml')):
        return above + extras
    own = [package for package in _distributions() if _plain(package.metadata['Name'] or '') == _plain(name)]
    try:
        origin = json.loads((own[0].read_text('direct_url.json') if own else None) or '{}')
    except ValueError:
        origin = {}
    url = origin.get('url', '')
    if url.startswith('file:'):
        # Here: they bring ssl, http and email, a third of the time in which K is imported.
        from urllib.parse import urlsplit
        from urllib.request import url2pathname

        path = url2pathname(urlsplit(url).path)
        return (path if os.path.exists(path) else name) + extras
    if not url:
        return name + extras
    system = origin.get('vcs_info', {}).get('vcs')
    return f'{name}{extras} @ {f"{system}+" if system else ""}{url}'


def requirements(extra: str) -> List[str]:
    """What pip installs for an extra of this package; empty where nothing here tells.

    A checkout has pyproject.toml, an installed package its metadata. A link to the package is followed.
    """
    above = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    own = [found for found in _scan([above]) if _plain(found.metadata['Name']) == _plain('keras_backend')]
    text = (own[0].read_text('METADATA') if own else None) or ''
    mark = re.compile(rf"""(?: *and +)?extra *== *["']{extra}["'](?: +and *)?""")
    lines = [line.partition(';') for line in re.findall(r'^Requires-Dist: (.+)', text, re.M)]
    named = [(name.strip(), mark.sub('', marker).strip(' ()')) for name, _, marker in lines if mark.search(marker)]
    if named:
        return [f'{name}; {marker}' if marker else name for name, marker in named]
    text = _Distribution(above).read_text('pyproject.toml') or ''
    section = re.search(rf'^{extra} = \[$(.*?)^\]', text, re.M | re.S)
    return re.findall(r'^ *"([^"]+)"', section.group(1), re.M) if section is not None else []


def _plain(name: str) -> str:
    return name.lower().replace('_', '-').replace('.', '-')


def _section(text: str, group: str) -> Iterator[Tuple[str, str]]:
    inside = False
    for line in text.splitlines():
        line = line.strip()
        if line.startswith('['):
            inside = line == f'[{group}]'
        elif inside and '=' in line and not line.startswith(('#', ';')):
            name, _, value = line.partition('=')
            yield name.strip(), value.strip()


def _distributions() -> Iterable[Any]:
    try:
        from importlib.metadata import distributions
    except ImportError:  # Python 3.6 and 3.7
        return _scan()
    return distributions()


class _Distribution:
    """As much of importlib.metadata.Distribution as is needed here."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.metadata = {'Name': ''}
        self.version: Optional[str] = None
        for line in (self.read_text('METADATA') or self.read_text('PKG-INFO') or '').splitlines():
            if not line.strip():
                break
            key, _, value = line.partition(':')
            if key == 'Name':
                self.metadata['Name'] = value.strip()
            elif key == 'Version':
                self.version = value.strip()

    def read_text(self, name: str) -> Optional[str]:
        """A file of the metadata, or None."""
        try:
            with open(os.path.join(self.folder, name), encoding='utf-8', errors='replace') as stream:
                return stream.read()
        except OSError:
            return None


def _scan(folders: Optional[Sequence[str]] = None) -> Iterator[_Distribution]:
    for folder in sys.path if folders is None else folders:
        try:
            names = sorted(os.listdir(folder or '.'))
        except OSError:
            continue
        for name in names:
            if name.endswith(('.dist-info', '.egg-info')):
                yield _Distribution(os.path.join(folder, name))


# -- the machine -------------------------------------------------------------------------------------------------------
# The machine that a process runs on.


def processors() -> int:
    """How many processors this process may use."""
    affinity = getattr(os, 'sched_getaffinity', None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
