"""Printing, the parts of loops and choices that have values, and draws."""

from ..nodes.dims import merge, ranked, same
from ..nodes.op import AllPrimitives, GivenShape, Gradients, Inferred, Inputs, gradient, op
from ..nodes.tensor import Attrs, Cond, Draws, Scan, Tensor
from .shape import entries


@op(pure=False)
def print_(x: Tensor, message: str) -> Inferred:
    return x.dims, x.dtype


@gradient
def gradient_of_print(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    return (g,)


@op(part=True, has_kernel=False)
def collect(scan: Scan, inner: Tensor) -> Inferred:
    """An inner tensor of a scan over time."""
    return (scan.length,) + inner.dims, inner.dtype


@op(part=True, has_kernel=False)
def final(scan: Scan, index: int) -> Inferred:
    """A state of a scan after its last step."""
    _initial, inner, new = scan.states[index]
    return tuple([d if same(d, e) else merge(d, e) for d, e in zip(inner.dims, new.dims)]), inner.dtype


@op(part=True, has_kernel=False)
def chosen(cond: Cond, index: int) -> Inferred:
    """One of the values of the branch that ran."""
    a, b = cond.pairs[index]
    for value in (a, b):
        if not ranked(value):
            return value.dims, a.dtype
    return tuple([d if same(d, e) else None for d, e in zip(a.dims, b.dims)]), a.dtype


# -- draws -------------------------------------------------------------------------------------------------------------
# Draws: a new one on every run. `draws` is where the random numbers of this node come from.


@op(pure=False, sizes=('shape',))
def random_uniform(draws: Draws, shape: GivenShape, dtype: str) -> Inferred:
    """From [0, 1)."""
    return entries(shape), dtype


@op(pure=False, sizes=('shape',))
def random_normal(draws: Draws, shape: GivenShape, dtype: str) -> Inferred:
    """Mean 0, standard deviation 1."""
    return entries(shape), dtype


@op(pure=False, sizes=('shape',))
def truncated_normal(draws: Draws, shape: GivenShape, dtype: str) -> Inferred:
    """Mean 0, standard deviation 1 before values beyond 2 are redrawn."""
    return entries(shape), dtype
