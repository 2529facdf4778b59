"""Convolutions and their gradients as operators of ONNX. K has channels last, ONNX has them first."""

from typing import Any, List, Sequence, Tuple

from ...basics.shapes import conv_output_length
from ...graph.nodes.dims import known
from ...graph.nodes.tensor import Node
from .lowering import refuse, size_operand
from .windows import (
    Windows,
    channels_first,
    channels_last,
    correlated,
    joined,
    lowers_windows,
    met,
    offsets,
    padded,
    parted,
    transposed,
)
from .writer import Name, Writer


def _windows(node: Node, sizes: Sequence[Any], window: Sequence[Any]) -> Windows:
    if not all(map(known, window)):
        raise refuse(node, 'the sizes of the kernel are not known', 'Give the kernel a shape without None.')
    if 0 in window:
        raise refuse(node, 'the kernel has no entries', 'Give it a window of 1 or more along each axis.')
    attrs = node.attrs
    return Windows(sizes, list(window), attrs['strides'], attrs['padding'], attrs['dilation'])


def _channels(node: Node, count: Any) -> int:
    if not known(count):
        raise refuse(node, 'the number of channels is not known', 'Give the placeholder that number.')
    return int(count)


def _multiplied(w: Writer, kernel: Name, rank: int) -> Name:
    """The kernel of a depthwise convolution, (spatial..., channel, m), as (channel and m, 1, spatial...)."""
    turned = w.transpose(kernel, [rank, rank + 1, *range(rank)])
    sizes = w.slice(w.op('Shape', kernel), 0, 0, rank)
    return w.op('Reshape', turned, w.op('Concat', w.ints(-1, 1), sizes, axis=0))


@lowers_windows('conv')
def conv(w: Writer, node: Node, x: Name, kernel: Name) -> Name:
    given, of_kernel = node.inputs
    at = _windows(node, given.dims[1:-1], of_kernel.dims[:-2])
    rank = at.rank
    weights = w.transpose(kernel, [rank + 1, rank, *range(rank)])
    return channels_last(w, correlated(w, channels_first(w, x, rank), weights, at, node.dtype), rank)


@lowers_windows('depthwise_conv')
def depthwise_conv(w: Writer, node: Node, x: Name, kernel: Name) -> Name:
    given, of_kernel = node.inputs
    at = _windows(node, given.dims[1:-1], of_kernel.dims[:-2])
    groups = _channels(node, of_kernel.dims[-2] if known(of_kernel.dims[-2]) else given.dims[-1])
    first = channels_first(w, x, at.rank)
    made = correlated(w, first, _multiplied(w, kernel, at.rank), at, node.dtype, groups)
    return channels_last(w, made, at.rank)


def _counts(at: Windows, g: Any) -> List[Any]:
    """How many windows there are along each axis, as far as it is known."""
    axes = zip(at.sizes, at.window, at.strides, at.dilation, g.dims[1:-1])
    return [
        conv_output_length(n, k, s, at.padding, d) if known(n) else m if known(m) else None for n, k, s, d, m in axes
    ]


def _to_input(w: Writer, node: Node, xs: Tuple[Name, ...]) -> Tuple[Windows, Name, List[Any]]:
    """Of the gradient for an input: the windows, the spatial sizes of that input, and the numbers of windows."""
    g, kernel = node.inputs[:2]
    at = _windows(node, node.dims[1:-1], kernel.dims[:-2])
    if all(map(known, at.sizes)):
        sizes = w.ints(*at.sizes)
    else:
        sizes = w.slice(size_operand(w, node, xs, 'shape'), 0, 1, at.rank + 1)
    return at, sizes, _counts(at, g)


@lowers_windows('conv_input_grad')
def conv_input_grad(w: Writer, node: Node, *xs: Name) -> Name:
    at, sizes, counts = _to_input(w, node, xs)
    rank = at.rank
    weights = w.transpose(xs[1], [rank + 1, rank, *range(rank)])
    made = transposed(w, channels_first(w, xs[0], rank), weights, at, sizes, counts, node.dtype)
    return channels_last(w, made, rank)


@lowers_windows('depthwise_conv_input_grad')
def depthwise_conv_input_grad(w: Writer, node: Node, *xs: Name) -> Name:
    at, sizes, counts = _to_input(w, node, xs)
    kernel = node.inputs[1]
    groups = _channels(node, kernel.dims[-2] if known(kernel.dims[-2]) else node.dims[-1])
    weights = _multiplied(w, xs[1], at.rank)
    first = channels_first(w, xs[0], at.rank)
    made = transposed(w, first, weights, at, sizes, counts, node.dtype, groups)
    return channels_last(w, made, at.rank)


@lowers_windows('conv_kernel_grad')
def conv_kernel_grad(w: Writer, node: Node, *xs: Name) -> Name:
    """A product of matrices for each place of the window: a convolution with a window as large as `g` is slower."""
    at = _to_kernel(node)
    x, g = xs[:2]
    of_x, of_g = node.inputs[:2]
    channels, filters = _channels(node, of_x.dims[-1]), _channels(node, of_g.dims[-1])
    x = padded(w, x, at, w.constant(0, node.dtype), last=True)
    rows = w.op('Reshape', g, w.ints(-1, filters))
    parts = []
    for offset in offsets(at):
        seen = w.op('Reshape', met(w, x, at, offset, last=True), w.ints(-1, channels))
        if node.dtype == 'float64':
            parts.append(w.op('Einsum', seen, rows, equation='ab,ac->bc'))
        else:
            parts.append(w.op('MatMul', w.transpose(seen, [1, 0]), rows))
    whole = w.op('Concat', *[w.unsqueeze(part, 0) for part in parts], axis=0)
    return w.op('Reshape', whole, w.ints(*at.window, channels, filters))


@lowers_windows('depthwise_conv_kernel_grad')
def depthwise_conv_kernel_grad(w: Writer, node: Node, *xs: Name) -> Name:
    at = _to_kernel(node)
    rank = at.rank
    channels = _channels(node, node.inputs[0].dims[-1])
    x, g = [w.transpose(each, [rank + 1, 0, *range(1, rank + 1)]) for each in xs[:2]]
    x = padded(w, x, at, w.constant(0, node.dtype))
    if node.dtype == 'float64':
        return _place_by_place(w, at, x, parted(w, g, 0, channels))
    # a group for each channel, with the images as its channels
    x = w.unsqueeze(joined(w, x, 0), 0)
    made = w.op('Conv', x, g, strides=at.dilation, dilations=at.strides, group=channels)
    made = w.op('Reshape', _only_window(w, made, at), w.ints(channels, -1, *at.window))
    return w.transpose(made, [*range(2, rank + 2), 0, 1])


def _to_kernel(node: Node) -> Windows:
    return _windows(node, node.inputs[0].dims[1:-1], node.dims[:-2])


def _only_window(w: Writer, made: Name, at: Windows) -> Name:
    """Without entries beyond the window, which come of a rest that no window of the convolution met."""
    return w.op('Slice', made, w.ints(*[0] * at.rank), w.ints(*at.window), w.ints(*range(2, at.rank + 2)))


def _place_by_place(w: Writer, at: Windows, x: Name, g: Name) -> Name:
    """The gradient for a depthwise kernel of `x` (channel, batch, spatial...) and `g` (channel, m, batch, "
    "spatial...)."""
    letters = 'defghij'[: at.rank]
    equation = f'ab{letters},ab{letters}c->ac'
    # so that an empty batch needs no other order (see `windows`)
    g = w.transpose(g, [0, 2, *range(3, 3 + at.rank), 1])
    parts = [w.unsqueeze(w.op('Einsum', met(w, x, at, o), g, equation=equation), 0) for o in offsets(at)]
    whole = w.op('Concat', *parts, axis=0)
    sizes = w.slice(w.op('Shape', whole), 0, 1)
    return w.op('Reshape', whole, w.op('Concat', w.ints(*at.window), sizes, axis=0))
