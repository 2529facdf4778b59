"""Draws in other draws."""

import math
from typing import Any

from ..basics.library import Tensor
from .common import beside


def random_normal(F: Any, shape: Any, *, dtype: str, seed: int) -> Tensor:
    # Box and Muller (1958). Both uniform numbers come from one draw, so that a seed cannot make them equal.
    kind = 'float64' if dtype == 'float64' else 'float32'
    draws = F.random_uniform([2, *F.library.items(shape)], dtype=kind, seed=seed)
    first, second = F.getitem(draws, spec=(0,)), F.getitem(draws, spec=(1,))
    radius = F.sqrt(beside(F, F.mul, -2.0, F.log(beside(F, F.sub, 1.0, first))))
    normal = F.mul(radius, F.cos(beside(F, F.mul, 2.0 * math.pi, second)))
    return normal if kind == dtype else F.cast(normal, dtype=dtype)


PRIMITIVES = {'random_normal': random_normal}
