"""Element-wise primitives. The recorder has already given binary ones operands of one dtype."""

from typing import TYPE_CHECKING, Callable, Tuple

from ... import library
from ...dtypes import is_float
from ..nodes.dims import broadcast
from ..nodes.op import FLAT, OPS, Gradient, Gradients, Inferred, Inputs, Op, Thunk, gradient, op
from ..nodes.tensor import Attrs, Tensor
from .shapes_of_gradients import unbroadcast

if TYPE_CHECKING:
    from ..nodes.op import AllPrimitives

_UnaryRule = Callable[['AllPrimitives', Tensor, Tensor, Tensor], Gradient]  # (F, x, value, g)
_Thunks = Tuple[Thunk, Thunk]
_BinaryRule = Callable[['AllPrimitives', Tensor, Tensor, Tensor, Tensor], _Thunks]  # (F, x, y, value, g)


def _same(x: Tensor) -> Inferred:
    return x.dims, x.dtype


def _joined(x: Tensor, y: Tensor) -> Inferred:
    return broadcast(x, y), x.dtype


def _compared(x: Tensor, y: Tensor) -> Inferred:
    return broadcast(x, y), 'bool'


for _name in (
    'abs exp log sqrt sin cos tanh sigmoid softplus round floor sign expm1 log1p square relu neg identity '
    'stop_gradient logical_not'
).split():
    OPS[_name] = Op(_name, _same, foldable=_name in ('identity', 'neg'))
for _name in 'add sub mul div floordiv mod pow maximum minimum'.split():
    OPS[_name] = Op(_name, _joined, foldable=_name in ('add', 'sub', 'mul', 'floordiv', 'mod', 'maximum', 'minimum'))
for _name in 'equal not_equal greater greater_equal less less_equal logical_and logical_or'.split():
    OPS[_name] = Op(_name, _compared)


@op(foldable=True)
def cast(x: Tensor, dtype: str) -> Inferred:
    return x.dims, dtype


@op()
def where(c: Tensor, x: Tensor, y: Tensor) -> Inferred:
    return broadcast(c, x, y), x.dtype


@op()
def tanh_grad(y: Tensor, g: Tensor) -> Inferred:
    """g * (1 - y * y), with y = tanh(x)."""
    return broadcast(y, g), y.dtype


@op()
def sigmoid_grad(y: Tensor, g: Tensor) -> Inferred:
    """g * y * (1 - y), with y = sigmoid(x)."""
    return broadcast(y, g), y.dtype


@op()
def relu_grad(x: Tensor, g: Tensor) -> Inferred:
    """g where x > 0, else 0."""
    return broadcast(x, g), g.dtype


# -- gradients ---------------------------------------------------------------------------------------------------
def _unary(name: str) -> Callable[[_UnaryRule], _UnaryRule]:
    """Declare the gradient of a function of one tensor."""

    def declare(rule: _UnaryRule) -> _UnaryRule:
        OPS[name].gradient = lambda F, inputs, output, attrs, g: (rule(F, inputs[0], output, g),)
        return rule

    return declare


_unary('abs')(lambda F, x, y, g: g * F.sign(x))
_unary('exp')(lambda F, x, y, g: g * y)
_unary('log')(lambda F, x, y, g: g / x)
_unary('sin')(lambda F, x, y, g: g * F.cos(x))
_unary('cos')(lambda F, x, y, g: -g * F.sin(x))
_unary('tanh')(lambda F, x, y, g: F.tanh_grad(y, g))
_unary('sigmoid')(lambda F, x, y, g: F.sigmoid_grad(y, g))
_unary('softplus')(lambda F, x, y, g: g * F.sigmoid(x))
_unary('expm1')(lambda F, x, y, g: g * (y + 1))
_unary('log1p')(lambda F, x, y, g: g / (x + 1))
_unary('sign')(lambda F, x, y, g: FLAT)
_unary('square')(lambda F, x, y, g: g * (x + x))
_unary('relu')(lambda F, x, y, g: F.relu_grad(x, g))
_unary('neg')(lambda F, x, y, g: -g)
_unary('identity')(lambda F, x, y, g: g)


@_unary('sqrt')
def _sqrt_gradient(F: 'AllPrimitives', x: Tensor, y: Tensor, g: Tensor) -> library.Tensor:
    # NumPy's maximum(-0., 0.), and so the sign of y, depends on its version and on the processor. Where x is negative
    # nothing is divided by 0, for the gradient of the division would be NaN there and reach all entries.
    negative = F.less(x, F.constant(0, x.dtype))
    root = F.where(negative, F.constant(1, y.dtype), F.abs(y))
    return F.where(negative, F.constant(0, g.dtype), g * 0.5 / root)


@gradient
def gradient_of_cast(F: 'AllPrimitives', inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    x = inputs[0]
    return (F.cast(g, dtype=x.dtype) if is_float(x.dtype) else None,)


@gradient
def gradient_of_tanh_grad(F: 'AllPrimitives', inputs: Inputs, output: Tensor, attrs: Attrs, h: Tensor) -> Gradients:
    y, g = inputs
    return -2 * h * g * y, F.tanh_grad(y, h)


@gradient
def gradient_of_sigmoid_grad(F: 'AllPrimitives', inputs: Inputs, output: Tensor, attrs: Attrs, h: Tensor) -> Gradients:
    y, g = inputs
    return h * g * (1 - 2 * y), F.sigmoid_grad(y, h)


@gradient
def gradient_of_relu_grad(F: 'AllPrimitives', inputs: Inputs, output: Tensor, attrs: Attrs, h: Tensor) -> Gradients:
    x, _g = inputs
    return FLAT, F.relu_grad(x, h)


@gradient
def gradient_of_where(F: 'AllPrimitives', inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    c, x, y = inputs
    zero = F.constant(0, g.dtype)
    return None, unbroadcast(F, F.where(c, g, zero), x), unbroadcast(F, F.where(c, zero, g), y)


def _binary(name: str) -> Callable[[_BinaryRule], _BinaryRule]:
    """Declare the gradient of a function of two tensors that are broadcast against each other."""

    def declare(rule: _BinaryRule) -> _BinaryRule:
        def of_broadcast(F: 'AllPrimitives', inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
            x, y = inputs
            # what is not asked for is not recorded: a rule gives thunks
            gx, gy = rule(F, x, y, output, g)
            return lambda: unbroadcast(F, gx(), x), lambda: unbroadcast(F, gy(), y)

        OPS[name].gradient = of_broadcast
        return rule

    return declare


_binary('add')(lambda F, x, y, z, g: (lambda: g, lambda: g))
_binary('sub')(lambda F, x, y, z, g: (lambda: g, lambda: -g))
_binary('mul')(lambda F, x, y, z, g: (lambda: g * y, lambda: g * x))
_binary('div')(lambda F, x, y, z, g: (lambda: g / y, lambda: -g * z / y))
_binary('mod')(lambda F, x, y, z, g: (lambda: g, lambda: -g * F.floordiv(x, y)))


@_binary('pow')
def _power(F: 'AllPrimitives', x: Tensor, a: Tensor, z: Tensor, g: Tensor) -> _Thunks:
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

    def rule(F: 'AllPrimitives', x: Tensor, y: Tensor, z: Tensor, g: Tensor) -> _Thunks:
        zero, first = F.constant(0, g.dtype), getattr(F, compare)(x, y)
        return lambda: F.where(first, g, zero), lambda: F.where(first, zero, g)

    return rule


_binary('maximum')(_choice('greater_equal'))
_binary('minimum')(_choice('less_equal'))
