"""Sums, means and products over axes, and what normalises along an axis. The extremes are NumPy's: CNTK's drop NaN."""
from .... import shapes
from .._cntk import cntk_py
from .._graph import axis_of, sizes


def _reduction(function):
    def build(g, x, axes, keepdims):
        reduced = g.reduce(function, x, axes)
        return reduced if keepdims else g.reshape(reduced, shapes.reduce(x.shape, axes))
    return build


def sum_over(g, x, axes, keepdims):
    """The sum of `x`; where it only repeats itself, by a product."""
    repeated = [axis for axis in axes if g.held_at(x, axis) == 1 != x.shape[axis]]
    if repeated and x.data is None:
        times = shapes.product([x.shape[axis] for axis in repeated])
        x = g.elementwise(cntk_py.element_times, g.once(x, repeated), g.number(times))
    return _sum(g, x, axes, keepdims)


def sum_to(g, x, shape):
    axes = [i for i, (n, m) in enumerate(zip(x.shape, sizes(shape))) if n != m]
    return sum_over(g, x, axes, True)


def _along(function):
    def build(g, x, axis):
        return g.made(function(g.variable(g.full(x)), axis_of(axis), ''), x.shape)
    return build


_sum = _reduction(cntk_py.reduce_sum)

BUILDERS = {'sum': sum_over, 'sum_to': sum_to, 'mean': _reduction(cntk_py.reduce_mean),
            'prod': _reduction(cntk_py.reduce_prod), 'softmax': _along(cntk_py.softmax),
            'log_softmax': _along(cntk_py.log_softmax)}
FITS = {}
