"""A model of a file as a model of Keras 2, under `python -m keras_backend.keras2`.

An import of this module lets Keras 2 know `LayerOfFile` and the activations of later Keras, for models saved again.
"""

from . import own_layers
from .building import load

__all__ = ['load', 'own_layers']
