"""Reverse-mode differentiation: from nodes of K to nodes of K.

The gradient of a scan is a scan in the other direction. It is recorded as a continuation of the forward body, so its
nodes may read forward values; closing it then collects those values over time in the forward scan and hands them over
as sequences. Nothing is computed twice, and random draws inside a step are the same in both directions.
"""

from ..dtypes import is_float
from . import control
from .dims import same
from .ops._rules import zeros_like
from .ops.control import PARTS
from .region import LOOP, Region, encloses
from .slice_gradients import Piece, join
from .tensor import Cond, Inner, Node, Scan, new_id
from .traversal import ancestors, captures, roots_inside, sources


def gradients(engine, loss, variables):
    """The gradients of the sum of `loss`, None where it does not depend on a variable."""
    for t in [loss] + list(variables):
        engine.usable(t)
    if not is_float(loss.dtype):
        return [None] * len(variables)
    F = engine.F
    seed = F.broadcast_to(F.constant(1, loss.dtype), F.shape(loss)) if loss.dims else F.constant(1, loss.dtype)
    targets = {v.id: v for v in variables if is_float(v.dtype)}
    found = _Reverse(engine, None).run([(loss, seed)], targets)
    return [found.get(v.id) for v in variables]


class _Reverse:
    """Reverse accumulation over the nodes of one region; what lies outside of it is a leaf."""

    def __init__(self, engine, region):
        self.engine, self.F, self.region = engine, engine.F, region

    def run(self, seeds, targets):
        """`seeds` are (tensor, gradient); returns {id: gradient} for the `targets` ({id: tensor}) that are reached."""
        inside, outside = ancestors([t for t, _ in seeds], self.region)
        active = _active(inside, outside, targets)
        self.total, self.pieces, self.pending = {}, {}, {}
        for tensor, g in seeds:
            self._add(tensor, g, active)
        found = {}
        for key in sorted(active, reverse=True):
            tensor = inside[key] if key in inside else outside[key]
            if isinstance(tensor, (Scan, Cond)):
                given = self.pending.pop(key, None)
                if given:
                    backward = _through_scan if isinstance(tensor, Scan) else _through_cond
                    for source, g in backward(self.engine, tensor, given, active):
                        self._add(source, g, active)
                continue
            g = self._gathered(tensor)
            if g is None:
                continue
            if key in targets:
                found[key] = g
            if key in inside:
                self._through(tensor, g, active)
        return found

    def _add(self, tensor, g, active):
        if tensor.id not in active or g is None:
            return
        if callable(g):
            g = g()
        if isinstance(g, Piece):
            self.pieces.setdefault(tensor.id, []).append(g)
            return
        g = self.engine.cast(g, tensor.dtype)
        before = self.total.get(tensor.id)
        g = self.total[tensor.id] = g if before is None else before + g
        if tensor.optional:
            g.optional = True

    def _gathered(self, tensor):
        """The whole gradient of a tensor, once all that read it have been passed."""
        g, pieces = self.total.pop(tensor.id, None), self.pieces.pop(tensor.id, None)
        if pieces:
            joined = join(self.F, tensor, pieces)
            g = joined if g is None else g + joined
        return g

    def _through(self, node, g, active):
        if not isinstance(node, Node):
            for source in sources(node):
                self._add(source, g, active)
            return
        if node.op.name in PARTS:
            owner = node.inputs[0]
            if owner.id in active:
                place = node.attrs['inner'].id if node.op.name == 'collect' else node.attrs['index']
                self.pending.setdefault(owner.id, {})[node.op.name, place] = g
            return
        rule = node.op.gradient
        if rule is None:
            return
        for source, gradient in zip(node.inputs, rule(self.F, node, g)):
            self._add(source, gradient, active)


def _active(inside, outside, targets):
    """The ids of the tensors through which a gradient flows to the targets."""
    active = {key for key in targets if key in inside or key in outside}
    for key in sorted(inside):
        tensor = inside[key]
        if key in active:
            continue
        if isinstance(tensor, Node):
            if not is_float(tensor.dtype) or (tensor.op.gradient is None and tensor.op.name not in PARTS):
                continue
        if any(s.id in active for s in sources(tensor)):
            active.add(key)
    return active


def _active_inside(scan, active):
    """The inner sequences, inner states and captured tensors of a scan that the gradient flows to."""
    inside, outside = ancestors(roots_inside(scan), scan.body)
    captured = {key: t for key, t in outside.items() if key in active and is_float(t.dtype)}
    elements = {inner.id: inner for outer, inner in scan.sequences if outer.id in active and is_float(inner.dtype)}
    states = {inner.id: inner for initial, inner, _new in scan.states if initial.id in active}
    grown = True
    while grown:
        # a state depends on what its new value depends on, around the loop
        targets = dict(captured)
        targets.update(elements)
        targets.update(states)
        reached = _active(inside, outside, targets)
        more = {
            inner.id: inner
            for _initial, inner, new in scan.states
            if inner.id not in states and is_float(inner.dtype) and new.id in reached
        }
        states.update(more)
        grown = bool(more)
    return elements, states, captured


def _through_scan(engine, scan, given, active):
    """The gradients of the tensors that a scan reads, given those of its results."""
    F, session, body = engine.F, engine.session, scan.body
    elements, states, captured = _active_inside(scan, active)
    collected = [
        (inner, given['collect', key])
        for key, (inner, _item) in list(scan.collected.items())
        if ('collect', key) in given
    ]
    backward = Region(LOOP, session.region, 'the gradient of ' + body.what, continues=body)

    def inner(outer, dims):
        made = Inner(session, dims, outer.dtype, 'inside_' + outer.name, backward)
        made.optional = outer.optional
        return made

    sequences = [(g, inner(g, g.dims[1:])) for _tensor, g in collected]
    carried = []
    for k, (_initial, state, new) in enumerate(scan.states):
        if state.id in states:
            g = given.get(('final', k))
            last = control.final(engine, scan, k)
            g = zeros_like(F, last) if g is None else g
            carried.append((state, new, g, inner(g, last.dims)))
    sums = []
    with session.inside(backward):
        seeds = [(tensor, element) for (tensor, _g), (_outer, element) in zip(collected, sequences)]
        seeds += [(new, carry) for _state, new, _g, carry in carried]
        targets = dict(captured)
        targets.update(elements)
        targets.update(states)
        found = _Reverse(engine, body).run(seeds, targets)
        new_carries = [found.get(state.id) for state, _new, _g, _carry in carried]
        new_carries = [zeros_like(F, carry) if n is None else n for n, (_s, _n, _g, carry) in zip(new_carries, carried)]
    terms = []
    for key, tensor in sorted(captured.items()):
        for term in _terms(found.get(key), backward):
            if _summable(term, backward):
                terms.append((tensor, term))
                continue
            start = zeros_like(F, tensor)
            total = inner(start, tensor.dims)
            with session.inside(backward):
                sums.append((tensor, start, total, total + term))
    outputs = [(outer, found[element.id]) for outer, element in scan.sequences if element.id in found]
    if not sequences:
        first = scan.sequences[0][0]
        sequences.append((first, inner(first, first.dims[1:])))
    loop_states = [(g, carry, n) for (_s, _n, g, carry), n in zip(carried, new_carries)] + [
        (start, total, n) for _t, start, total, n in sums
    ]
    close = _ScanClosing(engine, scan, backward, sequences)
    outputs = [(outer, close(g)) for outer, g in outputs]
    loop_states = [(start, state, close(n)) for start, state, n in loop_states]
    for _tensor, term in terms:
        close(term)
    close.finish()
    loop = Scan(session, backward, sequences, loop_states, not scan.reverse, session.name(None, 'scan'), session.region)
    results = [(outer, control.collect(engine, loop, g)) for outer, g in outputs]
    initial = {state.id: start for start, state, _new in scan.states}
    for k, (state, _new, _g, _carry) in enumerate(carried):
        results.append((initial[state.id], control.final(engine, loop, k)))
    for k, (tensor, _start, _total, _new) in enumerate(sums, len(carried)):
        results.append((tensor, control.final(engine, loop, k)))
    return results + [(tensor, _sum_over_time(engine, loop, term)) for tensor, term in terms]


def _terms(g, region):
    """`g` as the terms of a sum that is taken inside of `region`."""
    todo, terms = [] if g is None else [g], []
    while todo:
        g = todo.pop()
        if (
            isinstance(g, Node)
            and g.op.name == 'add'
            and g.region is region
            and all(len(x.dims) == len(g.dims) and all(map(same, x.dims, g.dims)) for x in g.inputs)
        ):
            todo.extend(g.inputs)
        else:
            terms.append(g)
    return terms


def _summable(term, region):
    """Whether the sum of `term` over time is one operation on what it is made of, over time."""
    return (
        isinstance(term, Node)
        and term.region is region
        and (term.op.name == 'tensordot' or (term.op.name == 'sum' and not term.attrs['keepdims']))
    )


def _sum_over_time(engine, loop, term):
    """The sum over time of a product or sum inside of `loop`: one large product instead of many small ones."""

    def over_time(x):
        for outer, inner in loop.sequences:
            if inner is x:
                return outer
        return control.collect(engine, loop, x)

    def later(axes):
        return (0,) + tuple([axis + 1 for axis in axes])

    inputs = [over_time(x) for x in term.inputs]
    if term.op.name == 'sum':
        return engine.F.sum(inputs[0], axes=later(term.attrs['axes']), keepdims=False)
    return engine.F.tensordot(*inputs, axes_x=later(term.attrs['axes_x']), axes_y=later(term.attrs['axes_y']))


class _Closing:
    """Gives a backward region its forward values, by way of results that the forward node is made to have."""

    def __init__(self, engine, forward, region):
        self.engine, self.forward, self.region = engine, forward, region
        self.slots, self.made = {}, set()
        self.done = {}

    def __call__(self, tensor):
        """`tensor` as the backward region may read it; what it is made of is rewritten in place."""
        todo = [tensor]
        while todo:
            t = todo.pop()
            if t.id in self.done or t.id in self.made or not encloses(self.region, t.region):
                continue
            self.done[t.id] = t
            todo.extend(self._rewrite(t))
        return self.slot(tensor)

    def _rewrite(self, t):
        """Let `t` read slots; returns what it reads."""
        slot = self.slot
        if isinstance(t, Scan):
            t.sequences = [(slot(outer), inner) for outer, inner in t.sequences]
            t.states = [(slot(initial), inner, slot(new)) for initial, inner, new in t.states]
            for key, (inner, item) in list(t.collected.items()):
                if slot(inner) is not inner:
                    t.collected[key] = (slot(inner), item)
                    item.attrs['inner'] = slot(inner)
            return [outer for outer, _i in t.sequences] + [s for s, _i, _n in t.states] + roots_inside(t)
        if isinstance(t, Cond):
            t.condition = slot(t.condition)
            t.pairs = [(slot(a), slot(b)) for a, b in t.pairs]
            return [t.condition] + roots_inside(t)
        if isinstance(t, Node):
            t.inputs = tuple([slot(x) for x in t.inputs])
            t.deps = tuple([slot(x) for x in t.deps])
            return t.inputs + t.deps
        return ()

    def finish(self):
        """Make what was rewritten younger than the stand-ins that it reads, its order kept."""
        moved = dict(self.done)
        for t in self.done.values():
            if isinstance(t, Scan):
                moved.update((item.id, item) for _inner, item in t.collected.values())
                moved.update((item.id, item) for item in t.finals.values())
            elif isinstance(t, Cond):
                moved.update((item.id, item) for item in t.exported.values())
        for key in sorted(moved):
            if not isinstance(moved[key], Inner):
                moved[key].id = new_id()
        for t in self.done.values():
            if isinstance(t, Scan):
                t.collected = {inner.id: (inner, item) for inner, item in t.collected.values()}
            elif isinstance(t, Cond):
                t.exported = {
                    (side, t.pairs[item.attrs['index']][side].id): item for (side, _key), item in t.exported.items()
                }

    def slot(self, t):
        """The stand-in for a forward tensor, `t` itself if it is none."""
        todo = [t]
        while todo:
            t = todo[-1]
            if self._have(t) is None:
                again = isinstance(t, Node) and t.host
                missing = [x for x in t.inputs if self._have(x) is None] if again else []
                if missing:
                    todo.extend(missing)
                    continue
                self.slots[t.id] = self._again(t) if again else self.hand_over(t)
            todo.pop()
        return self._have(t)

    def _have(self, t):
        """What stands for `t`, None if that is still to be made."""
        if not encloses(self.forward, t.region) or encloses(self.region, t.region):
            return t
        return self.slots.get(t.id)

    def _again(self, t):
        """A size, read off once more rather than collected, so that it stays known."""
        with self.engine.session.inside(self.region):
            made = self.engine.record(t.op.name, tuple([self._have(x) for x in t.inputs]), t.attrs)
        self.made.add(made.id)
        return made


class _ScanClosing(_Closing):
    """Forward values become sequences that the forward scan collects."""

    def __init__(self, engine, scan, region, sequences):
        super().__init__(engine, scan.body, region)
        self.scan, self.sequences = scan, sequences
        self.outer = {inner.id: outer for outer, inner in scan.sequences}

    def hand_over(self, t):
        outer = self.outer.get(t.id)
        if outer is None:
            outer = control.collect(self.engine, self.scan, t)
        stand_in = Inner(self.engine.session, t.dims, t.dtype, 'inside_' + outer.name, self.region)
        stand_in.optional = t.optional
        self.sequences.append((outer, stand_in))
        return stand_in


class _CondClosing(_Closing):
    """Forward values become further results of the cond, absent where the other branch runs."""

    def __init__(self, engine, node, side, region):
        super().__init__(engine, node.branches[side], region)
        self.node, self.side = node, side

    def hand_over(self, t):
        return control.export(self.engine, self.node, self.side, t)


def _through_cond(engine, node, given, active):
    """The gradients of the tensors that a cond reads: a cond on the same condition."""
    captured = [t for t in captures(node) if t.id in active and is_float(t.dtype)]
    targets = {t.id: t for t in captured}
    if not captured:
        return []

    def branch(side):
        def run():
            seeds = [(node.pairs[index][side], g) for (_kind, index), g in given.items()]
            found = _Reverse(engine, node.branches[side]).run(seeds, targets)
            close = _CondClosing(engine, node, side, engine.session.region)
            values = [close(found[t.id]) if t.id in found else zeros_like(engine.F, t) for t in captured]
            close.finish()
            return values

        return run

    chosen = control.cond(engine, node.condition, [branch(0), branch(1)], 'the gradient of K.switch', node.branches)
    return list(zip(captured, chosen))
