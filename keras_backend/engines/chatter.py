"""What TensorFlow's C++ part writes to the standard error stream while it is imported."""

import contextlib
import os
import re
import sys
import tempfile
from typing import Iterator, Optional

LOG_LEVEL = 'TF_CPP_MIN_LOG_LEVEL'

# Lines that TensorFlow's C++ part writes at import at any log level, and that are less than warnings.
_CHATTER = re.compile(
    r'WARNING: All log messages before absl::InitializeLog'
    r'|[IW]\d{4} '
    r'|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: [IW] '
    r'|To enable the following instructions: '
)


@contextlib.contextmanager
def held_back(level: str, asked: Optional[str]) -> Iterator[None]:
    """Hold back what is written to the standard error stream, chatter for good. `level` is for what comes later.

    It is written by C++ code before any log level is read, so the file descriptor is the place to catch it. Whoever
    has asked for the log level 0 or 1 wants to see it. JAX sets it, too.
    """
    before = os.environ.get(LOG_LEVEL)
    if asked in ('0', '1'):
        yield
        return
    try:
        sys.stderr.flush()
        kept = os.dup(2)
    except (OSError, ValueError, AttributeError):
        # A process without a standard error stream has nothing to keep quiet.
        yield
        return
    # Read once, when the C++ library is loaded: gone afterwards, so that child processes decide for themselves.
    os.environ[LOG_LEVEL] = level
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), 2)
        try:
            yield
        finally:
            if before is None:
                os.environ.pop(LOG_LEVEL, None)
            else:
                os.environ[LOG_LEVEL] = before
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
            held.seek(0)
            for line in held.read().splitlines(True):
                if not _CHATTER.match(line.decode('utf-8', 'replace')):
                    os.write(2, line)
