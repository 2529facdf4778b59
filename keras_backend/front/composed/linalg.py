"""Products of matrices, said in other K functions."""

from typing import Any

from ...library import Tensor
from ...shapes import batch_dot_axes
from ..api import Api


class ComposedLinalg(Api):
    needs = {'transpose': 'ndim permute_dimensions', 'batch_dot': 'expand_dims int_shape permute_dimensions sum'}

    def transpose(self, x: Any) -> Tensor:
        return self.permute_dimensions(x, tuple(range(self.ndim(x)))[::-1])

    def batch_dot(self, x: Any, y: Any, axes: Any = None) -> Tensor:
        static_x, static_y = self.int_shape(x), self.int_shape(y)
        axis_x, axis_y = batch_dot_axes(static_x, static_y, axes)
        left = [i for i in range(1, len(static_x)) if i != axis_x]
        right = [i for i in range(1, len(static_y)) if i != axis_y]
        if not left and not right:
            return self.sum(x * y, axis=1, keepdims=True)
        # As (batch, left, contracted, right): every engine can multiply and sum.
        x = self.permute_dimensions(x, [0] + left + [axis_x])
        y = self.permute_dimensions(y, [0, axis_y] + right)
        for _ in right:
            x = self.expand_dims(x, -1)
        for _ in left:
            y = self.expand_dims(y, 1)
        return self.sum(x * y, axis=1 + len(left))
