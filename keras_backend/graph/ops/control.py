"""Printing, and the parts of loops and choices that have values."""

from ..dims import merge, same
from . import op

# what a scan or cond results in
PARTS = ('collect', 'final', 'chosen')


@op(pure=False)
def print_(x, message):
    return x.dims, x.dtype


@print_.gradient
def _(F, node, g):
    return (g,)


@op()
def collect(scan, inner):
    """An inner tensor of a scan over time."""
    return (scan.length,) + inner.dims, inner.dtype


@op()
def final(scan, index):
    """A state of a scan after its last step."""
    _initial, inner, new = scan.states[index]
    return tuple([d if same(d, e) else merge(d, e) for d, e in zip(inner.dims, new.dims)]), inner.dtype


@op()
def chosen(cond, index):
    """One of the values of the branch that ran."""
    a, b = cond.pairs[index]
    return tuple([d if same(d, e) else None for d, e in zip(a.dims, b.dims)]), a.dtype
