"""Convolution and pooling, said in other K functions.

A window is taken apart into its taps: each is a strided slice of the whole input, so nothing depends on the number of
places the window visits.
"""

import itertools
from typing import Any, Iterator, Optional

import numpy as np

from ... import shapes
from ...errors import ShapeError
from ...library import Tensor
from ...shapes import conv_output_length, kernel_window, known, one_of, padding_name, spatial, window
from ..api import Api
from .sizes import along, fill, label, moved, sizes, spread, taps


class ComposedConv(Api):
    needs = {
        'conv1d': 'conv2d expand_dims int_shape ndim permute_dimensions squeeze temporal_padding',
        'conv2d': (
            'concatenate dot int_shape maximum ndim permute_dimensions reshape shape spatial_2d_padding '
            'spatial_3d_padding'
        ),
        'conv3d': (
            'concatenate dot int_shape maximum ndim permute_dimensions reshape shape spatial_2d_padding '
            'spatial_3d_padding'
        ),
        'conv2d_transpose': (
            'conv2d conv3d int_shape maximum ndim permute_dimensions reshape reverse shape spatial_2d_padding '
            'spatial_3d_padding stack zeros_like'
        ),
        'conv3d_transpose': (
            'conv2d conv3d int_shape maximum ndim permute_dimensions reshape reverse shape spatial_2d_padding '
            'spatial_3d_padding stack zeros_like'
        ),
        'depthwise_conv2d': (
            'concatenate int_shape maximum ndim permute_dimensions repeat_elements reshape shape '
            'spatial_2d_padding spatial_3d_padding'
        ),
        'separable_conv2d': 'conv2d depthwise_conv2d int_shape',
        'separable_conv1d': 'expand_dims int_shape ndim separable_conv2d squeeze',
        'pool2d': (
            'concatenate constant dtype int_shape maximum ndim ones_like shape spatial_2d_padding spatial_3d_padding'
        ),
        'pool3d': (
            'concatenate constant dtype int_shape maximum ndim ones_like shape spatial_2d_padding spatial_3d_padding'
        ),
        'local_conv1d': 'batch_dot concatenate int_shape ndim permute_dimensions',
        'local_conv2d': 'batch_dot concatenate int_shape ndim permute_dimensions reshape shape stack',
    }

    def conv1d(
        self,
        x: Any,
        kernel: Any,
        strides: Any = 1,
        padding: Any = 'valid',
        data_format: Optional[str] = None,
        dilation_rate: Any = 1,
    ) -> Tensor:
        first = self.normalize_data_format(data_format) == 'channels_first'
        padding_name(padding, ('valid', 'same', 'causal'))
        _check_rank(self, x, 1)
        strides, dilation = spatial(strides, 1, 'strides'), spatial(dilation_rate, 1, 'dilation_rate')
        axis = 2 if first else 1
        if padding == 'causal':
            left = window(self.int_shape(kernel)[0], dilation[0]) - 1
            x = self.permute_dimensions(x, (0, 2, 1)) if first else x
            x = self.temporal_padding(x, (left, 0))
            x = self.permute_dimensions(x, (0, 2, 1)) if first else x
        # The stride and dilation of the axis of size 1 change nothing; libraries want them equal on both axes.
        y = self.conv2d(
            self.expand_dims(x, axis),
            self.expand_dims(kernel, 0),
            strides=strides * 2,
            padding='same' if padding == 'same' else 'valid',
            data_format=data_format,
            dilation_rate=dilation * 2,
        )
        return self.squeeze(y, axis)

    def conv2d(
        self,
        x: Any,
        kernel: Any,
        strides: Any = (1, 1),
        padding: Any = 'valid',
        data_format: Optional[str] = None,
        dilation_rate: Any = (1, 1),
    ) -> Tensor:
        return _conv(self, x, kernel, 2, strides, padding, data_format, dilation_rate)

    def conv3d(
        self,
        x: Any,
        kernel: Any,
        strides: Any = (1, 1, 1),
        padding: Any = 'valid',
        data_format: Optional[str] = None,
        dilation_rate: Any = (1, 1, 1),
    ) -> Tensor:
        return _conv(self, x, kernel, 3, strides, padding, data_format, dilation_rate)

    def conv2d_transpose(
        self,
        x: Any,
        kernel: Any,
        output_shape: Any,
        strides: Any = (1, 1),
        padding: Any = 'valid',
        data_format: Optional[str] = None,
        dilation_rate: Any = (1, 1),
    ) -> Tensor:
        return _conv_transpose(self, x, kernel, 2, output_shape, strides, padding, data_format, dilation_rate)

    def conv3d_transpose(
        self,
        x: Any,
        kernel: Any,
        output_shape: Any,
        strides: Any = (1, 1, 1),
        padding: Any = 'valid',
        data_format: Optional[str] = None,
    ) -> Tensor:
        return _conv_transpose(self, x, kernel, 3, output_shape, strides, padding, data_format, 1)

    def depthwise_conv2d(
        self,
        x: Any,
        depthwise_kernel: Any,
        strides: Any = (1, 1),
        padding: Any = 'valid',
        data_format: Optional[str] = None,
        dilation_rate: Any = (1, 1),
    ) -> Tensor:
        last, back = moved(4, self.normalize_data_format(data_format) == 'channels_first')
        _check_rank(self, x, 2)
        strides, dilation = spatial(strides, 2, 'strides'), spatial(dilation_rate, 2, 'dilation_rate')
        rows, columns = kernel_window(self.int_shape(depthwise_kernel), 2)
        channels, multiplier = self.int_shape(depthwise_kernel)[2:]
        x = x if last is None else self.permute_dimensions(x, last)
        x = _padded(self, x, 1, (rows, columns), strides, padding, dilation)
        x = x if multiplier == 1 else self.repeat_elements(x, multiplier, 3)
        weights = self.reshape(depthwise_kernel, (rows * columns, -1 if channels is None else channels * multiplier))
        y = None
        for i, tap in enumerate(_taps(x, 1, (rows, columns), strides, dilation)):
            y = tap * weights[i] if y is None else y + tap * weights[i]
        return y if back is None else self.permute_dimensions(y, back)

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

    def pool2d(
        self,
        x: Any,
        pool_size: Any,
        strides: Any = (1, 1),
        padding: Any = 'valid',
        data_format: Optional[str] = None,
        pool_mode: str = 'max',
    ) -> Tensor:
        return _pool(self, x, 2, pool_size, strides, padding, data_format, pool_mode)

    def pool3d(
        self,
        x: Any,
        pool_size: Any,
        strides: Any = (1, 1, 1),
        padding: Any = 'valid',
        data_format: Optional[str] = None,
        pool_mode: str = 'max',
    ) -> Tensor:
        return _pool(self, x, 3, pool_size, strides, padding, data_format, pool_mode)

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
        found = list(_taps(inputs, first, window_sizes, strides, (1, 1)))
        # Features are in the order of the window's memory, so channels come before or after the taps.
        if first == 1:
            patches = self.permute_dimensions(self.concatenate(found, axis=3), (1, 2, 0, 3))
        else:
            patches = self.permute_dimensions(self.stack(found, axis=2), (3, 4, 0, 1, 2))
        samples, features = (
            sizes(self.int_shape(inputs), self.shape, inputs)[0],
            sizes(self.int_shape(kernel), self.shape, kernel)[1],
        )
        patches = self.reshape(patches, fill([rows * columns, samples, features]))
        y = self.permute_dimensions(
            self.batch_dot(patches, kernel, axes=(2, 1)), (1, 0, 2) if first == 1 else (1, 2, 0)
        )
        filters = sizes(self.int_shape(kernel), self.shape, kernel)[2]
        return self.reshape(
            y, fill([samples, rows, columns, filters] if first == 1 else [samples, filters, rows, columns])
        )


def _conv(
    K: Api, x: Any, kernel: Any, rank: int, strides: Any, padding: Any, data_format: Optional[str], dilation_rate: Any
) -> Tensor:
    last, back = moved(rank + 2, K.normalize_data_format(data_format) == 'channels_first')
    _check_rank(K, x, rank)
    strides, dilation = spatial(strides, rank, 'strides'), spatial(dilation_rate, rank, 'dilation_rate')
    window_sizes = kernel_window(K.int_shape(kernel), rank)
    x = x if last is None else K.permute_dimensions(x, last)
    x = _padded(K, x, 1, window_sizes, strides, padding, dilation)
    patches = K.concatenate(list(_taps(x, 1, window_sizes, strides, dilation)), axis=-1)
    entering, leaving = sizes(K.int_shape(kernel), K.shape, kernel)[-2:]
    y = K.dot(patches, K.reshape(kernel, fill([int(np.prod(window_sizes)) * entering, leaving])))
    return y if back is None else K.permute_dimensions(y, back)


def _check_rank(K: Api, x: Any, rank: int) -> None:
    if K.ndim(x) != rank + 2:
        raise ShapeError(
            f'A {rank}-D convolution or pooling takes a tensor of rank {rank + 2}, got {label(x)} of shape '
            f'{K.int_shape(x)}.'
        )


def _taps(x: Any, first: int, window_sizes: Any, strides: Any, dilation: Any) -> Iterator[Tensor]:
    """The slices of `x` that the taps of a window meet, in the order of the window's memory."""
    per_axis = [taps(axis, k, s, d) for axis, (k, s, d) in enumerate(zip(window_sizes, strides, dilation), first)]
    for indices in itertools.product(*per_axis):
        yield x[(slice(None),) * first + tuple([index[-1] for index in indices])]


def _padded(
    K: Api, x: Any, first: int, window_sizes: Any, strides: Any, padding: Any, dilation: Any, edges: bool = False
) -> Tensor:
    """`x` with what `padding` adds to its spatial axes: zeros, or repetitions of the edge."""
    padding_name(padding)
    widths, crops = [], []
    for axis, (k, s, d) in enumerate(zip(window_sizes, strides, dilation), first):
        n = K.int_shape(x)[axis]
        conv_output_length(n, k, s, padding, d, 'a convolution or pooling of ' + label(x))
        before, after = shapes.pads(padding, n, k, s, d)
        if before is None:
            # The widths depend on a size known only in a run: add the most there can be, keep what the size asks for.
            before, after = shapes.same_pads(1, k, 1, d)
            n = K.shape(x)[axis]
            total = K.maximum((-(-n // s) - 1) * s + window(k, d) - n, 0)
            start = before - total // 2
            crops.append(along(axis, start, start + n + total))
        widths.append((before, after))
    if edges:
        for axis, (before, after) in enumerate(widths, first):
            if before or after:
                low, high = [x[along(axis, None, 1)]], [x[along(axis, -1, None)]]
                x = K.concatenate(low * before + [x] + high * after, axis=axis)
    elif any(before or after for before, after in widths):
        pad = K.spatial_2d_padding if len(widths) == 2 else K.spatial_3d_padding
        x = pad(x, tuple(widths), data_format='channels_last' if first == 1 else 'channels_first')
    for crop in crops:
        x = x[crop]
    return x


def _conv_transpose(
    K: Api,
    x: Any,
    kernel: Any,
    rank: int,
    output_shape: Any,
    strides: Any,
    padding: Any,
    data_format: Optional[str],
    dilation_rate: Any,
) -> Tensor:
    # The adjoint of a strided convolution: zeros between the entries, then the convolution with the kernel turned.
    last, back = moved(rank + 2, K.normalize_data_format(data_format) == 'channels_first')
    _check_rank(K, x, rank)
    padding_name(padding)
    strides, dilation = spatial(strides, rank, 'strides'), spatial(dilation_rate, rank, 'dilation_rate')
    x = x if last is None else K.permute_dimensions(x, last)
    entries = (
        list(output_shape) if isinstance(output_shape, (tuple, list)) else [output_shape[i] for i in range(rank + 2)]
    )
    targets = entries[1:-1] if last is None else entries[2:]
    channels, leaving = entries[-1 if last is None else 1], K.int_shape(kernel)[-2]
    if known(channels) and known(leaving) and channels != leaving:
        raise ShapeError(
            f'output_shape asks for {channels} channels, and the kernel of shape {K.int_shape(kernel)} gives {leaving}.'
        )
    widths, crops = [], []
    window_sizes = kernel_window(K.int_shape(kernel), rank)
    for axis, (k, s, d, target) in enumerate(zip(window_sizes, strides, dilation, targets), 1):
        n = K.int_shape(x)[axis]
        shapes.check_transpose(n, target, k, s, padding, d)
        if padding == 'same' and s > 1 and not (known(n) and known(target)):
            n = sizes(K.int_shape(x), K.shape, x)[axis]
            start = K.maximum((n - 1) * s + window(k, d) - target, 0) // 2
        else:
            start = shapes.transposed_pads(n, target, k, s, padding, d)
        if s > 1:
            here = sizes(K.int_shape(x), K.shape, x)
            here[axis] = here[axis] * s
            x = K.reshape(K.stack([x] + [K.zeros_like(x)] * (s - 1), axis=axis + 1), fill(here))
        widths.append((window(k, d) - 1,) * 2)
        crops.append(along(axis, start, start + target))
    pad, conv = (K.spatial_2d_padding, K.conv2d) if rank == 2 else (K.spatial_3d_padding, K.conv3d)
    around = K.permute_dimensions(K.reverse(kernel, tuple(range(rank))), tuple(range(rank)) + (rank + 1, rank))
    y = conv(
        pad(x, tuple(widths), data_format='channels_last'),
        around,
        padding='valid',
        data_format='channels_last',
        dilation_rate=dilation,
    )
    for crop in crops:
        y = y[crop]
    return y if back is None else K.permute_dimensions(y, back)


def _pool(
    K: Api, x: Any, rank: int, pool_size: Any, strides: Any, padding: Any, data_format: Optional[str], pool_mode: str
) -> Tensor:
    first = 2 if K.normalize_data_format(data_format) == 'channels_first' else 1
    _check_rank(K, x, rank)
    one_of(pool_mode, ('max', 'avg'), 'pool_mode')
    x = K.floating(x)
    pool_size, strides = spatial(pool_size, rank, 'pool_size'), spatial(strides, rank, 'strides')
    # Each window that leaves the input holds the edge, so repetitions of the edge change no maximum.
    padded = _padded(K, x, first, pool_size, strides, padding, (1,) * rank, edges=pool_mode == 'max')
    if pool_mode == 'max':
        return _joined(padded, first, pool_size, strides, K.maximum)
    total = _joined(padded, first, pool_size, strides, _add)
    if padding == 'valid':
        return total / int(np.prod(pool_size))
    n = K.int_shape(x)[first : first + rank]
    if None in n:
        single = (slice(0, 1),) * first + (slice(None),) * rank + (slice(0, 1),) * (2 - first)
        ones = _padded(K, K.ones_like(x[single]), first, pool_size, strides, padding, (1,) * rank)
        return total / _joined(ones, first, pool_size, strides, _add)
    counts = np.ones((1,) * (rank + 2))
    for axis, (size, k, s) in enumerate(zip(n, pool_size, strides), first):
        starts = np.arange(conv_output_length(size, k, s, padding)) * s - shapes.same_pads(size, k, s)[0]
        entries = np.minimum(starts + k, size) - np.maximum(starts, 0)
        counts = counts * entries.reshape(spread(rank + 2, {axis: -1}))
    return total / K.constant(counts, dtype=K.dtype(total) if K.dtype(total).startswith('float') else K.floatx())


def _add(a: Any, b: Any) -> Tensor:
    return a + b


def _joined(x: Any, first: int, pool_size: Any, strides: Any, join: Any) -> Tensor:
    """The taps of a window joined axis by axis, the innermost first: the first of equals is then first in memory."""
    for axis, k, s in reversed(list(zip(range(first, first + len(pool_size)), pool_size, strides))):
        y = None
        for index in taps(axis, k, s):
            y = x[index] if y is None else join(y, x[index])
        x = y
    return x


def _check_places(K: Api, kernel: Any, output_shape: Any) -> None:
    shape, places = K.int_shape(kernel), shapes.product(output_shape)
    if len(shape) != 3 or (None not in (shape[0], places) and shape[0] != places):
        raise ShapeError(
            'An unshared kernel has shape (places, window * channels, filters), with '
            f'{"any number of" if places is None else places} places here, got shape {shape}.'
        )
