"""Kernels that rearrange elements, make them from sizes, and read and write at places of several axes."""

from operator import itemgetter, methodcaller
from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np

from .common import Array, Attrs, DType, Ints, Kernel, Scalar, Sizes, Special, product, sizes
from .rows import scatter_add

_ALL = slice(None)


def shape(x: Array) -> Array:
    """The shape as an int32 vector."""
    return np.array(x.shape, np.int32)


def reshape(x: Array, shape: Sizes) -> Array:
    """`x` in another shape, which may hold one -1."""
    return x.reshape(sizes(shape))


def broadcast_to(x: Array, shape: Sizes) -> Array:
    """A view of `x` repeated over `shape`."""
    shape = sizes(shape)
    old = x.shape
    if old == shape:
        return x
    lead = len(shape) - len(old)
    # the constructor makes such a view in a tenth of the time of numpy.broadcast_to, and checks less
    if (
        lead < 0
        or not x.size
        or not x.flags.c_contiguous
        or any([n != m and n != 1 for n, m in zip(old, shape[lead:])])
    ):
        return np.broadcast_to(x, shape)
    strides = [0 if n == 1 else stride for n, stride in zip(old, x.strides)]
    return np.ndarray(shape, x.dtype, x, 0, (0,) * lead + tuple(strides))


def transpose(x: Array, perm: Ints) -> Array:
    """The axes in the order of `perm`."""
    return x.transpose(perm)


def expand_dims(x: Array, axis: int) -> Array:
    """A new axis of size 1 at `axis` of the result."""
    return x[_new_axis(axis, x.ndim)]


def _new_axis(axis: int, rank: int) -> Tuple[Optional[slice], ...]:
    return (_ALL,) * (axis if axis >= 0 else axis + rank + 1) + (None,)


def squeeze(x: Array, axis: int) -> Array:
    """Without `axis`, whose size is 1."""
    return x.squeeze(axis)


def concatenate(*xs: Array, axis: int) -> Array:
    """The arrays one after another along `axis`."""
    return np.concatenate(xs, axis)


def stack(*xs: Array, axis: int) -> Array:
    """The arrays one after another along a new axis."""
    index = _new_axis(axis, xs[0].ndim)
    return np.concatenate([x[index] for x in xs], axis)


def tile(x: Array, reps: Sizes) -> Array:
    """`x` repeated reps[i] times along axis i."""
    reps = sizes(reps)
    out = np.empty([n for pair in zip(reps, x.shape) for n in pair], x.dtype)
    out[...] = x[tuple([index for _ in reps for index in (None, _ALL)])]
    return out.reshape([r * n for r, n in zip(reps, x.shape)])


def repeat(x: Array, repeats: int, axis: int) -> Array:
    """Each slice along `axis` `repeats` times."""
    return x.repeat(repeats, axis)


def reverse(x: Array, axes: Ints) -> Array:
    """The order along `axes` reversed."""
    return x[_reversed(axes, x.ndim)]


def _reversed(axes: Sequence[int], rank: int) -> Tuple[slice, ...]:
    axes = [axis % rank for axis in axes]
    return tuple([slice(None, None, -1) if i in axes else _ALL for i in range(rank)])


def pad(x: Array, widths: Tuple[Tuple[int, int], ...], value: float) -> Array:
    """`value` before and after, widths[i] = (before, after) for axis i."""
    out_shape = [n + lo + hi for n, (lo, hi) in zip(x.shape, widths)]
    out = np.full(out_shape, value, x.dtype) if value else np.zeros(out_shape, x.dtype)
    out[tuple([slice(lo, lo + n) for n, (lo, _hi) in zip(x.shape, widths)])] = x
    return out


def _index(spec: Tuple[Any, ...], indices: Tuple[Array, ...]) -> Tuple[Any, ...]:
    """The index of NumPy that `spec` describes."""
    return tuple([s if s.__class__ is not tuple else slice(*s[1:]) if s[0] == 'slice' else indices[s[1]] for s in spec])


def getitem(x: Array, *indices: Array, spec: Tuple[Any, ...]) -> Array:
    """x[spec], basic and with integer arrays as NumPy has it."""
    return x[_index(spec, indices)]


def getitem_grad(g: Array, shape: Sizes, *indices: Array, spec: Tuple[Any, ...]) -> Array:
    """Zeros of `shape` with `g` added at the places that `spec` reads."""
    shape = sizes(shape)
    index = _index(spec, indices)
    if not any([i.ndim for i in indices]):
        out = np.zeros(shape, g.dtype)
        out[index] = g
        return out
    # the places that are read, counted through: whatever the index, they become one axis of scattering
    size = product(shape)
    positions = np.arange(size).reshape(shape)[index]
    return scatter_add(positions.ravel(), g.reshape(-1), size).reshape(shape)


def slice_axis(x: Array, start: Scalar, stop: Scalar, axis: int) -> Array:
    """x[start:stop] along `axis`; a piece that sticks out is an error."""
    start, stop = int(start), int(stop)
    if not 0 <= start <= stop <= x.shape[axis]:
        raise IndexError(f'The slice from {start} to {stop} does not fit axis {axis} of size {x.shape[axis]}.')
    return x[(_ALL,) * axis + (slice(start, stop),)]


def slice_axis_grad(g: Array, shape: Sizes, start: Scalar, axis: int) -> Array:
    """Zeros of `shape` with `g` at `start` along `axis`."""
    out, start = np.zeros(sizes(shape), g.dtype), int(start)
    out[(_ALL,) * axis + (slice(start, start + g.shape[axis]),)] = g
    return out


def arange(start: Scalar, stop: Scalar, step: Scalar, dtype: DType) -> Array:
    """start, start + step, ... before `stop`."""
    return np.arange(start, stop, step, dtype)


def one_hot(indices: Array, num_classes: int, dtype: DType) -> Array:
    """1 at the index of the last axis, else 0; an index out of range gives zeros."""
    labels = np.asarray(indices).astype(np.intp, copy=False)
    if labels.size * num_classes < 4096:
        return (labels[..., None] == np.arange(num_classes)).astype(dtype)
    out, columns = np.zeros((labels.size, num_classes), dtype), labels.reshape(-1)
    rows = np.flatnonzero((columns >= 0) & (columns < num_classes))
    out[rows, columns[rows]] = 1
    return out.reshape(labels.shape + (num_classes,))


def nonzero(x: Array) -> Array:
    """The places of a vector of bools that are true."""
    return np.flatnonzero(x).astype(np.int64, copy=False)


PRIMITIVES = {
    f.__name__: f
    for f in (
        shape,
        reshape,
        broadcast_to,
        transpose,
        expand_dims,
        squeeze,
        concatenate,
        stack,
        tile,
        repeat,
        reverse,
        pad,
        getitem,
        getitem_grad,
        slice_axis,
        slice_axis_grad,
        arange,
        one_hot,
        nonzero,
    )
}


# -- with shapes, axes and indices known -------------------------------------------------------------------------
def _specialize_concatenate(ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
    axis, join = attrs['axis'], np.concatenate
    if len(ranks) == 2:
        return lambda x, y: join((x, y), axis)
    return lambda *xs: join(xs, axis)


def _specialize_getitem(ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
    spec = attrs['spec']
    if len(ranks) == 1:
        return itemgetter(_index(spec, ()))
    if len(ranks) == 2 and len(spec) == 1:
        return lambda x, i: x[i]
    return None


def _specialize_getitem_grad(ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
    if 'shape' not in attrs:
        return None
    shape, spec = attrs['shape'], attrs['spec']
    return lambda g, *indices: getitem_grad(g, shape, *indices, spec=spec)


SPECIAL: Dict[str, Special] = {
    'reshape': lambda ranks, attrs, dtypes: methodcaller('reshape', attrs['shape']) if 'shape' in attrs else None,
    'transpose': lambda ranks, attrs, dtypes: methodcaller('transpose', attrs['perm']),
    'expand_dims': lambda ranks, attrs, dtypes: itemgetter(_new_axis(attrs['axis'], ranks[0])),
    'squeeze': lambda ranks, attrs, dtypes: methodcaller('squeeze', attrs['axis']),
    'reverse': lambda ranks, attrs, dtypes: itemgetter(_reversed(attrs['axes'], ranks[0])),
    'concatenate': _specialize_concatenate,
    'getitem': _specialize_getitem,
    'getitem_grad': _specialize_getitem_grad,
}
