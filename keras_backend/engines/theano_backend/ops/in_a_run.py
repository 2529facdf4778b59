"""Operations that look at sizes and values in a run: for broadcasting, and checks that hand a value on as it is.

Theano stretches an axis only where its type says that the size is 1; any other axis of size 1 is an error in a run.
Where K knows that a size is 1 the type is made to say so; where sizes of different origin meet, `Stretch` looks at them
in the run. Arrays that agree pass through it as they are.
"""

import sys

import numpy as np

from ....shapes import known
from ..graph.static import dims_of
from ..library import Apply, DisconnectedType, Op, T, TensorType


class Stretch(Op):
    """Tensors of one rank, each stretched along `axes` to the size that the others have there (NumPy's rule)."""

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


# -- checks, and prints ------------------------------------------------------------------------------------------------
class _HandedOn(Op):
    """The first input itself. `__props__` of a subclass say what it looks for."""

    _f16_ok = silent = True
    view_map = {0: [0]}

    def make_node(self, x, *others):
        return Apply(self, [x] + list(others), [x.type()])

    def infer_shape(self, node, shapes):
        return [shapes[0]]

    def connection_pattern(self, node):
        return [[True]] + [[False]] * (len(node.inputs) - 1)

    def L_op(self, inputs, outputs, gradients):
        return list(gradients) + [DisconnectedType()() for _ in inputs[1:]]

    def do_constant_folding(self, node):
        # What is wrong with a constant is told in the run that needs it.
        return False


class Within(_HandedOn):
    """Indices, none of which is negative or reaches `size`, the second input."""

    __props__ = ()

    def perform(self, node, inputs, outputs):
        indices, size = inputs
        if indices.size and (indices.min() < 0 or indices.max() >= size):
            raise IndexError(
                f'K.gather: an index of {sorted({int(indices.min()), int(indices.max())})} lies outside of 0 to '
                f'{size - 1}.'
            )
        outputs[0][0] = indices


class OfShape(_HandedOn):
    """An array of the given shape, the new value of a variable: a wrong one is refused before anything is assigned."""

    __props__ = ('shape', 'name')

    def __init__(self, shape, name):
        self.shape, self.name = shape, name

    def perform(self, node, inputs, outputs):
        if inputs[0].shape != self.shape:
            raise ValueError(
                f'{self.name} of shape {self.shape} cannot be updated with a value of shape {inputs[0].shape}.'
            )
        outputs[0][0] = inputs[0]


class Print(_HandedOn):
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
