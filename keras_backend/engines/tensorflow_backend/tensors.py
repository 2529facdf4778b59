"""Making tensors and asking about them."""

import numpy as np

from ...arrays import array_of
from ...errors import ShapeError
from ...shapes import product
from . import _sparse
from ._convert import Tensor, Variable, as_array, as_dtype, operand, own, scope_name, sizes, static_shape
from ._convert import cast as _cast
from ._convert import constant as _constant
from ._convert import is_tensor as _is_tensor
from ._function import evaluate
from ._graph import describe, graph, state
from ._library import EagerTensor, ResourceVariable, tf
from ._session import settings
from ._updates import is_variable as _is_variable

# A larger initial value does not go into the graph, which would hold it three times.
_LARGE = 1 << 16


class KVariable(ResourceVariable):
    """A variable of K, for which `loss += x` means `loss = loss + x`, as for any tensor; TensorFlow refuses it."""

    def _by_the_plain_operator(self, other):
        return NotImplemented

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ipow__ = _by_the_plain_operator


def _new_variable(initial, name, constraint=None, array=None):
    made = tf.Variable(initial, name=scope_name(name), use_resource=True, constraint=constraint, dtype=initial.dtype)
    if made.__class__ is ResourceVariable:
        # Not one that a strategy for several devices has put in its place.
        made.__class__ = KVariable
    made._keras_shape = static_shape(made)
    made._uses_learning_phase = False
    if array is not None:
        state().initial_values[made] = array
    if settings.manual:
        made._keras_backend_manual = True
    return made


def variable(value, dtype=None, name=None, constraint=None):
    if hasattr(value, 'tocoo'):
        return _sparse_variable(value, dtype, name)
    dtype = as_dtype(dtype)
    graph()
    # A variable made by a step function lives outside of the loop.
    with tf.init_scope():
        if _is_tensor(value):
            return _new_variable(_cast(operand(value), dtype), name, constraint)
        own(value)
        array = np.array(as_array(value, dtype))
        if array.nbytes <= _LARGE or array.dtype.hasobject:
            return _new_variable(tf.constant(array, dtype), name, constraint)
        initial = tf.numpy_function(lambda: array, [], dtype)
        initial.set_shape(array.shape)
        return _new_variable(initial, name, constraint, array)


def _sparse_variable(value, dtype, name):
    indices, values, shape = _sparse.coordinates(value)
    with tf.name_scope(scope_name(name or 'sparse')):
        made = tf.SparseTensor(_constant(indices, tf.int64), _constant(values, as_dtype(dtype)), shape)
    made.name = describe(made)
    made._keras_shape = tuple(shape)
    made._uses_learning_phase = False
    made._keras_backend_variable = True
    return made


def _filled(value, shape, dtype, name):
    dtype, shape = as_dtype(dtype), sizes(shape)
    graph()
    value = as_array(value, dtype)
    if _is_tensor(shape):
        return tf.fill(shape, tf.constant(value), name=scope_name(name))
    if any([n < 0 for n in shape]):
        raise ShapeError(
            f'A tensor cannot be made in shape {tuple(shape)}; use K.shape(x)[i] for a size known only in a run.'
        )
    with tf.init_scope():
        return _new_variable(tf.fill(shape, tf.constant(value)), name)


def zeros(shape, dtype=None, name=None):
    return _filled(0, shape, dtype, name)


def ones(shape, dtype=None, name=None):
    return _filled(1, shape, dtype, name)


def eye(size, dtype=None, name=None):
    rows, columns = size if isinstance(size, (tuple, list)) else (size, size)
    return variable(np.eye(rows, columns), dtype, name)


def zeros_like(x, dtype=None, name=None):
    return tf.zeros_like(operand(x), None if dtype is None else as_dtype(dtype), name=scope_name(name))


def ones_like(x, dtype=None, name=None):
    return tf.ones_like(operand(x), None if dtype is None else as_dtype(dtype), name=scope_name(name))


def random_uniform_variable(shape, low, high, dtype=None, name=None, seed=None):
    return _drawn(tf.random.stateless_uniform, shape, low, high, dtype, name, seed)


def random_normal_variable(shape, mean, scale, dtype=None, name=None, seed=None):
    return _drawn(tf.random.stateless_normal, shape, mean, scale, dtype, name, seed)


def _drawn(draw, shape, first, second, dtype, name, seed):
    """A variable whose initialiser draws where the variable lives, and the same numbers whenever it runs."""
    dtype = as_dtype(dtype)
    graph()
    seed = np.random.randint(2**31 - 1) if seed is None else int(seed)
    with tf.init_scope():
        numbers = draw(sizes(shape), (seed, 0), tf.constant(first, dtype), tf.constant(second, dtype), dtype)
        return _new_variable(numbers, name)


def constant(value, dtype=None, shape=None, name=None):
    dtype = as_dtype(dtype)
    if _is_tensor(value):
        value = _cast(operand(value), dtype)
        return value if shape is None else tf.broadcast_to(value, sizes(shape))
    if shape is not None:
        shape = sizes(shape)
        if _is_tensor(shape):
            return tf.broadcast_to(_constant(value, dtype), shape, name=scope_name(name))
        value = array_of(value)
        value = value.reshape(shape) if value.size == product(shape) else np.broadcast_to(value, shape)
    return _constant(value, dtype, name)


def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None):
    if shape is None:
        if ndim is None:
            raise ValueError('K.placeholder needs a shape (None for unknown sizes) or ndim.')
        shape = (None,) * ndim
    shape = [n.value if isinstance(n, tf.Dimension) else n for n in shape]
    shape = tuple([None if n is None else int(n) for n in shape])
    if any([n is not None and n < 0 for n in shape]):
        raise ShapeError(f'K.placeholder got the shape {shape}; sizes are 0 or more, or None.')
    if sparse and len(shape) != 2:
        raise ShapeError(f'A sparse placeholder has two axes, got the shape {shape}.')
    graph()
    make = tf.sparse_placeholder if sparse else tf.placeholder
    made = make(as_dtype(dtype), shape, name=scope_name(name))
    if sparse:
        made.name = describe(made)
    made._keras_shape = shape
    made._uses_learning_phase = False
    return made


def is_tensor(x):
    return _is_tensor(x)


def is_keras_tensor(x):
    if not _is_tensor(x):
        raise ValueError(f'K.is_keras_tensor takes a K tensor, got {type(x).__name__}; K.constant makes one.')
    return hasattr(x, '_keras_history')


def is_symbolic(x):
    return _is_tensor(x) and not isinstance(x, EagerTensor)


def is_variable(x):
    return _is_variable(x) or hasattr(x, '_keras_backend_variable')


def is_placeholder(x):
    if _sparse.is_sparse(x):
        x = x.values
    return (
        isinstance(x, Tensor)
        and not isinstance(x, EagerTensor)
        and x.op.type in ('Placeholder', 'PlaceholderWithDefault')
    )


def is_sparse(tensor):
    return _sparse.is_sparse(tensor)


def to_dense(tensor):
    return _sparse.densify(tensor) if _sparse.is_sparse(tensor) else tensor if _is_tensor(tensor) else operand(tensor)


def _of(x):
    """`x` as something with a shape and a dtype of TensorFlow, variables as they are."""
    return x if isinstance(x, (Variable, Tensor)) or _sparse.is_sparse(x) else operand(x)


def shape(x):
    if _sparse.is_sparse(x):
        return tf.cast(x.dense_shape, tf.int32)
    return tf.shape(operand(x))


def int_shape(x):
    # A layer may know more than the graph does.
    known = getattr(x, '_keras_shape', None)
    if known is not None:
        return known
    x = _of(x)
    return None if x.shape.rank is None else static_shape(x)


def get_variable_shape(x):
    return int_shape(x)


def ndim(x):
    # Not what a layer says: a program may have said another shape than the tensor has.
    return _of(x).shape.rank


def size(x, name=None):
    return tf.size(operand(x), name=scope_name(name))


def count_params(x):
    count = product(int_shape(x) or static_shape(_of(x)))
    if count is None:
        raise ShapeError(
            f'The elements of {describe(x)} of shape {int_shape(x)} cannot be counted before a run; K.size counts them '
            'in one.'
        )
    return count


def dtype(x):
    return _of(x).dtype.base_dtype.name


def eval(x):
    if isinstance(x, EagerTensor):
        return np.array(x.numpy())
    if not _is_tensor(x):
        own(x)
        return np.array(x)
    return evaluate(x)


def identity(x, name=None):
    return tf.identity(operand(x), name=scope_name(name))


def arange(start, stop=None, step=1, dtype='int32'):
    if stop is None:
        start, stop = 0, start
    dtype = as_dtype(dtype)
    bounds = [start, stop, step]
    if not any(map(_is_tensor, bounds)):
        return _constant(np.arange(*bounds), dtype)
    bounds = [operand(b) for b in bounds]
    # Counted in full precision: the bounds may be fractions where the dtype of the result is an integer.
    counted = tf.float64 if any([b.dtype.is_floating for b in bounds]) else tf.int32
    return _cast(tf.range(*[_cast(b, counted) for b in bounds]), dtype)


def cast(x, dtype):
    return _sparse.cast(x, as_dtype(dtype)) if _sparse.is_sparse(x) else _cast(operand(x), as_dtype(dtype))
