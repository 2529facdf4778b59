"""From the kernels of a library to an engine on the K graph."""

from typing import TYPE_CHECKING, Any, Dict

from ..binding import bind
from ..front import Front
from .library import GraphLibrary

if TYPE_CHECKING:
    from .run.kernels import Kernels


def install(namespace: Dict[str, Any], name: str, title: str, kernels: 'Kernels') -> GraphLibrary:
    """Fill the namespace of an engine module with K on the graph, lowered to `kernels` (see `graph.run.kernels`)."""
    library = GraphLibrary(name, title, kernels)
    bind(Front(library), namespace)
    namespace['_graph'] = library
    return library
