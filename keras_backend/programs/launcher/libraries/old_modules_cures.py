"""Cures for modules of the standard library that Python 3.9 to 3.13 removed, and for `pkg_resources` of setuptools."""

import html
import importlib
import importlib.util
import io
import os
import pkgutil
import re
import shlex
import shutil
import sys
from types import ModuleType
from typing import Any, Dict, Iterator, List, Optional, Tuple

from .. import imports
from .giving import give, made_up, of_functions


def modules(sys: ModuleType) -> str:
    """Give back `distutils`, `cgi`, `pipes`, `imghdr` and `xml.etree.cElementTree`, as far as programs use them."""
    imports.moved('xml.etree.cElementTree', 'xml.etree.ElementTree')
    made_up('cgi', _cgi)
    made_up('pipes', lambda module: give(module, {'quote': shlex.quote}))
    made_up('imghdr', lambda module: give(module, {'what': what}))
    made_up('distutils', _distutils)
    made_up('distutils.version', _distutils_version)
    made_up('distutils.util', lambda module: give(module, of_functions(strtobool)))
    made_up('distutils.spawn', lambda module: give(module, {'find_executable': shutil.which}))
    made_up('distutils.dir_util', lambda module: give(module, of_functions(copy_tree, mkpath, remove_tree)))
    made_up('distutils.file_util', lambda module: give(module, of_functions(copy_file)))
    for name in 'core', 'extension', 'log', 'errors', 'command', 'sysconfig', 'cmd':
        imports.moved(f'distutils.{name}', f'setuptools._distutils.{name}')
    imports.moved('distutils.command', 'setuptools._distutils.command')
    version_info: Any = sys.version_info
    return (
        'distutils, cgi, pipes, imghdr' if version_info >= (3, 13) else 'distutils' if version_info >= (3, 12) else ''
    )


def html_text(cgi: ModuleType) -> str:
    """Give back `cgi.escape`. Python 3.8 removed it."""
    return give(cgi, of_functions(escape))


def _cgi(module: ModuleType) -> None:
    """`cgi`: `escape` and `parse_header`."""
    give(module, of_functions(escape, parse_header))


def escape(s: str, quote: bool = False) -> str:
    """`cgi.escape`: text for HTML. Quotation marks are changed if `quote` is true."""
    text = html.escape(s, quote=False)
    return text.replace('"', '&quot;') if quote else text


def parse_header(line: str) -> Tuple[str, Dict[str, str]]:
    """`cgi.parse_header`: the main value of a header, and its parameters."""
    from email.message import Message

    message = Message()
    message['content-type'] = line
    (main, _), *others = message.get_params() or [('', '')]
    return main, dict(others)


def what(file: Any, h: Optional[bytes] = None) -> Optional[str]:
    """`imghdr.what`: the format of an image by its first bytes, or None."""
    if h is None:
        if hasattr(file, 'read'):
            position = file.tell()
            h = file.read(32)
            file.seek(position)
        else:
            with open(file, 'rb') as stream:
                h = stream.read(32)
    assert h is not None
    if h[6:10] in (b'JFIF', b'Exif'):
        return 'jpeg'
    if h[:4] == b'RIFF' and h[8:12] == b'WEBP':
        return 'webp'
    if len(h) >= 3 and h[:1] == b'P' and h[1:2] in b'142536' and h[2:3] in b' \t\n\r':
        return {b'1': 'pbm', b'4': 'pbm', b'2': 'pgm', b'5': 'pgm', b'3': 'ppm', b'6': 'ppm'}[h[1:2]]
    starts = {
        b'\211PNG\r\n\032\n': 'png',
        b'GIF87a': 'gif',
        b'GIF89a': 'gif',
        b'MM': 'tiff',
        b'II': 'tiff',
        b'BM': 'bmp',
        b'\x01\xda': 'rgb',
        b'\x59\xa6\x6a\x95': 'rast',
        b'#define ': 'xbm',
        b'\x76\x2f\x31\x01': 'exr',
    }
    return next((name for start, name in starts.items() if h.startswith(start)), None)


def _distutils(module: ModuleType) -> None:
    """`distutils`: the parts that programs use. The others are those of setuptools, where that is installed."""
    give(module, {'__version__': '3.11.0'})


def _distutils_version(module: ModuleType) -> None:
    """`distutils.version`: `LooseVersion` and `StrictVersion`."""
    give(module, {'LooseVersion': LooseVersion, 'StrictVersion': StrictVersion, 'Version': LooseVersion})


class LooseVersion:
    """`LooseVersion`: a version as the list of its numbers and words, which are compared one after another."""

    def __init__(self, vstring: Optional[str] = None) -> None:
        self.version: Any = []
        self.vstring = ''
        if vstring:
            self.parse(vstring)

    def parse(self, vstring: str) -> None:
        """Split a version at points, and between digits and letters."""
        self.vstring = vstring
        words = [word for word in re.split(r'(\d+|[a-z]+|\.)', vstring) if word and word != '.']
        self.version = [int(word) if word.isdigit() else word for word in words]

    def __str__(self) -> str:
        return self.vstring

    def __repr__(self) -> str:
        return f"{type(self).__name__} ('{self}')"

    def _other(self, other: Any) -> Any:
        return (type(self)(other) if isinstance(other, str) else other)._key()

    def _key(self) -> Any:
        return self.version

    def __eq__(self, other: object) -> bool:
        return bool(self._key() == self._other(other)) if isinstance(other, (str, LooseVersion)) else False

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Any) -> bool:
        return bool(self._key() < self._other(other))

    def __le__(self, other: Any) -> bool:
        return bool(self._key() <= self._other(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self._key() > self._other(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self._key() >= self._other(other))


class StrictVersion(LooseVersion):
    """`StrictVersion`: two or three numbers, and `a` or `b` with a number for a version before them."""

    prerelease: Any = None

    def parse(self, vstring: str) -> None:
        """Read the numbers."""
        match = re.match(r'^(\d+)\.(\d+)(\.(\d+))?([ab](\d+))?$', vstring)
        if match is None:
            raise ValueError(f"invalid version number '{vstring}'")
        major, minor, _, patch, before, number = match.groups()
        self.version = (int(major), int(minor), int(patch or 0))
        self.prerelease = (before[0], int(number)) if before else None

    def __str__(self) -> str:
        numbers = self.version if self.version[2] else self.version[:2]
        text = '.'.join(str(number) for number in numbers)
        return text + (f'{self.prerelease[0]}{self.prerelease[1]}' if self.prerelease else '')

    def _key(self) -> Any:
        return self.version, self.prerelease or ('c', 0)


def strtobool(val: str) -> int:
    """`distutils.util.strtobool`: 1 for yes, true, on, 1; 0 for no, false, off, 0."""
    word = val.lower()
    if word in ('y', 'yes', 't', 'true', 'on', '1'):
        return 1
    if word in ('n', 'no', 'f', 'false', 'off', '0'):
        return 0
    raise ValueError(f'invalid truth value {word!r}')


def copy_tree(src: str, dst: str, *args: Any, **kwargs: Any) -> List[str]:
    """`distutils.dir_util.copy_tree`: copy a folder into another, which may be there. Returns the files."""
    copied = []
    for folder, _, names in os.walk(src):
        target = os.path.normpath(os.path.join(dst, os.path.relpath(folder, src)))
        os.makedirs(target, exist_ok=True)
        for name in names:
            shutil.copy2(os.path.join(folder, name), os.path.join(target, name))
            copied.append(os.path.join(target, name))
    return copied


def mkpath(name: str, mode: int = 0o777, *args: Any, **kwargs: Any) -> List[str]:
    """`distutils.dir_util.mkpath`: make a folder and those above it. Returns the ones that were missing."""
    folders: List[str] = []
    path = os.path.normpath(name)
    while path and not os.path.isdir(path):
        folders.insert(0, path)
        path = os.path.dirname(path)
    os.makedirs(name, mode, exist_ok=True)
    return folders


def remove_tree(directory: str, *args: Any, **kwargs: Any) -> None:
    """`distutils.dir_util.remove_tree`: remove a folder and all in it."""
    shutil.rmtree(directory)


def copy_file(src: str, dst: str, *args: Any, **kwargs: Any) -> Tuple[str, int]:
    """`distutils.file_util.copy_file`: copy a file to a file or into a folder. Returns (path, 1)."""
    return shutil.copy2(src, dst), 1


def pkg_resources(sys: ModuleType) -> str:
    """Give back `pkg_resources`, which setuptools 82 removed: files of packages, versions, requirements."""
    if 'pkg_resources' in getattr(sys, 'modules', {}) or importlib.util.find_spec('pkg_resources') is not None:
        return ''
    made_up('pkg_resources', _pkg_resources)
    return 'the module pkg_resources'


def _pkg_resources(module: ModuleType) -> None:
    """`pkg_resources`: the parts that programs use."""
    fill(module)


# -- resources ---------------------------------------------------------------------------------------------------------
# `pkg_resources`, as far as programs use it, over `importlib.metadata` and files.


class ResolutionError(Exception):
    """The first of the errors of `pkg_resources`."""


class DistributionNotFound(ResolutionError):
    """A distribution is not installed."""


class VersionConflict(ResolutionError):
    """A distribution is installed in another version than the one that is required."""


def _folder(package: Any) -> str:
    name = str(getattr(package, 'project_name', package))
    module = sys.modules.get(name) or importlib.import_module(name)
    file = getattr(module, '__file__', None)
    if file:
        return os.path.dirname(os.path.abspath(str(file)))
    paths = list(getattr(module, '__path__', []))
    return str(paths[0]) if paths else os.getcwd()


def resource_filename(package_or_requirement: Any, resource_name: str) -> str:
    """`resource_filename`: the path of a file beside a module, or in a package. The names are joined by '/'."""
    return os.path.join(_folder(package_or_requirement), *resource_name.split('/'))


def resource_string(package_or_requirement: Any, resource_name: str) -> bytes:
    """`resource_string`: the bytes of a file in a package."""
    with open(resource_filename(package_or_requirement, resource_name), 'rb') as file:
        return file.read()


def resource_stream(package_or_requirement: Any, resource_name: str) -> Any:
    """`resource_stream`: a file in a package, open for reading bytes."""
    return io.BytesIO(resource_string(package_or_requirement, resource_name))


def resource_exists(package_or_requirement: Any, resource_name: str) -> bool:
    """`resource_exists`: whether there is such a file or folder in a package."""
    return os.path.exists(resource_filename(package_or_requirement, resource_name))


def resource_isdir(package_or_requirement: Any, resource_name: str) -> bool:
    """`resource_isdir`: whether there is such a folder in a package."""
    return os.path.isdir(resource_filename(package_or_requirement, resource_name))


def resource_listdir(package_or_requirement: Any, resource_name: str) -> List[str]:
    """`resource_listdir`: the names in a folder of a package."""
    return os.listdir(resource_filename(package_or_requirement, resource_name))


class Distribution:
    """An installed package: `project_name`, `key`, `version`, `location`."""

    def __init__(self, found: Any) -> None:
        self.project_name = found.metadata['Name']
        self.key = self.project_name.lower()
        self.version = found.version
        self.location = str(found.locate_file(''))
        self._found = found

    @property
    def parsed_version(self) -> Any:
        """The version, for comparisons."""
        return parse_version(self.version)

    def requires(self, extras: Any = ()) -> List[Any]:
        """The requirements of the distribution."""
        from packaging.requirements import Requirement

        needed = [Requirement(text) for text in self._found.requires or []]
        return [need for need in needed if need.marker is None or need.marker.evaluate({'extra': ''})]

    def as_requirement(self) -> str:
        """The name and the version, as pip writes them."""
        return f'{self.project_name}=={self.version}'

    def __str__(self) -> str:
        return f'{self.project_name} {self.version}'

    def __repr__(self) -> str:
        return f'{self} ({self.location})'


def parse_version(version: str) -> Any:
    """`parse_version`: a version for comparisons. The package `packaging` is needed."""
    from packaging.version import parse

    return parse(version)


def _requirement(text: Any) -> Any:
    from packaging.requirements import Requirement

    return text if hasattr(text, 'specifier') else Requirement(str(text))


def get_distribution(dist: Any) -> Distribution:
    """`get_distribution`: what is installed under a name, or DistributionNotFound."""
    from importlib import metadata

    if isinstance(dist, Distribution):
        return dist
    text = str(dist)
    needed = _requirement(text) if any(sign in text for sign in '<>=!~[; ') else None
    name = text if needed is None else needed.name
    try:
        installed = Distribution(metadata.distribution(name))
    except metadata.PackageNotFoundError:
        raise DistributionNotFound(
            f"The '{name}' distribution was not found and is required by the application; type: pip install {name}"
        ) from None
    if needed is not None and not needed.specifier.contains(installed.version, prereleases=True):
        raise VersionConflict(f'{installed} is installed and {needed} is required; type: pip install "{needed}"')
    return installed


def require(*requirements: Any) -> List[Distribution]:
    """`require`: the distributions that meet the requirements, or an error for the first that is not met."""
    texts: List[Any] = []
    for requirement in requirements:
        texts += [requirement] if isinstance(requirement, str) else list(requirement)
    return [get_distribution(_requirement(text)) for text in texts]


def iter_entry_points(group: str, name: Any = None) -> Iterator[Any]:
    """`iter_entry_points`: the entry points of a group."""
    from importlib import metadata

    entry_points: Any = metadata.entry_points()
    points = entry_points.select(group=group) if hasattr(entry_points, 'select') else entry_points.get(group, [])
    return iter([point for point in points if name is None or point.name == name])


class WorkingSet:
    """`working_set`: all distributions that are installed."""

    def __iter__(self) -> Iterator[Distribution]:
        from importlib import metadata

        return iter([Distribution(installed) for installed in metadata.distributions() if installed.metadata['Name']])

    @property
    def by_key(self) -> Any:
        """Name in lower case -> distribution."""
        return {distribution.key: distribution for distribution in self}


def declare_namespace(packageName: str) -> None:
    """`declare_namespace`: let the folders of a namespace package lie in several places."""
    package: Any = sys.modules[packageName]
    package.__path__ = pkgutil.extend_path(package.__path__, packageName)


def fill(module: ModuleType) -> None:
    """Give a module the names of `pkg_resources`."""
    functions = of_functions(
        resource_filename,
        resource_string,
        resource_stream,
        resource_exists,
        resource_isdir,
        resource_listdir,
        parse_version,
        get_distribution,
        require,
        iter_entry_points,
        declare_namespace,
    )
    classes = ResolutionError, DistributionNotFound, VersionConflict, Distribution, WorkingSet
    give(module, functions)
    give(module, {kind.__name__: kind for kind in classes})
    give(module, {'working_set': WorkingSet(), 'Requirement': _Requirement, 'parse_requirements': _parse_requirements})


class _Requirement:
    """`Requirement.parse`."""

    @staticmethod
    def parse(text: str) -> Any:
        """A requirement, as pip writes it."""
        return _requirement(text)


def _parse_requirements(texts: Any) -> Iterator[Any]:
    lines = texts.splitlines() if isinstance(texts, str) else texts
    stripped = [line.split(' #')[0].strip() for line in lines]
    return iter([_requirement(line) for line in stripped if line and not line.startswith('#')])
