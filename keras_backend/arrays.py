"""What K takes for numbers: the same on every engine.

K takes numbers, lists and arrays of NumPy. It also takes whatever hands NumPy an array (`pandas.Series`,
`h5py.Dataset`), and arrays of objects that are numbers. It takes no tensor of another library, which may have no value
yet.
"""

from numbers import Number
from typing import Any, Tuple

import numpy as np

from .errors import ForeignTensorError


def foreign(value: Any) -> bool:
    """Whether `value` is a tensor of some library: it has a dtype, and not one of NumPy's."""
    dtype = getattr(value, 'dtype', None)
    # Columns of pandas may have dtypes of its own.
    return dtype is not None and not isinstance(dtype, np.dtype) and not hasattr(value, 'to_numpy')


def numbers(value: Any, kinds: Any = 'fiub') -> np.ndarray:
    """`value` as an array of numbers, a view of it where that is possible; anything else is refused."""
    array = np.asarray(value)
    if array.dtype.kind == 'O':
        stranger = _stranger(array)
        if stranger:
            raise TypeError(f'{stranger!r} is no number, so it cannot be a value of a tensor.')
        exact = np.asarray(array.tolist())
        # Fractions and decimals are numbers, too, but none of NumPy's.
        array = (array.astype('float64') if exact.dtype.kind == 'O' else exact).reshape(array.shape)
    if array.dtype.kind not in kinds:
        raise TypeError(f'Values of dtype {array.dtype} are no numbers that a tensor could hold.')
    return array


def array_of(value: Any) -> np.ndarray:
    """`value` as an array, be it of numbers or not; a tensor of another library is refused."""
    if foreign(value):
        raise ForeignTensorError(f'{value!r} is a tensor of another library; pass its value as an array of NumPy.')
    return np.asarray(value)


def private(value: Any, dtype: Any) -> np.ndarray:
    """`value` as an array of `dtype` that nothing else holds."""
    array = numbers(array_of(value))
    # From the numbers themselves: NumPy refuses an integer that the dtype cannot hold.
    return np.array(value if isinstance(value, (list, tuple, Number)) else array, dtype)


def plain(value: Any) -> Any:
    """`value` as numbers of Python or NumPy, if it stands for some (a column of pandas, objects); else itself."""
    if not isinstance(value, (np.ndarray, np.generic)):
        if foreign(value) or not hasattr(value, '__array__'):
            return value
        value = np.asarray(value)
    if value.dtype.kind != 'O' or _stranger(value):
        return value
    # As a list they have no dtype of their own, just like the objects. An empty list would have another shape.
    return numbers(value).tolist() if value.size else numbers(value)


def plain_number(value: Any) -> Any:
    """A number of NumPy, or an array of one without axes, as a number of Python; anything else as it is."""
    return value.item() if isinstance(value, (np.ndarray, np.generic)) and not value.ndim else value


def _stranger(array: Any) -> Tuple[Any, ...]:
    """The first object in an array that is no number, in a tuple; empty if there is none."""
    for value in array.flat:
        if not isinstance(value, (Number, np.bool_)) and not (
            isinstance(value, np.ndarray) and not value.ndim and value.dtype.kind in 'fiubc'
        ):
            return (value,)
    return ()
