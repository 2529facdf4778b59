"""The part of the graph that a function runs: what may be empty in it, and other facts, found in one walk."""

from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from ....basics.library import Tensor
from ....errors import ScopeError
from ..vendor import Operation, branch_graph, outer_graph, set_gradient, tf
from .graph import describe

# -- empty batches -----------------------------------------------------------------------------------------------------
# Empty tensors in front of convolutions and poolings.
#
# Some kernels of TensorFlow cannot take them. Those of oneDNN give a convolution of no rows the shape of its input, and
# the gradient of max pooling ends the process. That of a depthwise convolution is what the memory holds. So no such
# kernel is given an empty tensor: it is given a row of zeros, and the result is cut to nothing.
#
# That costs some nodes, so it is done only where it may matter. `may_be_empty` looks for what a tensor is made of. If
# it is made of placeholders only, by operations that leave something where something was, then it is empty only where
# an empty array is fed. `K.function` sees this when it is called, and runs what `careful_copy` made of its graph.


# The kernels that cannot: which of their inputs have rows.
_FOR_KERNELS = ('Conv2DBackpropFilter', 'Conv3DBackpropFilterV2', 'DepthwiseConv2dNativeBackpropFilter')
_RISKY = {
    **dict.fromkeys(('Conv2D', 'Conv3D', 'DepthwiseConv2dNative'), (0,)),
    **dict.fromkeys(_FOR_KERNELS, (0, 2)),
    **dict.fromkeys(('MaxPoolGrad', 'MaxPool3DGrad', 'MaxPoolGradGrad', 'MaxPool3DGradGrad'), (0, 1, 2)),
}

_PLACEHOLDERS = frozenset(['Placeholder', 'PlaceholderV2'])
_CHOICES = frozenset(['If', 'StatelessIf'])

# The result of these has elements if all of their inputs have.
_FILLED = frozenset(
    """
    Identity StopGradient PreventGradient PlaceholderWithDefault Cast Reshape ExpandDims Squeeze Transpose Pad PadV2
    MirrorPad ConcatV2 Pack Unpack Split ReverseV2 GatherV2 ResourceGather OneHot ZerosLike OnesLike Select SelectV2
    Conv2D Conv3D DepthwiseConv2dNative Conv2DBackpropInput Conv3DBackpropInputV2 SpaceToBatchND BatchToSpaceND MaxPool
    AvgPool MaxPool3D AvgPool3D BiasAdd FusedBatchNormV3 ResizeNearestNeighbor ResizeBilinear MatMul BatchMatMul
    BatchMatMulV2 Einsum Sum Mean Prod Max Min Any All ArgMax ArgMin Cumsum Cumprod Softmax LogSoftmax Relu Relu6
    LeakyRelu Elu Selu Softplus Softsign Sigmoid Tanh Exp Expm1 Log Log1p Sqrt Rsqrt Square Abs Neg Sign Sin Cos Round
    Floor Add AddV2 AddN Sub Mul RealDiv FloorDiv FloorMod Pow Maximum Minimum SquaredDifference Less LessEqual Greater
    GreaterEqual Equal NotEqual LogicalAnd LogicalOr LogicalNot IsNan EnsureShape
    """.split()
)
# The place of the input of these that holds the sizes of the result, or what they are multiplied with.
_SIZED = {'Fill': 0, 'RandomUniform': 0, 'RandomStandardNormal': 0, 'TruncatedNormal': 0, 'BroadcastTo': 1, 'Tile': 1}
# Vectors and numbers made of sizes, and how many of the inputs hold sizes.
_OF_SIZES: Dict[str, Any] = {'Pack': None, 'ConcatV2': -1, 'Mul': None}
_OF_SIZES.update(dict.fromkeys(['StridedSlice', 'Identity', 'Cast', 'Reshape', 'Prod'], 1))

# Attributes of tensors that have elements, and of vectors of sizes that hold no 0, where no empty array is fed.
_FULL, _POSITIVE = '_keras_backend_full', '_keras_backend_positive'


def may_be_empty(x: Any) -> bool:
    """Whether `x` may have no elements in a run in which no empty array is fed."""
    known, seen = [], set()
    outside: Dict[int, Any] = {}
    todo = [(x, False)]
    while todo:
        entry = t, is_size = todo.pop()
        mark = _POSITIVE if is_size else _FULL
        if (id(t), is_size) in seen or hasattr(t, mark):
            continue
        seen.add((id(t), is_size))
        needed = [(outside[id(t)], is_size)] if id(t) in outside else _needed(t, is_size, outside)
        if needed is None:
            return True
        todo += needed
        known.append((entry, mark))
    for (t, _), mark in known:
        if id(t) not in outside:
            setattr(t, mark, True)
    return False


def _needed(t: Any, is_size: bool, outside: Dict[int, Any]) -> Any:
    """The pairs (tensor, whether it holds sizes) on which it depends that `t` has elements, or holds no 0.

    None if it may well be without, or hold one.
    """
    op = t.op
    if is_size:
        if op.type == 'Shape':
            return [(op.inputs[0], False)]
        if op.type in _OF_SIZES:
            return [(s, True) for s in op.inputs[: _OF_SIZES[op.type]]]
        value = tf.get_static_value(t) if op.type == 'Const' else None
        return [] if value is not None and (value > 0).all() else None
    if t.shape.is_fully_defined():
        return None if 0 in t.shape.as_list() else []
    if op.type in _FILLED:
        return [(i, False) for i in op.inputs]
    if op.type in _SIZED:
        return [(i, position == _SIZED[op.type]) for position, i in enumerate(op.inputs)]
    if op.type == 'StridedSlice' and _takes_all_rows(op):
        return [(op.inputs[0], False)]
    if op.type in _CHOICES:
        pairs = []
        for branch in ('then_branch', 'else_branch'):
            body = branch_graph(op, branch)
            outside.update({id(inner): outer for inner, outer in zip(body.inputs, op.inputs[1:])})
            pairs.append((body.outputs[t.value_index], False))
        return pairs
    # The values that a body gets from outside are unknown, so a placeholder has to be one of the graph itself.
    return [] if op.type in _PLACEHOLDERS and outer_graph(op.graph) is None else None


def _takes_all_rows(op: Any) -> bool:
    """Whether a slice takes all rows, and of the other axes a part of known size."""
    shape, rank, steps = op.outputs[0].shape, op.inputs[0].shape.rank, tf.get_static_value(op.inputs[3])
    if shape.rank is None or rank is None or steps is None or op.get_attr('new_axis_mask'):
        return False
    # An ellipsis in front stands for one axis at least.
    skipped = op.get_attr('ellipsis_mask') & 1 and rank >= len(steps)
    whole = op.get_attr('begin_mask') & op.get_attr('end_mask') & ~op.get_attr('shrink_axis_mask') & 1
    rest = shape.as_list()[1:]
    return bool(skipped or whole) and None not in rest and 0 not in rest


def filled(function: Callable[[Any], Any], x: Any, axes: Iterable[int]) -> Any:
    """`function(x)`, where `x` may be empty along `axes`, and the result then is, too."""
    padding = _place(x, axes)
    return padding.cut(function(padding.fill(x)))


def _place(x: Any, axes: Iterable[int]) -> '_Place':
    sizes = x.shape.as_list()
    unknown = {i for i in axes if sizes[i] is None}
    # No size is -1.
    empty = tf.equal(tf.shape(x), [0 if i in unknown else -1 for i in range(len(sizes))])
    lacking, nothing = tf.cast(empty, tf.int32), tf.constant([0] * len(sizes))
    return _Place(unknown, tf.stack([nothing, lacking], 1), nothing, lacking - 1)


class _Place:
    """Where rows are lacking. Where none are, neither `fill` nor `cut` copies, nor do their gradients.

    Each is the gradient of the other. Those of TensorFlow take a dozen nodes.
    """

    def __init__(self, axes: Set[int], widths: Any, nothing: Any, left: Any) -> None:
        self.axes, self.widths, self.nothing, self.left = axes, widths, nothing, left

    def fill(self, x: Any) -> Any:
        """`x` with a row of zeros along the axes along which rows are lacking."""
        # Not tf.pad: oneDNN makes it one with a convolution, and then it fills up height and width only.
        y = tf.raw_ops.PadV2(input=x, paddings=self.widths, constant_values=tf.zeros((), x.dtype))
        setattr(y, _FULL, True)
        return self._made(y, x, 'KerasBackendFill')

    def cut(self, x: Any) -> Any:
        """`x` without what `fill` has added."""
        y = self._made(tf.slice(x, self.nothing, self.left), x, 'KerasBackendCut')
        y._keras_backend_whole = x
        return y

    def _made(self, y: Any, x: Any, gradient: str) -> Any:
        set_gradient(y.op, gradient)
        y.set_shape([None if i in self.axes else n for i, n in enumerate(x.shape.as_list())])
        y._keras_backend_place = self
        return y


def before_cut(function: Callable[[Any], Any], x: Any) -> Any:
    """`function(x)` of every element alone. Next to a convolution TensorFlow makes it one with that."""
    whole = getattr(x, '_keras_backend_whole', None)
    return function(x) if whole is None else x._keras_backend_place.cut(function(whole))


@tf.RegisterGradient('KerasBackendFill')
def _gradient_of_fill(op: Any, gradient: Any) -> List[Any]:
    return [_place_of(op).cut(gradient), None, None]


@tf.RegisterGradient('KerasBackendCut')
def _gradient_of_cut(op: Any, gradient: Any) -> List[Any]:
    return [_place_of(op).fill(gradient), None, None]


def _place_of(op: Any) -> _Place:
    """The place of what `fill` or `cut` has made; made anew for a copy, and where its tensors are another graph's."""
    padding: Optional[_Place] = getattr(op.outputs[0], '_keras_backend_place', None)
    if padding is not None and padding.left.graph is op.graph:
        return padding
    x, operand = op.inputs[:2]
    left = op.inputs[2] if op.type == 'Slice' else operand[:, 1] - 1
    nothing = tf.zeros_like(left)
    shapes = [t.shape.as_list() for t in (x, op.outputs[0])]
    axes = {i for i, sizes in enumerate(zip(*shapes)) if None in sizes}
    return _Place(axes, tf.stack([nothing, left + 1], 1), nothing, left)


def is_risky(op: Any) -> bool:
    """Whether the kernel of an operation must not get an empty tensor."""
    return op.type in _RISKY


def careful_copy(graph: Any, operations: Any, fed: Iterable[Any]) -> Tuple[Dict[int, Any], Dict[Any, Any]]:
    """Copies of the risky ones among `operations` that may get empty tensors, and of those that depend on them.

    Returned as {id of a tensor: its copy} and {operation: its copy}. A tensor that is `fed` stays.
    """
    fixed = {id(t) for t in fed}
    tensors: Dict[int, Any] = {}
    copies: Dict[Any, Any] = {}
    with graph.as_default(), tf.name_scope('careful/'):
        for op in [op for op in graph.get_operations() if op in operations]:
            inputs = [tensors.get(id(t), t) for t in op.inputs]
            controls = [copies.get(c, c) for c in op.control_inputs]
            same = all([new is old for new, old in zip(inputs + controls, [*op.inputs, *op.control_inputs])])
            if same and not is_risky(op):
                continue
            with tf.control_dependencies(None), tf.control_dependencies(controls), tf.device(op.device or None):
                operation = _guarded(op, inputs) if is_risky(op) else _copied(op, inputs)
            copies[op] = operation
            for t, copy in zip(op.outputs, operation.outputs):
                copy.set_shape(t.shape)
            tensors.update({id(t): copy for t, copy in zip(op.outputs, operation.outputs) if id(t) not in fixed})
    return tensors, copies


def _copied(op: Any, inputs: Iterable[Any]) -> Any:
    attributes = {name: value for name, value in op.node_def.attr.items() if not name.startswith('_')}
    dtypes = [t.dtype for t in op.outputs]
    return op.graph.create_op(op.type, list(inputs), dtypes, name=op.name.split('/')[-1], attrs=attributes)


def _guarded(op: Any, inputs: List[Any]) -> Any:
    images = _RISKY[op.type]
    padding = _place(inputs[0], range(inputs[0].shape.rank - 1))
    operation = _copied(op, [padding.fill(t) if i in images else t for i, t in enumerate(inputs)])
    return operation if op.type in _FOR_KERNELS else padding.cut(operation.outputs[0]).op


# -- one walk ----------------------------------------------------------------------------------------------------------
# What a function needs to know of the part of the graph that it runs.


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
