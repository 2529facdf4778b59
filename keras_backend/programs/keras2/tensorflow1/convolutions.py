"""`tf.layers` of images: convolutions and pooling, and their classes."""

from typing import Any, Tuple

from ....basics.arguments import Given, taking
from .base import ZEROS, Layer, Weighted, arguments_of, channels, function_of, options_of
from .itself import tf

# -- convolutions ------------------------------------------------------------------------------------------------------
# `tf.layers.conv1d`, `conv2d`, `conv3d`, `conv2d_transpose`, `separable_conv2d`, and their classes.


def sizes(value: Any, rank: int, function: str, argument: str) -> Tuple[int, ...]:
    """A number for each axis of space, from one number or one for each.

    Raises:
        ValueError: There are too many or too few.
    """
    numbers = (value,) * rank if not isinstance(value, (list, tuple)) else tuple(value)
    if len(numbers) != rank:
        raise ValueError(f'{function}({argument}={value!r}): give one number, or {rank}.')
    return tuple(int(number) for number in numbers)


def layout(data_format: str, rank: int, function: str) -> str:
    """The order of the axes as TensorFlow writes it: `NHWC` for `'channels_last'` and two axes of space.

    Raises:
        ValueError: The order is none of the two.
    """
    if data_format not in ('channels_first', 'channels_last'):
        raise ValueError(
            f"{function}(data_format={data_format!r}): it can be 'channels_last' or 'channels_first'; "
            'leave it out for channels_last.'
        )
    space = 'DHW'[3 - rank :] if rank > 1 else 'W'
    return f'N{space}C' if data_format == 'channels_last' else f'NC{space}'


_OF_CONVOLUTIONS = "self, filters, kernel_size, strides=1, padding='valid', data_format='channels_last'"


class Convolution(Weighted):
    """A convolution over the axes of space, plus a bias: what `Conv1D`, `Conv2D` and `Conv3D` share.

    Args:
        filters: The number of channels of the outputs.
        kernel_size: The size of the kernel, one number or one for each axis.
        strides: The step, one number or one for each axis.
        padding: `'valid'` or `'same'`.
        data_format: `'channels_last'` or `'channels_first'`.
        dilation_rate: The distance of the taps, one number or one for each axis.
        activation: See `Weighted`; so the other arguments.
    """

    rank = 2

    @taking(f'{_OF_CONVOLUTIONS}, dilation_rate=1, *more, **kwargs')
    def __init__(self, given: Given) -> None:
        super().__init__(*given.more, **given.kwargs)
        self.function = f'tf.layers.{type(self).__name__}'
        self.filters = int(given.filters)
        self.kernel_size, self.strides, self.dilation_rate = (
            sizes(getattr(given, argument), self.rank, self.function, argument)
            for argument in ('kernel_size', 'strides', 'dilation_rate')
        )
        self.padding, self.data_format = given.padding.upper(), given.data_format
        self.layout = layout(given.data_format, self.rank, self.function)

    def build(self, input_shape: Any) -> None:
        """Make the kernel and the bias."""
        if input_shape.ndims != self.rank + 2:
            raise ValueError(f'{self.function} takes inputs with {self.rank + 2} axes, and they are {input_shape}.')
        self._channels = channels(input_shape, self.layout.index('C'), self.function)
        self.make_kernel()
        self.bias = self.add_weight('bias', (self.filters,), **self._bias) if self.use_bias else None
        self.built = True

    def make_kernel(self) -> None:
        """Make the kernel."""
        self.kernel = self.add_weight('kernel', self.kernel_size + (self._channels, self.filters), **self._kernel)

    def convolve(self, inputs: Any) -> Any:
        """The convolution without bias."""
        return tf.nn.convolution(
            inputs,
            self.kernel,
            padding=self.padding,
            strides=self.strides,
            dilation_rate=self.dilation_rate,
            data_format=self.layout,
        )

    def call(self, inputs: Any) -> Any:
        """The outputs for the inputs."""
        outputs = self.convolve(inputs)
        if self.bias is not None:
            if self.rank == 2 or self.layout[-1] == 'C':
                order = self.layout if self.rank == 2 else None
                outputs = tf.nn.bias_add(outputs, self.bias, data_format=order)
            else:
                outputs += tf.reshape(self.bias, (1, -1) + (1,) * self.rank)
        return outputs if self.activation is None else self.activation(outputs)


class Conv1D(Convolution):
    __doc__ = Convolution.__doc__
    rank = 1


class Conv2D(Convolution):
    __doc__ = Convolution.__doc__


class Conv3D(Convolution):
    __doc__ = Convolution.__doc__
    rank = 3


class Conv2DTranspose(Convolution):
    """The gradient of a convolution with respect to its inputs, as a layer: it makes images larger.

    The arguments are those of `Conv2D`, without `dilation_rate`.
    """

    @taking(f'{_OF_CONVOLUTIONS}, *more, **kwargs')
    def __init__(self, given: Given) -> None:
        *own, more, kwargs = vars(given).values()
        super().__init__(*own, kwargs.pop('dilation_rate', 1), *more, **kwargs)

    def make_kernel(self) -> None:
        """Make the kernel. Its channels of outputs are before those of inputs."""
        self.kernel = self.add_weight('kernel', self.kernel_size + (self.filters, self._channels), **self._kernel)

    def convolve(self, inputs: Any) -> Any:
        """The result without bias. An axis of n becomes n * stride, plus what the kernel reaches over if not padded."""
        shape, sizes_now = inputs.shape.as_list(), tf.unstack(tf.shape(inputs))
        static, dynamic = [shape[0]], [sizes_now[0]]
        at = self.layout.index('H')
        for size, now, kernel, stride in zip(shape[at:], sizes_now[at:], self.kernel_size, self.strides):
            extra = max(kernel - stride, 0) if self.padding == 'VALID' else 0
            static.append(None if size is None else size * stride + extra)
            dynamic.append(now * stride + extra)
        channel_axis = self.layout.index('C') if at > 1 else len(static)
        static.insert(channel_axis, self.filters)
        dynamic.insert(channel_axis, self.filters)
        steps = [1] + list(self.strides)
        steps.insert(channel_axis, 1)
        outputs = tf.nn.conv2d_transpose(
            inputs, self.kernel, tf.stack(dynamic), steps, padding=self.padding, data_format=self.layout
        )
        outputs.set_shape(static)
        return outputs


class SeparableConv2D(Convolution):
    """A convolution of each channel alone, then one of all channels with a kernel of size 1, plus a bias.

    Args:
        depth_multiplier: The number of kernels for each channel.
        depthwise_initializer: What makes the first values of these kernels; so for the others, with `pointwise_`.
        depthwise_regularizer: A function that gives a loss for these kernels; so for the others, with `pointwise_`.
        depthwise_constraint: A function for them after a step of training; so for the others, with `pointwise_`.
        **kwargs: The arguments of `Conv2D`, without those for its kernel.
    """

    @taking(
        f'{_OF_CONVOLUTIONS}, dilation_rate=1, depth_multiplier=1, activation=None, use_bias=True, '
        'depthwise_initializer=None, pointwise_initializer=None, bias_initializer=ZEROS, depthwise_regularizer=None, '
        'pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None, '
        'pointwise_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs',
        ZEROS=ZEROS,
    )
    def __init__(self, given: Given) -> None:
        arguments = dict(vars(given))
        own = {key: arguments.pop(key) for key in vars(given) if key.startswith(('depth', 'pointwise_'))}
        super().__init__(**arguments.pop('kwargs'), **arguments)
        self.depth_multiplier = own['depth_multiplier']
        self._depthwise, self._pointwise = options_of(given, 'depthwise'), options_of(given, 'pointwise')

    def make_kernel(self) -> None:
        """Make both kernels."""
        between = self._channels * self.depth_multiplier
        self.depthwise_kernel = self.add_weight(
            'depthwise_kernel', self.kernel_size + (self._channels, self.depth_multiplier), **self._depthwise
        )
        self.pointwise_kernel = self.add_weight('pointwise_kernel', (1, 1, between, self.filters), **self._pointwise)

    def convolve(self, inputs: Any) -> Any:
        """The convolution without bias."""
        steps = (1,) + self.strides + (1,) if self.layout == 'NHWC' else (1, 1) + self.strides
        return tf.nn.separable_conv2d(
            inputs,
            self.depthwise_kernel,
            self.pointwise_kernel,
            strides=steps,
            padding=self.padding,
            rate=self.dilation_rate,
            data_format=self.layout,
        )


conv1d = function_of(Conv1D)
conv2d = function_of(Conv2D)
conv3d = function_of(Conv3D)
conv2d_transpose = function_of(
    Conv2DTranspose, [*(name for name in arguments_of(Conv2D) if name != 'dilation_rate'), 'reuse']
)
separable_conv2d = function_of(SeparableConv2D)


# -- pooling -----------------------------------------------------------------------------------------------------------
# `tf.layers.max_pooling2d`, `average_pooling2d`, those for one and three axes, and their classes.


class _Pooling(Layer):
    """The largest value, or the mean, of each window of space.

    Args:
        pool_size: The size of the windows, one number or one for each axis.
        strides: The step of the windows, one number or one for each axis.
        padding: `'valid'` or `'same'`.
        data_format: `'channels_last'` or `'channels_first'`.
        name: The name of the layer.
        **kwargs: The arguments of `Layer`.
    """

    rank = 2
    kind = 'MAX'

    @taking("self, pool_size, strides, padding='valid', data_format='channels_last', name=None, **kwargs")
    def __init__(self, given: Given) -> None:
        super().__init__(name=given.name, **given.kwargs)
        function = f'tf.layers.{type(self).__name__}'
        self.pool_size = sizes(given.pool_size, self.rank, function, 'pool_size')
        self.strides = sizes(given.strides, self.rank, function, 'strides')
        self.padding, self.layout = given.padding.upper(), layout(given.data_format, self.rank, function)

    def call(self, inputs: Any) -> Any:
        """The outputs for the inputs."""
        return tf.nn.pool(
            inputs,
            self.pool_size,
            self.kind,
            self.padding,
            strides=self.strides,
            data_format=self.layout,
            name=('MaxPool' if self.kind == 'MAX' else 'AvgPool') + ('3D' if self.rank == 3 else ''),
        )


class MaxPooling1D(_Pooling):
    __doc__ = _Pooling.__doc__
    rank = 1


class MaxPooling2D(_Pooling):
    __doc__ = _Pooling.__doc__


class MaxPooling3D(_Pooling):
    __doc__ = _Pooling.__doc__
    rank = 3


class AveragePooling1D(_Pooling):
    __doc__ = _Pooling.__doc__
    rank, kind = 1, 'AVG'


class AveragePooling2D(_Pooling):
    __doc__ = _Pooling.__doc__
    kind = 'AVG'


class AveragePooling3D(_Pooling):
    __doc__ = _Pooling.__doc__
    rank, kind = 3, 'AVG'


max_pooling1d = function_of(MaxPooling1D)
max_pooling2d = function_of(MaxPooling2D)
max_pooling3d = function_of(MaxPooling3D)
average_pooling1d = function_of(AveragePooling1D)
average_pooling2d = function_of(AveragePooling2D)
average_pooling3d = function_of(AveragePooling3D)
