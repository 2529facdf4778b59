"""Names of dtypes, and the one rule for tensors of several dtypes (docs/semantics.md)."""

from typing import Any, Dict

import numpy as np

from .. import config
from ..errors import ArgumentTypeError, ArgumentValueError
from .arrays import asarray

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
