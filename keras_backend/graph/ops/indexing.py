"""Primitives that read and write at places."""

from ...errors import ShapeError
from ..dims import Dim, broadcast, known
from ..slice_gradients import Piece
from . import op
from .shape import _number, entries


def _sliced(d, start, stop, step):
    if known(d):
        return len(range(*slice(start, stop, step).indices(d)))
    if start in (None, 0) and stop is None and step in (None, 1, -1):
        return d
    return None


@op(foldable=True)
def getitem(x, *indices, spec):
    """x[spec]; see docs/architecture.md for the form of `spec`."""
    if sum(1 for s in spec if s is Ellipsis) > 1:
        raise ShapeError(f'An index of {x.name} holds more than one Ellipsis.')
    taken = sum(1 for s in spec if s is not None and s is not Ellipsis)
    if taken > len(x.dims):
        raise ShapeError(f'{x.name} of shape {x.shape} has too few axes for {taken} indices.')
    dims, axis, advanced, place, gap = [], 0, [], None, False
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
            if place is None:
                place = len(dims)
            else:
                gap = gap or place != len(dims)
        axis += 1
    dims.extend(x.dims[axis:])
    if advanced:
        place = 0 if gap else place
        dims[place:place] = broadcast(*advanced)
    return tuple(dims), x.dtype


@op()
def getitem_grad(g, shape, *indices, spec):
    """Zeros of `shape` with `g` added at the places that `spec` reads."""
    return entries(shape), g.dtype


@op()
def slice_axis(x, start, stop, axis):
    """x[start:stop] along `axis`, the bounds being sizes."""
    start, stop = _number(start), _number(stop)
    if known(start) and known(stop):
        size = stop - start
    else:
        size = stop if known(start) and start == 0 and stop is not None else None
    return x.dims[:axis] + (size,) + x.dims[axis + 1 :], x.dtype


@op()
def slice_axis_grad(g, shape, start, axis):
    """Zeros of `shape` with `g` put at `start` along `axis`."""
    return entries(shape), g.dtype


@op()
def gather(x, indices):
    return indices.dims + x.dims[1:], x.dtype


@op()
def scatter_add(indices, updates, size):
    number = _number(size)
    return (number if number is not None else Dim(),) + updates.dims[len(indices.dims) :], updates.dtype


@op()
def one_hot(indices, num_classes, dtype):
    return indices.dims + (num_classes,), dtype


# -- gradients ---------------------------------------------------------------------------------------------------
@getitem.gradient
def _(F, node, g):
    x, indices = node.inputs[0], node.inputs[1:]
    if not indices:
        return (Piece(g, node.attrs['spec']),)
    return (F.getitem_grad(g, F.shape(x), *indices, spec=node.attrs['spec']),) + (None,) * len(indices)


@getitem_grad.gradient
def _(F, node, g):
    indices = node.inputs[2:]
    return (F.getitem(g, *indices, spec=node.attrs['spec']), None) + (None,) * len(indices)


@slice_axis.gradient
def _(F, node, g):
    x, start, _stop = node.inputs
    return F.slice_axis_grad(g, F.shape(x), start, axis=node.attrs['axis']), None, None


@slice_axis_grad.gradient
def _(F, node, g):
    part, _shape, start = node.inputs
    axis = node.attrs['axis']
    size = F.getitem(F.shape(part), spec=(axis,))
    return F.slice_axis(g, start, F.add(start, size), axis=axis), None, None


@gather.gradient
def _(F, node, g):
    x, indices = node.inputs
    return F.scatter_add(indices, g, F.getitem(F.shape(x), spec=(0,))), None


@scatter_add.gradient
def _(F, node, g):
    return (None, F.gather(g, node.inputs[0])) + (None,) * (len(node.inputs) - 2)
