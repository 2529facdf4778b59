"""Convolutions and average pooling."""

from typing import Dict, List, Tuple

import numpy as np

from ....basics import shapes
from ....graph.nodes.tensor import Node
from ....kernels.common import Array, Ints
from ..graph import Builder, Fits, GivenShape, Graph, Known, Symbol, Unfit, sizes
from ..vendor import cntk_py

# -- convolutions ------------------------------------------------------------------------------------------------------
# Convolutions. CNTK wants (batch, channels, spatial...) with the batch as its batch axis, and K has the channels last.
#
# Its own 'same' padding differs from K's, so the zeros are put there by `pad`. The gradient of the kernel is NumPy's,
# ten times as fast; so is what CNTK's CPU code does not have: dilation, and groups in other than two dimensions.


def _first(rank: int) -> Ints:
    """The permutation that brings the channels before the spatial axes."""
    return (0, rank - 1) + tuple(range(1, rank - 1))


def _last(rank: int) -> Ints:
    return (0,) + tuple(range(2, rank)) + (1,)


def channels_first(g: Graph, x: Symbol) -> Symbol:
    return g.transpose(x, _first(len(x.shape)))


def channels_last(g: Graph, x: Symbol) -> Symbol:
    return g.transpose(x, _last(len(x.shape)))


def filters_first(g: Graph, kernel: Symbol) -> Symbol:
    """(spatial..., in, out) as CNTK's (out, in, spatial...)."""
    rank = len(kernel.shape)
    return g.transpose(kernel, (rank - 1, rank - 2) + tuple(range(rank - 2)))


def padding_of(x_shape: Ints, window: Ints, strides: Ints, padding: str) -> List[Tuple[int, int]]:
    """(before, after) for all axes of an array with the channels last."""
    spatial = [shapes.pads(padding, n, k, s) for n, k, s in zip(x_shape[1:-1], window, strides)]
    return [(0, 0)] + spatial + [(0, 0)]


def outputs_of(shape: Ints, window: Ints, strides: Ints, padding: str) -> Ints:
    return tuple([shapes.conv_output_length(n, k, s, padding) for n, k, s in zip(shape[1:-1], window, strides)])


def _convolved(g: Graph, x: Symbol, kernel: Symbol, strides: Ints, padding: str, groups: int, channels: int) -> Symbol:
    """The convolution of `x` with a kernel that has its filters first."""
    window = kernel.shape[2:]
    out = (x.shape[0], channels) + outputs_of(x.shape, window, strides, padding)
    if 0 in out:
        raise Unfit('CNTK has no empty tensors')
    x = channels_first(g, g.pad(x, padding_of(x.shape, window, strides, padding)))
    weights = g.variable(g.full(kernel))
    none = [False] * (len(window) + 1)
    y = g.on_batch(
        lambda v: cntk_py.convolution(weights, v, tuple(strides), [True], none, (1,), 1, groups, 0, False, ''), out, x
    )
    return channels_last(g, y)


def conv(g: Graph, x: Symbol, kernel: Symbol, strides: Ints, padding: str, dilation: Ints) -> Symbol:
    return _convolved(g, x, filters_first(g, kernel), strides, padding, 1, kernel.shape[-1])


def depthwise_conv(g: Graph, x: Symbol, kernel: Symbol, strides: Ints, padding: str, dilation: Ints) -> Symbol:
    rows, columns, channels, multiplier = kernel.shape
    kernel = g.reshape(g.transpose(kernel, (2, 3, 0, 1)), (channels * multiplier, 1, rows, columns))
    return _convolved(g, x, kernel, strides, padding, channels, channels * multiplier)


def conv_input_grad(
    g: Graph, gradient: Symbol, kernel: Symbol, shape: GivenShape, strides: Ints, padding: str, dilation: Ints
) -> Symbol:
    shape, window = sizes(shape), kernel.shape[:-2]
    pads = padding_of(shape, window, strides, padding)
    # what the windows of the convolution do not reach stays zero
    padded = [n + lo + hi for n, (lo, hi) in zip(shape, pads)][1:-1]
    weights = g.variable(filters_first(g, kernel))
    none, gradient = [False] * (len(window) + 1), channels_first(g, gradient)
    whole = (shape[-1],) + tuple(padded)
    y = g.on_batch(
        lambda v: cntk_py.convolution_transpose(weights, v, tuple(strides), [True], none, whole, (1,), 1, 0, ''),
        shape[:1] + whole,
        gradient,
    )
    for axis, (n, (lo, _hi)) in enumerate(zip(shape[1:-1], pads[1:-1])):
        y = g.slice(y, axis + 2, lo, lo + n)
    return channels_last(g, y)


BUILDERS: Dict[str, Builder] = {'conv': conv, 'depthwise_conv': depthwise_conv, 'conv_input_grad': conv_input_grad}


def _undilated(node: Node, known: Known) -> bool:
    return all([d == 1 for d in node.attrs['dilation']])


FITS: Dict[str, Fits] = {
    'conv': _undilated,
    'conv_input_grad': _undilated,
    'depthwise_conv': lambda node, known: _undilated(node, known) and len(node.dims) == 4,
}


# -- average pooling ---------------------------------------------------------------------------------------------------
# Average pooling: valid windows of CNTK over what `pad` puts around. Max pooling is NumPy's: CNTK's drops NaN.


def avg_pool(g: Graph, x: Symbol, window: Ints, strides: Ints, padding: str) -> Symbol:
    out = x.shape[:1] + x.shape[-1:] + outputs_of(x.shape, window, strides, padding)
    around = channels_first(g, g.pad(x, padding_of(x.shape, window, strides, padding)))
    none = [False] * (len(window) + 1)
    y = channels_last(
        g,
        g.on_batch(
            lambda v: cntk_py.pooling(
                v, cntk_py.PoolingType_Average, tuple(window), tuple(strides), none, False, False, ''
            ),
            out,
            around,
        ),
    )
    counts = _counts(x.shape[1:-1], window, strides, padding)
    if np.all(counts == shapes.product(window)):
        return y
    # the zeros around do not count
    return g.elementwise(cntk_py.element_times, y, g.known(shapes.product(window) / counts[..., None]))


def _counts(size: Ints, window: Ints, strides: Ints, padding: str) -> Array:
    """How many real entries every window meets."""
    counts = np.ones(())
    for n, k, s in zip(size, window, strides):
        lo = shapes.pads(padding, n, k, s)[0]
        first = np.arange(shapes.conv_output_length(n, k, s, padding)) * s - lo
        counts = counts[..., None] * (np.minimum(first + k, n) - np.maximum(first, 0))
    return counts


BUILDERS['avg_pool'] = avg_pool
