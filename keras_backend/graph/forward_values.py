"""How the gradient of a loop or choice reads forward values: as results that the forward node is made to have.

The backward body is recorded as if it could see the tensors of the forward body. Closing it gives each forward tensor
that it reads a stand-in: the element of a sequence that the forward scan collects, or one more result of the forward
cond. What the backward nodes read is replaced in place. So their ids are renewed afterwards: a node has to be younger
than what it reads.
"""

from typing import TYPE_CHECKING, List, Optional, Sequence, Set, Tuple

from . import control
from .region import Region, encloses
from .tensor import Cond, Inner, Node, Scan, Tensor, new_id
from .traversal import ById, roots_inside

if TYPE_CHECKING:
    from .library import GraphLibrary


class _Closing:
    """Gives a backward region its forward values, by way of results that the forward node is made to have."""

    def __init__(self, engine: 'GraphLibrary', forward: Region, region: Region) -> None:
        self.engine, self.forward, self.region = engine, forward, region
        self.slots: ById = {}  # id of a forward tensor -> what stands for it
        self.made: Set[int] = set()  # ids of sizes that were read off once more
        self.done: ById = {}  # what was rewritten

    def hand_over(self, t: Tensor) -> Tensor:
        """Make `t` a result of the forward node; returns what the backward region reads in its place."""
        raise NotImplementedError

    def __call__(self, tensor: Tensor) -> Tensor:
        """`tensor` as the backward region may read it; what it is made of is rewritten in place."""
        todo = [tensor]
        while todo:
            t = todo.pop()
            if t.id in self.done or t.id in self.made or not encloses(self.region, t.region):
                continue
            self.done[t.id] = t
            todo.extend(self._rewrite(t))
        return self.slot(tensor)

    def _rewrite(self, t: Tensor) -> Sequence[Tensor]:
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

    def finish(self) -> None:
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

    def slot(self, t: Tensor) -> Tensor:
        """The stand-in for a forward tensor, `t` itself if it is none."""
        todo = [t]
        while True:
            last = todo[-1]
            have = self._have(last)
            if have is None:
                if isinstance(last, Node) and last.host:
                    missing = [x for x in last.inputs if self._have(x) is None]
                    if missing:
                        todo.extend(missing)
                        continue
                    have = self._again(last)
                else:
                    have = self.hand_over(last)
                self.slots[last.id] = have
            todo.pop()
            if not todo:
                return have

    def _have(self, t: Tensor) -> Optional[Tensor]:
        """What stands for `t`, None if that is still to be made."""
        if not encloses(self.forward, t.region) or encloses(self.region, t.region):
            return t
        return self.slots.get(t.id)

    def _again(self, t: Node) -> Node:
        """A size, read off once more rather than collected, so that it stays known."""
        with self.engine.session.inside(self.region):
            made = self.engine.record(t.op.name, tuple([self.slot(x) for x in t.inputs]), t.attrs)
        self.made.add(made.id)
        return made


class ScanClosing(_Closing):
    """Forward values become sequences that the forward scan collects."""

    def __init__(
        self, engine: 'GraphLibrary', scan: Scan, region: Region, sequences: List[Tuple[Tensor, Inner]]
    ) -> None:
        super().__init__(engine, scan.body, region)
        self.scan, self.sequences = scan, sequences
        self.outer = {inner.id: outer for outer, inner in scan.sequences}

    def hand_over(self, t: Tensor) -> Tensor:
        outer = self.outer.get(t.id)
        if outer is None:
            outer = control.collect(self.engine, self.scan, t)
        stand_in = Inner(self.engine.session, t.dims, t.dtype, 'inside_' + outer.name, self.region)
        stand_in.optional = t.optional
        self.sequences.append((outer, stand_in))
        return stand_in


class CondClosing(_Closing):
    """Forward values become further results of the cond, absent where the other branch runs."""

    def __init__(self, engine: 'GraphLibrary', node: Cond, side: int, region: Region) -> None:
        super().__init__(engine, node.branches[side], region)
        self.node, self.side = node, side

    def hand_over(self, t: Tensor) -> Tensor:
        return control.export(self.engine, self.node, self.side, t)
