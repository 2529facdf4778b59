"""Convolution and pooling, channels last, any number of spatial axes.

Three primitives of a convolution are closed under differentiation: the convolution, its gradient with respect to the
input (which is the transposed convolution) and its gradient with respect to the kernel. So are max pooling, its
gradient, and reading at the places of the maxima; and average pooling and its adjoint.
"""

from typing import List, Sequence

from ...basics import shapes
from ...errors import ShapeError
from ..nodes.base import MaybeSize, Size, known
from ..nodes.op import OPS, AllPrimitives, GivenShape, Gradients, Inferred, Inputs, Ints, MaybeDims, gradient, op
from ..nodes.tensor import Attrs, Tensor
from .gradients import shape_of
from .shape import entries


def _windows(x: Tensor, window: Sequence[Size], strides: Ints, padding: str, dilation: Ints, what: str) -> MaybeDims:
    """The spatial sizes of what windows over `x` result in."""
    out: List[MaybeSize] = []
    for i, (n, k, s, d) in enumerate(zip(x.dims[1:-1], window, strides, dilation)):
        if known(n) and known(k):
            try:
                out.append(shapes.conv_output_length(n, k, s, padding, d))
            except ValueError:
                raise ShapeError(
                    'The {} window of {}{} does not fit axis {} of {} (shape {}) with padding {!r}.'.format(
                        what, k, f' with dilation {d}' if d > 1 else '', i + 1, x.name, x.shape, padding
                    )
                ) from None
        else:
            out.append(n if padding != 'valid' and s == 1 else None)
    return tuple(out)


def _channels(x: Tensor, kernel: Tensor, depthwise: bool = False) -> None:
    """Refuse a kernel that does not fit `x`."""
    c, k = x.dims[-1], kernel.dims[-2]
    if known(c) and known(k) and c != k:
        raise ShapeError(
            f'{x.name} of shape {x.shape} has {c} channels, but the kernel {kernel.name} of shape {kernel.shape} takes '
            f'{k}.'
        )
    if len(x.dims) != len(kernel.dims):
        raise ShapeError(
            f'The kernel {kernel.name} of shape {kernel.shape} does not fit {x.name} of shape {x.shape}: it needs '
            f'{len(x.dims)} axes.'
        )


@op()
def conv(x: Tensor, kernel: Tensor, strides: Ints, padding: str, dilation: Ints) -> Inferred:
    _channels(x, kernel)
    return x.dims[:1] + _windows(x, kernel.dims[:-2], strides, padding, dilation, 'convolution') + kernel.dims[
        -1:
    ], x.dtype


@op(sizes=('shape',))
def conv_input_grad(
    g: Tensor, kernel: Tensor, shape: GivenShape, strides: Ints, padding: str, dilation: Ints
) -> Inferred:
    dims = entries(shape)
    return (dims if known(dims[0]) else g.dims[:1] + tuple(dims[1:])), g.dtype


@op(sizes=('window',))
def conv_kernel_grad(x: Tensor, g: Tensor, window: GivenShape, strides: Ints, padding: str, dilation: Ints) -> Inferred:
    return entries(window) + (x.dims[-1], g.dims[-1]), x.dtype


@op()
def depthwise_conv(x: Tensor, kernel: Tensor, strides: Ints, padding: str, dilation: Ints) -> Inferred:
    _channels(x, kernel)
    c, m = kernel.dims[-2:]
    return x.dims[:1] + _windows(x, kernel.dims[:-2], strides, padding, dilation, 'convolution') + (
        c * m if known(c) and known(m) else None,
    ), x.dtype


@op(sizes=('shape',))
def depthwise_conv_input_grad(
    g: Tensor, kernel: Tensor, shape: GivenShape, strides: Ints, padding: str, dilation: Ints
) -> Inferred:
    return entries(shape), g.dtype


@op(sizes=('window',))
def depthwise_conv_kernel_grad(
    x: Tensor, g: Tensor, window: GivenShape, strides: Ints, padding: str, dilation: Ints
) -> Inferred:
    c, o = x.dims[-1], g.dims[-1]
    return entries(window) + (c, o // c if known(c) and known(o) else None), x.dtype


def _pooled(x: Tensor, window: Ints, strides: Ints, padding: str) -> Inferred:
    return x.dims[:1] + _windows(x, window, strides, padding, (1,) * len(window), 'pooling') + x.dims[-1:], x.dtype


@op()
def max_pool(x: Tensor, window: Ints, strides: Ints, padding: str) -> Inferred:
    return _pooled(x, window, strides, padding)


@gradient
def gradient_of_max_pool(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    return (F.max_pool_grad(inputs[0], g, **attrs),)


@op()
def max_pool_grad(x: Tensor, g: Tensor, window: Ints, strides: Ints, padding: str) -> Inferred:
    """`g` sent to the first maximum of each window of `x`."""
    return x.dims, g.dtype


@gradient
def gradient_of_max_pool_grad(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, h: Tensor) -> Gradients:
    return None, F.max_pool_select(inputs[0], h, **attrs)


@op()
def max_pool_select(x: Tensor, v: Tensor, window: Ints, strides: Ints, padding: str) -> Inferred:
    """`v`, of the shape of `x`, read at the first maximum of each window of `x`."""
    return _pooled(x, window, strides, padding)[0], v.dtype


@gradient
def gradient_of_max_pool_select(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, h: Tensor) -> Gradients:
    return None, F.max_pool_grad(inputs[0], h, **attrs)


@op()
def avg_pool(x: Tensor, window: Ints, strides: Ints, padding: str) -> Inferred:
    return _pooled(x, window, strides, padding)


@gradient
def gradient_of_avg_pool(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
    return (F.avg_pool_grad(g, shape_of(F, inputs[0]), **attrs),)


@op(sizes=('shape',))
def avg_pool_grad(g: Tensor, shape: GivenShape, window: Ints, strides: Ints, padding: str) -> Inferred:
    return entries(shape), g.dtype


@gradient
def gradient_of_avg_pool_grad(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, h: Tensor) -> Gradients:
    geometry = {name: attrs[name] for name in ('window', 'strides', 'padding')}
    return (F.avg_pool(h, **geometry),) + (None,) * (len(inputs) - 1)


def _geometry(attrs: Attrs) -> Attrs:
    return {name: attrs[name] for name in ('strides', 'padding', 'dilation')}


def _closed(prefix: str) -> None:
    """Declare the gradients of a convolution and of its two gradients, each in terms of the others."""
    forward, to_input, to_kernel = prefix, prefix + '_input_grad', prefix + '_kernel_grad'

    def of_forward(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, g: Tensor) -> Gradients:
        x, kernel = inputs
        return (
            lambda: getattr(F, to_input)(g, kernel, shape_of(F, x), **_geometry(attrs)),
            lambda: getattr(F, to_kernel)(x, g, _window(F, kernel), **_geometry(attrs)),
        )

    def of_input_grad(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, h: Tensor) -> Gradients:
        g, kernel = inputs[:2]
        return (
            lambda: getattr(F, forward)(h, kernel, **_geometry(attrs)),
            lambda: getattr(F, to_kernel)(h, g, _window(F, kernel), **_geometry(attrs)),
        ) + (None,) * (len(inputs) - 2)

    def of_kernel_grad(F: AllPrimitives, inputs: Inputs, output: Tensor, attrs: Attrs, h: Tensor) -> Gradients:
        x, g = inputs[:2]
        return (
            lambda: getattr(F, to_input)(g, h, shape_of(F, x), **_geometry(attrs)),
            lambda: getattr(F, forward)(x, h, **_geometry(attrs)),
        ) + (None,) * (len(inputs) - 2)

    OPS[forward].gradient, OPS[to_input].gradient, OPS[to_kernel].gradient = of_forward, of_input_grad, of_kernel_grad


def _window(F: AllPrimitives, kernel: Tensor) -> GivenShape:
    """The spatial sizes of a kernel."""
    window = kernel.dims[:-2]
    if all(known(k) for k in window):
        return window
    return F.getitem(F.shape(kernel), spec=(('slice', None, len(window), None),))


_closed('conv')
_closed('depthwise_conv')
