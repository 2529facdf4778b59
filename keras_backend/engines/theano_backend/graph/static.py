"""What is known of shapes before a run: Theano keeps only the rank and which sizes are 1.

The primitives of K say the sizes of their results by the rules of the K graph (see `ops.of_k`). What users make with
`theano.tensor` is found when it is asked for, once, from what the operation says of its shape in symbols. An unknown
size is a `Dim`, equal only to itself.
"""

import operator
from functools import reduce
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from ....graph.dims import Dim
from ....graph.ops import OPS
from ....shapes import Shape as StaticShape
from ....shapes import known
from ..library import (
    HANDED_ON,
    Constant,
    DimShuffle,
    Elemwise,
    Join,
    MakeVector,
    Prod,
    Reshape,
    Shape,
    Shape_i,
    Subtensor,
    TensorConstant,
    TensorType,
    get_idx_list,
)
from . import check, describe

Tensor = Any
_ARITHMETIC: Dict[str, Any] = {
    'Add': operator.add,
    'Sub': operator.sub,
    'Mul': operator.mul,
    'IntDiv': operator.floordiv,
}


class Outline:
    """A tensor as the rules of the K graph ask about it."""

    __slots__ = ('dims', 'dtype', 'name', 'x')

    def __init__(self, x: Tensor) -> None:
        self.x, self.dims, self.dtype, self.name = x, dims_of(x), x.dtype, describe(x)

    @property
    def shape(self) -> StaticShape:
        """The sizes as users see them."""
        return visible(self.dims)


def set_dims(x: Tensor, dims: Sequence[Any]) -> Tensor:
    """Say that `x` has the sizes `dims` (ints, Dims, or None for a size not known)."""
    flags = getattr(x.type, 'broadcastable', None) or (False,) * x.type.ndim
    x._keras_dims = tuple(
        [1 if flag else Dim() if d is None else int(d) if known(d) else d for d, flag in zip(dims, flags)]
    )
    return x


def visible(dims: Sequence[Any]) -> StaticShape:
    """`dims` as users see them: None for what is not known."""
    return StaticShape([d if known(d) else None for d in dims])


def dims_of(x: Tensor) -> Tuple[Any, ...]:
    """The sizes of `x`: a tuple of ints and Dims."""
    try:
        found: Tuple[Any, ...] = x._keras_dims
        return found
    except AttributeError:
        pass
    todo = [x]
    while todo:
        v = todo[-1]
        if hasattr(v, '_keras_dims'):
            todo.pop()
            continue
        # What one input is found from may be hidden behind another one; a stack spares the recursion.
        waiting = [i for i in v.owner.inputs if _has_shape(i) and not hasattr(i, '_keras_dims')] if v.owner else ()
        if waiting:
            todo.extend(waiting)
        else:
            _find(v)
    return x._keras_dims


def _has_shape(x: Tensor) -> bool:
    return getattr(x.type, 'ndim', None) is not None


def _find(x: Tensor) -> None:
    """Find the sizes of `x`, and of the other results of its operation, those of its inputs being known."""
    node = x.owner
    if node is None:
        value = x.data if isinstance(x, Constant) else None
        set_dims(x, value.shape if value is not None else (None,) * x.type.ndim)
        return
    for i in node.inputs:
        check(i)  # what users made of dead tensors with Theano's own functions is dead, too
    dims = [i._keras_dims if _has_shape(i) else None for i in node.inputs]
    if isinstance(node.op, Reshape):
        target = value_of(node.inputs[1])
        known_target = isinstance(target, list)
        found = [OPS['reshape'].infer(Outline(node.inputs[0]), sizes_in(target))[0] if known_target else None]
    else:
        found = _by_infer_shape(node, dims)
    for v, sizes in zip(node.outputs, found):
        if _has_shape(v) and not hasattr(v, '_keras_dims'):
            set_dims(v, (None,) * v.type.ndim if sizes is None else sizes)


def sizes_in(entries: Sequence[Any]) -> Tuple[Any, ...]:
    """What is known of the entries of a shape, ints and scalar tensors, as ints and Dims."""
    found = [value_of(n) if hasattr(n, 'type') else n for n in entries]
    return tuple([Dim() if n is None else n for n in found])


def _by_infer_shape(node: Any, dims: Sequence[Any]) -> List[Any]:
    """What the operation itself says of the shapes of its results, in Theano's own terms."""
    infer = getattr(node.op, 'infer_shape', None)
    try:
        found = infer(node, [None if d is None else tuple([_symbol(n) for n in d]) for d in dims]) if infer else ()
    except Exception:  # it may want more than it is given here
        found = ()
    sizes = [None if s is None else tuple([n if known(n) else value_of(n) for n in s]) for s in found]
    return sizes or [None] * len(node.outputs)


_SIZE = TensorType('int64', ())


def _symbol(size: Any) -> Tensor:
    """A size as a scalar of Theano of which `value_of` knows what it is."""
    if known(size):
        return TensorConstant(_SIZE, np.array(size, 'int64'))
    symbol = _SIZE()
    symbol._keras_value = size
    return symbol


# -- numbers that shapes are made of -----------------------------------------------------------------------------------
def value_of(x: Tensor) -> Any:
    """What is known of the integers in `x`: an int, a Dim, None; of a vector a list of them, or None."""
    if isinstance(x, Constant):
        return x.data.tolist() if hasattr(x.data, 'tolist') else x.data
    try:
        return x._keras_value
    except AttributeError:
        pass
    found = _value(x) if x.owner is not None and getattr(x.type, 'ndim', 0) < 2 else None
    x._keras_value = found
    return found


def _value(x: Tensor) -> Any:
    op, inputs = x.owner.op, x.owner.inputs
    if isinstance(op, Elemwise):
        return _elementwise(op.scalar_op, [value_of(i) for i in inputs])
    if isinstance(op, Shape):
        return list(dims_of(inputs[0]))
    if isinstance(op, Shape_i):
        return dims_of(inputs[0])[op.i]
    if isinstance(op, MakeVector):
        return [value_of(i) for i in inputs]
    if isinstance(op, Subtensor):
        whole, index = value_of(inputs[0]), get_idx_list(inputs, op.idx_list)
        parts = [index[0].start, index[0].stop, index[0].step] if isinstance(index[0], slice) else [index[0]]
        parts = [value_of(p) if hasattr(p, 'type') else p for p in parts]
        if isinstance(whole, list) and len(index) == 1 and all([p is None or known(p) for p in parts]):
            return whole[slice(*parts)] if isinstance(index[0], slice) else None if None in parts else whole[parts[0]]
        return None
    if isinstance(op, Join):
        # The axis is an input for Theano, and part of the operation for PyTensor.
        joined = [value_of(i) for i in (inputs if hasattr(op, 'axis') else inputs[1:])]
        return [n for part in joined for n in part] if all([isinstance(p, list) for p in joined]) else None
    if isinstance(op, DimShuffle):
        inner = value_of(inputs[0])
        if x.type.ndim == inputs[0].type.ndim:
            return inner
        return [inner] if x.type.ndim else inner[0] if isinstance(inner, list) else None
    if isinstance(op, Prod):
        inner = value_of(inputs[0])
        return None if not isinstance(inner, list) or None in inner else reduce(operator.mul, inner, 1)
    return value_of(inputs[0]) if isinstance(op, HANDED_ON) else None


def _elementwise(scalar: Any, values: List[Any]) -> Any:
    lists = [v for v in values if isinstance(v, list)]
    if lists:
        length = max([len(v) for v in lists])
        spread = [
            v if isinstance(v, list) and len(v) > 1 else (v if isinstance(v, list) else [v]) * length for v in values
        ]
        return [_elementwise(scalar, list(each)) for each in zip(*spread)]
    name = type(scalar).__name__
    if name in ('Cast', 'Identity', 'Second'):
        return int(values[-1]) if known(values[-1]) else values[-1]
    if name == 'Switch' and known(values[0]):
        return values[1] if values[0] else values[2]
    if all([known(v) for v in values]):
        try:
            found = scalar.impl(*values)
        except Exception:  # an operation that has no answer for these numbers leaves them unknown
            return None
        return int(found) if found == int(found) else None
    return reduce(_ARITHMETIC[name], values) if name in _ARITHMETIC and None not in values else None
