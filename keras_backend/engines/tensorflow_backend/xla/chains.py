"""Chains of element-wise operations on large tensors: which functions are such, and whether XLA is faster there.

They spend their time on the way to memory, and a cluster goes there once.
"""

from typing import Any, Collection, Iterable, Optional

from ....kernels.common import product
from ..vendor import tf2
from .work import ELEMENT, Shapes

_ELEMENT_WISE = frozenset(
    """
    Abs Add AddV2 AddN BiasAdd Cast Ceil Cos Div DivNoNan Elu EluGrad Equal Exp Expm1 Floor Greater GreaterEqual Inv
    LeakyRelu LeakyReluGrad Less LessEqual Log Log1p LogicalAnd LogicalNot LogicalOr Maximum Minimum Mul MulNoNan Neg
    NotEqual Pow RealDiv Reciprocal Relu Relu6 Relu6Grad ReluGrad Round Rsqrt RsqrtGrad Select SelectV2 Selu Sigmoid
    SigmoidGrad Sign Sin Softplus SoftplusGrad Softsign Sqrt SqrtGrad Square SquaredDifference Sub Tanh TanhGrad
    """.split()
)
_REDUCTIONS = frozenset(['Sum', 'Mean', 'Max', 'Min'])
_PLUMBING = frozenset(
    """
    Const Identity NoOp Placeholder PlaceholderWithDefault ReadVariableOp VarHandleOp Shape Size Rank Reshape ZerosLike
    OnesLike Fill BroadcastTo BroadcastGradientArgs DynamicStitch StopGradient ExpandDims Squeeze Range StridedSlice
    AssignVariableOp AssignAddVariableOp AssignSubVariableOp ResourceApplyGradientDescent
    """.split()
)
# A shorter chain has no memory to save.
_CHAIN = 4
# What XLA saves of each element, in tenths of a nanosecond: of most operations the way to memory, less where the cache
# is large enough. Some functions are slower in XLA, and so are sums and maxima of a whole tensor.
_USUAL, _USUAL_IN_CACHE = 2.0, 0.6
_OTHERS = {
    'Pow': 30.0,
    'Elu': 15.0,
    'Select': 10.0,
    'SelectV2': 10.0,
    'Rsqrt': 0.0,
    'Log': -2.0,
    'Exp': -2.5,
    'Sigmoid': -2.5,
    'Tanh': -3.0,
    'Sum': -3.0,
    'Mean': -3.0,
    'Sin': -10.0,
    'Cos': -10.0,
    'Selu': -11.0,
    'Max': -16.0,
    'Min': -16.0,
    'Softplus': -26.0,
    'Log1p': -28.0,
}
# The elements of a tensor that is too large for most caches, and of one for which a cluster may be worth its call.
_LARGE, _LEAST = 2000000, 1000000


class Chain:
    """The operations of a function that is a chain."""

    def __init__(self, operations: Collection[Any]) -> None:
        kinds = [op.type for op in operations if op.type in _ELEMENT_WISE or op.type in _REDUCTIONS]
        others = sorted([_OTHERS[kind] for kind in kinds if kind in _OTHERS])
        # In an order of its own: sums of floats depend on it, and a set has none.
        self._others, self._usual, self._passes = sum(others), len(kinds) - len(others), len(kinds)
        self._largest = max([t.shape.num_elements() or 0 for op in operations for t in op.outputs], default=0)

    def seconds(self, shapes: Shapes) -> Optional[float]:
        """How long a call with arrays of these shapes takes plainly, None if XLA is no faster."""
        size = max([self._largest, *map(product, shapes)])
        saved = self._others + self._usual * (_USUAL if size >= _LARGE else _USUAL_IN_CACHE)
        return self._passes * size * ELEMENT if size >= _LEAST and saved > 0 else None


def is_chain(operations: Iterable[Any]) -> bool:
    """Whether these operations are element-wise, with reductions of whole tensors among them."""
    count = 0
    for op in operations:
        if op.type in _ELEMENT_WISE or (op.type in _REDUCTIONS and _of_whole(op)):
            count += 1
        elif op.type not in _PLUMBING:
            return False
    return count >= _CHAIN


def _of_whole(op: Any) -> bool:
    """Whether a reduction is over all of a tensor of known size; XLA would add up the columns of another one by one."""
    return op.inputs[0].shape.is_fully_defined() and over_all_axes(op)


def over_all_axes(op: Any) -> bool:
    """Whether a reduction is known to be over all axes of a tensor."""
    rank, axes = op.inputs[0].shape.rank, tf2.get_static_value(op.inputs[1])
    if rank is None or axes is None:
        return False
    return {int(a) % max(rank, 1) for a in axes.ravel()} >= set(range(rank))
