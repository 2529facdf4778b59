"""Primitives that rearrange, join and cut, and broadcasting by NumPy's rule."""

from typing import Any, List, Sequence, Tuple

import numpy as np

from ....basics.dtypes import is_mask
from ....basics.shapes import known
from ....graph.primitives import OPS
from ....graph.primitives.indexing import index_of
from ..graph import check, describe, engine
from ..graph.static import Outline, dims_of, set_dims, sizes_in, value_of
from ..graph.tensors import cast, constant, dense, is_tensor, scalars, sizes_of, vector
from ..vendor import Apply, DisconnectedType, Op, T
from .kernel import kernel

Tensor = Any


def reshape(x: Tensor, shape: List[Any]) -> Tensor:
    # A -1 that is known to be a number becomes it: where there is nothing in `x`, nobody could tell in a run. A size
    # that the program gives stays, even where that of `x` tells it: the run compares the two.
    sizes = sizes_in(shape)
    dims = OPS['reshape'].infer(Outline(x), sizes)[0]
    target = [d if known(d) and known(size) else n for d, size, n in zip(dims, sizes, shape)]
    return T.reshape(x, vector(target), ndim=len(target))


def broadcast_to(x: Tensor, shape: List[Any]) -> Tensor:
    dims = dims_of(x)
    if any([not known(d) and d is not n for d, n in zip(dims, sizes_in(shape)[len(shape) - len(dims) :])]):
        # Only a run tells whether a size is 1.
        x = aligned(x, T.alloc(constant(0, x.dtype), *scalars(shape)))[0]
    return T.alloc(x, *scalars(shape))


def concatenate(*xs: Tensor, axis: int) -> Tensor:
    # Along the axis the types must not promise a size; off it, one known size of 1 holds for all.
    tensors = [T.unbroadcast(x, axis) for x in xs]
    return T.join(axis, *tensors) if len(tensors) > 1 else tensors[0]


def stack(*xs: Tensor, axis: int) -> Tensor:
    if not xs[0].type.ndim:
        return T.stack(list(xs))
    return concatenate(*[x.dimshuffle([*range(axis), 'x', *range(axis, x.type.ndim)]) for x in xs], axis=axis)


def getitem(x: Tensor, *indices: Tensor, spec: Tuple[Any, ...]) -> Tensor:
    # For the rule a bound that is computed is any number.
    plain = [tuple([1 if is_tensor(b) else b for b in s]) if isinstance(s, tuple) else s for s in spec]
    dims = OPS['getitem'].infer(Outline(x), *map(Outline, indices), spec=tuple(plain))[0]
    slices = [slice(*s[1:]) if isinstance(s, tuple) and s[0] == 'slice' else s for s in spec]
    index = [indices[s[1]] if isinstance(s, tuple) else s for s in slices]
    # With a new axis Theano wants every other one to be named.
    whole = [slice(None)] * (x.type.ndim - len([s for s in spec if s is not None and s is not Ellipsis]))
    position = plain.index(Ellipsis) if Ellipsis in plain else len(index)
    index[position : position + 1] = whole
    result = _read(x, index)
    return result if any([is_tensor(b) for s in spec if isinstance(s, tuple) for b in s]) else set_dims(result, dims)


def indexed(x: Tensor, item: Any) -> Tensor:
    """`x[item]`, as users write it."""
    if is_mask(item):
        return engine.front.masked(x, item)
    spec, indices = index_of(engine.front, describe(x), item, _bound)
    return getitem(dense(x), *indices, spec=spec)


def _read(x: Tensor, index: Sequence[Any]) -> Tensor:
    # Theano's own indexing; that of K would call itself.
    return T.TensorVariable.__getitem__(x, tuple(index))


def _bound(b: Any) -> Any:
    number: Any = value_of(check(b)) if is_tensor(b) and not b.type.ndim else None
    return number if known(number) else b


def arange(start: Tensor, stop: Tensor, step: Tensor, *, dtype: str) -> Tensor:
    bounds = [start, stop, step]
    if all([hasattr(b, 'data') for b in bounds]):
        return constant(np.arange(*[b.data for b in bounds]), dtype)
    # Counted in full precision: the bounds may be fractions where the dtype of the result is an integer.
    counted = 'float64' if any([b.dtype.startswith('float') for b in bounds]) else 'int64'
    return cast(T.arange(*[cast(b, counted) for b in bounds], dtype=counted), dtype)


# -- broadcasting -----------------------------------------------------------------------------------------------------
# Theano stretches an axis only where its type says that the size is 1; any other axis of size 1 is an error in a run.
# Where K knows that a size is 1 the type is made to say so. Where sizes of different origin meet, `Stretch` looks at
# them in the run. Arrays that agree pass through it as they are.
class Stretch(Op):
    """Tensors of one rank, each stretched along `axes` to the size that the others have there."""

    __props__ = ('axes', 'count')
    _f16_ok = silent = True

    def __init__(self, axes: Sequence[int], count: int) -> None:
        self.axes, self.count = tuple(axes), count
        self.view_map = {i: [i] for i in range(count)}

    def make_node(self, *tensors: Tensor) -> Any:
        return Apply(self, list(tensors), [x.type() for x in tensors])

    def perform(self, node: Any, inputs: Sequence[Any], outputs: Sequence[List[Any]]) -> None:
        try:
            target = np.broadcast(*inputs).shape
        except ValueError:
            shapes = ' and '.join([str(x.shape) for x in inputs])
            raise ValueError(f'Arrays of shapes {shapes} do not broadcast against each other.') from None
        for x, out in zip(inputs, outputs):
            shape = tuple([target[a] if a in self.axes else n for a, n in enumerate(x.shape)])
            out[0] = x if shape == x.shape else np.array(np.broadcast_to(x, shape))

    def connection_pattern(self, node: Any) -> List[List[bool]]:
        return [[i == j for j in range(len(node.outputs))] for i in range(len(node.inputs))]

    def L_op(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], gradients: Sequence[Tensor]) -> List[Tensor]:
        return [
            g
            if isinstance(g.type, DisconnectedType)
            else T.patternbroadcast(kernel('sum_to', g, sizes_of(x)), x.type.broadcastable)
            for x, g in zip(inputs, gradients)
        ]


def aligned(*tensors: Tensor) -> List[Tensor]:
    """`tensors`, which broadcast against each other by NumPy's rule, so that Theano broadcasts them in every run."""
    dims = [dims_of(x) for x in tensors]
    if all([d == dims[0] for d in dims]):
        return list(tensors)
    rank = max([len(d) for d in dims])
    padded = [T.shape_padleft(x, rank - len(d)) if len(d) < rank else x for x, d in zip(tensors, dims)]
    dims, open_axes = [(1,) * (rank - len(d)) + d for d in dims], []
    for axis in range(rank):
        others = [d[axis] for d in dims if not _is_one(d[axis])]
        if others and len(others) < len(dims):
            # Let the types say that a size is 1.
            for i, (x, d) in enumerate(zip(padded, dims)):
                if _is_one(d[axis]) and not x.type.broadcastable[axis]:
                    padded[i] = T.addbroadcast(x, axis)
        if any([n is not others[0] and not (known(n) and known(others[0])) for n in others]):
            open_axes.append(axis)
    positions = [i for i, d in enumerate(dims) if any([not _is_one(d[axis]) for axis in open_axes])]
    if positions:
        for i, x in zip(positions, Stretch(open_axes, len(positions))(*[padded[i] for i in positions])):
            padded[i] = x
    return padded


def _is_one(n: Any) -> bool:
    return known(n) and n == 1
