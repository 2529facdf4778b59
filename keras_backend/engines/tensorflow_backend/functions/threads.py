"""Whether a function runs on the thread of its caller or on the threads of TensorFlow.

To hand a small graph over to other threads takes longer than to run it. A large one may have branches that run side by
side: the two gradients of a convolution take a quarter less time so. A function that has taken a second in all is tried
both ways, and goes on with the faster one. Each call is run once. One that calls Python stays with its caller: what it
calls may need a lock that the caller holds, or belong to one thread.

A clock may decide this, since no bit depends on it. Only the thread that starts an operation differs. How a kernel
divides its work among threads is the same, draws go on from the state of their own operation, and each assignment waits
for all values and for the one before it. Convolutions, products, sums, averages, lookups and their gradients had equal
bits both ways, with one thread and with two; `test_both_ways_give_the_same_bits` compares them.
"""

from time import perf_counter
from typing import Any, Callable, Iterable, List, Optional, Set

from ..vendor import function_definition
from ..xla.unread_outputs import called

Run = Callable[..., Any]

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
