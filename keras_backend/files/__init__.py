"""Files of Keras 1, 2 and 3, read without running anything that they contain."""

from .function import ModelFunction, function
from .reading.read import read
from .structure import File, Layer, Model

__all__ = ['File', 'Layer', 'Model', 'ModelFunction', 'function', 'read']
