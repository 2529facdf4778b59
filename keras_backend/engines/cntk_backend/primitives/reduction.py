"""Sums, means and products over axes, what normalises along an axis, and products of tensors.

The extremes are NumPy's: CNTK's drop NaN.
"""

from typing import Dict, Sequence

import numpy as np

from ....basics import shapes
from ....errors import ShapeError
from ....kernels.common import Ints
from ..graph import Builder, Fits, Function, GivenShape, Graph, Symbol, axis_of, sizes
from ..vendor import cntk_py

# sums over this many elements and more are products with ones, which CNTK does ten times as fast
_MANY, _BLOCK = 16, 2048


def sum_over(g: Graph, x: Symbol, axes: Sequence[int], keepdims: bool) -> Symbol:
    """The sum of `x`; where it only repeats itself, by a product."""
    kept = shapes.reduce(x.shape, axes, keepdims)
    repeated = [axis for axis in axes if g.stored_size(x, axis) == 1 != x.shape[axis]]
    if repeated and x.data is None:
        times = shapes.product([x.shape[axis] for axis in repeated])
        x = g.elementwise(cntk_py.element_times, g.once(x, repeated), g.number(times))
    return g.reshape(_summed(g, x, axes), kept)


def _summed(g: Graph, x: Symbol, axes: Sequence[int]) -> Symbol:
    """The sum over `axes`, which stay with size 1."""
    axes = [axis for axis in axes if x.shape[axis] != 1]
    count = shapes.product([x.shape[axis] for axis in axes])
    if count < _MANY:
        return g.reduce(cntk_py.reduce_sum, x, axes)
    rest, kept = shapes.product(x.shape) // count, shapes.reduce(x.shape, axes, True)
    ones = g.known(np.ones(count, g.dtype))
    long = [axis for axis, n in enumerate(x.shape) if n != 1]
    if count > _BLOCK and len(axes) > 1:
        # in two parts, for the sake of accuracy
        return _summed(g, _summed(g, x, axes[:1] if axes == long[: len(axes)] else axes[1:]), axes)
    if axes == long[: len(axes)]:
        return g.reshape(g.product(g.reshape(ones, (1, count)), g.reshape(x, (count, rest))), kept)
    if axes == long[-len(axes) :]:
        return g.reshape(g.product(g.reshape(x, (rest, count)), g.reshape(ones, (count, 1))), kept)
    return g.reduce(cntk_py.reduce_sum, x, axes)


def mean(g: Graph, x: Symbol, axes: Ints, keepdims: bool) -> Symbol:
    count = shapes.product([x.shape[axis] for axis in axes])
    return g.elementwise(cntk_py.element_times, sum_over(g, x, axes, keepdims), g.number(1 / count))


def prod(g: Graph, x: Symbol, axes: Ints, keepdims: bool) -> Symbol:
    return g.reshape(g.reduce(cntk_py.reduce_prod, x, axes), shapes.reduce(x.shape, axes, keepdims))


def sum_to(g: Graph, x: Symbol, shape: GivenShape) -> Symbol:
    axes = [i for i, (n, m) in enumerate(zip(x.shape, sizes(shape))) if n != m]
    return sum_over(g, x, axes, True)


def _along(function: Function) -> Builder:
    def build(g: Graph, x: Symbol, axis: int) -> Symbol:
        return g.made(function(g.variable(g.full(x)), axis_of(axis), ''), x.shape)

    return build


BUILDERS: Dict[str, Builder] = {
    'sum': sum_over,
    'sum_to': sum_to,
    'mean': mean,
    'prod': prod,
    'softmax': _along(cntk_py.softmax),
    'log_softmax': _along(cntk_py.log_softmax),
}
FITS: Dict[str, Fits] = {}


# -- products ----------------------------------------------------------------------------------------------------------
# Products of tensors, and of batches of matrices.


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


BUILDERS.update(tensordot=tensordot, matmul=matmul)
