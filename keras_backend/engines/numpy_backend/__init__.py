"""The NumPy engine: K on the graph of keras_backend, run by NumPy. It is the reference for the numbers of all others."""
from ...graph.install import install
from . import library

install(globals(), name='numpy', title='NumPy', kernels=library)
