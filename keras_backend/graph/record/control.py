"""Loops and lazy choices as nodes, and the primitives that are their results."""

from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence, Tuple

from ...basics.dtypes import promote
from ...errors import ArgumentTypeError, ShapeError
from ..nodes.base import BRANCH, LOOP, Region, known, make_room, merge, ranked, same
from ..nodes.op import Inferred, op
from ..nodes.tensor import Absent, Cond, Inner, Node, Scan, Tensor
from ..primitives.gradients import zeros_like

if TYPE_CHECKING:
    from ...basics.library import Plan, Step
    from ..nodes.base import Dims, Session, Size
    from .graph import Graph, Recorder

_Pair = Tuple[Tensor, Tensor]
_Step = Callable[[List[Tensor], List[Tensor]], Tuple[List[Tensor], List[Tensor]]]


# -- results -----------------------------------------------------------------------------------------------------------
# The rules of the primitives that give a loop or a choice its values.


@op(part=True, has_kernel=False)
def collect_(scan: Scan, inner: Tensor) -> Inferred:
    """An inner tensor of a scan over time."""
    return (scan.length,) + inner.dims, inner.dtype


@op(part=True, has_kernel=False)
def final_(scan: Scan, index: int) -> Inferred:
    """A state of a scan after its last step."""
    _initial, inner, new = scan.states[index]
    return tuple([d if same(d, e) else merge(d, e) for d, e in zip(inner.dims, new.dims)]), inner.dtype


@op(part=True, has_kernel=False)
def chosen_(cond: Cond, index: int) -> Inferred:
    """One of the values of the branch that ran."""
    a, b = cond.pairs[index]
    for value in (a, b):
        if not ranked(value):
            return value.dims, a.dtype
    return tuple([d if same(d, e) else None for d, e in zip(a.dims, b.dims)]), a.dtype


# -- nodes -------------------------------------------------------------------------------------------------------------


def scan(
    graph: 'Graph',
    step: _Step,
    sequences: Sequence[Tensor],
    initial: Sequence[Tensor],
    reverse: bool = False,
    what: str = 'the step function of K.rnn',
    extra: Optional[Callable[[], List[Tuple[Tensor, Inner]]]] = None,
    least: int = 0,
) -> Tuple[Scan, List[Tensor]]:
    """Record a loop over axis 0 of `sequences`.

    `step(elements, states)` is called once; it returns (list of tensors to collect, new states). It may end with new
    values of states that turned up only then: `extra()` gives their (initial value, Inner). Returns the Scan and the
    list of the inner tensors to collect (see `collect`).
    """
    session = graph.session
    outer = session.region
    for t in list(sequences) + list(initial):
        graph.usable(t)
    lengths = sorted({s.dims[0] for s in sequences if known(s.dims[0])})
    if len(lengths) > 1:
        raise ShapeError(
            f'The sequences that {what} goes over have different lengths: '
            f'{", ".join([f"{s.name} {s.shape}" for s in sequences])}.'
        )
    body = Region(LOOP, outer, what)
    elements = [_inner(session, s, s.dims[1:], body) for s in sequences]
    body.sequences = {element.id: (s, element) for s, element in zip(sequences, elements)}
    states = [_inner(session, s, s.dims, body) for s in initial]
    with session.inside(body), make_room(body.depth):
        outputs, new = step(list(elements), list(states))
        for t in outputs:
            graph.usable(t)
    starts = list(initial)
    for start, state in extra() if extra is not None else ():
        starts.append(start)
        states.append(state)
    with session.inside(body):
        new = [in_dtype_of_state(graph, i, n, s, what) for i, (n, s) in enumerate(zip(new, states))]
    pairs, body.sequences = list(body.sequences.values()), None
    for i, (n, s, first) in enumerate(zip(new, states, starts)):
        check_state(i, n, s, first, what)
    node = Scan(session, body, pairs, list(zip(starts, states, new)), reverse, session.name(None, 'scan'), outer)
    node.least = least
    return node, outputs


def check_state(i: int, new: Tensor, state: Tensor, first: Tensor, what: str) -> None:
    """Refuse a new state that cannot have the shape of the old one."""
    if len(new.dims) != len(state.dims) or any(known(d) and known(e) and d != e for d, e in zip(new.dims, state.dims)):
        raise ShapeError(
            f'State {i} changes its shape in {what}: it starts as {first.name} {first.shape} and the step returns '
            f'{new.name} {new.shape}.'
        )


def in_dtype_of_state(graph: 'Graph', i: int, new: Any, state: Tensor, what: str) -> Tensor:
    """A new state in the dtype of the old one, if it loses nothing by that."""
    new = graph.front.operand(new, state.dtype)
    graph.usable(new)
    if promote(new.dtype, state.dtype) != state.dtype:
        raise ArgumentTypeError(
            f'State {i} is {state.dtype}, but {what} returns {new.dtype} for it; start it as {new.dtype}.'
        )
    return graph.cast(new, state.dtype)


def _inner(session: 'Session', outer: Tensor, dims: 'Dims', body: Region) -> Inner:
    return Inner(session, dims, outer.dtype, 'inside_' + outer.name, body)


def collect(graph: 'Graph', scan_node: Scan, inner: Tensor) -> Node:
    """`inner`, a tensor inside of the scan, over time."""
    if inner.id not in scan_node.collected:
        with graph.session.inside(scan_node.region):
            item = graph.record('collect', (scan_node,), {'inner': inner})
        item.optional = inner.optional
        scan_node.collected[inner.id] = (inner, item)
    return scan_node.collected[inner.id][1]


def final(graph: 'Graph', scan_node: Scan, index: int) -> Node:
    """State `index` after the last step."""
    if index not in scan_node.finals:
        with graph.session.inside(scan_node.region):
            scan_node.finals[index] = graph.record('final', (scan_node,), {'index': index})
    return scan_node.finals[index]


def cond(
    graph: 'Graph', condition: Tensor, branches: Sequence[Callable[[], List[Any]]], what: str = 'a branch of K.switch'
) -> List[Tensor]:
    """Record a lazy choice between what two callables return (lists of tensors); returns the list of what is chosen."""
    session = graph.session
    graph.usable(condition)
    regions = [Region(BRANCH, session.region, what) for _ in branches]
    values = []
    for region, branch in zip(regions, branches):
        with session.inside(region), make_room(region.depth):
            values.append(branch())
    return choice(graph, condition, regions, values)


def choice(
    graph: 'Graph', condition: Tensor, regions: Sequence[Region], values: Sequence[Sequence[Any]]
) -> List[Tensor]:
    """The choice between the `values` of two regions, recorded already; returns the list of what is chosen."""
    session = graph.session
    pairs: List[_Pair] = []
    for pair in zip(*values):
        pairs.append(_of_one_rank(graph, regions, _together_inside(graph, regions, pair)))
    node = Cond(session, condition, regions, pairs, session.name(None, 'cond'), session.region)
    return [graph.record('chosen', (node,), {'index': i}) for i in range(len(pairs))]


def _together_inside(graph: 'Graph', regions: Sequence[Region], pair: Sequence[Any]) -> List[Tensor]:
    """The values of two branches as tensors of one dtype."""
    met, dtype = graph.front.meeting(pair)
    tensors = []
    for region, value in zip(regions, met):
        with graph.session.inside(region):
            value = graph.front.operand(value, dtype)
            graph.usable(value)
            tensors.append(graph.cast(value, dtype))
    return tensors


def _of_one_rank(graph: 'Graph', regions: Sequence[Region], pair: Sequence[Tensor]) -> _Pair:
    """The values of two branches, the one of lower rank with axes of size 1 in front: a tensor of K has a rank."""
    if not all([ranked(x) for x in pair]):
        return pair[0], pair[1]
    rank = max([len(x.dims) for x in pair])
    aligned = []
    for region, x in zip(regions, pair):
        with graph.session.inside(region):
            while len(x.dims) < rank:
                x = graph.F.expand_dims(x, axis=0)
        aligned.append(x)
    first, second = aligned
    return first, second


def export(graph: 'Graph', node: Cond, side: int, inner: Tensor) -> Node:
    """A tensor inside of one branch of a cond as a result of it; it has no value where the other branch runs."""
    key = side, inner.id
    if key not in node.exported:
        absent = Absent(graph.session, inner.dims, inner.dtype, 'absent')
        node.pairs.append((inner, absent) if side == 0 else (absent, inner))
        with graph.session.inside(node.region):
            node.exported[key] = graph.record('chosen', (node,), {'index': len(node.pairs) - 1})
        node.exported[key].optional = True
    return node.exported[key]


# -- loops -------------------------------------------------------------------------------------------------------------
# One step function over time, as a scan: what `K.rnn`, `K.map_fn` and the folds are made of.


# Names for annotations of inner functions, which Python evaluates each time it meets such a function.
_Tensors = List[Tensor]
_TwoLists = Tuple[List[Tensor], List[Tensor]]
_Starts = List[Tuple[Tensor, Inner]]
# An output of a step, what it was in the step before, and the states of that step.
_Asked = Tuple[Tensor, Inner, List[Tensor]]


def loop(
    graph: 'Graph', step: 'Step', sequences: Sequence[Tensor], states: Sequence[Tensor], plan: 'Plan'
) -> Tuple[List[Tensor], List[Tensor], List[Tensor]]:
    """See `library.Library.loop`."""
    reverse, _, least, what, in_order = plan
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
    new = in_dtype_of_state(graph, index, new, old, what)
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
