"""The CNTK engine: K on the graph of keras_backend, its float work in graphs of CNTK 2.7, everything else in NumPy."""

from ...graph.install import install
from . import library

install(globals(), name='cntk', title='CNTK', kernels=library)
