"""Sparse tensors: a placeholder of one is three placeholders of TensorFlow."""

from typing import Any, List, Tuple

import numpy as np

from ....basics.arrays import by_rows
from ....basics.library import Tensor
from ..primitives.sparse import to_dense
from ..tensors.feeds import Feed
from ..tensors.tensors import is_sparse, used
from ..vendor import tf


def parts_of(x: Tensor) -> List[Tensor]:
    """The dense tensors that `x` consists of; a variable stands for its value."""
    return [x.indices, x.values, x.dense_shape] if is_sparse(x) else [used(x)]


def densify(x: Tensor) -> Tensor:
    """`x` as a dense tensor."""
    return to_dense(x) if is_sparse(x) else used(x)


class SparseFeed:
    """Turns what is fed for a sparse placeholder into three arrays."""

    def __init__(self, tensor: Tensor) -> None:
        self.feed = Feed(tensor)
        self.name = self.feed.name
        self.dtype = self.shape = None

    def convert(self, value: Any) -> List[np.ndarray]:
        """`value`, a scipy.sparse matrix, SparseTensorValue or dense array, as [indices, values, shape]."""
        if hasattr(value, 'tocoo'):
            indices, values, shape = coordinates(value)
        elif isinstance(value, (tf.SparseTensorValue, tuple)) and len(value) == 3:
            indices, values, shape = [np.asarray(part) for part in value]
        else:
            array = self.feed.convert(value)
            indices, values, shape = np.argwhere(array), array[array.nonzero()], array.shape
        shape = tuple([int(n) for n in shape])
        if not self.feed.fits(shape):
            self.feed.refuse(f'a sparse matrix of shape {shape}')
        return [
            np.asarray(indices, np.int64).reshape(-1, len(shape)),
            np.asarray(values, self.feed.wanted),
            np.asarray(shape, np.int64),
        ]


def coordinates(matrix: Any) -> Tuple[np.ndarray, np.ndarray, Tuple[int, ...]]:
    """A scipy.sparse matrix as (indices, values, shape), row by row, every place once."""
    # By way of rows: entries at the same place are added up and the rest is in the order that TensorFlow asks for.
    matrix = by_rows(matrix)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    matrix = matrix.tocoo()
    return np.stack([matrix.row, matrix.col], axis=1).astype(np.int64), matrix.data, matrix.shape
