"""What the exit status of each command means, and what the system says of a file, in one sentence with what to do."""

import contextlib
import errno
import os
from typing import Iterator

DONE, NO, CANNOT, STOPPED = 0, 1, 2, 130
# The end of each --help; docs/commands.md has the same.
MEANING = (
    'Exit status: 0 if it was done, 1 if the answer is no or something was found, 2 if the command cannot be carried '
    'out (wrong usage, a missing file), 130 after Ctrl-C.'
)
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def in_words(error: OSError, path: str = '') -> str:
    """What is wrong with a file, in one sentence with what to do.

    Parameters
    ----------
    error : OSError
        What the system says.
    path : str
        The file, where the error does not name it: a write to an open file does not.
    """
    path = str(error.filename or path or 'A file')
    folder = os.path.dirname(os.path.abspath(path))
    if error.errno in _NO_ROOM:
        return f'{path} cannot be written: {error.strerror}. Make room, or give a path on another disk.'
    if isinstance(error, FileNotFoundError) and not os.path.isdir(folder):
        return f'There is no folder {folder}; make it, or give a path in another one.'
    if isinstance(error, FileNotFoundError):
        return f'There is no file {path!r} in {os.getcwd()}; give the path of a file that is there.'
    if isinstance(error, IsADirectoryError):
        return f'{path} is a folder; give the path of a file.'
    if isinstance(error, PermissionError):
        return f'{path} is not open to this user: {error.strerror}. Change its permissions, or give another path.'
    return f'{path}: {error.strerror or error}; give another path.'


def readable(path: str) -> str:
    """Why a file cannot be read, in one sentence; '' if it can."""
    try:
        with open(path, 'rb') as stream:
            stream.read(1)
    except OSError as error:
        return in_words(error, path)
    return ''


@contextlib.contextmanager
def writing(path: str) -> Iterator[None]:
    """Name the file in the errors of the system while it is written: a full disk names none."""
    try:
        yield
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        # A library may write a draft beside it. The reader knows the path that he gave.
        raise OSError(error.errno, error.strerror or str(error), path) from error
