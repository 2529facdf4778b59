"""Where all that goes wrong while a file is read becomes an error of ours."""

import contextlib
from typing import Iterator

from ...errors import KerasBackendError, UnreadableFileError
from ..structure.foreign_errors import OF_DATA, in_short


@contextlib.contextmanager
def border(path: str) -> Iterator[None]:
    """Let what a file makes go wrong end in UnreadableFileError. path: the file, for errors.

    Errors of ours pass, and so do ImportError, of a library that is not installed, and OSError of the system, where a
    file is not there or may not be read. Those for damage name no file.
    """
    try:
        yield
    except KerasBackendError:
        raise
    except OF_DATA as error:
        if isinstance(error, OSError) and error.filename is not None:
            if not isinstance(error, FileNotFoundError) or error.filename == path:
                raise
            raise UnreadableFileError(f'{path} has no part {error.filename}.') from error
        raise UnreadableFileError(f'{path} cannot be read: {in_short(error)}') from error
