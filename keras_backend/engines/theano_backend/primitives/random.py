"""Random draws, new ones in every run."""

from typing import Any

from .._draws import draw
from .._sizes import items, vector

Tensor = Any


def random_uniform(shape: Any, *, dtype: str, seed: int) -> Tensor:
    return draw('random_uniform', vector(items(shape)), dtype, int(seed))


def random_normal(shape: Any, *, dtype: str, seed: int) -> Tensor:
    return draw('random_normal', vector(items(shape)), dtype, int(seed))


def truncated_normal(shape: Any, *, dtype: str, seed: int) -> Tensor:
    return draw('truncated_normal', vector(items(shape)), dtype, int(seed))
