"""Kernels that rearrange elements, make them from sizes, and read and write at places."""

from typing import Any, Dict, Optional, Tuple

import numpy as np
from jax import lax
from jax import numpy as jnp

from ....errors import ShapeError
from ....graph.run.sizes import has_numbers, is_symbolic, shape_of
from ....kernels import PRIMITIVES as NUMPY
from ....kernels.common import product
from ....kernels.rows import SMALL
from ....kernels.shape import _index as index_of
from .common import Array, Ints, Kernel, Sizes, check_places, computed_first, one_size, sizes, spread, transposed

Spec = Tuple[Any, ...]


def getitem(x: Array, *indices: Array, spec: Spec) -> Array:
    """x[spec], basic and with integer arrays as NumPy has it."""
    _check_indices(x.shape, indices, spec)
    index = index_of(spec, indices)
    return jnp.asarray(x).at[index].get(mode='clip') if indices else jnp.asarray(x)[index]


def _check_indices(shape: Ints, indices: Tuple[Array, ...], spec: Spec) -> None:
    axis, taken = 0, len([s for s in spec if s is not None and s is not Ellipsis])
    for s in spec:
        if s is Ellipsis:
            axis += len(shape) - taken
        elif s is not None:
            if not isinstance(s, tuple) or s[0] == 'tensor':
                positions = indices[s[1]] if isinstance(s, tuple) else np.array(s)
                check_places(positions, shape[axis], -shape[axis])
            axis += 1


def getitem_grad(g: Array, *given: Array, spec: Spec, shape: Optional[Sizes] = None) -> Array:
    """Zeros of `shape` with `g` added at the places that `spec` reads. Without `shape`, the first of `given` is it."""
    indices = given if shape is not None else given[1:]
    shape = sizes(given[0] if shape is None else shape)
    if not indices:
        return transposed(lambda x: getitem(x, spec=spec), shape, g)
    _check_indices(shape, indices, spec)
    return jnp.zeros(shape, g.dtype).at[index_of(spec, indices)].add(g, mode='drop')


def slice_axis(x: Array, start: Any, stop: Any, axis: int) -> Array:
    """x[start:stop] along `axis`; a piece that sticks out is an error."""
    start, stop = one_size(start), one_size(stop)
    if has_numbers((start, stop, x.shape[axis])):
        return NUMPY['slice_axis'](x, start, stop, axis)
    return lax.slice_in_dim(jnp.asarray(x), start, stop, axis=axis)


def slice_axis_grad(g: Array, shape: Sizes, start: Any, axis: int) -> Array:
    """Zeros of `shape` with `g` at `start` along `axis`."""
    shape, start = sizes(shape), one_size(start)
    widths = [(0, 0, 0)] * len(shape)
    widths[axis] = (start, shape[axis] - start - g.shape[axis], 0)
    return lax.pad(g, np.zeros((), g.dtype), widths)


def _no_less_than_nothing(reps: Ints) -> Ints:
    # XLA would find it, in words of its compiler, when nobody knows any more where it came from.
    if any([n < 0 for n in reps]):
        raise ShapeError(f'Nothing can be repeated {min(reps)} times.')
    return reps


def arange(*numbers: Any, dtype: str, **attrs: Any) -> Array:
    """start, start + step, ... before `stop`."""
    if not any([is_symbolic(n) for n in numbers]):
        return NUMPY['arange'](*[np.asarray(n) for n in numbers], dtype=dtype, **attrs)
    return jnp.arange(*[one_size(n) for n in numbers], **attrs).astype(dtype)


def one_hot(indices: Array, num_classes: int, dtype: str) -> Array:
    """1 at the index of the last axis, else 0; an index out of range gives zeros."""
    expanded = jnp.asarray(indices)[..., None]
    return (expanded == np.arange(num_classes).astype(np.int64)).astype(dtype)


def gather(x: Array, indices: Array) -> Array:
    """The entries of `x` along its first axis at `indices`."""
    check_places(indices, x.shape[0])
    if not x.shape[0]:
        return jnp.zeros(indices.shape + x.shape[1:], x.dtype)
    return jnp.asarray(x).at[indices].get(mode='clip')


def scatter_add(indices: Array, updates: Array, size: Any) -> Array:
    """Zeros of (size,) + tail with `updates` added at `indices`."""
    size = one_size(size)
    check_places(indices, size)
    tail = updates.shape[len(indices.shape) :]
    wide = np.float32 if updates.dtype == np.float16 else updates.dtype
    return jnp.zeros((size,) + tail, wide).at[indices].add(updates.astype(wide), mode='drop').astype(updates.dtype)


def rows(size: Any, *given: Array, dense: bool = False) -> Tuple[Any, Array]:
    """The sum of what `scatter_add` makes of indices, updates, ... as (places, sums), see `keras_backend.kernels.rows`.

    As many places as there are indices: `size`, which is out of range, stands for those that were there before.
    """
    size, tail = one_size(size), given[1].shape[len(given[0].shape) :]
    row_indices = jnp.concatenate([jnp.reshape(indices, -1) for indices in given[::2]])
    count = len(row_indices)
    updates = jnp.concatenate([jnp.reshape(update, (-1 if update.size else 0,) + tail) for update in given[1::2]])
    if dense or size <= count or size * product(tail) <= SMALL:
        return None, scatter_add(row_indices, updates, size)
    check_places(row_indices, size)
    # one of the indices with the same place; faster than sorting them
    numbers = np.arange(count, dtype=np.int32)
    first = jnp.zeros(size, np.int32).at[row_indices].set(numbers, mode='drop').at[row_indices].get(mode='clip')
    return jnp.where(first == numbers, row_indices, size), scatter_add(first, updates, count + 1)


def _onto(function: Kernel) -> Kernel:
    """function(x, all rows of `sums`)."""

    def kernel(x: Array, places: Any, sums: Array) -> Array:
        if places is None:
            return function(x, sums)
        # Without an order XLA copies the array before it writes rows, or is slow to read them.
        rest, x = sums[-1], computed_first(jnp.asarray(x))
        x, touched = computed_first((x, function(x.at[places].get(mode='clip'), sums[:-1])))

        def others(_step: Any, x: Array) -> Array:
            untouched = jnp.ones(x.shape[0], bool).at[places].set(False, mode='drop')
            return jnp.where(jnp.reshape(untouched, (-1,) + (1,) * (x.ndim - 1)), function(x, spread(rest, x.shape)), x)

        # 0 times NaN or infinity; a loop of one step works in the memory of x, which a choice would copy
        x = x.at[places].set(touched, mode='drop')
        return lax.fori_loop(0, rest.any().astype(np.int32), others, x)

    return kernel


PRIMITIVES: Dict[str, Kernel] = {
    f.__name__: f
    for f in (getitem, getitem_grad, slice_axis, slice_axis_grad, arange, one_hot, gather, scatter_add, rows)
}
PRIMITIVES.update(
    reshape=lambda x, shape: jnp.reshape(x, sizes(shape)),
    broadcast_to=lambda x, shape: spread(x, sizes(shape)),
    tile=lambda x, reps: jnp.tile(x, _no_less_than_nothing(sizes(reps))),
    transpose=lambda x, perm: jnp.transpose(x, perm),
    expand_dims=jnp.expand_dims,
    squeeze=jnp.squeeze,
    repeat=jnp.repeat,
    reverse=lambda x, axes: jnp.flip(x, axes),
    concatenate=lambda *xs, axis: jnp.concatenate(xs, axis),
    stack=lambda *xs, axis: jnp.stack(xs, axis),
    pad=lambda x, widths, value: lax.pad(x, np.array(value, x.dtype), [(lo, hi, 0) for lo, hi in widths]),
    shape=shape_of,
    add_rows=_onto(lax.add),
    sub_rows=_onto(lax.sub),
)
