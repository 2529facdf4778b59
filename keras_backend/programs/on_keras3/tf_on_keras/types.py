"""Dtypes and shapes as TensorFlow has them."""

import functools
from typing import Any, List, Optional, Tuple

# -- dtypes ------------------------------------------------------------------------------------------------------------
# A dtype as TensorFlow has it: `name`, `base_dtype`, `is_floating`.


class DType(str):
    """The name of a dtype, with what dtypes of TensorFlow have."""

    @property
    def base_dtype(self) -> 'DType':
        """The dtype itself."""
        return self

    @property
    def name(self) -> str:
        """The name."""
        return str(self)

    @property
    def is_floating(self) -> bool:
        """Whether it is a dtype of real numbers."""
        return 'float' in self


@functools.lru_cache(maxsize=None)
def dtype_by_name(name: str) -> DType:
    """The dtype of a name, made once: variables are asked for it often."""
    return DType(name)


# -- shapes ------------------------------------------------------------------------------------------------------------
# A shape as TensorFlow has it: `as_list`, `ndims`, `is_fully_defined`.


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

    @property
    def dims(self) -> List[Any]:
        """The sizes, as `as_list` has them."""
        return list(self)

    def is_fully_defined(self) -> bool:
        """Whether all sizes are known."""
        return None not in self

    def num_elements(self) -> Optional[int]:
        """The product of the sizes; None where one is not known."""
        if None in self:
            return None
        product = 1
        for size in self:
            product *= size
        return product

    def concatenate(self, other: Any) -> 'Shape':
        """The sizes of this shape and those of another one."""
        return Shape((*self, *other))

    def __getitem__(self, place: Any) -> Any:
        selected = super().__getitem__(place)
        return Shape(selected) if isinstance(place, slice) else selected

    def __add__(self, other: Any) -> Any:
        return Shape((*self, *other)) if isinstance(other, (list, tuple)) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Shape((*other, *self)) if isinstance(other, (list, tuple)) else NotImplemented
