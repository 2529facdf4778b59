"""A model of a file as a model of Keras 3. A program that opens such a model again, saved as `.keras`, imports this.

    import keras_backend.files.keras3

registers what Keras 3 does not have: `LayerOfFile`, `FileLambda`, the activation `hard_sigmoid` of Keras 2, and the
operations of K.
"""

from . import functions, own_layers
from .building import load, needs_import
from .own_layers import check_eager_mode, k_inside_keras

check_eager_mode()
# A saved model may have an operation of K before any layer of this package asks for K.
k_inside_keras()

__all__ = ['functions', 'load', 'needs_import', 'own_layers']
