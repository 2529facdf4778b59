"""Cures for modules of the standard library that Python 3.9 to 3.13 removed, and for `pkg_resources` of setuptools."""

import html
import importlib.util
import os
import re
import shlex
import shutil
from types import ModuleType
from typing import Any, Dict, List, Optional, Tuple

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
    from .resources import fill

    fill(module)
