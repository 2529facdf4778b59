"""When a function is compiled by XLA: `K.function(..., fuse=...)` and KERAS_BACKEND_FUSION.

A function with a loop spends its time on the way from one small operation to the next. One of element-wise operations
on large tensors spends it on the way to memory. Compiled as one cluster they take a third of the time. To compile takes
a second or two. So 'auto' waits until a function has been called often enough, and compiles it where XLA is faster.

XLA rounds otherwise. So the call at which it takes over decides the bits of a training, and must not depend on a clock:
it follows from what can be counted (`work.py`), and is the same one in each run of a program.
"""

import os
import threading
from math import ceil
from time import perf_counter
from typing import Any, Callable, Collection, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from ....contract.kinds import shown
from ....errors import ArgumentValueError, ConfigError
from ..sessions import connect
from ..vendor import INLINE, tf
from .cluster import Unfit
from .cluster import make as make_cluster
from .cuts import LOOPS
from .work import Chain, Loops, is_chain

VARIABLE = 'KERAS_BACKEND_FUSION'
Policy = Union[bool, str]
Run = Callable[..., Any]
_WORDS: Dict[str, Policy] = {'': 'auto', 'auto': 'auto', '1': True, 'true': True, '0': False, 'false': False}

# 'auto' waits for so many calls with inputs of the same shapes, of a loop and of a chain, and until their work has
# taken so many seconds of the nominal machine: compiling takes longer. A loop of 0.1 s is compiled at its fourth call.
_CALLS, _CALLS_OF_CHAINS, _SECONDS = 3, 20, 0.2
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
        choice: Policy = asked
        return choice
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

    `operations` are those of the function; `loops` says that loops are among them. `traced`: the function is called
    with options of a session. `again` runs a call in the session that is in charge by then.
    """

    def __init__(
        self,
        fuse: Policy,
        parts: Parts,
        operations: Collection[Any],
        loops: bool,
        traced: bool,
        again: Callable[[Any], Any],
    ) -> None:
        self.fuse, self.parts, self.again = fuse, parts, again
        is_candidate = fuse == 'auto' and not loops
        self._chain = Chain(operations) if is_candidate and is_chain(operations) else None
        self._why_not = (
            'fuse is False'
            if fuse is False
            else 'it is called with options of Session.run'
            if traced
            else 'it is neither a loop nor a chain of element-wise operations'
            if is_candidate and not self.chain
            else None
        )
        self.said = f'plain, since {self._why_not}' if self._why_not else 'plain until it was called often enough'
        self._loops = [op for op in operations if op.type in LOOPS] if loops and not self._why_not else []
        self._counted: Optional[Loops] = None

    def around(self, session: Any, plain: Run) -> Run:
        """The callable that runs the function in `session`. `plain` is the one that runs it plainly."""
        if self._why_not:
            return plain
        if getattr(session, 'sess_str', ''):
            self.said = 'plain, since its session is in another process'
            return plain
        return _Runner(self, session, plain)

    @property
    def chain(self) -> bool:
        """Whether the function is a chain of element-wise operations, for which XLA may take over by itself."""
        return self._chain is not None

    @property
    def least(self) -> int:
        """The calls that are made plainly before anything is counted."""
        return 0 if self.fuse is True else _CALLS_OF_CHAINS if self.chain else _CALLS

    def patience(self, shapes: Any) -> Optional[int]:
        """How many calls with inputs of these shapes are made plainly, None if XLA is no faster."""
        if self.fuse is True:
            return 0
        if self._chain is not None:
            seconds = self._chain.seconds(shapes)
        else:
            if self._counted is None:
                self._counted = Loops(self.parts.graph, self._loops, self.parts.fed)
            seconds = self._counted.seconds(shapes)
        return None if seconds is None else max(self.least, ceil(_SECONDS / max(seconds, 1e-9)))


class _Runner:
    """Runs a function in one session, plainly or as a cluster."""

    def __init__(self, fusion: Fusion, session: Any, plain: Run) -> None:
        self._fusion, self._session, self._plain = fusion, session, plain
        self._cluster: Optional[Run] = None
        self._settled: Dict[Any, Run] = {}
        # The calls with each combination of shapes, and how many of them are made plainly.
        self._calls: Dict[Any, int] = {}
        self._patience: Dict[Any, int] = {}
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
        if not self._due(shapes):
            return self._plain(*arrays)
        # One thread compiles, the others go on.
        if not self._lock.acquire(blocking=False):
            return self._plain(*arrays)
        try:
            return self._first(shapes, arrays)
        finally:
            self._lock.release()

    def _due(self, shapes: Any) -> bool:
        """Count a call; whether this one is to be compiled."""
        calls = self._calls.get(shapes, 0)
        if not calls and len(self._calls) >= _MOST_TRIALS:
            self._calls, self._patience = {}, {}
        self._calls[shapes] = calls + 1
        if calls < self._fusion.least:
            return False
        patience = self._patience.get(shapes)
        if patience is None:
            patience = self._fusion.patience(shapes)
            if patience is None:
                self._settle(shapes, self._plain)
                self._say(f'plain for inputs of shapes {list(shapes)}, since XLA is no faster there')
                return False
            self._patience[shapes] = patience
        return calls >= patience

    def _first(self, shapes: Any, arrays: Sequence[Any]) -> Any:
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
            except Exception as error:  # noqa: BLE001
                # Any program may come here, and it runs plainly: a copy that cannot be built is no reason to stop.
                refused = f'it cannot be copied: {type(error).__name__}: {str(error)[:200]}'
            else:
                if session is not self._session:
                    # `sessions.session.revive` had to replace it.
                    return self._fusion.again(arrays)
        if cluster is not None:
            self._cluster = cluster
            try:
                start = perf_counter()
                results = cluster(*arrays)
                seconds = perf_counter() - start
            except (tf.errors.OpError, RuntimeError) as error:
                # Nothing is assigned yet: all assignments wait for the cluster.
                refused = f'XLA refuses it: {str(error).splitlines()[0][:200]}'
        if cluster is None or refused is not None:
            # If it is the fault of what was fed, the plain call says so, and nothing is decided.
            results = self._plain(*arrays)
            self._give_up(f'plain, since {refused}')
            return results
        self._compiled += 1
        self._settle(shapes, cluster)
        self._say(f'compiled in {seconds:.1f} s for inputs of shapes {list(shapes)}')
        return results

    def _built(self) -> Tuple[Any, Run]:
        """The callable of the cluster, and the session that it is for."""
        parts = self._fusion.parts
        with parts.state.lock, parts.graph.as_default(), tf.control_dependencies(None):
            fetched, targets = _with_cluster(parts, self._fusion.fuse == 'auto', self._fusion.chain)
            connection: Tuple[Any, Run] = connect(parts.state, parts.fed, fetched, targets, INLINE)
            return connection

    def _settle(self, shapes: Any, run: Run) -> None:
        self._settled[shapes] = run
        self._calls.pop(shapes, None)
        self._patience.pop(shapes, None)

    def _give_up(self, sentence: str) -> None:
        self._over = True
        self._settled, self._calls, self._patience, self._cluster = {}, {}, {}, None
        self._say(sentence)

    def _say(self, sentence: str) -> None:
        self._fusion.said = sentence


def _with_cluster(parts: Parts, auto: bool, chain: bool) -> Tuple[List[Any], List[Any]]:
    """The tensors to fetch and the operations to run in place of those of the function, with a cluster in the middle.

    The cluster computes the outputs and the assigned values. The assignments are made anew behind it.
    """
    needed = list(parts.fetched)
    for op in parts.targets:
        if not op.type.startswith(_ASSIGNING) or not op.inputs or op.inputs[0].dtype != tf.resource:
            raise Unfit(f'{op.name} is an operation of its own')
        needed += op.inputs[1:]
    known = {t.op for t in needed}.union(parts.targets)
    for op in parts.targets:
        for c in op.control_inputs:
            if c not in known and not (c.type == 'NoOp' and known.issuperset(c.control_inputs)):
                raise Unfit(f'{op.name} waits for {c.name}')
    cluster = make_cluster(parts.graph, parts.fed, needed)
    if auto:
        if not cluster.loops and not chain:
            raise Unfit('there is no loop in what can be compiled')
        if cluster.convolutions:
            raise Unfit('convolutions are slower when they are compiled')
        if cluster.nodes > _MOST_NODES:
            raise Unfit(f'to compile {cluster.nodes} operations takes too long')
    stands = {id(t): m for t, m in zip(needed, cluster.tensors)}
    with tf.control_dependencies(cluster.tensors):
        barrier = tf.no_op(name='barrier')
    copies: Dict[Any, Any] = {}
    for op in parts.targets:
        inputs = [op.inputs[0], *[stands[id(t)] for t in op.inputs[1:]]]
        attributes = {key: value for key, value in op.node_def.attr.items() if key != '_class'}
        # One behind another one of the same variable stays behind it.
        with tf.control_dependencies([copies[c] for c in op.control_inputs if c in copies] or [barrier]):
            copies[op] = parts.graph.create_op(op.type, inputs, [], attrs=attributes, name=op.name)
    return cluster.tensors[: len(parts.fetched)], list(copies.values())
