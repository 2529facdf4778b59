"""Reductions and running sums."""

from typing import Any, Tuple

from ....dtypes import is_float
from ..graph.sizes import size_of
from ..graph.tensors import cast, constant, is_tensor
from ..library import MethodNotDefined, T, disconnected_grad, theano
from .kernel import kernel

Tensor = Any
Axes = Tuple[int, ...]


def _kept(x: Tensor, y: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    """`y`, which is `x` reduced, with an axis of size 1 in place of each reduced one if asked for."""
    if not keepdims:
        return y
    kept = iter(range(y.type.ndim))
    return y.dimshuffle(['x' if i in axes else next(kept) for i in range(x.type.ndim)])


def sum(x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    return T.sum(x, axis=list(axes), dtype=x.dtype, keepdims=keepdims)


def prod(x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    # Theano divides by the factors in its gradient.
    if is_float(x.dtype):
        return kernel('prod', x, axes=axes, keepdims=keepdims)
    return T.prod(x, axis=list(axes), dtype=x.dtype, keepdims=keepdims)


def mean(x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    dtype, count = x.dtype, 1
    # Many small numbers overflow in half precision.
    x = cast(x, 'float32') if dtype == 'float16' else x
    for axis in axes:
        count = size_of(x, axis) * count
    total = T.sum(x, axis=list(axes), dtype=x.dtype, keepdims=keepdims)
    return cast(T.true_div(total, cast(count, x.dtype) if is_tensor(count) else constant(count, x.dtype)), dtype)


def max(x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    return _kept(x, _Highest(list(axes))(x), axes, keepdims)


def min(x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    return _kept(x, _Lowest(list(axes))(x), axes, keepdims)


def any(x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    return _kept(x, T.any(x, axis=list(axes)), axes, keepdims)


def all(x: Tensor, *, axes: Axes, keepdims: bool) -> Tensor:
    return _kept(x, T.all(x, axis=list(axes)), axes, keepdims)


def argmax(x: Tensor, *, axis: int) -> Tensor:
    return T.argmax(cast(x, 'int8') if x.dtype == 'bool' else x, axis=axis)


def argmin(x: Tensor, *, axis: int) -> Tensor:
    return T.argmax(T.neg(cast(x, 'int8') if x.dtype == 'bool' else x), axis=axis)


def cumsum(x: Tensor, *, axis: int) -> Tensor:
    # NumPy, which Theano calls, sums integers and half precision in other dtypes than their own.
    wide = x if x.dtype in ('float32', 'float64', 'int64') else cast(x, 'float32' if x.dtype == 'float16' else 'int64')
    return cast(T.extra_ops.cumsum(wide, axis=axis), x.dtype)


def cumprod(x: Tensor, *, axis: int) -> Tensor:
    return kernel('cumprod', x, axis=axis)


def softmax(x: Tensor, *, axis: int) -> Tensor:
    if x.type.ndim == 2 and axis == 1 and x.dtype != 'float16':
        return T.nnet.softmax(x)
    raised = T.exp(_lowered(x, axis))
    return raised / T.sum(raised, axis=[axis], dtype=x.dtype, keepdims=True)


def log_softmax(x: Tensor, *, axis: int) -> Tensor:
    lowered = _lowered(x, axis)
    return lowered - T.log(T.sum(T.exp(lowered), axis=[axis], dtype=x.dtype, keepdims=True))


def _lowered(x: Tensor, axis: int) -> Tensor:
    """`x` without its maximum along `axis`, through which no gradient passes."""
    return x - disconnected_grad(T.max(x, axis=[axis], keepdims=True))


# -- operations -------------------------------------------------------------------------------------------------------
class _Extreme(theano.tensor.elemwise.CAReduce):
    def __init__(self, scalar_op_or_axis=None, axis=None):
        # Optimisations make anew what they have simplified, with the arguments of the base class.
        if axis is None and isinstance(scalar_op_or_axis, (list, tuple)):
            axis = scalar_op_or_axis
        theano.tensor.elemwise.CAReduce.__init__(self, self.choice, axis)

    def c_code(self, node, *args):
        if node.inputs[0].type.dtype in ('int64', 'uint64'):
            raise MethodNotDefined('c_code')  # it goes by way of a double, which has not all the digits
        return theano.tensor.elemwise.CAReduce.c_code(self, node, *args)

    def L_op(self, inputs, outputs, gradients):
        (x,) = inputs
        axes = range(x.type.ndim) if self.axis is None else self.axis
        kept = iter(range(outputs[0].type.ndim))
        pattern = ['x' if i in axes else next(kept) for i in range(x.type.ndim)]
        hit = T.cast(T.eq(x, outputs[0].dimshuffle(pattern)), x.dtype)
        share = gradients[0].dimshuffle(pattern) / T.sum(hit, axis=list(axes), dtype=x.dtype, keepdims=True)
        return [hit * share]

    pullback = L_op  # what PyTensor calls it

    def clone(self, axis=None, **_options):
        return type(self)(axis)


class _Highest(_Extreme):
    """The maximum over `axes`."""

    choice = theano.scalar.maximum
    nfunc_spec = ('maximum', 1, 1)


class _Lowest(_Extreme):
    """The minimum over `axes`."""

    choice = theano.scalar.minimum
    nfunc_spec = ('minimum', 1, 1)
