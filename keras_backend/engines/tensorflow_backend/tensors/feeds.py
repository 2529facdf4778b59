"""Fed values as arrays that TensorFlow takes. They are checked here: TensorFlow itself checks almost nothing."""

from typing import TYPE_CHECKING, Any, Optional, Tuple

import numpy as np

from ....basics.library import StaticShape, Tensor
from ....errors import FeedError
from .graph import describe
from .tensors import as_array, is_tensor

if TYPE_CHECKING:
    from typing import NoReturn

# TensorFlow takes over memory that begins at a multiple of this without copying it.
_ALIGNMENT = 64
_LARGE = 1 << 14


def private_copy(array: np.ndarray) -> np.ndarray:
    """A copy that TensorFlow may keep, aligned so that it does not make a second one."""
    if array.nbytes < _LARGE or array.dtype.hasobject:
        # To look where the memory begins takes longer than a copy of so little.
        return array.copy()
    memory = np.empty(array.nbytes + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


class Feed:
    """Turns what is fed for one tensor into an array of its dtype and shape.

    `keep`: into a private one.
    """

    def __init__(self, tensor: Tensor, keep: bool = False) -> None:
        self.name, self.label = describe(tensor), tensor.dtype.name
        self.type, self.wanted = tensor.dtype, np.dtype(tensor.dtype.as_numpy_dtype)
        self.sizes: Optional[StaticShape] = None if tensor.shape.rank is None else tuple(tensor.shape.as_list())
        self.keep = keep
        # The dtype and the shape of the array that was fed the last time. An array that has both needs no check.
        self.dtype: Optional[np.dtype] = None
        self.shape: Optional[Tuple[int, ...]] = None

    def convert(self, value: Any) -> np.ndarray:
        """`value` as an array."""
        if is_tensor(value):
            self.refuse(f'the symbolic tensor {describe(value)}; feed its value')
        if hasattr(value, 'toarray'):
            self.refuse('a sparse matrix; make the placeholder with sparse=True')
        try:
            array = as_array(value, self.type)
        except (TypeError, ValueError) as error:  # both mean that NumPy makes no array of it; raises
            self.refuse(f'{type(value).__name__}: {str(error).rstrip(".")}')
        if not self.fits(array.shape):
            self.refuse(f'an array of shape {array.shape}')
        if self.keep:
            return private_copy(array)
        self.dtype, self.shape = self.wanted, array.shape
        return array

    def fits(self, shape: Tuple[int, ...]) -> bool:
        """Whether an array of this shape may be fed."""
        sizes = self.sizes
        return sizes is None or (len(sizes) == len(shape) and all([d is None or d == n for d, n in zip(sizes, shape)]))

    def refuse(self, reason: str) -> 'NoReturn':
        """Raise the error that names the tensor."""
        raise FeedError(f'{self.name} of shape {self.sizes} and dtype {self.label} cannot be fed with {reason}.')


class UnusedFeed(Feed):
    """Takes whatever is fed for a tensor that nothing depends on: targets of a loss that does not look at them."""

    def __init__(self, tensor: Tensor) -> None:
        super().__init__(tensor)
        nothing = b'' if self.wanted.hasobject else 0
        self._array = np.full([1 if n is None else n for n in self.sizes or ()], nothing, self.wanted)

    def convert(self, value: Any) -> np.ndarray:
        """An array of no meaning."""
        return self._array
