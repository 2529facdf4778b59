"""A setting of the process: it keeps memory that arrays have given back.

A training step makes arrays of some hundred kB, and frees them before the next step. glibc gives such memory back to
the system as soon as enough of it is free, and the next step asks for it again: the system clears each page at its
first use. That took a fourth to a third of a transformer block's step, and a tenth of a convolutional network's, on
the NumPy and the PyTorch engine.
"""

import ctypes
import os

# Names and numbers are those of mallopt(3) in glibc, which takes no larger block than this.
_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1
LARGEST_BLOCK, MOST_KEPT = 32 * 2**20, 2**30
# With these the user has decided.
OF_THE_USER = ('MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_', 'MALLOC_TOP_PAD_', 'GLIBC_TUNABLES')


def keep() -> bool:
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
