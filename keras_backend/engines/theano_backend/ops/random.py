"""Random draws, each a function of a seed, of the number of the run, and of the steps of the loops around it.

Nothing is drawn from a state, so a loop may compute a draw again on its way back, and does for gradients.
"""

from typing import Any, List, Tuple

import numpy as np

from ....kernels.random import IMPLEMENTATIONS, generator_at
from ..graph.loop import places
from ..graph.sizes import items, vector
from ..graph.static import set_dims, sizes_in
from ..library import Apply, DisconnectedType, Op, T, TensorSharedVariable, TensorType

Tensor = Any
_COUNTER = TensorType('int64', ())


def random_uniform(shape: Any, *, dtype: str, seed: int) -> Tensor:
    return _draw('random_uniform', shape, dtype, seed)


def random_normal(shape: Any, *, dtype: str, seed: int) -> Tensor:
    return _draw('random_normal', shape, dtype, seed)


def truncated_normal(shape: Any, *, dtype: str, seed: int) -> Tensor:
    return _draw('truncated_normal', shape, dtype, seed)


def _draw(kind: str, shape: Any, dtype: str, seed: int) -> Tensor:
    """A tensor of standard draws, other ones in every run."""
    number = TensorSharedVariable(name='draws', type=_COUNTER, value=np.zeros((), 'int64'), strict=True)
    number.default_update = T.add(number, T.constant(1, dtype='int64'))
    entries = items(shape)
    dims = sizes_in(entries)
    flags = tuple([n == 1 for n in dims])
    # A copy, so that a loop is not handed the counter, which it would count on.
    return set_dims(_Draw(kind, dtype, int(seed), flags)(vector(entries), T.tensor_copy(number), *places.steps), dims)


class _Place:
    """The stream that a kernel draws from: it has one place."""

    def __init__(self, seed: int, number: int, step: int) -> None:
        self._place = seed, number, step

    def next(self) -> Any:
        return generator_at(*self._place)


class _Draw(Op):
    """A standard draw of a shape, in the run of a number and the step of a loop."""

    __props__ = ('kind', 'dtype', 'seed', 'flags')
    _f16_ok = silent = True

    def __init__(self, kind: str, dtype: str, seed: int, flags: Tuple[bool, ...]) -> None:
        self.kind, self.dtype, self.seed, self.flags = kind, dtype, seed, flags

    def make_node(self, shape: Tensor, number: Tensor, *steps: Tensor) -> Any:
        return Apply(self, [shape, number, *steps], [TensorType(self.dtype, self.flags)()])

    def infer_shape(self, node: Any, shapes: Any) -> List[Any]:
        return [tuple([node.inputs[0][i] for i in range(len(self.flags))])]

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        shape, number, steps = inputs[0], int(inputs[1]), inputs[2:]
        step = 0
        for t in steps:
            # No two places of nested loops may be one, and none is that of no loop.
            step = (step << 24) + int(t) + 1
        place: Any = _Place(self.seed, number, step)
        drawn = IMPLEMENTATIONS[self.kind](place, tuple(shape.tolist()), self.dtype)
        outputs[0][0] = np.asarray(drawn, self.dtype)

    def connection_pattern(self, node: Any) -> List[List[bool]]:
        return [[False] for _ in node.inputs]

    def L_op(self, inputs: Any, outputs: Any, gradients: Any) -> List[Tensor]:
        return [DisconnectedType()() for _ in inputs]

    def do_constant_folding(self, node: Any) -> bool:
        return False
