"""Pieces that several gradient rules need."""

from typing import TYPE_CHECKING, Union, cast

from ...basics.library import Tensor
from ..nodes.dims import known, ranked, same
from ..nodes.op import MaybeAxes

if TYPE_CHECKING:
    from ...basics.shapes import Shape
    from ..nodes.op import AllPrimitives


def shape_of(F: 'AllPrimitives', x: Tensor) -> Union['Shape', Tensor]:
    """The shape of `x`: a tuple of ints where it is known, else a tensor."""
    if ranked(x) and all(known(d) for d in x.dims):
        return cast('Shape', x.shape)
    return F.shape(x)


def unbroadcast(F: 'AllPrimitives', g: Tensor, x: Tensor) -> Tensor:
    """`g`, which has the shape of something `x` was broadcast into, summed back to the shape of `x`."""
    if not (ranked(g) and ranked(x)):
        return F.sum_to(g, F.shape(x))
    if len(g.dims) == len(x.dims) and all(map(same, g.dims, x.dims)):
        return g
    lead = len(g.dims) - len(x.dims)
    if lead:
        g = F.sum(g, axes=tuple(range(lead)), keepdims=False)
    ones = []
    for i, (d, e) in enumerate(zip(g.dims, x.dims)):
        if same(d, e):
            continue
        if known(e) and e == 1:
            ones.append(i)
        elif not known(e):
            # it may be 1 at run time
            return F.sum_to(g, F.shape(x))
    return F.sum(g, axes=tuple(ones), keepdims=True) if ones else g


def beside(F: 'AllPrimitives', g: Tensor, x: Tensor, axes: MaybeAxes, keepdims: bool) -> Tensor:
    """`g`, which has the shape of `x` reduced over `axes`, so that it broadcasts against `x`."""
    if keepdims or axes is None:
        return g
    if not ranked(x):
        # Axes that count from the end cannot be put back one by one.
        return F.reshape(g, F.shape(F.sum(x, axes=axes, keepdims=True)))
    for axis in axes:
        g = F.expand_dims(g, axis=axis)
    return g


def spread(F: 'AllPrimitives', g: Tensor, x: Tensor, axes: MaybeAxes, keepdims: bool) -> Tensor:
    """`g`, the gradient of a reduction of `x` over `axes`, laid out over the shape of `x`."""
    g = beside(F, g, x, axes, keepdims)
    return F.broadcast_to(g, shape_of(F, x))


def zeros_like(F: 'AllPrimitives', x: Tensor) -> Tensor:
    """Zeros of the shape and dtype of `x`."""
    return F.broadcast_to(F.constant(0, x.dtype), shape_of(F, x))


def count(F: 'AllPrimitives', x: Tensor, axes: MaybeAxes, dtype: str) -> Union[int, Tensor]:
    """How many elements of `x` are reduced over `axes`: a number, or a tensor of `dtype`."""
    if not ranked(x):
        sizes = F.shape(x)
        if axes is not None:
            sizes = F.stack(*[F.getitem(sizes, spec=(axis,)) for axis in axes], axis=0)
        return F.cast(F.prod(sizes, axes=(0,), keepdims=False), dtype=dtype)
    assert axes is not None
    total = 1
    for axis in axes:
        size = x.dims[axis]
        if not known(size):
            return F.cast(
                F.prod(F.gather(F.shape(x), F.constant(list(axes), 'int32')), axes=(0,), keepdims=False), dtype=dtype
            )
        total *= size
    return total
