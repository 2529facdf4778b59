"""Kernels that read rows, entries of an array along its first axis, and add to rows.

The gradient of a lookup is zero in all rows but those that were read. `rows` has it without the zeros, as (places,
sums): the numbers of the rows that were read, each once, and for each row the sum of what belongs to it. One more row
at the end of `sums` stands for all rows that were not read. Element-wise functions of a number and `sums` are right for
all rows in this form, NaN and infinity included. Where most rows were read or the array is small, `places` is None, and
`sums` are all rows.
"""

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ..errors import IndexOutOfRangeError
from .common import FLOAT16, Array, Kernel, Scalar, product

if TYPE_CHECKING:
    from typing import NoReturn

# None where all rows are meant
Places = Optional[Array]

_ROUNDS = 8
# up to so many elements, passes over all of them take less time than finding out which rows were read
SMALL = 8192


# Compiled code follows places without a look, so each kernel that hands it some checks them first, or they come from
# NumPy itself. Here: `gather`, `scatter_add` and `rows` (take, bincount, reduceat). In `shape`: `getitem_grad`, which
# counts places through by an index of NumPy, and `one_hot`. In `pool`: `max_pool_grad` and `max_pool_select`, whose
# places are those of maxima. In `sparse`: `ctc_sparse`, which counts its starts; matrices come through
# `arrays.by_rows`. On PyTorch: `gather`, `scatter_add` and `rows` (on a CPU index_select checks, and index_add_ does
# not), and `getitem` on a GPU: see `engines.pytorch_on_gpu`. On JAX: what calls `check_places` (XLA moves places into
# the axis, or drops them).
def checked_places(indices: Array, size: int) -> Array:
    """`indices` as places of an axis of `size`, checked."""
    positions = np.asarray(indices).astype(np.intp, copy=False)
    # read as unsigned, negative numbers are too large: one pass finds both kinds
    if positions.size and np.maximum.reduce(positions.view(np.uintp), None) >= size:
        at = first_place((positions < 0) | (positions >= size))
        refuse_place(positions[at], size, at=at)
    return positions


def first_place(wrong: Array) -> Tuple[int, ...]:
    """The indices of the first entry of an array of bools that is true."""
    return tuple([int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape)])


def refuse_place(place: Any, size: int, least: int = 0, key: int = 0, at: Sequence[int] = ()) -> 'NoReturn':
    """The error for a place of an axis of `size` that is out of range.

    key: of the node that reads there, as `Lowering.key` gives it. at: the indices of `place` in the array of places.
    """
    error = IndexOutOfRangeError.of_index(place, size, least, at)
    if key:
        error.key = key
    raise error


def _taken(x: Array, places: Array) -> Array:
    # take would first copy the whole of an array that is not contiguous
    return x.take(places, 0) if x.flags.c_contiguous or not places.ndim else x[places]


def gather(x: Array, indices: Array) -> Array:
    """The entries of `x` along its first axis at `indices`."""
    return _taken(x, checked_places(indices, x.shape[0]))


def scatter_add(indices: Array, updates: Array, size: Scalar) -> Array:
    """Zeros of (size,) + tail with `updates` added at `indices`."""
    size = int(size)
    tail = updates.shape[indices.ndim :]
    target = checked_places(indices, size).reshape(-1)
    if updates.dtype.char == 'e':
        return scatter_add(target, updates.reshape(target.shape + tail).astype(np.float32), size).astype(updates.dtype)
    width, count = product(tail), len(target)
    # counting is the fastest where its result in float64 is not much larger than what is added
    if updates.dtype.kind == 'f' and width <= 64 and (size <= 4 * count or size * width <= SMALL):
        if width != 1:
            target = (target[:, None] * width + np.arange(width)).reshape(-1)
        counted = np.bincount(target, updates.reshape(-1), size * width)
        return counted.astype(updates.dtype, copy=False).reshape((size,) + tail)
    out = np.zeros((size, width), updates.dtype)
    if out.size and count:
        order, ascending, new = _grouped(target)
        first = order[new]
        out[target[first]] += updates.reshape(-1, width)[first]
        _add_repeated(out, ascending, updates.reshape(-1, width), order, new)
    return out.reshape((size,) + tail)


def rows(size: Scalar, *given: Array) -> Tuple[Places, Array]:
    """The sum of what `scatter_add` makes of indices, updates, indices, updates ... as (places, sums)."""
    size = int(size)
    tail = given[1].shape[given[0].ndim :]
    width, dtype = product(tail), given[1].dtype
    targets = _joined([checked_places(indices, size).reshape(-1) for indices in given[::2]])
    updates = _joined([update.reshape((i.size,) + tail) for i, update in zip(given[::2], given[1::2])])
    if size <= len(targets) or size * width <= SMALL:
        return None, scatter_add(targets, updates, size)
    updates = updates.reshape(len(targets), width)
    if dtype == FLOAT16:
        updates = updates.astype(np.float32)
    order, ascending, new = _grouped(targets)
    distinct = ascending[new]
    sums = np.empty((len(distinct) + 1, width), updates.dtype)
    sums[:-1] = updates.take(order[new], 0)
    sums[-1] = 0
    if len(distinct) != len(targets):
        _add_repeated(sums, np.cumsum(new) - 1, updates, order, new)
    return distinct, sums.reshape((-1,) + tail).astype(dtype, copy=False)


def _joined(parts: List[Array]) -> Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _grouped(places: Array) -> Tuple[Array, Array, Array]:
    """An order in which equal places are neighbours, the places in this order, and where each one is there first."""
    order = places.argsort(kind='stable')
    ascending = places[order]
    new = np.ones(len(order), bool)
    np.not_equal(ascending[1:], ascending[:-1], new[1:])
    return order, ascending, new


def _add_repeated(out: Array, targets: Array, rows: Array, order: Array, new: Array) -> None:
    """out[targets] += rows[order] but for the first of equal targets: all second ones, all third ones ..., the rest."""
    count = np.arange(len(order))
    rank = count - np.maximum.accumulate(np.where(new, count, 0))
    for r in range(1, min(int(rank.max()) + 1, _ROUNDS)):
        chosen = np.flatnonzero(rank == r)
        out[targets[chosen]] += rows[order[chosen]]
    left = np.flatnonzero(rank >= _ROUNDS)
    if len(left):
        starts = np.flatnonzero(rank[left] == _ROUNDS)
        sums = np.add.reduceat(rows[order[left]], starts, 0, out.dtype)
        out[targets[left[starts]]] += sums


def onto(function: Kernel, taken: Kernel, copy: Kernel) -> Tuple[Kernel, Kernel]:
    """The kernel that gives the changed rows of `x`, and the kernel that gives all of the new array.

    taken: what reads rows of an array. copy: what copies one.
    """

    def changed(x: Array, places: Places, sums: Array) -> Tuple[Places, Array]:
        """function(x, all rows of `sums`) as (places, the rows there), None for the places where all rows change."""
        if places is None:
            return None, function(x, sums)
        touched, rest = function(taken(x, places), sums[:-1]), sums[-1]
        if not rest.any():
            return places, touched
        # 0 times NaN or infinity
        whole = function(x, rest)
        whole[places] = touched
        return None, whole

    def whole(x: Array, places: Places, sums: Array, out: Optional[Array] = None) -> Array:
        """out: `x` where nobody else reads it; it becomes the result."""
        places, new_rows = changed(x, places, sums)
        if places is None:
            return new_rows
        result = copy(x) if out is None else out
        result[places] = new_rows
        return result

    return changed, whole


PRIMITIVES: Dict[str, Kernel] = {f.__name__: f for f in (gather, scatter_add, rows)}
# For each sum the kernel that gives only what changes: the places, and the rows there.
CHANGES: Dict[str, Kernel] = {}
for _name, _function in (('add_rows', np.add), ('sub_rows', np.subtract)):
    CHANGES[_name], PRIMITIVES[_name] = onto(_function, _taken, np.ndarray.copy)
