"""Convolution and pooling, said in other K functions.

A window is taken apart into its taps: each is a strided slice of the whole input, so nothing depends on the number of
places the window visits.
"""

import itertools
from typing import Any, Iterator, Optional

from ...basics import shapes
from ...basics.library import Tensor
from ...basics.shapes import conv_output_length, kernel_window, spatial, taps, with_rest
from ...errors import ShapeError
from .api import Api
from .shape import along, label, sizes


class ComposedConv(Api):
    def separable_conv2d(
        self,
        x: Any,
        depthwise_kernel: Any,
        pointwise_kernel: Any,
        strides: Any = (1, 1),
        padding: Any = 'valid',
        data_format: Optional[str] = None,
        dilation_rate: Any = (1, 1),
    ) -> Tensor:
        if kernel_window(self.int_shape(pointwise_kernel), 2) != (1, 1):
            raise ShapeError(
                f'The window of a pointwise kernel is 1 by 1, got shape {self.int_shape(pointwise_kernel)}.'
            )
        y = self.depthwise_conv2d(
            x, depthwise_kernel, strides=strides, padding=padding, data_format=data_format, dilation_rate=dilation_rate
        )
        return self.conv2d(y, pointwise_kernel, padding='valid', data_format=data_format)

    def separable_conv1d(
        self,
        x: Any,
        depthwise_kernel: Any,
        pointwise_kernel: Any,
        strides: Any = 1,
        padding: Any = 'valid',
        data_format: Optional[str] = None,
        dilation_rate: Any = 1,
    ) -> Tensor:
        _check_rank(self, x, 1)
        axis = 2 if self.normalize_data_format(data_format) == 'channels_first' else 1
        depthwise_kernel, pointwise_kernel = (
            self.expand_dims(depthwise_kernel, 0),
            self.expand_dims(pointwise_kernel, 0),
        )
        y = self.separable_conv2d(
            self.expand_dims(x, axis),
            depthwise_kernel,
            pointwise_kernel,
            padding=padding,
            strides=spatial(strides, 1, 'strides') * 2,
            data_format=data_format,
            dilation_rate=spatial(dilation_rate, 1, 'dilation_rate') * 2,
        )
        return self.squeeze(y, axis)

    def local_conv1d(
        self, inputs: Any, kernel: Any, kernel_size: Any, strides: Any, data_format: Optional[str] = None
    ) -> Tensor:
        # The documents give one layout, (samples, steps, channels), for either data format.
        self.normalize_data_format(data_format)
        _check_rank(self, inputs, 1)
        window_sizes, strides = spatial(kernel_size, 1, 'kernel_size'), spatial(strides, 1, 'strides')
        _check_places(
            self, kernel, [conv_output_length(self.int_shape(inputs)[1], window_sizes[0], strides[0], 'valid')]
        )
        patches = self.concatenate(list(_taps(inputs, 1, window_sizes, strides, (1,))), axis=2)
        y = self.batch_dot(self.permute_dimensions(patches, (1, 0, 2)), kernel, axes=(2, 1))
        return self.permute_dimensions(y, (1, 0, 2))

    def local_conv2d(
        self,
        inputs: Any,
        kernel: Any,
        kernel_size: Any,
        strides: Any,
        output_shape: Any,
        data_format: Optional[str] = None,
    ) -> Tensor:
        first = 2 if self.normalize_data_format(data_format) == 'channels_first' else 1
        _check_rank(self, inputs, 2)
        window_sizes, strides = spatial(kernel_size, 2, 'kernel_size'), spatial(strides, 2, 'strides')
        rows, columns = output_shape = spatial(output_shape, 2, 'output_shape')
        for n, k, s, size in zip(self.int_shape(inputs)[first : first + 2], window_sizes, strides, output_shape):
            if conv_output_length(n, k, s, 'valid') not in (size, None):
                raise ShapeError(
                    f'output_shape={output_shape} differs from what a window {window_sizes} with strides {strides} '
                    f'leaves of inputs of shape {self.int_shape(inputs)}.'
                )
        _check_places(self, kernel, output_shape)
        slices = list(_taps(inputs, first, window_sizes, strides, (1, 1)))
        # Features are in the order of the window's memory, so channels come before or after the taps.
        if first == 1:
            patches = self.permute_dimensions(self.concatenate(slices, axis=3), (1, 2, 0, 3))
        else:
            patches = self.permute_dimensions(self.stack(slices, axis=2), (3, 4, 0, 1, 2))
        samples, features = (
            sizes(self.int_shape(inputs), self.shape, inputs)[0],
            sizes(self.int_shape(kernel), self.shape, kernel)[1],
        )
        patches = self.reshape(patches, with_rest([rows * columns, samples, features]))
        y = self.permute_dimensions(
            self.batch_dot(patches, kernel, axes=(2, 1)), (1, 0, 2) if first == 1 else (1, 2, 0)
        )
        filters = sizes(self.int_shape(kernel), self.shape, kernel)[2]
        return self.reshape(
            y, with_rest([samples, rows, columns, filters] if first == 1 else [samples, filters, rows, columns])
        )


def _check_rank(K: Api, x: Any, rank: int) -> None:
    if K.ndim(x) != rank + 2:
        raise ShapeError(
            f'A {rank}-D convolution or pooling takes a tensor of rank {rank + 2}, got {label(x)} of shape '
            f'{K.int_shape(x)}.'
        )


def _taps(x: Any, first: int, window_sizes: Any, strides: Any, dilation: Any) -> Iterator[Tensor]:
    """The slices of `x` that the taps of a window meet, in the order of the window's memory."""
    per_axis = [
        [along(axis, *bounds) for bounds in taps(k, s, d)]
        for axis, (k, s, d) in enumerate(zip(window_sizes, strides, dilation), first)
    ]
    for indices in itertools.product(*per_axis):
        yield x[(slice(None),) * first + tuple([index[-1] for index in indices])]


def _check_places(K: Api, kernel: Any, output_shape: Any) -> None:
    shape, count = K.int_shape(kernel), shapes.product(output_shape)
    if len(shape) != 3 or (None not in (shape[0], count) and shape[0] != count):
        raise ShapeError(
            'An unshared kernel has shape (places, window * channels, filters), with '
            f'{"any number of" if count is None else count} places here, got shape {shape}.'
        )
