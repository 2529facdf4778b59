"""One rule for mixed dtypes, applied while recording (see docs/semantics.md)."""

import numpy as np

from .. import config

FLOATS = ('float16', 'float32', 'float64')
_KNOWN = frozenset(FLOATS + ('bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'))
# TensorFlow 1 calls float32 so, and programs of its time write K.cast(x, 'float').
_names = {'float': 'float32', float: 'float32'}


def name_of(dtype):
    """The name of `dtype`, which may be None (floatx), a string, or anything `numpy.dtype` takes."""
    if dtype is None:
        return config.floatx()
    if dtype.__class__ is str and dtype in _KNOWN:
        return dtype
    try:
        return _names[dtype]
    except (KeyError, TypeError):
        pass
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = None
    if name not in _KNOWN:
        raise TypeError(f'{dtype!r} is not a dtype of K tensors; use one of: {", ".join(sorted(_KNOWN))}.')
    _names[dtype] = name
    return name


def is_float(name):
    return name.startswith('float')


def is_integer(name):
    return name != 'bool' and not name.startswith('float')


def promote(a, b):
    """The dtype in which values of dtypes `a` and `b` meet."""
    if a == b:
        return a
    if is_float(a):
        return a if not is_float(b) else FLOATS[max(FLOATS.index(a), FLOATS.index(b))]
    if is_float(b):
        return b
    if a == 'bool':
        return b
    if b == 'bool':
        return a
    joined = np.promote_types(a, b).name
    return joined if not joined.startswith('float') else 'int64'


def beside(name, value):
    """The dtype in which a tensor of dtype `name` meets the plain number or array `value`."""
    if is_float(name):
        return name
    kind = (
        value.dtype.kind
        if isinstance(value, (np.ndarray, np.generic))
        else ('b' if isinstance(value, bool) else 'f' if isinstance(value, float) else 'i')
    )
    if kind == 'f':
        return config.floatx()
    return name if name != 'bool' or kind == 'b' else 'int32'


def as_float(name):
    """`name` if it is a float dtype, else floatx."""
    return name if is_float(name) else config.floatx()
