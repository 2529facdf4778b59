"""Convolutions and poolings, channels last, in operations of TensorFlow."""

from itertools import product as combinations
from typing import Any, Dict, List, Tuple

from ...basics import shapes
from .itself import tf
from .primitives import Kernel, _wide, adjoint

Ints = Tuple[int, ...]
_POOLS = {1: tf.nn.avg_pool1d, 2: tf.nn.avg_pool2d, 3: tf.nn.avg_pool3d}
_MAX_POOLS = {1: tf.nn.max_pool1d, 2: tf.nn.max_pool2d, 3: tf.nn.max_pool3d}


def _padded(x: Any, window: Ints, strides: Ints, padding: str, dilation: Ints, value: Any = 0) -> Any:
    """`x` with the padding made explicit."""
    pairs: List[Any] = [(0, 0)]
    for axis, (k, s, d) in enumerate(zip(window, strides, dilation), 1):
        before, after = shapes.pads(padding, x.shape.as_list()[axis], k, s, d)
        if before is None:
            n = tf.shape(x)[axis]
            total = tf.maximum((-(-n // s) - 1) * s + shapes.window(k, d) - n, 0)
            before, after = total // 2, total - total // 2
        pairs.append((before, after))
    return tf.pad(x, [*pairs, (0, 0)], constant_values=value)


def _thinned(y: Any, strides: Ints) -> Any:
    return y[(slice(None), *[slice(None, None, s) for s in strides])]


def _fitted(function: Kernel, x: Any, window: Ints, strides: Ints, padding: str, dilation: Ints) -> Any:
    """`function(x)`, with a result of no size where the window is larger than the input.

    TensorFlow gives a wrong shape there. So the input is filled up to the window, and the result is cut.
    """
    spans = [shapes.window(k, d) for k, d in zip(window, dilation)]
    here = x.shape.as_list()[1:-1]
    if padding != 'valid' or all([n is not None and n >= span for n, span in zip(here, spans)]):
        return function(x)
    pairs: List[Any] = [(0, 0)]
    lengths = []
    for axis, (span, stride) in enumerate(zip(spans, strides), 1):
        n = tf.shape(x)[axis]
        pairs.append((0, tf.maximum(span - n, 0)))
        lengths.append(slice(None, tf.maximum((n - span) // stride + 1, 0)))
    return function(tf.pad(x, [*pairs, (0, 0)]))[(slice(None), *lengths)]


def _convolved(
    convolve: Kernel, x: Any, kernel: Any, strides: Ints, padding: str, dilation: Ints, is_thinned: bool
) -> Any:
    """`convolve(x, strides, padding)`. is_thinned: strides of 1 take its place, and what is between is left out."""
    window: Ints = tuple(kernel.shape.as_list()[:-2])
    steps = (1,) * len(window) if is_thinned else strides
    if is_thinned or padding == 'causal':
        x, padding = _padded(x, window, strides, padding, dilation), 'valid'
    y = _fitted(lambda x: convolve(x, steps, padding.upper()), x, window, steps, padding, dilation)
    return _thinned(y, strides) if is_thinned else y


def conv(x: Any, kernel: Any, strides: Ints, padding: str, dilation: Ints) -> Any:
    """A convolution."""

    def convolve(x: Any, steps: Ints, padding: str) -> Any:
        return tf.nn.convolution(x, kernel, list(steps), padding, dilations=list(dilation))

    # TensorFlow has no kernels for strides beside dilation on the CPU.
    return _convolved(convolve, x, kernel, strides, padding, dilation, max(strides) > 1 and max(dilation) > 1)


def depthwise_conv(x: Any, kernel: Any, strides: Ints, padding: str, dilation: Ints) -> Any:
    """Each channel of `x` with its kernels."""

    def convolve(x: Any, steps: Ints, padding: str) -> Any:
        return tf.nn.depthwise_conv2d(x, kernel, (1, *steps, 1), padding, dilations=list(dilation))

    is_thinned = len(set(strides)) > 1 or (max(strides) > 1 and max(dilation) > 1)
    return _convolved(convolve, x, kernel, strides, padding, dilation, is_thinned)


def _with_gradients(name: str, function: Kernel, depthwise: bool) -> Dict[str, Kernel]:
    def of_input(g: Any, kernel: Any, shape: Any, **how: Any) -> Any:
        def convolve(x: Any) -> Any:
            x.set_shape([None] * (kernel.shape.rank - 1) + [kernel.shape.as_list()[-2]])
            return function(x, kernel, **how)

        return adjoint(convolve, shape, g)

    def of_kernel(x: Any, g: Any, window: Any, **how: Any) -> Any:
        channels, width = x.shape.as_list()[-1], g.shape.as_list()[-1]
        ends = [channels, width // channels] if depthwise else [channels, width]
        sizes = list(window) if isinstance(window, tuple) else tf.get_static_value(window).tolist()
        return adjoint(lambda kernel: function(x, kernel, **how), (*sizes, *ends), g)

    kernels: Dict[str, Kernel] = {name: function, name + '_input_grad': of_input, name + '_kernel_grad': of_kernel}
    return {key: _wide(kernel) for key, kernel in kernels.items()}


# -- pooling -------------------------------------------------------------------------------------------------------
def _pooled(pool: Kernel, x: Any, window: Ints, strides: Ints, padding: str) -> Any:
    def of_all(x: Any) -> Any:
        return pool(x, list(window), list(strides), padding.upper())

    return _fitted(of_all, x, window, strides, padding, (1,) * len(window))


def max_pool(x: Any, window: Ints, strides: Ints, padding: str) -> Any:
    """The maximum of each window."""
    if not x.dtype.is_floating:
        return tf.cast(max_pool(tf.cast(x, tf.float64), window, strides, padding), x.dtype)
    return _pooled(_MAX_POOLS[len(window)], x, window, strides, padding)


def _avg_pool(x: Any, window: Ints, strides: Ints, padding: str) -> Any:
    return _pooled(_POOLS[len(window)], x, window, strides, padding)


def _avg_pool_grad(g: Any, shape: Any, window: Ints, strides: Ints, padding: str) -> Any:
    def pool(x: Any) -> Any:
        x.set_shape([None] * (len(window) + 1) + [g.shape.as_list()[-1]])
        return _avg_pool(x, window, strides, padding)

    return adjoint(pool, shape, g)


class _Windows:
    """For each place of a window, the entries that it meets in an array with its padding."""

    def __init__(self, x: Any, window: Ints, strides: Ints, padding: str) -> None:
        self.strides, self.ones = strides, (1,) * len(window)
        self.how = window, strides, padding, self.ones
        self.top = max_pool(x, window, strides, padding)
        self.out = tf.unstack(tf.shape(self.top)[1:-1], len(window))
        self.offsets = list(combinations(*[range(k) for k in window]))

    def padded(self, x: Any, value: Any) -> Any:
        """`x` with `value` around it."""
        return _padded(x, *self.how, value)

    def piece(self, x: Any, offset: Ints) -> Any:
        """What the place at `offset` meets in a padded array."""
        axes = zip(offset, self.out, self.strides)
        return x[(slice(None), *[slice(o, o + (m - 1) * s + 1, s) for o, m, s in axes])]


def _first(x: Any, places: _Windows) -> List[Any]:
    """For each place of the window, where it holds the first maximum."""
    # an infinite one is no larger than padding
    around = places.padded(tf.maximum(x, x.dtype.min), float('-inf'))
    top = tf.maximum(places.top, x.dtype.min)
    left, masks = tf.ones(tf.shape(top), tf.bool), []
    for offset in places.offsets:
        here = tf.logical_and(left, tf.equal(places.piece(around, offset), top))
        left = tf.logical_and(left, tf.logical_not(here))
        masks.append(here)
    return masks


def max_pool_grad(x: Any, g: Any, window: Ints, strides: Ints, padding: str) -> Any:
    """`g`, of the shape of the result, sent to the first maximum of each window of `x`."""
    windows = _Windows(x, window, strides, padding)
    first = _first(x, windows)

    def read(v: Any) -> List[Any]:
        v.set_shape(x.shape)
        around = windows.padded(v, 0)
        return [windows.piece(around, offset) for offset in windows.offsets]

    source = tf.zeros(tf.shape(x), g.dtype)
    gradients = [tf.where(here, g, tf.zeros((), g.dtype)) for here in first]
    (gradient,) = tf.gradients(read(source), [source], gradients)
    return gradient


def max_pool_select(x: Any, v: Any, window: Ints, strides: Ints, padding: str) -> Any:
    """`v`, of the shape of `x`, read at the first maximum of each window of `x`."""
    windows = _Windows(x, window, strides, padding)
    around, zero = windows.padded(v, 0), tf.zeros((), v.dtype)
    read = [
        tf.where(here, windows.piece(around, offset), zero) for here, offset in zip(_first(x, windows), windows.offsets)
    ]
    return tf.add_n(read)


SPATIAL: Dict[str, Kernel] = {
    'max_pool': _wide(max_pool),
    'max_pool_grad': _wide(max_pool_grad),
    'max_pool_select': _wide(max_pool_select),
    'avg_pool': _wide(_avg_pool),
    'avg_pool_grad': _wide(_avg_pool_grad),
}
SPATIAL.update(_with_gradients('conv', conv, False))
SPATIAL.update(_with_gradients('depthwise_conv', depthwise_conv, True))
