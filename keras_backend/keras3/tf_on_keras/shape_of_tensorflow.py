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
