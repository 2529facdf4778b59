"""K.gradients: reverse-mode differentiation, from nodes of K to nodes of K.

The gradient of a scan is a scan in the other direction. Its body reads forward values, which belong to the inside of
the forward scan. For each of them it has a stand-in: the forward scan collects the value over time, and the stand-in is
an element of that sequence (`forward_values.py`). Nothing is computed twice, and random draws inside of a step are the
same in both directions. No recorded node is changed. A scan or cond is given more results, that is all.

An example: h_t = tanh(x_t . u + h_(t-1) . w), and the loss is the sum of the last h. The forward scan has the sequence
x and the state h. Below, G is the gradient with respect to h_t. This happens, in this order:

1. The state of the backward scan is G. It starts as the gradient of the loss with respect to the last h: ones.
2. Its body starts from the seed (new state of the forward step, G) and goes back through the step, node by node:

       D = tanh_grad(h_t, G)        the gradient of the sum in the brackets; it reads a stand-in for h_t
       D . w'                       the gradient of h_(t-1): the new G
       D . u'                       the gradient of x_t: collected over time, it is the gradient of x
       h_(t-1)' . D                 the part of the gradient of w that belongs to this step; so for u

   When D is recorded, the forward scan is made to collect h_t (`control.collect`), and the backward scan gets one more
   sequence. So does h_(t-1).
3. The parts of w could be a second state that adds them up. But they are products, and the sum over time of products is
   one product. So D is collected over time as h_(t-1) is, and `_sum_over_time` multiplies them after the loop. A part
   that is no product or sum (say h_(t-1) * D, where the step has h_(t-1) * w) does become a state.

A tensor inside of the scan depends on w if its own inputs do, or if it is a state whose new value depends on w. So
`_active_inside` goes around the loop until it finds no more states.

Loops and choices nest as deep as a user likes. So what goes into them is a task (`nodes/traversal.py`).
"""

from typing import TYPE_CHECKING, Dict, Iterable, List, Optional, Sequence, Set, Tuple, Union

from ..basics.dtypes import is_float
from .forward_values import ForwardValues, OfBranch, OfLoop
from .nodes.base import BRANCH, LOOP, Region, ranked, same
from .nodes.op import Flat
from .nodes.tensor import Backward, Cond, Inner, Node, ProductElement, Scan, Tensor
from .nodes.traversal import ById, Task, Traversal, roots_inside, run
from .primitives.gradients import Piece, join, zeros_like
from .record import control

if TYPE_CHECKING:
    from .nodes.base import Dims
    from .nodes.op import Gradient
    from .nodes.traversal import ById
    from .record.graph import Graph, Recorder


# The gradients of the results of a scan or cond: ('collect', id of the inner tensor) or ('final' or 'chosen', index).
Given = Dict[Tuple[str, int], Tensor]
Pairs = List[Tuple[Tensor, Tensor]]
_Ints = Tuple[int, ...]


def gradients(graph: 'Graph', loss: Tensor, variables: Sequence[Tensor]) -> List[Optional[Tensor]]:
    """The gradients of the sum of `loss`, None where it does not depend on a variable."""
    for t in [loss] + list(variables):
        graph.usable(t)
    if not is_float(loss.dtype):
        return [None] * len(variables)
    F: Recorder = graph.F
    seed = F.broadcast_to(F.constant(1, loss.dtype), F.shape(loss)) if loss.dims else F.constant(1, loss.dtype)
    targets = {v.id: v for v in variables if is_float(v.dtype)}
    reverse = _Reverse(_Call(graph), None)
    slopes = run(reverse.run([(loss, seed)], targets))
    return [zeros_like(F, v) if v.id in reverse.flat and v.id not in slopes else slopes.get(v.id) for v in variables]


class _Call:
    """The objects that all regions of one call of K.gradients share."""

    def __init__(self, graph: 'Graph') -> None:
        self.graph = graph
        self.F: Recorder = graph.F
        self.traversal = Traversal()
        self.forward_values = ForwardValues(graph)


class _Reverse:
    """Reverse accumulation over the nodes of one region; what lies outside of it is a leaf."""

    def __init__(self, call: _Call, region: Optional[Region]) -> None:
        self.call, self.region = call, region
        self.F, self.cast, self.sources = call.F, call.graph.cast, call.traversal.sources
        self.total: ById = {}  # the gradients so far
        self.pieces: Dict[int, List[Piece]] = {}  # those of pieces of a tensor
        self.pending: Dict[int, Given] = {}  # those of the results of scans and conds
        self.flat: Set[int] = set()  # tensors that are reached by way of a function without a slope, such as K.sign

    def run(self, seeds: Pairs, targets: ById) -> Task:
        """`seeds` are (tensor, gradient); gives {id: gradient} for the `targets` ({id: tensor}) that are reached."""
        traversal = self.call.traversal
        inside, outside = traversal.ancestors([t for t, _ in seeds], self.region)
        active = _active(traversal, inside, outside, targets)
        for tensor, g in seeds:
            self._add(tensor, g, active)
        slopes: ById = {}
        for key in sorted(active, reverse=True):
            tensor = inside[key] if key in inside else outside[key]
            if isinstance(tensor, (Scan, Cond)):
                pending = self.pending.pop(key, None)
                if pending:
                    through = (
                        _through_scan(self.call, tensor, pending, active)
                        if isinstance(tensor, Scan)
                        else _through_cond(self.call, tensor, pending, active)
                    )
                    for source, g in (yield through):
                        self._add(source, g, active)
                elif key in self.flat:
                    self.flat.update([s.id for s in self.sources(tensor) if s.id in active])
                continue
            whole = self._gathered(tensor)
            if whole is None:
                if key in self.flat:
                    self.flat.update([s.id for s in self.sources(tensor) if s.id in active])
                continue
            if key in targets:
                slopes[key] = whole
            if key in inside:
                self._through(tensor, whole, active)
        return slopes

    def _add(self, tensor: Tensor, given: 'Gradient', active: Set[int]) -> None:
        if tensor.id not in active or given is None:
            return
        if isinstance(given, Flat):
            self.flat.add(tensor.id)
            return
        if isinstance(given, Piece):
            self.pieces.setdefault(tensor.id, []).append(given)
            return
        g = given if isinstance(given, Tensor) else given()
        if self.region is not None:
            g = self.call.forward_values(g)
        g = self.cast(g, tensor.dtype)
        before = self.total.get(tensor.id)
        g = self.total[tensor.id] = g if before is None else before + g
        if tensor.optional:
            g.optional = True

    def _gathered(self, tensor: Tensor) -> Optional[Tensor]:
        """The whole gradient of a tensor, once all that read it have been passed."""
        g, pieces = self.total.pop(tensor.id, None), self.pieces.pop(tensor.id, None)
        if pieces:
            joined = join(self.F, tensor, pieces)
            g = joined if g is None else g + joined
        return g

    def _through(self, node: Tensor, g: Tensor, active: Set[int]) -> None:
        if isinstance(node, ProductElement) and node.is_open:
            self._by_rule(node, g, active)
            return
        if not isinstance(node, Node):
            for source in self.sources(node):
                self._add(source, g, active)
            return
        if node.op.part:
            owner = node.inputs[0]
            if owner.id in active:
                key = node.attrs['inner'].id if node.op.name == 'collect' else node.attrs['index']
                self.pending.setdefault(owner.id, {})[node.op.name, key] = g
            return
        self._by_rule(node, g, active)

    def _by_rule(self, node: Union[Node, ProductElement], g: Tensor, active: Set[int]) -> None:
        rule = node.op.gradient
        if rule is None:
            return
        for source, gradient in zip(node.inputs, rule(self.F, node.inputs, node, node.attrs, g)):
            self._add(source, gradient, active)


def _active(traversal: Traversal, inside: ById, outside: ById, targets: Iterable[int]) -> Set[int]:
    """The ids of the tensors through which a gradient flows to the targets."""
    active = {key for key in targets if key in inside or key in outside}
    for key in sorted(inside):
        tensor = inside[key]
        if key in active:
            continue
        if isinstance(tensor, Node):
            if not is_float(tensor.dtype) or (tensor.op.gradient is None and not tensor.op.part):
                continue
        if any(s.id in active for s in traversal.sources(tensor)):
            active.add(key)
    return active


def _active_inside(traversal: Traversal, scan: Scan, active: Set[int]) -> Tuple[ById, ById, ById]:
    """The inner sequences, inner states and captured tensors of a scan that the gradient flows to."""
    inside, outside = traversal.ancestors(roots_inside(scan)[0], scan.body)
    captured = {key: t for key, t in outside.items() if key in active and is_float(t.dtype)}
    elements: ById = {
        inner.id: inner for outer, inner in scan.sequences if outer.id in active and is_float(inner.dtype)
    }
    states: ById = {inner.id: inner for initial, inner, _new in scan.states if initial.id in active}
    grown = True
    while grown:
        # a state depends on what its new value depends on, around the loop
        targets = dict(captured)
        targets.update(elements)
        targets.update(states)
        reached = _active(traversal, inside, outside, targets)
        more = {
            inner.id: inner
            for _initial, inner, new in scan.states
            if inner.id not in states and is_float(inner.dtype) and new.id in reached
        }
        states.update(more)
        grown = bool(more)
    return elements, states, captured


def _through_scan(call: _Call, scan: Scan, given: Given, active: Set[int]) -> Task:
    """The gradients of the tensors that a scan reads, given those of its results: a scan in the other direction."""
    graph, F = call.graph, call.F
    session, body = graph.session, scan.body
    elements, states, captured = _active_inside(call.traversal, scan, active)
    collected = [
        (inner, given['collect', key])
        for key, (inner, _item) in list(scan.collected.items())
        if ('collect', key) in given
    ]
    backward = Region(LOOP, session.region, 'the gradient of ' + body.what)

    def inner(outer: Tensor, dims: 'Dims') -> Inner:
        tensor = Inner(session, dims, outer.dtype, 'inside_' + outer.name, backward)
        tensor.optional = outer.optional
        return tensor

    sequences = [(g, inner(g, g.dims[1:])) for _tensor, g in collected]
    outputs = [(tensor, element) for (tensor, _g), (_outer, element) in zip(collected, sequences)]
    seeds: Pairs = list(outputs)
    if not sequences:
        first = call.forward_values(scan.sequences[0][0])
        sequences.append((first, inner(first, first.dims[1:])))
    # Of each state: it, its new value, and its gradient after the loop and inside of it.
    carried: List[Tuple[Inner, Tensor, Tensor, Inner]] = []
    for k, (_initial, state, new) in enumerate(scan.states):
        if state.id in states:
            after = given.get(('final', k))
            last = control.final(graph, scan, k)
            g = zeros_like(F, last) if after is None else after
            carried.append((state, new, g, inner(g, last.dims)))
    # Of each gradient that is added up step by step: its tensor, zeros, it so far, and it after one more step.
    sums: List[Tuple[Tensor, Tensor, Inner, Tensor]] = []
    terms: List[Tuple[Tensor, Node]] = []
    with call.forward_values.inside(backward, body, OfLoop(graph, scan, backward, sequences)):
        with session.inside(backward):
            seeds += [(new, carry) for _state, new, _g, carry in carried]
            targets = dict(captured)
            targets.update(elements)
            targets.update(states)
            slopes = yield _Reverse(call, body).run(seeds, targets)
            new_carries = [
                slopes[state.id] if state.id in slopes else zeros_like(F, carry) for state, _new, _g, carry in carried
            ]
        for key, tensor in sorted(captured.items()):
            for term in _terms(slopes.get(key), backward):
                if isinstance(term, Node) and term.region is backward and _summable(term):
                    terms.append((tensor, term))
                    continue
                start = zeros_like(F, tensor)
                total = inner(start, tensor.dims)
                with session.inside(backward):
                    sums.append((tensor, start, total, total + term))
    loop_states = [(g, carry, n) for (_s, _n, g, carry), n in zip(carried, new_carries)] + [
        (start, total, n) for _t, start, total, n in sums
    ]
    loop = Scan(session, backward, sequences, loop_states, not scan.reverse, session.name(None, 'scan'), session.region)
    results: Pairs = [
        (outer, control.collect(graph, loop, slopes[element.id]))
        for outer, element in scan.sequences
        if element.id in slopes
    ]
    initial = {state.id: start for start, state, _new in scan.states}
    for k, (state, _new, _g, _carry) in enumerate(carried):
        results.append((initial[state.id], control.final(graph, loop, k)))
    for k, (tensor, _start, _total, _new) in enumerate(sums, len(carried)):
        results.append((tensor, control.final(graph, loop, k)))
    outside: Pairs = [(tensor, _sum_over_time(graph, loop, term)) for tensor, term in terms]
    numbers = {state.id: k for k, (_initial, state, _new) in enumerate(scan.states)}
    loop.backward = Backward(
        scan,
        outputs,
        {carry.id: numbers[state.id] for state, _new, _g, carry in carried},
        [(element, slopes[element.id]) for _outer, element in scan.sequences if element.id in slopes],
        outside,
    )
    return results + outside


def _terms(g: Optional[Tensor], region: Region) -> List[Tensor]:
    """`g` as the terms of a sum that is taken inside of `region`."""
    todo: List[Tensor] = [] if g is None else [g]
    terms: List[Tensor] = []
    while todo:
        term = todo.pop()
        if isinstance(term, Node) and term.op.name == 'add' and term.region is region and _is_plain_sum(term):
            todo.extend(term.inputs)
        else:
            terms.append(term)
    return terms


def _is_plain_sum(node: Node) -> bool:
    """Whether nothing is broadcast in a sum."""
    if not all(map(ranked, (node, *node.inputs))):
        return False
    return all(len(x.dims) == len(node.dims) and all(map(same, x.dims, node.dims)) for x in node.inputs)


def _summable(term: Node) -> bool:
    """Whether the sum of `term` over time is one operation on what it is made of, over time."""
    if term.op.name == 'scatter_add':
        # the size of a table is known outside of the loop
        return term.inputs[2].region is not term.region
    return term.op.name == 'tensordot' or (term.op.name == 'sum' and not term.attrs['keepdims'])


def _sum_over_time(graph: 'Graph', loop: Scan, term: Node) -> Tensor:
    """The sum over time of a product or sum inside of `loop`: one large product instead of many small ones."""

    def over_time(x: Tensor) -> Tensor:
        for outer, inner in loop.sequences:
            if inner is x:
                return outer
        return control.collect(graph, loop, x)

    def later(axes: _Ints) -> _Ints:
        return (0,) + tuple([axis + 1 for axis in axes])

    F: Recorder = graph.F
    if term.op.name == 'scatter_add':
        indices, updates, size = term.inputs
        return F.scatter_add(over_time(indices), over_time(updates), size)
    if term.op.name == 'sum':
        return F.sum(over_time(term.inputs[0]), axes=later(term.attrs['axes']), keepdims=False)
    x, y = [over_time(x) for x in term.inputs]
    return F.tensordot(x, y, axes_x=later(term.attrs['axes_x']), axes_y=later(term.attrs['axes_y']))


def _through_cond(call: _Call, node: Cond, given: Given, active: Set[int]) -> Task:
    """The gradients of the tensors that a cond reads, given those of its results: a cond on the same condition."""
    graph = call.graph
    captured = [t for t in call.traversal.captures(node) if t.id in active and is_float(t.dtype)]
    targets = {t.id: t for t in captured}
    if not captured:
        return []
    regions = [Region(BRANCH, graph.session.region, 'the gradient of K.switch') for _ in node.branches]
    values: List[List[Tensor]] = []
    for side, (region, branch) in enumerate(zip(regions, node.branches)):
        forward = OfBranch(graph, node, side, region)
        with call.forward_values.inside(region, branch, forward), graph.session.inside(region):
            seeds: Pairs = [(node.pairs[index][side], g) for (_kind, index), g in given.items()]
            slopes = yield _Reverse(call, branch).run(seeds, targets)
            values.append([slopes[t.id] if t.id in slopes else zeros_like(call.F, t) for t in captured])
    chosen = control.choice(graph, call.forward_values(node.condition), regions, values)
    return list(zip(captured, chosen))
