"""Kernels that calculate: element by element, along axes, and products. PyTorch's own wherever they do what K says."""

from functools import wraps
from math import isnan
from typing import Any, Callable, Dict, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor

from ....graph.run.kernels import Kernel
from ....kernels.linalg import check_batches
from ...pytorch_on_gpu import to_integers
from ..arrays import DTYPES, FLOATS, Attrs, Ints, Sizes, floats_only, sizes, through_numpy

_SAME = (
    'exp log sin cos tanh sigmoid neg expm1 log1p logical_not add sub mul div maximum minimum not_equal greater '
    'greater_equal less less_equal logical_and logical_or where'
)
_OF_FLOATS = 'abs square round floor pow'
# PyTorch's functions do all of the work of these.
IN_PLACE = frozenset(f'{_SAME} {_OF_FLOATS} sqrt relu relu_grad tanh_grad sigmoid_grad'.split())


def relu(x: Tensor, out: Optional[Tensor] = None) -> Tensor:
    """max(x, 0); -0.0 becomes 0.0, which `torch.relu` keeps."""
    return torch.threshold(x, 0, 0) if out is None else torch.threshold_(out, 0, 0)


@floats_only
def softplus(x: Tensor) -> Tensor:
    """log(1 + exp(x)); above the threshold it is x in every dtype."""
    return F.softplus(x, 1, 40)


@floats_only
def sign(x: Tensor) -> Tensor:
    """-1, 0 or 1; NaN of NaN."""
    return torch.where(x != x, x, torch.sign(x))


@floats_only
def mod(x: Tensor, y: Tensor) -> Tensor:
    """The remainder, which has the sign of y."""
    # in double precision, since PyTorch gives NaN where the quotient overflows
    rest = torch.remainder(x.double(), y.double())
    return torch.where(rest == 0, torch.copysign(rest, y), rest).to(x.dtype)


_WHOLE = frozenset(['uint8', 'int8', 'int16', 'int32', 'int64'])


def cast(x: Tensor, dtype: str) -> Tensor:
    """`x` as `dtype`: to bool means non-zero, float to integer truncates."""
    if dtype == 'uint32' and x.is_floating_point():
        # A number that the dtype cannot hold becomes one number in the middle of an array and another at its end.
        x = x.long()
    elif not x.is_cpu and x.is_floating_point() and dtype in _WHOLE:
        x = to_integers(x, DTYPES[dtype])
    return x.to(DTYPES[dtype])


def _backward(function: Any, *more: float) -> Kernel:
    """PyTorch's own gradient of a function, from what is at hand of this, and the gradient there."""
    plain, into = function.default, function.grad_input

    def kernel(y: Tensor, g: Tensor, out: Optional[Tensor] = None) -> Any:
        return plain(g, y, *more) if out is None else into(g, y, *more, grad_input=out)

    return kernel


# From so many elements on the time of `torch.sqrt` of a zero counts.
_MANY = 4096


def sqrt(x: Tensor, out: Optional[Tensor] = None) -> Tensor:
    """The root of max(x, 0).

    PyTorch takes 12 to 30 times as long for zeros as for other numbers (of MKL, seen in 2.1 to 2.15). The squares of
    Adam are zeros in every row of a table that no step has read. So a zero becomes the smallest normal number first,
    and its root becomes 0. Smaller numbers do the same, as on TensorFlow.
    """
    if not x.is_cpu or x.numel() < _MANY or x.requires_grad or x.dtype not in _LEAST:
        return torch.sqrt(relu(x, out), out=out)
    least = _LEAST[x.dtype]
    root = torch.clamp(x, min=least, out=out)
    return torch.threshold_(torch.sqrt(root, out=root), least**0.5, 0.0)


_LEAST = {dtype: torch.finfo(dtype).tiny for dtype in (torch.float32, torch.float64)}


_threshold_grad = _backward(torch.ops.aten.threshold_backward, 0.0)


def relu_grad(y: Tensor, g: Tensor, out: Optional[Tensor] = None) -> Any:
    """g where y > 0, else 0."""
    # many times as fast as a choice, but it gives g where y is NaN
    fast = y.is_cpu and y.is_floating_point() and not isnan(y.sum().item())
    return _threshold_grad(y, g, out) if fast else torch.where(y > 0, g, 0)


PRIMITIVES: Dict[str, Kernel] = {name: getattr(torch, name) for name in _SAME.split()}
PRIMITIVES.update({name: floats_only(getattr(torch, name), name) for name in _OF_FLOATS.split()})
PRIMITIVES['floordiv'] = floats_only(torch.floor_divide, 'floordiv')
PRIMITIVES.update({f.__name__: f for f in (relu, relu_grad, sqrt, softplus, sign, mod, cast)})
PRIMITIVES.update({'equal': torch.eq, 'stop_gradient': torch.detach, 'identity': lambda x: x})
PRIMITIVES['tanh_grad'] = _backward(torch.ops.aten.tanh_backward)
PRIMITIVES['sigmoid_grad'] = _backward(torch.ops.aten.sigmoid_backward)


# -- sums and products -------------------------------------------------------------------------------------------------
# Kernels that reduce or accumulate along axes, and products of matrices.


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


_ALONG = 'argmax argmin cumsum cumprod softmax log_softmax'
PRIMITIVES.update({name: floats_only(getattr(torch, name), name) for name in _ALONG.split()})
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
