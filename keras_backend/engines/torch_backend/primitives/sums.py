"""Kernels that reduce or accumulate along axes, and products of matrices."""

from functools import wraps
from typing import Callable, Dict, Optional, Tuple

import torch
from torch import Tensor

from ....graph.run.kernels import Kernel
from ....kernels.linalg import check_batches
from ..arrays import FLOATS, Attrs, Ints, Sizes, floats_only, sizes, through_numpy


def _over_axes(function: Callable[..., Tensor]) -> Kernel:
    """`function(x, axes, keepdims)` with its axes as a tuple that is not empty; None are all."""

    @wraps(function)
    def kernel(x: Tensor, axes: Optional[Ints], keepdims: bool = False) -> Tensor:
        axes = tuple(range(x.dim())) if axes is None else tuple([axis % x.dim() for axis in axes])
        return function(x, axes, keepdims) if axes else function(x.unsqueeze(0), (0,), False)

    return kernel


@_over_axes
def prod(x: Tensor, axes: Ints, keepdims: bool) -> Tensor:
    """The product, in the dtype of `x`."""
    for axis in sorted(axes, reverse=True):
        x = torch.prod(x, axis, keepdims, dtype=x.dtype)
    return x


def _extremum(function: Callable[..., Tensor], name: str) -> Kernel:
    """`function`; of nothing it is what any number would replace, as NumPy's kernel has it."""
    return _over_axes(lambda x, axes, keepdims: (function if x.numel() else through_numpy(name))(x, axes, keepdims))


_sum = floats_only(torch.sum, 'sum')


def sum_to(x: Tensor, shape: Sizes) -> Tensor:
    """`x` summed over the axes along which `shape` is 1, and over those in front that it lacks."""
    shape = sizes(shape)
    if x.dim() != len(shape):
        x = _sum(x, tuple(range(x.dim() - len(shape))))
    axes = tuple([i for i, (n, m) in enumerate(zip(x.shape, shape)) if n != m])
    return _sum(x, axes, True) if axes else x


@floats_only
def tensordot(x: Tensor, y: Tensor, axes_x: Ints, axes_y: Ints) -> Tensor:
    """The sum over pairs of axes; the other axes of x come first, then those of y."""
    return torch.tensordot(x, y, (list(axes_x), list(axes_y)))


@floats_only
def matmul(x: Tensor, y: Tensor, transpose_x: bool = False, transpose_y: bool = False) -> Tensor:
    """Products of the matrices in the last two axes; the axes before them are the same."""
    check_batches(x.shape, y.shape)
    return torch.matmul(x.mT if transpose_x else x, y.mT if transpose_y else y)


PRIMITIVES: Dict[str, Kernel] = {
    name: floats_only(getattr(torch, name), name) for name in 'argmax argmin cumsum cumprod softmax log_softmax'.split()
}
PRIMITIVES.update({f.__name__: f for f in (prod, sum_to, tensordot, matmul)})
PRIMITIVES.update({name: floats_only(_over_axes(getattr(torch, name)), name) for name in ('sum', 'mean')})
PRIMITIVES['any'] = _over_axes(lambda x, axes, keepdims: torch.any(x.to(torch.bool), axes, keepdims))
PRIMITIVES['all'] = _over_axes(lambda x, axes, keepdims: torch.all(x.to(torch.bool), axes, keepdims))
PRIMITIVES.update({'max': _extremum(torch.amax, 'max'), 'min': _extremum(torch.amin, 'min')})


def product_of(ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
    """The faster function for a `tensordot` with a matrix."""
    axes_x, axes_y = attrs['axes_x'], attrs['axes_y']
    if dtypes[0] not in FLOATS or len(axes_x) != 1 or ranks[1] != 2:
        return None
    last, second = axes_x[0] % ranks[0] == ranks[0] - 1, axes_y[0] % 2
    if last and not second:
        plain: Kernel = torch.mm if ranks[0] == 2 else torch.matmul
        return plain
    if last:
        return lambda x, y: torch.matmul(x, y.t())
    return (lambda x, y: torch.mm(x.t(), y.t() if second else y)) if ranks[0] == 2 else None
