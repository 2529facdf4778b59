"""Convolution and pooling, channels last.

TensorFlow's own channels-first kernels exist on the CPU for some dtypes only and are slower there than the
transpositions that the front makes; on a GPU its graph optimiser removes these.
"""

from typing import Any, Callable, List, Sequence, Tuple

from ....basics import shapes
from ....basics.shapes import check_channels, known
from ..tensors.graph import describe
from ..tensors.reachable import filled, may_be_empty
from ..tensors.tensors import size_of, sizes, static_shape
from ..vendor import tf, tf2

_Function = Callable[[Any, str], Any]
# For each axis: the number of taps, the stride, the padding and the dilation.
_Geometry = List[Tuple[Any, int, str, int]]
_POOLS = {(2, 'max'): tf.nn.max_pool2d, (2, 'avg'): tf.nn.avg_pool2d, (3, 'avg'): tf.nn.avg_pool3d}


def _lengths(x: Any, taps: Any, strides: Any, padding: str, dilation: Any, what: str) -> List[Any]:
    """The spatial sizes of the result, None where unknown; a window that is too large for the input is refused."""
    return [
        shapes.conv_output_length(n, k, s, padding, d, f'{what} of {describe(x)}') if known(k) else None
        for n, k, s, d in zip(static_shape(x)[1:], taps, strides, dilation)
    ]


def _geometry(taps: Any, strides: Any, padding: str, dilation: Any) -> _Geometry:
    return [(k, s, padding, d) for k, s, d in zip(taps, strides, dilation)]


def _sized(y: Any, lengths: List[Any]) -> Any:
    """`y` with the sizes that TensorFlow loses where another one is unknown."""
    y.set_shape([None, *lengths, None])
    return y


def _nothing(x: Any, geometry: _Geometry, lengths: List[Any], channels: Any, *others: Any) -> Any:
    """The result for an input of no elements, of which TensorFlow's kernels give a wrong shape, or end the process."""
    extents = [_length_in_run(x, i, *axis) if n is None else n for i, (n, axis) in enumerate(zip(lengths, geometry), 1)]
    zeros = tf.zeros(tf.stack([size_of(x, 0), *extents, channels]), x.dtype)
    for source in (x, *others):
        zeros += tf.reduce_sum(source) * 0  # so that it has a gradient
    zeros.set_shape([static_shape(x)[0], *lengths, channels if known(channels) else None])
    return zeros


def _length_in_run(x: Any, axis: int, taps: Any, stride: int, padding: str, dilation: int) -> Any:
    """The size of an axis of the result as a tensor: none where the window does not fit."""
    n = size_of(x, axis)
    if padding != 'valid':
        return -(-n // stride)
    return tf.maximum((n - shapes.window(taps, dilation)) // stride + 1, 0)


def _taps(x: Any, kernel: Any) -> List[Any]:
    """The sizes of the window of a kernel that takes the channels of `x`."""
    # TensorFlow would take a kernel for fewer channels to mean groups of them.
    check_channels(static_shape(kernel)[-2], static_shape(x)[-1], static_shape(kernel), static_shape(x))
    return [size_of(kernel, axis) for axis in range(len(static_shape(kernel)) - 2)]


def _padded(x: Any, taps: Any, strides: Any, padding: str, dilation: Any, value: Any = 0) -> Any:
    """The input with the padding made explicit, so that padding 'valid' is what remains to be done."""
    pairs: List[Any] = [(0, 0)]
    for i, (k, s, d) in enumerate(zip(taps, strides, dilation), 1):
        before = after = None
        if known(k) or padding != 'same':
            before, after = shapes.pads(padding, static_shape(x)[i], k, s, d)
        if before is None:
            n = tf.shape(x)[i]
            total = tf.maximum((-(-n // s) - 1) * s + shapes.window(k, d) - n, 0)
            before, after = total // 2, total - total // 2
        pairs.append((before, after))
    return tf.pad(x, [*pairs, (0, 0)], constant_values=value)


def _apply(function: _Function, x: Any, taps: Any, strides: Any, padding: str, dilation: Any) -> Any:
    """`function(x, padding)`, with a result of no size where the window is larger than the input.

    TensorFlow's kernels for a CPU give a wrong shape there, or end the process. So the input is filled up to a
    size that the window fits in, and the result cut to what belongs to the input; nothing is done to an input
    that is large enough.
    """
    here = [size_of(x, i + 1) for i in range(len(taps))]
    spans = [shapes.window(k, d) for k, d in zip(taps, dilation)]
    if padding != 'valid' or all([known(n) and known(span) and n >= span for n, span in zip(here, spans)]):
        return function(x, padding.upper())
    pairs, lengths = [(0, 0)], []
    for n, span, s in zip(here, spans, strides):
        most = max if known(n) and known(span) else tf.maximum
        pairs.append((0, most(span - n, 0)))
        lengths.append(slice(None, most((n - span) // s + 1, 0)))
    return function(tf.pad(x, [*pairs, (0, 0)]), 'VALID')[(slice(None), *lengths)]


def _filled(function: _Function) -> _Function:
    """`function(x, padding)`, which then never gets an `x` that an operation of the graph has left empty."""

    def of_any(x: Any, padding: str) -> Any:
        if not may_be_empty(x):
            return function(x, padding)
        return filled(lambda full: function(full, padding), x, range(len(static_shape(x)) - 1))

    return of_any


def _thinned(y: Any, strides: Sequence[int]) -> Any:
    """The entries that the strides leave of a result made with strides of 1."""
    return y[(slice(None), *[slice(None, None, s) for s in strides])]


def conv(x: Any, kernel: Any, *, strides: Any, padding: str, dilation: Any) -> Any:
    taps = _taps(x, kernel)
    lengths = _lengths(x, taps, strides, padding, dilation, 'a convolution')
    if 0 in static_shape(x):
        return _nothing(x, _geometry(taps, strides, padding, dilation), lengths, static_shape(kernel)[-1], kernel)
    # Not both in one on the CPU.
    both = max(strides) > 1 and max(dilation) > 1
    # Dilation beside padding needs a kernel of known size there.
    if both or padding == 'causal' or (padding == 'same' and max(dilation) > 1 and not all(map(known, taps))):
        x, padding = _padded(x, taps, strides, padding, dilation), 'valid'
    steps = (1,) * len(taps) if both else strides

    @_filled
    def convolve(x: Any, padding: str) -> Any:
        return tf2.nn.convolution(x, kernel, list(steps), padding, dilations=list(dilation))

    y = _apply(convolve, x, taps, steps, padding, dilation)
    return _sized(_thinned(y, strides) if both else y, lengths)


def _at_least(least: int, size: Any) -> Any:
    """A size that only the run knows; a smaller one is an error, where it would end the process."""
    with tf.control_dependencies([tf.fill([tf.clip_by_value(size, -1, 1) - least], True)]):
        return tf.identity(size)


def conv_input_grad(g: Any, kernel: Any, shape: Any, *, strides: Any, padding: str, dilation: Any) -> Any:
    known_sizes = [n if known(n) else None for n in shape]
    least = int(padding == 'valid')
    shape = [shape[0], *[n if known(n) else _at_least(least, n) for n in shape[1:-1]], shape[-1]]
    if may_be_empty(g):
        # The kernel of the gradient of this one is that of a convolution.
        def of_rows(g: Any) -> Any:
            full = [tf.shape(g)[0], *shape[1:]]
            return conv_input_grad(g, kernel, full, strides=strides, padding=padding, dilation=dilation)

        y = filled(of_rows, g, [0])
    elif max(dilation) == 1:
        adjoint = tf.nn.conv2d_transpose if len(shape) == 4 else tf.nn.conv3d_transpose
        y = adjoint(g, kernel, sizes(shape), (1, *strides, 1), padding.upper())
    else:
        # TensorFlow has no such function with strides or unequal rates, but it has the gradient, which is the same.
        # Of the convolution itself nothing is computed.
        source = tf.zeros(sizes(shape), g.dtype)
        source.set_shape(known_sizes)
        y = tf.gradients(conv(source, kernel, strides=strides, padding=padding, dilation=dilation), [source], [g])[0]
    y.set_shape(known_sizes)
    return y


def depthwise_conv(x: Any, kernel: Any, *, strides: Any, padding: str, dilation: Any) -> Any:
    taps = _taps(x, kernel)
    lengths = _lengths(x, taps, strides, padding, dilation, 'a convolution')
    if 0 in static_shape(x):
        filters = [size_of(kernel, axis) for axis in (-2, -1)]
        return _nothing(x, _geometry(taps, strides, padding, dilation), lengths, filters[0] * filters[1], kernel)
    # The kernels know neither unequal strides nor strides beside dilation.
    thin = strides[0] != strides[1] or (max(strides) > 1 and max(dilation) > 1)
    steps = strides
    if thin:
        x, padding, steps = _padded(x, taps, strides, padding, dilation), 'valid', (1, 1)

    @_filled
    def convolve(x: Any, padding: str) -> Any:
        return tf.nn.depthwise_conv2d(x, kernel, (1, *steps, 1), padding, rate=dilation)

    y = _apply(convolve, x, taps, steps, padding, dilation)
    return _sized(_thinned(y, strides) if thin else y, lengths)


def max_pool(x: Any, *, window: Any, strides: Any, padding: str) -> Any:
    if len(window) == 2 or 0 in static_shape(x):
        return _pooled('max', x, window, strides, padding)
    # The kernel in 3-D sends the gradient to each of equal elements, save where oneDNN takes its place. So the images
    # are pooled, and then along the depth. The first of equal elements is then the first in the volume.
    lengths = _lengths(x, window, strides, padding, (1,) * 3, 'a pooling')
    samples, depth, height, width, channels = [size_of(x, axis) for axis in range(5)]
    images = tf.reshape(x, sizes([samples * depth, height, width, channels]))
    images = _pooled('max', images, window[1:], strides[1:], padding)
    height, width = size_of(images, 1), size_of(images, 2)
    columns = tf.reshape(images, sizes([samples, depth, height * width, channels]))
    columns = _pooled('max', columns, (window[0], 1), (strides[0], 1), padding)
    y = tf.reshape(columns, sizes([samples, size_of(columns, 1), height, width, channels]))
    y.set_shape([static_shape(x)[0], *lengths, static_shape(x)[-1]])
    return y


@tf.RegisterGradient('KerasBackendMaxPoolGrad')
def _gradient_of_max_pool_grad(op: Any, g: Any) -> List[Any]:
    """`g` at the largest element of each window.

    The kernel writes its result into the memory of `g` where both have one size, before it has read `g`, and gives
    zeros. Padding that is made before makes `g` larger than the result.
    """
    x, y = op.inputs[:2]
    window, strides = op.get_attr('ksize'), op.get_attr('strides')
    geometry = window[1:3], strides[1:3], 'same', (1, 1)
    nothing = [tf.zeros_like(x), tf.zeros_like(y)]
    if set(window) == {1}:
        return [*nothing, _thinned(g, strides[1:3])]
    if op.get_attr('padding') == b'SAME':
        x, g = _padded(x, *geometry, x.dtype.min), _padded(g, *geometry)
    return [
        *nothing,
        tf.raw_ops.MaxPoolGradGrad(orig_input=x, orig_output=y, grad=g, ksize=window, strides=strides, padding='VALID'),
    ]


def avg_pool(x: Any, *, window: Any, strides: Any, padding: str) -> Any:
    return _pooled('avg', x, window, strides, padding)


def _pooled(mode: str, x: Any, window: Any, strides: Any, padding: str) -> Any:
    rank, dtype = len(window), x.dtype
    lengths = _lengths(x, window, strides, padding, (1,) * rank, 'a pooling')
    if 0 in static_shape(x):
        return _nothing(x, _geometry(window, strides, padding, (1,) * rank), lengths, static_shape(x)[-1])
    if rank == 3 and dtype == tf.float16:
        # In 3-D there is no kernel in half precision; single precision holds all of its numbers.
        x = tf.cast(x, tf.float32)

    def pool(x: Any, padding: str) -> Any:
        return _POOLS[rank, mode](x, list(window), list(strides), padding)

    # Those of an average can take no rows.
    y = _sized(_apply(_filled(pool) if mode == 'max' else pool, x, window, strides, padding, (1,) * rank), lengths)
    return y if y.dtype == dtype else tf.cast(y, dtype)
