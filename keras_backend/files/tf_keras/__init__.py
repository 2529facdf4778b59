"""A model of a file as a model of the package tf_keras, which is Keras 2 for the TensorFlow of today.

An import of this module lets tf_keras know `LayerOfFile` and `LambdaOfFile`, for models saved again.
"""

from .loading import load

__all__ = ['load']
