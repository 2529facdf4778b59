"""Draws: a new one on every run. `stream` is the engine's source of random numbers for this node."""

from typing import Any

from . import GivenShape, Inferred, op
from .shape import entries


@op(pure=False, sizes=('shape',))
def random_uniform(shape: GivenShape, dtype: str, stream: Any) -> Inferred:
    """From [0, 1)."""
    return entries(shape), dtype


@op(pure=False, sizes=('shape',))
def random_normal(shape: GivenShape, dtype: str, stream: Any) -> Inferred:
    """Mean 0, standard deviation 1."""
    return entries(shape), dtype


@op(pure=False, sizes=('shape',))
def truncated_normal(shape: GivenShape, dtype: str, stream: Any) -> Inferred:
    """Mean 0, standard deviation 1 before values beyond 2 are redrawn."""
    return entries(shape), dtype
