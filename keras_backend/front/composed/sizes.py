"""Sizes and indices, without K."""

from typing import Any, List, Tuple

from ...basics.shapes import known


def label(x: Any) -> str:
    """How a message calls `x`."""
    return getattr(x, 'name', None) or 'a tensor'


def sizes(static: Any, shape: Any, x: Any) -> List[Any]:
    """The size of every axis of `x`: an int where the `static` shape knows it, else an element of `shape(x)`."""
    if all(known(size) for size in static):
        return list(static)
    run_time = shape(x)
    return [int(size) if known(size) else run_time[i] for i, size in enumerate(static)]


def along(axis: int, *bounds: Any) -> Tuple[Any, ...]:
    """The index that takes slice(*bounds) of `axis` and all of the axes before it."""
    return (slice(None),) * axis + (slice(*bounds),)
