"""Convolution and pooling.

Longer than other files: a docstring per name is its content, and a topic is one file in every part of the package.
"""

from typing import Optional

from .engine import K
from .kinds import DataFormat, Legacy, Padding, PaddingInTime, PoolMode, Sizes, Tensor, TensorLike, Window

TITLE = 'Convolution and pooling'


def conv1d(
    x: TensorLike,
    kernel: TensorLike,
    strides: Window = 1,
    padding: PaddingInTime = 'valid',
    data_format: Optional[DataFormat] = None,
    dilation_rate: Window = 1,
    **legacy: Legacy,
) -> Tensor:
    """Convolve sequences with a kernel.

    Parameters
    ----------
    x : tensor, shape (samples, time, channels) or (samples, channels, time)
        `data_format` says where the channels are. The length may be unknown.
    kernel : tensor, shape (length, channels, filters)
        It is not flipped, so this is a cross-correlation.
    strides : int or tuple of one int, optional
        The distance between neighbouring outputs, in elements of `x`.
    padding : {'valid', 'same', 'causal'}, optional
        'valid' adds no zeros. 'same' adds zeros until there are ceil(time / strides) outputs. 'causal' adds zeros on
        the left, so that no output sees later inputs.
    data_format : {'channels_last', 'channels_first'}, optional
        Layout of `x` and of the result. None means `K.image_data_format()`.
    dilation_rate : int or tuple of one int, optional
        The distance between neighbouring kernel entries, in elements of `x`.

    Returns
    -------
    tensor, shape (samples, new_time, filters) or (samples, filters, new_time)
        It has the layout of `x`.

    Raises
    ------
    ValueError
        `data_format` or `padding` is none of those, the channels do not fit, or `x` is shorter than
        the kernel.

    Examples
    --------
    >>> x = K.reshape(K.variable([1., 2., 3., 4.]), (1, 4, 1))
    >>> kernel = K.reshape(K.variable([1., 10.]), (2, 1, 1))
    >>> K.eval(K.conv1d(x, kernel, data_format='channels_last'))[0, :, 0].tolist()
    [21.0, 32.0, 43.0]
    >>> K.eval(K.conv1d(x, kernel, padding='causal', data_format='channels_last'))[0, :, 0].tolist()
    [10.0, 21.0, 32.0, 43.0]
    """
    return K.conv1d(x, kernel, strides, padding, data_format, dilation_rate, **legacy)


def conv2d(
    x: TensorLike,
    kernel: TensorLike,
    strides: Window = (1, 1),
    padding: Padding = 'valid',
    data_format: Optional[DataFormat] = None,
    dilation_rate: Window = (1, 1),
    *hints: Legacy,
    **legacy: Legacy,
) -> Tensor:
    """Convolve images with a kernel.

    Parameters
    ----------
    x : tensor, shape (samples, rows, cols, channels) or (samples, channels, rows, cols)
        `data_format` says where the channels are. Sizes may be unknown.
    kernel : tensor, shape (kernel_rows, kernel_cols, channels, filters)
        The layout is the same for both data formats. The kernel is not flipped, so this is a cross-correlation.
    strides : int or tuple of two int, optional
        The distance between neighbouring outputs, in elements of `x`.
    padding : {'valid', 'same'}, optional
        'valid' adds no zeros. 'same' adds zeros until there are ceil(size / stride) outputs; an odd zero is added at
        the end.
    data_format : {'channels_last', 'channels_first'}, optional
        Layout of `x` and of the result. None means `K.image_data_format()`.
    dilation_rate : int or tuple of two int, optional
        The distance between neighbouring kernel entries, in elements of `x`; may be combined with strides.

    Returns
    -------
    tensor, shape (samples, new_rows, new_cols, filters) or (samples, filters, new_rows, new_cols)
        It has the layout of `x`.

    Raises
    ------
    ValueError
        `data_format` or `padding` is none of those, the channels do not fit, or `x` is smaller than
        the kernel.

    Examples
    --------
    >>> x = K.reshape(K.variable([[1., 2., 3.], [4., 5., 6.]]), (1, 2, 3, 1))
    >>> kernel = K.reshape(K.variable([[1., 10.], [100., 1000.]]), (2, 2, 1, 1))
    >>> K.eval(K.conv2d(x, kernel, data_format='channels_last')).ravel().tolist()
    [5421.0, 6532.0]
    >>> images = K.placeholder(shape=(None, 28, 28, 3))
    >>> K.int_shape(K.conv2d(images, K.ones((3, 3, 3, 8)), (2, 2), 'same', 'channels_last'))
    (None, 14, 14, 8)
    """
    return K.conv2d(x, kernel, strides, padding, data_format, dilation_rate, *hints, **legacy)


def conv2d_transpose(
    x: TensorLike,
    kernel: TensorLike,
    output_shape: Sizes,
    strides: Window = (1, 1),
    padding: Padding = 'valid',
    data_format: Optional[DataFormat] = None,
    dilation_rate: Window = (1, 1),
    **legacy: Legacy,
) -> Tensor:
    """Transposed convolution of images: the gradient of `K.conv2d` with respect to its input.

    Parameters
    ----------
    x : tensor, shape (samples, rows, cols, channels) or (samples, channels, rows, cols)
        `data_format` says where the channels are.
    kernel : tensor, shape (kernel_rows, kernel_cols, filters, channels)
        The kernel of the convolution that leads from the result back to `x`.
    output_shape : tuple of int, or 1-D tensor of int
        Shape of the result, samples included; that entry may be None, -1 or a tensor.
    strides : int or tuple of two int, optional
        The distance between neighbouring elements of `x`, in elements of the result.
    padding : {'valid', 'same'}, optional
        The padding of the convolution that leads from the result back to `x`.
    data_format : {'channels_last', 'channels_first'}, optional
        Layout of `x` and of the result. None means `K.image_data_format()`.
    dilation_rate : int or tuple of two int, optional
        The distance between neighbouring kernel entries, in elements of the result.

    Returns
    -------
    tensor, shape `output_shape`
        It has the layout of `x`.

    Raises
    ------
    ValueError
        `data_format` or `padding` is none of those, or a convolution of `output_shape` would not
        have the size of `x`.

    References
    ----------
    V. Dumoulin, F. Visin, A guide to convolution arithmetic for deep learning, 2016.

    Examples
    --------
    >>> x = K.reshape(K.variable([1., 2.]), (1, 1, 2, 1))
    >>> kernel = K.reshape(K.variable([[1., 10.], [100., 1000.]]), (2, 2, 1, 1))
    >>> y = K.conv2d_transpose(x, kernel, (1, 2, 4, 1), strides=(2, 2), data_format='channels_last')
    >>> K.eval(y)[0, :, :, 0].tolist()
    [[1.0, 10.0, 2.0, 20.0], [100.0, 1000.0, 200.0, 2000.0]]
    """
    return K.conv2d_transpose(x, kernel, output_shape, strides, padding, data_format, dilation_rate, **legacy)


def separable_conv1d(
    x: TensorLike,
    depthwise_kernel: TensorLike,
    pointwise_kernel: TensorLike,
    strides: Window = 1,
    padding: PaddingInTime = 'valid',
    data_format: Optional[DataFormat] = None,
    dilation_rate: Window = 1,
    **legacy: Legacy,
) -> Tensor:
    """Convolve each channel of sequences on its own, then mix the channels.

    Parameters
    ----------
    x : tensor, shape (samples, time, channels) or (samples, channels, time)
        `data_format` says where the channels are.
    depthwise_kernel : tensor, shape (length, channels, multiplier)
        Each channel gives `multiplier` new ones, in the order of the channels.
    pointwise_kernel : tensor, shape (1, channels * multiplier, filters)
        Mixes them.
    strides : int or tuple of one int, optional
        The distance between neighbouring outputs, in elements of `x`.
    padding : {'valid', 'same', 'causal'}, optional
        As for `K.conv1d`.
    data_format : {'channels_last', 'channels_first'}, optional
        Layout of `x` and of the result. None means `K.image_data_format()`.
    dilation_rate : int or tuple of one int, optional
        The distance between neighbouring kernel entries, in elements of `x`.

    Returns
    -------
    tensor, shape (samples, new_time, filters) or (samples, filters, new_time)
        It has the layout of `x`.

    Raises
    ------
    ValueError
        `data_format` or `padding` is none of those, the channels do not fit, or `x` is shorter than
        the kernel.

    Examples
    --------
    >>> x = K.variable([[[1., 2.], [3., 4.], [5., 6.]]])
    >>> depthwise = K.ones((2, 2, 1))
    >>> pointwise = K.reshape(K.variable([1., 100.]), (1, 2, 1))
    >>> K.eval(K.separable_conv1d(x, depthwise, pointwise, data_format='channels_last'))[0, :, 0].tolist()
    [604.0, 1008.0]
    """
    return K.separable_conv1d(
        x, depthwise_kernel, pointwise_kernel, strides, padding, data_format, dilation_rate, **legacy
    )


def separable_conv2d(
    x: TensorLike,
    depthwise_kernel: TensorLike,
    pointwise_kernel: TensorLike,
    strides: Window = (1, 1),
    padding: Padding = 'valid',
    data_format: Optional[DataFormat] = None,
    dilation_rate: Window = (1, 1),
    **legacy: Legacy,
) -> Tensor:
    """Convolve each channel of images on its own, then mix the channels.

    Parameters
    ----------
    x : tensor, shape (samples, rows, cols, channels) or (samples, channels, rows, cols)
        `data_format` says where the channels are.
    depthwise_kernel : tensor, shape (kernel_rows, kernel_cols, channels, multiplier)
        Each channel gives `multiplier` new ones, in the order of the channels.
    pointwise_kernel : tensor, shape (1, 1, channels * multiplier, filters)
        Mixes them.
    strides : int or tuple of two int, optional
        The distance between neighbouring outputs, in elements of `x`.
    padding : {'valid', 'same'}, optional
        As for `K.conv2d`.
    data_format : {'channels_last', 'channels_first'}, optional
        Layout of `x` and of the result. None means `K.image_data_format()`.
    dilation_rate : int or tuple of two int, optional
        The distance between neighbouring kernel entries, in elements of `x`.

    Returns
    -------
    tensor, shape (samples, new_rows, new_cols, filters) or (samples, filters, new_rows, new_cols)
        It has the layout of `x`.

    Raises
    ------
    ValueError
        `data_format` or `padding` is none of those, the channels do not fit, or `x` is smaller than
        the kernel.

    References
    ----------
    F. Chollet, Xception: Deep Learning with Depthwise Separable Convolutions, 2016.

    Examples
    --------
    >>> x = K.reshape(K.variable([[1., 2.], [3., 4.], [5., 6.]]), (1, 3, 1, 2))
    >>> depthwise = K.ones((2, 1, 2, 1))
    >>> pointwise = K.reshape(K.variable([1., 100.]), (1, 1, 2, 1))
    >>> K.eval(K.separable_conv2d(x, depthwise, pointwise, data_format='channels_last')).ravel().tolist()
    [604.0, 1008.0]
    """
    return K.separable_conv2d(
        x, depthwise_kernel, pointwise_kernel, strides, padding, data_format, dilation_rate, **legacy
    )


def depthwise_conv2d(
    x: TensorLike,
    depthwise_kernel: TensorLike,
    strides: Window = (1, 1),
    padding: Padding = 'valid',
    data_format: Optional[DataFormat] = None,
    dilation_rate: Window = (1, 1),
    **legacy: Legacy,
) -> Tensor:
    """Convolve each channel of images on its own.

    Parameters
    ----------
    x : tensor, shape (samples, rows, cols, channels) or (samples, channels, rows, cols)
        `data_format` says where the channels are.
    depthwise_kernel : tensor, shape (kernel_rows, kernel_cols, channels, multiplier)
        Each channel gives `multiplier` new ones, in the order of the channels.
    strides : int or tuple of two int, optional
        The distance between neighbouring outputs, in elements of `x`.
    padding : {'valid', 'same'}, optional
        As for `K.conv2d`.
    data_format : {'channels_last', 'channels_first'}, optional
        Layout of `x` and of the result. None means `K.image_data_format()`.
    dilation_rate : int or tuple of two int, optional
        The distance between neighbouring kernel entries, in elements of `x`.

    Returns
    -------
    tensor, shape (samples, new_rows, new_cols, channels * multiplier), or channels first
        It has the layout of `x`.

    Raises
    ------
    ValueError
        `data_format` or `padding` is none of those, the channels do not fit, or `x` is smaller than
        the kernel.

    Examples
    --------
    >>> x = K.reshape(K.variable([[1., 2.], [3., 4.]]), (1, 2, 1, 2))
    >>> kernel = K.reshape(K.variable([[1., 10.], [1., 10.]]), (1, 1, 2, 2))
    >>> K.eval(K.depthwise_conv2d(x, kernel, data_format='channels_last'))[0, :, 0].tolist()
    [[1.0, 10.0, 2.0, 20.0], [3.0, 30.0, 4.0, 40.0]]
    """
    return K.depthwise_conv2d(x, depthwise_kernel, strides, padding, data_format, dilation_rate, **legacy)


def conv3d(
    x: TensorLike,
    kernel: TensorLike,
    strides: Window = (1, 1, 1),
    padding: Padding = 'valid',
    data_format: Optional[DataFormat] = None,
    dilation_rate: Window = (1, 1, 1),
    *hints: Legacy,
    **legacy: Legacy,
) -> Tensor:
    """Convolve volumes with a kernel.

    Parameters
    ----------
    x : tensor, shape (samples, depth, rows, cols, channels) or (samples, channels, depth, rows, cols)
        `data_format` says where the channels are. Sizes may be unknown.
    kernel : tensor, shape (kernel_depth, kernel_rows, kernel_cols, channels, filters)
        The layout is the same for both data formats. The kernel is not flipped, so this is a cross-correlation.
    strides : int or tuple of three int, optional
        The distance between neighbouring outputs, in elements of `x`.
    padding : {'valid', 'same'}, optional
        As for `K.conv2d`.
    data_format : {'channels_last', 'channels_first'}, optional
        Layout of `x` and of the result. None means `K.image_data_format()`.
    dilation_rate : int or tuple of three int, optional
        The distance between neighbouring kernel entries, in elements of `x`.

    Returns
    -------
    tensor, shape (samples, new_depth, new_rows, new_cols, filters), or channels first
        It has the layout of `x`.

    Raises
    ------
    ValueError
        `data_format` or `padding` is none of those, the channels do not fit, or `x` is smaller than
        the kernel.

    Examples
    --------
    >>> x = K.reshape(K.variable([[1., 2.], [3., 4.], [5., 6.]]), (1, 3, 1, 2, 1))
    >>> K.eval(K.conv3d(x, K.ones((2, 1, 2, 1, 1)), data_format='channels_last')).ravel().tolist()
    [10.0, 18.0]
    """
    return K.conv3d(x, kernel, strides, padding, data_format, dilation_rate, *hints, **legacy)


def conv3d_transpose(
    x: TensorLike,
    kernel: TensorLike,
    output_shape: Sizes,
    strides: Window = (1, 1, 1),
    padding: Padding = 'valid',
    data_format: Optional[DataFormat] = None,
    **legacy: Legacy,
) -> Tensor:
    """Transposed convolution of volumes: the gradient of `K.conv3d` with respect to its input.

    Parameters
    ----------
    x : tensor, shape (samples, depth, rows, cols, channels) or (samples, channels, depth, rows, cols)
        `data_format` says where the channels are.
    kernel : tensor, shape (kernel_depth, kernel_rows, kernel_cols, filters, channels)
        The kernel of the convolution that leads from the result back to `x`.
    output_shape : tuple of int, or 1-D tensor of int
        Shape of the result, samples included; that entry may be None, -1 or a tensor.
    strides : int or tuple of three int, optional
        The distance between neighbouring elements of `x`, in elements of the result.
    padding : {'valid', 'same'}, optional
        The padding of the convolution that leads from the result back to `x`.
    data_format : {'channels_last', 'channels_first'}, optional
        Layout of `x` and of the result. None means `K.image_data_format()`.

    Returns
    -------
    tensor, shape `output_shape`
        It has the layout of `x`.

    Raises
    ------
    ValueError
        `data_format` or `padding` is none of those, or a convolution of `output_shape` would not
        have the size of `x`.

    Examples
    --------
    >>> x = K.reshape(K.variable([1., 2.]), (1, 1, 1, 2, 1))
    >>> kernel = K.reshape(K.variable([1., 10.]), (1, 1, 2, 1, 1))
    >>> y = K.conv3d_transpose(x, kernel, (1, 1, 1, 4, 1), strides=(1, 1, 2), data_format='channels_last')
    >>> K.eval(y).ravel().tolist()
    [1.0, 10.0, 2.0, 20.0]
    """
    return K.conv3d_transpose(x, kernel, output_shape, strides, padding, data_format, **legacy)


def pool2d(
    x: TensorLike,
    pool_size: Window,
    strides: Window = (1, 1),
    padding: Padding = 'valid',
    data_format: Optional[DataFormat] = None,
    pool_mode: PoolMode = 'max',
    **legacy: Legacy,
) -> Tensor:
    """Maximum or mean over windows of images.

    Parameters
    ----------
    x : tensor, shape (samples, rows, cols, channels) or (samples, channels, rows, cols)
        `data_format` says where the channels are.
    pool_size : int or tuple of two int
        Rows and columns of the window.
    strides : int or tuple of two int, optional
        The distance between neighbouring windows.
    padding : {'valid', 'same'}, optional
        'valid' takes whole windows only. 'same' takes ceil(size / stride) windows; places outside of `x` do not count.
    data_format : {'channels_last', 'channels_first'}, optional
        Layout of `x` and of the result. None means `K.image_data_format()`.
    pool_mode : {'max', 'avg'}, optional
        Maximum or mean.

    Returns
    -------
    tensor, shape (samples, new_rows, new_cols, channels) or (samples, channels, new_rows, new_cols)
        It has the layout of `x`.

    Raises
    ------
    ValueError
        `data_format`, `padding` or `pool_mode` is none of those.

    Examples
    --------
    >>> x = K.reshape(K.variable([[1., 2., 3.], [4., 5., 6.]]), (1, 2, 3, 1))
    >>> K.eval(K.pool2d(x, (2, 2), data_format='channels_last')).ravel().tolist()
    [5.0, 6.0]
    >>> K.eval(K.pool2d(x, (2, 2), (2, 2), 'same', 'channels_last', pool_mode='avg')).ravel().tolist()
    [3.0, 4.5]
    """
    return K.pool2d(x, pool_size, strides, padding, data_format, pool_mode, **legacy)


def pool3d(
    x: TensorLike,
    pool_size: Window,
    strides: Window = (1, 1, 1),
    padding: Padding = 'valid',
    data_format: Optional[DataFormat] = None,
    pool_mode: PoolMode = 'max',
    **legacy: Legacy,
) -> Tensor:
    """Maximum or mean over windows of volumes.

    Parameters
    ----------
    x : tensor, shape (samples, depth, rows, cols, channels) or (samples, channels, depth, rows, cols)
        `data_format` says where the channels are.
    pool_size : int or tuple of three int
        Depth, rows and columns of the window.
    strides : int or tuple of three int, optional
        The distance between neighbouring windows.
    padding : {'valid', 'same'}, optional
        'valid' takes whole windows only. 'same' takes ceil(size / stride) windows; places outside of `x` do not count.
    data_format : {'channels_last', 'channels_first'}, optional
        Layout of `x` and of the result. None means `K.image_data_format()`.
    pool_mode : {'max', 'avg'}, optional
        Maximum or mean.

    Returns
    -------
    tensor, shape (samples, new_depth, new_rows, new_cols, channels), or channels first
        It has the layout of `x`.

    Raises
    ------
    ValueError
        `data_format`, `padding` or `pool_mode` is none of those.

    Examples
    --------
    >>> x = K.reshape(K.variable([1., 2., 3., 4.]), (1, 1, 2, 2, 1))
    >>> K.eval(K.pool3d(x, (1, 2, 1), data_format='channels_last', pool_mode='avg')).ravel().tolist()
    [2.0, 3.0]
    """
    return K.pool3d(x, pool_size, strides, padding, data_format, pool_mode, **legacy)


def local_conv1d(
    inputs: TensorLike,
    kernel: TensorLike,
    kernel_size: Window,
    strides: Window,
    data_format: Optional[DataFormat] = None,
    **legacy: Legacy,
) -> Tensor:
    """Convolve sequences with a kernel of its own at every place.

    Parameters
    ----------
    inputs : tensor, shape (samples, time, channels)
        The channels are last, whatever `data_format` says.
    kernel : tensor, shape (new_time, length * channels, filters)
        One matrix per output, for the window's elements in the order (length, channels).
    kernel_size : int or tuple of one int
        The length of the window.
    strides : int or tuple of one int
        The distance between neighbouring windows.
    data_format : {'channels_last', 'channels_first'}, optional
        It is checked, and has no effect: sequences have their channels last. None means `K.image_data_format()`.

    Returns
    -------
    tensor, shape (samples, new_time, filters)

    Raises
    ------
    ValueError
        `data_format` is neither of the two.

    Examples
    --------
    >>> x = K.reshape(K.variable([1., 2., 3.]), (1, 3, 1))
    >>> kernel = K.reshape(K.variable([[1., 10.], [100., 1000.]]), (2, 2, 1))
    >>> K.eval(K.local_conv1d(x, kernel, (2,), (1,), data_format='channels_last'))[0, :, 0].tolist()
    [21.0, 3200.0]
    """
    return K.local_conv1d(inputs, kernel, kernel_size, strides, data_format, **legacy)


def local_conv2d(
    inputs: TensorLike,
    kernel: TensorLike,
    kernel_size: Window,
    strides: Window,
    output_shape: Window,
    data_format: Optional[DataFormat] = None,
    **legacy: Legacy,
) -> Tensor:
    """Convolve images with a kernel of its own at every place.

    Parameters
    ----------
    inputs : tensor, shape (samples, rows, cols, channels) or (samples, channels, rows, cols)
        `data_format` says where the channels are.
    kernel : tensor, shape (new_rows * new_cols, kernel_rows * kernel_cols * channels, filters)
        One matrix per output, for the window's elements in their order in memory: (kernel_rows,
        kernel_cols, channels) for 'channels_last', (channels, kernel_rows, kernel_cols) for
        'channels_first'.
    kernel_size : int or tuple of two int
        Rows and columns of the window.
    strides : int or tuple of two int
        The distance between neighbouring windows.
    output_shape : tuple of two int
        (new_rows, new_cols).
    data_format : {'channels_last', 'channels_first'}, optional
        Layout of `inputs` and of the result. None means `K.image_data_format()`.

    Returns
    -------
    tensor, shape (samples, new_rows, new_cols, filters) or (samples, filters, new_rows, new_cols)
        It has the layout of `inputs`.

    Raises
    ------
    ValueError
        `data_format` is neither of the two.

    Examples
    --------
    >>> x = K.reshape(K.variable([[1., 2., 3.]]), (1, 1, 3, 1))
    >>> kernel = K.reshape(K.variable([[1., 10.], [100., 1000.]]), (2, 2, 1))
    >>> K.eval(K.local_conv2d(x, kernel, (1, 2), (1, 1), (1, 2), 'channels_last')).ravel().tolist()
    [21.0, 3200.0]
    """
    return K.local_conv2d(inputs, kernel, kernel_size, strides, output_shape, data_format, **legacy)
