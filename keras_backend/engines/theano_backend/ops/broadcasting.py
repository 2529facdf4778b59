"""Broadcasting by NumPy's rule.

Theano stretches an axis only where its type says that the size is 1; any other axis of size 1 is an error in a run.
Where K knows that a size is 1 the type is made to say so; where sizes of different origin meet, `Stretch` looks at them
in the run. Arrays that agree pass through it as they are.
"""

import numpy as np

from ....shapes import known
from ..graph.static import dims_of
from ..graph.tensors import sizes_of
from ..library import Apply, DisconnectedType, Op, T
from .kernel import kernel


class Stretch(Op):
    """Tensors of one rank, each stretched along `axes` to the size that the others have there."""

    __props__ = ('axes', 'count')
    _f16_ok = silent = True

    def __init__(self, axes, count):
        self.axes, self.count = tuple(axes), count
        self.view_map = {i: [i] for i in range(count)}

    def make_node(self, *tensors):
        return Apply(self, list(tensors), [x.type() for x in tensors])

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
            shape = list(x.shape)
            for a, n in zip(axes, target):
                shape[a] = n
            out[0] = x if tuple(shape) == x.shape else np.array(np.broadcast_to(x, shape))

    def connection_pattern(self, node):
        return [[i == j for j in range(len(node.outputs))] for i in range(len(node.inputs))]

    def L_op(self, inputs, outputs, gradients):
        return [
            g
            if isinstance(g.type, DisconnectedType)
            else T.patternbroadcast(kernel('sum_to', g, sizes_of(x)), x.type.broadcastable)
            for x, g in zip(inputs, gradients)
        ]


def aligned(*tensors):
    """`tensors`, which broadcast against each other by NumPy's rule, so that Theano broadcasts them in every run."""
    dims = [dims_of(x) for x in tensors]
    if all([d == dims[0] for d in dims]):
        return list(tensors)
    rank = max([len(d) for d in dims])
    tensors, open_axes = list(tensors), []
    for back in range(1, rank + 1):
        here = [d[-back] for d in dims if len(d) >= back]
        others = [n for n in here if not _is_one(n)]
        if others and len(others) < len(here):
            # Let the types say that a size is 1.
            for i, (x, d) in enumerate(zip(tensors, dims)):
                if len(d) >= back and _is_one(d[-back]) and not x.type.broadcastable[-back]:
                    tensors[i] = T.addbroadcast(x, len(d) - back)
        if any([n is not others[0] and not (known(n) and known(others[0])) for n in others]):
            open_axes.append(back)
    if open_axes:
        _stretch(tensors, dims, open_axes, rank)
    return tensors


def _is_one(n):
    return known(n) and n == 1


def _stretch(tensors, dims, open_axes, rank):
    taking_part = [
        i for i, d in enumerate(dims) if any([len(d) >= back and not _is_one(d[-back]) for back in open_axes])
    ]
    padded = [
        T.shape_padleft(tensors[i], rank - len(dims[i])) if len(dims[i]) < rank else tensors[i] for i in taking_part
    ]
    stretched = Stretch([rank - back for back in sorted(open_axes, reverse=True)], len(padded))(*padded)
    for i, x in zip(taking_part, stretched):
        tensors[i] = x
