"""The primitives that CNTK runs: for each a builder `(graph, *symbols, **attrs) -> symbol`. All others are NumPy's."""

from typing import Dict

from ....graph.nodes.tensor import Node
from ..graph import Builder, Fits, Known, multiplications  # noqa: F401
from . import conv, elementwise, reduction, shape

BUILDERS: Dict[str, Builder]
FITS: Dict[str, Fits]
BUILDERS, FITS = {}, {}
for _module in (elementwise, reduction, shape, conv):
    BUILDERS.update(_module.BUILDERS)
    FITS.update(_module.FITS)
is_tail = elementwise.is_tail
VIEWS = shape.VIEWS | frozenset(['identity', 'stop_gradient'])


def fits(node: Node, known: Known) -> bool:
    """Whether `node` can be part of a CNTK graph. `known(x)` says whether a value is known once all shapes are."""
    if node.op.name not in BUILDERS:
        return False
    test = FITS.get(node.op.name)
    return test is None or test(node, known)
