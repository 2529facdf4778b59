"""What is fed, as arrays that Theano takes: when it trusts its caller it checks nothing."""

import numpy as np

from ...arrays import fitting, numbers
from ...errors import FeedError
from ...shapes import known
from ._convert import is_tensor
from ._graph import describe
from ._library import SparseType
from ._static import dims_of, visible


class Feed:
    """Turns what is fed for one placeholder into an array of its dtype and shape."""

    def __init__(self, tensor):
        self.name, self.label = describe(tensor), tensor.dtype
        self.wanted, self.sizes = np.dtype(tensor.dtype), visible(dims_of(tensor))
        # What needs no look at all: an array of this very dtype and of the shape that was fed the last time.
        self.dtype = self.shape = None

    def convert(self, value):
        """`value` as an array."""
        if value is None or is_tensor(value):
            self.refuse('None' if value is None else f'the symbolic tensor {describe(value)}; feed its value')
        if hasattr(value, 'toarray'):
            self.refuse('a sparse matrix; make the placeholder with sparse=True')
        try:
            array = fitting(numbers(value), self.wanted)
        except (TypeError, ValueError) as error:
            self.refuse(f'{type(value).__name__}: {str(error).rstrip(".")}')
        if not self.fits(array.shape):
            self.refuse(f'an array of shape {array.shape}')
        if not array.flags.aligned:
            return array.copy()
        self.dtype, self.shape = self.wanted, array.shape
        return array

    def fits(self, shape):
        """Whether an array of this shape may be fed."""
        sizes = self.sizes
        return len(sizes) == len(shape) and all([not known(d) or d == n for d, n in zip(sizes, shape)])

    def refuse(self, reason):
        """Raise the error that names the placeholder."""
        raise FeedError(f'{self.name} of shape {self.sizes} and dtype {self.label} cannot be fed with {reason}.')


class SparseFeed(Feed):
    """Turns what is fed for a sparse placeholder, a scipy.sparse matrix or a dense array, into a matrix by rows."""

    def convert(self, value):
        from scipy.sparse import csr_matrix

        if hasattr(value, 'tocsr'):
            matrix = csr_matrix(value, dtype=self.wanted)
            if not matrix.has_canonical_format:
                matrix = matrix.copy()
                matrix.sum_duplicates()
            if not self.fits(matrix.shape):
                self.refuse(f'a sparse matrix of shape {matrix.shape}')
            return matrix
        array = Feed.convert(self, value)
        self.dtype = None
        return csr_matrix(array)


class UnusedFeed(Feed):
    """Takes whatever is fed for a tensor that nothing depends on: targets of a loss that does not look at them."""

    def __init__(self, tensor):
        super().__init__(tensor)
        self._array = np.zeros([n if known(n) else 0 for n in self.sizes], self.wanted)

    def convert(self, value):
        return self._array


def feed_for(tensor, used):
    """The feed of a placeholder; used: whether anything depends on it."""
    if isinstance(tensor.type, SparseType):
        return SparseFeed(tensor)
    return Feed(tensor) if used else UnusedFeed(tensor)
