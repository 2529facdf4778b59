"""The order of a run: variables are overwritten last, so that a run that fails on its way has changed none of them."""

from collections import OrderedDict

from ._library import theano


class _OverwritesLast:
    """A feature of a graph: what overwrites a variable waits for all outputs and new values."""

    def orderings(self, graph):
        handler = getattr(graph, 'destroy_handler', None)
        if handler is None or not handler.destroyers:
            return OrderedDict()
        last = [node for root, node in self._overwritten(handler) if root.owner is None]
        if not last:
            return OrderedDict()
        behind = self._behind(graph, last, handler.orderings(graph))
        # What comes after an overwriting can fail, too, so all that it needs comes first.
        wanted = list(graph.outputs) + [x for node in graph.apply_nodes if node in behind for x in node.inputs]
        first = list(OrderedDict.fromkeys([x.owner for x in wanted if x.owner is not None and x.owner not in behind]))
        return OrderedDict((node, list(first)) for node in last)

    @staticmethod
    def _overwritten(handler):
        return list(handler.refresh_droot_impact()[2].items())

    @staticmethod
    def _behind(graph, last, orderings):
        """The operations that come after one of `last`: they read its result, or overwrite what it reads."""
        after = {}
        for node in graph.apply_nodes:
            for earlier in [x.owner for x in node.inputs if x.owner is not None] + list(orderings.get(node, ())):
                after.setdefault(earlier, []).append(node)
        behind, todo = set(), list(last)
        while todo:
            node = todo.pop()
            if node not in behind:
                behind.add(node)
                todo.extend(after.get(node, ()))
        return behind


class OverwritesLast(theano.gof.opt.Optimizer):
    """Puts the feature on a graph that is not rewritten any more."""

    def add_requirements(self, graph):
        """Nothing is needed beforehand."""

    def apply(self, graph):
        graph.attach_feature(_OverwritesLast())
