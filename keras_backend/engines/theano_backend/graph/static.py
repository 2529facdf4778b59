"""The sizes that are known before a run: Theano keeps only the rank and which sizes are 1.

The primitives of K say the sizes of their results by the rules of the K graph (see `primitives`). The sizes of
tensors that users make with `theano.tensor` are found once, when they are asked for. They come from the shape that the
operation tells in symbols. An unknown size is a `Dim`, equal only to itself.
"""

import operator
from functools import reduce
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from ....basics.shapes import Shape, known
from ....graph.nodes.base import Dim
from ....graph.primitives import OPS
from .. import vendor as library
from . import check, describe

Tensor = Any
_ARITHMETIC: Dict[str, Any] = dict(Add=operator.add, Sub=operator.sub, Mul=operator.mul, IntDiv=operator.floordiv)


class Outline:
    """A tensor as the rules of the K graph ask about it."""

    __slots__ = ('dims', 'dtype', 'name')

    def __init__(self, x: Tensor) -> None:
        self.dims, self.dtype, self.name = dims_of(x), x.dtype, describe(x)

    @property
    def shape(self) -> Shape:
        """The sizes as users see them."""
        return visible(self.dims)


def set_dims(x: Tensor, dims: Sequence[Any]) -> Tensor:
    """Say that `x` has the sizes `dims` (ints, Dims, or None for a size not known)."""
    flags = getattr(x.type, 'broadcastable', None) or (False,) * x.type.ndim
    x._keras_dims = tuple(
        [1 if flag else Dim() if d is None else int(d) if known(d) else d for d, flag in zip(dims, flags)]
    )
    return x


def visible(dims: Sequence[Any]) -> Shape:
    """`dims` as users see them: None for what is not known."""
    return Shape([d if known(d) else None for d in dims])


def dims_of(x: Tensor) -> Tuple[Any, ...]:
    """The sizes of `x`: a tuple of ints and Dims."""
    todo = [] if hasattr(x, '_keras_dims') else [x]
    while todo:
        v = todo[-1]
        if hasattr(v, '_keras_dims'):
            todo.pop()
            continue
        # The sizes of an input are found from those of its own inputs, and so on; a stack spares the recursion.
        waiting = [i for i in v.owner.inputs if _has_shape(i) and not hasattr(i, '_keras_dims')] if v.owner else ()
        if waiting:
            todo.extend(waiting)
        else:
            _find(v)
    dims: Tuple[Any, ...] = x._keras_dims
    return dims


def _has_shape(x: Tensor) -> bool:
    return getattr(x.type, 'ndim', None) is not None


def _find(x: Tensor) -> None:
    """Find the sizes of `x`, and of the other results of its operation, those of its inputs being known."""
    node = x.owner
    if node is None:
        set_dims(x, x.data.shape if isinstance(x, library.Constant) else (None,) * x.type.ndim)
        return
    for i in node.inputs:
        check(i)  # what users made of dead tensors with Theano's own functions is dead, too
    dims = [i._keras_dims if _has_shape(i) else None for i in node.inputs]
    target = value_of(node.inputs[1]) if isinstance(node.op, library.Reshape) else None
    if isinstance(target, list):
        shapes = [OPS['reshape'].infer(Outline(node.inputs[0]), sizes_in(target))[0]]
    else:
        shapes = _by_infer_shape(node, dims)
    for v, sizes in zip(node.outputs, shapes):
        if _has_shape(v) and not hasattr(v, '_keras_dims'):
            set_dims(v, (None,) * v.type.ndim if sizes is None else sizes)


def sizes_in(entries: Sequence[Any]) -> Tuple[Any, ...]:
    """The entries of a shape, ints and scalar tensors, as ints and Dims."""
    values = [value_of(n) if hasattr(n, 'type') else n for n in entries]
    return tuple([Dim() if n is None else n for n in values])


def _by_infer_shape(node: Any, dims: Sequence[Any]) -> List[Any]:
    """The sizes of the results of an operation, from its own `infer_shape`; None for a result that it does not tell."""
    try:
        shapes = node.op.infer_shape(node, [None if d is None else tuple([_symbol(n) for n in d]) for d in dims])
    except Exception:  # noqa: BLE001 - it may have none, or want more than it is given here
        shapes = ()
    sizes = [None if s is None else tuple([n if known(n) else value_of(n) for n in s]) for s in shapes]
    return sizes or [None] * len(node.outputs)


_SIZE = library.TensorType('int64', ())


def _symbol(size: Any) -> Tensor:
    """A size as a scalar of Theano that `value_of` knows."""
    if known(size):
        return library.TensorConstant(_SIZE, np.array(size, 'int64'))
    symbol = _SIZE()
    symbol._keras_value = size
    return symbol


# -- numbers that shapes are made of -----------------------------------------------------------------------------------
def value_of(x: Tensor) -> Any:
    """The known integers in `x`: an int, a Dim, or None for a scalar; a list of these, or None, for a vector."""
    if isinstance(x, library.Constant):
        return x.data.tolist() if hasattr(x.data, 'tolist') else x.data
    if not hasattr(x, '_keras_value'):
        x._keras_value = _value(x) if x.owner is not None and getattr(x.type, 'ndim', 0) < 2 else None
    return x._keras_value


def _value(x: Tensor) -> Any:
    op, inputs = x.owner.op, x.owner.inputs
    if isinstance(op, library.Elemwise):
        return _elementwise(op.scalar_op, [value_of(i) for i in inputs])
    if isinstance(op, library.Shape):
        return list(dims_of(inputs[0]))
    if isinstance(op, library.Shape_i):
        return dims_of(inputs[0])[op.i]
    if isinstance(op, library.MakeVector):
        return [value_of(i) for i in inputs]
    if isinstance(op, library.Subtensor):
        whole, index = value_of(inputs[0]), library.get_idx_list(inputs, op.idx_list)
        span = [index[0].start, index[0].stop, index[0].step] if isinstance(index[0], slice) else [index[0]]
        span = [value_of(p) if hasattr(p, 'type') else p for p in span]
        if isinstance(whole, list) and len(index) == 1 and all([p is None or known(p) for p in span]):
            return whole[slice(*span)] if isinstance(index[0], slice) else None if None in span else whole[span[0]]
        return None
    if isinstance(op, library.Join):
        # The axis is an input for Theano, and part of the operation for PyTensor.
        joined = [value_of(i) for i in (inputs if hasattr(op, 'axis') else inputs[1:])]
        return [n for sizes in joined for n in sizes] if all([isinstance(p, list) for p in joined]) else None
    if isinstance(op, library.DimShuffle):
        inner = value_of(inputs[0])
        if x.type.ndim == inputs[0].type.ndim:
            return inner
        return [inner] if x.type.ndim else inner[0] if isinstance(inner, list) else None
    if isinstance(op, library.Prod) or getattr(op, 'primitive', None) == 'prod':
        inner = value_of(inputs[0])
        return None if not isinstance(inner, list) or None in inner else reduce(operator.mul, inner, 1)
    return value_of(inputs[0]) if isinstance(op, library.HANDED_ON) else None


def _elementwise(scalar: Any, values: List[Any]) -> Any:
    lists = [v for v in values if isinstance(v, list)]
    if lists:
        length = max([len(v) for v in lists])
        rows = [v if isinstance(v, list) else [v] for v in values]
        return [_elementwise(scalar, list(column)) for column in zip(*[v if len(v) > 1 else v * length for v in rows])]
    name, last = type(scalar).__name__, values[-1]
    if name in ('Cast', 'Identity', 'Second'):
        return int(last) if known(last) else last
    if name == 'Switch' and known(values[0]):
        return values[1] if values[0] else last
    if all([known(v) for v in values]):
        try:
            result = scalar.impl(*values)
        except Exception:  # noqa: BLE001 - an operation that has no answer for these numbers leaves them unknown
            return None
        return int(result) if result == int(result) else None
    return reduce(_ARITHMETIC[name], values) if name in _ARITHMETIC and None not in values else None
