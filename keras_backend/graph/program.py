"""What one `K.function` has to run: the needed nodes, region by region, in an order that works."""

from ..errors import FeedError
from .ops.control import PARTS
from .tensor import Absent, Constant, Inner, Node, Placeholder, Scan, Update, Variable


class Program:
    """The needed part of the graph.

    inputs:     tensors that are fed
    outputs:    tensors to return
    updates:    [Update]; those that outputs ask for included, in front, as they were made
    variables, constants: the leaves that are read
    defaults:   placeholders that are not fed and have a default
    used:       ids of the inputs that anything depends on
    blocks:     {region: [Node | Scan | Cond]} by ascending id
    same:       {id: node} for nodes that repeat an older one of the same region, which stands for them
    collected, finals, states, elements, chosen: per scan or cond id, the parts of it that are needed
    """

    def __init__(self, inputs, outputs, updates, settled=False):
        """settled: `updates` are all there are, whatever the outputs ask for."""
        self.inputs, self.outputs, self.updates = inputs, outputs, list(updates)
        self.variables, self.constants, self.defaults = {}, {}, {}
        self.nodes, self.blocks = {}, {}
        self.collected, self.finals, self.states, self.elements, self.chosen = {}, {}, {}, {}, {}
        self._fed = {t.id for t in inputs}
        self._seen = set()
        self._updated, self._asked, self._settled = {(v.id, new.id) for v, new in self.updates}, [], settled
        self._todo = list(outputs) + [new for _variable, new in updates]
        for update in updates:
            self._todo.extend(update.deps)
        self._walk()
        self.used = self._fed & self._seen
        self.updates = sorted(self._asked, key=lambda update: update.id) + self.updates
        self.same = {}
        first = {}
        for key in sorted(self.nodes):
            node = self.nodes[key]
            if self._repeats(node, first):
                del self.nodes[key]
                continue
            self.blocks.setdefault(node.region, []).append(node)

    def _repeats(self, node, first):
        """Whether an older node has the same value; it is remembered in `same`."""
        if not isinstance(node, Node) or not node.op.pure or node.deps or node.op.name in PARTS:
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

    def _walk(self):
        todo = self._todo
        while todo:
            tensor = todo.pop()
            if tensor.id in self._seen:
                continue
            self._seen.add(tensor.id)
            if tensor.id not in self._fed:
                self._visit(tensor)

    def _visit(self, tensor):
        todo = self._todo
        if isinstance(tensor, Node):
            if tensor.op.name in PARTS:
                self._part(tensor)
            else:
                todo.extend(tensor.inputs)
            todo.extend(tensor.deps)
            self._need(tensor)
        elif isinstance(tensor, Variable):
            self.variables[tensor.id] = tensor
        elif isinstance(tensor, Constant):
            self.constants[tensor.id] = tensor
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

    def _need(self, node):
        self.nodes[node.id] = node
        region = node.region
        if region is not None:
            self._owner(region.owner)

    def _owner(self, owner):
        """A scan or cond runs as soon as anything inside of it, or one of its results, is needed."""
        if owner.id in self._seen:
            return
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
            self._owner(owner.region.owner)

    def _part(self, node):
        owner = node.inputs[0]
        self._owner(owner)
        if node.op.name == 'collect':
            self.collected[owner.id][node.id] = node
            self._todo.append(node.attrs['inner'])
        elif node.op.name == 'final':
            self.finals[owner.id][node.id] = node
            self._todo.append(owner.states[node.attrs['index']][1])
        else:
            self.chosen[owner.id][node.id] = node
            self._todo.extend(owner.pairs[node.attrs['index']])

    def _inner(self, inner):
        scan = inner.owner
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
