"""The values that K takes for numbers, on every engine alike.

K takes numbers, lists and arrays of NumPy. It also takes whatever hands NumPy an array (`pandas.Series`,
`h5py.Dataset`), tensors of PyTorch, and arrays of objects that are numbers. It takes no tensor of another
library, which may have no value yet.
"""

from numbers import Number
from typing import Any, Tuple

import numpy as np

from ..errors import ArgumentTypeError, ArgumentValueError, ForeignTensorError

# Usual values are known by their class.
_NUMBERS = (float, int, np.float32, np.float64)


def _is_plain(value: Any) -> bool:
    return value.__class__ is np.ndarray and value.dtype.kind != 'O'


def foreign(value: Any) -> bool:
    """Whether `value` is a tensor of some library: it has a dtype, and not one of NumPy's."""
    dtype = getattr(value, 'dtype', None)
    # Columns of pandas may have dtypes of its own.
    return dtype is not None and not isinstance(dtype, np.dtype) and not hasattr(value, 'to_numpy')


def asarray(value: Any) -> np.ndarray:
    """`value` as an array of whatever it holds; lists that make no array are refused."""
    try:
        array = np.asarray(_without_torch(value))
    except ValueError as error:
        raise ArgumentValueError('Lists of different lengths make no array.') from error
    # NumPy before 1.24 makes an array of lists.
    if array.dtype.kind == 'O' and any([isinstance(element, (list, tuple)) for element in array.flat]):
        raise ArgumentValueError('Lists of different lengths make no array.')
    return array


def numbers(value: Any, kinds: Any = 'fiub') -> np.ndarray:
    """`value` as an array of numbers, a view of it where that is possible; anything else is refused."""
    array = value if _is_plain(value) else asarray(value)
    if array.dtype.kind == 'O':
        stranger = _stranger(array)
        if stranger:
            raise ArgumentTypeError(f'{stranger[0]!r} is no number, so no tensor can hold it.')
        exact = np.asarray(array.tolist())
        # Fractions and decimals are numbers, too, but none of NumPy's.
        array = (array.astype('float64') if exact.dtype.kind == 'O' else exact).reshape(array.shape)
    if array.dtype.kind not in kinds:
        raise ArgumentTypeError(f'Values of {array.dtype} are no numbers that a tensor could hold.')
    return array


def fitting(array: np.ndarray, dtype: Any) -> np.ndarray:
    """An array of numbers as one of `dtype`, itself if it is one. What an integer dtype cannot hold is refused.

    Fractions are cut off. An index that is too large would otherwise be another one, without a word.
    """
    target = np.dtype(dtype)
    if array.dtype == target:
        return array
    if target.kind in 'iu' and array.dtype.kind in 'iuf' and array.size and not np.can_cast(array.dtype, target):
        low, high = array.min(), array.max()
        limits = np.iinfo(target)
        # Compared as Python's numbers, which are exact. A NaN is in no range.
        if not (limits.min <= low.item() and high.item() <= limits.max):
            # NaN is not equal to itself.
            span = f'{low}' if str(low) == str(high) else f'{low} to {high}'
            raise ArgumentValueError(f'{target.name} holds numbers from {limits.min} to {limits.max}, not {span}.')
    return array.astype(target)


def array_of(value: Any) -> np.ndarray:
    """`value` as an array, be it of numbers or not; a tensor of a library is refused, unless it is of PyTorch."""
    if _is_plain(value):
        return value
    if value.__class__ in _NUMBERS:
        return np.array(value)
    value = _without_torch(value)
    if foreign(value):
        raise ForeignTensorError(f'{value!r} is a tensor of another library; pass its value as an array of NumPy.')
    return asarray(value)


def numbers_of(value: Any) -> np.ndarray:
    """`value` as an array of numbers; a tensor of a library is refused, unless it is of PyTorch."""
    array = np.array(value) if value.__class__ in _NUMBERS else value
    if array.__class__ is np.ndarray and array.dtype.kind in 'fiub':
        return array
    return numbers(array_of(value))


def private(value: Any, dtype: Any) -> np.ndarray:
    """`value` as an array of `dtype` that nothing else holds."""
    array = numbers_of(value)
    converted = fitting(array, dtype)
    return converted.copy() if converted is array else converted


def is_mask(item: Any) -> bool:
    """Whether an index is an array or a tensor of bools."""
    return str(getattr(item, 'dtype', '')) == 'bool' and bool(getattr(item, 'ndim', 0))


def plain(value: Any) -> Any:
    """`value` as numbers of Python or NumPy, if it stands for some (a column of pandas, PyTorch's, objects)."""
    if not isinstance(value, (np.ndarray, np.generic)):
        value = _without_torch(value)
        if isinstance(value, np.ndarray):
            return value
        if foreign(value) or not hasattr(value, '__array__'):
            return value
        value = asarray(value)
    if value.dtype.kind != 'O' or _stranger(value):
        return value
    # As a list they have no dtype of their own, just like the objects. An empty list would have another shape.
    return numbers(value).tolist() if value.size else numbers(value)


def _without_torch(value: Any) -> Any:
    """The array of a tensor of PyTorch, which holds its values; anything else as it is."""
    return value.detach().cpu().numpy() if hasattr(value, 'detach') and hasattr(value, 'numpy') else value


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


def by_rows(matrix: Any) -> Any:
    """A matrix of scipy.sparse by rows (CSR); the matrix itself where it is one already.

    Its places are checked first. Compiled code of SciPy follows them wherever they lead: these conversions, the
    products of `kernels.linalg`, and what makes an array of a matrix.
    """
    if len(matrix.shape) != 2:
        return matrix.tocsr()
    rows, columns = matrix.shape
    if matrix.format == 'coo':
        good = _within(matrix.row, rows) and _within(matrix.col, columns)
    elif matrix.format in ('csr', 'csc'):
        many, size = (rows, columns) if matrix.format == 'csr' else (columns, rows)
        starts = matrix.indptr
        good = len(starts) == many + 1 and starts[0] == 0 and bool((starts[1:] >= starts[:-1]).all())
        good = good and int(starts[-1]) <= min(len(matrix.indices), len(matrix.data))
        good = good and _within(matrix.indices[: int(starts[-1])], size)
    else:
        good = True
    if not good:
        raise ArgumentValueError(
            f'the sparse matrix of shape {(rows, columns)} has entries at places outside of it, or starts of rows that '
            'do not ascend; matrix.check_format() says which.'
        )
    return matrix.tocsr()


def _within(places: np.ndarray, size: int) -> bool:
    return not len(places) or (int(places.min()) >= 0 and int(places.max()) < size)
