"""Making tensors and asking about them."""

import numpy as np

from ...arrays import array_of
from ...errors import ShapeError
from .. import dtypes
from ..dims import Dim
from ..function import evaluate
from ..tensor import Placeholder, Tensor, Variable

K = G = None


def variable(value, dtype=None, name=None, constraint=None):
    if value is None:
        raise TypeError('K.variable needs a value to start with, got None.')
    if isinstance(value, Tensor):
        value = evaluate(G, value)
    sparse = hasattr(value, 'tocoo')
    dtype = dtypes.name_of(dtype)
    data = G.kernels.sparse(value, dtype) if sparse else G.kernels.asarray(value, dtype)
    made = Variable(G.session, data, tuple(data.shape), dtype, G.session.name(name, 'variable'), constraint)
    made.sparse = sparse
    return made


def constant(value, dtype=None, shape=None, name=None):
    dtype = dtypes.name_of(dtype)
    if isinstance(value, Tensor):
        value = G.cast(value, dtype)
        return value if shape is None else G.F.broadcast_to(value, shape)
    if shape is not None:
        shape = G.F.sizes(shape)
        if isinstance(shape, Tensor):
            return G.F.broadcast_to(G.constant(value, dtype), shape)
        value = array_of(value)
        # a shorter list of values fills the shape in order, as documented for a single value
        value = value.reshape(shape) if value.size == np.prod(shape, dtype=int) else np.broadcast_to(value, shape)
    return G.constant(value, dtype, name)


def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None):
    if shape is None:
        if ndim is None:
            raise ValueError('K.placeholder needs a shape (None for unknown sizes) or ndim.')
        shape = (None,) * ndim
    dims = tuple([Dim() if d is None else int(d) for d in shape])
    if any(d.__class__ is int and d < 0 for d in dims):
        raise ShapeError(f'K.placeholder got the shape {tuple(shape)}; sizes are 0 or more, or None.')
    if sparse and len(dims) != 2:
        raise ShapeError(f'A sparse placeholder is a matrix, K.placeholder got the shape {tuple(shape)}.')
    made = Placeholder(G.session, dims, dtypes.name_of(dtype), G.session.name(name, 'placeholder'), bool(sparse))
    made._keras_shape = made.shape
    made._uses_learning_phase = False
    return made


def _tensor(x, what):
    if not isinstance(x, Tensor):
        raise ValueError(f'{what} takes a K tensor, got {type(x).__name__}; K.constant makes one.')
    return x


def _given(x, what):
    if x is None:
        raise TypeError(f'{what} takes a tensor, got None.')
    return x


def is_keras_tensor(x):
    return hasattr(_tensor(x, 'K.is_keras_tensor'), '_keras_history')


def is_tensor(x):
    return isinstance(x, Tensor) and x.session.engine is G  # not of another engine on the graph


def is_symbolic(x):
    return K.is_tensor(x)


def is_variable(x):
    return isinstance(x, Variable) and K.is_tensor(x)


def is_placeholder(x):
    return isinstance(x, Placeholder) and K.is_tensor(x)


def is_sparse(tensor):
    return isinstance(tensor, Tensor) and tensor.sparse


def to_dense(tensor):
    return G.F.to_dense(tensor) if K.is_sparse(tensor) else G.operand(tensor)


def shape(x):
    return G.F.shape(K.to_dense(x))


def int_shape(x):
    if isinstance(x, Tensor):
        # a layer may know more than the graph does
        return x.__dict__.get('_keras_shape') or x.shape
    return np.shape(_given(x, 'K.int_shape'))


def ndim(x):
    return len(x.dims) if isinstance(x, Tensor) else np.ndim(_given(x, 'K.ndim'))


def size(x, name=None):
    return G.F.prod(K.shape(x), axes=(0,), keepdims=False)


def dtype(x):
    return x.dtype if isinstance(x, Tensor) else np.asarray(_given(x, 'K.dtype')).dtype.name


def eval(x):
    if not isinstance(x, Tensor):
        return np.array(x)
    return evaluate(G, x)


def _filled(value, shape, dtype, name):
    dtype = dtypes.name_of(dtype)
    shape = G.F.sizes(shape if isinstance(shape, (list, tuple, np.ndarray, Tensor)) else (shape,))
    if isinstance(shape, Tensor):
        return G.F.broadcast_to(G.constant(value, dtype), shape)
    return K.variable(np.full(shape, value, dtype), dtype, name)


def zeros(shape, dtype=None, name=None):
    return _filled(0, shape, dtype, name)


def ones(shape, dtype=None, name=None):
    return _filled(1, shape, dtype, name)


def _filled_like(x, value, dtype):
    x = G.operand(x)
    return G.F.broadcast_to(G.constant(value, x.dtype if dtype is None else dtypes.name_of(dtype)), G.F.shape(x))


def zeros_like(x, dtype=None, name=None):
    return _filled_like(x, 0, dtype)


def ones_like(x, dtype=None, name=None):
    return _filled_like(x, 1, dtype)


def identity(x, name=None):
    return G.record('identity', (G.operand(x),), {}, name)


def arange(start, stop=None, step=1, dtype='int32'):
    if stop is None:
        start, stop = 0, start
    bounds = [
        b if isinstance(b, Tensor) else G.constant(b, 'int32' if isinstance(b, (int, np.integer)) else 'float64')
        for b in (start, stop, step)
    ]
    return G.F.arange(*bounds, dtype=dtypes.name_of(dtype))


def cast(x, dtype):
    x, dtype = G.operand(x), dtypes.name_of(dtype)
    if not x.sparse or x.dtype == dtype:
        return G.cast(x, dtype)
    if dtype == 'float16':
        raise TypeError(
            f'K.cast cannot make {x.name} float16: sparse tensors of the {G.title} engine are matrices of SciPy, which '
            'has none of that dtype; use float32.'
        )
    return G.F.sparse_cast(x, dtype=dtype)
