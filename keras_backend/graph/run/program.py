"""The nodes that one `K.function` has to run: those that are needed, region by region, in an order that works."""

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple, cast

from ...errors import FeedError
from ..nodes.tensor import Absent, Cond, Constant, Draws, Inner, Node, Placeholder, Scan, Tensor, Update, Variable
from ..nodes.traversal import Owner, Statement

if TYPE_CHECKING:
    from ..nodes.base import Region

Parts = Dict[int, Dict[int, Node]]  # id of a scan or cond -> id of a result -> that
_Call = Tuple[str, Tuple[int, ...], Any, Tuple[Tuple[str, Any], ...]]  # primitive, inputs, region, attributes


class Place(NamedTuple):
    """A node that could not be computed, with the values of its operands, as far as they are known."""

    node: Node
    values: Sequence[Any]


class Program:
    """The needed part of the graph.

    inputs:     tensors that are fed
    outputs:    tensors to return
    updates:    [Update]; those that outputs ask for included, in front, as they were made
    variables, constants, draws: the leaves that are read
    defaults:   placeholders that are not fed and have a default
    used:       ids of the inputs that anything depends on
    blocks:     {region: [Node | Scan | Cond]} by ascending id
    same:       {id: node} for nodes that repeat an older one of the same region, which stands for them
    by_rows:    {id: id} for nodes that compute with rows of a lookup only, in place of nodes of the graph (see
                `row_updates`); those come at the place of the second id
    collected, finals, states, elements, chosen: per scan or cond id, the parts of it that are needed
    """

    def __init__(
        self,
        inputs: List[Tensor],
        outputs: List[Tensor],
        updates: Sequence[Update],
        settled: bool = False,
        rows: bool = True,
    ) -> None:
        """settled: `updates` are all there are, whatever the outputs ask for. rows: whether `row_updates` may act."""
        self.inputs, self.outputs, self._listed = inputs, outputs, list(updates)
        self._fed = {t.id for t in inputs}
        self._settled = settled
        self._instead: Dict[int, Node] = {}
        self.by_rows: Dict[int, int] = {}
        self._collect()
        if self._scatters and rows:
            from .row_updates import row_updates  # here, because only the gradient of a lookup needs it

            self._instead, self.by_rows = row_updates(self.nodes)
            if self._instead:
                self._collect()
        self.used = self._fed & self._seen
        self.updates = sorted(self._asked, key=lambda update: update.id) + self._listed
        self.same: Dict[int, Node] = {}
        first: Dict[_Call, Node] = {}
        for key in self._order():
            node = self.nodes[key]
            if self._repeats(node, first):
                del self.nodes[key]
                continue
            self.blocks.setdefault(node.region, []).append(node)

    def _collect(self) -> None:
        """Find what outputs and updates need."""
        self.variables: Dict[int, Variable] = {}
        self.constants: Dict[int, Constant] = {}
        self.defaults: Dict[int, Placeholder] = {}
        self.draws: Dict[int, Draws] = {}
        self.nodes: Dict[int, Statement] = {}
        self.blocks: Dict[Optional[Region], List[Any]] = {}
        self.collected: Parts = {}
        self.finals: Parts = {}
        self.chosen: Parts = {}
        self.states: Dict[int, Set[int]] = {}
        self.elements: Dict[int, Set[int]] = {}
        self._scatters = False
        self._seen: Set[int] = set()
        self._updated = {(update.variable.id, update.new.id) for update in self._listed}
        self._asked: List[Update] = []
        self._todo = list(self.outputs) + [update.new for update in self._listed]
        for update in self._listed:
            self._todo.extend(update.deps)
        self._walk()

    def _order(self) -> List[int]:
        """The ids of the nodes in the order in which they run."""
        if not self.by_rows:
            return sorted(self.nodes)
        return sorted(self.nodes, key=lambda key: (self.by_rows.get(key, key), key))

    def _repeats(self, node: Statement, first: Dict[_Call, Node]) -> bool:
        """Whether an older node has the same value; it is remembered in `same`."""
        if not isinstance(node, Node) or not node.op.pure or node.deps or node.op.part:
            return False
        inputs = tuple([self.same.get(x.id, x).id for x in node.inputs])
        try:
            older = first.setdefault((node.op.name, inputs, node.region, tuple(sorted(node.attrs.items()))), node)
        except TypeError:
            # an attribute that cannot be compared
            return False
        if older is node:
            return False
        self.same[node.id] = older
        return True

    def _walk(self) -> None:
        todo = self._todo
        while todo:
            tensor = todo.pop()
            if tensor.id in self._seen:
                continue
            self._seen.add(tensor.id)
            if tensor.id not in self._fed:
                self._visit(tensor)

    def _visit(self, tensor: Tensor) -> None:
        todo = self._todo
        if isinstance(tensor, Node):
            tensor = self._instead.get(tensor.id, tensor)
            if tensor.op.part:
                self._part(tensor)
            else:
                todo.extend(tensor.inputs)
            todo.extend(tensor.deps)
            self._need(tensor)
        elif isinstance(tensor, Variable):
            self.variables[tensor.id] = tensor
        elif isinstance(tensor, Constant):
            self.constants[tensor.id] = tensor
        elif isinstance(tensor, Draws):
            self.draws[tensor.id] = tensor
        elif isinstance(tensor, Update):
            tensor.session.engine.in_scope(tensor, None)
            todo.append(tensor.new)
            todo.extend(tensor.deps)
            pair = tensor.variable.id, tensor.new.id
            if pair not in self._updated and not self._settled:
                self._updated.add(pair)
                self._asked.append(tensor)
        elif isinstance(tensor, Inner):
            self._inner(tensor)
        elif isinstance(tensor, Placeholder):
            if tensor.default is None:
                raise FeedError(
                    f'{tensor.name} (shape {tensor.shape}) is needed but not fed; add it to the inputs of K.function.'
                )
            self.defaults[tensor.id] = tensor
        elif not isinstance(tensor, Absent):
            raise AssertionError(tensor)

    def _need(self, node: Node) -> None:
        self.nodes[node.id] = node
        if node.op.name == 'scatter_add':
            self._scatters = True
        region = node.region
        if region is not None:
            self._owner(_owner_of(region))

    def _owner(self, owner: Owner) -> None:
        """A scan or cond runs as soon as anything inside of it, or one of its results, is needed."""
        while owner.id not in self._seen:
            self._seen.add(owner.id)
            self.nodes[owner.id] = owner
            if isinstance(owner, Scan):
                self.collected[owner.id], self.finals[owner.id] = {}, {}
                self.states[owner.id], self.elements[owner.id] = set(), set()
                # the first sequence tells the number of steps
                self._todo.append(owner.sequences[0][0])
            else:
                self.chosen[owner.id] = {}
                self._todo.append(owner.condition)
            if owner.region is not None:
                owner = _owner_of(owner.region)

    def _part(self, node: Node) -> None:
        owner = cast(Owner, node.inputs[0])
        self._owner(owner)
        if isinstance(owner, Cond):
            self.chosen[owner.id][node.id] = node
            self._todo.extend(owner.pairs[node.attrs['index']])
        elif node.op.name == 'collect':
            self.collected[owner.id][node.id] = node
            self._todo.append(node.attrs['inner'])
        else:
            self.finals[owner.id][node.id] = node
            self._todo.append(owner.states[node.attrs['index']][1])

    def _inner(self, inner: Inner) -> None:
        scan = inner.owner
        assert scan is not None
        self._owner(scan)
        for i, (outer, element) in enumerate(scan.sequences):
            if element is inner:
                self.elements[scan.id].add(i)
                self._todo.append(outer)
                return
        for i, (initial, state, new) in enumerate(scan.states):
            if state is inner:
                self.states[scan.id].add(i)
                self._todo.extend((initial, new))
                return
        raise AssertionError(inner)


def _owner_of(region: 'Region') -> Owner:
    """The scan or cond that runs a region; what is still being recorded is in no program."""
    owner: Optional[Owner] = region.owner
    assert owner is not None
    return owner
