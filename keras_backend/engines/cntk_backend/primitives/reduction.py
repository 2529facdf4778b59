"""Sums, means and products over axes, and what normalises along an axis. The extremes are NumPy's: CNTK's drop NaN."""

from typing import Dict, Sequence

import numpy as np

from ....basics import shapes
from ....kernels.common import Ints
from ..graph import Builder, Function, GivenShape, Graph, Symbol, axis_of, sizes
from ..vendor import cntk_py
from .work import Fits

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
