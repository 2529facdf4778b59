"""Element-wise primitives, and draws, in other primitives."""

import math
from typing import Any

from ..basics import dtypes
from ..basics.library import Tensor
from .common import beside, dtype_of, filled, opposite


def square(F: Any, x: Tensor) -> Tensor:
    return F.mul(x, x)


def abs(F: Any, x: Tensor) -> Tensor:
    # By the sign rather than as a maximum: the gradient at 0 is 0.
    return F.mul(x, F.sign(x))


def sign(F: Any, x: Tensor) -> Tensor:
    dtype = F.library.dtype(x)
    above, below = beside(F, F.greater, x, 0), beside(F, F.less, x, 0)
    result = F.sub(F.cast(above, dtype=dtype), F.cast(below, dtype=dtype))
    # NaN is neither above 0 nor below, and 0 / 0 is NaN again.
    return F.div(result, F.cast(F.equal(x, x), dtype=dtype)) if dtypes.is_float(dtype) else result


def sqrt(F: Any, x: Tensor) -> Tensor:
    # A negative number must not reach the power: its NaN would pass through the gradient of the choice.
    negative = beside(F, F.less, x, 0)
    root = beside(F, F.pow, F.where(negative, filled(F, x, 1), x), 0.5)
    return F.where(negative, filled(F, root, 0), root)


def cos(F: Any, x: Tensor) -> Tensor:
    # sin(x + pi / 2) would round its argument.
    half = F.sin(beside(F, F.mul, x, 0.5))
    return beside(F, F.sub, 1.0, beside(F, F.mul, 2.0, F.mul(half, half)))


def floor(F: Any, x: Tensor) -> Tensor:
    dtype = F.library.dtype(x)
    whole = F.cast(F.cast(x, dtype='int64'), dtype=dtype)
    return F.sub(whole, F.cast(F.greater(whole, x), dtype=dtype))


def minimum(F: Any, x: Tensor, y: Tensor) -> Tensor:
    dtype = dtype_of(F, x, y)
    if dtype == 'bool':
        return F.cast(F.minimum(F.cast(x, dtype='int32'), F.cast(y, dtype='int32')), dtype='bool')
    return opposite(F, F.maximum(opposite(F, x, dtype), opposite(F, y, dtype)), dtype)


def equal(F: Any, x: Tensor, y: Tensor) -> Tensor:
    both = F.add(F.cast(F.greater_equal(x, y), dtype='int32'), F.cast(F.less_equal(x, y), dtype='int32'))
    return beside(F, F.greater, both, 1)


def not_equal(F: Any, x: Tensor, y: Tensor) -> Tensor:
    return beside(F, F.less, F.cast(F.equal(x, y), dtype='int32'), 1)


def less(F: Any, x: Tensor, y: Tensor) -> Tensor:
    return F.greater(y, x)


def less_equal(F: Any, x: Tensor, y: Tensor) -> Tensor:
    return F.greater_equal(y, x)


def relu(F: Any, x: Tensor) -> Tensor:
    # At a tie the gradient goes to the first argument. It is 0 at 0.
    return beside(F, F.maximum, 0, x)


def tanh(F: Any, x: Tensor) -> Tensor:
    return beside(F, F.sub, beside(F, F.mul, 2.0, F.sigmoid(beside(F, F.mul, 2.0, x))), 1.0)


def sigmoid(F: Any, x: Tensor) -> Tensor:
    # Neither exp overflows, and the small tail keeps its digits. At a tie both functions give their gradient to the
    # first argument, which makes the two halves meet in the right slope at 0.
    tail = F.exp(F.minimum(beside(F, F.mul, x, -1), x))
    return F.div(F.exp(beside(F, F.minimum, 0.0, x)), beside(F, F.add, 1.0, tail))


def softplus(F: Any, x: Tensor) -> Tensor:
    # The argument order matters as in sigmoid.
    tail = F.exp(F.minimum(beside(F, F.mul, x, -1), x))
    return F.add(beside(F, F.maximum, x, 0.0), _log1p(F, tail))


def _log1p(F: Any, x: Tensor) -> Tensor:
    # Kahan: the error of log(1 + x) is that of the rounded 1 + x, and so cancels in the quotient.
    rounded = beside(F, F.add, 1.0, x)
    lost = beside(F, F.equal, rounded, 1.0)
    step = F.where(lost, filled(F, x, 1), beside(F, F.sub, rounded, 1.0))
    return F.where(lost, x, F.mul(F.log(rounded), F.div(x, step)))


def random_normal(F: Any, shape: Any, *, dtype: str, seed: int) -> Tensor:
    # Box and Muller (1958). Both uniform numbers come from one draw, so that a seed cannot make them equal.
    kind = 'float64' if dtype == 'float64' else 'float32'
    draws = F.random_uniform([2, *F.library.items(shape)], dtype=kind, seed=seed)
    first, second = F.getitem(draws, spec=(0,)), F.getitem(draws, spec=(1,))
    radius = F.sqrt(beside(F, F.mul, -2.0, F.log(beside(F, F.sub, 1.0, first))))
    normal = F.mul(radius, F.cos(beside(F, F.mul, 2.0 * math.pi, second)))
    return normal if kind == dtype else F.cast(normal, dtype=dtype)


PRIMITIVES = {
    f.__name__: f
    for f in (
        *(square, abs, sign, sqrt, cos, floor, minimum, equal, not_equal, less, less_equal),
        *(relu, tanh, sigmoid, softplus, random_normal),
    )
}
