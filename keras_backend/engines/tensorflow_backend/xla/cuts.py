"""What XLA must not see, cut out of a GraphDef: outputs that nobody reads, lists for gradients; and NaN."""

import itertools
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..vendor import function_definition, is_stateful, tf

# -- unread outputs ----------------------------------------------------------------------------------------------------
# Cuts loops and branches of a GraphDef down to what is needed of them.
#
# For its gradient a loop keeps every tensor of its steps, each in a list of its own, as long as no one knows what a
# gradient will ask for. Neither XLA nor a session of ours (`own_session`) finds out which lists no one reads. They
# would compute them all, and XLA ends the process where a list holds lists. An example, a loop over (i, x, kept), of
# which the graph around it reads x alone:
#
#     condition(i, x, kept):  i < 3                  asks for i
#     body(i, x, kept):       i + 1,                 asks for i
#                             tanh(x),               asks for x
#                             push(kept, tanh(x))    asks for kept and x
#
# The live variables of the loop are those that the condition asks for, here i; those that are read outside, here x;
# and those that the results of live ones ask for in the body, until nothing is added. Only its own result asks for
# `kept`, so it goes: from the inputs of the loop, from its condition and from its body. If it were read outside, or an
# accumulator of a loop around this one held it, it would stay. The cut body asks for less of what is inside it, so all
# this is repeated until nothing changes.


LOOPS = frozenset(['While', 'StatelessWhile'])
BRANCHES = frozenset(['If', 'StatelessIf'])
# Notes of TensorFlow about a loop as it was before it was cut.
_NOTES = ('_num_original_outputs', '_read_only_resource_inputs', '_handle_data', '_class')
# Its note on a loop or a choice that a session is to take apart, so that the parts run as soon as they can.
_APART = '_lower_using_switch_merge'
# No two functions of a graph may have one name, and graphs are built for as long as the process runs.
_numbers = itertools.count()
_COPY = '_cut_'


class Reference(NamedTuple):
    """The parsed name of an input: 'x', 'x:2' in a graph; 'x' (an argument), 'x:output:2' in a function; '^x'."""

    name: str
    output: str
    place: int
    control: bool

    @classmethod
    def of(cls, text: str) -> 'Reference':
        if text.startswith('^'):
            return cls(text[1:], '', 0, True)
        name, *rest = text.split(':')
        return cls(name, ':'.join(rest[:-1]), int(rest[-1]) if rest else 0, False)


class _Scope:
    """The nodes of a graph or of a function, and the references to its results."""

    def __init__(self, nodes: Any, results: List[str], controls: Iterable[str] = ()) -> None:
        self._field, self.results, self.controls = nodes, results, list(controls)

    @property
    def nodes(self) -> Dict[str, Any]:
        return {node.name: node for node in self._field}

    def needed(self, results: Iterable[str]) -> Tuple[Set[str], Set[Tuple[str, int]]]:
        """The names of nodes and arguments behind `results`, and the outputs (name, index) that are read of them."""
        nodes, seen, read = self.nodes, set(), set()
        todo = [Reference.of(r) for r in results] + [Reference(c, '', 0, True) for c in self.controls]
        while todo:
            reference = todo.pop()
            if not reference.control:
                read.add((reference.name, reference.place))
            if reference.name not in seen:
                seen.add(reference.name)
                if reference.name in nodes:
                    todo += [Reference.of(i) for i in nodes[reference.name].input]
        return seen, read

    def drop_unneeded(self) -> None:
        names, _ = self.needed(self.results)
        kept = [node for node in self._field if node.name in names]
        if len(kept) < len(self._field):
            copies = [type(node).FromString(node.SerializeToString()) for node in kept]
            del self._field[:]
            self._field.extend(copies)

    def renumber(self, name: str, live: List[int]) -> None:
        """Let what reads output live[k] of a node read output k."""
        positions = {old: new for new, old in enumerate(live)}

        def renumbered(text: str) -> str:
            reference = Reference.of(text)
            if reference.name != name or reference.control:
                return text
            middle = f':{reference.output}' if reference.output else ''
            return f'{name}{middle}:{positions[reference.place]}'

        for node in self._field:
            if any([i.split(':')[0] == name for i in node.input]):
                _replace(node.input, [renumbered(i) for i in node.input])
        self.results = [renumbered(r) for r in self.results]


class Pruning:
    """One GraphDef, and the tensors of it ('name:index') that are wanted, which are renumbered on the way."""

    def __init__(self, definition: Any, wanted: List[str]) -> None:
        self._definition = definition
        self._functions = {f.signature.name: f for f in definition.library.function}
        self._main = _Scope(definition.node, wanted)
        self.changed = False

    def run(self) -> List[str]:
        """Cut everything; returns the tensors that are wanted now. `changed` says whether anything was cut."""
        while self._cut(self._main) | self._cut_functions():
            self.changed = True
        # The graph has functions of these names already, and they are others.
        names = {name: f'{name.split(_COPY)[0]}{_COPY}{next(_numbers)}' for name in self.reachable()}
        functions = [self._functions[name] for name in names]
        for function in functions:
            function.signature.name = names[function.signature.name]
        for nodes in (self._definition.node, *[f.node_def for f in functions]):
            for node in nodes:
                _call(node, names)
        del self._definition.library.function[:]
        self._definition.library.function.extend(functions)
        return self._main.results

    def reachable(self) -> List[str]:
        """The names of all functions that the graph calls."""
        names: List[str] = []
        todo = list(self._definition.node)
        while todo:
            for name in called(todo.pop()):
                if name in self._functions and name not in names:
                    names.append(name)
                    todo += self._functions[name].node_def
        return names

    def _cut_functions(self) -> bool:
        changed = False
        for name in self.reachable():
            function = self._functions[name]
            scope = _scope(function)
            changed |= self._cut(scope)
            for output, result in zip(function.signature.output_arg, scope.results):
                function.ret[output.name] = result
        return changed

    def _cut(self, scope: _Scope) -> bool:
        changed = False
        while True:
            scope.drop_unneeded()
            _, read = scope.needed(scope.results)
            for node in scope.nodes.values():
                live = self._live(node, {index for name, index in read if name == node.name})
                if live is not None:
                    _drop_notes(node)
                    scope.renumber(node.name, live)
                    changed = True
                    break
            else:
                return changed

    def _live(self, node: Any, read: Set[int]) -> Optional[List[int]]:
        """The outputs that are left of a loop or choice once it is cut; None if nothing was to be cut."""
        if node.op in LOOPS:
            return self._cut_loop(node, read)
        return self._cut_choice(node, read) if node.op in BRANCHES else None

    def _cut_loop(self, node: Any, read: Set[int]) -> Optional[List[int]]:
        body, condition = [self._functions[node.attr[key].func.name] for key in ('body', 'cond')]
        results, inside = _results(body), _scope(body)
        tested, _ = _scope(condition).needed(_results(condition))
        live = read | _places(condition, tested)
        while True:
            asked, _ = inside.needed([results[i] for i in live])
            more = live | _places(body, asked)
            if more == live:
                break
            live = more
        kept = sorted(live)
        if len(kept) == len(results):
            return None
        _replace(node.input, [node.input[i] for i in kept] + [i for i in node.input if i.startswith('^')])
        _keep_types(node, ('T', 'output_shapes'), kept)
        node.attr['body'].func.name = self._copied(body, kept, kept)
        node.attr['cond'].func.name = self._copied(condition, kept, None)
        return kept

    def _cut_choice(self, node: Any, read: Set[int]) -> Optional[List[int]]:
        keys = ('then_branch', 'else_branch')
        branches = [self._functions[node.attr[key].func.name] for key in keys]
        kept = sorted(read)
        asked: Set[int] = set()
        for branch in branches:
            results = _results(branch)
            asked |= _places(branch, _scope(branch).needed([results[i] for i in kept])[0])
        arguments, count = sorted(asked), len(branches[0].signature.input_arg)
        if len(kept) == len(branches[0].signature.output_arg) and len(arguments) == count:
            return None
        controls = [i for i in node.input if i.startswith('^')]
        _replace(node.input, [node.input[0], *[node.input[1 + i] for i in arguments], *controls])
        _keep_types(node, ('Tin',), arguments)
        _keep_types(node, ('Tout', 'output_shapes'), kept)
        for key, branch in zip(keys, branches):
            node.attr[key].func.name = self._copied(branch, arguments, kept)
        return kept

    def _copied(self, function: Any, arguments: List[int], results: Optional[List[int]]) -> str:
        """The name of a copy of a function with these of its arguments and results; None keeps all results."""
        copy = type(function).FromString(function.SerializeToString())
        copy.signature.name = f'{function.signature.name}{_COPY}{next(_numbers)}'
        inputs = [function.signature.input_arg[i] for i in arguments]
        del copy.signature.input_arg[:]
        copy.signature.input_arg.extend(inputs)
        for field in ('arg_attr', 'resource_arg_unique_id'):
            old, new = getattr(function, field), getattr(copy, field)
            new.clear()
            for position, i in enumerate(arguments):
                if i in old and field == 'arg_attr':
                    new[position].CopyFrom(old[i])
                elif i in old:
                    new[position] = old[i]
        if results is not None:
            outputs = [function.signature.output_arg[i] for i in results]
            del copy.signature.output_arg[:]
            copy.signature.output_arg.extend(outputs)
            copy.ret.clear()
            for output in outputs:
                copy.ret[output.name] = function.ret[output.name]
        _scope(copy).drop_unneeded()
        self._functions[copy.signature.name] = copy
        name: str = copy.signature.name
        return name


def prune(definition: Any, wanted: List[str], apart: bool = False) -> Tuple[List[str], bool]:
    """Cut `definition` down to what the tensors `wanted` ('name:index') need.

    Returns the names of the tensors after that, and whether a loop or a choice was cut. `apart`: the result is for a
    session, which takes loops apart.
    """
    for nodes in (definition.node, *[f.node_def for f in definition.library.function]):
        for node in nodes:
            _drop_notes(node)
            if not apart and _APART in node.attr:
                del node.attr[_APART]
    pruning = Pruning(definition, wanted)
    return pruning.run(), pruning.changed


def add_functions(definition: Any, graph: Any) -> None:
    """Add to the library of `definition` the functions of `graph` that its nodes call."""
    known: Set[str] = {f.signature.name for f in definition.library.function}
    todo = list(definition.node)
    while todo:
        for name in called(todo.pop()):
            function = None if name in known else function_definition(graph, name)
            if function is not None:
                known.add(name)
                definition.library.function.add().CopyFrom(function)
                todo += function.node_def


def called(node: Any) -> Iterable[str]:
    """The names of the functions that a node calls."""
    for value in node.attr.values():
        if value.func.name:
            yield value.func.name
        for function in value.list.func:
            yield function.name


def _call(node: Any, names: Dict[str, str]) -> None:
    """Let a node call functions by their new names."""
    for value in node.attr.values():
        for function in [value.func, *value.list.func]:
            if function.name in names:
                function.name = names[function.name]


def _scope(function: Any) -> _Scope:
    return _Scope(function.node_def, _results(function), function.control_ret.values())


def _results(function: Any) -> List[str]:
    return [function.ret[output.name] for output in function.signature.output_arg]


def _places(function: Any, names: Set[str]) -> Set[int]:
    """The places of those arguments of a function that are among `names`."""
    return {i for i, argument in enumerate(function.signature.input_arg) if argument.name in names}


def _keep_types(node: Any, keys: Iterable[str], kept: List[int]) -> None:
    for key in keys:
        if key in node.attr:
            entries = node.attr[key].list
            for field in (entries.type, entries.shape):
                if len(field):
                    _replace(field, [field[i] for i in kept])


def _replace(field: Any, values: List[Any]) -> None:
    # Messages are copied first: those of a list that is emptied are gone.
    values = [type(v).FromString(v.SerializeToString()) if hasattr(v, 'SerializeToString') else v for v in values]
    del field[:]
    field.extend(values)


def _drop_notes(node: Any) -> None:
    for note in _NOTES:
        if note in node.attr:
            del node.attr[note]


# -- lists for gradients -----------------------------------------------------------------------------------------------
# A function with loops without the lists that its loops keep for a gradient which the function does not compute.
#
# A session that places only what it runs (`session.own_session`) takes loops apart and does not look again at what is
# needed then. Asked for the result of an LSTM, it would keep all tensors of all steps. So a function runs a copy of
# such loops, and of what depends on them. Where that would copy random numbers, the function runs what it was given:
# two functions of one random tensor draw different numbers, and copies would draw the same.
#
#     x -> dense -> loop(y, kept1, kept2) -> dense -> y       dense runs as it is,
#                   loop'(y)              -> dense'-> y'      the loop and what comes after it as a copy


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
    targets = [t for t in {id(t): t for t in fetched}.values() if t.op in copied]
    definition, feeds = _definition(graph, [op for op in operations if op in copied], operations, fed_ids)
    names, changed = prune(definition, [_name(t) for t in targets], apart=True)
    inside = [node for function in definition.library.function for node in function.node_def]
    if not changed or any([is_stateful(node.op) and node.op not in _SHARED for node in inside]):
        return None
    kept = {node.name for node in definition.node}
    feeds = {name: t for name, t in feeds.items() if name.split(':')[0].lstrip('^') in kept}
    copies = {id(t): copy for t, copy in zip(targets, _imported(graph, definition, feeds, names))}
    for t in targets:
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
    dependents: Set[Any] = set()
    while todo:
        op = todo.pop()
        if op not in dependents:
            dependents.add(op)
            todo += readers.get(op, [])
    return dependents


def _has_state(op: Any) -> bool:
    """Whether a copy of the operation would go its own ways: draw random numbers anew, or make another table."""
    return op.op_def.is_stateful and op.type not in _SHARED


def _definition(graph: Any, copied: Sequence[Any], running: Set[Any], fed: Set[int]) -> Tuple[Any, Dict[str, Any]]:
    """A GraphDef of `copied`, and what stands in the graph for its placeholders and for what it waits for."""
    definition, inside = tf.GraphDef(), set(copied)
    definition.versions.CopyFrom(graph.graph_def_versions)
    names: Dict[Any, str] = {}
    feeds: Dict[str, Any] = {}
    for op in copied:
        for t in op.inputs:
            if id(t) not in names and (t.op not in inside or id(t) in fed):
                name = names[id(t)] = f'{_GIVEN}{len(feeds)}'
                feeds[f'{name}:0'] = t
                definition.node.add(name=name, op='Placeholder').attr['dtype'].type = t.dtype.as_datatype_enum
        for c in op.control_inputs:
            if c not in names and c not in inside and c in running:
                name = names[c] = f'{_GIVEN}{len(feeds)}'
                feeds[f'^{name}'] = c
                definition.node.add(name=name, op='NoOp')
    for op in copied:
        node = definition.node.add()
        node.CopyFrom(op.node_def)
        controls = [names.get(c, c.name) for c in op.control_inputs if c in running]
        del node.input[:]
        node.input.extend([names.get(id(t)) or _name(t) for t in op.inputs] + [f'^{name}' for name in controls])
    add_functions(definition, graph)
    return definition, feeds


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
        tensors: List[Any] = tf.import_graph_def(definition, given, wanted, name='keras_backend_cut')
        return tensors


def _name(t: Any) -> str:
    return f'{t.op.name}:{t.value_index}'
