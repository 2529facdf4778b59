"""Random tensors, said in others."""

from typing import Any, Optional

from ...basics.library import Tensor
from .api import Api


class ComposedRandom(Api):
    def random_binomial(self, shape: Any, p: Any = 0.0, dtype: Any = None, seed: Optional[int] = None) -> Tensor:
        # Drawn in single precision whatever the result is: half precision would round 1 - p into p.
        draws = self.random_uniform(shape, dtype='float32', seed=seed)
        return self.cast(self.less(draws, p), self.floatx() if dtype is None else dtype)
