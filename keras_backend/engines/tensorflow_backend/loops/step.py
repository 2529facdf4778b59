"""One call of a step function, copied into the body of a loop.

The step is called once, outside of the loop. Each value that changes from step to step is a stand-in there. The
operations that depend on a stand-in, and constants, are then copied into the body. All else stays outside and is
computed once.

Some steps cannot be copied: they assign a variable, draw random numbers, or have a gradient that only Python knows. A
layer may draw a mask at its first step and keep it for all steps, or draw anew in each. Only a second call tells.
"""

from contextlib import contextmanager
from typing import Any, Dict, FrozenSet, Iterator, List, Optional, Sequence, Set

from ....basics.scopes import scoped
from ....graph.nodes.region import make_room
from ..failures import sign_copy
from ..sessions.values_by_name import SCOPE
from ..tensors.reachable import Survey, is_stand_in, let_out, refuse_inside, shut_in
from ..vendor import body_graphs, copy_operation, get_default_graph, is_stateful, tf
from .gate_splits import parts_of
from .hoisted_reads import READING, is_initial

_LOOPS = frozenset(['While', 'StatelessWhile'])
_CHOICES = frozenset(['If', 'StatelessIf'])
# They tell something and change nothing.
_TELLING = frozenset(['PrintV2', 'PyFunc', 'EagerPyFunc', 'Assert'])
_COPIED = READING | _TELLING | _LOOPS | _CHOICES
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
        made = self._graph.get_operations()[self._count :]
        own = {t.op for t in self.inputs}
        moving = _behind(made, own)
        others = _behind(made, {op for op in made if op not in own and is_stand_in(op)})
        here, reached = set(made) - own, set()
        todo = [t.op for t in results] + [op for op in moving - others if op.type in _TELLING]
        while todo:
            op = todo.pop()
            if op in here and op not in reached:
                if op in others:
                    refuse_inside(op, results)
                reached.add(op)
                todo += [t.op for t in op.inputs] + list(op.control_inputs)
        if any(not _can_be_copied(op) for op in reached) or any(_acts(op, reached) for op in made):
            return None
        needed = [op for op in made if op in reached and (op in moving or _is_plain(op))]
        return Copy(self.inputs, needed, results, _first_reads([op for op in made if op in reached]))


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
            part = self._parts.get(op)
            if part is not None:
                axis, sizes, place = part
                key = id(op.inputs[0]), axis, sizes
                if key not in splits:
                    splits[key] = tf.split(inputs[0], sizes, axis)
                tensors[id(op.outputs[0])] = splits[key][place]
                operations[op] = splits[key][place].op
                numbers.append(operations[op]._id)
                continue
            made = copy_operation(op, inputs, [operations[c] for c in op.control_inputs if c in operations])
            operations[op] = made
            numbers.append(made._id)
            tensors.update({id(t): copy for t, copy in zip(op.outputs, made.outputs)})
            for t, copy in zip(op.outputs, made.outputs):
                sign_copy(t, copy, self._numbers, numbers)
        return [tensors.get(id(t), t) for t in self._results]


def _behind(made: Sequence[Any], sources: Set[Any]) -> Set[Any]:
    """Those of the operations `made`, in the order of their making, that depend on `sources`, these included."""
    found = set(sources)
    for op in made if sources else ():
        if any(t.op in found for t in op.inputs) or any(c in found for c in op.control_inputs):
            found.add(op)
    return found


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
    if op.type in _LOOPS or op.type in _CHOICES:
        states = {kind for graph in body_graphs(op) for kind in _states(graph)} - _COPIED
        return all([op.type in _LOOPS and kind.startswith(_DRAWING) for kind in states])
    return op.type in _COPIED or op.type == 'VarHandleOp' or not is_stateful(op.type)


def _states(graph: Any) -> FrozenSet[str]:
    """The types of the operations with a state in the graph of a body, and in those that it runs."""
    found = getattr(graph, _STATES, None)
    if found is None:
        kinds: Set[str] = set()
        for op in graph.get_operations():
            if op.type in _LOOPS or op.type in _CHOICES:
                kinds.update(*[_states(body) for body in body_graphs(op)])
            elif is_stateful(op.type):
                kinds.add(op.type)
        found = frozenset(kinds)
        setattr(graph, _STATES, found)
    return found


def _acts(op: Any, reached: Set[Any]) -> bool:
    """Whether an operation that no result needs acts nevertheless: a loop runs it in each step."""
    if op in reached or op.type in _COPIED or op.type.startswith(_DRAWING) or not is_stateful(op.type):
        return False
    # A step may ask for the value of a variable, and gets it at once.
    return op.type not in ('VarHandleOp', 'Placeholder') and not op.name.startswith(SCOPE) and not is_initial(op)


def _first_reads(operations: Sequence[Any]) -> Dict[int, Any]:
    """For the reads of each variable the first one: {id of a tensor: tensor}."""
    first: Dict[int, Any] = {}
    found: Dict[int, Any] = {}
    for op in operations:
        if op.type == 'ReadVariableOp':
            found[id(op.outputs[0])] = first.setdefault(id(op.inputs[0]), op.outputs[0])
    return found
