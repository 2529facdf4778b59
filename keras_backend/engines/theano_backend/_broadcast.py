"""Broadcasting by sizes that are known in a run only.

Theano stretches an axis only where its type says that the size is 1; any other axis of size 1 is an error in a run.
Where K knows that a size is 1 the type is made to say so; where sizes of different origin meet, `Stretch` looks at them
in the run. Arrays that agree pass through it as they are.
"""

import numpy as np

from ... import shapes
from ...graph.dims import Dim
from ...shapes import known
from ._library import Apply, DisconnectedType, Op, T, TensorType
from ._static import dims_of


def _spread(x, axes, target):
    """`x` stretched to the sizes `target` along `axes`; itself if it has them."""
    shape = tuple([target[axes.index(i)] if i in axes else n for i, n in enumerate(x.shape)])
    return x if shape == x.shape else np.array(np.broadcast_to(x, shape))


class Stretch(Op):
    """Tensors of one rank, each stretched along `axes` to the size that the others have there (NumPy's rule)."""

    __props__ = ('axes', 'count')
    _f16_ok = silent = True

    def __init__(self, axes, count):
        self.axes, self.count = tuple(axes), count
        self.view_map = {i: [i] for i in range(count)}

    def make_node(self, *tensors):
        return Apply(self, list(tensors), [x.type() for x in tensors])

    def output_dims(self, node, dims):
        joined = {}
        for axis in self.axes:
            here = [d[axis] for d in dims]
            numbers = [n for n in here if known(n) and n != 1]
            joined[axis] = numbers[0] if numbers else Dim()
        return [tuple([joined.get(axis, n) for axis, n in enumerate(d)]) for d in dims]

    def perform(self, node, inputs, outputs):
        axes = self.axes
        target = [inputs[0].shape[a] for a in axes]
        for x in inputs[1:]:
            for k, a in enumerate(axes):
                n = x.shape[a]
                if n != target[k]:
                    if target[k] == 1:
                        target[k] = n
                    elif n != 1:
                        raise ValueError(
                            f'Arrays of shapes {" and ".join([str(x.shape) for x in inputs])} do not broadcast against '
                            'each other.'
                        )
        for x, out in zip(inputs, outputs):
            out[0] = _spread(x, axes, target)

    def connection_pattern(self, node):
        return [[i == j for j in range(len(node.outputs))] for i in range(len(node.inputs))]

    def L_op(self, inputs, outputs, gradients):
        return [
            g if isinstance(g.type, DisconnectedType) else Shrink(self.axes)(g, x) for x, g in zip(inputs, gradients)
        ]


class Shrink(Op):
    """`g` summed over those of `axes` along which `x` has the size 1: the adjoint of stretching `x`."""

    __props__ = ('axes',)
    _f16_ok = silent = True
    view_map = {0: [0]}

    def __init__(self, axes):
        self.axes = tuple(axes)

    def make_node(self, g, x):
        return Apply(self, [g, x], [TensorType(g.dtype, x.type.broadcastable)()])

    def output_dims(self, node, dims):
        return [dims[1]]

    def perform(self, node, inputs, outputs):
        g, x = inputs
        axes = tuple([a for a in self.axes if x.shape[a] == 1 and g.shape[a] != 1])
        if axes:
            with np.errstate(all='ignore'):
                g = np.asarray(g.sum(axis=axes, keepdims=True, dtype=g.dtype))
        outputs[0][0] = g

    def connection_pattern(self, node):
        return [[True], [False]]

    def L_op(self, inputs, outputs, gradients):
        g, _x = inputs
        return [Stretch(self.axes, 2)(gradients[0], g)[0], DisconnectedType()()]


def aligned(*tensors):
    """`tensors`, which broadcast against each other by NumPy's rule, so that Theano broadcasts them in every run."""
    dims = [dims_of(x) for x in tensors]
    if all([d == dims[0] for d in dims]):
        return list(tensors)
    shapes.broadcast(*dims)  # an error names the shapes
    rank = max([len(d) for d in dims])
    tensors, open_axes = list(tensors), []
    for back in range(1, rank + 1):
        here = [d[-back] for d in dims if len(d) >= back]
        others = [n for n in here if not (known(n) and n == 1)]
        if others and len(others) < len(here):
            _flag(tensors, dims, back)
        if any([n is not others[0] and not (known(n) and known(others[0])) for n in others]):
            open_axes.append(back)
    if open_axes:
        _stretch(tensors, dims, open_axes, rank)
    return tensors


def _flag(tensors, dims, back):
    """Let the types say that a size is 1, counted from the last axis."""
    for i, (x, d) in enumerate(zip(tensors, dims)):
        if len(d) >= back and known(d[-back]) and d[-back] == 1 and not x.type.broadcastable[-back]:
            tensors[i] = T.addbroadcast(x, len(d) - back)


def _stretch(tensors, dims, open_axes, rank):
    taking_part = [
        i
        for i, d in enumerate(dims)
        if any([len(d) >= back and not (known(d[-back]) and d[-back] == 1) for back in open_axes])
    ]
    padded = [
        T.shape_padleft(tensors[i], rank - len(dims[i])) if len(dims[i]) < rank else tensors[i] for i in taking_part
    ]
    stretched = Stretch([rank - back for back in sorted(open_axes, reverse=True)], len(padded))(*padded)
    for i, x in zip(taking_part, stretched):
        tensors[i] = x
