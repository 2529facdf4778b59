"""Convolution and pooling. The kernels are channels last; channels first goes through a transposition.

TensorFlow's own channels-first kernels exist on the CPU for some dtypes only and are slower there than the
transpositions; on a GPU its graph optimiser removes these.
"""

from ... import config, shapes
from ...errors import ShapeError
from ...front.composed.sizes import moved
from ...shapes import check_channels, kernel_window, known, spatial
from ._convert import floating, is_tensor, operand, size, static_shape, together
from ._graph import describe
from ._library import tf, tf2
from .engine import composed
from .shape import size_of


class _Window:
    """The input of a convolution or pooling with its channels last, and its checked arguments."""

    def __init__(self, x, rank, strides, padding, data_format, dilation=1, kinds=('valid', 'same')):
        if len(static_shape(x)) != rank + 2:
            raise ShapeError(
                f'A {rank}-D convolution or pooling takes a tensor of rank {rank + 2}, got shape {static_shape(x)}.'
            )
        self.rank, self.name = rank, describe(x)
        self.first = config.normalize_data_format(data_format) == 'channels_first'
        self.padding = shapes.padding_name(padding, kinds)
        self.strides = spatial(strides, rank, 'strides')
        self.dilation = spatial(dilation, rank, 'dilation_rate')
        to_last, self._to_first = moved(rank + 2, self.first)
        self.x = x if to_last is None else tf.transpose(x, to_last)

    def back(self, y):
        """The result `y` in the data format that was asked for."""
        return y if self._to_first is None else tf.transpose(y, self._to_first)

    def check(self, taps, what='a convolution'):
        """Refuse a window that is too large for the input."""
        for n, k, s, d in zip(static_shape(self.x)[1:], taps, self.strides, self.dilation):
            shapes.conv_output_length(n, k, s, self.padding, d, f'{what} of {self.name}')

    def padded(self, taps):
        """The input with the padding made explicit, so that padding 'valid' is what remains to be done."""
        pairs = [(0, 0)]
        for i, (k, s, d) in enumerate(zip(taps, self.strides, self.dilation), 1):
            before, after = shapes.pads(self.padding, static_shape(self.x)[i], k, s, d)
            if before is None:
                n = tf.shape(self.x)[i]
                total = tf.maximum((-(-n // s) - 1) * s + shapes.window(k, d) - n, 0)
                before, after = total // 2, total - total // 2
            pairs.append((before, after))
        return tf.pad(self.x, pairs + [(0, 0)])

    def apply(self, function, x, taps, padding, strides):
        """`function(x, padding)`, with a result of no size where the window is larger than the input.

        TensorFlow's kernels for a CPU give a wrong shape there, or end the process. So the input is filled up to a
        size that the window fits in, and the result cut to what belongs to the input; nothing is done to an input
        that is large enough.
        """
        sizes = [size_of(x, i + 1) for i in range(self.rank)]
        spans = [shapes.window(k, d) for k, d in zip(taps, self.dilation)]
        if padding != 'valid' or all([known(n) and n >= span for n, span in zip(sizes, spans)]):
            return function(x, padding.upper())
        pairs, lengths = [(0, 0)], []
        for n, span, s in zip(sizes, spans, strides):
            most = max if known(n) else tf.maximum
            pairs.append((0, most(span - n, 0)))
            lengths.append(slice(None, most((n - span) // s + 1, 0)))
        return function(tf.pad(x, pairs + [(0, 0)]), 'VALID')[(slice(None),) + tuple(lengths)]

    def thinned(self, y):
        """What the strides leave of a result made with strides of 1."""
        return y[(slice(None),) + tuple([slice(None, None, s) for s in self.strides])]


def _floats(x, kernel):
    x, kernel = together(x, kernel)
    return floating(x), floating(kernel)


def _conv(x, kernel, rank, strides, padding, data_format, dilation, kinds=('valid', 'same')):
    x, kernel = _floats(x, kernel)
    window = _Window(x, rank, strides, padding, data_format, dilation, kinds)
    taps = kernel_window(static_shape(kernel), rank)
    # TensorFlow would take a kernel for fewer channels to mean groups of them.
    check_channels(static_shape(kernel)[-2], static_shape(window.x)[-1], static_shape(kernel), static_shape(x))
    window.check(taps)
    return window.back(_convolved(window, kernel, taps))


def _convolved(window, kernel, taps):
    """The convolution itself, channels last."""
    x, padding, strides = window.x, window.padding, window.strides
    # Not both in one on the CPU.
    both = max(strides) > 1 and max(window.dilation) > 1
    if both or padding == 'causal':
        x, padding = window.padded(taps), 'valid'
    if both:
        strides = (1,) * window.rank

    def convolve(x, padding):
        return tf2.nn.convolution(x, kernel, list(strides), padding, dilations=list(window.dilation))

    y = window.apply(convolve, x, taps, padding, strides)
    return window.thinned(y) if both else y


def conv1d(x, kernel, strides=1, padding='valid', data_format=None, dilation_rate=1):
    return _conv(x, kernel, 1, strides, padding, data_format, dilation_rate, ('valid', 'same', 'causal'))


def conv2d(x, kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1)):
    return _conv(x, kernel, 2, strides, padding, data_format, dilation_rate)


def conv3d(x, kernel, strides=(1, 1, 1), padding='valid', data_format=None, dilation_rate=(1, 1, 1)):
    return _conv(x, kernel, 3, strides, padding, data_format, dilation_rate)


def conv2d_transpose(x, kernel, output_shape, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1)):
    return _transposed(x, kernel, output_shape, 2, strides, padding, data_format, dilation_rate)


def conv3d_transpose(x, kernel, output_shape, strides=(1, 1, 1), padding='valid', data_format=None):
    return _transposed(x, kernel, output_shape, 3, strides, padding, data_format, 1)


def _transposed(x, kernel, output_shape, rank, strides, padding, data_format, dilation):
    x, kernel = _floats(x, kernel)
    window = _Window(x, rank, strides, padding, data_format, dilation)
    taps = kernel_window(static_shape(kernel), rank)
    check_channels(static_shape(kernel)[-1], static_shape(window.x)[-1], static_shape(kernel), static_shape(x))
    asked = [output_shape[i] for i in range(rank + 2)] if is_tensor(output_shape) else list(output_shape)
    if len(asked) != rank + 2:
        raise ShapeError(f'output_shape needs {rank + 2} entries, got {len(asked)}.')
    asked = [None if n is None else size(n) for n in asked]
    channels, spatial_sizes = (asked[1], asked[2:]) if window.first else (asked[-1], asked[1:-1])
    if known(channels) and channels not in (-1, static_shape(kernel)[-2]):
        raise ShapeError(
            f'output_shape asks for {channels} channels, and the kernel of shape {static_shape(kernel)} makes '
            f'{static_shape(kernel)[-2]}.'
        )
    for i, target in enumerate(spatial_sizes):
        shapes.check_transpose(
            static_shape(window.x)[i + 1], target, taps[i], window.strides[i], window.padding, window.dilation[i]
        )
    shape = [size_of(window.x, 0)] + spatial_sizes + [size_of(kernel, rank)]
    if max(window.dilation) == 1:
        adjoint = tf.nn.conv2d_transpose if rank == 2 else tf.nn.conv3d_transpose
        y = adjoint(window.x, kernel, tf.stack(shape), (1,) + window.strides + (1,), window.padding.upper())
    else:
        # TensorFlow has no such function with strides or unequal rates, but it has the gradient, which is the same.
        # Of the convolution itself nothing is computed.
        source = tf.zeros(tf.stack(shape), window.x.dtype)
        source.set_shape([n if known(n) else None for n in shape])
        forward = _Window(source, rank, window.strides, window.padding, 'channels_last', window.dilation)
        y = tf.gradients(_convolved(forward, kernel, taps), [source], [window.x])[0]
    y.set_shape([n if known(n) else None for n in shape])
    return window.back(y)


def depthwise_conv2d(x, depthwise_kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1)):
    x, kernel = _floats(x, depthwise_kernel)
    window = _Window(x, 2, strides, padding, data_format, dilation_rate)
    taps = kernel_window(static_shape(kernel), 2)
    check_channels(static_shape(kernel)[-2], static_shape(window.x)[-1], static_shape(kernel), static_shape(x))
    window.check(taps)
    x, kind, strides = window.x, window.padding, window.strides
    # The kernels know neither unequal strides nor strides beside dilation.
    thin = strides[0] != strides[1] or (max(strides) > 1 and max(window.dilation) > 1)
    if thin:
        x, kind, strides = window.padded(taps), 'valid', (1, 1)

    def convolve(x, padding):
        return tf.nn.depthwise_conv2d(x, kernel, (1,) + strides + (1,), padding, rate=window.dilation)

    y = window.apply(convolve, x, taps, kind, strides)
    return window.back(window.thinned(y) if thin else y)


def pool2d(x, pool_size, strides=(1, 1), padding='valid', data_format=None, pool_mode='max'):
    return _pool('pool2d', x, 2, pool_size, strides, padding, data_format, pool_mode)


def pool3d(x, pool_size, strides=(1, 1, 1), padding='valid', data_format=None, pool_mode='max'):
    return _pool('pool3d', x, 3, pool_size, strides, padding, data_format, pool_mode)


def _pool(name, x, rank, pool_size, strides, padding, data_format, pool_mode):
    x = operand(x)
    shapes.one_of(pool_mode, ('max', 'avg'), 'pool_mode')
    if not x.dtype.is_floating or (rank == 3 and x.dtype == tf.float64):
        return composed(name)(x, pool_size, strides, padding, data_format, pool_mode)
    window = _Window(x, rank, strides, padding, data_format)
    taps = spatial(pool_size, rank, 'pool_size')
    window.check(taps, 'a pooling')
    kernels = {
        (2, 'max'): tf.nn.max_pool2d,
        (2, 'avg'): tf.nn.avg_pool2d,
        (3, 'max'): tf.nn.max_pool3d,
        (3, 'avg'): tf.nn.avg_pool3d,
    }
    # In 3-D there is none in half precision; single precision holds all of its numbers.
    half = rank == 3 and x.dtype == tf.float16
    entering = tf.cast(window.x, tf.float32) if half else window.x

    def pool(x, padding):
        return kernels[rank, pool_mode](x, list(taps), list(window.strides), padding)

    y = window.apply(pool, entering, taps, window.padding, window.strides)
    return window.back(tf.cast(y, x.dtype) if half else y)
