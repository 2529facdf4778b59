"""Which BLAS Theano links: its own choice, else the one that came with NumPy or SciPy, else one of the system."""

import ctypes
import ctypes.util
import glob
import os
import sys

SYMBOL = 'sgemm_'


def flags():
    """Linker flags for a BLAS with the usual names, '' if there is none."""
    if not sys.platform.startswith('linux'):
        return ''
    for path in _candidates():
        if _is_blas(path):
            folder = os.path.dirname(path)
            # A file for the linker: Theano looks for what stands behind -l, by rules that wheels do not follow.
            return f'-Wl,--no-as-needed,{path} -Wl,-rpath,{folder}' if folder else '-l:' + path
    return ''


def _candidates():
    for package in ('numpy', 'scipy'):
        try:
            home = __import__(package).__path__[0]
        except ImportError:
            continue
        # Where wheels keep the libraries they bring, in their newer and their older form.
        for folder in (home + '.libs', os.path.join(home, '.libs')):
            for path in sorted(glob.glob(os.path.join(folder, '*openblas*'))):
                # Spaces would end a flag.
                if ' ' not in path:
                    yield path
    for name in ('openblas', 'mkl_rt', 'blis', 'blas'):
        found = ctypes.util.find_library(name)
        # Without the link that a development package brings, a library cannot be linked by its short name.
        if found:
            yield found


def _is_blas(path):
    try:
        return hasattr(ctypes.CDLL(path), SYMBOL)
    except OSError:
        return False
