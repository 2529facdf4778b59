"""Putting the K functions of the graph into an engine's namespace."""

from importlib import import_module

from .. import binding
from .api import TOPICS
from .engine import Engine


class GraphEngine(Engine):
    """An engine that knows the namespace its functions live in."""

    def __init__(self, name, title, kernels, namespace):
        super().__init__(name, title, kernels)
        self.namespace = namespace

    def composite(self, name):
        """The composed form of a function that the graph overrules in some cases."""
        return binding.composite(self.namespace, name)


def install(namespace, name, title, kernels):
    """Fill the namespace of an engine module with K on the graph, lowered to `kernels` (see `engine.Engine`)."""
    import sys

    engine = GraphEngine(name, title, kernels, namespace)
    engine.K = sys.modules[namespace['__name__']]
    namespace['_graph'] = engine
    for topic in TOPICS:
        module = import_module('keras_backend.graph.api.' + topic)
        namespace.update(binding.template(module, namespace, K=engine.K, G=engine))
    binding.complete(namespace, title=title, name=name)
    return engine
