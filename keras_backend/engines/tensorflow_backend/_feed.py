"""What is fed, as arrays that TensorFlow takes: it checks almost nothing itself."""
import numpy as np

from ...errors import FeedError
from ._convert import is_tensor
from ._graph import describe

# TensorFlow takes over memory that begins at a multiple of this without copying it.
_ALIGNMENT = 64


def private_copy(array):
    """A copy that TensorFlow may keep, aligned so that it does not make a second one."""
    if array.dtype.hasobject:
        return array.copy()
    memory = np.empty(array.nbytes + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    copy = memory[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


class Feed(object):
    """Turns what is fed for one tensor into an array of its dtype and shape; `keep`: into a private one."""

    def __init__(self, tensor, keep):
        self.name, self.label = describe(tensor), tensor.dtype.name
        self.wanted = np.dtype(tensor.dtype.as_numpy_dtype)
        self.sizes = None if tensor.shape.rank is None else tuple(tensor.shape.as_list())
        self.keep = keep
        # What needs no look at all: an array of this very dtype and of the shape that was fed the last time.
        self.dtype = self.shape = None

    def convert(self, value):
        """`value` as an array."""
        if value is None or is_tensor(value):
            self.refuse('None' if value is None else 'the symbolic tensor %s; feed its value' % describe(value))
        try:
            array = np.asarray(value, self.wanted)
        except (TypeError, ValueError) as error:
            self.refuse('%s: %s' % (type(value).__name__, error))
        if not self.fits(array.shape):
            self.refuse('an array of shape %s' % (array.shape,))
        if self.keep:
            return private_copy(array)
        self.dtype, self.shape = self.wanted, array.shape
        return array

    def fits(self, shape):
        """Whether an array of this shape may be fed."""
        sizes = self.sizes
        return sizes is None or len(sizes) == len(shape) and all([d is None or d == n for d, n in zip(sizes, shape)])

    def refuse(self, reason):
        """Raise the error that names the tensor."""
        raise FeedError('%s of shape %s and dtype %s cannot be fed with %s.' % (self.name, self.sizes, self.label, reason))
