"""Primitives that read and write at places."""

from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from ...basics.dtypes import is_integer
from ...errors import ArgumentTypeError, ArgumentValueError, ShapeError
from ..nodes.base import Dim, MaybeSize, broadcast, known
from ..nodes.op import OPS, AllPrimitives, GivenShape, Gradients, Inferred, Inputs, Op, Spec, gradient, op
from ..nodes.tensor import Attrs, Tensor
from .gradients import Piece
from .shape import _number, entries, fold_item


def _sliced(d: MaybeSize, start: Optional[int], stop: Optional[int], step: Optional[int]) -> MaybeSize:
    """The size of a slice of an axis of size `d`."""
    if step == 0:
        raise ArgumentValueError('The step of a slice is 0. It has to be positive or negative; x[::1] is all of x.')
    if known(d):
        return len(range(*slice(start, stop, step).indices(d)))
    if start in (None, 0) and stop is None and step in (None, 1, -1):
        return d
    return None


@op(fold=fold_item)
def getitem(x: Tensor, *indices: Tensor, spec: Spec) -> Inferred:
    """x[spec]; see docs/architecture.md for the form of `spec`."""
    if sum(1 for s in spec if s is Ellipsis) > 1:
        raise ShapeError(f'An index of {x.name} holds more than one Ellipsis.')
    taken = sum(1 for s in spec if s is not None and s is not Ellipsis)
    if taken > len(x.dims):
        raise ShapeError(f'{x.name} of shape {x.shape} has too few axes for {taken} indices.')
    dims: List[MaybeSize] = []
    advanced: List[Tensor] = []
    position: Optional[int] = None
    axis, gap = 0, False
    for s in spec:
        if s is None:
            dims.append(1)
            continue
        if s is Ellipsis:
            rest = len(x.dims) - taken
            dims.extend(x.dims[axis : axis + rest])
            axis += rest
            continue
        d = x.dims[axis]
        if isinstance(s, int):
            if known(d) and not -d <= s < d:
                raise ShapeError(f'Index {s} is out of range for axis {axis} of {x.name} (shape {x.shape}).')
        elif s[0] == 'slice':
            dims.append(_sliced(d, *s[1:]))
        else:
            advanced.append(indices[s[1]])
        if indices and (isinstance(s, int) or s[0] == 'tensor'):
            # beside arrays, integers are arrays as well
            if position is None:
                position = len(dims)
            else:
                gap = gap or position != len(dims)
        axis += 1
    dims.extend(x.dims[axis:])
    if advanced:
        position = 0 if gap else position
        dims[position:position] = broadcast(*advanced)
    return tuple(dims), x.dtype


@gradient
def gradient_of_getitem(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    x, indices = inputs[0], inputs[1:]
    if not indices:
        return (Piece(g, attrs['spec']),)
    return (F.getitem_grad(g, F.shape(x), *indices, spec=attrs['spec']),) + (None,) * len(indices)


@op()
def getitem_grad(g: Tensor, shape: GivenShape, *indices: Tensor, spec: Spec) -> Inferred:
    """Zeros of `shape` with `g` added at the places that `spec` reads."""
    return entries(shape), g.dtype


@gradient
def gradient_of_getitem_grad(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    indices = inputs[2:]
    return (F.getitem(g, *indices, spec=attrs['spec']), None) + (None,) * len(indices)


@op()
def slice_axis(x: Tensor, start: Tensor, stop: Tensor, axis: int) -> Inferred:
    """x[start:stop] along `axis`, the bounds being sizes."""
    first, end = _number(start), _number(stop)
    size: MaybeSize
    if known(first) and known(end):
        size = end - first
    else:
        size = end if known(first) and first == 0 and end is not None else None
    return x.dims[:axis] + (size,) + x.dims[axis + 1 :], x.dtype


@gradient
def gradient_of_slice_axis(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    x, start, _stop = inputs
    return F.slice_axis_grad(g, F.shape(x), start, axis=attrs['axis']), None, None


@op()
def slice_axis_grad(g: Tensor, shape: GivenShape, start: Tensor, axis: int) -> Inferred:
    """Zeros of `shape` with `g` put at `start` along `axis`."""
    return entries(shape), g.dtype


@gradient
def gradient_of_slice_axis_grad(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    sliced, _shape, start = inputs
    axis = attrs['axis']
    size = F.getitem(F.shape(sliced), spec=(axis,))
    return F.slice_axis(g, start, F.add(start, size), axis=axis), None, None


@op()
def gather(x: Tensor, indices: Tensor) -> Inferred:
    return indices.dims + x.dims[1:], x.dtype


@gradient
def gradient_of_gather(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    x, indices = inputs
    return F.scatter_add(indices, g, F.getitem(F.shape(x), spec=(0,))), None


@op()
def nonzero(x: Tensor) -> Inferred:
    return (None,), 'int64'


@op()
def scatter_add(indices: Tensor, updates: Tensor, size: Tensor) -> Inferred:
    number = _number(size)
    return (number if number is not None else Dim(),) + updates.dims[len(indices.dims) :], updates.dtype


@gradient
def gradient_of_scatter_add(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    return (None, F.gather(g, inputs[0])) + (None,) * (len(inputs) - 2)


@op()
def rows(size: Tensor, *given: Tensor) -> Tuple[Inferred, Inferred]:
    """The sum of what `scatter_add` makes of indices, updates, indices, updates ..., without the zeros: (places, sums).

    One more row of `sums` stands for all rows that are not at `places` (see `row_updates`).
    """
    read = Dim()
    return ((read,), 'int64'), ((read + 1,) + given[1].dims[len(given[0].dims) :], given[1].dtype)


def _onto(x: Tensor, places: Tensor, sums: Tensor) -> Inferred:
    """`x` and the rows (places, sums), added or subtracted."""
    return x.dims, x.dtype


for _name in ('add_rows', 'sub_rows'):
    OPS[_name] = Op(_name, _onto)


@op()
def one_hot(indices: Tensor, num_classes: int, dtype: str) -> Inferred:
    return indices.dims + (num_classes,), dtype


# -- indices -----------------------------------------------------------------------------------------------------------
# `x[item]`, as users write it: what the primitive `getitem` takes.


def index_of(front: Any, label: str, item: Any, number: Callable[[Any], Any]) -> Tuple[Spec, List[Any]]:
    """The spec of an item, and the tensors in it. A slice may have tensors as its bounds.

    Parameters
    ----------
    label : str
        How an error calls what is indexed.
    number : callable
        From a tensor to the number in it, if that is known; anything else comes back as it is.
    """
    spec: List[Any] = []
    indices: List[Any] = []
    # As in TensorFlow 1, a list is a tuple.
    for i in item if isinstance(item, (tuple, list)) else [item]:
        i = number(i)
        if isinstance(i, slice):
            bounds = [number(b) for b in (i.start, i.stop, i.step)]
            spec.append(('slice', *[int(b) if isinstance(b, np.integer) else b for b in bounds]))
        elif i is None or i is Ellipsis:
            spec.append(i)
        elif isinstance(i, (int, np.integer)) and not isinstance(i, bool):
            spec.append(int(i))
        else:
            index = front.operand(i)
            if not is_integer(front.library.dtype(index)):
                raise ArgumentTypeError(
                    f'{label} cannot be indexed with {front.library.describe(index)} and dtype '
                    f'{front.library.dtype(index)}; use integers, slices, None or Ellipsis (K.switch selects by a '
                    'condition).'
                )
            spec.append(('tensor', len(indices)))
            indices.append(index)
    return tuple(spec), indices
