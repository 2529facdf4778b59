"""The facts that a function needs about the part of the graph that it runs, found in one walk."""

from typing import Iterable, List, Sequence, Set

from ....basics.library import Tensor
from ....errors import ScopeError
from ..vendor import Operation
from .empty_batches import is_risky
from .graph import describe

_PLACEHOLDERS = frozenset(['Placeholder', 'PlaceholderV2'])
_LOOPS = frozenset(['While', 'StatelessWhile', 'Enter', 'RefEnter'])
# Parts of the graph that may hold an assignment that cannot be seen from outside.
_STATEFUL_BODIES = frozenset(['While', 'If', 'Case', 'StatefulPartitionedCall'])
_ASSIGNMENTS = frozenset(['AssignVariableOp', 'Assign'])

# The result of these is new memory, whatever the graph optimiser makes of them.
_ALLOCATING = frozenset(
    """
    ReadVariableOp Const VarHandleOp MatMul BatchMatMul BatchMatMulV2 SparseTensorDenseMatMul Einsum Conv2D Conv3D
    Conv2DBackpropInput Conv2DBackpropFilter Conv3DBackpropInputV2 Conv3DBackpropFilterV2 DepthwiseConv2dNative
    DepthwiseConv2dNativeBackpropInput DepthwiseConv2dNativeBackpropFilter MaxPool AvgPool MaxPoolGrad AvgPoolGrad
    MaxPool3D AvgPool3D MaxPool3DGrad AvgPool3DGrad FusedBatchNormV3 FusedBatchNormGradV3 Exp Expm1 Log Log1p Sqrt
    Rsqrt Square Neg Abs Sign Sin Cos Tanh TanhGrad Sigmoid SigmoidGrad Softplus SoftplusGrad Relu ReluGrad Elu
    EluGrad Softmax LogSoftmax SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits Greater
    GreaterEqual Less LessEqual Equal NotEqual ArgMax ArgMin Shape Size Rank Range OneHot Cast GatherV2
    ResourceGather UnsortedSegmentSum RandomUniform RandomStandardNormal TruncatedNormal BiasAddGrad
    """.split()
)


# The attribute of the operation of a stand-in: the words for the step that it belongs to, '' once it was let out.
_STEP = '_keras_backend_step'


def shut_in(op: Operation, what: str) -> None:
    """Let nothing outside of the step `what` depend on an operation, which is an IdentityN."""
    setattr(op, _STEP, what)


def let_out(op: Operation) -> None:
    """The opposite of `shut_in`."""
    setattr(op, _STEP, '')


def is_stand_in(op: Operation) -> bool:
    """Whether an operation was shut in at any time."""
    return op.type == 'IdentityN' and hasattr(op, _STEP)


def refuse_inside(op: Operation, tensors: Iterable[Tensor]) -> None:
    """Raise the error for `tensors` that depend on an operation that is shut in, if it is."""
    what = getattr(op, _STEP, '')
    if not what:
        return
    names = [describe(t) for t in tensors if _depends(t, op)] or ['A tensor']
    raise ScopeError(f'{names[0]} belongs to the inside of {what} and cannot be used outside; return it from there.')


def _depends(t: Tensor, op: Operation) -> bool:
    seen, todo = set(), [t.op]
    while todo:
        here = todo.pop()
        if here is op:
            return True
        if here not in seen:
            seen.add(here)
            todo += [i.op for i in here.inputs] + list(here.control_inputs)
    return False


class Survey:
    """One walk over everything that `tensors` and `operations` depend on, as far as it is not fed by `feeds`.

    `missing`: placeholders that no one feeds. `loops`, `risky`: whether anything runs in a loop, or must not get an
    empty tensor. `kept`: the feeds whose memory may end up in a variable as it is. `operations`: all of them. `used`:
    the ids of the feeds that anything depends on. An operation inside of a step is refused.
    """

    def __init__(self, tensors: Sequence[Tensor], operations: Iterable[Operation], feeds: Sequence[Tensor]) -> None:
        fed = {id(t) for t in feeds}
        # To wait for a placeholder is nothing to wait for.
        idle = {t.op for t in feeds if t.op.type in _PLACEHOLDERS}
        self.missing, self.loops, self.risky = [], False, False
        seen: Set[Operation] = set()
        self.operations = seen
        self.used: Set[int] = set()
        assigned, hidden = [], False
        todo = [t.op for t in tensors if id(t) not in fed] + list(operations)
        while todo:
            op = todo.pop()
            if op in seen:
                continue
            seen.add(op)
            kind = op.type
            if kind in _PLACEHOLDERS:
                self.missing.append(op)
            elif kind in _LOOPS:
                self.loops = True
            elif not self.risky and is_risky(op):
                self.risky = True
            elif kind in _ASSIGNMENTS:
                assigned.append(op.inputs[1])
            elif kind == 'IdentityN':
                refuse_inside(op, tensors)
            if kind in _STATEFUL_BODIES:
                hidden = True
            for t in op.inputs:
                if id(t) not in fed:
                    todo.append(t.op)
                else:
                    self.used.add(id(t))
            todo.extend([c for c in op.control_inputs if c not in idle])
        self.kept = list(feeds) if hidden else _reaching(assigned, feeds) if assigned else []


def _reaching(values: Iterable[Tensor], feeds: Iterable[Tensor]) -> List[Tensor]:
    """The feeds that `values` may share memory with."""
    fed = {id(t): t for t in feeds}
    reached, seen = {}, set()
    todo = list(values)
    while todo:
        t = todo.pop()
        if id(t) in fed:
            reached[id(t)] = t
        elif t.op not in seen and t.op.type not in _ALLOCATING:
            seen.add(t.op)
            todo.extend(t.op.inputs)
    return list(reached.values())
