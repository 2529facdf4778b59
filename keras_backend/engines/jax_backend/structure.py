"""The structure of a program: all that decides what it compiles to, without its tensors.

A function that is built again, over the same tensors or over new ones that were recorded alike, has the structure of
the first one. So it runs what was compiled for that. An example is K.function([x], [K.exp(x * w)]):

    inputs   (('p0', 'float32', (size 0, 8), ...),)
    leaves   (('v1', 'float32', (8,)),)
    block    (('mul', ('p0', 'v1'), 't2', ...), ('exp', ('t2',), 't3', ...))
    results  (('t3', 'float32'),)

The lowering numbers the names in each program from 0. So equal structures are the same program but for the arrays of
variables and of large constants, which are arguments of what is compiled.
"""

import weakref
from typing import TYPE_CHECKING, Any, Callable, Container, Dict, Hashable, Optional, Set, Tuple

import numpy as np

from ...basics.threads import Remembered
from ...graph.nodes.base import Dim, known, ranked
from ...graph.nodes.tensor import Tensor
from ...graph.run.statements import Choice, Compute, Loop, Stack

if TYPE_CHECKING:
    from ...graph.run.lowering import Lowering
    from ...graph.run.statements import Block, Statement

# A larger array in an attribute is not compared.
_MOST_ELEMENTS = 4096
# So many structures of a session are remembered: the memory of what XLA has compiled for them stays in use.
_MOST_STRUCTURES = 128


class _NotComparable(Exception):
    """The error for a value whose equality would not mean that the same is compiled."""


def structure(lowering: 'Lowering', arguments: Container[str], marked: Set[int]) -> Optional[Hashable]:
    """The structure of a lowering, None where something in it cannot be compared.

    arguments: names of the constants that are arguments of what is compiled, so their values do not count
    marked: ids of the nodes that the engine treats in a way of their own
    """
    try:
        return _Structure(lowering, arguments, marked).whole()
    except _NotComparable:
        return None


class _Structure:
    def __init__(self, lowering: 'Lowering', arguments: Container[str], marked: Set[int]) -> None:
        self._lowering, self._arguments, self._marked = lowering, arguments, marked
        self._sizes: Dict[int, int] = {}  # id of an unknown size -> its number here
        self._draws = {lowering.name(draws) for draws in lowering.program.draws.values()}

    def whole(self) -> Hashable:
        lowering, program = self._lowering, self._lowering.program
        return (
            tuple([(*self._tensor(t), t.host, t.sparse, t.id in program.used) for t in program.inputs]),
            tuple([self._tensor(variable) for variable in lowering.variables.values()]),
            tuple([(name, self._constant(name, value)) for name, value in lowering.constants.items()]),
            self._block(lowering.top),
            tuple([(result.name, result.tensor.dtype) for result in lowering.results]),
            tuple([(a.value, *self._tensor(a.variable), a.checked) for a in lowering.assigns]),
        )

    def _tensor(self, tensor: Tensor) -> Tuple[Hashable, ...]:
        return self._lowering.name(tensor), tensor.dtype, self._dims(tensor)

    def _dims(self, tensor: Tensor) -> Hashable:
        return tuple(map(self._size, tensor.dims)) if ranked(tensor) else None

    def _size(self, size: Any) -> Hashable:
        return int(size) if known(size) else ('size', self._sizes.setdefault(id(size), len(self._sizes)))

    def _constant(self, name: str, value: Any) -> Hashable:
        if name in self._draws:
            return 'draws'
        return (value.dtype.str, value.shape) if name in self._arguments else self._value(value)

    def _block(self, block: 'Block') -> Hashable:
        return tuple(map(self._statement, block.statements))

    def _statement(self, statement: 'Statement') -> Hashable:
        if isinstance(statement, Compute):
            return self._compute(statement)
        if isinstance(statement, Stack):
            node = statement.node
            return 'stack', statement.makes[0], statement.steps, tuple(statement.tail), node.dtype, node.optional
        if isinstance(statement, Loop):
            return self._loop(statement)
        if isinstance(statement, Choice):
            parts = [
                self._tensor(part) for _key, part in sorted(self._lowering.program.chosen[statement.cond.id].items())
            ]
            branches = tuple(map(self._block, statement.branches))
            return 'choice', statement.condition, tuple(statement.parts), tuple(parts), branches
        raise _NotComparable  # a function of an engine

    def _compute(self, compute: Compute) -> Hashable:
        node = compute.node
        if compute.kernel is not None:
            raise _NotComparable
        attributes = tuple([(name, self._value(value)) for name, value in sorted(node.attrs.items())])
        operands = tuple([(*self._tensor(x), x.optional) for x in node.inputs])
        results = tuple([(tuple(map(self._value, dims)), dtype) for dims, dtype in node.results])
        marks = node.optional, node.id in self._marked
        return (
            node.op.name,
            tuple(compute.arguments),
            operands,
            compute.makes[0],
            node.dtype,
            attributes,
            results,
            marks,
        )

    def _loop(self, loop: Loop) -> Hashable:
        scan = loop.scan
        initial = [self._tensor(scan.states[i][0]) for i in sorted(self._lowering.program.states[scan.id])]
        return (
            'loop',
            (scan.reverse, scan.least, self._size(scan.length), loop.over_nothing),
            (tuple(loop.elements), tuple(loop.lengths), tuple(loop.sizes.items()), tuple(loop.checked)),
            (tuple(loop.states), tuple(initial), tuple(loop.collected), tuple(loop.finals)),
            self._block(loop.block),
        )

    def _value(self, value: Any) -> Hashable:
        """A plain value with its type: 1, 1.0 and True are equal in Python."""
        if isinstance(value, Tensor):
            return self._tensor(value)
        if isinstance(value, Dim):
            return self._size(value)
        if value is None or isinstance(value, (bool, int, str, np.dtype)):
            return type(value).__name__, value
        if isinstance(value, float):
            return 'float', value.hex()
        if isinstance(value, (tuple, list)):
            return type(value).__name__, tuple(map(self._value, value))
        if isinstance(value, slice):
            return 'slice', self._value((value.start, value.stop, value.step))
        if isinstance(value, (np.ndarray, np.generic)) and value.size <= _MOST_ELEMENTS and value.dtype != object:
            return value.dtype.str, value.shape, value.tobytes()
        raise _NotComparable


_of_sessions: 'weakref.WeakKeyDictionary[Any, Remembered]' = weakref.WeakKeyDictionary()


def compiled_once(session: Any, key: Hashable, compiled: Callable[[], Any]) -> Any:
    """What is remembered for `key` in a session, or what `compiled` gives. Two threads at once may compile twice."""
    remembered = _of_sessions.get(session)
    if remembered is None:
        remembered = _of_sessions.setdefault(session, Remembered(_MOST_STRUCTURES))
    result = remembered.get(key) or compiled()
    remembered.put(key, result)
    return result
