"""A graph of TensorFlow as a file has it: nodes, their attributes, and the functions of its library. Nothing computes.

Source: TensorFlow's graph.proto, node_def.proto, attr_value.proto, tensor.proto, tensor_shape.proto, function.proto and
op_def.proto. The numbers of fields are those of these files.
"""

from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from ...basics.terminal import printable
from ...errors import LayerConfigError, UnreadableFileError
from ..reading.limits import Budget
from ..reading.saved_model import DTYPES, MOST_AXES, Message

# What the type of a node may be beside the dtypes of arrays.
_NO_ARRAYS = {7: 'string', 14: 'bfloat16', 20: 'resource', 21: 'variant'}
# Types of variables of TensorFlow 1 are those of their values and this.
_REFERENCE = 100
# The fields of a tensor that have its numbers one by one, by the number of its type.
_LISTS = {1: 5, 2: 6, 3: 7, 4: 7, 5: 7, 6: 7, 9: 10, 10: 11, 17: 7, 19: 13, 22: 16, 23: 17}
_LONGEST_NAME = 200

Shape = Optional[List[Optional[int]]]


def shown(name: str) -> str:
    """A name of a file in an error."""
    return printable(name if len(name) <= _LONGEST_NAME else f'{name[:_LONGEST_NAME]}...')


class Node:
    """An operation of a graph.

    name: unique in its graph. op: what it computes. inputs: names of nodes, `name` or `name:number`, in functions also
    `name:output:number`. waits: nodes that only have to run before it.
    """

    def __init__(self, message: Message) -> None:
        """Read all but the attributes, which are read when they are asked for."""
        self.name, self.op = message.text(1), message.text(2)
        names = [name.decode('utf-8', 'replace') for name in message.contents(3)]
        self.inputs = [name for name in names if not name.startswith('^')]
        self.waits = [name[1:] for name in names if name.startswith('^')]
        self._written = message.contents(5)
        self._message = message
        self._attributes: Optional[Dict[str, Message]] = None
        self._array: Optional[np.ndarray] = None

    def _attribute(self, name: str) -> Optional[Message]:
        if self._attributes is None:
            entries = [self._message.inside(content) for content in self._written]
            self._attributes = {entry.text(1): entry.message(2) for entry in entries}
            self._written = []
        return self._attributes.get(name)

    def text(self, name: str, default: str = '') -> str:
        """An attribute that is a text."""
        message = self._attribute(name)
        return default if message is None else message.text(2)

    def integer(self, name: str, default: int = 0) -> int:
        """An attribute that is a whole number."""
        message = self._attribute(name)
        return default if message is None else (message.integers(3) or [0])[-1]

    def decimal(self, name: str, default: float = 0.0) -> float:
        """An attribute that is a number with a point."""
        message = self._attribute(name)
        return default if message is None else float(np.frombuffer(message.content(4).ljust(4, b'\0')[:4], '<f4')[0])

    def flag(self, name: str, default: bool = False) -> bool:
        """An attribute that is true or false."""
        message = self._attribute(name)
        return default if message is None else bool(message.number(5))

    def integers(self, name: str) -> List[int]:
        """An attribute that is a list of whole numbers."""
        message = self._attribute(name)
        return [] if message is None else message.message(1).integers(3)

    def decimals(self, name: str) -> List[float]:
        """An attribute that is a list of numbers with a point."""
        message = self._attribute(name)
        return [] if message is None else np.frombuffer(b''.join(message.message(1).contents(4)), '<f4').tolist()

    def dtype(self, name: str) -> str:
        """An attribute that is a dtype: 'float32', 'resource' ..., and '' if there is none."""
        message = self._attribute(name)
        return '' if message is None else dtype_name(message.number(6))

    def shape(self, name: str) -> Shape:
        """An attribute that is a shape. None is one that is not known."""
        message = self._attribute(name)
        return None if message is None else shape_of(message.message(7))

    def function(self, name: str) -> str:
        """The name of the function that an attribute is."""
        message = self._attribute(name)
        return '' if message is None else message.message(10).text(1)

    def functions(self, name: str) -> List[str]:
        """The names of the functions that an attribute is a list of."""
        message = self._attribute(name)
        return [] if message is None else [function.text(1) for function in message.message(1).messages(9)]

    def array(self) -> np.ndarray:
        """The value of a constant. It is the same array at each call. Error: UnreadableFileError."""
        if self._array is None:
            message = self._attribute('value')
            if message is None:
                raise UnreadableFileError(f'The constant {shown(self.name)} has no value.')
            self._array = _array(message.message(8), self.name, message.budget)
        return self._array

    def error(self, text: str) -> LayerConfigError:
        """An error about the node. text: a sentence without its subject."""
        return LayerConfigError(f'The node {shown(self.name)} ({shown(self.op)}) {text}.', self.name)


class Function(NamedTuple):
    """A function of the library. results: where the values of the outputs are, in their order."""

    name: str
    arguments: List[str]
    results: List[str]
    nodes: Dict[str, Node]


class Graph(NamedTuple):
    """A graph: its nodes by their names, and the functions that they call."""

    path: str
    nodes: Dict[str, Node]
    functions: Dict[str, Function]


def dtype_name(number: int) -> str:
    """The name of a type of TensorFlow."""
    number = number - _REFERENCE if number > _REFERENCE else number
    return np.dtype(DTYPES[number]).name if number in DTYPES else _NO_ARRAYS.get(number, f'type {number}')


def shape_of(message: Message) -> Shape:
    """A shape of a file; -1 is a size that is not known."""
    if message.number(3):
        return None
    sizes = [(size.integers(1) or [0])[-1] for size in message.messages(2)]
    return [None if size < 0 else size for size in sizes]


def graph_of(message: Message, path: str) -> Graph:
    """A graph with its library. path: the file, for errors. Error: UnreadableFileError."""
    functions = [_function(function) for function in message.message(2).messages(1)]
    return Graph(path, _nodes(message.messages(1)), {function.name: function for function in functions})


def _nodes(messages: List[Message]) -> Dict[str, Node]:
    nodes: Dict[str, Node] = {}
    for message in messages:
        node = Node(message)
        if node.name in nodes:
            raise UnreadableFileError(f'The graph has two nodes with the name {shown(node.name)}.')
        nodes[node.name] = node
    return nodes


def _function(message: Message) -> Function:
    signature = message.message(1)
    results = {entry.text(1): entry.text(2) for entry in message.messages(4)}
    names = [argument.text(1) for argument in signature.messages(3)]
    if not set(names) <= set(results):
        raise UnreadableFileError(f'The function {shown(signature.text(1))} of the graph has no value for an output.')
    return Function(
        signature.text(1),
        [argument.text(1) for argument in signature.messages(2)],
        [results[name] for name in names],
        _nodes(message.messages(3)),
    )


def _array(message: Message, name: str, budget: Budget) -> np.ndarray:
    """The array of a tensor of a file: as its bytes, or as a list of numbers, of which the last one goes on."""
    number = message.number(1)
    shape = shape_of(message.message(2))
    if number not in DTYPES or shape is None or None in shape or len(shape) > MOST_AXES:
        raise UnreadableFileError(
            f'The constant {shown(name)} is of the type {dtype_name(number)}, which is no array of numbers.'
        )
    dtype, sizes = np.dtype(DTYPES[number]), tuple([int(size or 0) for size in shape])
    count = 1
    for size in sizes:
        count *= size
    budget.spend('bytes', count * dtype.itemsize, shown(name))
    content = message.content(4)
    if content:
        if len(content) != count * dtype.itemsize:
            raise UnreadableFileError(f'The constant {shown(name)} has {len(content)} bytes for the shape {sizes}.')
        return np.frombuffer(content, dtype).reshape(sizes)
    return _of_list(_listed(message, number, dtype), count, dtype, name).reshape(sizes)


def _listed(message: Message, number: int, dtype: np.dtype) -> np.ndarray:
    field = _LISTS[number]
    if number in (1, 2):
        return np.frombuffer(b''.join(message.contents(field)), dtype)
    numbers = message.integers(field)
    if number == 19:  # its bits, as a whole number
        return np.array(numbers, 'int64').astype('<u2').view('<f2')
    return np.array(numbers, 'int64').astype(dtype)


def _of_list(numbers: np.ndarray, count: int, dtype: np.dtype, name: str) -> np.ndarray:
    if len(numbers) > count:
        raise UnreadableFileError(f'The constant {shown(name)} has {len(numbers)} numbers in the place of {count}.')
    if not len(numbers):
        return np.zeros(count, dtype)
    return np.concatenate([numbers, np.repeat(numbers[-1:], count - len(numbers))])


def reference(name: str) -> Tuple[str, str, int]:
    """The node, the output and the number in it that an input of a node names."""
    node, *rest = name.split(':')
    if len(rest) > 2 or not all([part.isdigit() for part in rest[-1:]]):
        raise UnreadableFileError(f'The graph names the tensor {shown(name)}, which is none.')
    return node, rest[0] if len(rest) == 2 else '', int(rest[-1]) if rest else 0


def _numbered(names: str) -> Dict[str, int]:
    return {name: number for number, name in enumerate(names.split())}


_NORMALIZED = _numbered('y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3')
# The numbers of the outputs of operations that have several, by their names.
OUTPUTS: Dict[str, Dict[str, int]] = {
    'FusedBatchNorm': _NORMALIZED,
    'FusedBatchNormV2': _NORMALIZED,
    'FusedBatchNormV3': _NORMALIZED,
    'Switch': _numbered('output_false output_true'),
    'Merge': _numbered('output value_index'),
    'TensorArrayV3': _numbered('handle flow'),
    'TensorListPopBack': _numbered('output_handle tensor'),
    'TopKV2': _numbered('values indices'),
}


def is_text(content: bytes) -> bool:
    """Whether this is a graph as text (.pbtxt), which is not read."""
    return content.lstrip()[:6] in (b'node {', b'node{\n') or content[:2] == b'# '
