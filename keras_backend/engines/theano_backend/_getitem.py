"""Indexing, in a form that Theano takes."""

from typing import Any, Optional

import numpy as np

from ... import dtypes
from ...arrays import is_mask
from ...errors import ArgumentTypeError
from ...shapes import known
from ._convert import is_tensor
from ._graph import check, describe, engine
from ._library import T
from ._static import dims_of, value, visible


def getitem(x: Any, item: Any) -> Any:
    """`x[item]`."""
    check(x)
    if is_mask(item):
        return engine.front.masked(x, item)
    # As in TensorFlow 1, a list is a tuple.
    items, sizes = list(item) if isinstance(item, (tuple, list)) else [item], dims_of(x)
    taking = [i for i in items if i is not None and i is not Ellipsis]
    if len(taking) > len(sizes):
        raise IndexError(f'{describe(x)} of shape {visible(sizes)} has fewer axes than the index {item!r}.')
    axis, index = 0, []
    for place, i in enumerate(items):
        if i is Ellipsis:
            axis = len(sizes) - len([j for j in items[place + 1 :] if j is not None and j is not Ellipsis])
        elif i is not None:
            i = _entry(x, i, sizes[axis], axis)
            axis += 1
        index.append(i)
    if any([i is None for i in items]) and not any([i is Ellipsis for i in items]):
        # With a new axis Theano wants every other one to be named.
        index += [slice(None)] * (len(sizes) - axis)
    # Theano's own indexing takes it from here; that of K would call itself.
    return T.TensorVariable.__getitem__(x, tuple(index))


def _entry(x: Any, i: Any, size: Any, axis: int) -> Any:
    """One entry of an index, with what is known beforehand as plain integers."""
    if isinstance(i, slice):
        return slice(_bound(i.start), _bound(i.stop), _bound(i.step))
    if isinstance(i, (int, np.integer)) and not isinstance(i, bool):
        if known(size) and not -size <= i < size:
            raise IndexError(f'Axis {axis} of {describe(x)} has no place {i}: its size is {size}.')
        return int(i)
    index = engine.front.operand(i)
    if not dtypes.is_integer(index.dtype):
        raise ArgumentTypeError(
            f'{describe(x)} cannot be indexed with {describe(index)} of dtype {index.dtype}; use integers, slices, '
            'None or Ellipsis (K.switch selects by a condition).'
        )
    return index


def _bound(b: Any) -> Optional[Any]:
    if not is_tensor(b):
        return b if b is None else int(b)
    number: Any = value(check(b)) if not b.type.ndim else None
    return int(number) if known(number) else b
