"""A shape as TensorFlow has it: `as_list`, `ndims`, `is_fully_defined`."""

from typing import Any, List, Tuple


class Shape(Tuple[Any, ...]):
    """A shape of TensorFlow: a tuple that has its list, its number of axes, and whether all sizes are known."""

    def as_list(self) -> List[Any]:
        """The sizes; None for those that are not known."""
        return list(self)

    @property
    def ndims(self) -> int:
        """The number of axes."""
        return len(self)

    rank = ndims

    def is_fully_defined(self) -> bool:
        """Whether all sizes are known."""
        return None not in self


def shapes_with_lists(made: Any) -> None:
    """Let `x.shape` of a class be a `Shape`, and give it `get_shape`. A shape that is none of tuples stays as it is."""
    found = made.shape.fget

    def shape(x: Any) -> Any:
        sizes = found(x)
        return Shape(sizes) if sizes.__class__ is tuple else sizes

    made.shape = property(shape, doc=made.shape.__doc__)
    made.get_shape = get_shape


def get_shape(x: Any) -> Any:
    """The shape, as TensorFlow has it."""
    sizes = x.shape
    return Shape(sizes) if isinstance(sizes, tuple) else sizes
