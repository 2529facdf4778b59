"""Functions that rearrange, join and cut."""

import numpy as np

from ... import config
from ...errors import ShapeError
from ...shapes import known, normalize_axes, normalize_axis, pad_widths, positive, product, slice_bounds
from . import _sparse
from ._convert import cast, constant, is_tensor, operand, shape_vector, sizes, unified
from ._graph import describe
from ._library import T
from ._operators import getitem
from ._static import dims_of, visible


def sizes_of(x):
    """The size of every axis: an int where it is known, else an int64 scalar."""
    return [n if known(n) else x.shape[i] for i, n in enumerate(dims_of(x))]


def reshape(x, shape):
    x = operand(x)
    target = sizes(shape)
    numbers = [n for n in target if not is_tensor(n)]
    if numbers.count(-1) > 1 or any([n < -1 for n in numbers]):
        raise ShapeError(
            f'K.reshape to {tuple([None if is_tensor(n) else n for n in target])} is not possible: at most one size '
            'may be left open (-1 or None).'
        )
    if len(numbers) == len(target):
        static = visible(dims_of(x))
        count, wanted = product(static), product([n for n in target if n != -1])
        if count is not None and (wanted != count if -1 not in target else count % wanted if wanted else True):
            raise ShapeError(
                f'{count} values of {describe(x)}, of shape {static}, do not fill the shape {tuple(target)}.'
            )
        if -1 in target and count is not None:
            target[target.index(-1)] = count // wanted
    return T.reshape(x, shape_vector(target), ndim=len(target))


def flatten(x):
    return reshape(x, (-1,))


def batch_flatten(x):
    x = operand(x)
    samples, rest = sizes_of(x)[0], product(visible(dims_of(x))[1:])
    return T.reshape(x, shape_vector([samples, -1 if rest is None else rest]), ndim=2)


def permute_dimensions(x, pattern):
    x = operand(x)
    rank = x.type.ndim
    order = [normalize_axis(p, rank, 'an entry of pattern') for p in pattern]
    if sorted(order) != list(range(rank)):
        raise ShapeError(
            f'pattern={tuple(pattern)!r} does not name every axis of a tensor of shape {visible(dims_of(x))} once.'
        )
    return x.dimshuffle(order)


def expand_dims(x, axis=-1):
    x = operand(x)
    axis = normalize_axis(axis, x.type.ndim + 1)
    order = list(range(x.type.ndim))
    return x.dimshuffle(order[:axis] + ['x'] + order[axis:])


def squeeze(x, axis):
    x = operand(x)
    static = visible(dims_of(x))
    axis = normalize_axis(axis, len(static))
    if static[axis] not in (1, None):
        raise ShapeError(f'Axis {axis} of shape {static} cannot be squeezed: its size is {static[axis]}, not 1.')
    # Where the size is not known, the run is held to it.
    return T.addbroadcast(x, axis).dimshuffle([i for i in range(len(static)) if i != axis])


def concatenate(tensors, axis=-1):
    tensors = list(tensors)
    if not tensors:
        raise ValueError('K.concatenate needs at least one tensor.')
    if all(map(_sparse.is_sparse, tensors)):
        return _sparse.concatenate(tensors, normalize_axis(axis, 2))
    tensors = unified(*tensors)
    rank = tensors[0].type.ndim
    axis = normalize_axis(axis, rank)
    _check_joined([visible(dims_of(t)) for t in tensors], axis)
    # Along the axis the types must not promise a size; off it, one known size of 1 holds for all.
    tensors = [T.unbroadcast(t, axis) for t in tensors]
    return T.join(axis, *tensors) if len(tensors) > 1 else tensors[0]


def _check_joined(shapes, axis):
    for other in shapes[1:]:
        if len(other) != len(shapes[0]) or any(
            [m is not None and n is not None and m != n and i != axis for i, (m, n) in enumerate(zip(shapes[0], other))]
        ):
            raise ShapeError(
                'Tensors of shapes {} and {} cannot be {}.'.format(
                    shapes[0], other, 'stacked' if axis is None else f'joined along axis {axis}'
                )
            )


def stack(x, axis=0):
    x = list(x)
    if not x:
        raise ValueError('K.stack needs at least one tensor.')
    x = unified(*x)
    axis = normalize_axis(axis, x[0].type.ndim + 1)
    _check_joined([visible(dims_of(t)) for t in x], None)
    if not x[0].type.ndim:
        return T.stack(x)
    return concatenate([expand_dims(t, axis) for t in x], axis)


def _copies(x, times):
    """`x` with copies of every axis i laid out before it, `times[i]` of them: (times[0], size 0, times[1], ...)."""
    pattern = [entry for i in range(x.type.ndim) for entry in ('x', i)]
    target = [n for pair in zip(times, sizes_of(x)) for n in pair]
    return T.alloc(x.dimshuffle(pattern), *[n if is_tensor(n) else constant(n, 'int64') for n in target])


def repeat_elements(x, rep, axis):
    rep, x = positive(rep, 'rep'), operand(x)
    axis = normalize_axis(axis, x.type.ndim)
    here = sizes_of(x)
    order = list(range(x.type.ndim))
    # The copies of an entry lie next to each other.
    wide = x.dimshuffle(order[: axis + 1] + ['x'] + order[axis + 1 :])
    wide = T.alloc(
        wide, *[n if is_tensor(n) else constant(n, 'int64') for n in here[: axis + 1] + [rep] + here[axis + 1 :]]
    )
    here[axis] = here[axis] * rep
    return T.reshape(wide, shape_vector(here), ndim=len(here))


def repeat(x, n):
    x = operand(x)
    if x.type.ndim != 2:
        raise ShapeError(
            f'K.repeat takes a tensor of rank 2 (samples, features), got shape {visible(dims_of(x))}; '
            'K.repeat_elements and '
            'K.tile take any rank.'
        )
    times = sizes([n])[0] if is_tensor(n) else positive(n, 'n')
    rows, columns = sizes_of(x)
    target = [m if is_tensor(m) else constant(m, 'int64') for m in (rows, times, columns)]
    return T.alloc(x.dimshuffle(0, 'x', 1), *target)


def tile(x, n):
    x = operand(x)
    rank = x.type.ndim
    times = sizes(n) * rank if known(n) or (is_tensor(n) and not n.type.ndim) else sizes(n)
    if len(times) > rank:
        x = T.shape_padleft(x, len(times) - rank)
    times = [1] * (x.type.ndim - len(times)) + times
    target = [time * size for time, size in zip(times, sizes_of(x))]
    return T.reshape(_copies(x, times), shape_vector(target), ndim=len(target))


def reverse(x, axes):
    x = operand(x)
    axes = normalize_axes(axes, x.type.ndim, 'axes')
    every = np.index_exp[:]
    return getitem(x, tuple([every[0] if i not in axes else _BACKWARDS for i in range(x.type.ndim)])) if axes else x


_slice, _BACKWARDS = slice, slice(None, None, -1)


def slice(x, start, size):
    x = operand(x)
    start, size = sizes(start), sizes(size)
    if any(map(is_tensor, start + size)):
        bounds = [
            (first, None if not is_tensor(count) and count == -1 else first + count)
            for first, count in zip(start, size)
        ]
    else:
        bounds = slice_bounds(visible(dims_of(x)), start, size)
    return getitem(x, tuple([_slice(*pair) for pair in bounds]))


def one_hot(indices, num_classes):
    indices = operand(indices)
    classes = sizes([num_classes])[0] if is_tensor(num_classes) else positive(num_classes, 'num_classes')
    places = T.arange(classes) if is_tensor(classes) else constant(np.arange(classes))
    indices = cast(indices, 'int64').dimshuffle(list(range(indices.type.ndim)) + ['x'])
    return cast(T.eq(indices, places), config.floatx())


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
    here = sizes_of(x)
    if len(here) != len(widths) + 2:
        raise ShapeError(f'This padding takes a tensor of rank {len(widths) + 2}, got shape {visible(dims_of(x))}.')
    inside = [_slice(None)] * len(here)
    for axis, (before, after) in enumerate(widths, first):
        inside[axis] = _slice(before, before + here[axis])
        here[axis] = here[axis] + (before + after)
    zeros = T.alloc(constant(0, x.dtype), *[n if is_tensor(n) else constant(n, 'int64') for n in here])
    return T.set_subtensor(getitem(zeros, tuple(inside)), x)
