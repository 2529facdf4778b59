"""The primitives of `keras_backend.library`: those that Theano has in a line, and the table of all."""

import sys
from functools import partial
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from ....graph.ops import OPS
from ..graph import check, engine
from ..graph.static import Outline, set_dims, sizes_in
from ..graph.tensors import cast, constant, dense, is_tensor, items, size_of, sizes_of, sparse_type, vector
from ..graph.unranked import building
from ..graph.updates import HandedOn
from ..library import BatchedDot, T, disconnected_grad, sparse
from . import shape
from .broadcasting import aligned
from .kernel import draw, kernel

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
    return lambda *tensors: operation(*aligned(*tensors))


class Print(HandedOn):
    """Writes a message and the value to the standard error stream."""

    # Not `__props__`: two prints of one tensor with one message are two prints.
    def __init__(self, message):
        self.message = message

    def perform(self, node, inputs, outputs):
        with np.printoptions(threshold=sys.maxsize):
            text = str(inputs[0])
        sys.stderr.write(f'{self.message}{text}\n')
        sys.stderr.flush()
        outputs[0][0] = inputs[0]


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
        return T.nnet.softmax(x)
    raised = T.exp(_lowered(x, axis))
    return raised / T.sum(raised, axis=[axis], dtype=x.dtype, keepdims=True)


def _log_softmax(x: Tensor, *, axis: int) -> Tensor:
    lowered = _lowered(x, axis)
    return lowered - T.log(T.sum(T.exp(lowered), axis=[axis], dtype=x.dtype, keepdims=True))


def _lowered(x: Tensor, axis: int) -> Tensor:
    """`x` without its maximum along `axis`, through which no gradient passes."""
    return x - disconnected_grad(T.max(x, axis=[axis], keepdims=True))


def _tensordot(x: Tensor, y: Tensor, *, axes_x: Tuple[int, ...], axes_y: Tuple[int, ...]) -> Tensor:
    rows = [i for i in range(x.type.ndim) if i not in axes_x]
    columns = [i for i in range(y.type.ndim) if i not in axes_y]
    left, right = _ordered(x, [*rows, *axes_x]), _ordered(y, [*axes_y, *columns])
    if len(axes_x) == 1 and x.type.ndim < 3 and y.type.ndim < 3:
        return T.dot(left, right)
    # One product of matrices, whatever the rank.
    here, there = sizes_of(left), sizes_of(right)
    rest = here[: len(rows)] + there[len(axes_y) :]
    summed: Any = 1
    for n in here[len(rows) :]:
        summed = n * summed
    left = _flat(left, [-1, summed] if rows else [summed])
    right = _flat(right, [summed, -1] if columns else [summed])
    return T.reshape(T.dot(left, right), vector(rest), ndim=len(rest))


def _ordered(x: Tensor, order: List[int]) -> Tensor:
    return x if order == list(range(len(order))) else x.dimshuffle(order)


def _flat(x: Tensor, shape: List[Any]) -> Tensor:
    return x if x.type.ndim == len(shape) else T.reshape(x, vector(shape), ndim=len(shape))


def _matmul(x: Tensor, y: Tensor, *, transpose_x: bool, transpose_y: bool) -> Tensor:
    if x.dtype not in ('float32', 'float64'):
        # Theano has a batched product of these two dtypes only.
        return kernel('matmul', x, y, transpose_x=transpose_x, transpose_y=transpose_y)
    x = x.dimshuffle(0, 2, 1) if transpose_x else x
    y = y.dimshuffle(0, 2, 1) if transpose_y else y
    # A batch of one is not stretched: the types must not say that it could be.
    return BatchedDot()(T.unbroadcast(x, 0, 1, 2), T.unbroadcast(y, 0, 1, 2))


def _sparse_cast(x: Tensor, *, dtype: str) -> Tensor:
    sparse_type(dtype)  # says which ones there are
    return sparse.cast(x, dtype)


def _ctc_sparse(labels: Tensor, lengths: Tensor) -> Tensor:
    shape = T.shape(labels)
    inside = T.lt(T.arange(shape[1]).dimshuffle('x', 0), lengths.dimshuffle(0, 'x'))
    rows, columns = T.nonzero(inside)
    ends = T.cumsum(T.cast(T.minimum(lengths, shape[1]), 'int64'))
    starts = T.concatenate([constant(np.zeros(1), 'int64'), ends])
    read = T.TensorVariable.__getitem__(labels, (rows, columns))
    return sparse.CSR(read, T.cast(columns, 'int32'), T.cast(starts, 'int32'), T.cast(shape, 'int32'))


# -- the table --------------------------------------------------------------------------------------------------------
# See `library.Library.binary`.
_BINARY: Dict[str, Function] = {
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
PRIMITIVES: Dict[str, Function] = {
    **{name: _broadcast(operation) for name, operation in _BINARY.items()},
    'abs': T.abs_,
    'neg': T.neg,
    'exp': T.exp,
    'log': T.log,
    'sin': T.sin,
    'cos': T.cos,
    'floor': T.floor,
    'tanh': T.tanh,
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
    'cast': lambda x, *, dtype: cast(x, dtype),
    'where': _broadcast(T.switch),
    'print': lambda x, *, message: Print(message)(x),
    # -- shapes --
    'shape': lambda x: vector(sizes_of(x), 'int32'),
    'transpose': lambda x, *, perm: x.dimshuffle(perm),
    'reshape': shape.reshape,
    'broadcast_to': shape.broadcast_to,
    'expand_dims': shape.expand_dims,
    'squeeze': shape.squeeze,
    'concatenate': shape.concatenate,
    'stack': shape.stack,
    'reverse': shape.reverse,
    'getitem': shape.getitem,
    'slice_axis': shape.slice_axis,
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
    'sparse_cast': _sparse_cast,
    'sparse_dot': lambda x, y, *, transpose: sparse.dot(sparse.transpose(x) if transpose else x, y),
    'sparse_concatenate': lambda *xs, axis: (sparse.hstack if axis else sparse.vstack)(list(xs), format='csr'),
    'ctc_sparse': _ctc_sparse,
    # -- by NumPy --
    **{name: partial(draw, name) for name in ('random_uniform', 'random_normal', 'truncated_normal')},
    **{
        name: partial(kernel, name)
        for name in (
            'prod max min any all argmax argmin cumsum cumprod tile repeat pad one_hot gather nonzero '
            'conv depthwise_conv conv_input_grad max_pool avg_pool ctc_greedy ctc_beam'
        ).split()
    },
}


def primitives() -> Dict[str, Function]:
    """All of them by name, with tensors of K as their results."""
    return {name: building(_ruled(name, function)) for name, function in PRIMITIVES.items()}


def _ruled(name: str, function: Function) -> Function:
    """A primitive of which the rule of the K graph checks the arguments and says the sizes."""
    rule = OPS[name]
    places = [i for i, parameter in enumerate(rule.parameters) if parameter in rule.sizes]

    def make(*args: Any, **attributes: Any) -> Any:
        given = list(args)
        for i, a in enumerate(args):
            if i in places:
                args = (*args[:i], items(a), *args[i + 1 :])
                given[i] = sizes_in(args[i])
            elif is_tensor(a):
                given[i] = Outline(check(a) if rule.sparse else dense(a))
        dims, _dtype = rule.infer(*given, **attributes)
        made = function(*args, **attributes)
        if '_keras_dims' not in made.__dict__:
            set_dims(made, dims)
        if made.name is None:
            made.name = engine.session.name(None, name)
        return made

    def unruled(*args: Any, **attributes: Any) -> Any:
        return function(*args, **attributes)

    # Draws say their sizes themselves.
    chosen = make if rule.pure and name not in _UNRULED else unruled
    chosen.__name__ = name
    return chosen
