"""Keras 1.2.2 on the engines: the functions of `keras.backend` that Keras 2 named, ordered or computed in another way.

The reference is Keras 1.2.2 on TensorFlow 1.15, run as a black box: see `tests/programs/keras1_functions.py`.
"""

from types import ModuleType
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

FORMATS = {'th': 'channels_first', 'tf': 'channels_last'}


def functions(K: ModuleType) -> Dict[str, Callable[..., Any]]:
    """The functions of Keras 1, composed of those of an engine.

    Parameters
    ----------
    K : module
        An engine: the functions of Keras 2.

    Returns
    -------
    dict of str to callable
        The functions that differ from those of the engine, by name.
    """
    made = Keras1(K)
    return {name: getattr(made, name) for name in vars(Keras1) if not name.startswith('_')}


class Keras1:
    """The functions. `border_mode` is `padding` of Keras 2, `dim_ordering` 'th' and 'tf' are its two data formats."""

    def __init__(self, K: Any) -> None:
        self._K = K
        self._legacy_weights = False

    def _data_format(self, dim_ordering: str) -> str:
        if dim_ordering == 'default':
            return str(self._K.image_data_format())
        if dim_ordering not in FORMATS:
            raise ValueError(f"dim_ordering is {dim_ordering!r}; type 'th', 'tf' or 'default'.")
        return FORMATS[dim_ordering]

    def _kernel(self, kernel: Any, data_format: str) -> Any:
        """A kernel in the order of Keras 2: (rows, columns, ..., channels, filters).

        With 'th' Keras 1 has kernels of the shape (filters, channels, rows, columns, ...).
        """
        if data_format == 'channels_last':
            return kernel
        return self._K.permute_dimensions(kernel, tuple(range(2, self._K.ndim(kernel))) + (1, 0))

    def _convolved(
        self, function: Any, x: Any, kernel: Any, strides: Any, border_mode: str, data_format: str, *dilation: Any
    ) -> Any:
        """A convolution. 'full' of Theano has each pixel where the kernel and the image meet at all."""
        if border_mode == 'full':
            rates = dilation[0] if dilation else (1,) * (self._K.ndim(x) - 2)
            sizes = self._K.int_shape(kernel)[: len(rates)]
            x = self._edges(x, [(size - 1) * rate for size, rate in zip(sizes, rates)], data_format)
            border_mode = 'valid'
        return function(x, kernel, strides, border_mode, data_format, *dilation)

    def _edges(self, x: Any, sizes: Sequence[int], data_format: str) -> Any:
        """Zeros on both sides of steps, images or volumes."""
        if len(sizes) == 1:
            return self._K.temporal_padding(x, (sizes[0], sizes[0]))
        pad = self._K.spatial_2d_padding if len(sizes) == 2 else self._K.spatial_3d_padding
        return pad(x, _both_sides(sizes), data_format)

    # Arguments of another name.

    def expand_dims(self, x: Any, dim: int = -1) -> Any:
        """`K.expand_dims` with `dim` for `axis`."""
        return self._K.expand_dims(x, dim)

    def one_hot(self, indices: Any, nb_classes: int) -> Any:
        """`K.one_hot` with `nb_classes` for `num_classes`."""
        return self._K.one_hot(indices, nb_classes)

    def random_normal(
        self, shape: Any, mean: float = 0.0, std: float = 1.0, dtype: Optional[str] = None, seed: Optional[int] = None
    ) -> Any:
        """`K.random_normal` with `std` for `stddev`."""
        return self._K.random_normal(shape, mean, std, dtype, seed)

    def random_uniform(
        self, shape: Any, low: float = 0.0, high: float = 1.0, dtype: Optional[str] = None, seed: Optional[int] = None
    ) -> Any:
        """`K.random_uniform` with `low` and `high` for `minval` and `maxval`."""
        return self._K.random_uniform(shape, low, high, dtype, seed)

    def moving_average_update(self, variable: Any, value: Any, momentum: float) -> Any:
        """`K.moving_average_update` with `variable` for `x`."""
        return self._K.moving_average_update(variable, value, momentum)

    def lesser(self, x: Any, y: Any) -> Any:
        """`K.less`."""
        return self._K.less(x, y)

    def lesser_equal(self, x: Any, y: Any) -> Any:
        """`K.less_equal`."""
        return self._K.less_equal(x, y)

    # The result of the model comes first, and the target second.

    def categorical_crossentropy(self, output: Any, target: Any, from_logits: bool = False) -> Any:
        """`K.categorical_crossentropy` with the output of the model first."""
        return self._K.categorical_crossentropy(target, output, from_logits)

    def sparse_categorical_crossentropy(self, output: Any, target: Any, from_logits: bool = False) -> Any:
        """`K.sparse_categorical_crossentropy` with the output of the model first."""
        return self._K.sparse_categorical_crossentropy(target, output, from_logits)

    def binary_crossentropy(self, output: Any, target: Any, from_logits: bool = False) -> Any:
        """`K.binary_crossentropy` with the output of the model first."""
        return self._K.binary_crossentropy(target, output, from_logits)

    # Convolutions and pools.

    def conv1d(
        self,
        x: Any,
        kernel: Any,
        stride: int = 1,
        border_mode: str = 'valid',
        image_shape: Any = None,
        filter_shape: Any = None,
    ) -> Any:
        """`K.conv1d` of (samples, steps, channels) and (length, channels, filters)."""
        return self._convolved(self._K.conv1d, x, kernel, stride, border_mode, 'channels_last')

    def conv2d(
        self,
        x: Any,
        kernel: Any,
        strides: Tuple[int, int] = (1, 1),
        border_mode: str = 'valid',
        dim_ordering: str = 'default',
        image_shape: Any = None,
        filter_shape: Any = None,
        filter_dilation: Tuple[int, int] = (1, 1),
    ) -> Any:
        """`K.conv2d` of images and a kernel in the order `dim_ordering`."""
        data_format = self._data_format(dim_ordering)
        kernel = self._kernel(kernel, data_format)
        return self._convolved(self._K.conv2d, x, kernel, strides, border_mode, data_format, filter_dilation)

    def atrous_conv2d(
        self,
        x: Any,
        kernel: Any,
        rate: int = 1,
        border_mode: str = 'valid',
        dim_ordering: str = 'default',
        image_shape: Any = None,
        filter_shape: Any = None,
    ) -> Any:
        """`K.conv2d` with the dilation `rate`."""
        return self.conv2d(x, kernel, (1, 1), border_mode, dim_ordering, filter_dilation=(rate, rate))

    def deconv2d(
        self,
        x: Any,
        kernel: Any,
        output_shape: Any,
        strides: Tuple[int, int] = (1, 1),
        border_mode: str = 'valid',
        dim_ordering: str = 'default',
        image_shape: Any = None,
        filter_shape: Any = None,
    ) -> Any:
        """`K.conv2d_transpose` of images and a kernel in the order `dim_ordering`."""
        data_format = self._data_format(dim_ordering)
        # Keras 2 has kernels (rows, columns, filters, channels) here, and Keras 1 those of a convolution.
        kernel = self._K.permute_dimensions(self._kernel(kernel, data_format), (0, 1, 3, 2))
        return self._K.conv2d_transpose(x, kernel, output_shape, strides, border_mode, data_format)

    def separable_conv2d(
        self,
        x: Any,
        depthwise_kernel: Any,
        pointwise_kernel: Any,
        strides: Tuple[int, int] = (1, 1),
        border_mode: str = 'valid',
        dim_ordering: str = 'default',
    ) -> Any:
        """`K.separable_conv2d` of images and kernels in the order `dim_ordering`."""
        data_format = self._data_format(dim_ordering)
        kernels = [self._kernel(kernel, data_format) for kernel in (depthwise_kernel, pointwise_kernel)]
        return self._K.separable_conv2d(x, kernels[0], kernels[1], strides, border_mode, data_format)

    def conv3d(
        self,
        x: Any,
        kernel: Any,
        strides: Tuple[int, int, int] = (1, 1, 1),
        border_mode: str = 'valid',
        dim_ordering: str = 'default',
        volume_shape: Any = None,
        filter_shape: Any = None,
    ) -> Any:
        """`K.conv3d` of volumes and a kernel in the order `dim_ordering`."""
        data_format = self._data_format(dim_ordering)
        kernel = self._kernel(kernel, data_format)
        return self._convolved(self._K.conv3d, x, kernel, strides, border_mode, data_format)

    def pool2d(
        self,
        x: Any,
        pool_size: Tuple[int, int],
        strides: Tuple[int, int] = (1, 1),
        border_mode: str = 'valid',
        dim_ordering: str = 'default',
        pool_mode: str = 'max',
    ) -> Any:
        """`K.pool2d` of images in the order `dim_ordering`."""
        return self._K.pool2d(x, pool_size, strides, border_mode, self._data_format(dim_ordering), pool_mode)

    def pool3d(
        self,
        x: Any,
        pool_size: Tuple[int, int, int],
        strides: Tuple[int, int, int] = (1, 1, 1),
        border_mode: str = 'valid',
        dim_ordering: str = 'default',
        pool_mode: str = 'max',
    ) -> Any:
        """`K.pool3d` of volumes in the order `dim_ordering`."""
        return self._K.pool3d(x, pool_size, strides, border_mode, self._data_format(dim_ordering), pool_mode)

    # Sizes and edges.

    def resize_images(self, X: Any, height_factor: int, width_factor: int, dim_ordering: str) -> Any:
        """`K.resize_images` of images in the order `dim_ordering`."""
        return self._K.resize_images(X, height_factor, width_factor, self._data_format(dim_ordering))

    def resize_volumes(
        self, X: Any, depth_factor: int, height_factor: int, width_factor: int, dim_ordering: str
    ) -> Any:
        """`K.resize_volumes` of volumes in the order `dim_ordering`."""
        return self._K.resize_volumes(X, depth_factor, height_factor, width_factor, self._data_format(dim_ordering))

    def temporal_padding(self, x: Any, padding: int = 1) -> Any:
        """`K.temporal_padding` with the same number of steps on both sides."""
        return self._K.temporal_padding(x, (padding, padding))

    def asymmetric_temporal_padding(self, x: Any, left_pad: int = 1, right_pad: int = 1) -> Any:
        """`K.temporal_padding`."""
        return self._K.temporal_padding(x, (left_pad, right_pad))

    def spatial_2d_padding(self, x: Any, padding: Sequence[int] = (1, 1), dim_ordering: str = 'default') -> Any:
        """`K.spatial_2d_padding` with the same number of pixels on both sides."""
        return self._K.spatial_2d_padding(x, _both_sides(padding), self._data_format(dim_ordering))

    def asymmetric_spatial_2d_padding(
        self,
        x: Any,
        top_pad: int = 1,
        bottom_pad: int = 1,
        left_pad: int = 1,
        right_pad: int = 1,
        dim_ordering: str = 'default',
    ) -> Any:
        """`K.spatial_2d_padding`."""
        padding = (top_pad, bottom_pad), (left_pad, right_pad)
        return self._K.spatial_2d_padding(x, padding, self._data_format(dim_ordering))

    def spatial_3d_padding(self, x: Any, padding: Sequence[int] = (1, 1, 1), dim_ordering: str = 'default') -> Any:
        """`K.spatial_3d_padding` with the same number of voxels on both sides."""
        return self._K.spatial_3d_padding(x, _both_sides(padding), self._data_format(dim_ordering))

    # The order of weights in files of Keras 0.3.

    def legacy_weight_ordering(self) -> bool:
        """Whether weights are ordered as before Keras 1."""
        return self._legacy_weights

    def set_legacy_weight_ordering(self, value: bool) -> None:
        """Say whether weights are ordered as before Keras 1. Raises ValueError for no bool."""
        if value not in (True, False):
            raise ValueError(f'K.set_legacy_weight_ordering: value is {value!r}; type True or False.')
        self._legacy_weights = bool(value)


def _both_sides(padding: Sequence[int]) -> Tuple[Tuple[int, int], ...]:
    return tuple([(size, size) for size in padding])
