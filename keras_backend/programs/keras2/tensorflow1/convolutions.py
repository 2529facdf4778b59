"""`tf.layers` of images: convolutions and pooling, and their classes."""

from typing import Any, Dict, Optional, Tuple

from .base import Function, Layer, Weighted, arguments_of, channels, function_of
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

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = 'valid',
        data_format: str = 'channels_last',
        dilation_rate: Any = 1,
        *more: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(*more, **kwargs)
        self.function = f'tf.layers.{type(self).__name__}'
        self.filters = int(filters)
        self.kernel_size = sizes(kernel_size, self.rank, self.function, 'kernel_size')
        self.strides = sizes(strides, self.rank, self.function, 'strides')
        self.dilation_rate = sizes(dilation_rate, self.rank, self.function, 'dilation_rate')
        self.padding, self.data_format = padding.upper(), data_format
        self.layout = layout(data_format, self.rank, self.function)

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

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = 'valid',
        data_format: str = 'channels_last',
        *more: Any,
        **kwargs: Any,
    ) -> None:
        dilation_rate = kwargs.pop('dilation_rate', 1)
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, *more, **kwargs)

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

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = 'valid',
        data_format: str = 'channels_last',
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Function = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = tf.zeros_initializer(),  # noqa: B008 an object without state
        depthwise_regularizer: Function = None,
        pointwise_regularizer: Function = None,
        bias_regularizer: Function = None,
        activity_regularizer: Function = None,
        depthwise_constraint: Function = None,
        pointwise_constraint: Function = None,
        bias_constraint: Function = None,
        trainable: bool = True,
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        of_bias = dict(initializer=bias_initializer, regularizer=bias_regularizer, constraint=bias_constraint)
        kwargs.update({f'bias_{key}': value for key, value in of_bias.items()})
        kwargs.update(activity_regularizer=activity_regularizer, trainable=trainable, name=name)
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, **kwargs
        )
        self.depth_multiplier = depth_multiplier
        self._depthwise: Dict[str, Any] = dict(
            initializer=depthwise_initializer, regularizer=depthwise_regularizer, constraint=depthwise_constraint
        )
        self._pointwise: Dict[str, Any] = dict(
            initializer=pointwise_initializer, regularizer=pointwise_regularizer, constraint=pointwise_constraint
        )

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

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = 'valid',
        data_format: str = 'channels_last',
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        function = f'tf.layers.{type(self).__name__}'
        self.pool_size = sizes(pool_size, self.rank, function, 'pool_size')
        self.strides = sizes(strides, self.rank, function, 'strides')
        self.padding, self.layout = padding.upper(), layout(data_format, self.rank, function)

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
