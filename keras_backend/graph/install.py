"""From the kernels of a library to an engine on the K graph."""

from typing import TYPE_CHECKING, Any, Dict

from ..binding import bind
from ..errors import lacking_primitives
from ..front import Front
from .library import GraphLibrary
from .primitives import OPS

if TYPE_CHECKING:
    from .run.kernels import Kernels


def install(namespace: Dict[str, Any], name: str, title: str, kernels: 'Kernels') -> GraphLibrary:
    """Fill the namespace of an engine module with K on the graph, lowered to `kernels` (see `graph.run.kernels`).

    Raises
    ------
    NotAnEngine
        If `kernels` lacks a primitive.
    """
    for now, older in (('PRIMITIVES', 'IMPLEMENTATIONS'), ('private_copy', 'own')):
        if not hasattr(kernels, now):
            setattr(kernels, now, getattr(kernels, older))  # its name in 0.1.0
    lacking = [op.name for op in OPS.values() if op.has_kernel and op.name not in kernels.PRIMITIVES]
    if lacking:
        raise lacking_primitives(name, title, lacking, 'keras_backend.graph.primitives')
    library = GraphLibrary(name, title, kernels)
    bind(Front(library), namespace)
    namespace['_graph'] = library
    return library
