"""Where all that goes wrong while a file is read becomes an error of ours."""

import contextlib
import struct
import zlib
from typing import Iterator

from ...errors import KerasBackendError, UnreadableFileError


@contextlib.contextmanager
def border(path: str) -> Iterator[None]:
    """Let what a file makes go wrong end in UnreadableFileError. path: the file, for errors.

    Errors of ours pass, and so do ImportError, of a library that is not installed, and OSError of the system, where a
    file is not there or may not be read. Those of h5py for damaged files have no number.
    """
    try:
        yield
    except KerasBackendError:
        raise
    # Anything may stand in the place of anything in a file, so any error of data may come of it. What is not an error
    # of data passes: a lack of memory, an interruption, a wrong call of this package.
    except (
        LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, NotImplementedError,
        RuntimeError, EOFError, OSError, struct.error, zlib.error,
    ) as error:  # fmt: skip
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise UnreadableFileError(f'{path} cannot be read: {type(error).__name__}: {error}') from error
