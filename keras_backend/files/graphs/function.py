"""A graph of a file as a function of K: its inputs and outputs by name, for any shape of the inputs."""

import os
from collections import Counter
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ...basics.terminal import printable
from ...errors import (
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    FeedError,
    KerasBackendError,
    LayerConfigError,
    UnreadableFileError,
)
from ..reading.limits import Budget, border, content, stored_size
from ..reading.saved_model import GRAPH, Message
from ..structure import in_short
from .definition import Graph, Node, graph_of, is_text, reference, shown
from .interpreter import Interpreter, Scope
from .steps import NotKnown

ENDINGS = ('.pb', '.pbtxt')
_PLACEHOLDERS = ('Placeholder', 'PlaceholderV2', 'PlaceholderWithDefault')
# They are no outputs, though nothing takes what they make.
_NO_OUTPUTS = ('NoOp', 'Assert', 'Const', 'Print', 'PrintV2', *_PLACEHOLDERS)
# How many functions for different shapes are kept.
_MOST_FUNCTIONS = 16

Inputs = Union[Sequence[str], Mapping[str, Any], None]


def is_graph(path: str) -> bool:
    """Whether a path is that of a graph alone."""
    return str(path).lower().endswith(ENDINGS)


def read_graph(path: str) -> Tuple[Graph, Budget]:
    """The graph of a file, and what is left to the work with it.

    Errors: UnreadableFileError, ExcessiveFileError, OSError.
    """
    path = os.fspath(path)
    with border(path):
        budget = Budget(path, stored_size(path))
        data = content(path, budget)
        if os.path.basename(path) == GRAPH:
            raise UnreadableFileError(f'{path} is a part of a SavedModel. Give its folder: {os.path.dirname(path)!r}.')
        if is_text(data):
            raise UnreadableFileError(
                f'{path} is a graph as text, which is not read. Write it with TensorFlow as '
                "tf.io.write_graph(graph, folder, 'frozen.pb', as_text=False)."
            )
        graph = graph_of(Message(data, budget), path)
    if not graph.nodes:
        raise UnreadableFileError(f'{path} is no graph of TensorFlow: it has no nodes.')
    return graph, budget


def operations_of(graph: Graph) -> Dict[str, int]:
    """How often each operation is in a graph and its functions, the most frequent first."""
    groups = [graph.nodes, *[function.nodes for function in graph.functions.values()]]
    return dict(Counter([node.op for nodes in groups for node in nodes.values()]).most_common())


def inputs_of(graph: Graph) -> List[str]:
    """The names of the inputs of a graph: its placeholders without a default, but for the phase of training."""
    return [name for name, node in graph.nodes.items() if node.op in _PLACEHOLDERS[:2] and not _is_learning_phase(node)]


def outputs_of(graph: Graph) -> List[str]:
    """The names of the outputs of a graph: the nodes that nothing takes."""
    nodes = graph.nodes.values()
    taken = {reference(name)[0] for node in nodes for name in node.inputs}.union(*[node.waits for node in nodes])
    return [node.name for node in nodes if node.name not in taken and node.op not in _NO_OUTPUTS]


def _is_learning_phase(node: Node) -> bool:
    return node.dtype('dtype') == 'bool' and 'learning_phase' in node.name


class End(NamedTuple):
    """An input: the tensor that is it in the graph. A shape of None is not known."""

    tensor: str
    dtype: str
    shape: Any


class Source(NamedTuple):
    """A graph with its inputs and outputs by their names.

    variables: a node that is a variable -> its value. captures: see `Interpreter`.
    """

    path: str
    graph: Graph
    budget: Budget
    inputs: Dict[str, End]
    outputs: Dict[str, str]
    variables: Callable[[Node], Any]
    captures: Mapping[str, Sequence[Any]]


class GraphComposition:
    """The tensors of a graph, between inputs and outputs.

    path: the file. input_names, output_names: their names. inputs, outputs: tensors of K, none where the graph needs
    the shapes of arrays first; then `function_of` makes a function for those. weights: as of `ModelFunction`.
    """

    def __init__(self, source: Source, K: Any, inputs: Inputs = None) -> None:
        """Compose. inputs: tensors by names, or nothing of use here. Errors: see `keras_backend.files.function`."""
        self.path, self._source, self._K = source.path, source, K
        self.input_names, self.output_names = list(source.inputs), list(source.outputs)
        self._interpreter = Interpreter(K, source.graph, source.budget, source.variables, source.captures)
        self._functions: Dict[Any, Any] = {}
        self.unknown: Optional[NotKnown] = None
        self.inputs, self.outputs = [], []  # type: List[Any], List[Any]
        tensors = inputs if isinstance(inputs, Mapping) else {}
        if all([name in tensors or end.shape is not None for name, end in source.inputs.items()]):
            made = [
                tensors[name] if name in tensors else self._placeholder(name, end.shape)
                for name, end in source.inputs.items()
            ]
            try:
                self.outputs = self._compose(made)
                self.inputs = made
            except NotKnown as error:
                if tensors:
                    raise
                self.unknown = error

    @property
    def weights(self) -> Dict[str, Dict[str, Any]]:
        """Variables by the name of a node and 'value'."""
        variables = self._interpreter.constants.variables
        return {name: {'value': variable} for name, variable in variables.items()}

    def function(self) -> Any:
        """The function of K. Error: LayerConfigError, if it is known for the shapes of arrays alone."""
        if not self.outputs:
            raise self.unknown or ArgumentValueError(
                f'The shapes of the inputs of {self.path} are not known. Give tensors: inputs={{NAME: K.placeholder('
                '(1, 224, 224, 3))}.'
            )
        return self._K.function(self.inputs, self.outputs)

    def function_of(self, arrays: Sequence[np.ndarray]) -> Any:
        """The function of K for arrays of these shapes."""
        key = () if self.outputs else tuple([array.shape for array in arrays])
        if key not in self._functions:
            if self.outputs:
                self._functions[key] = self.function()
            else:
                if len(self._functions) >= _MOST_FUNCTIONS:
                    self._functions.pop(next(iter(self._functions)))
                made = [self._placeholder(name, array.shape) for name, array in zip(self.input_names, arrays)]
                self._functions[key] = self._K.function(made, self._compose(made))
        return self._functions[key]

    def run(self, arrays: Sequence[np.ndarray]) -> List[Any]:
        """The outputs for arrays. Error: LayerConfigError, which names the node that an engine cannot compute."""
        try:
            return list(self.function_of(arrays)(arrays))
        except MemoryError:
            raise
        except Exception as error:  # each engine has errors of its own
            # What a function of K says of its arguments names no node. An array that does not fit is no node's matter.
            if isinstance(error, KerasBackendError) and (
                isinstance(error, FeedError) or not isinstance(error, ArgumentError)
            ):
                raise
            shapes = ', '.join([str(array.shape) for array in arrays])
            said = f'of {self.path} cannot be computed with arrays of the shapes {shapes}: {in_short(error)}'
            node = self._failing(arrays)
            raise (LayerConfigError(f'A node {said}.', '') if node is None else node.error(said)) from error

    def _failing(self, arrays: Sequence[np.ndarray]) -> Optional[Node]:
        """The first node that cannot be computed with arrays; None where that is not known."""
        try:
            made = self.inputs or [self._placeholder(name, x.shape) for name, x in zip(self.input_names, arrays)]
            scope = self._scope(made)
            self._interpreter.tensors(scope, self._source.outputs.values())
        except Exception:  # noqa: BLE001 - the error that is told is another one
            return None
        nodes = self._source.graph.nodes
        steps = [
            (nodes[name], [value for value in values if self._K.is_tensor(value)])
            for name, values in scope.values.items()
            if name in nodes and nodes[name].op not in _PLACEHOLDERS
        ]
        steps = [(node, tensors) for node, tensors in steps if tensors]
        first, end = 0, len(steps)
        while first < end:
            middle = (first + end) // 2
            if self._runs(made, [tensor for _, tensors in steps[: middle + 1] for tensor in tensors], arrays):
                first = middle + 1
            else:
                end = middle
        return steps[first][0] if first < len(steps) else None

    def _runs(self, made: List[Any], tensors: List[Any], arrays: Sequence[np.ndarray]) -> bool:
        try:
            self._K.function(made, tensors)(list(arrays))
        except Exception:  # noqa: BLE001 - each engine has errors of its own
            return False
        return True

    def shapes(self) -> List[Any]:
        """The static shapes of the inputs, None where there are no tensors."""
        return [self._K.int_shape(tensor) for tensor in self.inputs] or [None] * len(self.input_names)

    def dtypes(self) -> List[str]:
        """The dtypes of the inputs. Error: ArgumentValueError."""
        return list(map(self._dtype, self.input_names))

    def _dtype(self, name: str) -> str:
        dtype = self._source.inputs[name].dtype
        if dtype in ('string', 'resource', 'variant', '') or dtype.startswith('type '):
            raise ArgumentValueError(f'The input {shown(name)} of {self.path} is of the type {dtype}, which K has not.')
        return dtype

    def _placeholder(self, name: str, shape: Any) -> Any:
        return self._K.placeholder(shape=tuple(shape), dtype=self._dtype(name), name=printable(name))

    def _compose(self, tensors: Sequence[Any]) -> List[Any]:
        scope = self._scope(tensors)
        with border(self.path):
            return self._interpreter.tensors(scope, self._source.outputs.values())

    def _scope(self, tensors: Sequence[Any]) -> Scope:
        """The nodes with the values of the inputs."""
        source = self._source
        source.budget.again()
        values: Dict[str, List[Any]] = {
            name: [np.array(False)] for name, node in source.graph.nodes.items() if _is_learning_phase(node)
        }
        for end, tensor in zip(source.inputs.values(), tensors):
            values[reference(end.tensor)[0]] = [tensor]
        return Scope(source.graph.nodes, values)


def frozen(path: str, inputs: Inputs = None, outputs: Optional[Sequence[str]] = None) -> Source:
    """A frozen graph. inputs, outputs: names of nodes, None for all that are. Errors: see `read_graph`."""
    graph, budget = read_graph(path)
    ends = {name: _end(graph, name) for name in _named(graph, inputs, inputs_of(graph))}
    names = _named(graph, outputs, outputs_of(graph))
    if not names:
        raise UnreadableFileError(f'{path} has no node that is an output. Give outputs=[names].')
    return Source(path, graph, budget, ends, {name: name for name in names}, _no_value, {})


def _no_value(node: Node) -> Any:
    raise node.error('is a variable, whose value is not in a graph. Freeze the graph: its variables become constants')


def _named(graph: Graph, given: Any, default: List[str]) -> List[str]:
    """The names of inputs or outputs, which have to be in the graph. Error: ArgumentValueError."""
    if given is None:
        return default
    if isinstance(given, str) or not all([isinstance(name, str) for name in given]):
        raise ArgumentTypeError(f'{graph.path} is a graph; give names of its nodes in a list, such as {default[:3]}.')
    names = [name[:-2] if name.endswith(':0') else name for name in given]
    missing = [name for name in names if reference(name)[0] not in graph.nodes]
    if missing:
        raise ArgumentValueError(
            f'{graph.path} has no node {shown(missing[0])}. Its inputs are {_listed(inputs_of(graph))}, and its '
            f'outputs {_listed(outputs_of(graph))}.'
        )
    return names


def _listed(names: List[str]) -> str:
    return ', '.join(map(shown, names[:5])) + (' ...' if names[5:] else '') if names else 'none'


def _end(graph: Graph, name: str) -> End:
    node = graph.nodes[reference(name)[0]]
    dtype = node.dtype('dtype') or node.dtype('T') or 'float32'
    return End(name, dtype, node.shape('shape') if node.op in _PLACEHOLDERS else None)
