"""Variables that the step of a loop reads: read once before the loop, unless the step assigns one."""

from typing import Any, Dict, Tuple

from ..tensors.graph import state_of
from ..vendor import get_default_graph, tf

# The attribute of the body of a loop that says how variables are read there.
_READS = '_keras_backend_reads'

# Operations that take a variable itself and leave it as it is.
READING = frozenset(['ReadVariableOp', 'ResourceGather', 'ResourceGatherNd', 'VariableShape', 'VarIsInitializedOp'])


class _Reads:
    """How the body of a loop reads variables: in the graph around it, each once.

    A read inside is a new tensor in every step. Its gradient keeps them all, and XLA copies each one.
    """

    def __init__(self, outside: Any) -> None:
        self._outside = outside
        self._made: Dict[int, Tuple[Any, Any]] = {}

    def value(self, variable: Any) -> Any:
        """The value that the variable has when the loop starts."""
        found = self._made.get(id(variable))
        if found is None:
            # As the graph around it reads it: behind what that has to wait for, and outside of a loop around this one.
            with self._outside.as_default():
                found = self._made[id(variable)] = variable.value(), variable
        return found[0]


def read_outside(variable: Any) -> Any:
    """The value of a variable of K, read in the graph around the loop whose step is built; None where there is none."""
    reads = getattr(get_default_graph(), _READS, None)
    return None if reads is None else reads.value(variable)


def read_in(outside: Any) -> None:
    """From now on let the body of a loop, which is being built, read variables in the graph `outside`."""
    setattr(get_default_graph(), _READS, _Reads(outside))


def operations() -> Tuple[Any, int, int]:
    """The graph that is built in, and how many operations and variables it has: what `assigning` starts from."""
    graph = get_default_graph()
    return graph, len(graph.get_operations()), len(state_of(graph).variables)


def assigning(before: Tuple[Any, int, int]) -> bool:
    """Whether an operation made since `before` may assign a variable, so that a later read gets another value."""
    graph, count, variables = before
    # A variable that a layer makes at its first step gets its first value elsewhere.
    initial = {v.initializer for v in state_of(graph).variables[variables:] if not is_bare(v)}
    return any(op not in initial and _assigns(op) for op in graph.get_operations()[count:])


def is_initial(op: Any) -> bool:
    """Whether an operation gives a variable its first value, or tells whether it has one."""
    variables = state_of(op.graph).variables
    return any(op is v.initializer for v in variables if not is_bare(v))


def is_bare(variable: Any) -> bool:
    """Whether a variable has no initialiser yet: nobody has asked for it."""
    return getattr(variable, '_keras_backend_start', None) is not None


def _assigns(op: Any) -> bool:
    if op.type in READING:
        return False
    # Loops and branches that take a variable read it or assign it; both leave reads where they are.
    return any(t.dtype == tf.resource or t.dtype._is_ref_dtype for t in op.inputs)
