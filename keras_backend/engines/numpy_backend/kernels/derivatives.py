"""Primitives that only gradients record."""
import numpy as np


def tanh_grad(y, g):
    """g * (1 - y * y)."""
    if y.__class__ is np.ndarray and y.shape == g.shape and y.ndim:
        made = y * y
        np.subtract(y.dtype.type(1), made, out=made)
        return np.multiply(made, g, out=made)
    return g * (y.dtype.type(1) - y * y)


def sigmoid_grad(y, g):
    """g * y * (1 - y)."""
    if y.__class__ is np.ndarray and y.shape == g.shape and y.ndim:
        made = y.dtype.type(1) - y
        np.multiply(made, y, out=made)
        return np.multiply(made, g, out=made)
    return g * y * (y.dtype.type(1) - y)


def relu_grad(x, g):
    """g where x > 0, else 0."""
    return g * (x > x.dtype.type(0))


def sum_to(x, shape):
    """`x` summed over the axes along which `shape` is 1."""
    axes = tuple([i for i, (d, e) in enumerate(zip(np.shape(x), shape)) if d != e])
    return np.add.reduce(x, axis=axes, dtype=x.dtype, keepdims=True) if axes else x


def slice_axis(x, start, stop, axis):
    """x[start:stop] along `axis`; a piece that sticks out is an error."""
    start, stop = int(start), int(stop)
    if not 0 <= start <= stop <= x.shape[axis]:
        raise IndexError('The slice from %d to %d does not fit axis %d of size %d.' % (start, stop, axis, x.shape[axis]))
    return x[(slice(None),) * axis + (slice(start, stop),)]


def slice_axis_grad(g, shape, start, axis):
    """Zeros of `shape` with `g` at `start` along `axis`."""
    made = np.zeros(tuple(shape), g.dtype)
    start = int(start)
    made[(slice(None),) * axis + (slice(start, start + g.shape[axis]),)] = g
    return made


DERIVATIVES = {f.__name__: f for f in (tanh_grad, sigmoid_grad, relu_grad, sum_to, slice_axis, slice_axis_grad)}
DERIVATIVE_VIEWS = frozenset(['sum_to', 'slice_axis'])
