"""Sparse matrices that K.function is fed with, in the form that the backend has."""

from typing import Any

import numpy as np

from ....basics.arrays import by_rows, fitting, numbers
from ..vendor import BACKEND


def sparse_of(value: Any, dtype: str) -> Any:
    """A matrix of SciPy, or an array, as a sparse tensor of TensorFlow or JAX; their own as they are."""
    if type(value).__name__ in ('SparseTensor', 'BCOO'):
        return value
    if hasattr(value, 'tocoo'):
        matrix = by_rows(value)
        matrix.sum_duplicates()
        matrix = matrix.tocoo()
        places, entries, shape = np.stack([matrix.row, matrix.col], 1), matrix.data, matrix.shape
    else:
        array = numbers(value)
        places, shape = np.argwhere(array), array.shape
        entries = array[tuple(places.T)]
    entries = fitting(np.asarray(entries), dtype)
    if BACKEND == 'tensorflow':
        import tensorflow as tf

        return tf.sparse.reorder(tf.SparseTensor(places.astype('int64'), entries, shape))
    from jax.experimental import sparse

    return sparse.BCOO((entries, places), shape=shape)
