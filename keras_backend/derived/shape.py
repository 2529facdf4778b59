"""Primitives that rearrange, in other primitives."""

from typing import Any, List, Sequence, Tuple

import numpy as np

from ..basics.library import Tensor
from ..basics.shapes import known, spatial, with_rest
from ..errors import ShapeError
from .common import along, at, beside, converted, dtype_of_sums, sizes, times


def broadcast_to(F: Any, x: Tensor, shape: Any) -> Tensor:
    library, shape = F.library, F.library.items(shape)
    dtype = library.dtype(x)
    number = dtype_of_sums(dtype)
    if all([known(size) for size in shape]):
        zeros = library.constant(np.zeros(shape, number), number)
    else:
        line = beside(F, F.mul, F.arange(0, times(shape), 1, dtype='int32'), 0)
        zeros = F.reshape(converted(F, line, number), shape)
    return converted(F, F.add(zeros, converted(F, x, number)), dtype)


def expand_dims(F: Any, x: Tensor, *, axis: int) -> Tensor:
    here = sizes(F, x)
    return F.reshape(x, with_rest([*here[:axis], 1, *here[axis:]]))


def squeeze(F: Any, x: Tensor, *, axis: int) -> Tensor:
    here = F.library.dims(x)
    if known(here[axis]) and here[axis] != 1:
        raise ShapeError(
            f'{F.library.describe(x)} cannot be squeezed along axis {axis}, whose size is {here[axis]} instead of 1.'
        )
    if known(here[axis]):
        return F.getitem(x, spec=at(axis, 0))
    # Every size is said, so that a run in which the axis is longer fails.
    run_time = sizes(F, x)
    return F.reshape(x, run_time[:axis] + run_time[axis + 1 :])


def stack(F: Any, *xs: Tensor, axis: int) -> Tensor:
    return F.concatenate(*[F.expand_dims(x, axis=axis) for x in xs], axis=axis)


def repeat(F: Any, x: Tensor, *, repeats: int, axis: int) -> Tensor:
    if repeats == 0:
        return F.getitem(x, spec=along(axis, 0, 0))
    here = sizes(F, x)
    copies = F.concatenate(*[F.expand_dims(x, axis=axis + 1)] * repeats, axis=axis + 1)
    return F.reshape(copies, with_rest([*here[:axis], here[axis] * repeats, *here[axis + 1 :]]))


def tile(F: Any, x: Tensor, reps: Any) -> Tensor:
    here, counts = sizes(F, x), F.library.items(reps)
    inner = [entry for size in here for entry in (1, size)]
    outer = [entry for count in counts for entry in (count, 1)]
    dtype = F.library.dtype(x)
    number = dtype_of_sums(dtype)
    ones = F.broadcast_to(F.library.constant(1, number), outer)
    copies = F.mul(F.reshape(converted(F, x, number), inner), ones)
    # Nothing of an unknown size is nothing.
    target = [0 if known(count) and count == 0 else count * size for count, size in zip(counts, here)]
    return converted(F, F.reshape(copies, with_rest(target)), dtype)


def reverse(F: Any, x: Tensor, *, axes: Sequence[int]) -> Tensor:
    last = max(axes) + 1 if axes else 0
    index: Tuple[Any, ...] = ()
    for axis in range(last):
        index += along(0, None, None, -1 if axis in axes else None)
    return F.getitem(x, spec=index) if index else F.library.identity(x, None)


def pad(F: Any, x: Tensor, *, widths: Sequence[Tuple[int, int]], value: float) -> Tensor:
    for axis, (before, after) in enumerate(widths):
        groups = [_block(F, x, axis, before, value), [x], _block(F, x, axis, after, value)]
        if before or after:
            x = F.concatenate(*[tensor for group in groups for tensor in group], axis=axis)
    return x


def _block(F: Any, x: Tensor, axis: int, width: int, value: float) -> List[Tensor]:
    """The list of tensors that are laid before or behind `x` along an axis: none, or one of a single value."""
    if not width:
        return []
    shape = sizes(F, x)
    constant = F.library.constant(value, F.library.dtype(x))
    return [F.broadcast_to(constant, [*shape[:axis], width, *shape[axis + 1 :]])]


def one_hot(F: Any, indices: Tensor, *, num_classes: int, dtype: str) -> Tensor:
    (num_classes,) = spatial(num_classes, 1, 'num_classes', 0)
    # Not in 32 bits, where a large number would be a class.
    wide = F.cast(indices, dtype='int64')
    classes = F.library.constant(np.arange(num_classes), 'int64')
    return F.cast(F.equal(F.expand_dims(wide, axis=len(F.library.dims(wide))), classes), dtype=dtype)


def arange(F: Any, start: Any, stop: Any, step: Any, *, dtype: str) -> Tensor:
    # A length that only a run knows is out of reach.
    return F.library.constant(np.arange(*[F.library.known_number(b, 'arange') for b in (start, stop, step)]), dtype)


PRIMITIVES = {
    f.__name__: f for f in (broadcast_to, expand_dims, squeeze, stack, repeat, tile, reverse, pad, one_hot, arange)
}
