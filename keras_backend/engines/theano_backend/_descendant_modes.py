"""How functions are compiled by PyTensor."""
from ._library import Mode, theano


def default_mode():
    """The mode that PyTensor is configured for; where nothing is said, C, which is there at once, and not Numba."""
    settings = theano.config
    if settings.mode == 'Mode' and settings.linker == 'auto':
        # Without C, what is fused is taken apart again, and NumPy has an end at 32 arrays.
        return Mode('cvm', 'fast_run') if settings.cxx else Mode('vm', 'fast_run').excluding('fusion')
    return theano.compile.get_default_mode()
