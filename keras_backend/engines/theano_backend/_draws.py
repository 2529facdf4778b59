"""Random draws, each a function of a seed, of the number of the run, and of the steps of the loops around it.

Nothing is drawn from a state, so a loop may compute a draw again on its way back, and does for gradients.
"""

import numpy as np

from ...kernels.random import IMPLEMENTATIONS, generator_at
from ._library import Apply, DisconnectedType, Op, T, TensorSharedVariable, TensorType
from ._scan import places
from ._static import value

_COUNTER = TensorType('int64', ())


class _Place:
    """The stream that a kernel draws from: it has one place."""

    def __init__(self, seed, number, step):
        self._place = seed, number, step

    def next(self):
        return generator_at(*self._place)


class Draw(Op):
    """A standard draw of a shape, in the run of a number and the step of a loop."""

    __props__ = ('kind', 'dtype', 'seed', 'flags')
    _f16_ok = silent = True

    def __init__(self, kind, dtype, seed, flags):
        self.kind, self.dtype, self.seed, self.flags = kind, dtype, seed, flags

    def make_node(self, shape, number, *steps):
        return Apply(self, [shape, number] + list(steps), [TensorType(self.dtype, self.flags)()])

    def output_dims(self, node, dims):
        said = value(node.inputs[0])
        return [said if isinstance(said, list) else None]

    def infer_shape(self, node, shapes):
        return [tuple([node.inputs[0][i] for i in range(len(self.flags))])]

    def perform(self, node, inputs, outputs):
        shape, number, steps = inputs[0], int(inputs[1]), inputs[2:]
        step = 0
        for t in steps:
            # No two places of nested loops may be one, and none is that of no loop.
            step = (step << 24) + int(t) + 1
        drawn = IMPLEMENTATIONS[self.kind](tuple(shape.tolist()), self.dtype, _Place(self.seed, number, step))
        outputs[0][0] = np.asarray(drawn, self.dtype)

    def connection_pattern(self, node):
        return [[False] for _ in node.inputs]

    def L_op(self, inputs, outputs, gradients):
        return [DisconnectedType()() for _ in inputs]

    def do_constant_folding(self, node):
        return False


def draw(kind, shape, dtype, seed):
    """A tensor of standard draws, other ones in every run."""
    number = TensorSharedVariable(name='draws', type=_COUNTER, value=np.zeros((), 'int64'), strict=True)
    number.default_update = T.add(number, T.constant(1, dtype='int64'))
    said = value(shape)
    flags = tuple([n == 1 for n in said]) if isinstance(said, list) else ()
    # A copy, so that a loop is not handed the counter, which it would count on.
    return Draw(kind, dtype, seed, flags)(shape, T.tensor_copy(number), *places.steps)
