"""`K.function`: a part of the graph as a Python function, at the cost of little more than the run itself."""

import weakref
from time import perf_counter
from typing import Any, Callable, Dict, Hashable, Iterable, List, Optional, Sequence, Set, Tuple, Union

from numpy import ndarray

from ...basics.calls import Function as _Function
from ...basics.calls import check_options
from ...basics.installed import processors
from ...basics.library import Tensors
from ...basics.misuse import OfThisProcess
from ...errors import ArgumentTypeError, ClearedSessionError, FeedError
from .failures import of_run
from .sessions import connect, current_session, places_pruned, translate
from .tensors.graph import check, describe, graph, root, state_of
from .tensors.reachable import Survey, careful_copy
from .tensors.tensors import Feed, SparseTensor, Tensor, UnusedFeed, is_sparse, is_tensor, is_variable, refuse_foreign
from .updates import behind_barrier, collect
from .variables import SparseFeed, densify, parts_of
from .vendor import INLINE, EagerTensor, Operation, Run, Session, function_definition, get_default_session, tf
from .xla.cuts import called, cut
from .xla.policy import Fusion, Parts, policy

# -- threads -----------------------------------------------------------------------------------------------------------
# Whether a function runs on the thread of its caller or on the threads of TensorFlow.
#
# To hand a small graph over to other threads takes longer than to run it. A large one may have branches that run side
# by side: the two gradients of a convolution take a quarter less time so. A function that has taken a second in all is
# tried both ways, and goes on with the faster one. Each call is run once. One that calls Python stays with its caller:
# what it calls may need a lock that the caller holds, or belong to one thread.
#
# A clock may decide this, since no bit depends on it. Only the thread that starts an operation differs. How a kernel
# divides its work among threads is the same, draws go on from the state of their own operation, and each assignment
# waits for all values and for the one before it. Convolutions, products, sums, averages, lookups and their gradients
# had equal bits both ways, with one thread and with two; `test_both_ways_give_the_same_bits` compares them.


# A function whose first calls take less than so many seconds each stays with its caller for good.
_SHORT, _FIRST_CALLS = 1e-3, 8
_PYTHON = frozenset(['PyFunc', 'PyFuncStateless', 'EagerPyFunc', 'NumpyFunction'])
_CALLING = frozenset(['PartitionedCall', 'StatefulPartitionedCall', 'Case', 'If', 'StatelessIf'])
# The time that calls take in all before a second callable is made. Making one costs time, which has to pay off.
_SECONDS = 1.0
# Calls of either kind that are timed. The first on the threads of TensorFlow are slow.
_TIMED = 20


def calls_python(graph: Any, operations: Iterable[Any]) -> bool:
    """Whether Python functions are among these operations, or among those inside of choices."""
    todo: List[str] = []
    seen: Set[str] = set()
    for op in operations:
        if op.type in _PYTHON:
            return True
        if op.type in _CALLING:
            todo += called(op.node_def)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            function = function_definition(graph, name)
            for node in function.node_def if function is not None else ():
                if node.op in _PYTHON:
                    return True
                todo += called(node)
    return False


class Threads:
    """Runs a function by `inline`, by `make_pooled()`, or both in turn while it is not known which is faster.

    `settle` is called with the one that is chosen.
    """

    def __init__(self, inline: Run, make_pooled: Callable[[], Run], settle: Callable[[Run], None]) -> None:
        self._inline, self._make_pooled, self._settle = inline, make_pooled, settle
        self._chosen: Optional[Run] = None
        self._calls, self._seconds, self._least = 0, 0.0, float('inf')
        self._kinds: List[Run] = [inline]
        self._times: List[List[float]] = [[], []]

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        if self._chosen is not None:
            return self._chosen(*arrays, **options)
        turn = len(self._kinds) == 2 and len(self._times[1]) < len(self._times[0])
        if len(self._kinds) == 1 and self._seconds >= _SECONDS:
            self._kinds = [self._inline, self._make_pooled()]
        start = perf_counter()
        results = self._kinds[turn](*arrays, **options)
        self._note(turn, perf_counter() - start)
        return results

    def _note(self, turn: bool, seconds: float) -> None:
        self._calls, self._least = self._calls + 1, min(self._least, seconds)
        if len(self._kinds) == 1:
            # The first call of a session takes longer.
            self._seconds += seconds if self._calls > 1 else 0.0
            if self._calls >= _FIRST_CALLS and self._least < _SHORT:
                self._choose(self._inline)
            return
        self._times[turn].append(seconds)
        if min(map(len, self._times)) >= _TIMED:
            inline, pooled = map(min, self._times)
            self._choose(self._kinds[pooled < inline])

    def _choose(self, run: Run) -> None:
        self._chosen = run
        self._settle(run)


_NO_SESSION = object()
# The attributes of a function that are the same in each function of the same tensors.
_BUILT = (
    '_careful_runs _copies _extra _fed _feeds _fetched _fusion _lock _loops _missing _plain _python _risky '
    '_runs _targets'
).split()
_OPTIONS = ('fetches', 'feed_dict', 'options', 'run_metadata', 'fuse')


class _Copies:
    """Copies of operations that calls of a function need: TensorFlow's graphs only grow, so each is made once.

    careful:    what is fetched and what runs where an empty array is fed
    cut:        what is fetched, without the lists that loops keep for gradients that are not computed
    """

    careful: Optional[Tuple[Tensors, List[Operation]]] = None
    cut: Optional[Tensors] = None


class Function(OfThisProcess, _Function):
    """The result of `K.function`. One over the same tensors as an older one runs what was built for that.

    The keyword arguments are those of `Session.run`: `fetches` run along, `feed_dict` is fed with whatever it holds
    at the time of the call, `options` and `run_metadata` are handed on. `fuse` says whether XLA compiles it: True at
    the first call, False never, 'auto' at a call that follows from the work of the function and is the same one in each
    run of a program. `fusion` says what has become of that.
    """

    def __init__(
        self, inputs: Any, outputs: Any, updates: Iterable[Any] = (), name: Optional[str] = 'function', **kwargs: Any
    ) -> None:
        check_options(kwargs, _OPTIONS)
        # Inside of a branch it is the graph around it that runs.
        self._graph = root(graph())
        self._state = state_of(self._graph)
        super().__init__(name, inputs, outputs, self._state.phase, is_tensor)
        self.fetches, self.feed_dict, self.options, self.run_metadata, fuse = [kwargs.get(name) for name in _OPTIONS]
        self._fuse = policy(fuse)
        self.inputs = [_input(t, i) for i, t in enumerate(self._feeding.tensors)]
        self.updates = list(updates)
        self._bound: Tuple[Session, Any] = (_NO_SESSION, None)
        key, remembered = self._key(), self._state.remembered
        older = remembered.get(key)
        if older is None:
            with self._graph.as_default(), tf.control_dependencies(None):
                self._build()
        else:
            for built in _BUILT:
                setattr(self, built, getattr(older, built))
        if key is not None:
            remembered.put(key, older or self)
        self._state.functions.add(self)

    def _key(self) -> Optional[Hashable]:
        """The tensors of the function by their ids, None where something else makes it.

        The function that is remembered under the key keeps them alive, so no other object gets an id of them.
        """
        updates = [part for u in self.updates for part in (u if isinstance(u, tuple) else (u,))]
        tensors = [*self.inputs, *self.outputs, *updates]
        by_session = (self.fetches, self.feed_dict, self.options, self.run_metadata)
        if any(given is not None for given in by_session) or not all(map(_is_of_graph, tensors)):
            return None
        shapes = len(self.inputs), len(self.outputs), tuple([isinstance(u, tuple) for u in self.updates])
        return shapes, tuple(map(id, tensors)), repr(self._fuse)

    def _build(self) -> None:
        self._runs: weakref.WeakKeyDictionary[Session, Run] = weakref.WeakKeyDictionary()
        self._careful_runs: weakref.WeakKeyDictionary[Session, Run] = weakref.WeakKeyDictionary()
        self._copies = _Copies()
        fed = [tensor for t in self.inputs for tensor in parts_of(t)]
        self._extra = [self._graph.as_graph_element(t) for t in self.feed_dict or ()]
        fed += self._extra
        fetched = []
        for t in self.outputs:
            dense = densify(t)
            # TensorFlow does not fetch what is fed.
            fetched.append(tf.identity(dense) if any([dense is f for f in fed]) else dense)
        updates = collect(self.updates, fed)
        needed = Survey(fetched + [value for u in updates for value in u.values], [], fed)
        targets = behind_barrier(updates, fetched, needed.operations)
        targets += [getattr(f, 'op', f) for f in map(self._graph.as_graph_element, _listed(self.fetches))]
        survey = Survey([], targets, fed) if targets else needed
        self._missing = needed.missing + survey.missing
        self._loops = needed.loops or survey.loops
        kept = {id(t) for t in survey.kept}
        self._risky = needed.risky or survey.risky
        used = needed.used | survey.used
        self._feeds: List[Union[Feed, SparseFeed]] = [
            SparseFeed(t) if is_sparse(t) else Feed(t, id(t) in kept) if id(t) in used else UnusedFeed(t)
            for t in self.inputs
        ]
        general = updates or self._extra or self._risky or any(map(is_sparse, self.inputs))
        self._plain = self.run_metadata is None and not general
        self._fed, self._fetched, self._targets = fed, fetched, targets
        self._lock = self._state.lock if updates else None
        parts = Parts(self._state, self._graph, fed, fetched, targets)
        traced = self.options is not None or self.run_metadata is not None
        operations = needed.operations | survey.operations
        self._python = calls_python(self._graph, operations)
        self._fusion = Fusion(self._fuse, parts, operations, self._loops, traced, self._again)

    def _results(self, values: Sequence[Any]) -> List[Any]:
        try:
            session, run = self._bound
            if session is not (get_default_session() or self._state.session):
                run = self._bind()  # another thread may close the session meanwhile
            if self._plain:
                results = run(
                    *[
                        value
                        if value.__class__ is ndarray and value.dtype is feed.dtype and value.shape == feed.shape
                        else feed.convert(value)
                        for feed, value in zip(self._feeds, values)
                    ]
                )
            else:
                results = self._run_generally(run, values)
        except (tf.errors.OpError, RuntimeError) as error:
            ours = translate(error, self.name) or of_run(error, self._graph, self.name)
            if ours is None:
                raise
            raise ours from error
        # An array that TensorFlow hands out may be the memory of a variable or a constant. A scalar never is.
        return [r.copy() if r.__class__ is ndarray else r for r in results]

    def _names(self) -> List[str]:
        return [feed.name for feed in self._feeds]

    def _defaults(self) -> Dict[int, Any]:
        defaults = {
            i: tf.get_static_value(t.op.inputs[0])
            for i, t in enumerate(self.inputs)
            if not is_sparse(t) and t.op.type == 'PlaceholderWithDefault'
        }
        return {i: value for i, value in defaults.items() if value is not None}

    def _run_generally(self, run: Run, inputs: Sequence[Any]) -> List[Any]:
        """A call with sparse inputs, updates, or what else takes more than arrays."""
        arrays = []
        for feed, value in zip(self._feeds, inputs):
            array = feed.convert(value)
            arrays += array if isinstance(array, list) else [array]
        values_by_id = {id(self._graph.as_graph_element(t)): value for t, value in (self.feed_dict or {}).items()}
        arrays += [Feed(t).convert(values_by_id[id(t)]) for t in self._extra]
        if self._risky and not all([a.size for a in arrays]):
            run = self._bind_carefully()
        kwargs = {} if self.run_metadata is None else {'run_metadata': self.run_metadata}
        if self._lock is None:
            return run(*arrays, **kwargs)
        with self._lock:
            return run(*arrays, **kwargs)

    def _bind(self) -> Run:
        """The callable of the session that is in charge now."""
        if self._state.dead:
            raise ClearedSessionError(f'{self.name} was built before K.clear_session() and is gone; build it again.')
        for op in self._missing:
            raise FeedError(
                f'{self.name} depends on the placeholder {describe(op)}, which is not among the inputs; list it there.'
            )
        if not self._fetched and not self._targets:
            return lambda *arrays, **kwargs: []
        self._bound = self._connected(self._runs, self._fetched, self._targets)
        return self._bound[1]

    def _bind_carefully(self) -> Run:
        """The same for a call that is fed with an empty array."""
        copies = self._copies
        with self._state.lock:
            if copies.careful is None:
                operations = Survey(self._fetched, self._targets, self._fed).operations
                tensors, copied = careful_copy(self._graph, operations, self._fed)
                fetched = [tensors.get(id(t), t) for t in self._fetched]
                copies.careful = fetched, [copied.get(op, op) for op in self._targets]
        return self._connected(self._careful_runs, *copies.careful)[1]

    def _connected(
        self, runs: 'weakref.WeakKeyDictionary[Session, Run]', fetched: Tensors, targets: List[Operation]
    ) -> Tuple[Session, Run]:
        """The session that is in charge now and the callable in it, which `runs` may hold."""
        session = current_session(self._state)
        run = runs.get(session)
        if run is None:
            options = self.options or (None if self._loops else INLINE)
            # A function that trains reads most of these lists, and has more to copy.
            if self._loops and not targets and runs is self._runs and places_pruned(session):
                fetched = self._without_idle_lists()
            session, run = connect(self._state, self._fed, fetched, targets, options)
            if runs is self._runs:
                run = self._around(session, run, options)
            runs[session] = run
        return session, run

    def _without_idle_lists(self) -> Tensors:
        """The tensors to fetch, without the lists that loops keep for gradients that are not computed here."""
        copies = self._copies
        with self._state.lock:
            if copies.cut is None:
                try:
                    copies.cut = cut(
                        self._graph, Survey(self._fetched, [], self._fed).operations, self._fed, self._fetched
                    )
                except Exception:  # noqa: BLE001
                    # Any program may come here. One that cannot be copied takes more memory, and is no reason to stop.
                    copies.cut = None
                copies.cut = copies.cut or self._fetched
            return copies.cut

    def _around(self, session: Session, run: Run, options: Any) -> Run:
        """`run`, or what finds out whether there is a faster way to run the function."""
        if options is INLINE and not self._python and processors() > 1:
            run = Threads(run, lambda: self._pooled(session), lambda chosen: self._settle(session, chosen))
        return self._fusion.around(session, run)

    def _pooled(self, session: Session) -> Run:
        """The callable that runs on the threads of TensorFlow."""
        current, run = connect(self._state, self._fed, self._fetched, self._targets)
        return run if current is session else lambda *arrays, **_options: self._again(arrays)

    def _settle(self, session: Session, chosen: Run) -> None:
        """Run on the threads that turned out to be the faster ones from now on."""
        if isinstance(self._runs.get(session), Threads):
            self._runs[session] = chosen
            if self._bound[0] is session:
                self._bound = session, chosen

    def _again(self, arrays: Sequence[Any]) -> List[Any]:
        """A call whose session was replaced meanwhile."""
        self.forget()
        return self._bind()(*arrays)

    @property
    def fusion(self) -> str:
        """A sentence: whether XLA runs this function, and why."""
        return self._fusion.said

    def forget(self) -> None:
        """Let go of the session."""
        self._bound = _NO_SESSION, None
        self._runs.clear()
        self._careful_runs.clear()


def _is_of_graph(x: Any) -> bool:
    return is_tensor(x) or isinstance(x, tf.Operation)


def _listed(fetches: Any) -> List[Any]:
    return list(fetches) if isinstance(fetches, (list, tuple)) else [] if fetches is None else [fetches]


def _input(t: Any, i: int) -> Any:
    if not isinstance(t, (Tensor, SparseTensor)):
        refuse_foreign(t)
        raise ArgumentTypeError(f'inputs[{i}] of K.function has to be a placeholder, got {t!r}.')
    check(t)
    return t


def own_read(x: Any) -> Any:
    """The read that a variable was made with, so that none is added to the graph; any other tensor as it is."""
    read = getattr(x, '_graph_element', None) if is_variable(x) else None
    return x if read is None else read


def evaluate(x: Any) -> Any:
    """The value of a tensor, its function being kept with it."""
    function = getattr(x, '_keras_backend_eval', None)
    if function is None:
        if isinstance(x, EagerTensor):
            value = x.numpy()
            return value.copy() if isinstance(value, ndarray) else value
        function = x._keras_backend_eval = Function([], own_read(x), name=f'the value of {describe(x)}')
    return function([])
