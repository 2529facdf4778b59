"""The step of a loop: variables that it reads before the loop, slices of one tensor, and its copy in the body."""

import contextlib
from contextlib import contextmanager
from typing import Any, Dict, FrozenSet, Iterator, List, Optional, Sequence, Set, Tuple

from ...basics.library import Tensor
from ...basics.threads import scoped
from ...graph.nodes.base import make_room
from .failures import sign_copy
from .sessions import SCOPE
from .tensors.graph import state_of
from .tensors.reachable import Survey, is_stand_in, let_out, refuse_inside, shut_in
from .tensors.tensors import static_shape
from .vendor import Operation, body_graphs, copy_operation, get_default_graph, is_stateful, tf, tf2, watching

# -- reads before the loop ---------------------------------------------------------------------------------------------
# Variables that the step of a loop reads: read once before the loop, unless the step assigns one.


# The attribute of the body of a loop that says how variables are read there.
_READS = '_keras_backend_reads'

# Operations that take a variable itself and leave it as it is.
READING = frozenset(['ReadVariableOp', 'ResourceGather', 'ResourceGatherNd', 'VariableShape', 'VarIsInitializedOp'])


class _Reads:
    """How the body of a loop reads variables: in the graph around it, each once.

    A read inside is a new tensor in every step. Its gradient keeps them all, and XLA copies each one.
    """

    def __init__(self, outside: Any) -> None:
        self._outside = outside
        self._made: Dict[int, Tuple[Any, Any]] = {}

    def value(self, variable: Any) -> Any:
        """The value that the variable has when the loop starts."""
        pair = self._made.get(id(variable))
        if pair is None:
            # As the graph around it reads it: behind what that has to wait for, and outside of a loop around this one.
            with self._outside.as_default():
                pair = self._made[id(variable)] = variable.value(), variable
        return pair[0]


def read_outside(variable: Any) -> Any:
    """The value of a variable of K, read in the graph around the loop whose step is built; None where there is none."""
    reads = getattr(get_default_graph(), _READS, None)
    return None if reads is None else reads.value(variable)


def read_in(outside: Any) -> None:
    """From now on let the body of a loop, which is being built, read variables in the graph `outside`."""
    setattr(get_default_graph(), _READS, _Reads(outside))


def operations() -> Tuple[Any, int, int]:
    """The graph that is built in, and how many operations and variables it has: what `assigning` starts from."""
    graph = get_default_graph()
    return graph, len(graph.get_operations()), len(state_of(graph).variables)


def assigning(before: Tuple[Any, int, int]) -> bool:
    """Whether an operation made since `before` may assign a variable, so that a later read gets another value."""
    graph, count, variables = before
    # A variable that a layer makes at its first step gets its first value elsewhere.
    initial = {v.initializer for v in state_of(graph).variables[variables:] if not is_bare(v)}
    return any(op not in initial and _assigns(op) for op in graph.get_operations()[count:])


def is_initial(op: Any) -> bool:
    """Whether an operation gives a variable its first value, or tells whether it has one."""
    variables = state_of(op.graph).variables
    return any(op is v.initializer for v in variables if not is_bare(v))


def is_bare(variable: Any) -> bool:
    """Whether a variable has no initialiser yet: nobody has asked for it."""
    return getattr(variable, '_keras_backend_start', None) is not None


def _assigns(op: Any) -> bool:
    if op.type in READING:
        return False
    # Loops and branches that take a variable read it or assign it; both leave reads where they are.
    return any(t.dtype == tf.resource or t.dtype._is_ref_dtype for t in op.inputs)


# -- slices that make up a whole ---------------------------------------------------------------------------------------
# Slices that together make up a whole tensor, taken in one operation.
#
# Layers compute all gates of a cell at once and take them apart by slicing. The gradient of a slice is a tensor of the
# size of the whole that is zero elsewhere, and these are then added up; the gradient of a split is one concatenation.
# A call of the step function shows which of its slices belong together. Where what it makes is copied into a loop,
# parts of one split take the place of these (see `Trace`). Where it is called again, the second call gets them. A
# training step of an LSTM takes three quarters of the time then.


# More parts than a cell has gates are rather steps of something else, of which each may be needed alone.
_MOST = 16

Part = Tuple[int, int, int, int]  # see `_part`
Found = Tuple[Tensor, Optional[Part]]
Entry = Tuple[Part, int, Tuple[int, ...], int]  # see `_planned`


class Slices:
    """A record of the slices of one step function, in the order in which it takes them."""

    def __init__(self) -> None:
        self._plan: Optional[Dict[int, Entry]] = None

    @contextlib.contextmanager
    def around_step(self) -> Iterator[None]:
        """Around a call of the step function: the first one is watched, slices of later ones are replaced."""
        slices: List[Found] = []
        splits: Dict[Any, Tuple[List[Tensor], Tensor]] = {}
        count = [0]

        def look(op_type: str, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None) -> Any:
            if op_type == 'StridedSlice':
                slices.append((inputs[0], _part(outputs[0].op)))
            return outputs

        def replace(op_type: str, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None) -> Any:
            if op_type != 'StridedSlice':
                return outputs
            count[0] += 1
            assert self._plan is not None
            planned = self._plan.get(count[0] - 1)
            if planned is None or planned[0] != _part(outputs[0].op):
                return outputs
            _, axis, sizes, index = planned
            key = id(graph), id(inputs[0]), axis, sizes
            if key not in splits:
                # With the tensor, or else another might be born with its id.
                splits[key] = tf.split(inputs[0], sizes, axis), inputs[0]
            return [splits[key][0][index]]

        first = self._plan is None
        with watching(look if first else replace):
            yield
        if first:
            self._plan = _planned(slices)


def parts_of(slices: Sequence[Operation]) -> Dict[Operation, Tuple[int, Tuple[int, ...], int]]:
    """For those of `slices` that together make up a whole: {operation: (axis, sizes of the parts, its own)}."""
    plan = _planned([(op.inputs[0], _part(op)) for op in slices])
    return {slices[number]: entry[1:] for number, entry in plan.items()}


def _part(op: Operation) -> Optional[Part]:
    """(axis, size of the axis, first, last + 1) of a slice along one axis that is known before a run, else None."""
    value = op.inputs[0]
    if value.shape.rank is None or any(
        [op.get_attr(mask) for mask in ('ellipsis_mask', 'new_axis_mask', 'shrink_axis_mask')]
    ):
        return None
    begin, end, strides = [tf2.get_static_value(t) for t in op.inputs[1:]]
    if begin is None or end is None or strides is None or any(strides != 1):
        return None
    open_begin, open_end = op.get_attr('begin_mask'), op.get_attr('end_mask')
    bounds = None
    for axis, size in enumerate(static_shape(value)[: len(begin)]):
        first = 0 if open_begin >> axis & 1 else int(begin[axis])
        last: Any = size if open_end >> axis & 1 else int(end[axis])
        if first == 0 and last == size:
            continue
        if bounds is not None or size is None or first < 0:
            return None
        bounds = axis, size, first, min(last, size)
    return bounds


def _planned(found: Sequence[Found]) -> Dict[int, Entry]:
    """For each slice that belongs to a group: what it takes, along which axis, the sizes of the parts, and its own."""
    groups: Dict[Tuple[int, int], List[Tuple[int, Part]]] = {}
    for number, (value, bounds) in enumerate(found):
        if bounds is not None:
            groups.setdefault((id(value), bounds[0]), []).append((number, bounds))
    plan = {}
    for members in groups.values():
        axis, size = members[0][1][:2]
        spans = sorted({bounds[2:] for _, bounds in members})
        edges = [first for first, _last in spans] + [size]
        if 1 < len(spans) <= _MOST and edges[0] == 0 and edges[1:] == [last for _first, last in spans]:
            sizes = tuple([last - first for first, last in spans])
            for number, bounds in members:
                plan[number] = bounds, axis, sizes, spans.index(bounds[2:])
    return plan


# -- the step ----------------------------------------------------------------------------------------------------------
# One call of a step function, copied into the body of a loop.
#
# The step is called once, outside of the loop. Each value that changes from step to step is a stand-in there. The
# operations that depend on a stand-in, and constants, are then copied into the body. All else stays outside and is
# computed once.
#
# Some steps cannot be copied: they assign a variable, draw random numbers, or have a gradient that only Python knows.
# A layer may draw a mask at its first step and keep it for all steps, or draw anew in each. Only a second call tells.


_CHOICES = frozenset(['If', 'StatelessIf'])
# They tell something and change nothing.
_TELLING = frozenset(['PrintV2', 'PyFunc', 'EagerPyFunc', 'Assert'])
LOOPS = frozenset(['While', 'StatelessWhile'])
_COPIED = READING | _TELLING | LOOPS | _CHOICES
_DRAWING = ('Random', 'TruncatedNormal', 'ParameterizedTruncatedNormal', 'Multinomial')
# The attribute of the graph of a body that keeps what `_states` has found.
_STATES = '_keras_backend_states'
# The attribute of a graph that says that a step was traced in it.
_STEPS = '_keras_backend_steps'

_inside = scoped('functions of a user that build within each other', 0)


@contextmanager
def nested() -> Iterator[None]:
    """Around the call of a function of a user that may call K, which may call another one."""
    depth = _inside.get()
    _inside.set(depth + 1)
    try:
        with make_room(depth):
            yield
    finally:
        _inside.set(depth)


class Trace:
    """A record of the operations that one call of a step makes, from now on."""

    def __init__(self, what: str) -> None:
        self._what, self._graph = what, get_default_graph()
        self._count = len(self._graph.get_operations())
        self.inputs: List[Any] = []

    def stand_in(self, x: Any) -> Any:
        """A stand-in for `x` and values like it. Nothing is known of its value."""
        (y,) = tf.raw_ops.IdentityN(input=[x])
        y.set_shape(x.shape)
        shut_in(y.op, self._what)
        setattr(self._graph, _STEPS, True)
        self.inputs.append(y)
        return y

    def let_out(self) -> None:
        """Let what was made be used outside, with the values that the stand-ins were made from."""
        for t in self.inputs:
            let_out(t.op)

    def copied(self, results: Sequence[Any]) -> Optional['Copy']:
        """A copy that makes `results` anew from other inputs; None if the step has to be called again for that."""
        traced = self._graph.get_operations()[self._count :]
        own = {t.op for t in self.inputs}
        moving = _behind(traced, own)
        others = _behind(traced, {op for op in traced if op not in own and is_stand_in(op)})
        here, reached = set(traced) - own, set()
        todo = [t.op for t in results] + [op for op in moving - others if op.type in _TELLING]
        while todo:
            op = todo.pop()
            if op in here and op not in reached:
                if op in others:
                    refuse_inside(op, results)
                reached.add(op)
                todo += [t.op for t in op.inputs] + list(op.control_inputs)
        if any(not _can_be_copied(op) for op in reached) or any(_acts(op, reached) for op in traced):
            return None
        needed = [op for op in traced if op in reached and (op in moving or _is_plain(op))]
        return Copy(self.inputs, needed, results, _first_reads([op for op in traced if op in reached]))


def refuse_escaped(values: List[Any]) -> None:
    """Refuse results of a branch that belong to the inside of a step that was traced in it."""
    if getattr(get_default_graph(), _STEPS, False):
        Survey(values, [], [])


class Copy:
    """Makes the operations of a trace anew, wherever it is called."""

    def __init__(self, inputs: List[Any], operations: List[Any], results: Sequence[Any], same: Dict[int, Any]) -> None:
        self._inputs, self._operations, self._results, self._same = inputs, operations, results, same
        self._numbers = [op._id for op in operations]
        self._parts = parts_of([op for op in operations if op.type == 'StridedSlice'])

    def __call__(self, values: Sequence[Any]) -> List[Any]:
        """The results, where `values` stand for the inputs."""
        tensors = dict(self._same)
        tensors.update({id(t): value for t, value in zip(self._inputs, values)})
        operations: Dict[Any, Any] = {}
        splits: Dict[Any, Any] = {}
        numbers: List[int] = []
        for op in self._operations:
            inputs = [tensors.get(id(t), t) for t in op.inputs]
            plan = self._parts.get(op)
            if plan is not None:
                axis, sizes, index = plan
                key = id(op.inputs[0]), axis, sizes
                if key not in splits:
                    splits[key] = tf.split(inputs[0], sizes, axis)
                tensors[id(op.outputs[0])] = splits[key][index]
                operations[op] = splits[key][index].op
                numbers.append(operations[op]._id)
                continue
            operation = copy_operation(op, inputs, [operations[c] for c in op.control_inputs if c in operations])
            operations[op] = operation
            numbers.append(operation._id)
            tensors.update({id(t): copy for t, copy in zip(op.outputs, operation.outputs)})
            for t, copy in zip(op.outputs, operation.outputs):
                sign_copy(t, copy, self._numbers, numbers)
        return [tensors.get(id(t), t) for t in self._results]


def _behind(made: Sequence[Any], sources: Set[Any]) -> Set[Any]:
    """Those of the operations `made`, in the order of their making, that depend on `sources`, these included."""
    dependents = set(sources)
    for op in made if sources else ():
        if any(t.op in dependents for t in op.inputs) or any(c in dependents for c in op.control_inputs):
            dependents.add(op)
    return dependents


def _is_plain(op: Any) -> bool:
    """Whether an operation that depends on nothing that changes is copied all the same: it is a constant, or sizes."""
    if op.type == 'Const':
        return True
    return (
        bool(op.inputs)
        and not is_stateful(op.type)
        and all([t.dtype.is_integer or t.dtype == tf.bool for t in op.outputs])
        and op.type != 'PlaceholderWithDefault'
    )


def _can_be_copied(op: Any) -> bool:
    name = op.node_def.attr['_gradient_op_type'].s.decode() if '_gradient_op_type' in op.node_def.attr else ''
    if name and not name.startswith('KerasBackend'):
        # Python knows tensors of the trace for this gradient.
        return False
    if op.type in LOOPS or op.type in _CHOICES:
        states = {kind for graph in body_graphs(op) for kind in _states(graph)} - _COPIED
        return all([op.type in LOOPS and kind.startswith(_DRAWING) for kind in states])
    return op.type in _COPIED or op.type == 'VarHandleOp' or not is_stateful(op.type)


def _states(graph: Any) -> FrozenSet[str]:
    """The types of the operations with a state in the graph of a body, and in those that it runs."""
    types = getattr(graph, _STATES, None)
    if types is None:
        kinds: Set[str] = set()
        for op in graph.get_operations():
            if op.type in LOOPS or op.type in _CHOICES:
                kinds.update(*[_states(body) for body in body_graphs(op)])
            elif is_stateful(op.type):
                kinds.add(op.type)
        types = frozenset(kinds)
        setattr(graph, _STATES, types)
    return types


def _acts(op: Any, reached: Set[Any]) -> bool:
    """Whether an operation that no result needs acts nevertheless: a loop runs it in each step."""
    if op in reached or op.type in _COPIED or op.type.startswith(_DRAWING) or not is_stateful(op.type):
        return False
    # A step may ask for the value of a variable, and gets it at once.
    return op.type not in ('VarHandleOp', 'Placeholder') and not op.name.startswith(SCOPE) and not is_initial(op)


def _first_reads(operations: Sequence[Any]) -> Dict[int, Any]:
    """For the reads of each variable the first one: {id of a tensor: tensor}."""
    first: Dict[int, Any] = {}
    reads: Dict[int, Any] = {}
    for op in operations:
        if op.type == 'ReadVariableOp':
            reads[id(op.outputs[0])] = first.setdefault(id(op.inputs[0]), op.outputs[0])
    return reads
