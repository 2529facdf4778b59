"""Element-wise functions, said in others."""

from typing import Any

from ...dtypes import is_float
from ...library import Tensor
from ..api import Api
from .order import opposite


class ComposedElementwise(Api):
    needs = {
        'square': '',
        'abs': 'dtype sign',
        'sign': 'cast dtype equal greater less',
        'sqrt': 'less ones_like pow switch zeros_like',
        'cos': 'sin',
        'pow': '',
        'clip': 'maximum minimum',
        'minimum': 'dtype greater maximum',
        'equal': 'cast greater greater_equal less_equal',
        'not_equal': 'cast equal less',
        'greater': '',
        'greater_equal': '',
        'less': 'greater',
        'less_equal': 'greater_equal',
    }

    def square(self, x: Any) -> Tensor:
        return x * x

    def abs(self, x: Any) -> Tensor:
        # By the sign rather than as a maximum: the gradient at 0 is 0.
        return x if self.dtype(x) == 'bool' else x * self.sign(x)

    def sign(self, x: Any) -> Tensor:
        dtype = 'int32' if self.dtype(x) == 'bool' else self.dtype(x)
        found = self.cast(self.greater(x, 0), dtype) - self.cast(self.less(x, 0), dtype)
        # NaN is neither above 0 nor below, and 0 / 0 is NaN again.
        return found / self.cast(self.equal(x, x), dtype) if is_float(dtype) else found

    def sqrt(self, x: Any) -> Tensor:
        x = self.floating(x)
        # A negative number must not reach the power: its NaN would pass through the gradient of the switch.
        negative = self.less(x, 0)
        root = self.pow(self.switch(negative, self.ones_like(x), x), 0.5)
        return self.switch(negative, self.zeros_like(root), root)

    def cos(self, x: Any) -> Tensor:
        # sin(x + pi / 2) would round its argument.
        half = self.sin(x * 0.5)
        return 1.0 - 2.0 * (half * half)

    def pow(self, x: Any, a: Any) -> Tensor:
        return x**a

    def clip(self, x: Any, min_value: Any, max_value: Any) -> Tensor:
        if max_value is not None:
            x = self.minimum(x, max_value)
        return x if min_value is None else self.maximum(x, min_value)

    def minimum(self, x: Any, y: Any) -> Tensor:
        x, y = self.together(x, y)
        found = {self.dtype(v) for v in (x, y) if not isinstance(v, (int, float, list, tuple))}
        dtype = found.pop() if len(found) == 1 else ''
        if dtype == 'bool':
            return self.greater(1 - self.maximum(1 - x, 1 - y), 0)
        return opposite(self.maximum(opposite(x, dtype), opposite(y, dtype)), dtype)

    def equal(self, x: Any, y: Any) -> Tensor:
        both = self.cast(self.greater_equal(x, y), 'int32') + self.cast(self.less_equal(x, y), 'int32')
        return self.greater(both, 1)

    def not_equal(self, x: Any, y: Any) -> Tensor:
        return self.less(self.cast(self.equal(x, y), 'int32'), 1)

    def greater(self, x: Any, y: Any) -> Tensor:
        return x > y

    def greater_equal(self, x: Any, y: Any) -> Tensor:
        return x >= y

    def less(self, x: Any, y: Any) -> Tensor:
        return self.greater(y, x)

    def less_equal(self, x: Any, y: Any) -> Tensor:
        return self.greater_equal(y, x)
