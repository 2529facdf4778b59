"""Numbers in the opposite order: the largest becomes the smallest, for any dtype."""

from typing import Any

from ... import dtypes


def opposite(x: Any, dtype: str) -> Any:
    """Numbers of `dtype` in the opposite order. The opposite of the opposite is `x`.

    Not -x for integers: the lowest one has no negative, and unsigned ones have none at all.
    """
    if dtype.startswith('uint'):
        return dtypes.highest(dtype) - x
    return (-1 if dtypes.is_integer(dtype) else 0) - x
