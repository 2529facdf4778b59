"""Primitives that rearrange elements. All shapes are known when a graph is built, so sizes are plain numbers."""

from typing import Any, Dict, List, Sequence, Tuple

from ....basics import shapes
from ....errors import ShapeError
from ....graph.nodes.op import Spec
from ....graph.nodes.tensor import Node
from ....kernels.common import Ints
from ..graph import Builder, Fits, GivenShape, Graph, Known, Symbol, Unfit, sizes

# CNTK moves elements row by row; pieces of rows shorter than this are cut and joined as rows of the transposed matrix
_ROW = 32


def reshape(g: Graph, x: Symbol, shape: GivenShape) -> Symbol:
    shape, size = list(sizes(shape)), shapes.product(x.shape)
    if -1 in shape:
        rest = -shapes.product(shape)
        if rest <= 0 or size % rest:
            raise ShapeError(f'{x.shape} cannot be reshaped to {tuple(shape)}.')
        shape[shape.index(-1)] = size // rest
    return g.reshape(x, shape)


def broadcast_to(g: Graph, x: Symbol, shape: GivenShape) -> Symbol:
    return g.spread(x, sizes(shape))


def transpose(g: Graph, x: Symbol, perm: Ints) -> Symbol:
    return g.transpose(x, perm)


def expand_dims(g: Graph, x: Symbol, axis: int) -> Symbol:
    return g.insert(x, axis)


def squeeze(g: Graph, x: Symbol, axis: int) -> Symbol:
    return g.drop(x, axis)


def _is_narrow(x: Symbol, axis: int, count: int) -> bool:
    """Whether `count` places along `axis` are small pieces of many rows."""
    narrow: bool = shapes.product(x.shape[:axis]) >= _ROW > count * shapes.product(x.shape[axis + 1 :])
    return narrow


def _turned(g: Graph, x: Symbol, axis: int) -> Symbol:
    """`x` as a matrix whose columns go on from `axis`."""
    lead = shapes.product(x.shape[:axis])
    return g.transpose(g.reshape(x, (lead, shapes.product(x.shape[axis:]))), (1, 0))


def cut(g: Graph, x: Symbol, axis: int, start: int, stop: int, step: int = 1) -> Symbol:
    """x[start:stop:step] along `axis`, of numbers that are not negative."""
    if step != 1 or stop - start == x.shape[axis] or not _is_narrow(x, axis, stop - start):
        return g.slice(x, axis, start, stop, step)
    row = shapes.product(x.shape[axis + 1 :])
    columns = g.slice(_turned(g, x, axis), 0, start * row, stop * row)
    return g.reshape(g.transpose(columns, (1, 0)), x.shape[:axis] + (stop - start,) + x.shape[axis + 1 :])


def concatenate(g: Graph, *xs: Symbol, axis: int) -> Symbol:
    if len(xs) == 1 or not all([_is_narrow(x, axis, x.shape[axis]) for x in xs]):
        return g.join(xs, axis)
    joined = g.transpose(g.join([_turned(g, x, axis) for x in xs], 0), (1, 0))
    size = sum([x.shape[axis] for x in xs])
    return g.reshape(joined, xs[0].shape[:axis] + (size,) + xs[0].shape[axis + 1 :])


def stack(g: Graph, *xs: Symbol, axis: int) -> Symbol:
    return concatenate(g, *[g.insert(x, axis) for x in xs], axis=axis)


def tile(g: Graph, x: Symbol, reps: GivenShape) -> Symbol:
    for axis, count in enumerate(sizes(reps)):
        if count != 1:
            # all axes before this one, and all from it on, are one each
            lead, rest = x.shape[:axis], x.shape[axis:]
            products = shapes.product(lead), shapes.product(rest)
            x = g.spread(g.reshape(x, (products[0], 1, products[1])), (products[0], count, products[1]))
            x = g.reshape(x, lead + (rest[0] * count,) + rest[1:])
    return x


def repeat(g: Graph, x: Symbol, repeats: int, axis: int) -> Symbol:
    shape = x.shape
    x = g.spread(g.insert(x, axis + 1), shape[: axis + 1] + (repeats,) + shape[axis + 1 :])
    return g.reshape(x, shape[:axis] + (shape[axis] * repeats,) + shape[axis + 1 :])


def reverse(g: Graph, x: Symbol, axes: Ints) -> Symbol:
    for axis in axes:
        x = g.slice(x, axis, 0, x.shape[axis], -1)
    return x


def pad(g: Graph, x: Symbol, widths: Sequence[Tuple[int, int]], value: float) -> Symbol:
    return g.pad(x, widths, value)


def _items(spec: Spec, rank: int) -> Spec:
    """`spec` with an entry for every axis: (int or ('slice', ...) or None)."""
    if Ellipsis not in spec:
        taken = sum([s is not None for s in spec])
        return spec + (('slice', None, None, None),) * (rank - taken)
    at = spec.index(Ellipsis)
    rest = rank - sum([s is not None for s in spec]) + 1
    return spec[:at] + (('slice', None, None, None),) * rest + spec[at + 1 :]


def _range(item: Any, n: int) -> range:
    """The places that an int or a slice takes of an axis of size `n`."""
    if not isinstance(item, tuple):
        if not -n <= item < n:
            raise ShapeError(f'Index {item} is out of range for an axis of size {n}.')
        return range(item % n, item % n + 1)
    return range(*slice(*item[1:]).indices(n))


def getitem(g: Graph, x: Symbol, spec: Spec) -> Symbol:
    axis = 0
    for item in _items(spec, len(x.shape)):
        if item is None:
            x = g.insert(x, axis)
        else:
            indices = _range(item, x.shape[axis])
            if not len(indices):
                raise Unfit('CNTK has no empty tensors')
            forward = indices if indices.step > 0 else indices[::-1]
            x = cut(g, x, axis, forward[0], forward[-1] + 1, forward.step)
            if indices.step < 0:
                x = g.slice(x, axis, 0, x.shape[axis], -1)
            if not isinstance(item, tuple):
                x = g.drop(x, axis)
                continue
        axis += 1
    return x


def getitem_grad(g: Graph, gradient: Symbol, shape: GivenShape, spec: Spec) -> Symbol:
    """`gradient` back at the places that `spec` reads, zeros elsewhere."""
    widths: List[Tuple[int, int]]
    widths, axis, whole = [], 0, sizes(shape)
    for item in _items(spec, len(whole)):
        if item is None:
            gradient = g.drop(gradient, axis)
            continue
        indices = _range(item, whole[axis])
        if not len(indices):
            raise Unfit('CNTK has no empty tensors')
        if not isinstance(item, tuple):
            gradient = g.insert(gradient, axis)
        if indices.step < 0:
            gradient, indices = g.slice(gradient, axis, 0, gradient.shape[axis], -1), indices[::-1]
        gradient = _stuffed(g, gradient, axis, indices.step)
        widths.append((indices[0], whole[axis] - indices[-1] - 1))
        axis += 1
    return g.pad(gradient, widths)


def _stuffed(g: Graph, x: Symbol, axis: int, step: int) -> Symbol:
    """`x` with step - 1 zeros between neighbours along `axis`."""
    n = x.shape[axis]
    if step == 1 or n == 1:
        return x
    x = g.insert(x, axis + 1)
    x = g.pad(x, [(0, step - 1 if i == axis + 1 else 0) for i in range(len(x.shape))])
    x = g.reshape(x, x.shape[:axis] + (n * step,) + x.shape[axis + 2 :])
    return g.slice(x, axis, 0, (n - 1) * step + 1)


def slice_axis(g: Graph, x: Symbol, start: Any, stop: Any, axis: int) -> Symbol:
    start, stop = [int(bound.data) for bound in (start, stop)]
    if not 0 <= start <= stop <= x.shape[axis]:
        raise ShapeError(f'The slice from {start} to {stop} does not fit axis {axis} of {x.shape}.')
    return cut(g, x, axis, start, stop)


def slice_axis_grad(g: Graph, gradient: Symbol, shape: GivenShape, start: Any, axis: int) -> Symbol:
    start, size = int(start.data), sizes(shape)[axis]
    rest = size - start - gradient.shape[axis]
    return g.pad(gradient, [(start, rest) if i == axis else (0, 0) for i in range(len(gradient.shape))])


BUILDERS: Dict[str, Builder] = {
    f.__name__: f
    for f in (
        reshape,
        broadcast_to,
        transpose,
        expand_dims,
        squeeze,
        concatenate,
        stack,
        tile,
        repeat,
        reverse,
        pad,
        getitem,
        getitem_grad,
        slice_axis,
        slice_axis_grad,
    )
}


def _basic(node: Node, known: Known) -> bool:
    """Integer arrays as indices are NumPy's."""
    return not any([isinstance(s, tuple) and s[0] == 'tensor' for s in node.attrs['spec']])


FITS: Dict[str, Fits] = {'getitem': _basic, 'getitem_grad': _basic}

# which of them are views in NumPy: alone they are not worth a call of CNTK
VIEWS = frozenset(
    ['reshape', 'broadcast_to', 'transpose', 'expand_dims', 'squeeze', 'getitem', 'slice_axis', 'reverse']
)
