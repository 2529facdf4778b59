"""Operations that look at a value in a run and hand it on as it is."""

import sys

import numpy as np

from ._library import Apply, DisconnectedType, Op


class _HandedOn(Op):
    """The first input itself. `__props__` of a subclass say what it looks for."""

    _f16_ok = silent = True
    view_map = {0: [0]}

    def make_node(self, x, *others):
        return Apply(self, [x] + list(others), [x.type()])

    def output_dims(self, node, dims):
        return [dims[0]]

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
