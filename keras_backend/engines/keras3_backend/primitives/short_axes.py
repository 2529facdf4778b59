"""Axes of a reduction in the words that a backend takes in the shortest time."""

from typing import Any, Optional, Tuple, Union


def short_axes(x: Any, axes: Tuple[int, ...]) -> Optional[Union[int, Tuple[int, ...]]]:
    """One axis as a number, all axes as None."""
    return axes[0] if len(axes) == 1 else None if len(axes) == len(x.shape) else axes
