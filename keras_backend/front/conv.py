"""Convolution and pooling. The primitives are channels last; channels first goes through a transposition."""

from typing import Any, Dict, Optional, Sequence

from ..basics import dtypes, shapes
from ..basics.library import Tensor
from ..basics.shapes import check_channels, known
from ..errors import ShapeError
from .operands import Operands


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
