"""A model of a file as a model of Keras 3. A program that opens such a model again, saved as `.keras`, imports this.

    import keras_backend.files.keras3

registers what Keras 3 does not have: `LayerOfFile`, `FileLambda`, and the activation `hard_sigmoid` of Keras 2.
"""

from . import functions, own_layers
from .loading import load, needs_import

__all__ = ['functions', 'load', 'needs_import', 'own_layers']
