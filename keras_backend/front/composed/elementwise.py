"""Element-wise functions and reductions, said in others."""

from typing import Any

import numpy as np

from ...basics.library import Tensor
from .api import Api


class ComposedElementwise(Api):
    def clip(self, x: Any, min_value: Any, max_value: Any) -> Tensor:
        if max_value is not None:
            x = self.minimum(x, max_value)
        return x if min_value is None else self.maximum(x, min_value)


# -- reductions --------------------------------------------------------------------------------------------------------
# Reductions, said in others.


class ComposedReduction(Api):
    def std(self, x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
        # Of a single number `switch` would choose lazily, so the axes are kept until the end.
        variance = self.var(x, axis=axis, keepdims=True)
        # The slope of the root is infinite at 0, and NaN once it is multiplied by that of the variance, which is 0. The
        # root of a negative number is 0, and has the slope 0.
        root = self.sqrt(self.switch(self.equal(variance, 0), -self.ones_like(variance), variance))
        return root if keepdims else self.sum(root, axis=axis)

    def logsumexp(self, x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
        x = self.floating(self.operand(x))
        if 'float' not in self.dtype(x):
            x = self.cast(x, self.floatx())
        # The shift keeps exp in range; it cancels, so no gradient has to pass through it. An infinite one is not taken:
        # inf - inf is NaN.
        highest = self.stop_gradient(self.max(x, axis=axis, keepdims=True))
        shift = self.switch(self.equal(self.abs(highest), np.inf), self.zeros_like(highest), highest)
        # The sum is at least 1, but 0 where all are -inf: there the slope of log would be infinite. Libraries differ in
        # the slope of a maximum of equal numbers, so the bound is less than 1.
        total = self.maximum(self.sum(self.exp(x - shift), axis=axis, keepdims=True), 0.5)
        total = self.log(total) + highest
        return total if keepdims else self.sum(total, axis=axis)
