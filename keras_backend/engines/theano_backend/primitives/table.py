"""The primitives of `keras_backend.basics.library`: those that Theano has in a line, and the table of all."""

import sys
from functools import partial
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from ....basics.dtypes import is_float, is_integer
from ....graph.primitives import OPS
from ..graph import check, engine
from ..graph.static import Outline, dims_of, set_dims, sizes_in
from ..graph.tensors import cast, constant, dense, is_tensor, items, size_of, sizes_of, sparse_type, vector
from ..graph.unranked import building
from ..graph.updates import HandedOn
from ..vendor import Elemwise, T, TensorConstant, disconnected_grad, sparse, theano
from . import shape
from .kernel import draw, kernel

# -- the power ---------------------------------------------------------------------------------------------------------
# The power, with the gradient of the K graph where that of the library is NaN.


scalar: Any = theano.scalar


class _Power(scalar.Pow):
    """The gradient is 0 for the base where both are 0, and for the exponent where the base is not positive."""

    def L_op(self, inputs: Any, outputs: Any, gradients: Any) -> List[Any]:
        if outputs[0].type in scalar.discrete_types:
            return [x.zeros_like(dtype=theano.config.floatX) for x in inputs]
        (x, a), (z,), (g,) = inputs, outputs, gradients
        zero, one = [scalar.constant(n, dtype=z.type.dtype) for n in (0, 1)]
        flat = scalar.and_(scalar.eq(a, zero), scalar.eq(x, zero))
        of_base = g * a * self(x, scalar.switch(flat, zero, a - one))
        positive = scalar.gt(x, zero)
        of_exponent = scalar.switch(positive, g * z * scalar.log(scalar.switch(positive, x, one)), zero)
        return [of_base, of_exponent]

    pullback = L_op  # the name in PyTensor


_power = Elemwise(_Power(scalar.pow.output_types_preference, name='pow'))


def power_by(a: Any) -> Any:
    """The power by an exponent. The library makes products of those that are constant; by 0 its gradients are NaN."""
    # The gradient of the power 1 is a power by 0.
    return T.pow if isinstance(a, TensorConstant) and not np.isin(a.data, (0, 1)).any() else _power


Tensor = Any
Function = Callable[..., Any]
# Those of whose results nothing is known before they are made.
_UNRULED = ('arange', 'slice_axis', 'getitem', 'ctc_greedy', 'ctc_beam')


# -- element-wise -----------------------------------------------------------------------------------------------------
def _sqrt(x: Tensor) -> Tensor:
    # Below 0 no infinite slope may meet the 0 of the switch.
    zero, one = constant(0, x.dtype), constant(1, x.dtype)
    negative = T.lt(x, zero)
    return T.switch(negative, zero, T.sqrt(T.switch(negative, one, x)))


def _sigmoid(x: Tensor) -> Tensor:
    # Theano's own takes 1 for what is still 1e-9 below it.
    return T.nnet.sigmoid(x) if x.dtype == 'float32' else constant(1, x.dtype) / (constant(1, x.dtype) + T.exp(-x))


def _softplus(x: Tensor) -> Tensor:
    # The order of the arguments decides about the slope at 0: at a tie the first one has all of it.
    return T.maximum(x, constant(0, x.dtype)) + T.log1p(T.exp(T.minimum(-x, x)))


def _maximum(x: Tensor, y: Tensor) -> Tensor:
    # In C, Theano's own go by way of a double, which has a NaN and not all the digits.
    return T.switch(T.ge(x, y), x, y) if x.dtype in ('int64', 'uint64') else T.maximum(x, y)


def _minimum(x: Tensor, y: Tensor) -> Tensor:
    return T.switch(T.le(x, y), x, y) if x.dtype in ('int64', 'uint64') else T.minimum(x, y)


def _broadcast(operation: Function) -> Function:
    return lambda *tensors: operation(*shape.aligned(*tensors))


def _print(message: str, value: np.ndarray) -> None:
    with np.printoptions(threshold=sys.maxsize):
        sys.stderr.write(f'{message}{value!s}\n')
    sys.stderr.flush()


def _cast(x: Tensor, *, dtype: str) -> Tensor:
    if is_float(x.dtype) and is_integer(dtype) and (x.dtype == 'float16' or dtype == 'uint32' or not theano.config.cxx):
        # Without C code, Theano refuses NaN. Of what uint32 cannot hold, C code makes now one number, now another.
        return kernel('cast', x, dtype=dtype)
    return cast(x, dtype)


# -- sums and products, and sparse matrices ----------------------------------------------------------------------------
def _mean(x: Tensor, *, axes: Tuple[int, ...], keepdims: bool) -> Tensor:
    dtype, count = x.dtype, 1
    # Many small numbers overflow in half precision.
    x = cast(x, 'float32') if dtype == 'float16' else x
    for axis in axes:
        count = size_of(x, axis) * count
    total = T.sum(x, axis=list(axes), dtype=x.dtype, keepdims=keepdims)
    return cast(T.true_div(total, cast(count, x.dtype) if is_tensor(count) else constant(count, x.dtype)), dtype)


def _softmax(x: Tensor, *, axis: int) -> Tensor:
    if x.type.ndim == 2 and axis == 1 and x.dtype != 'float16':
        columns = dims_of(x)[1]
        # Without a compiler Theano's own looks for the maximum of a row, and fails where a row has no elements.
        if columns > 0 if isinstance(columns, int) else theano.config.cxx:
            return T.nnet.softmax(x)
    return kernel('softmax', x, axis=axis)


def _log_softmax(x: Tensor, *, axis: int) -> Tensor:
    lowered = x - disconnected_grad(T.max(x, axis=[axis], keepdims=True))
    return lowered - T.log(T.sum(T.exp(lowered), axis=[axis], dtype=x.dtype, keepdims=True))


def _tensordot(x: Tensor, y: Tensor, *, axes_x: Tuple[int, ...], axes_y: Tuple[int, ...]) -> Tensor:
    if len(axes_x) != 1 or max(x.type.ndim, y.type.ndim) > 2:
        return kernel('tensordot', x, y, axes_x=axes_x, axes_y=axes_y)
    # Theano adds a product of matrices to a variable in one call of BLAS.
    return T.dot(x.T if axes_x == (0,) else x, y.T if axes_y == (1,) else y)


def _matmul(x: Tensor, y: Tensor, *, transpose_x: bool, transpose_y: bool) -> Tensor:
    if dims_of(x)[1 + transpose_x] != 1 or dims_of(y)[2 - transpose_y] != 1 or x.dtype == 'float16':
        return kernel('matmul', x, y, transpose_x=transpose_x, transpose_y=transpose_y)
    # Of vectors a sum of products: 11 microseconds for 128 pairs of 64 numbers, and 15 in the kernel.
    x = x if transpose_x else x.dimshuffle(0, 2, 1)
    y = y.dimshuffle(0, 2, 1) if transpose_y else y
    # A batch of one is not stretched: the types must not say that it could be.
    return T.sum(T.mul(T.unbroadcast(x, 0, 1), T.unbroadcast(y, 0, 1)), axis=[1], keepdims=True, dtype=x.dtype)


def _ctc_sparse(labels: Tensor, lengths: Tensor) -> Tensor:
    shape = T.shape(labels)
    inside = T.lt(T.arange(shape[1]).dimshuffle('x', 0), lengths.dimshuffle(0, 'x'))
    rows, columns = T.nonzero(inside)
    # Counted, since a length may be negative, too large or NaN, and compiled code follows the starts without a check.
    ends = T.cumsum(T.sum(T.cast(inside, 'int64'), axis=1))
    starts = T.concatenate([constant(np.zeros(1), 'int64'), ends])
    read = T.TensorVariable.__getitem__(labels, (rows, columns))
    return sparse.CSR(read, T.cast(columns, 'int32'), T.cast(starts, 'int32'), T.cast(shape, 'int32'))


# -- the table --------------------------------------------------------------------------------------------------------
# Primitives that Theano has, with its name where that is another one.
_UNARY = 'abs=abs_ neg exp log sin cos floor tanh'
_BINARY = (
    'add sub mul div=true_div floordiv=int_div mod equal=eq not_equal=neq greater=gt greater_equal=ge less=lt '
    'less_equal=le logical_and=and_ logical_or=or_'
)


def _of_theano(names: str) -> Dict[str, Function]:
    pairs = [name.partition('=') for name in names.split()]
    return {name: getattr(T, other or name) for name, _, other in pairs}


PRIMITIVES: Dict[str, Function] = {
    **_of_theano(_UNARY),
    **{name: _broadcast(operation) for name, operation in _of_theano(_BINARY).items()},
    'pow': lambda x, a: _broadcast(power_by(a))(x, a),
    'maximum': _broadcast(_maximum),
    'minimum': _broadcast(_minimum),
    'sqrt': _sqrt,
    'round': lambda x: T.round(x, mode='half_to_even'),
    'sign': lambda x: cast(T.sgn(x), x.dtype),
    'square': lambda x: T.mul(x, x),
    # At a tie the first argument has all of the slope.
    'relu': lambda x: _maximum(constant(0, x.dtype), x),
    'sigmoid': _sigmoid,
    'softplus': _softplus,
    'logical_not': lambda x: T.eq(x, constant(False, 'bool')),
    'stop_gradient': disconnected_grad,
    'cast': _cast,
    'where': _broadcast(T.switch),
    'print': lambda x, *, message: HandedOn(partial(_print, message))(x),
    # -- shapes --
    'shape': lambda x: vector(sizes_of(x), 'int32'),
    'transpose': lambda x, *, perm: x.dimshuffle(perm),
    'reshape': shape.reshape,
    'broadcast_to': shape.broadcast_to,
    'expand_dims': lambda x, *, axis: x.dimshuffle([*range(axis), 'x', *range(axis, x.type.ndim)]),
    # Where the size is not known, the run is held to it.
    'squeeze': lambda x, *, axis: T.addbroadcast(x, axis).dimshuffle([i for i in range(x.type.ndim) if i != axis]),
    'concatenate': shape.concatenate,
    'stack': shape.stack,
    'getitem': shape.getitem,
    'slice_axis': lambda x, start, stop, axis: shape.indexed(x, (slice(None),) * axis + (slice(start, stop),)),
    'arange': shape.arange,
    # -- sums and products --
    'sum': lambda x, *, axes, keepdims: T.sum(x, axis=list(axes), dtype=x.dtype, keepdims=keepdims),
    'mean': _mean,
    'softmax': _softmax,
    'log_softmax': _log_softmax,
    'tensordot': _tensordot,
    'matmul': _matmul,
    # -- sparse matrices --
    'to_dense': sparse.dense_from_sparse,
    'sparse_cast': lambda x, *, dtype: sparse.cast(x, sparse_type(dtype).dtype),
    'sparse_dot': lambda x, y, *, transpose: sparse.dot(sparse.transpose(x) if transpose else x, y),
    'sparse_concatenate': lambda *xs, axis: (sparse.hstack if axis else sparse.vstack)(list(xs), format='csr'),
    'ctc_sparse': _ctc_sparse,
    # -- by NumPy --
    **{name: partial(draw, name) for name in ('random_uniform', 'random_normal', 'truncated_normal')},
    **{
        name: partial(kernel, name)
        for name in (
            'prod max min any all argmax argmin cumsum cumprod reverse tile repeat pad one_hot gather '
            'nonzero conv depthwise_conv conv_input_grad max_pool avg_pool ctc_greedy ctc_beam'
        ).split()
    },
}


def primitives() -> Dict[str, Function]:
    """All of them by name, with tensors of K as their results."""
    return {name: building(_ruled(name, function)) for name, function in PRIMITIVES.items()}


def _ruled(name: str, function: Function) -> Function:
    """A primitive of which the rule of the K graph checks the arguments and says the sizes."""
    rule = OPS[name]
    size_positions = [i for i, parameter in enumerate(rule.parameters) if parameter in rule.sizes]
    is_ruled = rule.pure and name not in _UNRULED  # draws say their sizes themselves

    def make(*args: Any, **attributes: Any) -> Any:
        if not is_ruled:
            return function(*args, **attributes)
        operands = list(args)
        for i, a in enumerate(args):
            if i in size_positions:
                args = (*args[:i], items(a), *args[i + 1 :])
                operands[i] = sizes_in(args[i])
            elif is_tensor(a):
                operands[i] = Outline(check(a) if rule.sparse else dense(a))
        dims, _dtype = rule.infer(*operands, **attributes)
        result = function(*args, **attributes)
        if '_keras_dims' not in result.__dict__:
            set_dims(result, dims)
        if result.name is None:
            result.name = engine.session.name(None, name)
        return result

    make.__name__ = name
    return make
