"""Primitives that rearrange, join and cut."""

from typing import Any, List, Sequence, Tuple

import numpy as np

from .... import dtypes
from ....arrays import is_mask
from ....errors import ArgumentTypeError
from ....graph.ops import OPS
from ....shapes import known
from ..graph import check, describe, engine
from ..graph.static import Outline, dims_of, set_dims, sizes_in, value_of
from ..graph.tensors import cast, constant, dense, is_tensor, scalars, vector
from ..library import T
from .broadcasting import aligned

Tensor = Any
_BACKWARDS = slice(None, None, -1)


def reshape(x: Tensor, shape: List[Any]) -> Tensor:
    # A -1 that is known to be a number becomes it: where there is nothing in `x`, nobody could tell in a run.
    dims = OPS['reshape'].infer(Outline(x), sizes_in(shape))[0]
    target = [d if known(d) else n for d, n in zip(dims, shape)]
    return T.reshape(x, vector(target), ndim=len(target))


def broadcast_to(x: Tensor, shape: List[Any]) -> Tensor:
    dims = dims_of(x)
    if any([not known(d) and d is not n for d, n in zip(dims, sizes_in(shape)[len(shape) - len(dims) :])]):
        # Only a run tells whether a size is 1.
        x = aligned(x, T.alloc(constant(0, x.dtype), *scalars(shape)))[0]
    return T.alloc(x, *scalars(shape))


def expand_dims(x: Tensor, *, axis: int) -> Tensor:
    order: List[Any] = list(range(x.type.ndim))
    return x.dimshuffle([*order[:axis], 'x', *order[axis:]])


def squeeze(x: Tensor, *, axis: int) -> Tensor:
    # Where the size is not known, the run is held to it.
    return T.addbroadcast(x, axis).dimshuffle([i for i in range(x.type.ndim) if i != axis])


def concatenate(*xs: Tensor, axis: int) -> Tensor:
    # Along the axis the types must not promise a size; off it, one known size of 1 holds for all.
    parts = [T.unbroadcast(x, axis) for x in xs]
    return T.join(axis, *parts) if len(parts) > 1 else parts[0]


def stack(*xs: Tensor, axis: int) -> Tensor:
    if not xs[0].type.ndim:
        return T.stack(list(xs))
    return concatenate(*[expand_dims(x, axis=axis) for x in xs], axis=axis)


def reverse(x: Tensor, *, axes: Tuple[int, ...]) -> Tensor:
    return _read(x, [_BACKWARDS if i in axes else slice(None) for i in range(x.type.ndim)]) if axes else x


def getitem(x: Tensor, *indices: Tensor, spec: Tuple[Any, ...]) -> Tensor:
    item: List[Any] = []
    for entry in spec:
        if isinstance(entry, tuple):
            item.append(indices[entry[1]] if entry[0] == 'tensor' else slice(*entry[1:]))
        else:
            item.append(entry)
    return indexed(x, tuple(item))


def slice_axis(x: Tensor, start: Any, stop: Any, axis: int) -> Tensor:
    return indexed(x, (slice(None),) * axis + (slice(start, stop),))


def indexed(x: Tensor, item: Any) -> Tensor:
    """`x[item]`, as users write it."""
    if is_mask(item):
        return engine.front.masked(x, item)
    outline = Outline(dense(x))
    index: List[Any] = []
    spec: List[Any] = []
    tensors: List[Outline] = []
    computed = False
    # As in TensorFlow 1, a list is a tuple.
    for i in item if isinstance(item, (tuple, list)) else [item]:
        if isinstance(i, slice):
            i = slice(*[_bound(b) for b in (i.start, i.stop, i.step)])
            bounds = i.start, i.stop, i.step
            computed = computed or any(map(is_tensor, bounds))
            # For the rule a bound that is computed is any number.
            spec.append(('slice', *[1 if is_tensor(b) else b for b in bounds]))
        elif i is None or i is Ellipsis:
            spec.append(i)
        elif isinstance(i, (int, np.integer)) and not isinstance(i, bool):
            i = int(i)
            spec.append(i)
        else:
            i = engine.front.operand(i)
            if not dtypes.is_integer(i.dtype):
                raise ArgumentTypeError(
                    f'{describe(x)} cannot be indexed with {describe(i)} of dtype {i.dtype}; use integers, slices, '
                    'None or Ellipsis (K.switch selects by a condition).'
                )
            spec.append(('tensor', len(tensors)))
            tensors.append(Outline(i))
        index.append(i)
    dims = OPS['getitem'].infer(outline, *tensors, spec=tuple(spec))[0]
    # With a new axis Theano wants every other one to be named.
    whole = [slice(None)] * (x.type.ndim - len([s for s in spec if s is not None and s is not Ellipsis]))
    place = [s is Ellipsis for s in spec].index(True) if Ellipsis in spec else len(index)
    index[place : place + 1] = whole
    made = _read(x, index)
    return made if computed else set_dims(made, dims)


def _read(x: Tensor, index: Sequence[Any]) -> Tensor:
    # Theano's own indexing; that of K would call itself.
    return T.TensorVariable.__getitem__(x, tuple(index))


def _bound(b: Any) -> Any:
    if not is_tensor(b):
        return b if b is None else int(b)
    number: Any = value_of(check(b)) if not b.type.ndim else None
    return int(number) if known(number) else b


def arange(start: Tensor, stop: Tensor, step: Tensor, *, dtype: str) -> Tensor:
    bounds = [start, stop, step]
    if all([hasattr(b, 'data') for b in bounds]):
        return constant(np.arange(*[b.data for b in bounds]), dtype)
    # Counted in full precision: the bounds may be fractions where the dtype of the result is an integer.
    counted = 'float64' if any([b.dtype.startswith('float') for b in bounds]) else 'int64'
    return cast(T.arange(*[cast(b, counted) for b in bounds], dtype=counted), dtype)
