"""How functions are compiled by PyTensor."""
from ._library import theano


def default_mode():
    """The mode that PyTensor is configured for; where nothing is said, C, which is there at once, and not Numba."""
    settings = theano.config
    if settings.mode == 'Mode' and settings.linker == 'auto':
        return theano.compile.get_mode('CVM') if settings.cxx else theano.compile.mode.Mode('vm', 'fast_run')
    return theano.compile.get_default_mode()
