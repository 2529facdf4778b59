"""Element-wise kernels: PyTorch's own functions wherever they do what K says."""

from math import isnan
from typing import Any, Dict, Optional

import torch
import torch.nn.functional as F
from torch import Tensor

from ....graph.run.kernels import Kernel
from ...pytorch_on_gpu import to_integers
from ..arrays import DTYPES, floats_only

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
