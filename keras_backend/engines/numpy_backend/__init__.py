"""The NumPy engine: K on the graph of keras_backend, run by NumPy. The reference for the numbers of the others."""

from ...graph.install import install
from . import library

install(globals(), name='numpy', title='NumPy', kernels=library)
