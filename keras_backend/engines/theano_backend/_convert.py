"""From what users pass to tensors of Theano, with the dtypes that docs/semantics.md promises."""

import numpy as np

from ... import dtypes
from ...arrays import foreign, plain, private
from ...errors import ForeignTensorError
from ...shapes import known
from ._broadcast import aligned
from ._graph import check, describe
from ._library import SparseType, T, TensorType, Variable
from ._static import value as static_value
from ._variables import KConstant


def is_tensor(x):
    """Whether `x` is a tensor of Theano, dense or sparse, of K or not."""
    return isinstance(x, Variable) and isinstance(x.type, (TensorType, SparseType))


def operand(x, dtype=None):
    """`x` as a dense tensor: itself, or a constant of `dtype` (None: what fits the value)."""
    if isinstance(x, Variable):
        check(x)
        if isinstance(x.type, TensorType):
            return x
        if isinstance(x.type, SparseType):
            raise TypeError(f'{describe(x)} is sparse and K cannot do this with sparse tensors; use K.to_dense(x).')
        raise TypeError(f'{x!r} is a variable of Theano but no tensor.')
    if x is None:
        raise TypeError('None was given where a tensor is needed.')
    if isinstance(x, (list, tuple)) and any([is_tensor(e) for e in x]):
        parts = unified(*x) if dtype is None else [cast(operand(e, dtype), dtype) for e in x]
        return T.stack(parts)
    return constant(x, dtype)


def constant(value, dtype=None, name=None):
    """An array, number or nested list as a constant."""
    value = plain(value)
    if foreign(value):
        raise ForeignTensorError(
            f'{value!r} is no tensor of the Theano engine; pass a K tensor, a NumPy array or a number.'
        )
    if dtype is None:
        array = np.asarray(value)
        kind = array.dtype.kind
        dtype = (
            array.dtype.name
            if isinstance(value, (np.ndarray, np.generic)) and kind in 'fiub'
            else 'bool'
            if kind == 'b'
            else 'int32'
            if kind in 'iu'
            else dtypes.name_of(None)
        )
    array = private(value, dtype)
    return KConstant(TensorType(dtype, [n == 1 for n in array.shape]), array, name)


def is_float(dtype):
    return dtype.startswith(('float', 'complex'))


def floating(x):
    """`x` as a tensor of a float dtype."""
    x = operand(x)
    return x if is_float(x.dtype) else cast(x, dtypes.name_of(None))


def cast(x, dtype):
    """The tensor `x` in another dtype, itself if it has it."""
    if x.dtype == dtype:
        return x
    if dtype == 'bool':
        return T.neq(x, constant(0, x.dtype))
    return T.cast(x, dtype)


def promote(a, b):
    """The dtype in which tensors of dtypes `a` and `b` meet."""
    if a == b:
        return a
    if a.startswith('complex') or b.startswith('complex'):
        raise TypeError(f'Tensors of dtypes {a} and {b} cannot be combined.')
    return dtypes.promote(a, b)


def unified(*values):
    """Tensors of one dtype (semantics.md, "Mixed dtypes")."""
    values = [operand(v) if isinstance(v, (list, tuple)) and any([is_tensor(e) for e in v]) else v for v in values]
    tensors = [v for v in values if is_tensor(v)]
    if not tensors:
        values = tensors = [operand(v) for v in values]
    dtype = tensors[0].dtype
    for t in tensors[1:]:
        dtype = promote(dtype, t.dtype)
    for v in values:
        if not is_tensor(v) and not is_float(dtype):
            v = plain(v)
            if v is None or foreign(v):
                operand(v)  # refuses it
            v = v if isinstance(v, (int, float, np.ndarray, np.generic)) else np.asarray(v)
            dtype = dtypes.promote(dtype, dtypes.beside(dtype, v))
    return [cast(operand(v, dtype), dtype) for v in values]


def together(*values):
    """Tensors of one dtype, whose sizes broadcast against each other as in NumPy, known or not."""
    return aligned(*unified(*values))


def size(value):
    """One size as an int if it is known, else as an int64 scalar; None becomes -1."""
    if value is None:
        return -1
    if not is_tensor(value):
        return int(value)
    value = operand(value)
    if value.type.ndim:
        value = T.reshape(value, (), ndim=0)
    static = static_value(value)
    return int(static) if known(static) else cast(value, 'int64')


def sizes(shape):
    """A shape, or another collection of sizes, as a list: ints where known, else int64 scalars."""
    if is_tensor(shape):
        shape = operand(shape)
        if not shape.type.ndim:
            return [size(shape)]
        static = static_value(shape)
        count = len(static) if isinstance(static, list) else vector_length(shape)
        static = static if isinstance(static, list) else [None] * count
        return [int(n) if known(n) else cast(shape[i], 'int64') for i, n in enumerate(static)]
    return [size(n) for n in (shape if isinstance(shape, (list, tuple, np.ndarray)) else [shape])]


def vector_length(shape):
    """The number of entries of a vector, which has to be known: it is a rank."""
    from ._static import dims_of

    (count,) = dims_of(shape)
    if not known(count):
        raise ValueError(f'{describe(shape)} is given as a shape, but how many sizes it holds is not known.')
    return count


def shape_vector(entries):
    """Sizes (ints and int64 scalars) as the vector that Theano reshapes and fills by."""
    return (
        T.stack([cast(e, 'int64') if is_tensor(e) else constant(e, 'int64') for e in entries])
        if entries
        else constant(np.zeros(0), 'int64')
    )
