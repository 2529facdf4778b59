"""Convolution and pooling. The operations are channels last; channels first goes through a transposition."""

from ... import config, shapes
from ...errors import ShapeError
from ...front.composed.sizes import moved
from ...shapes import check_channels, kernel_window, known, spatial
from ._convert import floating, is_tensor, operand, shape_vector, size, sizes, unified
from ._graph import describe
from ._spatial import AvgPool, MaxPool, convolution, transposed
from ._static import dims_of, visible
from .shape import sizes_of


def _shape(x):
    return visible(dims_of(x))


class _Window:
    """The input of a convolution or pooling with its channels last, and its checked arguments."""

    def __init__(self, x, rank, strides, padding, data_format, dilation=1, kinds=('valid', 'same')):
        if x.type.ndim != rank + 2:
            raise ShapeError(
                f'A {rank}-D convolution or pooling takes a tensor of rank {rank + 2}, got {describe(x)} of shape '
                f'{_shape(x)}.'
            )
        self.rank, self.name = rank, describe(x)
        self.first = config.normalize_data_format(data_format) == 'channels_first'
        self.padding = shapes.padding_name(padding, kinds)
        self.strides = spatial(strides, rank, 'strides')
        self.dilation = spatial(dilation, rank, 'dilation_rate')
        to_last, self._to_first = moved(rank + 2, self.first)
        self.x = x if to_last is None else x.dimshuffle(to_last)

    def back(self, y):
        """The result `y` in the data format that was asked for."""
        return y if self._to_first is None else y.dimshuffle(self._to_first)

    def check(self, taps, what='a convolution'):
        """Refuse a window that is too large for the input."""
        for n, k, s, d in zip(_shape(self.x)[1:], taps, self.strides, self.dilation):
            shapes.conv_output_length(n, k, s, self.padding, d, f'{what} of {self.name}')


def _floats(x, kernel):
    x, kernel = unified(x, kernel)
    return floating(x), floating(kernel)


def _conv(x, kernel, rank, strides, padding, data_format, dilation, kinds=('valid', 'same'), depthwise=False):
    x, kernel = _floats(x, kernel)
    window = _Window(x, rank, strides, padding, data_format, dilation, kinds)
    taps = kernel_window(_shape(kernel), rank)
    check_channels(_shape(kernel)[-2], _shape(window.x)[-1], _shape(kernel), _shape(x))
    window.check(taps)
    return window.back(convolution(window.x, kernel, window.strides, window.padding, window.dilation, depthwise))


def conv1d(x, kernel, strides=1, padding='valid', data_format=None, dilation_rate=1):
    return _conv(x, kernel, 1, strides, padding, data_format, dilation_rate, ('valid', 'same', 'causal'))


def conv2d(x, kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1)):
    return _conv(x, kernel, 2, strides, padding, data_format, dilation_rate)


def conv3d(x, kernel, strides=(1, 1, 1), padding='valid', data_format=None, dilation_rate=(1, 1, 1)):
    return _conv(x, kernel, 3, strides, padding, data_format, dilation_rate)


def depthwise_conv2d(x, depthwise_kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1)):
    return _conv(x, depthwise_kernel, 2, strides, padding, data_format, dilation_rate, depthwise=True)


def conv2d_transpose(x, kernel, output_shape, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1)):
    return _transposed(x, kernel, output_shape, 2, strides, padding, data_format, dilation_rate)


def conv3d_transpose(x, kernel, output_shape, strides=(1, 1, 1), padding='valid', data_format=None):
    return _transposed(x, kernel, output_shape, 3, strides, padding, data_format, 1)


def _transposed(x, kernel, output_shape, rank, strides, padding, data_format, dilation):
    x, kernel = _floats(x, kernel)
    window = _Window(x, rank, strides, padding, data_format, dilation)
    taps = kernel_window(_shape(kernel), rank)
    check_channels(_shape(kernel)[-1], _shape(window.x)[-1], _shape(kernel), _shape(x))
    asked = sizes(output_shape) if is_tensor(output_shape) else [None if n is None else size(n) for n in output_shape]
    if len(asked) != rank + 2:
        raise ShapeError(f'output_shape needs {rank + 2} entries, got {len(asked)}.')
    channels, targets = (asked[1], asked[2:]) if window.first else (asked[-1], asked[1:-1])
    made = _shape(kernel)[-2]
    if known(channels) and known(made) and channels not in (-1, made):
        raise ShapeError(
            f'output_shape asks for {channels} channels, and the kernel of shape {_shape(kernel)} makes {made}.'
        )
    for i, target in enumerate(targets):
        shapes.check_transpose(
            _shape(window.x)[i + 1], target, taps[i], window.strides[i], window.padding, window.dilation[i]
        )
    shape = shape_vector([sizes_of(window.x)[0]] + list(targets) + [sizes_of(kernel)[-2]])
    return window.back(transposed(window.x, kernel, shape, window.strides, window.padding, window.dilation))


def pool2d(x, pool_size, strides=(1, 1), padding='valid', data_format=None, pool_mode='max'):
    return _pool(x, 2, pool_size, strides, padding, data_format, pool_mode)


def pool3d(x, pool_size, strides=(1, 1, 1), padding='valid', data_format=None, pool_mode='max'):
    return _pool(x, 3, pool_size, strides, padding, data_format, pool_mode)


def _pool(x, rank, pool_size, strides, padding, data_format, pool_mode):
    shapes.one_of(pool_mode, ('max', 'avg'), 'pool_mode')
    x = operand(x) if pool_mode == 'max' else floating(x)
    window = _Window(x, rank, strides, padding, data_format)
    taps = spatial(pool_size, rank, 'pool_size')
    window.check(taps, 'a pooling')
    pool = MaxPool if pool_mode == 'max' else AvgPool
    return window.back(pool(window=taps, strides=window.strides, padding=window.padding)(window.x))
