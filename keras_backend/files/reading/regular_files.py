"""Files and parts of folders, opened only where they are regular files that lie where they say.

A pipe waits without end, a device has no end, and a link leads to a file that nobody meant to give.
"""

import os
import stat
from typing import BinaryIO, List

from ...errors import UnreadableFileError
from .budget import Budget

# Without it, opening a pipe waits for somebody to write. Windows has neither the pipes nor the word.
_FLAGS = os.O_RDONLY | getattr(os, 'O_NONBLOCK', 0) | getattr(os, 'O_BINARY', 0) | getattr(os, 'O_CLOEXEC', 0)


def opened(path: str) -> BinaryIO:
    """The file at a path, open. Errors: UnreadableFileError, if it is a pipe, a device or a socket. OSError."""
    check(path)
    number = os.open(path, _FLAGS)
    try:
        _check_kind(os.fstat(number).st_mode, path)
        return os.fdopen(number, 'rb')
    except BaseException:  # whatever happens, the file does not stay open
        os.close(number)
        raise


def check(path: str) -> None:
    """Refuse what is no regular file. Errors: UnreadableFileError, OSError."""
    _check_kind(os.stat(path).st_mode, path)


def _check_kind(mode: int, path: str) -> None:
    if not stat.S_ISREG(mode):
        kinds = [
            ('a pipe', stat.S_ISFIFO), ('a device', stat.S_ISCHR), ('a device', stat.S_ISBLK),
            ('a socket', stat.S_ISSOCK), ('a folder', stat.S_ISDIR),
        ]  # fmt: skip
        kind = next((name for name, is_kind in kinds if is_kind(mode)), 'something else')
        raise UnreadableFileError(f'{path} is no file, but {kind}. Only files are read.')


def content(path: str, budget: Budget, name: str = 'bytes') -> bytes:
    """All bytes of a file. name: what they count as. Errors: ExcessiveFileError, UnreadableFileError, OSError."""
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        budget.spend(name, size, '' if path == budget.path else os.path.basename(path))
        return file.read(size)


def part(folder: str, *names: str) -> str:
    """The path of a part of a folder. Error: UnreadableFileError, if a link leads out of the folder."""
    path, root = os.path.join(folder, *names), os.path.realpath(folder)
    place = os.path.realpath(path)
    if not any([place.startswith(os.path.join(allowed, '')) for allowed in [root, *_blobs(root)]]):
        raise UnreadableFileError(
            f'{path} is a link to {place}, which is outside of the folder and is not read. If you trust it, copy the '
            f'folder with what its links lead to: cp -rL {folder} copy.'
        )
    return path


def _blobs(root: str) -> List[str]:
    """Where the cache of Hugging Face keeps the files of a model: its folders `snapshots/REVISION` are links there."""
    above, _, _ = root.rpartition(os.sep + 'snapshots' + os.sep)
    blobs = os.path.join(above, 'blobs')
    return [blobs] if above and os.path.realpath(blobs) == blobs else []


def stored_size(path: str) -> int:
    """The bytes that a file has on the disk. Holes in a file are none. Errors: UnreadableFileError, OSError."""
    with opened(path) as file:
        about = os.fstat(file.fileno())
        # A file that takes a small part of its length has holes, or lies on a disk that packs or does not say it.
        if 20 * 512 * getattr(about, 'st_blocks', about.st_size) < about.st_size and hasattr(os, 'SEEK_DATA'):
            return _without_holes(file.fileno(), about.st_size)
        return about.st_size


def _without_holes(number: int, size: int) -> int:
    found = place = 0
    while place < size:
        try:
            start = os.lseek(number, place, os.SEEK_DATA)
        except OSError:  # no data behind this place
            break
        place = os.lseek(number, start, os.SEEK_HOLE)
        found += place - start
    return found
