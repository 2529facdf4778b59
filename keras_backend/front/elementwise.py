"""Element-wise functions."""

from typing import Any

import numpy as np

from ..basics import dtypes
from ..basics.library import Tensor
from .base import Api, Operands


class Elementwise(Operands):
    def square(self, x: Any) -> Tensor:
        x = self.operand(x)
        return self.F.square(x) if dtypes.is_float(self.library.dtype(x)) else self.binary('mul', x, x)

    def abs(self, x: Any) -> Tensor:
        x = self.operand(x)
        return x if self.library.dtype(x).startswith(('bool', 'uint')) else self.F.abs(x)

    def sqrt(self, x: Any) -> Tensor:
        return self.F.sqrt(self.floating(x))

    def exp(self, x: Any) -> Tensor:
        return self.F.exp(self.floating(x))

    def log(self, x: Any) -> Tensor:
        return self.F.log(self.floating(x))

    def sin(self, x: Any) -> Tensor:
        return self.F.sin(self.floating(x))

    def cos(self, x: Any) -> Tensor:
        return self.F.cos(self.floating(x))

    def round(self, x: Any) -> Tensor:
        x = self.operand(x)
        return self.F.round(x) if dtypes.is_float(self.library.dtype(x)) else x

    def sign(self, x: Any) -> Tensor:
        x = self.operand(x)
        return self.F.sign(self.converted(x, 'int32') if self.library.dtype(x) == 'bool' else x)

    def pow(self, x: Any, a: Any) -> Tensor:
        x = self.operand(x)
        if isinstance(a, (int, np.ndarray, np.generic)):
            dtypes.check_exponent(self.library.dtype(x), a)
        return self.binary('pow', x, a)

    def equal(self, x: Any, y: Any) -> Tensor:
        return self.binary('equal', x, y)

    def not_equal(self, x: Any, y: Any) -> Tensor:
        return self.binary('not_equal', x, y)

    def greater(self, x: Any, y: Any) -> Tensor:
        return self.binary('greater', x, y)

    def greater_equal(self, x: Any, y: Any) -> Tensor:
        return self.binary('greater_equal', x, y)

    def less(self, x: Any, y: Any) -> Tensor:
        return self.binary('less', x, y)

    def less_equal(self, x: Any, y: Any) -> Tensor:
        return self.binary('less_equal', x, y)

    def maximum(self, x: Any, y: Any) -> Tensor:
        return self.binary('maximum', x, y)

    def minimum(self, x: Any, y: Any) -> Tensor:
        return self.binary('minimum', x, y)


# -- said in other K functions -----------------------------------------------------------------------------------------


class ComposedElementwise(Api):
    def clip(self, x: Any, min_value: Any, max_value: Any) -> Tensor:
        if max_value is not None:
            x = self.minimum(x, max_value)
        return x if min_value is None else self.maximum(x, min_value)
