"""The initial values of weights."""

import numpy as np

import keras_backend as K


def glorot(*shape):
    """A variable with the initial values of Glorot and Bengio (2010), "Understanding the difficulty of training deep
    feedforward neural networks", eq. 16. The last two axes are those of the matrix."""
    limit = np.sqrt(6.0 / (shape[-2] + shape[-1]))
    return K.variable(np.random.uniform(-limit, limit, shape))
