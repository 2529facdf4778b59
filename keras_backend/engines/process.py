"""What engines do to the process beside their library: what is written at import, what is imported before, memory."""

import contextlib
import ctypes
import os
import re
import sys
from importlib import import_module
from typing import Iterator, Optional

from ..basics.installed import spec
from ..config import settings
from ..errors import ForkedProcessError

# -- chatter -----------------------------------------------------------------------------------------------------------
# What TensorFlow's C++ part writes to the standard error stream while it is imported.


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
    import tempfile  # here: it takes time, and an engine without a library in C++ never comes here

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


# -- Triton ------------------------------------------------------------------------------------------------------------
# Triton, which comes with PyTorch, beside TensorFlow.
#
# Both hold LLVM. Triton after TensorFlow ends the process: "Option 'bitcode-mdindex-threshold' registered more than
# once". Triton before TensorFlow works.


def before_tensorflow() -> None:
    """Import Triton if this process has PyTorch, or Keras will run on it: the compiler of PyTorch imports it later."""
    if 'tensorflow' in sys.modules or spec('triton') is None:
        return
    if 'torch' in sys.modules or settings.get('backend').value == 'torch':
        # A Triton that is broken is PyTorch's to tell of, which does without it.
        with contextlib.suppress(Exception):
            import_module('triton')


# -- forks -------------------------------------------------------------------------------------------------------------
# A child that was forked has none of the threads of its parent, and a library may wait for them for ever.


class Runs:
    """Whether a library has run in this process, and whether that was before a fork made it.

    Python 3.6 tells nobody of a fork; no library that this is for runs there.
    """

    def __init__(self, title: str) -> None:
        self.title, self.ran, self.forked = title, False, False
        if hasattr(os, 'register_at_fork'):
            os.register_at_fork(after_in_child=self._in_child)

    def _in_child(self) -> None:
        self.forked = self.ran

    def begin(self) -> None:
        """Say that the library runs now; an error where it would wait for ever."""
        self.check()
        self.ran = True

    def check(self) -> None:
        """An error where the library would wait for ever."""
        if self.forked:
            raise ForkedProcessError(
                f'{self.title} ran in the process that this one was forked from, and would wait for ever here; start '
                "child processes with multiprocessing.get_context('spawn'), or fork before the first call of a K "
                'function.'
            )


# -- freed memory ------------------------------------------------------------------------------------------------------
# A setting of the process: it keeps memory that arrays have given back.
#
# A training step makes arrays of some hundred kB, and frees them before the next step. glibc gives such memory back to
# the system as soon as enough of it is free, and the next step asks for it again: the system clears each page at its
# first use. That took a fourth to a third of a transformer block's step, and a tenth of a convolutional network's, on
# the NumPy and the PyTorch engine.


# Names and numbers are those of mallopt(3) in glibc, which takes no larger block than this.
_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1
LARGEST_BLOCK, MOST_KEPT = 32 * 2**20, 2**30
# With these the user has decided.
OF_THE_USER = ('MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_', 'MALLOC_TOP_PAD_', 'GLIBC_TUNABLES')


def keep_freed_memory() -> bool:
    """Let the process keep up to 1 GB of what it frees in blocks of less than 32 MB. Returns whether it does.

    Larger blocks go back at once. Only glibc is asked, and only where no variable of the environment decides.
    """
    if any([name in os.environ for name in OF_THE_USER]) or not _is_glibc():
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return bool(mallopt(_MMAP_THRESHOLD, LARGEST_BLOCK) and mallopt(_TRIM_THRESHOLD, MOST_KEPT))


def _is_glibc() -> bool:
    try:
        return (os.confstr('CS_GNU_LIBC_VERSION') or '').startswith('glibc')
    except (AttributeError, ValueError, OSError):  # another system, or another library of C
        return False
