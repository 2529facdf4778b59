"""Convolution and pooling. The primitives are channels last; channels first goes through a transposition."""

import itertools
from typing import Any, Dict, Iterator, Optional, Sequence

from ..basics import dtypes, shapes
from ..basics.library import Tensor
from ..basics.shapes import check_channels, conv_output_length, kernel_window, known, spatial, taps, with_rest
from ..errors import ShapeError
from .base import Api, Operands
from .shape import along, label, sizes


class Conv(Operands):
    def conv1d(
        self,
        x: Any,
        kernel: Any,
        strides: Any = 1,
        padding: str = 'valid',
        data_format: Optional[str] = None,
        dilation_rate: Any = 1,
    ) -> Tensor:
        return _conv(self, x, kernel, 1, strides, padding, data_format, dilation_rate, ('valid', 'same', 'causal'))

    def conv2d(
        self,
        x: Any,
        kernel: Any,
        strides: Any = (1, 1),
        padding: str = 'valid',
        data_format: Optional[str] = None,
        dilation_rate: Any = (1, 1),
    ) -> Tensor:
        return _conv(self, x, kernel, 2, strides, padding, data_format, dilation_rate)

    def conv3d(
        self,
        x: Any,
        kernel: Any,
        strides: Any = (1, 1, 1),
        padding: str = 'valid',
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
        padding: str = 'valid',
        data_format: Optional[str] = None,
        dilation_rate: Any = (1, 1),
    ) -> Tensor:
        return _transposed(self, x, kernel, output_shape, 2, strides, padding, data_format, dilation_rate)

    def conv3d_transpose(
        self,
        x: Any,
        kernel: Any,
        output_shape: Any,
        strides: Any = (1, 1, 1),
        padding: str = 'valid',
        data_format: Optional[str] = None,
    ) -> Tensor:
        return _transposed(self, x, kernel, output_shape, 3, strides, padding, data_format, 1)

    def depthwise_conv2d(
        self,
        x: Any,
        depthwise_kernel: Any,
        strides: Any = (1, 1),
        padding: str = 'valid',
        data_format: Optional[str] = None,
        dilation_rate: Any = (1, 1),
    ) -> Tensor:
        s = Spatial(self, x, 2, strides, padding, data_format, dilation_rate)
        kernel = s.kernel(depthwise_kernel)
        return s.back(self.F.depthwise_conv(s.x, kernel, **s.geometry))

    def pool2d(
        self,
        x: Any,
        pool_size: Any,
        strides: Any = (1, 1),
        padding: str = 'valid',
        data_format: Optional[str] = None,
        pool_mode: str = 'max',
    ) -> Tensor:
        return _pool(self, x, pool_size, 2, strides, padding, data_format, pool_mode)

    def pool3d(
        self,
        x: Any,
        pool_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = 'valid',
        data_format: Optional[str] = None,
        pool_mode: str = 'max',
    ) -> Tensor:
        return _pool(self, x, pool_size, 3, strides, padding, data_format, pool_mode)


class Spatial:
    """The arguments that convolutions and poolings share: checked, with `x` brought to channels last."""

    def __init__(
        self,
        K: Operands,
        x: Any,
        rank: int,
        strides: Any,
        padding: str,
        data_format: Optional[str],
        dilation: Any = 1,
        allowed: Sequence[str] = ('valid', 'same'),
    ) -> None:
        self.K, self.rank = K, rank
        self.first = K.normalize_data_format(data_format) == 'channels_first'
        self.padding = shapes.padding_name(padding, allowed)
        self.strides = shapes.spatial(strides, rank, 'strides')
        self.dilation = shapes.spatial(dilation, rank, 'dilation_rate')
        self.is_array = not K.library.is_tensor(x)
        x = K.floating(x)
        if len(K.library.dims(x)) != rank + 2:
            raise ShapeError(f'x has to have {rank + 2} axes, got {K.library.describe(x)}.')
        if self.first:
            x = K.F.transpose(x, perm=(0, *range(2, rank + 2), 1))
        self.x = x

    def kernel(self, kernel: Any) -> Tensor:
        """`kernel` as a tensor of the dtype of x; an array x gets the dtype of a kernel that is a tensor."""
        K = self.K
        if self.is_array and K.library.is_tensor(kernel) and dtypes.is_float(K.library.dtype(kernel)):
            self.x = K.converted(self.x, K.library.dtype(kernel))
        kernel = K.operand(kernel, K.library.dtype(self.x))
        if K.library.dtype(kernel) != K.library.dtype(self.x):
            self.x, kernel = K.together(self.x, kernel)
        if len(K.library.dims(kernel)) != self.rank + 2:
            raise ShapeError(
                f'the kernel of a {self.rank}-D convolution has {self.rank + 2} axes, got {K.library.describe(kernel)}.'
            )
        return kernel

    @property
    def geometry(self) -> Dict[str, Any]:
        """The arguments of a primitive beside its tensors."""
        return {'strides': self.strides, 'padding': self.padding, 'dilation': self.dilation}

    def back(self, y: Tensor) -> Tensor:
        """`y` in the data format of the caller."""
        if not self.first:
            return y
        return self.K.F.transpose(y, perm=(0, self.rank + 1, *range(1, self.rank + 1)))


def _conv(
    K: Operands,
    x: Any,
    kernel: Any,
    rank: int,
    strides: Any,
    padding: str,
    data_format: Optional[str],
    dilation: Any,
    allowed: Sequence[str] = ('valid', 'same'),
) -> Tensor:
    s = Spatial(K, x, rank, strides, padding, data_format, dilation, allowed)
    kernel = s.kernel(kernel)
    return s.back(K.F.conv(s.x, kernel, **s.geometry))


def _transposed(
    K: Operands,
    x: Any,
    kernel: Any,
    output_shape: Any,
    rank: int,
    strides: Any,
    padding: str,
    data_format: Optional[str],
    dilation: Any,
) -> Tensor:
    library = K.library
    s = Spatial(K, x, rank, strides, padding, data_format, dilation)
    kernel = s.kernel(kernel)
    dims, taps = library.dims(s.x), library.dims(kernel)
    sizes = library.items(output_shape)
    if len(sizes) != rank + 2:
        raise ShapeError(f'output_shape needs {rank + 2} entries, got {len(sizes)}.')
    channels, spatial = (sizes[1], sizes[2:]) if s.first else (sizes[-1], sizes[1:-1])
    for i, target in enumerate(spatial):
        if known(dims[i + 1]) and known(taps[i]) and known(target):
            shapes.check_transpose(dims[i + 1], target, taps[i], s.strides[i], s.padding, s.dilation[i])
    if known(taps[-2]) and known(channels) and channels not in (-1, taps[-2]):
        raise ShapeError(f'output_shape asks for {channels} channels, and {library.describe(kernel)} makes {taps[-2]}.')
    check_channels(taps[-1], dims[-1], library.shape(kernel), library.shape(s.x))
    samples = sizes[0]
    if not known(samples) or samples == -1:
        samples = library.items(K.F.shape(s.x))[0]
    elif known(dims[0]) and samples != dims[0]:
        raise ShapeError(f'output_shape asks for {samples} samples, and {library.describe(s.x)} has {dims[0]}.')
    shape = [samples, *spatial, library.items(K.F.shape(kernel))[-2]]
    return s.back(K.F.conv_input_grad(s.x, kernel, shape, **s.geometry))


def _pool(
    K: Operands,
    x: Any,
    pool_size: Any,
    rank: int,
    strides: Any,
    padding: str,
    data_format: Optional[str],
    pool_mode: str,
) -> Tensor:
    pool = K.F.max_pool if shapes.one_of(pool_mode, ('max', 'avg'), 'pool_mode') == 'max' else K.F.avg_pool
    s = Spatial(K, x, rank, strides, padding, data_format)
    window = shapes.spatial(pool_size, rank, 'pool_size')
    return s.back(pool(s.x, window=window, strides=s.strides, padding=s.padding))


# -- said in other K functions -----------------------------------------------------------------------------------------
# A window is taken apart into its taps: each is a strided slice of the whole input, so nothing depends on the number of
# places the window visits.


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
