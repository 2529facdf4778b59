"""What the user is told, and the libraries are, about compiling."""

import warnings

from . import _blas


def linker_flags(found, chosen, flags):
    """Linker flags for a BLAS if there is a compiler, `found`; else one warning, unless the user has `chosen` so.

    `flags` is the variable of the environment in which the user chooses.
    """
    if found:
        return _blas.flags()
    if not chosen:
        warnings.warn(
            'The theano engine found no C++ compiler, so it runs everything in Python, which is many times '
            f'slower. Install g++, or set {flags}=cxx= to hear no more of this.',
            RuntimeWarning,
            stacklevel=2,
        )
    return ''
