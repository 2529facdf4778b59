"""Steps that derived primitives share: numbers beside a tensor, sizes, indices."""

from typing import Any, List, Sequence, Tuple

from ..basics import dtypes
from ..basics.library import Tensor

Spec = Tuple[Any, ...]


def dtype_of(F: Any, *values: Any) -> str:
    """The dtype of tensors that have one, beside which numbers may stand."""
    tensors = [x for x in values if F.library.is_tensor(x)]
    dtype: str = F.library.dtype((tensors or values)[0])
    return dtype


def beside(F: Any, operation: Any, x: Any, y: Any) -> Tensor:
    """An operation of two values, of which one is a number of Python."""
    if isinstance(x, (bool, int, float)):
        return operation(F.library.number(x, F.library.dtype(y)), y)
    return operation(x, F.library.number(y, F.library.dtype(x)))


def converted(F: Any, x: Tensor, dtype: str) -> Tensor:
    """`x` in another dtype, itself if it has it."""
    return x if F.library.dtype(x) == dtype else F.cast(x, dtype=dtype)


def filled(F: Any, x: Tensor, value: float) -> Tensor:
    """A tensor of the shape and dtype of `x`."""
    return F.library.filled_like(x, value, F.library.dtype(x))


def sizes(F: Any, x: Tensor) -> List[Any]:
    """The size of every axis of `x`: an int where it is known, else a tensor."""
    entries: List[Any] = F.library.items(F.shape(x))
    return entries


def dtype_of_sums(dtype: str) -> str:
    """The dtype in which tensors of `dtype` are added and multiplied: bools are integers there."""
    return 'int32' if dtype == 'bool' else dtype


def opposite(F: Any, x: Any, dtype: str) -> Any:
    """A tensor or number of `dtype` in the opposite order. The opposite of the opposite is `x`.

    Not -x for integers: the lowest one has no negative, and unsigned ones have none at all.
    """
    least = dtypes.highest(dtype) if dtype.startswith('uint') else -1 if dtypes.is_integer(dtype) else 0
    return beside(F, F.sub, least, x) if F.library.is_tensor(x) else least - x


def along(axis: int, start: Any, stop: Any, step: Any = None) -> Spec:
    """The index that takes a slice of `axis` and all of the axes before it."""
    return (('slice', None, None, None),) * axis + (('slice', start, stop, step),)


def at(axis: int, place: Any) -> Spec:
    """The index that takes the element `place` of `axis` and all of the axes before it."""
    return (('slice', None, None, None),) * axis + (place,)


def times(values: Sequence[Any]) -> Any:
    """The product of sizes, some of which may be tensors."""
    total: Any = 1
    for value in values:
        total = value * total
    return total
