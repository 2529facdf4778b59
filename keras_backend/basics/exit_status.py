"""What the exit status of each command means, and what the system says of a file, in one sentence with what to do."""

import contextlib
import errno
import os
from typing import Iterator, Optional

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
    if isinstance(error, NotADirectoryError):
        return f'{path} cannot be there: {folder} is no folder. Give a path in a folder.'
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
    except BrokenPipeError:
        raise
    except OSError as error:
        # A library may write a draft beside the file. The reader knows the path that he gave.
        if _is_elsewhere(error, path):
            raise
        raise OSError(error.errno or _errno(error), error.strerror or str(error), path) from error
    except Exception as error:
        # TensorFlow has errors of its own for what the system says.
        if _errno(error) is None:
            raise
        raise OSError(_errno(error), os.strerror(errno.ENOSPC), path) from error


def _is_elsewhere(error: OSError, path: str) -> bool:
    folder = os.path.dirname(os.path.abspath(path))
    return bool(error.filename) and not os.path.abspath(str(error.filename)).startswith(folder)


def _errno(error: Exception) -> Optional[int]:
    return errno.ENOSPC if os.strerror(errno.ENOSPC) in str(error) else None
