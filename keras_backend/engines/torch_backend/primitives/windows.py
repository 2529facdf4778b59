"""Convolutions and poolings, channels last, of one to three spatial axes. Padding never counts in a pooling."""

from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any, Dict, Iterator

import torch
import torch.nn.functional as F
from torch import Tensor

from ....basics import shapes
from ....errors import ShapeError
from ....graph.run.kernels import Kernel
from ....kernels.spatial import Geometry
from ..arrays import Ints, Sizes, floats_only, sizes

MAX: Dict[int, Kernel] = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
_AVERAGE: Any = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
_NOTHING = float('-inf')


class _Geometry(Geometry):
    """Windows over spatial axes, as PyTorch takes them.

    library_pads : the padding that PyTorch adds itself
    more : what `padding` adds: before and after each axis, the last axis first; PyTorch wants it the same on both sides
    given : the spatial sizes of what PyTorch gets
    how : the arguments of a convolution after its operands, but for the number of groups
    """

    def __init__(self, size: Ints, window: Ints, strides: Ints, padding: str, *dilations: Ints) -> None:
        dilation = dilations[0] if dilations else (1,) * len(window)
        super().__init__(size, window, strides, padding, dilation)
        even = all([before == after for before, after in self.pads])
        self.library_pads: Any = tuple([before if even else 0 for before, _after in self.pads])
        self.more = [] if even else [n for pair in reversed(self.pads) for n in pair]
        self.given = tuple(size) if even else self.padded
        self.how = strides, self.library_pads, dilation, False, (0,) * len(window)

    def padding(self, x: Tensor, value: float = 0.0) -> Tensor:
        """`x` (batch, channels, spatial...) with `value` around it."""
        return F.pad(x, self.more, value=value) if self.more else x

    def crop(self, x: Tensor) -> Tensor:
        """`x`, channels last, without what was around it."""
        return (F.pad(x, [-n for n in self.more]) if self.more else x).movedim(1, -1)


class _OpenGeometry(_Geometry):
    """The same where `torch.export` leaves spatial sizes open. PyTorch adds no padding, and every window fits."""

    def __init__(self, size: Ints, window: Ints, strides: Ints, padding: str, *dilations: Ints) -> None:
        self.dilation = dilation = dilations[0] if dilations else (1,) * len(window)
        spans = [shapes.window(k, d) for k, d in zip(window, dilation)]
        axes = list(zip(size, spans, strides))
        self.out = tuple([(n - k) // s + 1 if padding == 'valid' else -(-n // s) for n, k, s in axes])
        self.positions, pairs = 1, []
        for n, span, stride, out in zip(size, spans, strides, self.out):
            # of 'valid', what no window meets is cut off
            total = (out - 1) * stride + span - n
            before = span - 1 if padding == 'causal' else 0
            if padding == 'same':
                before = (total if span >= stride else torch.sym_max(total, 0)) // 2
            pairs.append((before, total - before))
        self.pads = tuple(pairs)
        self.library_pads = (0,) * len(window)
        self.more = [n for pair in reversed(pairs) for n in pair]
        self.given = self.padded = tuple([n + sum(pair) for n, pair in zip(size, pairs)])
        self.how = strides, self.library_pads, dilation, False, (0,) * len(window)


_known_windows = lru_cache(maxsize=1024)(_Geometry)


def place_of(size: Ints, *how: Any) -> _Geometry:
    """Where windows lie over spatial axes of these sizes."""
    try:
        return _known_windows(size, *how)
    except TypeError:
        # a size without a number has no hash
        return _OpenGeometry(size, *how)


def _convolutions(name: str, depthwise: bool) -> Dict[str, Kernel]:
    """The kernels of a convolution and its gradients. A depthwise one has as many groups as channels."""

    def back(g: Tensor, *operands: Any) -> Any:
        with full_precision(g):
            return torch.ops.aten.convolution_backward(g, *operands)

    def as_weight(kernel: Tensor) -> Tensor:
        """(spatial..., in, out), or (spatial..., channel, m), as (out, in of a group, spatial...)."""
        return kernel.flatten(-2).movedim(-1, 0).unsqueeze(1) if depthwise else kernel.movedim((-1, -2), (0, 1))

    def conv(x: Tensor, kernel: Tensor, strides: Ints, padding: str, dilation: Ints) -> Tensor:
        x, weight = x.movedim(-1, 1), as_weight(kernel)
        geometry = place_of(x.shape[2:], weight.shape[2:], strides, padding, dilation)
        if not (x.numel() and weight.numel() and geometry.positions):
            # a sum of nothing, and linked to both for autograd
            nothing = x.sum() * weight.sum() * 0
            return nothing.expand(x.shape[:1] + geometry.out + weight.shape[:1]).contiguous()
        groups = x.shape[1] if depthwise else 1
        with full_precision(x):
            return torch.convolution(geometry.padding(x), weight, None, *geometry.how, groups).movedim(1, -1)

    def input_grad(g: Tensor, kernel: Tensor, shape: Sizes, strides: Ints, padding: str, dilation: Ints) -> Tensor:
        shape, weight = sizes(shape), as_weight(kernel)
        if g.shape[0] != shape[0]:
            # PyTorch would compute with what lies behind one of them
            raise ShapeError(f'A gradient of shape {tuple(g.shape)} does not belong to an input of shape {shape}.')
        if not (g.numel() and weight.numel()):
            return g.new_zeros(shape)
        geometry, groups = place_of(shape[1:-1], weight.shape[2:], strides, padding, dilation), shape[-1]
        # only its shape counts
        x = g.new_empty(shape[:1] + geometry.given + shape[-1:]).movedim(-1, 1)
        how = (*geometry.how, groups if depthwise else 1, [True, False, False])
        return geometry.crop(back(g.movedim(-1, 1), x, weight, None, *how)[0])

    def kernel_grad(x: Tensor, g: Tensor, window: Sizes, strides: Ints, padding: str, dilation: Ints) -> Tensor:
        window, channels, width = sizes(window), x.shape[-1], g.shape[-1]
        kernel = g.new_empty(window + ((channels, width // max(channels, 1)) if depthwise else (channels, width)))
        if not (x.numel() and g.numel()):
            return kernel.zero_()
        x = x.movedim(-1, 1)
        geometry = place_of(x.shape[2:], window, strides, padding, dilation)
        how = (*geometry.how, channels if depthwise else 1, [False, True, False])
        slope: Tensor = back(g.movedim(-1, 1), geometry.padding(x), as_weight(kernel).contiguous(), None, *how)[1]
        return slope.squeeze(1).movedim(0, -1).reshape(kernel.shape) if depthwise else slope.movedim((0, 1), (-1, -2))

    kernels: Dict[str, Kernel] = {name: conv, name + '_input_grad': input_grad, name + '_kernel_grad': kernel_grad}
    return {name: floats_only(function, name) for name, function in kernels.items()}


@floats_only
def max_pool(x: Tensor, window: Ints, strides: Ints, padding: str) -> Any:
    """The maximum of each window."""
    x = x.movedim(-1, 1)
    geometry = place_of(x.shape[2:], window, strides, padding)
    if not (x.numel() and geometry.positions):
        return x.new_full(x.shape[:1] + geometry.out + x.shape[1:2], _NOTHING)
    return MAX[len(window)](geometry.padding(x, _NOTHING), window, strides, geometry.library_pads).movedim(1, -1)


def _adjoint(pool: Kernel, x: Tensor, g: Tensor) -> Tensor:
    """The adjoint of a pooling, which is linear around `x`, at `g`; nothing comes from where the result is NaN."""
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        y = pool(x)
        return torch.autograd.grad(y, x, torch.where(y == y, g, 0), create_graph=g.requires_grad)[0]


@floats_only
def max_pool_grad(x: Tensor, g: Tensor, window: Ints, strides: Ints, padding: str) -> Tensor:
    """`g`, of the shape of the result, sent to the first maximum of each window of `x`."""
    if not (x.numel() and g.numel()):
        return g.new_zeros(x.shape)
    x, g = x.movedim(-1, 1), g.movedim(-1, 1)
    geometry = place_of(x.shape[2:], window, strides, padding)
    if any(geometry.library_pads) or geometry.more:
        # an infinite one is no larger than padding, and of equals PyTorch may take that
        x = geometry.padding(x.clamp(min=torch.finfo(x.dtype).min), _NOTHING)
    return geometry.crop(_adjoint(lambda x: MAX[len(window)](x, window, strides, geometry.library_pads), x, g))


@floats_only
def max_pool_select(x: Tensor, v: Tensor, window: Ints, strides: Ints, padding: str) -> Tensor:
    """`v`, of the shape of `x`, read at the first maximum of each window of `x`: the adjoint of `max_pool_grad`."""
    geometry = place_of(x.shape[1:-1], window, strides, padding)
    g = v.new_zeros(x.shape[:1] + geometry.out + x.shape[-1:])
    if not (x.numel() and g.numel()):
        return g
    with torch.enable_grad():
        sent = max_pool_grad(x, g.requires_grad_(), window, strides, padding)
        return torch.autograd.grad(sent, g, v, create_graph=v.requires_grad)[0]


@floats_only
def avg_pool(x: Tensor, window: Ints, strides: Ints, padding: str) -> Tensor:
    """The mean of the real entries of each window."""
    x = x.movedim(-1, 1)
    geometry, pool = place_of(x.shape[2:], window, strides, padding), _AVERAGE[len(window)]
    if not (x.numel() and geometry.positions):
        return x.new_zeros(x.shape[:1] + geometry.out + x.shape[1:2])
    # PyTorch's gradient is wrong on a GPU where the channels are the last axis in memory and padding is not counted.
    padded = geometry.padding(x) if x.is_cpu else geometry.padding(x).contiguous()
    means: Tensor = pool(padded, window, strides, geometry.library_pads, count_include_pad=False)
    if geometry.more:
        means = means / pool(geometry.padding(x.new_ones((1, 1) + x.shape[2:])), window, strides)
    return means.movedim(1, -1)


@floats_only
def avg_pool_grad(g: Tensor, shape: Sizes, window: Ints, strides: Ints, padding: str) -> Tensor:
    """The adjoint of the average pooling of an array of `shape`."""
    x = g.new_zeros(sizes(shape))
    return _adjoint(lambda x: avg_pool(x, window, strides, padding), x, g) if g.numel() else x


PRIMITIVES: Dict[str, Kernel] = {
    f.__name__: f for f in (max_pool, max_pool_grad, max_pool_select, avg_pool, avg_pool_grad)
}
PRIMITIVES.update(_convolutions('conv', depthwise=False))
PRIMITIVES.update(_convolutions('depthwise_conv', depthwise=True))


# -- float32 on a GPU --------------------------------------------------------------------------------------------------
# Convolutions of a GPU in float32.
#
# cuDNN may round the factors of float32 to 10 bits (TF32), and PyTorch lets it do so for convolutions. Results then
# have three digits. The engine takes all 24 bits, unless the program has allowed less for products of matrices:
# `torch.set_float32_matmul_precision('high')`.


_cudnn: Any = torch.backends.cudnn
_lock, _inside, _before = Lock(), 0, None


def _precision(value: Any = None) -> Any:
    """What cuDNN may do in a convolution, after it is set to `value`. PyTorch 2.9 has a new name for it."""
    owner, name = (_cudnn.conv, 'fp32_precision') if hasattr(_cudnn, 'conv') else (_cudnn, 'allow_tf32')
    if value is not None:
        setattr(owner, name, value)
    return getattr(owner, name)


@contextmanager
def full_precision(x: Tensor) -> Iterator[None]:
    """Convolutions of `x` in this block are computed in its dtype."""
    global _inside, _before
    if x.device.type != 'cuda' or x.dtype != torch.float32 or torch.get_float32_matmul_precision() != 'highest':
        yield
        return
    # The setting belongs to the process: the first of several threads changes it, and the last one restores it.
    with _lock:
        if not _inside:
            _before = _precision()
            _precision('ieee' if hasattr(_cudnn, 'conv') else False)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _precision(_before)
