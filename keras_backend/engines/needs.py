"""What libraries need beside themselves, got ready or checked, in words for `python -m keras_backend`."""

import sys

import numpy as np

from ..errors import EngineImportFailed


def of_jax() -> str:
    """JAX needs nothing of the operating system; how functions run, in words."""
    return (
        'each function is one jax.jit; not compiled are masks as indices, sizes that depend on values, sparse tensors '
        'and K.ctc_decode; draws in loops and K.print_tensor call back'
    )


def of_theano() -> str:
    """The NumPy that is there, in words; one that Theano does not run on is an error that says what to type."""
    if int(np.__version__.partition('.')[0]) >= 2:
        # The newest with which the engine is tested, on Pythons that have it.
        requirement = 'numpy<1.24' if sys.version_info < (3, 12) else 'numpy<2'
        raise EngineImportFailed(
            f'Theano 1.0.5 does not run on NumPy {np.__version__}; type: pip install "{requirement}"', 'theano'
        )
    return f'on NumPy {np.__version__}'
