"""Primitives that rearrange, join and cut."""

from typing import Any, List, Sequence, Tuple

import numpy as np

from ....errors import ShapeError
from ....shapes import known, product
from .._convert import cast, constant, is_tensor
from .._getitem import getitem as _getitem
from .._graph import describe
from .._library import T
from .._sizes import items, scalars, sizes_of, vector
from .._static import dims_of, visible

Tensor = Any
_BACKWARDS = slice(None, None, -1)


def shape(x: Tensor) -> Tensor:
    entries = sizes_of(x)
    if not any([is_tensor(n) for n in entries]):
        return constant(np.array(entries, 'int32'), 'int32')
    made = T.stack([cast(n, 'int32') if is_tensor(n) else constant(n, 'int32') for n in entries])
    made._keras_items = tuple(entries)
    return made


def reshape(x: Tensor, shape: Any) -> Tensor:
    target = items(shape)
    numbers = [n for n in target if not is_tensor(n)]
    if numbers.count(-1) > 1 or any([n < -1 for n in numbers]):
        raise ShapeError(
            f'the shape {tuple([None if is_tensor(n) else n for n in target])} is not possible: at most one size may '
            'be left open (-1 or None).'
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
    return T.reshape(x, vector(target), ndim=len(target))


def broadcast_to(x: Tensor, shape: Any) -> Tensor:
    return T.alloc(x, *scalars(items(shape)))


def transpose(x: Tensor, *, perm: Tuple[int, ...]) -> Tensor:
    return x.dimshuffle(perm)


def expand_dims(x: Tensor, *, axis: int) -> Tensor:
    order: List[Any] = list(range(x.type.ndim))
    return x.dimshuffle([*order[:axis], 'x', *order[axis:]])


def squeeze(x: Tensor, *, axis: int) -> Tensor:
    static = visible(dims_of(x))
    if static[axis] not in (1, None):
        raise ShapeError(f'axis {axis} of shape {static} cannot be squeezed: its size is {static[axis]}, not 1.')
    # Where the size is not known, the run is held to it.
    return T.addbroadcast(x, axis).dimshuffle([i for i in range(len(static)) if i != axis])


def concatenate(*xs: Tensor, axis: int) -> Tensor:
    _check_joined([visible(dims_of(x)) for x in xs], axis)
    # Along the axis the types must not promise a size; off it, one known size of 1 holds for all.
    parts = [T.unbroadcast(x, axis) for x in xs]
    return T.join(axis, *parts) if len(parts) > 1 else parts[0]


def stack(*xs: Tensor, axis: int) -> Tensor:
    _check_joined([visible(dims_of(x)) for x in xs], None)
    if not xs[0].type.ndim:
        return T.stack(list(xs))
    return concatenate(*[expand_dims(x, axis=axis) for x in xs], axis=axis)


def _check_joined(shapes: Sequence[Any], axis: Any) -> None:
    first = shapes[0]
    for other in shapes[1:]:
        if len(other) != len(first) or any(
            [known(m) and known(n) and m != n and i != axis for i, (m, n) in enumerate(zip(first, other))]
        ):
            how = 'stacked' if axis is None else f'joined along axis {axis}'
            raise ShapeError(f'tensors of shapes {first} and {other} cannot be {how}.')


def tile(x: Tensor, reps: Any) -> Tensor:
    times, here = items(reps), sizes_of(x)
    # Copies of every axis are laid out before it.
    pattern = [entry for i in range(x.type.ndim) for entry in ('x', i)]
    wide = T.alloc(x.dimshuffle(pattern), *scalars([n for pair in zip(times, here) for n in pair]))
    made = [0 if known(count) and count == 0 else count * n for count, n in zip(times, here)]
    return T.reshape(wide, vector(made), ndim=len(here))


def repeat(x: Tensor, *, repeats: int, axis: int) -> Tensor:
    here = sizes_of(x)
    order: List[Any] = list(range(x.type.ndim))
    # The copies of an entry lie next to each other.
    wide = x.dimshuffle([*order[: axis + 1], 'x', *order[axis + 1 :]])
    wide = T.alloc(wide, *scalars([*here[: axis + 1], repeats, *here[axis + 1 :]]))
    here[axis] = here[axis] * repeats
    return T.reshape(wide, vector(here), ndim=len(here))


def reverse(x: Tensor, *, axes: Tuple[int, ...]) -> Tensor:
    return _getitem(x, tuple([_BACKWARDS if i in axes else slice(None) for i in range(x.type.ndim)])) if axes else x


def pad(x: Tensor, *, widths: Tuple[Tuple[int, int], ...], value: float) -> Tensor:
    whole, inside = sizes_of(x), [slice(None)] * x.type.ndim
    for axis, (before, after) in enumerate(widths):
        if before or after:
            inside[axis] = slice(before, before + whole[axis])
            whole[axis] = whole[axis] + (before + after)
    around = T.alloc(constant(value, x.dtype), *scalars(whole))
    return T.set_subtensor(_getitem(around, tuple(inside)), x)


def getitem(x: Tensor, *indices: Tensor, spec: Tuple[Any, ...]) -> Tensor:
    item: List[Any] = []
    for entry in spec:
        if isinstance(entry, tuple):
            item.append(indices[entry[1]] if entry[0] == 'tensor' else slice(*entry[1:]))
        else:
            item.append(entry)
    return _getitem(x, tuple(item))


def slice_axis(x: Tensor, start: Any, stop: Any, axis: int) -> Tensor:
    return _getitem(x, (slice(None),) * axis + (slice(start, stop),))


def arange(start: Tensor, stop: Tensor, step: Tensor, *, dtype: str) -> Tensor:
    bounds = [start, stop, step]
    if all([hasattr(b, 'data') for b in bounds]):
        return constant(np.arange(*[b.data for b in bounds]), dtype)
    # Counted in full precision: the bounds may be fractions where the dtype of the result is an integer.
    counted = 'float64' if any([b.dtype.startswith('float') for b in bounds]) else 'int64'
    return cast(T.arange(*[cast(b, counted) for b in bounds], dtype=counted), dtype)


def one_hot(indices: Tensor, *, num_classes: int, dtype: str) -> Tensor:
    indices = cast(indices, 'int64').dimshuffle([*range(indices.type.ndim), 'x'])
    return cast(T.eq(indices, constant(np.arange(num_classes), 'int64')), dtype)
