"""Convolution and pooling. The primitives are channels last; channels first goes through a transposition."""

from ... import shapes
from ...errors import ShapeError
from ..dims import known
from ..spatial import Spatial
from ..tensor import Tensor

K = G = None


def _conv(x, kernel, rank, strides, padding, data_format, dilation, allowed=('valid', 'same')):
    s = Spatial(K, G, x, rank, strides, padding, data_format, dilation, allowed)
    kernel = s.kernel(kernel)
    return s.back(G.F.conv(s.x, kernel, **s.geometry))


def conv1d(x, kernel, strides=1, padding='valid', data_format=None, dilation_rate=1):
    return _conv(x, kernel, 1, strides, padding, data_format, dilation_rate, ('valid', 'same', 'causal'))


def conv2d(x, kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1)):
    return _conv(x, kernel, 2, strides, padding, data_format, dilation_rate)


def conv3d(x, kernel, strides=(1, 1, 1), padding='valid', data_format=None, dilation_rate=(1, 1, 1)):
    return _conv(x, kernel, 3, strides, padding, data_format, dilation_rate)


def _transposed(x, kernel, output_shape, rank, strides, padding, data_format, dilation):
    s = Spatial(K, G, x, rank, strides, padding, data_format, dilation)
    kernel = s.kernel(kernel)
    if len(kernel.dims) != rank + 2:
        raise ShapeError(f'The kernel {kernel.name} of shape {kernel.shape} does not fit a {rank}-D convolution.')
    sizes = G.F.items(output_shape) if isinstance(output_shape, Tensor) else list(output_shape)
    if len(sizes) != rank + 2:
        raise ShapeError(f'output_shape needs {rank + 2} entries, got {len(sizes)}.')
    spatial = [G.F.size(d) for d in (sizes[2:] if s.first else sizes[1:-1])]
    for i, d in enumerate(spatial):
        n, k = s.x.dims[i + 1], kernel.dims[i]
        if known(n) and known(k) and isinstance(d, int):
            shapes.check_transpose(n, d, k, s.strides[i], s.padding, s.dilation[i])
    inputs, channels = s.x.dims[-1], kernel.dims[-1]
    made, asked = kernel.dims[-2], G.F.size(sizes[1] if s.first else sizes[-1])
    if known(made) and isinstance(asked, int) and asked not in (-1, made):
        raise ShapeError(
            f'output_shape asks for {asked} channels, but the kernel {kernel.name} of shape {kernel.shape} makes '
            f'{made}.'
        )
    if known(inputs) and known(channels) and inputs != channels:
        raise ShapeError(
            f'{s.x.name} has {inputs} channels, but the kernel {kernel.name} of shape {kernel.shape} takes {channels}.'
        )
    of_x = G.F.items(G.F.shape(s.x))
    shape = [of_x[0]] + spatial + [G.F.items(G.F.shape(kernel))[-2]]
    made = G.F.conv_input_grad(s.x, kernel, shape, **s.geometry)
    if not known(made.dims[0]):
        made.dims = s.x.dims[:1] + made.dims[1:]
    return s.back(made)


def conv2d_transpose(x, kernel, output_shape, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1)):
    return _transposed(x, kernel, output_shape, 2, strides, padding, data_format, dilation_rate)


def conv3d_transpose(x, kernel, output_shape, strides=(1, 1, 1), padding='valid', data_format=None):
    return _transposed(x, kernel, output_shape, 3, strides, padding, data_format, 1)


def depthwise_conv2d(x, depthwise_kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1)):
    s = Spatial(K, G, x, 2, strides, padding, data_format, dilation_rate)
    kernel = s.kernel(depthwise_kernel)
    return s.back(G.F.depthwise_conv(s.x, kernel, **s.geometry))


def _pool(x, pool_size, rank, strides, padding, data_format, pool_mode):
    name = {'max': 'max_pool', 'avg': 'avg_pool'}[shapes.one_of(pool_mode, ('max', 'avg'), 'pool_mode')]
    s = Spatial(K, G, x, rank, strides, padding, data_format)
    pooled = getattr(G.F, name)(
        s.x, window=shapes.spatial(pool_size, rank, 'pool_size'), strides=s.strides, padding=s.padding
    )
    return s.back(pooled)


def pool2d(x, pool_size, strides=(1, 1), padding='valid', data_format=None, pool_mode='max'):
    return _pool(x, pool_size, 2, strides, padding, data_format, pool_mode)


def pool3d(x, pool_size, strides=(1, 1, 1), padding='valid', data_format=None, pool_mode='max'):
    return _pool(x, pool_size, 3, strides, padding, data_format, pool_mode)
