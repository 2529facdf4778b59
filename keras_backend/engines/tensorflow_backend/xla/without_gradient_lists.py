"""A function with loops without the lists that its loops keep for a gradient which the function does not compute.

A session that places only what it runs (`session.own_session`) takes loops apart and does not look again at what is
needed then. Asked for the result of an LSTM, it would keep all tensors of all steps. So a function runs a copy of such
loops, and of what depends on them. Where that would copy random numbers, the function runs what it was given: two
functions of one random tensor draw different numbers, and copies would draw the same.

    x -> dense -> loop(y, kept1, kept2) -> dense -> y       dense runs as it is,
                  loop'(y)              -> dense'-> y'      the loop and what comes after it as a copy
"""

from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from ..vendor import is_stateful, tf
from .unread_outputs import BRANCHES, LOOPS, add_functions, prune

# Loops of TensorFlow 1, whose parts stand in the graph itself.
_FRAMES = frozenset(['Enter', 'RefEnter'])
# Stateful operations that share their state with a copy, which is in a variable or in what they call.
_SHARED = (
    LOOPS | BRANCHES | frozenset(['ReadVariableOp', 'VariableShape', 'ResourceGather', 'ResourceGatherNd', 'Assert'])
)
# Names of what stands for tensors and operations outside of a copy.
_GIVEN = 'keras_backend_given_'


def cut(graph: Any, operations: Set[Any], fed: Iterable[Any], fetched: List[Any]) -> Optional[List[Any]]:
    """The tensors to fetch in place of `fetched`, behind shorter loops; None where nothing can be left out.

    `operations` are all those that run, as far as they do not compute what is `fed`.
    """
    fed_ids = {id(t) for t in fed}
    copied = _behind_loops(operations, fed_ids, fetched)
    if not copied or any([op.type in _FRAMES or _has_state(op) for op in copied]):
        return None
    wanted = [t for t in {id(t): t for t in fetched}.values() if t.op in copied]
    definition, given = _definition(graph, [op for op in operations if op in copied], operations, fed_ids)
    names, changed = prune(definition, [_name(t) for t in wanted], apart=True)
    inside = [node for function in definition.library.function for node in function.node_def]
    if not changed or any([is_stateful(node.op) and node.op not in _SHARED for node in inside]):
        return None
    kept = {node.name for node in definition.node}
    given = {name: t for name, t in given.items() if name.split(':')[0].lstrip('^') in kept}
    copies = {id(t): copy for t, copy in zip(wanted, _imported(graph, definition, given, names))}
    for t in wanted:
        copies[id(t)].set_shape(t.shape)
    return [copies.get(id(t), t) for t in fetched]


def _behind_loops(operations: Set[Any], fed: Set[int], fetched: Iterable[Any]) -> Set[Any]:
    """Loops and choices with results that no one reads, and what depends on them."""
    read = {id(t) for op in operations for t in op.inputs}.union(map(id, fetched))
    readers: Dict[Any, List[Any]] = {}
    for op in operations:
        for t in op.inputs:
            if id(t) not in fed:
                readers.setdefault(t.op, []).append(op)
        for c in op.control_inputs:
            readers.setdefault(c, []).append(op)
    todo = [op for op in operations if op.type in LOOPS | BRANCHES and not all([id(t) in read for t in op.outputs])]
    found: Set[Any] = set()
    while todo:
        op = todo.pop()
        if op not in found:
            found.add(op)
            todo += readers.get(op, [])
    return found


def _has_state(op: Any) -> bool:
    """Whether a copy of the operation would go its own ways: draw random numbers anew, or make another table."""
    return op.op_def.is_stateful and op.type not in _SHARED


def _definition(graph: Any, copied: Sequence[Any], running: Set[Any], fed: Set[int]) -> Tuple[Any, Dict[str, Any]]:
    """A GraphDef of `copied`, and what stands in the graph for its placeholders and for what it waits for."""
    definition, inside = tf.GraphDef(), set(copied)
    definition.versions.CopyFrom(graph.graph_def_versions)
    names: Dict[Any, str] = {}
    given: Dict[str, Any] = {}
    for op in copied:
        for t in op.inputs:
            if id(t) not in names and (t.op not in inside or id(t) in fed):
                name = names[id(t)] = f'{_GIVEN}{len(given)}'
                given[f'{name}:0'] = t
                definition.node.add(name=name, op='Placeholder').attr['dtype'].type = t.dtype.as_datatype_enum
        for c in op.control_inputs:
            if c not in names and c not in inside and c in running:
                name = names[c] = f'{_GIVEN}{len(given)}'
                given[f'^{name}'] = c
                definition.node.add(name=name, op='NoOp')
    for op in copied:
        node = definition.node.add()
        node.CopyFrom(op.node_def)
        controls = [names.get(c, c.name) for c in op.control_inputs if c in running]
        del node.input[:]
        node.input.extend([names.get(id(t)) or _name(t) for t in op.inputs] + [f'^{name}' for name in controls])
    add_functions(definition, graph)
    return definition, given


def _imported(graph: Any, definition: Any, given: Dict[str, Any], wanted: List[str]) -> List[Any]:
    """The tensors `wanted` of `definition`, imported with what is given in place of its first nodes."""
    for node in [node for node in definition.node if node.name.startswith(_GIVEN)]:
        definition.node.remove(node)
    with graph.as_default(), tf.control_dependencies(None):
        for name, op in given.items():
            if name.startswith('^'):
                # To wait for an operation without results one has to name one that has some.
                with tf.control_dependencies([op]):
                    given = {**given, name: tf.constant(0)}
        made: List[Any] = tf.import_graph_def(definition, given, wanted, name='keras_backend_cut')
        return made


def _name(t: Any) -> str:
    return f'{t.op.name}:{t.value_index}'
