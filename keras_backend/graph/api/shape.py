"""Rearranging."""

import numpy as np

from ... import shapes
from ...errors import ShapeError
from .. import dtypes
from ..tensor import Tensor

K = G = None


def concatenate(tensors, axis=-1):
    tensors = list(tensors)
    if not tensors:
        raise ValueError('K.concatenate needs at least one tensor.')
    if all([K.is_sparse(t) for t in tensors]):
        return G.F.sparse_concatenate(*tensors, axis=shapes.normalize_axis(axis, 2))
    tensors = G.together(*[K.to_dense(t) if K.is_sparse(t) else t for t in tensors])
    if not tensors[0].dims:
        raise ShapeError(f'K.concatenate cannot join scalars such as {tensors[0].name}; use K.stack.')
    return G.F.concatenate(*tensors, axis=shapes.normalize_axis(axis, len(tensors[0].dims)))


def stack(x, axis=0):
    tensors = list(x)
    if not tensors:
        raise ValueError('K.stack needs at least one tensor.')
    tensors = G.together(*tensors)
    return G.F.stack(*tensors, axis=shapes.normalize_axis(axis, len(tensors[0].dims) + 1))


def reshape(x, shape):
    return G.F.reshape(G.operand(x), shape if isinstance(shape, (Tensor, tuple, list, np.ndarray)) else (shape,))


def permute_dimensions(x, pattern):
    x = G.operand(x)
    perm = shapes.normalize_axes(tuple(pattern), len(x.dims), 'pattern')
    if len(perm) != len(x.dims):
        raise ShapeError(
            f'The pattern {tuple(pattern)} of K.permute_dimensions does not name every axis of {x.name} (shape '
            f'{x.shape}).'
        )
    return G.F.transpose(x, perm=perm)


def repeat_elements(x, rep, axis):
    x = G.operand(x)
    made = G.F.repeat(x, repeats=shapes.positive(rep, 'rep'), axis=shapes.normalize_axis(axis, len(x.dims)))
    made._keras_shape = made.shape
    made._uses_learning_phase = getattr(x, '_uses_learning_phase', False)
    return made


def tile(x, n):
    x = G.operand(x)
    if isinstance(n, (int, np.integer)):
        n = (int(n),) * len(x.dims)
    reps = G.F.sizes(n)
    if isinstance(reps, tuple):
        if len(reps) > len(x.dims):
            raise ShapeError(f'K.tile got {len(reps)} numbers for {x.name} of shape {x.shape}.')
        reps = (1,) * (len(x.dims) - len(reps)) + reps
    return G.F.tile(x, reps)


def expand_dims(x, axis=-1):
    x = G.operand(x)
    return G.F.expand_dims(x, axis=shapes.normalize_axis(axis, len(x.dims) + 1))


def squeeze(x, axis):
    x = G.operand(x)
    return G.F.squeeze(x, axis=shapes.normalize_axis(axis, len(x.dims)))


def one_hot(indices, num_classes):
    indices = G.operand(indices)
    if not dtypes.is_integer(indices.dtype):
        raise TypeError(f'The indices of K.one_hot are integers, {indices.name} is {indices.dtype}; use K.cast.')
    return G.F.one_hot(indices, num_classes=shapes.positive(num_classes, 'num_classes'), dtype=dtypes.name_of(None))


def reverse(x, axes):
    x = G.operand(x)
    return G.F.reverse(x, axes=shapes.normalize_axes(axes, len(x.dims), 'axes'))


def slice(x, start, size):
    x = G.operand(x)
    start, size = G.F.items(_vector(start)), G.F.items(_vector(size))
    if not any([isinstance(d, Tensor) for d in start + size]):
        bounds = shapes.slice_bounds(x.dims, start, size)
        return G.F.getitem(x, spec=tuple([('slice', first, last, None) for first, last in bounds]))
    if len(start) != len(x.dims) or len(size) != len(x.dims):
        raise ShapeError(
            f'K.slice needs a start and a size for each of the {len(x.dims)} axes of {x.name}, got {len(start)} and '
            f'{len(size)}.'
        )
    for axis, (first, count) in enumerate(zip(start, size)):
        to_the_end = not isinstance(count, Tensor) and count == -1
        last = G.F.getitem(G.F.shape(x), spec=(axis,)) if to_the_end else first + count
        x = G.F.slice_axis(x, first, last, axis)
    return x


def _vector(sizes):
    """A list of ints and scalars, or a vector, as a vector tensor."""
    if isinstance(sizes, Tensor):
        return sizes
    sizes = G.F.sizes(sizes)
    return sizes if isinstance(sizes, Tensor) else G.constant(sizes, 'int32')


def _pad(x, padding, rank, data_format):
    x = G.operand(x)
    if len(x.dims) != rank + 2:
        raise ShapeError(f'The padding needs a tensor of {rank + 2} dimensions, {x.name} has the shape {x.shape}.')
    widths = tuple([tuple(w) for w in shapes.pad_widths(padding, rank)])
    first = data_format == 'channels_first'
    return G.F.pad(x, widths=((0, 0),) * (2 if first else 1) + widths + ((0, 0),) * (0 if first else 1), value=0)


def temporal_padding(x, padding=(1, 1)):
    return _pad(x, (padding,), 1, 'channels_last')


def spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None):
    return _pad(x, padding, 2, K.normalize_data_format(data_format))


def spatial_3d_padding(x, padding=((1, 1), (1, 1), (1, 1)), data_format=None):
    return _pad(x, padding, 3, K.normalize_data_format(data_format))
