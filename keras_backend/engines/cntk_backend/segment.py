"""Running a segment: a CNTK graph for every combination of shapes that turns up, within bounds."""

import logging
import weakref
from functools import partial
from itertools import count
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ...basics import shapes
from ...basics.threads import Lock
from ...graph.run.kernels import Array, Kernel, Kernels, kernel_of
from ...kernels.common import Ints
from . import primitives as nodes
from .graph import Function, Graph, Symbol, Unfit, Variable
from .vendor import cntk_py, cpu

# of `plan`, which imports this module
Segment = Any
Step = Any

Key = Tuple[Tuple[Any, ...], ...]  # of each input its shape, or its elements
Feeds = Dict[Variable, Any]  # values of CNTK
AnyGraph = Union['CntkGraph', 'NumpyGraph']

log = logging.getLogger('keras_backend.cntk')

# The bytes that all graphs together may take (a graph keeps all values that it computes), and the number of graphs that
# every segment keeps even so: a last batch that is smaller must not drive out the graph of the others.
LIMIT, KEPT = 1 << 28, 2
# Up to this many bytes, copying an array into memory that CNTK knows is faster than making it known.
_COPIED = 1 << 16
# Values up to this many elements that are known while building are calculated there and then.
_FOLDED = 1024

_forward, _view, _value = cntk_py.Function._forward, cntk_py.NDArrayView, cntk_py.Value
_NONE: FrozenSet[Any] = frozenset()
_clock = count()
_room = Lock()
_graphs: 'weakref.WeakSet[AnyGraph]' = weakref.WeakSet()


def _known_to_cntk(array: Array) -> Any:
    """`array` as CNTK takes it, without a copy: it is read while the array lives."""
    return _value(_view(array, cpu, False, True))


def sentence(error: BaseException) -> str:
    """The text of an error without the C++ stack, which takes kilobytes in the errors of CNTK."""
    return str(error).partition('[CALL STACK]')[0].strip()


class SegmentFunction:
    """The function of arrays that a segment is. Threads may call it at once."""

    dtype: str
    steps: List[Step]
    outputs: List[str]
    inputs: List[Tuple[str, str]]
    constants: Dict[str, Array]

    def __init__(self, segment: Segment, kernels: Kernels) -> None:
        self.dtype, self.steps, self.outputs = segment.dtype, segment.steps, segment.outputs
        self.inputs, self.constants = list(segment.inputs.items()), segment.constants
        self.kernels = kernels
        self._by_value = any([kind == 'value' for _name, kind in self.inputs])
        self._lock = Lock()
        self.graphs: Dict[Key, AnyGraph] = {}

    def __call__(self, arrays: Sequence[Array]) -> List[Array]:
        key = tuple([a.shape for a in arrays]) if not self._by_value else self._key(arrays)
        graph = self.graphs.get(key)
        if graph is None:
            graph = self._make(key, arrays)
        graph.used = next(_clock)
        return graph(arrays)

    def _key(self, arrays: Sequence[Array]) -> Key:
        return tuple(
            [
                tuple(np.ravel(a).tolist()) if kind == 'value' else a.shape
                for a, (_name, kind) in zip(arrays, self.inputs)
            ]
        )

    def _make(self, key: Key, arrays: Sequence[Array]) -> AnyGraph:
        with self._lock:
            graph = self.graphs.get(key)
            if graph is None:
                try:
                    graph = CntkGraph(self, arrays)
                except (Unfit, ValueError, RuntimeError) as error:  # whatever CNTK does not take, NumPy computes
                    graph = self.fall_back(key, error)
                self._keep(key, graph)
        return graph

    def fall_back(self, key: Key, reason: Exception) -> 'NumpyGraph':
        """The graph that NumPy runs where CNTK cannot."""
        log.debug('NumPy runs %s for %s: %s', ' '.join([step.op for step in self.steps]), key, sentence(reason))
        return NumpyGraph(self)

    def _keep(self, key: Key, graph: AnyGraph) -> None:
        graph.used, graph.key, graph.owner = next(_clock), key, weakref.ref(self)
        self.graphs[key] = graph
        _make_room(graph)

    def replace(self, graph: 'CntkGraph', reason: Exception) -> AnyGraph:
        """The graph that takes the place of one that turned out not to run."""
        with self._lock:
            self._keep(graph.key, self.fall_back(graph.key, reason))
            return self.graphs[graph.key]

    def lower(self, step: Step) -> Kernel:
        """The NumPy function of a step."""
        return kernel_of(self.kernels, step.op, step.ranks, step.attrs, step.dtypes)


def _make_room(new: AnyGraph) -> None:
    """Give up the graphs that were not used for the longest time."""
    with _room:
        _graphs.add(new)
        total = sum([graph.size for graph in _graphs])
        for graph in sorted(_graphs, key=lambda graph: graph.used) if total > LIMIT else ():
            owner = graph.owner()
            if total > LIMIT and owner is not None and len(owner.graphs) > KEPT:
                owner.graphs.pop(graph.key, None)
                _graphs.discard(graph)
                total -= graph.size


class NumpyGraph:
    """A segment run by NumPy: for empty tensors, and everything else that CNTK refuses."""

    size = 10000
    used: int
    key: Key
    owner: 'weakref.ref[SegmentFunction]'
    _steps: List[Tuple[str, Kernel, List[str], bool]]

    def __init__(self, function: SegmentFunction) -> None:
        views = function.kernels.VIEWS
        self._names = [name for name, _kind in function.inputs]
        self._constants, self._steps = function.constants, []
        for step in function.steps:
            of_shapes = step.entries is not None
            run = partial(_sizes, step.entries) if of_shapes else function.lower(step)
            self._steps.append((step.name, run, step.arguments, of_shapes))
        viewing = {step.name for step in function.steps if step.op in views}
        self._outputs = [(name, name in viewing) for name in function.outputs]

    def __call__(self, arrays: Sequence[Array]) -> List[Array]:
        values = dict(self._constants)
        values.update(zip(self._names, arrays))
        for name, run, arguments, of_shapes in self._steps:
            values[name] = run(values) if of_shapes else run(*[values[a] for a in arguments])
        return [np.array(values[name]) if viewing else values[name] for name, viewing in self._outputs]


def _sizes(entries: Any, values: Mapping[str, Any]) -> Array:
    """The shape that `entries` tell, given the values by name."""
    return np.array([e if e.__class__ is int else values[e[0]].shape[e[1]] for e in entries], 'int32')


class CntkGraph:
    """A segment built for arrays of the shapes of `arrays`."""

    used: int
    key: Key
    owner: 'weakref.ref[SegmentFunction]'
    _function: Function  # or None
    _variables: List[Variable]
    _copied: List[Tuple[Array, int]]
    _lent: List['_Lent']
    _feeds: Feeds
    # (value, None) or (None, place); shape; whether it is copied
    _results: List[Tuple[Any, Any, Ints, bool]]

    def __init__(self, function: SegmentFunction, arrays: Sequence[Array]) -> None:
        outputs: Any
        values: Dict[str, Symbol]
        fed: List[Tuple[int, Variable, Array]]
        g = Graph(function.dtype)
        values, fed = {name: g.known(data) for name, data in function.constants.items()}, []
        for i, ((name, kind), array) in enumerate(zip(function.inputs, arrays)):
            if kind == 'data':
                values[name] = g.input(array.shape)
                fed.append((i, values[name].variable, array))
            elif kind == 'value':
                values[name] = g.known(np.array(array))
        shaped = {name: array for (name, _kind), array in zip(function.inputs, arrays)}
        for step in function.steps:
            if step.entries is not None:  # none of a scalar
                outputs = g.known(_sizes(step.entries, shaped))
            elif step.op == 'shape':
                outputs = g.known(np.array(shaped[step.arguments[0]].shape, 'int32'))
            else:
                outputs = self._build(g, function, step, [values[a] for a in step.arguments])
            values[step.name] = shaped[step.name] = outputs
        outputs = [values[name] for name in function.outputs]
        computed = [symbol for symbol in outputs if symbol.data is None]
        self._function, self._variables, positions = g.outputs(computed) if computed else (None, [], [])
        self._copied, self._lent, self._feeds = [], [], {}
        # of some only the shape turns out to count; CNTK warns of values in vain, on the terminal
        read = set(self._function.arguments()) if computed else ()
        for i, variable, array in fed:
            if variable in read:
                self._feed(i, variable, array, g.dtype)
        self._results, taken = [], iter(positions)
        for symbol in outputs:
            known = None if symbol.data is None else g.value(symbol)
            position = next(taken) if known is None else None
            shared = position in [p for _k, p, _s, _c in self._results]
            self._results.append((known, position, symbol.shape, shared or symbol.stored != symbol.shape))
        self.size = g.size
        self._lock = Lock()
        self._instead: Optional[AnyGraph] = None

    @staticmethod
    def _build(g: Graph, function: SegmentFunction, step: Step, arguments: List[Symbol]) -> Symbol:
        build = nodes.BUILDERS.get(step.op)
        if (
            all([a.data is not None for a in arguments])
            and step.op != 'broadcast_to'
            and (build is None or all([shapes.product(a.shape) <= _FOLDED for a in arguments]))
        ):
            return g.known(function.lower(step)(*[g.value(a) for a in arguments]))
        assert build is not None  # operands of all others are known
        return build(g, *arguments, **step.attrs)

    def _feed(self, i: int, variable: Variable, array: Array, dtype: np.dtype) -> None:
        if array.size * dtype.itemsize <= _COPIED:
            buffer = np.empty(array.shape, dtype)
            self._copied.append((buffer, i))
            self._feeds[variable] = _known_to_cntk(buffer)
        else:
            self._lent.append(_Lent(variable, i))

    def __call__(self, arrays: Sequence[Array]) -> List[Array]:
        if self._instead is not None:
            return self._instead(arrays)
        with self._lock:
            for buffer, i in self._copied:
                buffer[...] = arrays[i]
            lent = [feed.give(self._feeds, arrays[feed.index]) for feed in self._lent]
            outputs: Dict[Variable, Any] = dict.fromkeys(self._variables)
            try:
                if self._function is not None:
                    _forward(self._function, self._feeds, outputs, cpu, set())
            except RuntimeError as error:
                owner = self.owner()
                assert owner is not None  # who calls this
                self._instead = owner.replace(self, error)
                return self._instead(arrays)
            del lent
            values = [outputs[variable].data().to_ndarray() for variable in self._variables]
        results = []
        for known, position, shape, copied in self._results:
            value = known if known is not None else values[position]
            results.append(np.array(np.broadcast_to(value, shape)) if copied or known is not None else value)
        return results


class _Lent:
    """An input whose arrays CNTK reads where they are. Nothing here keeps them alive longer than a call."""

    __slots__ = ('_last', 'index', 'variable')
    _last: Callable[[], Any]

    def __init__(self, variable: Variable, index: int) -> None:
        self.variable, self.index, self._last = variable, index, _nothing

    def give(self, feeds: Feeds, array: Array) -> Array:
        """Have `feeds` hold `array`; returns what has to stay alive during the call."""
        if self._last() is array:
            return array
        if array.flags.c_contiguous:
            self._last = weakref.ref(array)
        else:
            array, self._last = np.ascontiguousarray(array), _nothing
        feeds[self.variable] = _known_to_cntk(array)
        return array


def _nothing() -> Any:
    return _NONE
