"""Products of the elements of a sequence: one product over time, outside of the loop, in the place of one a step.

A step of an LSTM multiplies its input x[t] of shape (32, 64) by a kernel of shape (64, 512). Nothing in this product
waits for the step before, so K takes the whole sequence of shape (50, 32, 64) times the kernel. The loop reads the
result, (50, 32, 512), as one more sequence. One large product takes less time than 50 small ones. Its gradients are
products over time as well. A gradient that is taken inside of the step goes through the product of the step.
"""

from typing import TYPE_CHECKING, Optional

from ...basics.shapes import product
from ..nodes.dims import merge
from ..nodes.op import Ints
from ..nodes.tensor import ProductElement, Tensor

if TYPE_CHECKING:
    from .graph import Graph

# The result is kept for all steps: so many times the numbers of the sequence at most.
MOST = 8


def product_over_time(graph: 'Graph', x: Tensor, y: Tensor, axes_x: Ints, axes_y: Ints) -> Optional[Tensor]:
    """The element of the product of a whole sequence and `y`, where `x` is an element of it; None elsewhere."""
    session = graph.session
    body = session.region
    if body is None or body.sequences is None or session.deps or y.region is body:
        return None
    if x.id not in body.sequences or not _small(y, axes_y):
        return None
    if any([merge(x.dims[i], y.dims[j]) is None for i, j in zip(axes_x, axes_y)]):
        return None  # the product in the step says best which sizes differ
    sequence, _element = body.sequences[x.id]
    graph.usable(y)
    with session.inside(body.parent):
        outer = graph.F.tensordot(sequence, y, axes_x=tuple([i + 1 for i in axes_x]), axes_y=axes_y)
    element = ProductElement(outer, (x, y), {'axes_x': axes_x, 'axes_y': axes_y}, body)
    body.sequences[element.id] = outer, element
    return element


def _small(y: Tensor, axes_y: Ints) -> bool:
    """Whether the product with `y` is small enough to be kept for all steps."""
    summed = product([y.dims[i] for i in axes_y])
    kept = product([d for i, d in enumerate(y.dims) if i not in axes_y])
    return bool(summed is not None and kept is not None and kept <= MOST * summed)
