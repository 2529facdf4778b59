"""Element-wise functions, said in others."""

from typing import Any

from ...basics.library import Tensor
from .api import Api


class ComposedElementwise(Api):
    def clip(self, x: Any, min_value: Any, max_value: Any) -> Tensor:
        if max_value is not None:
            x = self.minimum(x, max_value)
        return x if min_value is None else self.maximum(x, min_value)
