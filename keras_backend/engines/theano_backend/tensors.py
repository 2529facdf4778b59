"""Making tensors and asking about them."""

import numpy as np

from ... import dtypes
from ...arrays import array_of, foreign, private
from ...errors import ForeignTensorError, ShapeError
from ...shapes import product
from . import _sparse
from ._convert import cast as _cast
from ._convert import constant as _constant
from ._convert import is_tensor as _is_tensor
from ._convert import operand, sizes
from ._function import evaluate
from ._graph import describe, session
from ._library import SharedVariable, SparseType, T, TensorType
from ._static import dims_of, set_dims, visible
from ._variables import KShared, KSparse, KSparseShared, KVariable
from .shape import sizes_of


def variable(value, dtype=None, name=None, constraint=None):
    if value is None:
        raise TypeError('K.variable needs a value to start with, got None.')
    dtype = dtypes.name_of(dtype)
    name = session().name(name, 'variable')
    if hasattr(value, 'tocsr'):
        matrix = value.tocsr().astype(dtype, copy=True)
        made = KSparseShared(name=name, type=_sparse_type(dtype), value=matrix, strict=True)
        shape = tuple(value.shape)
    else:
        array = private(evaluate(value) if _is_tensor(value) else value, dtype)
        shape = array.shape
        made = KShared(name=name, type=TensorType(dtype, [n == 1 for n in shape]), value=array, strict=True)
    set_dims(made, shape)
    made.constraint = constraint
    made._uses_learning_phase = False
    return made


def _sparse_type(dtype):
    try:
        return SparseType('csr', dtype)
    except NotImplementedError:
        raise TypeError(
            f'Theano has no sparse tensors of dtype {dtype}; use float32, float64 or an integer dtype.'
        ) from None


def _filled(value, shape, dtype, name):
    dtype, shape = dtypes.name_of(dtype), sizes(shape)
    if any(map(_is_tensor, shape)):
        return _alloc(_constant(value, dtype), shape)
    if any([n < 0 for n in shape]):
        raise ShapeError(
            f'A tensor cannot be made in shape {tuple(shape)}; use K.shape(x)[i] for a size known only in a run.'
        )
    return variable(np.full(shape, value, dtype), dtype, name)


def _alloc(x, shape):
    return T.alloc(x, *[n if _is_tensor(n) else _constant(n, 'int64') for n in shape])


def zeros(shape, dtype=None, name=None):
    return _filled(0, shape, dtype, name)


def ones(shape, dtype=None, name=None):
    return _filled(1, shape, dtype, name)


def eye(size, dtype=None, name=None):
    rows, columns = size if isinstance(size, (tuple, list)) else (size, size)
    return variable(np.eye(rows, columns), dtype, name)


def zeros_like(x, dtype=None, name=None):
    return _filled_like(0, x, dtype, name)


def ones_like(x, dtype=None, name=None):
    return _filled_like(1, x, dtype, name)


def _filled_like(value, x, dtype, name):
    x = operand(x)
    made = _alloc(_constant(value, x.dtype if dtype is None else dtypes.name_of(dtype)), sizes_of(x))
    return made if name is None else _named(made, name)


def _named(x, name):
    x.name = session().name(name, 'tensor')
    return x


def random_uniform_variable(shape, low, high, dtype=None, name=None, seed=None):
    return _drawn(lambda draws: draws.uniform(low, high, tuple(shape)), dtype, name, seed)


def random_normal_variable(shape, mean, scale, dtype=None, name=None, seed=None):
    return _drawn(lambda draws: draws.normal(mean, scale, tuple(shape)), dtype, name, seed)


def _drawn(draw, dtype, name, seed):
    return variable(draw(np.random if seed is None else np.random.RandomState(seed)), dtype, name)


def constant(value, dtype=None, shape=None, name=None):
    dtype = dtypes.name_of(dtype)
    if _is_tensor(value):
        value = _cast(operand(value), dtype)
        return value if shape is None else _alloc(value, sizes(shape))
    if shape is not None:
        shape = sizes(shape)
        if any(map(_is_tensor, shape)):
            return _alloc(_constant(value, dtype), shape)
        value = array_of(value)
        value = value.reshape(shape) if value.size == product(shape) else np.broadcast_to(value, shape)
    return _constant(value, dtype, None if name is None else session().name(name, 'constant'))


def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None):
    if shape is None:
        if ndim is None:
            raise ValueError('K.placeholder needs a shape (None for unknown sizes) or ndim.')
        shape = (None,) * ndim
    shape = tuple([None if n is None else int(n) for n in shape])
    if any([n is not None and n < 0 for n in shape]):
        raise ShapeError(f'K.placeholder got the shape {shape}; sizes are 0 or more, or None.')
    dtype, name = dtypes.name_of(dtype), session().name(name, 'placeholder')
    if sparse:
        if len(shape) != 2:
            raise ShapeError(f'A sparse placeholder is a matrix, K.placeholder got the shape {shape}.')
        made = KSparse(_sparse_type(dtype), None, None, name)
    else:
        made = KVariable(TensorType(dtype, [n == 1 for n in shape]), None, None, name)
    set_dims(made, shape)
    made._keras_placeholder = True
    made._uses_learning_phase = False
    return made


def is_keras_tensor(x):
    if not _is_tensor(x):
        raise ValueError(f'K.is_keras_tensor takes a K tensor, got {type(x).__name__}; K.constant makes one.')
    return hasattr(x, '_keras_history')


def is_tensor(x):
    return _is_tensor(x)


def is_symbolic(x):
    return _is_tensor(x)


def is_variable(x):
    return _is_tensor(x) and isinstance(x, SharedVariable)


def is_placeholder(x):
    return _is_tensor(x) and hasattr(x, '_keras_placeholder')


def is_sparse(tensor):
    return _sparse.is_sparse(tensor)


def to_dense(tensor):
    return _sparse.densify(tensor)


def shape(x):
    x = _sparse.densify(x)
    entries = sizes_of(x)
    if not any(map(_is_tensor, entries)):
        return _constant(np.array(entries, 'int32'), 'int32')
    return T.stack([_cast(n, 'int32') if _is_tensor(n) else _constant(n, 'int32') for n in entries])


def int_shape(x):
    if not _is_tensor(x):
        return _given(np.shape, x, 'K.int_shape')
    # A layer may know more than the graph does.
    said = x.__dict__.get('_keras_said_shape') or x.__dict__.get('_keras_shape')
    return visible(dims_of(x)) if said is None else tuple(said)


def _given(ask, x, what):
    if x is None:
        raise TypeError(f'{what} takes a tensor, got None.')
    if foreign(x):
        raise ForeignTensorError(f'{x!r} is no tensor of the Theano engine.')
    return ask(x)


def get_variable_shape(x):
    return int_shape(x)


def ndim(x):
    return x.type.ndim if _is_tensor(x) else _given(np.ndim, x, 'K.ndim')


def size(x, name=None):
    entries = sizes_of(_sparse.densify(x))
    count = 1
    for n in entries:
        count = n * count
    return _cast(count, 'int32') if _is_tensor(count) else _constant(count, 'int32')


def count_params(x):
    count = product(int_shape(x))
    if count is None:
        raise ShapeError(
            f'The elements of {describe(x)} of shape {int_shape(x)} cannot be counted before a run; K.size counts them '
            'in one.'
        )
    return count


def dtype(x):
    return x.dtype if _is_tensor(x) else _given(lambda a: np.asarray(a).dtype.name, x, 'K.dtype')


def eval(x):
    return evaluate(x) if _is_tensor(x) else np.array(_given(np.asarray, x, 'K.eval'))


def identity(x, name=None):
    # A node of its own, so that what is said of the result is not said of `x`.
    made = T.tensor_copy(operand(x))
    return made if name is None else _named(made, name)


def arange(start, stop=None, step=1, dtype='int32'):
    if stop is None:
        start, stop = 0, start
    dtype, bounds = dtypes.name_of(dtype), [start, stop, step]
    if not any(map(_is_tensor, bounds)):
        return _constant(np.arange(*bounds), dtype)
    # Counted in full precision: the bounds may be fractions where the dtype of the result is an integer.
    whole = all(
        [
            (_is_tensor(b) and b.dtype.startswith(('int', 'uint', 'bool'))) or isinstance(b, (int, np.integer))
            for b in bounds
        ]
    )
    counted = 'int64' if whole else 'float64'
    bounds = [_constant(b, counted) if not _is_tensor(b) else _cast(operand(b), counted) for b in bounds]
    return _cast(T.arange(*bounds, dtype=counted), dtype)


def cast(x, dtype):
    dtype = dtypes.name_of(dtype)
    if not _sparse.is_sparse(x):
        return _cast(operand(x), dtype)
    return set_dims(_sparse.cast_to(_sparse_type(dtype), x), dims_of(x))
