"""From the statements of a program to nodes of ONNX, by a table of functions, one for each primitive.

A function of the table is `f(w, node, *xs)`: the writer, the node of the K graph, and the names of its operands in the
file. It returns the name of the value, or a list of names for a primitive with several results.
"""

from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, List, Sequence, TypeVar, Union

import numpy as np

from ...basics.dtypes import WIDER
from ...errors import ExportError
from ...graph.nodes.base import known, ranked
from ...graph.nodes.tensor import Node
from ...graph.run.failures import said
from ...graph.run.lowering import Lowering
from ...graph.run.statements import Block, Compute, Statement
from .writer import Name, Writer

if TYPE_CHECKING:
    from ..request import Exported

Values = Dict[str, Any]  # of each name of a statement the name in the file; a list of names of several results

Made = Union[Name, List[Name]]
_Lower = TypeVar('_Lower', bound=Callable[..., Made])
_Statement = TypeVar('_Statement', bound=Callable[..., None])

LOWERINGS: Dict[str, Callable[..., Made]] = {}
# Primitives that are an operator of ONNX as they stand.
DIRECT: Dict[str, str] = {}
# Primitives whose operators take every dtype.
OF_ALL_DTYPES: FrozenSet[str] = frozenset(
    'identity stop_gradient cast shape reshape transpose expand_dims squeeze concatenate stack reverse getitem '
    'slice_axis gather item print one_hot arange random_uniform random_normal truncated_normal'.split()
)
# Primitives that no file of ONNX can say, and why.
REFUSED: Dict[str, str] = {}
# Loops, choices and the like: `f(translator, w, statement, values)`, which puts what the statement makes into `values`.
STATEMENTS: Dict[type, Callable[..., None]] = {}


def lowers(*names: str) -> Callable[[_Lower], _Lower]:
    """Declare the function of the table for some primitives."""

    def declare(function: _Lower) -> _Lower:
        LOWERINGS.update(dict.fromkeys(names, function))
        return function

    return declare


def lowers_statement(kind: type) -> Callable[[_Statement], _Statement]:
    """Declare the function for a class of statements."""

    def declare(function: _Statement) -> _Statement:
        STATEMENTS[kind] = function
        return function

    return declare


def refuse(node: Node, reason: str, way_out: str = '') -> ExportError:
    """The error for a node that ONNX cannot say."""
    who, name = said(node)
    more = f' {way_out}' if way_out else ''
    return ExportError(f'{who}: a file of ONNX cannot say {name}: {reason}.{more}', who)


def size_operand(w: Writer, node: Node, xs: Sequence[Name], name: str) -> Name:
    """The shape or size `name` of a node as int64, be it an attribute or an operand. xs: the operands."""
    if name in node.attrs:
        value = node.attrs[name]
        return w.ints(*value) if isinstance(value, (list, tuple)) else w.constant(value, 'int64')
    operands = [parameter for parameter in node.op.parameters if parameter not in node.attrs]
    return w.cast(xs[operands.index(name)], 'int64')


def _is_empty(node: Node) -> bool:
    """Whether a node surely has no entries."""
    return not node.results and ranked(node) and 0 in node.dims and all(map(known, node.dims))


class _Wider:
    """A node as it is computed where runners of ONNX have few operators for its dtype."""

    def __init__(self, node: Any, dtype: str, inputs: Sequence[Any] = ()) -> None:
        self.dtype, self.inputs, self._node = dtype, tuple(inputs), node

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)


class Translator:
    """Writes the blocks of a program.

    lowering: the statements of the program
    steps:    of what a loop collects that may have no steps, the number of them, by names in the file
    """

    def __init__(self, exported: 'Exported', lowering: Lowering) -> None:
        self.exported, self.lowering = exported, lowering
        self.steps: Dict[Name, Name] = {}

    def block(self, w: Writer, block: Block, values: Values) -> None:
        """Write the statements of a block; `values` gets what they make."""
        for statement in block.statements:
            self.statement(w, statement, values)

    def statement(self, w: Writer, statement: Statement, values: Values) -> None:
        """Write one statement."""
        if isinstance(statement, Compute):
            w.begin(statement.node.name)
            arguments = [values[name] for name in statement.arguments]
            values[statement.makes[0]] = self.compute(w, statement.node, arguments)
        elif type(statement) in STATEMENTS:
            STATEMENTS[type(statement)](self, w, statement, values)
        else:
            raise ExportError(f'K.function: a file of ONNX cannot hold {type(statement).__name__.lower()}s yet.')

    def compute(self, w: Writer, node: Node, arguments: List[Any]) -> Made:
        """Write a primitive; returns its value."""
        name = node.op.name
        if name == 'item':
            result: Name = arguments[0][node.attrs['index']]
            return result
        value = node.value
        if value is not None and all(map(known, value.ravel().tolist())):
            # a size that the graph tells
            return w.constant(np.array(value.tolist(), node.dtype))
        if _is_empty(node):
            # onnxruntime simplifies some operators of nothing to others of another shape
            return w.constant(np.zeros(node.dims, node.dtype))
        if name not in OF_ALL_DTYPES and any([x.dtype in WIDER for x in node.inputs]):
            return self._widened(w, node, arguments)
        return self._compute(w, node, arguments)

    def _widened(self, w: Writer, node: Node, arguments: List[Any]) -> Made:
        """A primitive of small or unsigned integers, by way of larger ones. What is too large is cut off in both."""
        wide = [_Wider(x, WIDER.get(x.dtype, x.dtype)) for x in node.inputs]
        arguments = [w.cast(a, y.dtype) if x.dtype in WIDER else a for a, x, y in zip(arguments, node.inputs, wide)]
        as_wide: Any = _Wider(node, WIDER.get(node.dtype, node.dtype), wide)
        result = self._compute(w, as_wide, arguments)
        assert isinstance(result, Name)
        return w.cast(result, node.dtype) if node.dtype in WIDER else result

    def _compute(self, w: Writer, node: Node, arguments: List[Any]) -> Made:
        name = node.op.name
        if name in DIRECT:
            return w.op(DIRECT[name], *arguments)
        function = LOWERINGS.get(name)
        if function is None:
            raise refuse(node, REFUSED.get(name, f'it has no operator for {name}'))
        return function(w, node, *arguments)
