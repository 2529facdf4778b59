"""Draws: a new one on every run. `draws` is where the random numbers of this node come from."""

from ..nodes.op import GivenShape, Inferred, op
from ..nodes.tensor import Draws
from .shape import entries


@op(pure=False, sizes=('shape',))
def random_uniform(draws: Draws, shape: GivenShape, dtype: str) -> Inferred:
    """From [0, 1)."""
    return entries(shape), dtype


@op(pure=False, sizes=('shape',))
def random_normal(draws: Draws, shape: GivenShape, dtype: str) -> Inferred:
    """Mean 0, standard deviation 1."""
    return entries(shape), dtype


@op(pure=False, sizes=('shape',))
def truncated_normal(draws: Draws, shape: GivenShape, dtype: str) -> Inferred:
    """Mean 0, standard deviation 1 before values beyond 2 are redrawn."""
    return entries(shape), dtype
