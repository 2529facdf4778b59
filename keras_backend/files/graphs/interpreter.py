"""A graph of TensorFlow, composed with K: its nodes in the order of what they need, functions, conditions and loops.

Loops run while the graph is composed: the number of their steps has to be known then, with the shapes of the inputs.

Source: the documentation of tf.raw_ops and of tf.while_loop. In graphs of TensorFlow 1, a loop is a frame of nodes
Enter, Merge, Switch, NextIteration and Exit; a condition is a Switch and a Merge.
"""

from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence

import numpy as np

from ...errors import ArgumentError, KerasBackendError, LayerConfigError, UnknownLayerError, UnreadableFileError
from ..reading.limits import Budget
from ..structure import OF_DATA, in_short
from .definition import OUTPUTS, Function, Graph, Node, reference, shown
from .lists import LISTS
from .operations import TABLE
from .steps import DEAD, Constants, Dead, Elements, Failed, Sizes, Step, Variable, is_known

# How many functions may call each other.
_DEEPEST = 100
_CALLS = ('PartitionedCall', 'StatefulPartitionedCall')
_LOOPS = ('While', 'StatelessWhile')
_CONDITIONS = ('If', 'StatelessIf')
_SWITCHES = ('Switch', 'RefSwitch')
_MERGES = ('Merge', 'RefMerge')
_EXITS = ('Exit', 'RefExit')
_ENTERS = ('Enter', 'RefEnter')
_NEXT = ('NextIteration', 'RefNextIteration')

_VARIABLES = ('Variable', 'VariableV2', 'VarHandleOp')
# Why an operation has no meaning here that TensorFlow has.
_REASONS = {
    'Placeholder': 'is an input, and it is not among those that were named',
    **dict.fromkeys(
        ['RandomUniform', 'RandomStandardNormal', 'TruncatedNormal', 'StatelessRandomUniformV2'],
        'draws at random, as in training, which is not done here',
    ),
}

Values = List[Any]


class Scope:
    """The nodes of a graph or of a function, and the values of those that are computed."""

    def __init__(self, nodes: Mapping[str, Node], values: Optional[Dict[str, Values]] = None) -> None:
        """Begin with the values of some nodes or arguments."""
        self.nodes = nodes
        self.values: Dict[str, Values] = dict(values or {})


class Interpreter:
    """The values of one graph."""

    def __init__(
        self,
        K: Any,
        graph: Graph,
        budget: Budget,
        variables: Callable[[Node], Any],
        captures: Mapping[str, Sequence[Any]],
    ) -> None:
        """Compute nothing yet.

        K: the module of K functions. budget: of the file. variables: a node that is a variable -> its value. captures:
        values in the place of the last arguments of functions that the graph itself calls, by the names of functions.
        """
        self.K, self.graph, self.budget = K, graph, budget
        self._variables, self._captures = variables, captures
        self.constants = Constants(K)
        self._depth = 0

    def values(self, scope: Scope, names: Iterable[str]) -> Values:
        """The values of tensors in a scope, by their names."""
        return [self._value(scope, name) for name in names]

    def tensors(self, scope: Scope, names: Iterable[str]) -> List[Any]:
        """The same as tensors of K."""
        tensors = []
        for name in names:
            value = self._value(scope, name)
            node = scope.nodes[reference(name)[0]]
            if isinstance(value, Failed):
                raise value.error
            if isinstance(value, (Dead, Elements, Variable)):
                raise node.error('makes no tensor, so that it is no output')
            tensors.append(Step(self.constants, self.budget, node).tensor(value))
        return tensors

    # -- the order of nodes ----------------------------------------------------------------------------------------
    def _value(self, scope: Scope, name: str) -> Any:
        node = reference(name)[0]
        self._compute(scope, node)
        return self._chosen(scope, name)

    def _chosen(self, scope: Scope, name: str) -> Any:
        """The output that a name of a tensor means, of a node that is computed."""
        node, output, number = reference(name)
        values = scope.values[node]
        known = OUTPUTS.get(scope.nodes[node].op, {}) if node in scope.nodes else {}
        number += known.get(output, 0)
        if len(values) == 1 and isinstance(values[0], Dead):
            return values[0]
        if number >= len(values):
            raise UnreadableFileError(f'The graph names the output {shown(name)}, which the node has not.')
        return values[number]

    def _compute(self, scope: Scope, wanted: str) -> None:
        stack, entered = [wanted], set()
        while stack:
            name = stack[-1]
            if name in scope.values:
                stack.pop()
                continue
            if name not in scope.nodes:
                raise UnreadableFileError(f'The graph has no node {shown(name)}.')
            node = scope.nodes[name]
            needs = [reference(other)[0] for other in self._needs(scope, node)]
            missing = [other for other in needs if other not in scope.values]
            if missing and name in entered:
                raise node.error('needs its own output')
            entered.add(name)
            if missing:
                stack += reversed(missing)
                continue
            scope.values[name] = self._computed(scope, node)

    def _needs(self, scope: Scope, node: Node) -> List[str]:
        if node.op in ('Placeholder', 'PlaceholderV2'):
            return []
        if node.op in _EXITS:
            return [name for enter in self._enters(scope, self._frame(scope, node)) for name in enter.inputs]
        return node.inputs

    # -- one node --------------------------------------------------------------------------------------------------
    def _computed(self, scope: Scope, node: Node) -> Values:
        if node.op in _EXITS:
            frame = self._frame(scope, node)
            try:
                self._run_frame(scope, frame)
            except (LayerConfigError, UnknownLayerError) as error:  # of a loop that perhaps no result needs
                return [Failed(error)]
            return scope.values[node.name]
        inputs = [self._chosen(scope, name) for name in node.inputs]
        if node.op in _MERGES:
            return self._merged(node, inputs)
        self.budget.spend('entries', 1)
        lost = [value for value in inputs if isinstance(value, Dead)]
        if lost:
            return self._switched(node, inputs) if node.op in _SWITCHES else lost[:1]
        try:
            result = self._result(scope, node, inputs)
        except (LayerConfigError, UnknownLayerError) as error:  # of a node that perhaps no result needs
            return [Failed(error)]
        return result if isinstance(result, list) else [result]

    def _switched(self, node: Node, inputs: Values) -> Values:
        """What a condition leaves out is DEAD, also where it could not be computed."""
        value, test = inputs
        if isinstance(test, Dead):
            return [test]
        return [DEAD, value] if self._truth(node, test) else [value, DEAD]

    def _result(self, scope: Scope, node: Node, inputs: Values) -> Any:
        op = node.op
        if op == 'Const':
            return self._constant(node)
        if op in _VARIABLES:
            return self._variables(node)
        if op == 'PlaceholderWithDefault':
            return inputs[0]
        if op in _SWITCHES:
            return self._switched(node, inputs)
        if op in (*_ENTERS, *_NEXT, 'LoopCond'):
            return inputs[0]
        if op in _CALLS or op in self.graph.functions:
            return self._called(node, node.function('f') if op in _CALLS else op, inputs)
        if op in _LOOPS:
            return self._repeated(node, inputs)
        if op in _CONDITIONS:
            return self._conditional(node, inputs)
        if op == 'Assert' or op == 'NoOp':
            return []
        inputs = [self._read(value) if isinstance(value, Variable) else value for value in inputs]
        if op == 'ReadVariableOp':
            return inputs[0]
        return self._operation(node, inputs)

    def _read(self, variable: Variable) -> np.ndarray:
        array = variable.array()
        self.constants.note(array, variable.name)
        return array

    def _constant(self, node: Node) -> np.ndarray:
        array = node.array()
        if not self._depth and array.ndim and array.dtype.kind == 'f':
            self.constants.note(array, node.name)
        return array

    def _operation(self, node: Node, inputs: Values) -> Any:
        operation = TABLE.get(node.op) or LISTS.get(node.op)
        if operation is None:
            if node.op in _REASONS:
                raise node.error(_REASONS[node.op])
            raise UnknownLayerError(
                f'The node {shown(node.name)} of {self.graph.path} is the operation {shown(node.op)} of TensorFlow, '
                'which has no meaning here.',
                node.name,
                node.op,
            )
        step = Step(self.constants, self.budget, node)
        try:
            result = operation(step, inputs)
        except (KerasBackendError, *OF_DATA) as error:
            if isinstance(error, KerasBackendError) and not isinstance(error, ArgumentError):
                raise
            raise node.error(f'cannot be computed: {in_short(error)}') from error
        for value in result if isinstance(result, list) else [result]:
            if not any([value is other for other in inputs]):
                step.check_result(value)
        return result

    def _truth(self, node: Node, value: Any) -> bool:
        """A condition that is known. Error: NotKnown."""
        if isinstance(value, Failed):
            raise value.error
        return bool(Step(self.constants, self.budget, node).known(value, 'a condition').all())

    def _merged(self, node: Node, inputs: Values) -> Values:
        alive = [number for number, value in enumerate(inputs) if not isinstance(value, Dead)]
        if not alive:
            return [next((value for value in inputs if isinstance(value, Failed)), DEAD)]
        return [inputs[alive[0]], np.array(alive[0], 'int32')]

    # -- functions -------------------------------------------------------------------------------------------------
    def call(self, function: Function, inputs: Sequence[Any]) -> Values:
        """What a function of the library makes of values."""
        if len(inputs) != len(function.arguments):
            raise UnreadableFileError(
                f'The function {shown(function.name)} of the graph has {len(function.arguments)} arguments, and gets '
                f'{len(inputs)}.'
            )
        self.budget.spend('calls', 1, shown(function.name))
        if self._depth >= _DEEPEST:
            raise UnreadableFileError(f'Functions of the graph call each other more than {_DEEPEST} deep.')
        self._depth += 1
        try:
            scope = Scope(function.nodes, {name: [value] for name, value in zip(function.arguments, inputs)})
            return self.values(scope, function.results)
        finally:
            self._depth -= 1

    def _called(self, node: Node, name: str, inputs: Values) -> Values:
        captured = [] if self._depth else self._captures.get(name, [])
        start = len(inputs) - len(captured)
        inputs = [*inputs[:start], *[own or given for own, given in zip(captured, inputs[start:])]]
        return self.call(self._function(node, name), inputs)

    def _function(self, node: Node, name: str) -> Function:
        if name not in self.graph.functions:
            raise node.error(f'calls the function {shown(name)}, which the graph has not')
        return self.graph.functions[name]

    def _repeated(self, node: Node, inputs: Values) -> Values:
        """A loop as a function that is called again as long as another one says."""
        test, body = [self._function(node, node.function(name)) for name in ('cond', 'body')]
        values = inputs
        while self._truth(node, self.call(test, values)[0]):
            values = self.call(body, values)
        return values

    def _conditional(self, node: Node, inputs: Values) -> Values:
        test, *values = inputs
        branches = [self._function(node, node.function(name)) for name in ('then_branch', 'else_branch')]
        if is_known(test):
            return self.call(branches[0 if test.all() else 1], values)
        results = [self.call(branch, values) for branch in branches]
        step = Step(self.constants, self.budget, node)
        return [self._either(step, test, *pair) for pair in zip(*results)]

    def _either(self, step: Step, test: Any, then: Any, other: Any) -> Any:
        if then is other:
            return then
        if isinstance(then, (Elements, Sizes)) or isinstance(other, (Elements, Sizes)):
            raise step.unknown('a condition')
        tensors = [step.tensor(then), step.tensor(other)]
        shapes = [self.K.int_shape(tensor) for tensor in tensors]
        if shapes[0] != shapes[1] or step.rank(test):
            raise step.unknown('a condition')
        return self.K.switch(test, *tensors)

    # -- loops of TensorFlow 1 -------------------------------------------------------------------------------------
    def _frame(self, scope: Scope, node: Node) -> str:
        """The name of the loop that ends at a node Exit: that of the Enter behind its Switch and its Merge."""
        for ops in (_SWITCHES, _MERGES, _ENTERS):
            before = [scope.nodes.get(reference(name)[0]) for name in node.inputs]
            fitting = [other for other in before if other is not None and other.op in ops]
            if not fitting:
                raise node.error('is part of a loop that is not as TensorFlow writes it')
            node = fitting[0]
        return node.text('frame_name')

    def _enters(self, scope: Scope, frame: str) -> List[Node]:
        return [node for node in scope.nodes.values() if node.op in _ENTERS and node.text('frame_name') == frame]

    def _run_frame(self, scope: Scope, frame: str) -> None:
        """Compute the ends of a loop: each step in a scope of its own, which begins with the values of the loop."""
        enters = {node.name: self._chosen(scope, node.inputs[0]) for node in self._enters(scope, frame)}
        merges = {}
        for node in scope.nodes.values():
            names = [reference(name)[0] for name in node.inputs]
            if node.op in _MERGES and names and names[0] in enters:
                merges[node.name] = node
        test = self._test_of(scope, merges)
        values = {name: enters[reference(node.inputs[0])[0]] for name, node in merges.items()}
        fixed = {name: [value] for name, value in enters.items()}
        lost = [value for value in enters.values() if isinstance(value, Dead)]
        if lost:
            self._end(scope, merges, dict.fromkeys(merges, lost[0]))
            return
        while True:
            self.budget.spend('calls', 1, shown(frame))
            inside = Scope(scope.nodes, {**fixed, **{name: [value] for name, value in values.items()}})
            if not self._truth(test, self._value(inside, test.inputs[0])):
                break
            inside.values[test.name] = [np.array(True)]
            values = {name: self._value(inside, node.inputs[1]) for name, node in merges.items()}
        self._end(scope, merges, values)

    def _test_of(self, scope: Scope, merges: Mapping[str, Node]) -> Node:
        """The node LoopCond of a loop, which the Switches behind its Merges have."""
        for node in scope.nodes.values():
            if node.op in _SWITCHES and reference(node.inputs[0])[0] in merges:
                test = scope.nodes.get(reference(node.inputs[1])[0])
                if test is not None and test.op == 'LoopCond':
                    return test
        raise next(iter(merges.values()), next(iter(scope.nodes.values()))).error('is in a loop without a condition')

    def _end(self, scope: Scope, merges: Mapping[str, Node], values: Mapping[str, Any]) -> None:
        switches = {name: reference(node.inputs[0])[0] for name, node in scope.nodes.items()
                    if node.op in _SWITCHES}  # fmt: skip
        for name, node in scope.nodes.items():
            merge = switches.get(reference(node.inputs[0])[0], '') if node.op in _EXITS else ''
            if merge in merges:
                scope.values[name] = [values[merge]]
