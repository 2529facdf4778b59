"""Element-wise primitives, printing and draws. The recorder has already given binary ones operands of one dtype."""

from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from ...basics import library
from ...basics.dtypes import is_float
from ..nodes.base import Dim, broadcast, known
from ..nodes.op import (
    FLAT,
    OPS,
    AllPrimitives,
    GivenShape,
    Gradient,
    Gradients,
    Inferred,
    Inputs,
    Op,
    Thunk,
    gradient,
    op,
)
from ..nodes.tensor import Attrs, Draws, Tensor
from .gradients import unbroadcast
from .shape import elementwise, entries, of_numbers

_UnaryRule = Callable[[AllPrimitives, Tensor, Tensor, Tensor], Gradient]  # (F, x, value, g)
_Thunks = Tuple[Thunk, Thunk]
_BinaryRule = Callable[[AllPrimitives, Tensor, Tensor, Tensor, Tensor], _Thunks]  # (F, x, y, value, g)


def _same(x: Tensor) -> Inferred:
    return x.dims, x.dtype


def _joined(x: Tensor, y: Tensor) -> Inferred:
    return broadcast(x, y), x.dtype


def _compared(x: Tensor, y: Tensor) -> Inferred:
    return broadcast(x, y), 'bool'


def unary(name: str, slope: Optional[_UnaryRule] = None, **facts: Any) -> None:
    """Declare a function of one tensor, and its gradient `slope(F, x, value, g)`."""

    def gradient_of_one(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
        assert slope is not None
        return (slope(F, inputs[0], output, g),)

    OPS[name] = Op(name, _same, gradient=None if slope is None else gradient_of_one, **facts)


def binary(name: str, slopes: Optional[_BinaryRule] = None, **facts: Any) -> None:
    """Declare a function of two tensors of one dtype that are broadcast against each other.

    slopes: its gradients `slopes(F, x, y, value, g)`, as thunks: what is not asked for is not recorded
    """

    def gradient_of_two(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
        assert slopes is not None
        x, y = inputs
        gx, gy = slopes(F, x, y, output, g)
        return lambda: unbroadcast(F, gx(), x), lambda: unbroadcast(F, gy(), y)

    OPS[name] = Op(name, _joined, gradient=None if slopes is None else gradient_of_two, **facts)


def comparison(name: str) -> None:
    """Declare a function of two tensors that gives bools."""
    OPS[name] = Op(name, _compared)


# -- of one tensor -----------------------------------------------------------------------------------------------
def _sqrt_gradient(F: AllPrimitives, x: Tensor, y: Tensor, g: Tensor) -> library.Tensor:
    # NumPy's maximum(-0., 0.), and so the sign of y, depends on its version and on the processor. Where x is negative
    # nothing is divided by 0, for the gradient of the division would be NaN there and reach all entries.
    negative = F.less(x, F.constant(0, x.dtype))
    root = F.where(negative, F.constant(1, y.dtype), F.abs(y))
    return F.where(negative, F.constant(0, g.dtype), g * 0.5 / root)


unary('abs', lambda F, x, y, g: g * F.sign(x), zero_at=(0,))
unary('exp', lambda F, x, y, g: g * y)
unary('log', lambda F, x, y, g: g / x)
unary('sqrt', _sqrt_gradient, zero_at=(0,))
unary('sin', lambda F, x, y, g: g * F.cos(x))
unary('cos', lambda F, x, y, g: -g * F.sin(x))
# The gradients of these three read the output, which the next function mostly reads, too. The input is not kept.
unary('relu', lambda F, x, y, g: F.relu_grad(y, g), zero_at=(0,))
unary('tanh', lambda F, x, y, g: F.tanh_grad(y, g))
unary('sigmoid', lambda F, x, y, g: F.sigmoid_grad(y, g))
unary('softplus', lambda F, x, y, g: g * F.sigmoid(x))
unary('round')
unary('floor')
unary('sign', lambda F, x, y, g: FLAT, zero_at=(0,))
unary('expm1', lambda F, x, y, g: g * (y + 1))
unary('log1p', lambda F, x, y, g: g / (x + 1))
unary('square', lambda F, x, y, g: g * (x + x), zero_at=(0,))
unary('neg', lambda F, x, y, g: -g, zero_at=(0,), fold=lambda v, attrs: np.array(-v[0], object))
unary('identity', lambda F, x, y, g: g, zero_at=(0,), same_numbers=True, fold=lambda v, attrs: v[0])
unary('stop_gradient', zero_at=(0,), same_numbers=True)
unary('logical_not')


# -- of two tensors ----------------------------------------------------------------------------------------------
def _power(F: AllPrimitives, x: Tensor, a: Tensor, z: Tensor, g: Tensor) -> _Thunks:
    zero, one = F.constant(0, x.dtype), F.constant(1, x.dtype)

    def base() -> Tensor:
        # the exponent 0 has derivatives 0 also where 0 ** -1 is inf
        flat = F.logical_and(F.equal(a, zero), F.equal(x, zero))
        grad: Tensor = g * (a * F.pow(x, F.where(flat, zero, a - one)))
        return grad

    def exponent() -> library.Tensor:
        positive = F.greater(x, zero)
        return F.where(positive, g * z * F.log(F.where(positive, x, one)), zero)

    return base, exponent


def _choice(compare: str) -> _BinaryRule:
    """The gradient goes to `x` where the comparison holds, else to `y`."""

    def rule(F: AllPrimitives, x: Tensor, y: Tensor, z: Tensor, g: Tensor) -> _Thunks:
        zero, first = F.constant(0, g.dtype), getattr(F, compare)(x, y)
        return lambda: F.where(first, g, zero), lambda: F.where(first, zero, g)

    return rule


binary('add', lambda F, x, y, z, g: (lambda: g, lambda: g), fold=elementwise(lambda p, q: p + q))
binary('sub', lambda F, x, y, z, g: (lambda: g, lambda: -g), fold=elementwise(lambda p, q: p - q))
binary(
    'mul', lambda F, x, y, z, g: (lambda: g * y, lambda: g * x), zero_at=(0, 1), fold=elementwise(lambda p, q: p * q)
)
binary('div', lambda F, x, y, z, g: (lambda: g / y, lambda: -g * z / y), zero_at=(0,))
binary('floordiv', fold=elementwise(lambda p, q: p // q if not (known(q) and q == 0) else Dim()))
binary(
    'mod',
    lambda F, x, y, z, g: (lambda: g, lambda: -g * F.floordiv(x, y)),
    fold=elementwise(lambda p, q: p % q if not (known(q) and q == 0) else Dim()),
)
binary('pow', _power, zero_at=(0,))
binary('maximum', _choice('greater_equal'), zero_at=(0, 1), fold=of_numbers(max))
binary('minimum', _choice('less_equal'), zero_at=(0, 1), fold=of_numbers(min))
for _name in 'equal not_equal greater greater_equal less less_equal logical_and logical_or'.split():
    comparison(_name)


# -- others ------------------------------------------------------------------------------------------------------
def _whole_numbers(values: List[Any], attrs: Attrs) -> Any:
    return values[0] if attrs['dtype'].startswith(('int', 'uint')) else None


@op(fold=_whole_numbers, zero_at=(0,), same_numbers=True)
def cast(x: Tensor, dtype: str) -> Inferred:
    return x.dims, dtype


@gradient
def gradient_of_cast(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    x = inputs[0]
    return (F.cast(g, dtype=x.dtype) if is_float(x.dtype) else None,)


@op()
def where(c: Tensor, x: Tensor, y: Tensor) -> Inferred:
    return broadcast(c, x, y), x.dtype


@gradient
def gradient_of_where(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    c, x, y = inputs
    zero = F.constant(0, g.dtype)
    return None, unbroadcast(F, F.where(c, g, zero), x), unbroadcast(F, F.where(c, zero, g), y)


@op()
def tanh_grad(y: Tensor, g: Tensor) -> Inferred:
    """g * (1 - y * y), with y = tanh(x)."""
    return broadcast(y, g), y.dtype


@gradient
def gradient_of_tanh_grad(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, h: Tensor) -> Gradients:
    y, g = inputs
    return -2 * h * g * y, F.tanh_grad(y, h)


@op()
def sigmoid_grad(y: Tensor, g: Tensor) -> Inferred:
    """g * y * (1 - y), with y = sigmoid(x)."""
    return broadcast(y, g), y.dtype


@gradient
def gradient_of_sigmoid_grad(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, h: Tensor) -> Gradients:
    y, g = inputs
    return h * g * (1 - 2 * y), F.sigmoid_grad(y, h)


@op()
def relu_grad(y: Tensor, g: Tensor) -> Inferred:
    """g where y > 0, else 0."""
    return broadcast(y, g), g.dtype


@gradient
def gradient_of_relu_grad(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, h: Tensor) -> Gradients:
    y, _g = inputs
    return FLAT, F.relu_grad(y, h)


# -- printing ----------------------------------------------------------------------------------------------------------


@op(pure=False)
def print_(x: Tensor, message: str) -> Inferred:
    return x.dims, x.dtype


@gradient
def gradient_of_print(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    return (g,)


# -- draws -------------------------------------------------------------------------------------------------------------
# Draws: a new one on every run. `draws` is where the random numbers of this node come from.


@op(pure=False, sizes=('shape',))
def random_uniform(draws: Draws, shape: GivenShape, dtype: str) -> Inferred:
    """From [0, 1)."""
    return entries(shape), dtype


@op(pure=False, sizes=('shape',))
def random_normal(draws: Draws, shape: GivenShape, dtype: str) -> Inferred:
    """Mean 0, standard deviation 1."""
    return entries(shape), dtype


@op(pure=False, sizes=('shape',))
def truncated_normal(draws: Draws, shape: GivenShape, dtype: str) -> Inferred:
    """Mean 0, standard deviation 1 before values beyond 2 are redrawn."""
    return entries(shape), dtype
