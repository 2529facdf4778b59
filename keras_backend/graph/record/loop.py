"""One step function over time, as a scan: what `K.rnn`, `K.map_fn` and the folds are made of."""

from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple

from ..nodes.dims import known, same
from ..nodes.tensor import Inner, Scan, Tensor
from ..primitives.gradients import zeros_like
from .control import as_state as state_of
from .control import check_state, collect, final, scan

if TYPE_CHECKING:
    from ...basics.library import Step
    from ..nodes.dims import Size
    from .graph import Graph
    from .recorder import Recorder

# Names for annotations of inner functions, which Python evaluates each time it meets such a function.
_Tensors = List[Tensor]
_TwoLists = Tuple[List[Tensor], List[Tensor]]
_Starts = List[Tuple[Tensor, Inner]]
# An output of a step, what it was in the step before, and the states of that step.
_Asked = Tuple[Tensor, Inner, List[Tensor]]


def loop(
    graph: 'Graph',
    step: 'Step',
    sequences: Sequence[Tensor],
    states: Sequence[Tensor],
    *,
    reverse: bool = False,
    length: Optional[int] = None,
    least: int = 0,
    what: str = 'the step',
    in_order: bool = False,
) -> Tuple[List[Tensor], List[Tensor], List[Tensor]]:
    """See `library.Library.loop`."""
    F: Recorder = graph.F
    session = graph.session
    # The outputs that the step asks for.
    before: List[_Asked] = []

    def recorded(elements: _Tensors, old: _Tensors) -> _TwoLists:
        def previous(output: Tensor) -> Tensor:
            # One more state. Its shape is known only now, and what it starts with is made outside of the loop.
            inner = Inner(session, output.dims, output.dtype, 'inside_previous_output', session.region)
            before.append((output, inner, list(old)))
            return inner

        outputs, new = step(elements, old, previous)
        return outputs, list(new) + outputs[: len(before)]

    def late() -> _Starts:
        return [(_zeros(graph, output, old, sequences, states, step), inner) for output, inner, old in before]

    node, results = scan(graph, recorded, sequences, states, reverse, what, extra=late, least=least)
    collected: List[Tensor] = [collect(graph, node, m) for m in results]
    finals: List[Tensor] = [final(graph, node, i) for i in range(len(states))]
    last = [
        final(graph, node, len(states) + i) if i < len(before) else _last(node, m, c, finals, reverse)
        for i, (m, c) in enumerate(zip(results, collected))
        if least
    ]
    if reverse and in_order:
        collected = [F.reverse(c, axes=(0,)) for c in collected]
    return collected, last, finals


def as_state(graph: 'Graph', index: int, new: Tensor, old: Tensor, first: Tensor, what: str) -> Tensor:
    """See `library.Library.as_state`."""
    new = state_of(graph, index, new, old, what)
    check_state(index, new, old, first, what)
    return new


def _last(node: Scan, inner: Tensor, collected: Tensor, finals: Sequence[Tensor], reverse: bool) -> Tensor:
    """`inner` in the last step: a final state where it is one, else read off what was collected."""
    for i, (_initial, _old, new) in enumerate(node.states):
        if new is inner and i < len(finals):
            return finals[i]
    return collected[0 if reverse else -1]


def _zeros(
    graph: 'Graph',
    output: Tensor,
    old: Sequence[Tensor],
    sequences: Sequence[Tensor],
    states: Sequence[Tensor],
    step: 'Step',
) -> Tensor:
    """Zeros of the shape of the output of a step, made outside of the loop."""
    F: Recorder = graph.F
    for inner, outer in zip(old, states):
        if len(inner.dims) == len(output.dims) and all(map(same, inner.dims, output.dims)):
            return graph.cast(zeros_like(F, outer), output.dtype)
    sizes: List[Any] = []
    for d in output.dims:
        size = d if known(d) else _found(F, d, list(sequences) + list(states))
        if size is None:
            # Nothing outside has this size: it takes a step to tell.
            first = step([s[0] for s in sequences], list(states), lambda x: zeros_like(F, x))
            zeros: Tensor = zeros_like(F, first[0][0])
            return zeros
        sizes.append(size)
    return F.broadcast_to(graph.constant(0, output.dtype), sizes)


def _found(F: 'Recorder', dim: 'Size', tensors: Sequence[Tensor]) -> Optional[Tensor]:
    """The unknown size `dim` as read off an outside tensor, None if none has it."""
    for tensor in tensors:
        for axis, d in enumerate(tensor.dims):
            if d is dim:
                return F.getitem(F.shape(tensor), spec=(axis,))
    return None


class Slices(Sequence[Tensor]):
    """The slices of a tensor along axis 0, each recorded when it is asked for."""

    def __init__(self, x: Tensor, length: int) -> None:
        self._x, self._length = x, length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, i: Any) -> Any:
        return self._x[i]
