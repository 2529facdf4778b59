"""The gradient of a tensor that is read in pieces.

Adding up one array of zeros per piece costs the square of the number of pieces (the gates of an LSTM, the steps of an
unrolled loop). Pieces that tile an axis are joined instead.
"""

from typing import TYPE_CHECKING, List, NamedTuple, Optional, Sequence

from ...basics.library import Tensor
from ..nodes.dims import known

if TYPE_CHECKING:
    from ..nodes.op import AllPrimitives, Spec


class Piece:
    """The gradient `g` of x[spec]."""

    __slots__ = ('g', 'spec')

    def __init__(self, g: Tensor, spec: 'Spec') -> None:
        self.g, self.spec = g, spec


class Place(NamedTuple):
    """Where a piece was cut out of its tensor; stop is None for a single index."""

    axis: int
    start: int
    stop: Optional[int]


def join(F: 'AllPrimitives', x: Tensor, pieces: Sequence[Piece]) -> Tensor:
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


def _place(x: Tensor, spec: 'Spec') -> Optional[Place]:
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


def _tiles(F: 'AllPrimitives', x: Tensor, pieces: Sequence[Piece]) -> Optional[Tensor]:
    """The pieces one after another, None if they do not tile one axis of `x`."""
    places: List[Place] = []
    for piece in pieces:
        place = _place(x, piece.spec)
        if place is None or (places and place.axis != places[0].axis):
            return None
        places.append(place)
    axis = places[0].axis
    order = sorted(range(len(places)), key=lambda i: places[i].start)
    at = 0
    for i in order:
        if places[i].start != at:
            return None
        stop = places[i].stop
        at = at + 1 if stop is None else stop
    if at != x.dims[axis]:
        return None
    parts = [pieces[i].g for i in order]
    if all(places[i].stop is None for i in order):
        return F.stack(*parts, axis=axis)
    return F.concatenate(
        *[F.expand_dims(g, axis=axis) if places[i].stop is None else g for i, g in zip(order, parts)], axis=axis
    )
