"""`tf.layers.max_pooling2d`, `average_pooling2d`, those for one and three axes, and their classes."""

from typing import Any, Optional

import tensorflow.compat.v1 as tf

from .base import Layer, function_of
from .convolutions import layout, sizes


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
