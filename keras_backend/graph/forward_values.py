"""The tensors that the gradient of a loop or choice reads in place of forward values.

A forward value belongs to the inside of the forward loop or choice. The gradient lies outside of that. So the forward
node is made to have the value as a result, and the gradient reads a *stand-in* for it:

* of a loop: an element of the sequence of all values, which the forward loop collects;
* of a choice: one more result of the forward choice, without a value where the other branch runs;
* of a size that depends on shapes alone: the same size, read off the stand-ins of its inputs. So it stays known.

Gradients nest as their loops and choices do. So the result may itself belong to the inside of another forward loop or
choice, and then the gradient reads the stand-in of the result.

A stand-in is made when a forward value is read for the first time. That is decided before the node that reads it is
recorded (`Graph.record`), so its inputs are final. A value that no rule reads is not made a result.
"""

from contextlib import contextmanager
from typing import TYPE_CHECKING, Dict, Iterator, List, Optional, Tuple

from .nodes.base import Region
from .nodes.tensor import Cond, Inner, Node, Scan, Tensor
from .nodes.traversal import ById, Task, run
from .record import control

if TYPE_CHECKING:
    from .nodes.traversal import ById
    from .record.graph import Graph


class ForwardValues:
    """The stand-ins of one call of K.gradients."""

    def __init__(self, graph: 'Graph') -> None:
        self.graph = graph
        # By the forward region whose gradient is being recorded. The key None never is there: all see what is outside.
        self.forward: Dict[Optional[Region], _Forward] = {}

    def __call__(self, t: Tensor) -> Tensor:
        """The tensor that the gradient reads for `t`: `t` itself if it is no forward value."""
        forward = self.forward.get(t.region)
        if forward is None:
            return t
        tensor = forward.made.get(t.id)
        return run(self._make(t)) if tensor is None else tensor

    def of_inputs(self, inputs: Tuple[Tensor, ...]) -> Tuple[Tensor, ...]:
        """The tensors that a node of the gradient reads for `inputs`, one for each."""
        for x in inputs:
            if x.region in self.forward:
                return tuple([self(x) for x in inputs])
        return inputs

    def _make(self, t: Tensor) -> Task:
        forward = self.forward.get(t.region)
        if forward is None:
            return t
        if t.id not in forward.made:
            if isinstance(t, Node) and t.host:
                inputs = []
                for x in t.inputs:
                    inputs.append((yield self._make(x)))
                with self.graph.session.inside(forward.region):
                    tensor: Tensor = self.graph.record(t.op.name, tuple(inputs), t.attrs)
            else:
                outer = forward.as_result(t)
                tensor = forward.stand_in(t, (yield self._make(outer)))
            forward.made[t.id] = tensor
        return forward.made[t.id]

    @contextmanager
    def inside(self, region: Region, body: Region, forward: '_Forward') -> Iterator[None]:
        """While `region`, the gradient of the forward region `body`, is recorded."""
        self.forward[body] = forward
        region.visible, region.substitute = self.forward, self.of_inputs
        try:
            yield
        finally:
            del self.forward[body]
            region.visible, region.substitute = (), None


class _Forward:
    """A forward region, and how the region of its gradient gets at its values."""

    def __init__(self, graph: 'Graph', region: Region) -> None:
        self.graph, self.region = graph, region
        self.made: ById = {}  # id of a forward value -> its stand-in

    def as_result(self, t: Tensor) -> Tensor:
        """`t` as a result of the forward node."""
        raise NotImplementedError

    def stand_in(self, t: Tensor, result: Tensor) -> Tensor:
        """The stand-in that the region of the gradient reads. `result` is the result, or the stand-in of that."""
        raise NotImplementedError


class OfLoop(_Forward):
    """The body of a loop. The sequences that the gradient reads are added to `sequences`."""

    def __init__(self, graph: 'Graph', scan: Scan, region: Region, sequences: List[Tuple[Tensor, Inner]]) -> None:
        super().__init__(graph, region)
        self.scan, self.sequences = scan, sequences
        self.outer = {inner.id: outer for outer, inner in scan.sequences}

    def as_result(self, t: Tensor) -> Tensor:
        outer = self.outer.get(t.id)
        return control.collect(self.graph, self.scan, t) if outer is None else outer

    def stand_in(self, t: Tensor, result: Tensor) -> Tensor:
        inner = Inner(self.graph.session, t.dims, t.dtype, 'inside_' + result.name, self.region)
        inner.optional = t.optional
        self.sequences.append((result, inner))
        return inner


class OfBranch(_Forward):
    """A branch of a choice."""

    def __init__(self, graph: 'Graph', node: Cond, side: int, region: Region) -> None:
        super().__init__(graph, region)
        self.node, self.side = node, side

    def as_result(self, t: Tensor) -> Tensor:
        return control.export(self.graph, self.node, self.side, t)

    def stand_in(self, t: Tensor, result: Tensor) -> Tensor:
        return result
