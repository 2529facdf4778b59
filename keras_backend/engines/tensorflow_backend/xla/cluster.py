"""A part of the graph as one XLA cluster: which part that can be, and how it is made.

The cluster is a copy. An operation that may not be compiled stays where it is, before the cluster, and hands its
results over: variables are read there, random numbers drawn, rows looked up. `Unfit` says why a function has no such
part.
"""

from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..vendor import function_definition, is_stateful, tf, tf2
from .cuts import LOOPS, add_functions, called, prune
from .nan import keep_nan
from .work import over_all_axes

_FRAMES = frozenset(['Enter', 'RefEnter', 'Merge', 'RefMerge', 'Switch', 'RefSwitch'])
# The operations on a variable that the body of a loop may hold: anything else would be an assignment.
_READING = frozenset(['ReadVariableOp', 'VariableShape'])
_CALLING = LOOPS | frozenset(
    ['If', 'StatelessIf', 'Case', 'StatelessCase', 'PartitionedCall', 'StatefulPartitionedCall']
)
# In XLA an index out of range is moved into it or left out, where the session says so.
_INDEXING = frozenset(
    """
    Gather GatherV2 GatherNd ResourceGather ResourceGatherNd SparseSoftmaxCrossEntropyWithLogits
    ScatterNd TensorScatterUpdate TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin
    """.split()
)
# The results differ, or errors are lost: XLA draws other numbers, checks nothing, and inverts what has no inverse.
_OTHERWISE = frozenset(
    """
    CheckNumerics CheckNumericsV2 DebugNumericSummaryV2 Cholesky MatrixInverse MatrixSolve MatrixTriangularSolve
    MatrixDeterminant LogMatrixDeterminant Svd SelfAdjointEigV2 Qr StatelessMultinomial Bucketize
    """.split()
)
# These have no compiled form, or one that the gradient of a choice cannot use.
_UNKNOWN = tuple('CTC Sparse String Optional PyFunc EagerPyFunc Print StatelessRandom StatelessTruncated'.split())
# Stateful operations that may run plainly, and once more where the compiler refuses the cluster. All others that are
# stateful may not: an assignment, a call of Python, a message, an element of a data set.
_REPEATABLE = tuple(
    """
    VarHandleOp VarIsInitializedOp ResourceGather Assert Placeholder Random TruncatedNormal ParameterizedTruncatedNormal
    Multinomial
    """.split()
)
_ONCE = ', which may not run twice'
_STATIC = frozenset(['Const', 'Shape', 'ShapeN', 'Size', 'Rank'])
_DIVISIONS = frozenset(['FloorDiv', 'FloorMod', 'Mod', 'TruncateDiv', 'TruncateMod', 'Div', 'RealDiv'])
# A sum over more numbers than this is taken in two steps: XLA adds them up one by one, in single precision.
_MANY = 1 << 12


class Unfit(Exception):
    """There is no part that could be compiled; the message says why."""


class Cluster(NamedTuple):
    """`tensors` stand for those that were wanted; `nodes` is how many operations were compiled, loops included."""

    tensors: List[Any]
    nodes: int
    loops: bool
    convolutions: bool


def make(graph: Any, fed: Sequence[Any], wanted: Sequence[Any]) -> Cluster:
    """A cluster for the tensors `wanted`, as far as they depend on more than constants and variables."""
    subgraph = _Part(_Functions(graph), fed, wanted)
    definition, names = subgraph.definition(graph)
    results, _ = prune(definition, names)
    keep_nan(definition)
    nodes = [*definition.node, *[node for f in definition.library.function for node in f.node_def]]
    for node in nodes:
        # XLA ends the process where it meets a list of lists. No gradient of a choice is left where there is none.
        if node.op.startswith('TensorList') and node.attr['element_dtype'].type == tf.variant.as_datatype_enum:
            raise Unfit('a loop keeps a list of lists')
        if node.op.startswith('Optional'):
            raise Unfit(f'the gradient of a choice in it needs {node.op}')
    kept = {node.name for node in definition.node}
    taken = {name: t for name, t in subgraph.taken.items() if name in kept}
    # The nodes that stand for the tensors in `taken` are not part of the cluster. The compiler would refuse them.
    for node in [node for node in definition.node if node.name in taken]:
        definition.node.remove(node)

    def body(*arguments: Any) -> Any:
        inputs = {f'{name}:0': argument for name, argument in zip(taken, arguments)}
        return tf.import_graph_def(definition, inputs, results, name='')

    compiled = tf2.function(
        body, [tf.TensorSpec(t.shape, t.dtype) for t in taken.values()], autograph=False, jit_compile=True
    )
    with graph.as_default(), tf.control_dependencies(None), tf.control_dependencies(subgraph.before):
        outputs = compiled(*taken.values())
    for t, m in zip(subgraph.through, outputs):
        m.set_shape(t.shape)
    through = {id(t): m for t, m in zip(subgraph.through, outputs)}
    kinds = {node.op for node in nodes}
    return Cluster(
        [through.get(id(t), t) for t in wanted],
        len(nodes),
        not LOOPS.isdisjoint(kinds),
        any(['Conv' in kind for kind in kinds]),
    )


class _Functions:
    """The reasons why operations cannot be compiled, also those inside of the functions that they call."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._faults: Dict[str, Optional[str]] = {}

    def fault(self, op: Any) -> Optional[str]:
        """Why an operation of the graph cannot be compiled, None if it can."""
        if op.type == 'VariableShape':
            return None
        if op.type == 'GatherV2' and (all(map(_static, op.inputs)) or _in_range(op)):
            return None
        fault = _fault(op.type, [t.dtype for t in op.inputs], op.op_def.is_stateful)
        if fault is None and op.type in _DIVISIONS and op.inputs[1].dtype.is_integer and not _static(op.inputs[1]):
            fault = 'a division of integers'
        if fault is None and op.type == 'StridedSlice' and not all(map(_static, op.inputs[1:])):
            fault = 'an index that is not known before a run'
        if fault is None and op.type == 'Slice' and not _static(op.inputs[1]):
            fault = 'an index that is not known before a run'
        if fault is None and any(t.dtype == tf.string for t in [*op.inputs, *op.outputs]):
            fault = 'strings'
        return fault or self._inside(op.node_def)

    def _inside(self, node: Any) -> Optional[str]:
        names = list(called(node))
        for name in names:
            if name not in self._faults:
                self._faults[name] = None
                function = function_definition(self._graph, name)
                self._faults[name] = function and self._of_function(function)
        return _first([self._faults[name] for name in names])

    def _of_function(self, function: Any) -> Optional[str]:
        # The offsets of what was put together are those of its parts.
        constants = {node.name for node in function.node_def if node.op in _STATIC or node.op == 'ConcatOffset'}
        faults = []
        for node in function.node_def:
            # The gradient of a choice reads these; they are pruned where there is none.
            if node.op in ('OptionalFromValue', 'OptionalNone'):
                continue
            if node.op == 'GatherV2' and constants.issuperset([i.split(':')[0] for i in node.input[:2]]):
                continue
            fault = _fault(node.op, [], is_stateful(node.op))
            if fault is None and node.op in ('StridedSlice', 'Slice') and node.input[1].split(':')[0] not in constants:
                fault = 'an index that is not known before a run'
            faults.append(fault or self._inside(node))
        return _first(faults)


def _first(faults: List[Optional[str]]) -> Optional[str]:
    """The gravest of these faults, None if there is none."""
    ordered = sorted([f for f in faults if f], key=lambda f: not f.endswith(_ONCE))
    return ordered[0] if ordered else None


def _fault(kind: str, dtypes: Sequence[Any], stateful: bool) -> Optional[str]:
    if stateful and not kind.startswith(_REPEATABLE) and kind not in _CALLING and kind not in _READING:
        return kind + _ONCE
    if kind in _FRAMES:
        return f'{kind} of the loops of TensorFlow 1'
    if kind in _INDEXING:
        return f'{kind}, whose indices are not checked in a cluster'
    if kind in _OTHERWISE or kind.startswith(_UNKNOWN):
        return kind
    if stateful and kind not in _CALLING and kind not in _READING:
        return kind
    if tf.resource in dtypes and kind not in _CALLING:
        return kind
    return None


def _static(tensor: Any) -> bool:
    """Whether a tensor depends on constants and the shapes of tensors alone, which XLA knows when it compiles."""
    seen, todo = set(), [tensor.op]
    while todo:
        op = todo.pop()
        if op not in seen and op.type not in _STATIC:
            seen.add(op)
            if not op.inputs or op.type.startswith('Placeholder') or len(seen) > 100:
                return False
            todo += [t.op for t in op.inputs]
    return True


def _in_range(op: Any) -> bool:
    """Whether the indices of a lookup are constants that it has rows for."""
    indices, axis = tf2.get_static_value(op.inputs[1]), tf2.get_static_value(op.inputs[2])
    shape = op.inputs[0].shape
    if indices is None or axis is None or shape.rank is None or shape.as_list()[int(axis)] is None:
        return False
    return bool(((indices >= 0) & (indices < shape.as_list()[int(axis)])).all())


class _Part:
    """The operations of a cluster, the tensors that it takes, and what has to run before it.

    `through` are those of the wanted tensors that it computes.
    """

    def __init__(self, functions: _Functions, fed: Sequence[Any], wanted: Sequence[Any]) -> None:
        self._fed = {id(t) for t in fed}
        self._idle = {t.op for t in fed}
        faults = self._faults(functions, wanted)
        self._faulty, self._outside = set(faults), self._behind(faults)
        loops = [op for op in self._outside if op.type in LOOPS]
        if loops:
            raise Unfit(self._why(sorted(loops, key=lambda op: (op not in faults, op.name))[0], faults))
        self.through = [t for t in wanted if not self._is_taken(t) and t.op.type != 'Const']
        self.through = list({id(t): t for t in self.through}.values())
        self.taken: Dict[str, Any] = {}
        self.before: List[Any] = []
        self._names: Dict[int, str] = {}
        self._inside = self._collected()

    def _inputs(self, op: Any) -> List[Any]:
        """The operations that have to run before `op`, as far as they do not compute what is fed."""
        return [t.op for t in op.inputs if id(t) not in self._fed] + self._controls(op)

    def _controls(self, op: Any) -> List[Any]:
        return [c for c in op.control_inputs if c not in self._idle]

    def _behind(self, operations: Iterable[Any]) -> Set[Any]:
        """`operations` and all that they depend on."""
        seen: Set[Any] = set()
        todo = list(operations)
        while todo:
            op = todo.pop()
            if op not in seen:
                seen.add(op)
                todo += self._inputs(op)
        return seen

    def _faults(self, functions: _Functions, wanted: Sequence[Any]) -> Dict[Any, str]:
        faults = {}
        for op in self._behind([t.op for t in wanted if id(t) not in self._fed]):
            fault = functions.fault(op)
            if fault is not None and fault.endswith(_ONCE):
                raise Unfit(f'{op.name} is {fault}' if fault == op.type + _ONCE else f'{op.name} has in it: {fault}')
            if fault is not None:
                faults[op] = fault
        return faults

    def _why(self, loop: Any, faults: Dict[Any, str]) -> str:
        """Why a loop cannot be compiled."""
        if loop in faults:
            return f'the loop {loop.name} has in it: {faults[loop]}'
        for op in sorted(faults, key=lambda op: op.name):
            if loop in self._behind([op]):
                break
        return f'{op.name} depends on the loop {loop.name} and cannot be compiled with it: {faults[op]}'

    def _is_taken(self, t: Any) -> bool:
        """Whether a tensor is handed to the cluster rather than computed in it.

        Sizes are computed in it, a second time if need be: XLA has to know them when it compiles.
        """
        if id(t) in self._fed or t.op in self._faulty:
            return True
        return t.op in self._outside and t.op.type != 'Const' and not t.dtype.is_integer

    def _collected(self) -> List[Any]:
        """The operations of the cluster."""
        # In the order in which they are met: that of a set depends on addresses, and XLA may go by it.
        inside: Dict[Any, None] = {}
        todo = [t.op for t in self.through]
        while todo:
            op = todo.pop()
            if op in inside:
                continue
            inside[op] = None
            for t in op.inputs:
                if not self._is_taken(t):
                    todo.append(t.op)
                elif id(t) not in self._names:
                    if t.dtype in (tf.variant, tf.string):
                        raise Unfit(f'{t.op.name} would have to hand it a tensor of {t.dtype.name}s')
                    name = self._names[id(t)] = f'taken_{len(self.taken)}'
                    self.taken[name] = t
            for c in self._controls(op):
                if c in self._outside:
                    self.before.append(c)
                else:
                    todo.append(c)
        return list(inside)

    def _name(self, t: Any) -> str:
        return self._names.get(id(t)) or f'{t.op.name}:{t.value_index}'

    def definition(self, graph: Any) -> Tuple[Any, List[str]]:
        """The cluster as a GraphDef, and the names that `through` has in it."""
        definition = tf.GraphDef()
        definition.versions.CopyFrom(graph.graph_def_versions)
        for name, t in self.taken.items():
            node = definition.node.add(name=name, op='Placeholder')
            node.attr['dtype'].type = t.dtype.as_datatype_enum
            node.attr['shape'].shape.CopyFrom(t.shape.as_proto())
        for op in self._inside:
            node = definition.node.add()
            node.CopyFrom(op.node_def)
            controls = [f'^{c.name}' for c in self._controls(op) if c not in self._outside]
            del node.input[:]
            node.input.extend([self._name(t) for t in op.inputs] + controls)
            _split(definition, node, op)
        add_functions(definition, graph)
        return definition, [self._name(t) for t in self.through]


def _split(definition: Any, node: Any, op: Any) -> None:
    """Let the sum or mean of all of something large begin with sums of columns.

    XLA adds up a million numbers one by one, and single precision has seven digits.
    """
    if op.type not in ('Sum', 'Mean') or not op.inputs[0].dtype.is_floating:
        return
    shape = op.inputs[0].shape
    if not shape.rank or not over_all_axes(op):
        return
    count = shape.num_elements()
    if count is not None and count <= _MANY:
        return
    name, operand = f'{node.name}/columns', node.input[0]
    if count is None:
        if shape.rank > 1:
            node.input[0] = _reduced(definition, name, operand, op, list(range(shape.rank - 1)))
        return
    rows = count
    while count > _MANY and rows > 1:
        rows = max([d for d in range(1, 257) if count % d == 0])
        count //= rows
        operand = _reshaped(definition, f'{name}/{count}/matrix', operand, op, [rows, count])
        operand = _reduced(definition, f'{name}/{count}/reduced', operand, op, [0])
    node.input[0] = _reshaped(definition, name, operand, op, [1] * (shape.rank - 1) + [count])


def _reduced(definition: Any, name: str, given: str, op: Any, axes: List[int]) -> str:
    node = definition.node.add(name=name, op=op.type, input=[given, _integers(definition, f'{name}/axes', axes)])
    node.attr['T'].type = op.inputs[0].dtype.as_datatype_enum
    node.attr['Tidx'].type = tf.int32.as_datatype_enum
    node.attr['keep_dims'].b = True
    # Or else XLA makes one sum of this one and the next.
    barrier = definition.node.add(name=f'{name}/barrier', op='XlaOptimizationBarrier', input=[name])
    barrier.attr['T'].list.type.append(op.inputs[0].dtype.as_datatype_enum)
    return f'{name}/barrier'


def _reshaped(definition: Any, name: str, given: str, op: Any, shape: List[int]) -> str:
    node = definition.node.add(name=name, op='Reshape', input=[given, _integers(definition, f'{name}/shape', shape)])
    node.attr['T'].type = op.inputs[0].dtype.as_datatype_enum
    node.attr['Tshape'].type = tf.int32.as_datatype_enum
    return name


def _integers(definition: Any, name: str, values: List[int]) -> str:
    node = definition.node.add(name=name, op='Const')
    node.attr['dtype'].type = tf.int32.as_datatype_enum
    node.attr['value'].tensor.CopyFrom(tf.make_tensor_proto(values, tf.int32))
    return name
