"""Sizes that are not known while recording.

An unknown size is a `Dim`. Two axes that hold the same `Dim` have the same size in every run, which is what lets
`K.reshape(x, (K.shape(x)[0], -1))` keep its last dimension and lets gradients skip sums that undo a broadcast.
"""

from .. import shapes
from ..errors import ShapeError


class Dim:
    """The size of an axis, unknown while recording; equal only to itself."""

    __slots__ = ()

    def __repr__(self):
        return 'None'

    def _unknown(self, other):
        return Dim()

    def _neutral(number):
        def combine(self, other):
            return self if other.__class__ is not Dim and other == number else Dim()

        return combine

    __add__ = __radd__ = __sub__ = _neutral(0)
    __mul__ = __rmul__ = __floordiv__ = __truediv__ = _neutral(1)
    __rsub__ = __mod__ = __rmod__ = __rfloordiv__ = __rtruediv__ = __pow__ = _unknown
    del _neutral

    def __neg__(self):
        return Dim()


def known(dim):
    """Whether `dim` is a number."""
    return dim.__class__ is not Dim and dim is not None


def static(dims):
    """`dims` as the tuple of ints and None that users see."""
    return tuple(d if known(d) else None for d in dims)


def fill(dims):
    """`dims` with a new `Dim` in place of each None."""
    return tuple(Dim() if d is None else d for d in dims)


def product(dims):
    """The product of `dims`, None where one of them is unknown."""
    total = 1
    for d in dims:
        if not known(d):
            return None
        total *= d
    return total


def same(a, b):
    """Whether two sizes are certain to be equal."""
    return a is b or (known(a) and known(b) and a == b)


def merge(a, b):
    """What is known of a size for which both `a` and `b` hold; None if they contradict each other."""
    if known(a):
        return a if not known(b) or a == b else None
    return b


def broadcast(*tensors):
    """The dims of `tensors` broadcast against each other (NumPy's rule)."""
    dims = tensors[0].dims
    for other in tensors[1:]:
        if dims != other.dims:
            break
    else:
        return dims
    try:
        return shapes.broadcast(*[t.dims for t in tensors])
    except ShapeError:
        raise ShapeError(
            f'The shapes of {" and ".join([f"{t.name} {t.shape}" for t in tensors])} do not broadcast against each '
            'other.'
        ) from None
