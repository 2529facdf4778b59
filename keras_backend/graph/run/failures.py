"""Where a run of the K graph has failed, and the error that says so.

The frames that an error has passed hold the values of the run. So nothing is kept, and nothing is run again.
"""

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from ...basics import run_errors
from ...errors import KerasBackendError, ShapeError
from ..nodes.tensor import Node, Placeholder, Tensor
from .interpreter import Interpreter
from .program import Place
from .statements import Compute, Stack

if TYPE_CHECKING:
    from .lowering import Lowering
    from .statements import Statement

# A vector that long is no shape.
_LONGEST = 64


def _statements(lowering: 'Lowering') -> Iterator['Statement']:
    for block in lowering.blocks():
        for statement in block.statements:
            if isinstance(statement, (Compute, Stack)):
                yield statement


def _frames(error: BaseException) -> Iterator[Tuple[Any, int]]:
    """The frames that an error has passed, the innermost first."""
    frames: List[Tuple[Any, int]] = []
    traceback = error.__traceback__
    while traceback is not None:
        frames.append((traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    return iter(frames[::-1])


class Printed:
    """Where a printed function has failed."""

    def __init__(self, lowering: 'Lowering', scope: Dict[str, Any], source: str) -> None:
        self._scope, self._source = scope, source
        self._made = {statement.makes[0]: statement for statement in _statements(lowering)}

    def __call__(self, error: BaseException) -> Optional[Place]:
        for frame, number in _frames(error):
            if frame.f_globals is self._scope:
                name = self._source.splitlines()[number - 1].strip().partition(' = ')[0]
                statement = self._made.get(name)
                return None if statement is None else _place(statement, {**self._scope, **frame.f_locals})
        return None


def interpreted(error: BaseException) -> Optional[Place]:
    """Where a run one by one, or traced so, has failed."""
    for frame, _number in _frames(error):
        if frame.f_code is Interpreter.block.__code__:
            statement = frame.f_locals.get('statement')
            return _place(statement, frame.f_locals['values']) if isinstance(statement, (Compute, Stack)) else None
    return None


def at_node(key: int, lowering: 'Lowering') -> Optional[Place]:
    """The place of the node with a key of the lowering, for a check that finds its result later."""
    nodes = [node for node in map(_node, _statements(lowering)) if lowering.key(node.id) == key]
    return Place(nodes[0], ()) if nodes else None


def _node(statement: 'Statement') -> Node:
    node: Node = statement.node  # type: ignore[attr-defined]
    return node


def _place(statement: 'Statement', values: Dict[str, Any]) -> Place:
    names = statement.arguments if isinstance(statement, Compute) else []
    return Place(_node(statement), [values.get(name) for name in names])


def of_run(error: Exception, place: Optional[Place], run: str) -> Optional[Exception]:
    """The error of ours for one that came out of a run, None where it stays as it is."""
    known = isinstance(error, KerasBackendError)
    if run_errors.is_of_memory(error):
        return run_errors.out_of_memory(error, *(('K.function', '') if place is None else said(place.node)), run)
    if not (isinstance(error, ShapeError) if known else run_errors.is_of_values(error)):
        return None
    if place is None:
        # Of several nodes in one call of a library it is not known which one it was.
        return None if known else run_errors.put(error, 'K.function', 'one of its operations', run, [])
    node = place.node
    who, name = said(node)
    values = place.values or [None] * len(node.inputs)
    operands = [run_errors.described(x.name, value) for x, value in zip(node.inputs, values) if x.kind != 'draws']
    return run_errors.put(error, who, name, run, operands, None if known else _by_rule(node, place.values))


def said(node: Node) -> Tuple[str, str]:
    """The K function that made a node, or its operator, and the name of the node."""
    return f'K.{node.made_by}' if node.made_by else run_errors.written(node.op.name), node.name


def _by_rule(node: Node, values: Sequence[Any]) -> Optional[ShapeError]:
    """The error of the rule of a primitive for the shapes that its operands have in this run; None if it has none."""
    if len(values) != len(node.inputs) or node.op.part:
        return None
    try:
        node.op.infer(*[_stand_in(x, value) for x, value in zip(node.inputs, values)], **node.attrs)
    except ShapeError as error:
        return error
    except Exception:  # noqa: BLE001
        # The rule asks for more than is known of the stand-ins. The library has raised an error, too.
        return None
    return None


def _stand_in(x: Tensor, value: Any) -> Tensor:
    """A tensor of the name of `x` with the shape that it has in this run, and with its numbers where it is a shape."""
    shape: Tuple[int, ...] = tuple(value.shape)
    placeholder = Placeholder(x.session, shape, x.dtype, x.name)
    if 'int' in x.dtype and len(shape) < 2 and all([n < _LONGEST for n in shape]):
        placeholder.value = np.array(np.asarray(value).tolist(), object)
    return placeholder
