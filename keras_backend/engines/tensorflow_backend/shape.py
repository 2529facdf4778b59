"""Functions that rearrange."""

from ... import config
from ...errors import ShapeError
from ...shapes import known, normalize_axes, normalize_axis, pad_widths, positive, product, slice_bounds
from . import _sparse
from ._convert import axis_of, is_tensor, operand, sizes, static_shape, static_size, together
from ._library import tf


def size_of(x, axis):
    """The size of an axis: an int if it is known, else a scalar tensor."""
    static = static_size(x, axis)
    return tf.shape(x)[axis] if static is None else static


def concatenate(tensors, axis=-1):
    tensors = list(tensors)
    sparse = [_sparse.is_sparse(t) for t in tensors]
    if any(sparse):
        if all(sparse):
            return tf.sparse.concat(normalize_axis(axis, 2), tensors)
        tensors = [_sparse.densify(t) if s else t for t, s in zip(tensors, sparse)]
    tensors = together(*tensors)
    return tf.concat(tensors, axis_of(tensors[0], axis))


def stack(x, axis=0):
    tensors = together(*x)
    return tf.stack(tensors, axis_of(tensors[0], axis, 1))


def reshape(x, shape):
    x = operand(x)
    target = sizes(shape)
    if not is_tensor(target) and x.shape.rank is not None:
        open_ones = [n for n in target if n == -1]
        if len(open_ones) > 1 or any([n < -1 for n in target]):
            raise ShapeError(
                f'K.reshape to {tuple(target)} is not possible: at most one size may be left open (-1 or None).'
            )
        count, wanted = product(static_shape(x)), product([n for n in target if n != -1])
        if count is not None and (wanted != count if not open_ones else wanted == 0 or count % wanted):
            raise ShapeError(f'{count} values of shape {static_shape(x)} do not fill the shape {tuple(target)}.')
    return tf.reshape(x, target)


def flatten(x):
    return tf.reshape(operand(x), [-1])


def batch_flatten(x):
    x = operand(x)
    rest = None if x.shape.rank is None else product(static_shape(x)[1:])
    if rest is None:
        shape = tf.shape(x)
        return tf.reshape(x, tf.stack([shape[0], tf.reduce_prod(shape[1:])]))
    return tf.reshape(x, [-1, rest] if rest else [size_of(x, 0), rest])


def permute_dimensions(x, pattern):
    x = operand(x)
    pattern = list(pattern)
    rank = len(static_shape(x))
    if sorted([normalize_axis(p, rank, 'an entry of pattern') for p in pattern]) != list(range(rank)):
        raise ShapeError(
            f'pattern={tuple(pattern)!r} does not name every axis of a tensor of shape {static_shape(x)} once.'
        )
    return tf.transpose(x, [p % rank for p in pattern])


def expand_dims(x, axis=-1):
    x = operand(x)
    return tf.expand_dims(x, axis_of(x, axis, 1))


def squeeze(x, axis):
    x = operand(x)
    shape = static_shape(x)
    axis = normalize_axis(axis, len(shape))
    if shape[axis] not in (1, None):
        raise ShapeError(f'Axis {axis} of shape {shape} cannot be squeezed: its size is {shape[axis]}, not 1.')
    return tf.squeeze(x, [axis])


def repeat_elements(x, rep, axis):
    rep = positive(rep, 'rep')
    x = operand(x)
    rank = len(static_shape(x))
    axis = normalize_axis(axis, rank)
    times = [1] * (rank + 1)
    times[axis + 1] = rep
    target = [size_of(x, i) for i in range(rank)]
    target[axis] = target[axis] * rep
    return tf.reshape(tf.tile(tf.expand_dims(x, axis + 1), times), target)


def repeat(x, n):
    x = operand(x)
    if len(static_shape(x)) != 2:
        raise ShapeError(
            f'K.repeat takes a tensor of rank 2 (samples, features), got shape {static_shape(x)}; K.repeat_elements '
            'and '
            'K.tile take any rank.'
        )
    n = n if is_tensor(n) else positive(n, 'n')
    return tf.tile(tf.expand_dims(x, 1), [1, n, 1])


def tile(x, n):
    x = operand(x)
    rank = len(static_shape(x))
    if known(n) or (is_tensor(n) and n.shape.rank == 0):
        n = [n] * rank
    times = sizes(n)
    count = len(times) if not is_tensor(times) else static_shape(times)[0]
    if count > rank:
        x = tf.reshape(x, [1] * (count - rank) + [size_of(x, i) for i in range(rank)])
    elif count < rank:
        times = tf.concat([[1] * (rank - count), times], 0) if is_tensor(times) else [1] * (rank - count) + times
    return tf.tile(x, times)


def reverse(x, axes):
    x = operand(x)
    return tf.reverse(x, list(normalize_axes(axes, len(static_shape(x)), 'axes')))


def slice(x, start, size):
    x = operand(x)
    start, size = sizes(start), sizes(size)
    if is_tensor(start) or is_tensor(size):
        return tf.slice(x, start, size)
    bounds = slice_bounds(static_shape(x), start, size)
    return tf.slice(x, start, [-1 if last is None else last - first for first, last in bounds])


def one_hot(indices, num_classes):
    indices = operand(indices)
    if indices.dtype not in (tf.uint8, tf.int8, tf.int32, tf.int64):
        indices = tf.cast(indices, tf.int32)
    return tf.one_hot(
        indices, num_classes if is_tensor(num_classes) else positive(num_classes, 'num_classes'), dtype=config.floatx()
    )


def temporal_padding(x, padding=(1, 1)):
    return _padded(x, 1, pad_widths((padding,), 1))


def spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None):
    return _padded(x, _first(data_format), pad_widths(padding, 2))


def spatial_3d_padding(x, padding=((1, 1), (1, 1), (1, 1)), data_format=None):
    return _padded(x, _first(data_format), pad_widths(padding, 3))


def _first(data_format):
    return 2 if config.normalize_data_format(data_format) == 'channels_first' else 1


def _padded(x, first, widths):
    x = operand(x)
    rank = len(static_shape(x))
    if rank != len(widths) + 2:
        raise ShapeError(f'This padding takes a tensor of rank {len(widths) + 2}, got shape {static_shape(x)}.')
    every = [(0, 0)] * rank
    every[first : first + len(widths)] = widths
    return tf.pad(x, every)
