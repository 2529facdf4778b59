"""The order of the operations of a function: what overwrites a variable comes last."""

from collections import OrderedDict
from typing import Any, List, Set

from ..vendor import Feature, GraphRewriter


class _OverwritesLast(Feature):
    """A feature of a graph: an operation that overwrites a variable waits for all outputs and new values."""

    def orderings(self, graph: Any) -> 'OrderedDict[Any, List[Any]]':
        handler = getattr(graph, 'destroy_handler', None)
        if handler is None or not handler.destroyers:
            return OrderedDict()
        last = [node for root, node in handler.refresh_droot_impact()[2].items() if root.owner is None]
        # The operations that come after one of `last`: they read its result, or overwrite what it reads.
        behind: Set[Any]
        behind, more, others = set(), set(last), handler.orderings(graph)
        before = {node: [x.owner for x in node.inputs] + list(others.get(node, ())) for node in graph.apply_nodes}
        while more:
            behind |= more
            more = {node for node, first in before.items() if node not in behind and not behind.isdisjoint(first)}
        # An operation after an overwriting can fail, too, so all that it needs comes first.
        needed = list(graph.outputs) + [x for node in graph.apply_nodes if node in behind for x in node.inputs]
        first = list(OrderedDict.fromkeys([x.owner for x in needed if x.owner is not None and x.owner not in behind]))
        return OrderedDict((node, list(first)) for node in last)


class KeepsOrder(GraphRewriter):
    """Puts the feature on a graph that is not rewritten any more."""

    def add_requirements(self, graph: Any) -> None:
        """Nothing is needed beforehand."""

    def apply(self, graph: Any) -> None:
        graph.attach_feature(_OverwritesLast())
