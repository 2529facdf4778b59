"""`K.batch_flatten` of Keras 2.3, which takes a number from NumPy's stream."""

import functools
import sys
from types import ModuleType
from typing import Any

from . import keras_cures, versions


def one_number(keras: ModuleType) -> str:
    """Let `K.batch_flatten` of Keras 2.3 draw what it drew, so that all later draws of a seeded program are the same.

    Found by counting the calls of `numpy.random`: each `Flatten` of 2.3.0 and 2.3.1 draws `randint(1e4)`, and those of
    2.2 draw nothing. `fit` shuffles by the same stream, so without it the batches come in another order.
    """
    K: Any = sys.modules['keras.backend']
    if versions.numbers(keras.__version__)[:2] < (2, 3):
        return ''
    import numpy as np  # not before the program, which may still choose the threads of its BLAS

    made = K.batch_flatten

    @functools.wraps(made)
    def batch_flatten(x: Any) -> Any:
        np.random.randint(10000)
        return made(x)

    keras_cures.replace_in_k(batch_flatten=batch_flatten)
    return 'K.batch_flatten'
