"""`K.function` and `K.eval` on the K graph."""

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

from ...basics.calls import Function as _Function
from ...basics.calls import pair
from ...basics.misuse import OfThisProcess
from ...errors import ArgumentTypeError, ClearedSessionError, FeedError
from ..nodes.base import known, ranked
from ..nodes.tensor import Constant, Node, Placeholder, Tensor, Update, Variable
from ..record.graph import Graph
from ..record.state import composed
from .failures import of_run
from .program import Program

if TYPE_CHECKING:
    from typing import NoReturn

    from .kernels import Feed, Kernels, Run


class Runnable(Graph):
    """A graph that has the kernels to run it."""

    kernels: 'Kernels'


class Function(OfThisProcess, _Function):
    """The result of `K.function`. The graph is lowered at the first call."""

    def __init__(
        self, graph: Runnable, inputs: Any, outputs: Any, updates: Sequence[Any] = (), name: Optional[str] = None
    ) -> None:
        super().__init__(name, inputs, outputs, graph.session.learning_phase, lambda t: isinstance(t, Tensor))
        self._graph, self._session = graph, graph.session
        for t in self.outputs:
            graph.at_the_top(t)
        self.inputs = [_input(graph, t, i) for i, t in enumerate(self._feeding.tensors)]
        self.updates = _listed(graph, updates)
        dense = [graph.F.to_dense(t) if t.sparse else t for t in self.outputs]
        program = self._lowered(dense)
        self._program: Optional[Program] = program
        used = program.used
        self._feeds = [_feed(graph, t) if t.id in used else _feed_unused for t in self.inputs]
        self._run: Optional[Run] = None

    def _results(self, values: Sequence[Any]) -> List[Any]:
        run = self._run
        if run is None or self._session.closed:
            run = self._compile()
        try:
            return run(*[feed(value) for feed, value in zip(self._feeds, values)])
        except Exception as error:
            ours = of_run(error, run.located(error), self.name)
            if ours is None:
                raise
            raise ours from error

    def _defaults(self) -> Dict[int, Any]:
        placeholders = [(i, t) for i, t in enumerate(self.inputs) if isinstance(t, Placeholder)]
        return {i: t.default for i, t in placeholders if t.default is not None}

    def _lowered(self, outputs: List[Tensor]) -> Program:
        program = Program(self.inputs, outputs, self.updates)
        with self._session.independent():
            updates = composed(self._graph, program.updates)
        if len(updates) == len(program.updates):
            return program
        # A value that an assignment replaces is not computed.
        return Program(self.inputs, outputs, updates, settled=True)

    def _compile(self) -> 'Run':
        if self._session.closed:
            raise ClearedSessionError(f'{self.name} was built before K.clear_session() and is gone; build it again.')
        with self._graph.lock:
            run = self._run
            if run is None:
                assert self._program is not None
                run = self._run = self._graph.kernels.compile(self._program, self._graph)
                self._program = None
        return run


class Unchanging(Function):
    """A function that assigns nothing, whatever its outputs ask for, and whose draws are not those of others.

    program: what it runs, before an engine changes it
    """

    program: Program

    def __init__(self, graph: Runnable, inputs: List[Tensor], outputs: List[Tensor], name: str) -> None:
        super().__init__(graph, inputs, outputs, name=name)

    def _lowered(self, outputs: List[Tensor]) -> Program:
        self.program = Program(self.inputs, outputs, (), settled=True, rows=False)
        return self.program

    def _compile(self) -> 'Run':
        with self._graph.lock:
            draws = list(self.program.draws.values())
            streams = [draw.stream for draw in draws]
            try:
                for draw in draws:
                    draw.stream = self._graph.kernels.Stream(getattr(draw.stream, 'seed', 0))
                return super()._compile()
            finally:
                for draw, stream in zip(draws, streams):
                    draw.stream = stream


def new_values(function: Function) -> List[Update]:
    """What a function assigns, with what its outputs ask for. Several updates of one variable are one."""
    program = function._program
    if program is None:
        dense = [function._graph.F.to_dense(t) if t.sparse else t for t in function.outputs]
        program = function._lowered(dense)
    with function._session.independent():
        return composed(function._graph, program.updates)


def unchanging(function: Function, more: Sequence[Tensor] = ()) -> Unchanging:
    """The same function without its updates, and with more outputs."""
    if function._session.closed:
        raise ClearedSessionError(f'{function.name} was built before K.clear_session() and is gone; build it again.')
    return Unchanging(function._graph, function.inputs, [*function.outputs, *more], function.name)


def _listed(graph: Runnable, given: Sequence[Any]) -> List[Update]:
    """The updates that `K.function` was given, each of them once."""
    updates, seen = [], set()
    for update in given:
        if not isinstance(update, Update):
            update = graph.front.update(*pair(update))
        graph.at_the_top(update)
        if update.id not in seen:
            seen.add(update.id)
            updates.append(update)
    return updates


def _input(graph: Runnable, t: Any, i: int) -> Tensor:
    """An input of a function; refuse what cannot be fed."""
    if not isinstance(t, (Placeholder, Node)):
        raise ArgumentTypeError(f'inputs[{i}] of K.function has to be a placeholder, got {t!r}.')
    graph.at_the_top(t)
    return t


def _feed(graph: Runnable, t: Tensor) -> 'Feed':
    """A function that turns what is fed for `t` into an array, or refuses it."""
    kernels, dtype, dims = graph.kernels, t.dtype, t.dims
    asarray = kernels.feed_host(dtype) if t.host else kernels.feed(dtype)
    if t.sparse:
        return graph.kernels.feed_sparse(t)
    rank = len(dims) if ranked(t) else None
    fixed = [(i, d) for i, d in enumerate(dims) if known(d)] if ranked(t) else []
    shape = t.shape

    def refuse(value: Any, reason: str) -> 'NoReturn':
        raise FeedError(f'{t.name} of shape {shape} and dtype {dtype} cannot be fed with {reason}.')

    def feed(value: Any) -> Any:
        try:
            array = asarray(value)
        except (TypeError, ValueError) as error:  # both mean that NumPy makes no array of it; raises
            if isinstance(value, Tensor):
                refuse(value, f'the symbolic tensor {value.name}; feed its value')
            refuse(value, f'{type(value).__name__}: {str(error).rstrip(".")}')
        got = array.shape
        if len(got) != rank and rank is not None:
            refuse(value, f'an array of shape {tuple(got)}')
        for i, d in fixed:
            if got[i] != d:
                refuse(value, f'an array of shape {tuple(got)}')
        return array

    return feed


def _feed_unused(value: Any) -> None:
    """Take whatever is fed for a tensor that nothing depends on: targets of a loss that does not look at them."""
    return None


def evaluate(graph: Runnable, x: Tensor) -> Any:
    """The value of `x`, its function being kept with it."""
    graph.check(x)
    if isinstance(x, Variable):
        return graph.kernels.to_numpy(x.data)
    if isinstance(x, Constant):
        return graph.kernels.to_numpy(x.data)
    function = x.__dict__.get('_evaluate')
    if function is None:
        function = x._evaluate = Function(graph, [], [x], name=f'the value of {x.name}')
    return function([])[0]
