"""Sizes, and numbers of axes, that are not known while recording.

An unknown size is a `Dim`. Two axes that hold the same `Dim` have the same size in every run. So
`K.reshape(x, (K.shape(x)[0], -1))` keeps its last dimension, and gradients skip sums that undo a broadcast.

A placeholder without a shape, and what depends on it, has `Unranked` in the place of a tuple.
"""

from typing import TYPE_CHECKING, Any, Iterable, Optional, Tuple, Union, cast

from ...basics import shapes
from ...errors import ShapeError

if TYPE_CHECKING:
    from typing_extensions import Protocol, TypeIs
else:
    Protocol = object


class Dim:
    """The size of an axis, unknown while recording; equal only to itself."""

    __slots__ = ()

    def __repr__(self) -> str:
        return 'None'

    def _unknown(self, other: Any) -> 'Dim':
        return Dim()

    def _add(self, other: Any) -> 'Dim':
        return self if other.__class__ is not Dim and other == 0 else Dim()

    def _multiply(self, other: Any) -> 'Dim':
        return self if other.__class__ is not Dim and other == 1 else Dim()

    __add__ = __radd__ = __sub__ = _add
    __mul__ = __rmul__ = __floordiv__ = __truediv__ = _multiply
    __rsub__ = __mod__ = __rmod__ = __rfloordiv__ = __rtruediv__ = __pow__ = _unknown

    def __neg__(self) -> 'Dim':
        return Dim()


class Unranked:
    """The dims of a tensor whose number of axes is not known; to ask for a size or for their number is an error.

    As a condition it counts as the dims of a tensor with axes, since only a tensor that surely has none is a scalar.

    name: of the placeholder.
    """

    __slots__ = ('name',)

    def __init__(self, name: str) -> None:
        self.name = name

    def _refuse(self, *_args: Any) -> Any:
        raise ShapeError.of_unknown_rank(self.name)

    __len__ = __iter__ = __getitem__ = __add__ = __radd__ = _refuse

    def __bool__(self) -> bool:
        return True

    def __contains__(self, size: Any) -> bool:
        return False

    def __repr__(self) -> str:
        return 'None'


class OfDims(Protocol):
    """An object that has dims: a tensor of the K graph, or an object that stands for one."""

    @property
    def name(self) -> Any: ...

    @property
    def dims(self) -> Any: ...

    @property
    def shape(self) -> Any: ...


Size = Union[int, Dim]
Dims = Tuple[Size, ...]
MaybeSize = Optional[Size]  # None: a size of which nothing is known, not even which other sizes equal it


def known(dim: Any) -> 'TypeIs[int]':
    """Whether `dim` is a number."""
    return dim.__class__ is not Dim and dim is not None


def static(dims: Iterable[MaybeSize]) -> Tuple[Optional[int], ...]:
    """`dims` as the tuple of ints and None that users see."""
    return tuple(d if known(d) else None for d in dims)


def unranked(dims: Any) -> bool:
    """Whether the number of axes is not known."""
    return dims.__class__ is Unranked


def ranked(tensor: OfDims) -> bool:
    """Whether the number of axes of `tensor` is known."""
    return tensor.dims.__class__ is not Unranked


def fill(dims: Tuple[MaybeSize, ...]) -> Dims:
    """`dims` with a new `Dim` in place of each None."""
    if None not in dims:
        return cast(Dims, dims)
    return tuple(Dim() if d is None else d for d in dims)


def product(dims: Iterable[MaybeSize]) -> Optional[int]:
    """The product of `dims`, None where one of them is unknown."""
    total = 1
    for d in dims:
        if not known(d):
            return None
        total *= d
    return total


def same(a: MaybeSize, b: MaybeSize) -> bool:
    """Whether two sizes are certain to be equal."""
    return a is b or (known(a) and known(b) and a == b)


def merge(a: MaybeSize, b: MaybeSize) -> MaybeSize:
    """The size that both `a` and `b` describe, as far as it is known; None if they contradict each other."""
    if known(a):
        return a if not known(b) or a == b else None
    return b


def broadcast(*tensors: OfDims) -> Tuple[MaybeSize, ...]:
    """The dims of `tensors` broadcast against each other (NumPy's rule)."""
    dims: Tuple[MaybeSize, ...] = tensors[0].dims
    for other in tensors[1:]:
        if dims != other.dims:
            break
    else:
        return dims
    try:
        met: Tuple[MaybeSize, ...] = shapes.broadcast(*[t.dims for t in tensors])
    except ShapeError:
        for t in tensors:
            if not ranked(t):
                unknown: Tuple[MaybeSize, ...] = t.dims
                return unknown
        raise ShapeError(
            f'The shapes of {" and ".join([f"{t.name} {t.shape}" for t in tensors])} do not broadcast against each '
            'other.'
        ) from None
    return met
