"""The reverse order of numbers, without K."""

from typing import Any

from ... import dtypes


def reverse(x: Any, dtype: str) -> Any:
    """Numbers of `dtype` in the reverse order; twice gives `x`.

    Not -x for integers: the lowest number has no opposite there, and unsigned ones have none at all.
    """
    if dtype.startswith('uint'):
        return dtypes.highest(dtype) - x
    return (-1 if dtypes.is_integer(dtype) else 0) - x
