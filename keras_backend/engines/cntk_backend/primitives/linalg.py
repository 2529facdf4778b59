"""Products."""

from typing import Dict

from ....basics import shapes
from ....errors import ShapeError
from ....kernels.common import Ints
from ..graph import Builder, Graph, Symbol
from ..vendor import cntk_py
from .work import Fits


def tensordot(g: Graph, x: Symbol, y: Symbol, axes_x: Ints, axes_y: Ints) -> Symbol:
    free_x = [i for i in range(len(x.shape)) if i not in axes_x]
    free_y = [i for i in range(len(y.shape)) if i not in axes_y]
    shape = tuple([x.shape[i] for i in free_x]), tuple([y.shape[i] for i in free_y])
    rows, columns = [shapes.product(s) for s in shape]
    inner_x, inner_y = [shapes.product([z.shape[i] for i in axes]) for z, axes in ((x, axes_x), (y, axes_y))]
    # what is summed is brought to the inside, as matrices; CNTK multiplies with the second one transposed, too
    left = g.reshape(g.transpose(x, free_x + list(axes_x)), (rows, inner_x))
    transposed = bool(free_y) and free_y + list(axes_y) == list(range(len(y.shape)))
    if transposed:
        right = g.reshape(y, (columns, inner_y))
    else:
        right = g.reshape(g.transpose(y, list(axes_y) + free_y), (inner_y, columns))
    return g.reshape(g.product(left, right, transposed), shape[0] + shape[1])


def matmul(g: Graph, x: Symbol, y: Symbol, transpose_x: bool, transpose_y: bool) -> Symbol:
    if x.shape[:-2] != y.shape[:-2]:
        raise ShapeError(f'{x.shape} and {y.shape} differ in their leading axes.')
    x, y = [_turned(g, z) if turn else z for z, turn in ((x, transpose_x), (y, transpose_y))]
    if x.shape[-1] != y.shape[-2]:
        raise ShapeError(f'{x.shape} and {y.shape} cannot be multiplied.')
    if len(x.shape) == 2:
        return g.product(x, y)
    lead, shape = x.shape[:-2], (x.shape[-2], y.shape[-1])
    count = shapes.product(lead)
    x, y = [g.reshape(z, (count,) + z.shape[-2:]) for z in (x, y)]
    result = g.on_batch(lambda a, b: cntk_py.times(b, a, 1, -1, ''), (count,) + shape, x, y)
    return g.reshape(result, lead + shape)


def _turned(g: Graph, x: Symbol) -> Symbol:
    rank = len(x.shape)
    return g.transpose(x, tuple(range(rank - 2)) + (rank - 1, rank - 2))


BUILDERS: Dict[str, Builder] = {'tensordot': tensordot, 'matmul': matmul}
FITS: Dict[str, Fits] = {}
