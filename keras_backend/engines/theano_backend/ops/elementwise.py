"""Element-wise primitives."""

from typing import Any, Callable, Dict

from ..graph.tensors import cast as _cast
from ..graph.tensors import constant
from ..library import T, disconnected_grad
from .in_a_run import Print, aligned

Tensor = Any


def _named(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function of another module with its name here."""

    def named(*tensors: Tensor) -> Tensor:
        return function(*tensors)

    named.__name__ = name
    return named


_UNARY = {
    'abs': T.abs_,
    'neg': T.neg,
    'exp': T.exp,
    'log': T.log,
    'sin': T.sin,
    'cos': T.cos,
    'floor': T.floor,
    'tanh': T.tanh,
}
UNARY = {name: _named(name, function) for name, function in _UNARY.items()}


def sqrt(x: Tensor) -> Tensor:
    # Below 0 no infinite slope may meet the 0 of the switch.
    zero, one = constant(0, x.dtype), constant(1, x.dtype)
    negative = T.lt(x, zero)
    return T.switch(negative, zero, T.sqrt(T.switch(negative, one, x)))


def round(x: Tensor) -> Tensor:
    return T.round(x, mode='half_to_even')


def sign(x: Tensor) -> Tensor:
    return _cast(T.sgn(x), x.dtype)


def square(x: Tensor) -> Tensor:
    return T.mul(x, x)


def relu(x: Tensor) -> Tensor:
    # At a tie the first argument has all of the slope.
    return _maximum(constant(0, x.dtype), x)


def sigmoid(x: Tensor) -> Tensor:
    # Theano's own takes 1 for what is still 1e-9 below it.
    return T.nnet.sigmoid(x) if x.dtype == 'float32' else constant(1, x.dtype) / (constant(1, x.dtype) + T.exp(-x))


def softplus(x: Tensor) -> Tensor:
    zero = constant(0, x.dtype)
    # The order of the arguments decides about the slope at 0: at a tie the first one has all of it.
    return T.maximum(x, zero) + T.log1p(T.exp(T.minimum(-x, x)))


def logical_not(x: Tensor) -> Tensor:
    return T.eq(x, constant(False, 'bool'))


def stop_gradient(x: Tensor) -> Tensor:
    return disconnected_grad(x)


def cast(x: Tensor, *, dtype: str) -> Tensor:
    return _cast(x, dtype)


def where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return T.switch(*aligned(condition, x, y))


def print(x: Tensor, *, message: str) -> Tensor:
    return Print(message)(x)


def _maximum(x: Tensor, y: Tensor) -> Tensor:
    # In C, Theano's own go by way of a double, which has a NaN and not all the digits.
    return T.switch(T.ge(x, y), x, y) if x.dtype in ('int64', 'uint64') else T.maximum(x, y)


def _minimum(x: Tensor, y: Tensor) -> Tensor:
    return T.switch(T.le(x, y), x, y) if x.dtype in ('int64', 'uint64') else T.minimum(x, y)


_BINARY: Dict[str, Callable[..., Tensor]] = {
    'add': T.add,
    'sub': T.sub,
    'mul': T.mul,
    'div': T.true_div,
    'floordiv': T.int_div,
    'mod': T.mod,
    'pow': T.pow,
    'maximum': _maximum,
    'minimum': _minimum,
    'equal': T.eq,
    'not_equal': T.neq,
    'greater': T.gt,
    'greater_equal': T.ge,
    'less': T.lt,
    'less_equal': T.le,
    'logical_and': T.and_,
    'logical_or': T.or_,
}


def _broadcast(operation: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return lambda x, y: operation(*aligned(x, y))


# See `library.Library.binary`.
BINARY = {name: _named(name, _broadcast(operation)) for name, operation in _BINARY.items()}
