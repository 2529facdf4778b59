"""Pieces that several gradient rules need, and the gradient of a tensor that is read in pieces."""

from typing import List, NamedTuple, Optional, Sequence, Union, cast

from ...basics.library import Tensor
from ...basics.shapes import Shape
from ..nodes.base import known, ranked, same
from ..nodes.op import AllPrimitives, MaybeAxes, Spec

# -- shapes ------------------------------------------------------------------------------------------------------------
# Pieces that several gradient rules need.


def shape_of(F: AllPrimitives, x: Tensor) -> Union[Shape, Tensor]:
    """The shape of `x`: a tuple of ints where it is known, else a tensor."""
    if ranked(x) and all(known(d) for d in x.dims):
        return cast(Shape, x.shape)
    return F.shape(x)


def unbroadcast(F: AllPrimitives, g: Tensor, x: Tensor) -> Tensor:
    """`g`, which has the shape of something `x` was broadcast into, summed back to the shape of `x`."""
    if not (ranked(g) and ranked(x)):
        return F.sum_to(g, F.shape(x))
    if len(g.dims) == len(x.dims) and all(map(same, g.dims, x.dims)):
        return g
    lead = len(g.dims) - len(x.dims)
    if lead:
        g = F.sum(g, axes=tuple(range(lead)), keepdims=False)
    ones = []
    for i, (d, e) in enumerate(zip(g.dims, x.dims)):
        if same(d, e):
            continue
        if known(e) and e == 1:
            ones.append(i)
        elif not known(e):
            # it may be 1 at run time
            return F.sum_to(g, F.shape(x))
    return F.sum(g, axes=tuple(ones), keepdims=True) if ones else g


def beside(F: AllPrimitives, g: Tensor, x: Tensor, axes: MaybeAxes, keepdims: bool) -> Tensor:
    """`g`, which has the shape of `x` reduced over `axes`, so that it broadcasts against `x`."""
    if keepdims or axes is None:
        return g
    if not ranked(x):
        # Axes that count from the end cannot be put back one by one.
        return F.reshape(g, F.shape(F.sum(x, axes=axes, keepdims=True)))
    for axis in axes:
        g = F.expand_dims(g, axis=axis)
    return g


def spread(F: AllPrimitives, g: Tensor, x: Tensor, axes: MaybeAxes, keepdims: bool) -> Tensor:
    """`g`, the gradient of a reduction of `x` over `axes`, laid out over the shape of `x`."""
    g = beside(F, g, x, axes, keepdims)
    return F.broadcast_to(g, shape_of(F, x))


def zeros_like(F: AllPrimitives, x: Tensor) -> Tensor:
    """Zeros of the shape and dtype of `x`."""
    return F.broadcast_to(F.constant(0, x.dtype), shape_of(F, x))


def count(F: AllPrimitives, x: Tensor, axes: MaybeAxes, dtype: str) -> Union[int, Tensor]:
    """How many elements of `x` are reduced over `axes`: a number, or a tensor of `dtype`."""
    if not ranked(x):
        sizes = F.shape(x)
        if axes is not None:
            sizes = F.stack(*[F.getitem(sizes, spec=(axis,)) for axis in axes], axis=0)
        return F.cast(F.prod(sizes, axes=(0,), keepdims=False), dtype=dtype)
    assert axes is not None
    total = 1
    for axis in axes:
        size = x.dims[axis]
        if not known(size):
            return F.cast(
                F.prod(F.gather(F.shape(x), F.constant(list(axes), 'int32')), axes=(0,), keepdims=False), dtype=dtype
            )
        total *= size
    return total


# -- slices ------------------------------------------------------------------------------------------------------------
# The gradient of a tensor that is read in pieces.
#
# Adding up one array of zeros per piece costs the square of the number of pieces (the gates of an LSTM, the steps of
# an unrolled loop). Pieces that tile an axis are joined instead.


class Piece:
    """The gradient `g` of x[spec]."""

    __slots__ = ('g', 'spec')

    def __init__(self, g: Tensor, spec: Spec) -> None:
        self.g, self.spec = g, spec


class Place(NamedTuple):
    """Where a piece was cut out of its tensor; stop is None for a single index."""

    axis: int
    start: int
    stop: Optional[int]


def join(F: AllPrimitives, x: Tensor, pieces: Sequence[Piece]) -> Tensor:
    """The gradient of `x`, given those of pieces of it."""
    joined = _tiles(F, x, pieces) if len(pieces) > 1 else None
    if joined is not None:
        return joined
    total = None
    for piece in pieces:
        g = F.getitem_grad(piece.g, F.shape(x), spec=piece.spec)
        total = g if total is None else total + g
    assert total is not None
    return total


def _place(x: Tensor, spec: Spec) -> Optional[Place]:
    """The place of x[spec] if `spec` cuts one axis of `x` only."""
    if any(s is None for s in spec):
        return None
    if Ellipsis in spec:
        at = spec.index(Ellipsis)
        spec = spec[:at] + (('slice', None, None, None),) * (len(x.dims) - len(spec) + 1) + spec[at + 1 :]
    cuts = [(axis, s) for axis, s in enumerate(spec) if isinstance(s, int) or s[1:] != (None, None, None)]
    if len(cuts) != 1:
        return None
    axis, s = cuts[0]
    size = x.dims[axis]
    if not known(size):
        return None
    if isinstance(s, int):
        return Place(axis, s % size, None)
    if s[3] not in (None, 1):
        return None
    start, stop, _step = slice(s[1], s[2]).indices(size)
    return Place(axis, start, stop)


def _tiles(F: AllPrimitives, x: Tensor, pieces: Sequence[Piece]) -> Optional[Tensor]:
    """The pieces one after another, None if they do not tile one axis of `x`."""
    positions: List[Place] = []
    for piece in pieces:
        position = _place(x, piece.spec)
        if position is None or (positions and position.axis != positions[0].axis):
            return None
        positions.append(position)
    axis = positions[0].axis
    order = sorted(range(len(positions)), key=lambda i: positions[i].start)
    at = 0
    for i in order:
        if positions[i].start != at:
            return None
        stop = positions[i].stop
        at = at + 1 if stop is None else stop
    if at != x.dims[axis]:
        return None
    ordered = [pieces[i].g for i in order]
    if all(positions[i].stop is None for i in order):
        return F.stack(*ordered, axis=axis)
    return F.concatenate(
        *[F.expand_dims(g, axis=axis) if positions[i].stop is None else g for i, g in zip(order, ordered)], axis=axis
    )
