"""When a function is compiled by XLA: `K.function(..., fuse=...)` and KERAS_BACKEND_FUSION.

A function with a loop spends its time on the way from one small operation to the next. One of element-wise operations
on large tensors spends it on the way to memory. Compiled as one cluster they take a third of the time. To compile takes
a second or two. So 'auto' waits until a function has shown that it is called often, then times calls of both kinds,
and keeps what is faster. Every call is run once, by one of the two.
"""

import os
import threading
from time import perf_counter
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from ....contract.kinds import shown
from ....errors import ArgumentValueError, ConfigError
from ..sessions.session import connect
from ..vendor import INLINE, tf
from .cluster import Unfit, is_chain
from .cluster import make as make_cluster

VARIABLE = 'KERAS_BACKEND_FUSION'
Policy = Union[bool, str]
Run = Callable[..., Any]
_WORDS: Dict[str, Policy] = {'': 'auto', 'auto': 'auto', '1': True, 'true': True, '0': False, 'false': False}

# 'auto' waits for so many calls with inputs of the same shapes, and until those after the first have taken so many
# seconds: compiling takes longer. A loop that takes 0.1 s is decided by its tenth call.
_CALLS, _SECONDS = 3, 0.2
# A chain of element-wise operations gains less. If its calls take less than so many seconds, it has no memory to save.
_CALLS_OF_CHAINS, _SHORT = 20, 1e-3
# Calls of either kind that are timed before one is chosen.
_TIMED = 3
# Compiled for so many combinations of shapes; a function with inputs of any length would compile for ever.
_SHAPES = {'auto': 4, True: 16}
# Of a larger cluster the compiler takes too long: 16 s for an LSTM of 50 steps without a loop.
_MOST_NODES = 4000
# Combinations of shapes whose calls are counted at a time.
_MOST_TRIALS = 1000
_ASSIGNING = ('Assign', 'ResourceApply', 'ResourceScatter', 'ResourceSparseApply')


def policy(asked: Any) -> Policy:
    """The policy that `fuse` of K.function asks for. None asks for the setting of the environment."""
    if asked is None:
        word = os.environ.get(VARIABLE, '').strip().lower()
        if word not in _WORDS:
            raise ConfigError(
                f'the environment variable {VARIABLE} is {shown(word)}; set it to auto, 1 (always) or 0 (never).'
            )
        return _WORDS[word]
    if asked is True or asked is False or asked == 'auto':
        found: Policy = asked
        return found
    raise ArgumentValueError(f"fuse of K.function has to be 'auto', True or False, got {shown(asked)}.")


class Parts(NamedTuple):
    """The parts of a function: it feeds `fed`, fetches `fetched` and runs `targets`."""

    state: Any
    graph: Any
    fed: List[Any]
    fetched: List[Any]
    targets: List[Any]


class Fusion:
    """The decision how one function runs: plainly or with a cluster. `said` is a sentence about the outcome.

    `operations` are those of the function, None if a loop is among them. `traced`: the function is called with options
    of a session. `again` runs a call in the session that is in charge by then.
    """

    def __init__(
        self, fuse: Policy, parts: Parts, operations: Optional[Iterable[Any]], traced: bool, again: Callable[[Any], Any]
    ) -> None:
        self.fuse, self.parts, self.again = fuse, parts, again
        self.chain = fuse == 'auto' and operations is not None and is_chain(operations)
        self._why_not = (
            'fuse is False'
            if fuse is False
            else 'it is called with options of Session.run'
            if traced
            else 'it is neither a loop nor a chain of element-wise operations'
            if fuse == 'auto' and operations is not None and not self.chain
            else None
        )
        self.said = f'plain, since {self._why_not}' if self._why_not else 'plain until it was called often enough'

    def around(self, session: Any, plain: Run) -> Run:
        """The callable that runs the function in `session`. `plain` is the one that runs it plainly."""
        if self._why_not:
            return plain
        if getattr(session, 'sess_str', ''):
            self.said = 'plain, since its session is in another process'
            return plain
        return _Runner(self, session, plain)


class _Trial:
    """A record of the calls with one combination of shapes."""

    def __init__(self) -> None:
        self.calls, self.seconds = 0, 0.0
        self.compiled = False
        self.times: Tuple[List[float], List[float]] = ([], [])

    def note(self, seconds: float) -> None:
        """Count a plain call. The first one of a session takes longer."""
        self.seconds += seconds if self.calls else 0.0
        self.calls += 1

    def pays(self, chain: bool) -> bool:
        """Whether a call has been made so often that it should be compiled."""
        return self.calls >= (_CALLS_OF_CHAINS if chain else _CALLS) and self.seconds >= _SECONDS


class _Runner:
    """Runs a function in one session, plainly or as a cluster."""

    def __init__(self, fusion: Fusion, session: Any, plain: Run) -> None:
        self._fusion, self._session, self._plain = fusion, session, plain
        self._cluster: Optional[Run] = None
        self._settled: Dict[Any, Run] = {}
        self._trials: Dict[Any, _Trial] = {}
        self._compiled = 0
        self._over = False
        self._lock = threading.Lock()

    def __call__(self, *arrays: Any) -> Any:
        if self._over:
            return self._plain(*arrays)
        shapes = tuple([a.shape for a in arrays])
        run = self._settled.get(shapes)
        return run(*arrays) if run is not None else self._on_trial(shapes, arrays)

    def _on_trial(self, shapes: Any, arrays: Sequence[Any]) -> Any:
        """A call with shapes for which nothing is decided yet."""
        trial = self._trials.get(shapes)
        if trial is None:
            if len(self._trials) >= _MOST_TRIALS:
                self._trials.clear()
            trial = self._trials.setdefault(shapes, _Trial())
        if trial.compiled:
            return self._compared(trial, shapes, arrays)
        if self._fusion.fuse == 'auto' and not trial.pays(self._fusion.chain):
            results, seconds = _timed(self._plain, arrays)
            trial.note(seconds)
            if self._fusion.chain and trial.calls >= _CALLS_OF_CHAINS and trial.seconds < _SHORT * (trial.calls - 1):
                self._give_up('plain, since its calls are short')
            return results
        # One thread compiles, the others go on.
        if not self._lock.acquire(blocking=False):
            return self._plain(*arrays)
        try:
            return self._first(trial, shapes, arrays)
        finally:
            self._lock.release()

    def _first(self, trial: _Trial, shapes: Any, arrays: Sequence[Any]) -> Any:
        """The call that compiles."""
        if self._compiled >= _SHAPES[self._fusion.fuse]:
            self._settle(shapes, self._plain)
            self._say(
                f'compiled, but not for more than {self._compiled} combinations of shapes; others are run plainly'
            )
            return self._plain(*arrays)
        refused, cluster = None, self._cluster
        if cluster is None:
            try:
                session, cluster = self._built()
            except Unfit as reason:
                refused = str(reason)
            except Exception as error:
                # Any program may come here, and it runs plainly: a copy that cannot be built is no reason to stop.
                refused = f'it cannot be copied: {type(error).__name__}: {str(error)[:200]}'
            else:
                if session is not self._session:
                    # `sessions.session.revive` had to replace it.
                    return self._fusion.again(arrays)
        if cluster is not None:
            self._cluster = cluster
            try:
                results, seconds = _timed(cluster, arrays)
            except (tf.errors.OpError, RuntimeError) as error:
                # Nothing is assigned yet: all assignments wait for the cluster.
                refused = f'XLA refuses it: {str(error).splitlines()[0][:200]}'
        if cluster is None or refused is not None:
            # If it is the fault of what was fed, the plain call says so, and nothing is decided.
            results = self._plain(*arrays)
            self._give_up(f'plain, since {refused}')
            return results
        self._compiled += 1
        trial.compiled = True
        self._say(f'compiled in {seconds:.1f} s for inputs of shapes {list(shapes)}')
        if self._fusion.fuse is True:
            self._settle(shapes, cluster)
        return results

    def _compared(self, trial: _Trial, shapes: Any, arrays: Sequence[Any]) -> Any:
        """A call of both kinds in turn, until each was timed some times; the faster one is kept."""
        kinds = self._plain, self._cluster or self._plain
        turn = len(trial.times[1]) < len(trial.times[0])
        results, seconds = _timed(kinds[turn], arrays)
        trial.times[turn].append(seconds)
        if min(map(len, trial.times)) >= _TIMED:
            # The least of a few is the time without what else the machine does.
            plain, compiled = map(min, trial.times)
            times = f'{compiled * 1e3:.3g} ms a call in place of {plain * 1e3:.3g} ms'
            if compiled < plain:
                self._settle(shapes, kinds[1])
                self._say(f'compiled for inputs of shapes {list(shapes)}: {times}')
            else:
                self._give_up(f'plain, since it is no faster when it is compiled: {times}')
        return results

    def _built(self) -> Tuple[Any, Run]:
        """The callable of the cluster, and the session that it is for."""
        parts = self._fusion.parts
        with parts.state.lock, parts.graph.as_default(), tf.control_dependencies(None):
            fetched, targets = _with_cluster(parts, self._fusion.fuse == 'auto', self._fusion.chain)
            found: Tuple[Any, Run] = connect(parts.state, parts.fed, fetched, targets, INLINE)
            return found

    def _settle(self, shapes: Any, run: Run) -> None:
        self._settled[shapes] = run
        self._trials.pop(shapes, None)

    def _give_up(self, sentence: str) -> None:
        self._over = True
        self._settled, self._trials, self._cluster = {}, {}, None
        self._say(sentence)

    def _say(self, sentence: str) -> None:
        self._fusion.said = sentence


def _timed(run: Run, arrays: Sequence[Any]) -> Tuple[Any, float]:
    start = perf_counter()
    results = run(*arrays)
    return results, perf_counter() - start


def _with_cluster(parts: Parts, auto: bool, chain: bool) -> Tuple[List[Any], List[Any]]:
    """The tensors to fetch and the operations to run in place of those of the function, with a cluster in the middle.

    The cluster computes the outputs and the assigned values. The assignments are made anew behind it.
    """
    wanted = list(parts.fetched)
    for op in parts.targets:
        if not op.type.startswith(_ASSIGNING) or not op.inputs or op.inputs[0].dtype != tf.resource:
            raise Unfit(f'{op.name} is an operation of its own')
        wanted += op.inputs[1:]
    known = {t.op for t in wanted}.union(parts.targets)
    for op in parts.targets:
        for c in op.control_inputs:
            if c not in known and not (c.type == 'NoOp' and known.issuperset(c.control_inputs)):
                raise Unfit(f'{op.name} waits for {c.name}')
    made = make_cluster(parts.graph, parts.fed, wanted)
    if auto:
        if not made.loops and not chain:
            raise Unfit('there is no loop in what can be compiled')
        if made.convolutions:
            raise Unfit('convolutions are slower when they are compiled')
        if made.nodes > _MOST_NODES:
            raise Unfit(f'to compile {made.nodes} operations takes too long')
    stands = {id(t): m for t, m in zip(wanted, made.tensors)}
    with tf.control_dependencies(made.tensors):
        barrier = tf.no_op(name='barrier')
    copies: Dict[Any, Any] = {}
    for op in parts.targets:
        inputs = [op.inputs[0], *[stands[id(t)] for t in op.inputs[1:]]]
        attributes = {key: value for key, value in op.node_def.attr.items() if key != '_class'}
        # One behind another one of the same variable stays behind it.
        with tf.control_dependencies([copies[c] for c in op.control_inputs if c in copies] or [barrier]):
            copies[op] = parts.graph.create_op(op.type, inputs, [], attrs=attributes, name=op.name)
    return made.tensors[: len(parts.fetched)], list(copies.values())
