"""The gradient of a tensor that is read in pieces.

Adding up one array of zeros per piece costs the square of the number of pieces (the gates of an LSTM, the steps of an
unrolled loop). Pieces that tile an axis are joined instead.
"""

from .dims import known


class Piece:
    """The gradient `g` of x[spec]."""

    __slots__ = ('g', 'spec')

    def __init__(self, g, spec):
        self.g, self.spec = g, spec


def join(F, x, pieces):
    """The gradient of `x`, given those of pieces of it."""
    joined = _tiles(F, x, pieces) if len(pieces) > 1 else None
    if joined is not None:
        return joined
    total = None
    for piece in pieces:
        g = F.getitem_grad(piece.g, F.shape(x), spec=piece.spec)
        total = g if total is None else total + g
    return total


def _place(x, spec):
    """(axis, start, stop) if `spec` cuts one axis of `x` only; stop is None for a single index."""
    if any(s is None for s in spec):
        return None
    if Ellipsis in spec:
        at = spec.index(Ellipsis)
        spec = spec[:at] + (('slice', None, None, None),) * (len(x.dims) - len(spec) + 1) + spec[at + 1 :]
    cuts = [(axis, s) for axis, s in enumerate(spec) if isinstance(s, int) or s[1:] != (None, None, None)]
    if len(cuts) != 1:
        return None
    axis, s = cuts[0]
    if not known(x.dims[axis]):
        return None
    if isinstance(s, int):
        return axis, s % x.dims[axis], None
    if s[3] not in (None, 1):
        return None
    start, stop, _step = slice(s[1], s[2]).indices(x.dims[axis])
    return axis, start, stop


def _tiles(F, x, pieces):
    places = [_place(x, piece.spec) for piece in pieces]
    if any(p is None for p in places) or len({p[0] for p in places}) > 1:
        return None
    axis = places[0][0]
    order = sorted(range(len(places)), key=lambda i: places[i][1])
    at = 0
    for i in order:
        if places[i][1] != at:
            return None
        at = at + 1 if places[i][2] is None else places[i][2]
    if at != x.dims[axis]:
        return None
    parts = [pieces[i].g for i in order]
    if all(places[i][2] is None for i in order):
        return F.stack(*parts, axis=axis)
    return F.concatenate(
        *[F.expand_dims(g, axis=axis) if places[i][2] is None else g for i, g in zip(order, parts)], axis=axis
    )
