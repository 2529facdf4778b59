"""`x[item]`, by the same rules on every backend."""

from types import SimpleNamespace
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ....errors import ArgumentTypeError
from ....graph.primitives.indexing import getitem as rule
from ..vendor import BACKEND, KerasVariable, is_symbolic, keras
from .dtypes import name_of
from .operations import registered
from .sizes import Size, concrete

if BACKEND == 'torch':
    from ...pytorch_on_gpu import check_index

Tensor = Any
Spec = Sequence[Any]


@registered
class Item(keras.Operation):
    """`x[spec]`. Entries of `spec` are ints, 'new', 'rest', ['slice', start, stop, step] and ['tensor', place].

    A bound of a slice is an int, None or ['tensor', place]; the places are those of further arguments of the call.
    """

    def __init__(self, spec: Spec, name: Optional[str] = None) -> None:
        super().__init__(name=name)
        self.spec = [list(entry) if isinstance(entry, (list, tuple)) else entry for entry in spec]

    def call(self, x: Tensor, *given: Tensor) -> Tensor:
        # An index keeps its axis, also one of a single element.
        indices = [t if len(getattr(t, 'shape', ())) else concrete(t) for t in given]

        def value(entry: Any) -> Any:
            return indices[entry[1]] if isinstance(entry, (list, tuple)) else entry

        key: List[Any] = []
        for entry in self.spec:
            if entry == 'new' or entry == 'rest':
                key.append(None if entry == 'new' else Ellipsis)
            elif isinstance(entry, list) and entry[0] == 'slice':
                key.append(slice(*[value(bound) for bound in entry[1:]]))
            else:
                key.append(value(entry))
        return taken(x, key)

    def compute_output_spec(self, x: Tensor, *given: Tensor) -> Tensor:
        dims, spec, axis = list(x.shape), [], 0
        for entry in self.spec:
            plain = entry
            if entry == 'new' or entry == 'rest':
                plain = None if entry == 'new' else Ellipsis
            elif isinstance(entry, list):
                plain = tuple(entry)
                if any([isinstance(bound, (list, tuple)) for bound in entry[1:]]):
                    # A part of an axis of unknown size has an unknown size.
                    plain = ('slice', 1, None, None)
                    dims[_axis(self.spec, axis, len(dims))] = None
            spec.append(plain)
            axis += 1
        indices = [described(t) for t in given]
        shape, _dtype = rule(described(x, dims), *indices, spec=tuple(spec))
        return keras.KerasTensor(tuple([n if isinstance(n, int) else None for n in shape]), name_of(x))


def described(x: Tensor, dims: Optional[Sequence[Any]] = None) -> Any:
    """The attributes of a tensor that the rule of the K graph reads."""
    dims = tuple(x.shape) if dims is None else tuple(dims)
    return SimpleNamespace(dims=dims, shape=dims, dtype=name_of(x), name=getattr(x, 'name', 'a tensor'))


def _axis(spec: Spec, place: int, rank: int) -> int:
    """The axis that the entry at `place` of an index is about."""
    taking = [entry not in ('new', 'rest') for entry in spec]
    if 'rest' in spec[:place]:
        return rank - sum(taking[place:])
    return sum(taking[:place])


def taken(x: Tensor, key: List[Any]) -> Tensor:
    """`x[key]` of a computed tensor."""
    arrays = [entry for entry in key if _is_array(entry)]
    if BACKEND == 'torch':
        # A slice of PyTorch goes forwards.
        for position, entry in enumerate(key):
            if isinstance(entry, slice) and entry.step is not None and entry.step < 0:
                axis = _axis([_word(e) for e in key], position, len(x.shape))
                x, key[position] = keras.ops.flip(x, axis), _mirrored(entry, x.shape[axis])
        if arrays and not x.is_cpu:
            check_index(x, key)
    elif BACKEND == 'tensorflow' and any([len(entry.shape) for entry in arrays]):
        return _gathered(x, key)
    return x[tuple(key)]


def _is_array(entry: Any) -> bool:
    return not (entry is None or entry is Ellipsis or isinstance(entry, (int, np.integer, slice)))


def _word(entry: Any) -> Any:
    return 'new' if entry is None else 'rest' if entry is Ellipsis else 0


def _mirrored(entry: slice, size: int) -> slice:
    """The slice of an axis turned round that takes what `entry`, whose step is negative, takes of it."""
    indices = range(*entry.indices(size))
    if not indices:
        return slice(0, 0)
    return slice(size - 1 - indices[0], size - indices[-1], -indices.step)


def _gathered(x: Tensor, key: List[Any]) -> Tensor:
    """`x[key]` with one tensor among slices, which TensorFlow has no index for."""
    positions = [i for i, entry in enumerate(key) if _is_array(entry)]
    if len(positions) > 1 or any([isinstance(entry, int) for entry in key]):
        raise ArgumentTypeError('TensorFlow takes one tensor as an index, beside slices; use K.gather.')
    axis = _axis([_word(entry) for entry in key], positions[0], len(x.shape))
    x = keras.ops.take(x, key[positions[0]], axis=axis)
    rank = len(key[positions[0]].shape)
    return x[(*key[: positions[0]], *[slice(None)] * rank, *key[positions[0] + 1 :])]


def item_of(x: Tensor, spec: Spec, given: Sequence[Tensor]) -> Tensor:
    """The elements of `x` that `spec` takes; see `Item`."""
    return Item(spec)(x, *given)


def spec_of(x: Tensor, item: Any, operand: Any) -> Tuple[List[Any], List[Tensor]]:
    """The `spec` of an index as a user wrote it, and the tensors in it."""
    spec: List[Any] = []
    tensors: List[Tensor] = []

    def entry(value: Any) -> Any:
        size = _number(value)
        if isinstance(size, int):
            return size
        tensors.append(size)
        return ['tensor', len(tensors) - 1]

    # As in TensorFlow 1, a list is a tuple.
    for i in item if isinstance(item, tuple) else tuple(item) if isinstance(item, list) else (item,):
        if i is None or i is Ellipsis:
            spec.append('new' if i is None else 'rest')
        elif isinstance(i, slice):
            spec.append(['slice', *[b if b is None else entry(b) for b in (i.start, i.stop, i.step)]])
        elif isinstance(i, (int, np.integer)) and not isinstance(i, bool):
            spec.append(int(i))
        else:
            index = operand(i)
            if 'int' not in name_of(index):
                raise ArgumentTypeError(
                    f'{x.name} cannot be indexed with a tensor of dtype {name_of(index)}; use integers, slices, None '
                    'or Ellipsis (K.switch selects by a condition).'
                )
            spec.append(entry(index))
    return spec, tensors


def _number(value: Any) -> Size:
    """A bound or an index as an int if it is known."""
    if isinstance(value, KerasVariable):
        value = value.value
    if isinstance(value, (int, np.integer)):
        return int(value)
    return value if is_symbolic(value) or len(getattr(value, 'shape', ())) else concrete(value)
