"""`K.function` and `K.eval` on the K graph."""

from typing import TYPE_CHECKING, Any, List, Optional, Sequence

from ...calls import Call
from ...contract.kinds import shown
from ...errors import ArgumentTypeError, ClearedSessionError, FeedError
from ...misuse import OfThisProcess
from ..nodes.dims import known, ranked
from ..nodes.tensor import Constant, Node, Placeholder, Tensor, Update, Variable
from ..record.graph import Graph
from ..record.updates import composed
from .failures import of_run
from .program import Program

if TYPE_CHECKING:
    from typing import NoReturn

    from .kernels import Feed, Kernels, Run


class Runnable(Graph):
    """A graph that has the kernels to run it."""

    kernels: 'Kernels'


class Function(OfThisProcess):
    """What `K.function` returns: called with a list of values, it returns a list of arrays.

    The graph is lowered at the first call.
    """

    def __init__(
        self, graph: Runnable, inputs: Any, outputs: Any, updates: Sequence[Any] = (), name: Optional[str] = None
    ) -> None:
        self.name = name or 'function'
        self._graph, self._session = graph, graph.session
        self._single = isinstance(outputs, Tensor)
        outputs = [outputs] if self._single else list(outputs)
        for t in outputs:
            graph.at_the_top(t)
        self._call = Call(self.name, inputs, graph.session.learning_phase, lambda t: isinstance(t, Tensor))
        self._count = self._call.count
        self.inputs = [_input(graph, t, i) for i, t in enumerate(self._call.tensors)]
        self.outputs = outputs
        self.updates = _listed(graph, updates)
        dense = [graph.F.to_dense(t) if t.sparse else t for t in outputs]
        program = self._lowered(dense)
        self._program: Optional[Program] = program
        used = program.used
        self._feeds = [_feed(graph, t) if t.id in used else _feed_unused for t in self.inputs]
        self._run: Optional[Run] = None

    def __call__(self, inputs: Any = ()) -> Any:
        feeds = self._feeds
        if (inputs.__class__ is not list and inputs.__class__ is not tuple) or len(inputs) != self._count:
            placeholders = [(i, t) for i, t in enumerate(self.inputs) if isinstance(t, Placeholder)]
            defaults = {i: t.default for i, t in placeholders if t.default is not None}
            inputs = self._call.values(inputs, [t.name for t in self.inputs], defaults)
        run = self._run
        if run is None or self._session.closed:
            run = self._compile()
        try:
            results = run(*[feed(value) for feed, value in zip(feeds, inputs)])
        except Exception as error:
            ours = of_run(error, run.located(error), self.name)
            if ours is None:
                raise
            raise ours from error
        return results[0] if self._single else results

    def _lowered(self, outputs: List[Tensor]) -> Program:
        program = Program(self.inputs, outputs, self.updates)
        with self._session.independent():
            updates = composed(self._graph, program.updates)
        if len(updates) == len(program.updates):
            return program
        # What an assignment replaces is not computed.
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


def _listed(graph: Runnable, given: Sequence[Any]) -> List[Update]:
    """The updates that `K.function` was given, each of them once."""
    updates, seen = [], set()
    for update in given:
        if not isinstance(update, Update):
            try:
                variable, new = update
            except (TypeError, ValueError):
                raise ArgumentTypeError(
                    f'updates has to hold pairs (variable, new value) or results of K.update, got {shown(update)}.'
                ) from None
            update = graph.front.update(variable, new)
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
        except (TypeError, ValueError) as error:
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
