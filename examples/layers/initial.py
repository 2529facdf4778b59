"""What weights begin with."""

import numpy as np

import keras_backend as K


def glorot(*shape):
    """A variable by Glorot and Bengio (2010), "Understanding the difficulty of training deep feedforward neural
    networks", eq. 16; the last two axes are those of the matrix."""
    limit = np.sqrt(6.0 / (shape[-2] + shape[-1]))
    return K.variable(np.random.uniform(-limit, limit, shape))
