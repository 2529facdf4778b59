"""The NumPy engine: K on the graph of keras_backend, run by NumPy. The reference for the numbers of the others."""

from ...graph.install import install
from .. import process
from . import library

# The engines of PyTorch, CNTK and JAX import this package, so the call is made for them, too.
process.keep_freed_memory()
install(globals(), name='numpy', title='NumPy', kernels=library)
