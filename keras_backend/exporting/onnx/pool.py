"""Poolings and their gradients as operators of ONNX. K has channels last, ONNX has them first."""

from typing import Any

from ...basics.dtypes import is_float, lowest
from ...graph.nodes.tensor import Node
from . import convolutions
from .writer import Name, Writer


def _windows(node: Node, sizes: Any) -> convolutions.Windows:
    window = node.attrs['window']
    return convolutions.Windows(sizes, window, node.attrs['strides'], node.attrs['padding'], [1] * len(window))


@convolutions.lowers_windows('max_pool')
def max_pool(w: Writer, node: Node, x: Name) -> Name:
    at = _windows(node, node.inputs[0].dims[1:-1])
    if node.dtype == 'bool':
        return w.cast(convolutions.channels_last(w, _largest(w, w.cast(x, 'int32'), at, 'int32'), at.rank), 'bool')
    if not is_float(node.dtype):
        return convolutions.channels_last(w, _largest(w, x, at, node.dtype), at.rank)
    first = at.within(w, convolutions.channels_first(w, x, at.rank), w.constant(lowest(node.dtype), node.dtype))
    maxima = w.op('MaxPool', first, kernel_shape=at.window, strides=at.strides, **at.attributes())
    return convolutions.channels_last(w, maxima, at.rank)


def _largest(w: Writer, x: Name, at: convolutions.Windows, dtype: str) -> Name:
    """The pooling of integers, which onnxruntime does not have."""
    x = convolutions.padded(w, convolutions.channels_first(w, x, at.rank), at, w.constant(lowest(dtype), dtype))
    return w.op('Max', *[convolutions.met(w, x, at, offset) for offset in convolutions.offsets(at)])


class _FirstMaxima:
    """The places of the first maxima of the windows of `x`, in the memory of `x` with its channels first and padded."""

    def __init__(self, w: Writer, node: Node, x: Name) -> None:
        self.w, self.at = w, _windows(node, node.inputs[0].dims[1:-1])
        self.is_padded = self.at.needs_pads
        dtype = node.inputs[0].dtype
        plain = convolutions.channels_first(w, x, self.at.rank)
        self.sizes = convolutions.spatial_sizes(w, plain, self.at.rank)
        self.before = self.at.pads(w, self.sizes)[0] if self.is_padded else ''
        self.pad = convolutions.Windows(
            self.at.sizes, self.at.window, self.at.strides, self.at.padding, self.at.dilation
        )
        self.first = self.at.within(w, plain, w.constant(lowest(dtype), dtype))
        shape = dict(kernel_shape=self.at.window, strides=self.at.strides)
        _top, self.places = w.ops('MaxPool', [self.first], 2, **shape, **self.at.attributes())

    def padded(self, v: Name, dtype: str) -> Name:
        """Another tensor of the shape of `x`, laid out as it is."""
        v = convolutions.channels_first(self.w, v, self.at.rank)
        return convolutions.padded(self.w, v, self.pad, self.w.constant(0, dtype)) if self.is_padded else v

    def real(self, made: Name) -> Name:
        """What has that layout without its pads, channels last."""
        w, rank = self.w, self.at.rank
        if self.is_padded:
            ends = w.op('Add', self.before, self.sizes)
            made = w.op('Slice', made, self.before, ends, w.ints(*range(2, rank + 2)))
        return convolutions.channels_last(w, made, rank)


@convolutions.lowers_windows('max_pool_grad')
def max_pool_grad(w: Writer, node: Node, x: Name, g: Name) -> Name:
    maxima = _FirstMaxima(w, node, x)
    first, indices = maxima.first, maxima.places
    every = w.ints(-1)
    # onnxruntime adds up no halves at places
    dtype = 'float32' if node.dtype == 'float16' else node.dtype
    g = w.cast(g, dtype) if dtype != node.dtype else g
    zeros = w.op('Expand', w.constant(0, dtype), w.op('Reshape', w.op('Size', first), w.ints(1)))
    updates = w.op('Reshape', convolutions.channels_first(w, g, maxima.at.rank), every)
    gradient = w.op('ScatterElements', zeros, w.op('Reshape', indices, every), updates, axis=0, reduction='add')
    gradient = w.cast(gradient, node.dtype) if dtype != node.dtype else gradient
    return maxima.real(w.op('Reshape', gradient, w.op('Shape', first), allowzero=1))


@convolutions.lowers_windows('max_pool_select')
def max_pool_select(w: Writer, node: Node, x: Name, v: Name) -> Name:
    maxima = _FirstMaxima(w, node, x)
    flat = w.op('Reshape', maxima.padded(v, node.dtype), w.ints(-1))
    return convolutions.channels_last(w, w.op('Gather', flat, maxima.places, axis=0), maxima.at.rank)


@convolutions.lowers_windows('avg_pool')
def avg_pool(w: Writer, node: Node, x: Name) -> Name:
    at = _windows(node, node.inputs[0].dims[1:-1])
    first = convolutions.channels_first(w, x, at.rank)
    if node.dtype != 'float64' and not at.needs_pads:
        average = w.op('AveragePool', first, kernel_shape=at.window, strides=at.strides, **at.attributes())
        return convolutions.channels_last(w, average, at.rank)
    # what AveragePool of onnxruntime cannot do: sums over numbers of entries
    ones = w.constant(1, node.dtype)
    kernel = w.op('Expand', ones, w.ints(1, 1, *at.window))
    folded = _folded(w, first)
    total = convolutions.correlated(w, folded, kernel, at, node.dtype)
    mean = w.op('Div', total, _met_by(w, folded, kernel, at, node.dtype))
    return convolutions.channels_last(w, _unfolded(w, mean, first), at.rank)


@convolutions.lowers_windows('avg_pool_grad')
def avg_pool_grad(w: Writer, node: Node, *xs: Name) -> Name:
    at = _windows(node, node.dims[1:-1])
    rank = at.rank
    sizes, counts = convolutions.of_input(w, node, xs, at)
    one = w.constant(1, node.dtype)
    kernel = w.op('Expand', one, w.ints(1, 1, *at.window))
    whole = w.op('Expand', one, w.op('Concat', w.ints(1, 1), sizes, axis=0))
    first = convolutions.channels_first(w, xs[0], rank)
    share = w.op('Div', _folded(w, first), _met_by(w, whole, kernel, at, node.dtype))
    gradient = convolutions.transposed(w, share, kernel, at, sizes, counts, node.dtype)
    return convolutions.channels_last(w, _unfolded(w, gradient, first), rank)


def _met_by(w: Writer, x: Name, kernel: Name, at: convolutions.Windows, dtype: str) -> Name:
    """How many real entries each window of `x` meets."""
    ones = w.op('Expand', w.constant(1, dtype), w.op('Shape', x))
    return convolutions.correlated(w, ones, kernel, at, dtype)


def _folded(w: Writer, x: Name) -> Name:
    """(batch, channels, spatial...) as (batch and channels, 1, spatial...)."""
    return w.unsqueeze(convolutions.joined(w, x, 0), 1)


def _unfolded(w: Writer, x: Name, like: Name) -> Name:
    """The other way round, with batch and channels of `like`."""
    lead = w.slice(w.op('Shape', like), 0, 0, 2)
    shape = w.op('Concat', lead, w.slice(w.op('Shape', x), 0, 2), axis=0)
    return w.op('Reshape', x, shape, allowzero=1)
