"""Random tensors, said in others."""

import math
from typing import Any, Optional

from ...library import Tensor
from ..api import Api


class ComposedRandom(Api):
    needs = {
        'random_binomial': 'cast less random_uniform',
        'random_normal': 'cast cos int_shape log random_uniform sqrt',
    }

    def random_binomial(self, shape: Any, p: Any = 0.0, dtype: Any = None, seed: Optional[int] = None) -> Tensor:
        # Drawn in single precision whatever the result is: half precision would round 1 - p into p.
        draws = self.random_uniform(shape, dtype='float32', seed=seed)
        return self.cast(self.less(draws, p), self.floatx() if dtype is None else dtype)

    def random_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Optional[int] = None
    ) -> Tensor:
        # Box and Muller (1958). Both uniform numbers come from one draw, so that a seed cannot make them equal.
        dtype = self.floatx() if dtype is None else dtype
        entries = (
            list(shape) if isinstance(shape, (list, tuple)) else [shape[i] for i in range(self.int_shape(shape)[0])]
        )
        draws = self.random_uniform([2] + entries, dtype='float64' if dtype == 'float64' else 'float32', seed=seed)
        radius = self.sqrt(-2.0 * self.log(1.0 - draws[0]))
        return self.cast(mean + stddev * (radius * self.cos(2.0 * math.pi * draws[1])), dtype)
