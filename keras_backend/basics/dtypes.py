"""The values that K takes for numbers, and their dtypes, on every engine alike.

K takes numbers, lists and arrays of NumPy. It also takes whatever hands NumPy an array (`pandas.Series`,
`h5py.Dataset`), tensors of PyTorch, and arrays of objects that are numbers. It takes no tensor of another
library, which may have no value yet.
"""

from numbers import Number
from typing import Any, Dict, Tuple

import numpy as np

from .. import config
from ..errors import ArgumentTypeError, ArgumentValueError, ForeignTensorError

# -- names of dtypes ---------------------------------------------------------------------------------------------------
# And the one rule for tensors of several dtypes (docs/semantics.md).

FLOATS = ('float16', 'float32', 'float64')
_KNOWN = frozenset((*FLOATS, 'bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'))
# Few libraries have all kernels for these integers. They calculate in the wider dtype and cut the result off. It is the
# same number, since one that is too large keeps its lowest bits in both. Floats are cast by way of it, too.
WIDER = dict.fromkeys(('int8', 'int16', 'uint8', 'uint16'), 'int32')
WIDER.update(dict.fromkeys(('uint32', 'uint64'), 'int64'))
# TensorFlow 1 calls float32 so, and programs of its time write K.cast(x, 'float').
_names: Dict[Any, str] = {'float': 'float32', float: 'float32'}


# The letters of a name of a dtype. NumPy reads longer texts as Python, which takes any of its errors.
_LONGEST = 30


def is_dtype_of_torch(value: Any) -> bool:
    """Whether a value is `torch.float32` or the like, which programs get by `y_pred.dtype`. It has no `name`."""
    return type(value).__module__ == 'torch' and type(value).__name__ == 'dtype'


def name_of(dtype: Any) -> str:
    """The name of `dtype`, which may be None (floatx), a string, or anything `numpy.dtype` takes."""
    if dtype is None:
        return config.floatx()
    if dtype.__class__ is str and dtype in _KNOWN:
        return str(dtype)
    try:
        return _names[dtype]
    except (KeyError, TypeError):  # not in the table, or not hashable
        pass
    candidate: Any = None
    try:
        if is_dtype_of_torch(dtype):
            candidate = str(dtype).partition('.')[2]
        elif not isinstance(dtype, str) or len(dtype) <= _LONGEST:
            candidate = np.dtype(dtype).name
    except (TypeError, ValueError, SyntaxError):  # NumPy reads texts such as '(2, 3)f4' as Python
        pass
    if candidate is None or candidate not in _KNOWN:
        shown = repr(dtype[: 2 * _LONGEST] if isinstance(dtype, str) else dtype)
        raise ArgumentTypeError(f'{shown} is not a dtype of K tensors; use one of: {", ".join(sorted(_KNOWN))}.')
    name: str = candidate
    _names[dtype] = name
    return name


def is_known(name: str) -> bool:
    """Whether K makes tensors of this dtype."""
    return name in _KNOWN


def is_float(name: str) -> bool:
    """Whether numbers of this dtype have fractions: floats, and the complex numbers and bfloat16 of TensorFlow."""
    return name.startswith(('float', 'bfloat', 'complex'))


def is_integer(name: str) -> bool:
    """Whether this is a dtype of integers."""
    return name.startswith(('int', 'uint'))


def promote(a: str, b: str) -> str:
    """The dtype in which tensors of dtypes `a` and `b` meet."""
    if a == b:
        return a
    if a not in _KNOWN or b not in _KNOWN:
        return _promote_foreign(a, b)
    if is_float(a):
        return a if not is_float(b) else FLOATS[max(FLOATS.index(a), FLOATS.index(b))]
    if is_float(b):
        return b
    if a == 'bool':
        return b
    if b == 'bool':
        return a
    joined: str = np.promote_types(a, b).name
    return joined if not joined.startswith('float') else 'int64'


def _promote_foreign(a: str, b: str) -> str:
    """The same where one is a dtype that K does not make, and a program brought in."""
    if 'bfloat16' in (a, b):
        other = b if a == 'bfloat16' else a
        return 'float32' if other == 'float16' else other if is_float(other) else 'bfloat16'
    if a.startswith('complex') != b.startswith('complex') and 'string' not in (a, b):
        return a if a.startswith('complex') else b
    raise ArgumentTypeError(f'Tensors of dtypes {a} and {b} cannot be combined.')


def beside(name: str, value: Any) -> str:
    """The dtype in which a tensor of dtype `name` meets the plain number or array `value`."""
    if is_float(name):
        return name
    kind = (
        value.dtype.kind
        if isinstance(value, (np.ndarray, np.generic))
        else 'b'
        if isinstance(value, bool)
        else 'f'
        if isinstance(value, float)
        else 'i'
    )
    if kind == 'f':
        return config.floatx()
    return name if name != 'bool' or kind == 'b' else 'int32'


def of_value(value: Any) -> str:
    """The dtype of the tensor that a number, list or array becomes beside no other tensor."""
    array = asarray(value)
    kind = array.dtype.kind
    if isinstance(value, (np.ndarray, np.generic)) and kind in 'fiub':
        return str(array.dtype.name)
    return 'bool' if kind == 'b' else 'int32' if kind in 'iu' else config.floatx()


def check_exponent(name: str, exponent: Any) -> None:
    """Refuse powers of integers that are no integers."""
    exponents = np.asarray(exponent)
    if is_integer(name) and exponents.dtype.kind == 'i' and (exponents < 0).any():
        raise ArgumentValueError(
            f'a={exponents.min()} is a negative power, which an integer such as x of dtype {name} does not have; use '
            'K.cast(x, K.floatx()).'
        )


def lowest(name: str) -> Any:
    """The number of this dtype that no other is below."""
    return -np.inf if is_float(name) else np.iinfo(name).min


def highest(name: str) -> Any:
    """The number of this dtype that no other is above."""
    return np.inf if is_float(name) else np.iinfo(name).max


# -- values ------------------------------------------------------------------------------------------------------------

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
