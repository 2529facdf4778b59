"""Making tensors and asking about them, said in other K functions."""

import numpy as np

from ..arrays import array_of
from ..errors import ShapeError, UnsupportedByEngine
from ..shapes import known, product, spatial
from ._dims import fill, sizes

K = None  # the engine's namespace, set by binding.rebind


def constant(value, dtype=None, shape=None, name=None):
    value = array_of(value)
    if shape is not None:
        shape = tuple(shape)
        if value.size == 1:
            value = np.full(shape, value.reshape(()))
        elif value.size == product(shape):
            value = value.reshape(shape)
        else:
            raise ShapeError(f'{value.size} values do not fill a constant of shape {shape}.')
    return K.identity(K.variable(value, dtype=dtype, name=name))


def int_shape(x):
    shape = getattr(x, '_keras_shape', None)
    return tuple([int(size) if known(size) else None for size in (x.shape if shape is None else shape)])


def get_variable_shape(x):
    return K.int_shape(x)


def ndim(x):
    # Of the tensor itself where it says so: a layer may have said another shape.
    try:
        return len(x.shape)
    except (AttributeError, TypeError):
        return len(K.int_shape(x))


def dtype(x):
    return getattr(x.dtype, 'name', str(x.dtype))


def shape(x):
    static = K.int_shape(x)
    if None in static:
        raise UnsupportedByEngine(
            'shape', K.backend(), f'the shape {static} is not known before a run', 'Give the placeholders a full shape.'
        )
    return K.constant(np.array(static, 'int32'), dtype='int32')


def size(x, name=None):
    count = product(K.int_shape(x))
    return K.prod(K.shape(x)) if count is None else K.constant(count, dtype='int32', name=name)


def count_params(x):
    static = K.int_shape(x)
    count = product(static)
    if count is None:
        raise ShapeError(
            f'The elements of a tensor of shape {static} cannot be counted before a run; K.size counts them in one.'
        )
    return count


def zeros(shape, dtype=None, name=None):
    return _filled(0, shape, dtype, name)


def ones(shape, dtype=None, name=None):
    return _filled(1, shape, dtype, name)


def zeros_like(x, dtype=None, name=None):
    return _filled_like(0, x, dtype, name)


def ones_like(x, dtype=None, name=None):
    return _filled_like(1, x, dtype, name)


def _filled(value, shape, dtype, name):
    if isinstance(shape, (tuple, list, np.ndarray)):
        entries = list(shape)
    else:
        entries = [shape] if known(shape) else [shape[i] for i in range(K.int_shape(shape)[0])]
    if any(size is None for size in entries):
        raise ShapeError(
            f'None is no size to make a tensor of, in {tuple(entries)}; use K.shape(x)[i] for a size known only in a '
            'run.'
        )
    if all(known(size) for size in entries):
        return K.variable(np.full(tuple(entries), value), dtype=dtype, name=name)
    count = 1
    for entry in entries:
        count = entry * count
    return K.cast(K.reshape(K.arange(count) * 0 + value, entries), K.floatx() if dtype is None else dtype)


def _filled_like(value, x, dtype, name):
    dtype = K.dtype(x) if dtype is None else dtype
    static = K.int_shape(x)
    if None in static:
        return _filled(value, sizes(static, K.shape, x), dtype, name)
    return K.constant(np.full(static, value), dtype=dtype, name=name)


def eye(size, dtype=None, name=None):
    rows, columns = spatial(size, 2, 'size')
    return K.variable(np.eye(rows, columns), dtype=dtype, name=name)


def identity(x, name=None):
    return K.reshape(x, fill(sizes(K.int_shape(x), K.shape, x)))


def arange(start, stop=None, step=1, dtype='int32'):
    start, stop = (0, start) if stop is None else (start, stop)
    if not all(isinstance(bound, (int, float, np.generic)) for bound in (start, stop, step)):
        raise UnsupportedByEngine(
            'arange',
            K.backend(),
            'it cannot make a range whose bounds are tensors',
            'Use numbers, from K.int_shape(x) for instance.',
        )
    return K.constant(np.arange(start, stop, step), dtype=dtype)


def random_uniform_variable(shape, low, high, dtype=None, name=None, seed=None):
    draws = np.random if seed is None else np.random.RandomState(seed)
    return K.variable(draws.uniform(low, high, shape), dtype=dtype, name=name)


def random_normal_variable(shape, mean, scale, dtype=None, name=None, seed=None):
    draws = np.random if seed is None else np.random.RandomState(seed)
    return K.variable(draws.normal(mean, scale, shape), dtype=dtype, name=name)


def is_keras_tensor(x):
    if not K.is_tensor(x):
        raise ValueError(
            f'{type(x).__name__!r} is no tensor of the {K.backend()} engine, so it cannot be asked whether a layer '
            'returned it.'
        )
    return hasattr(x, '_keras_history')


def is_symbolic(x):
    return K.is_tensor(x)


def is_sparse(tensor):
    return False


def to_dense(tensor):
    if K.is_sparse(tensor):
        raise UnsupportedByEngine(
            'to_dense', K.backend(), 'it knows that a tensor is sparse but not how to make it dense', 'Feed an array.'
        )
    return tensor
