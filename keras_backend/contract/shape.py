"""Rearranging, joining, repeating, padding and cutting tensors.

Longer than other files: a docstring per name is its content, and a topic is one file in every part of the package.
"""

from typing import Optional

from .engine import K
from .kinds import (
    Axes,
    Axis,
    DataFormat,
    Factor,
    Interpolation,
    Legacy,
    Shape,
    Sizes,
    Tensor,
    TensorLike,
    Tensors,
    Times,
    TimesOrTensor,
    Zeros,
    ZerosOfAxes,
)

TITLE = 'Shape'


def concatenate(tensors: Tensors, axis: Axis = -1) -> Tensor:
    """Join tensors along an axis they have.

    Parameters
    ----------
    tensors : list of tensor
        Their shapes are equal but for `axis`. All are dense, or all are sparse.
    axis : int, optional
        The axis to join along; negative ones count from the end.

    Returns
    -------
    tensor
        Sparse if all `tensors` are.

    See Also
    --------
    stack : join along a new axis.

    Examples
    --------
    >>> x, y = K.variable([[1., 2.], [3., 4.]]), K.variable([[5.], [6.]])
    >>> K.eval(K.concatenate([x, y])).tolist()
    [[1.0, 2.0, 5.0], [3.0, 4.0, 6.0]]
    """
    return K.concatenate(tensors, axis)


def reshape(x: TensorLike, shape: Shape) -> Tensor:
    """Give a tensor another shape; the elements keep their order.

    Parameters
    ----------
    x : tensor
        Of any shape.
    shape : tuple of int, or tensor of int, or tuple of both
        One entry may be -1 or None: it takes what is left.

    Returns
    -------
    tensor
        It has the shape `shape`.

    Raises
    ------
    ValueError
        The number of elements is known and does not fit.

    Examples
    --------
    >>> x = K.placeholder(shape=(None, 2, 6))
    >>> K.int_shape(K.reshape(x, (-1, 3, 4)))
    (None, 3, 4)
    >>> K.int_shape(K.reshape(x, [K.shape(x)[0], 12]))
    (None, 12)
    """
    return K.reshape(x, shape)


def permute_dimensions(x: TensorLike, pattern: Axes) -> Tensor:
    """Put the axes of a tensor in another order.

    Parameters
    ----------
    x : tensor
        Of any shape.
    pattern : tuple of int
        For each axis of the result, the axis of `x` that comes there.

    Returns
    -------
    tensor
        Its axis i is axis `pattern[i]` of `x`.

    Examples
    --------
    >>> K.int_shape(K.permute_dimensions(K.placeholder(shape=(None, 4, 5)), (0, 2, 1)))
    (None, 5, 4)
    """
    return K.permute_dimensions(x, pattern)


def resize_images(
    x: TensorLike = None,
    height_factor: Factor = None,
    width_factor: Factor = None,
    data_format: Optional[DataFormat] = None,
    interpolation: Interpolation = 'nearest',
    **legacy: Legacy,
) -> Tensor:
    """Enlarge images by whole factors.

    Parameters
    ----------
    x : tensor, shape (samples, rows, cols, channels) or (samples, channels, rows, cols)
        Images, laid out as `data_format` says.
    height_factor : int
        Factor of the rows, at least 1. A quotient such as 2.0 is taken if it is whole.
    width_factor : int
        Factor of the columns, likewise.
    data_format : {'channels_last', 'channels_first'}
        Layout of `x` and of the result. None means `K.image_data_format()`.
    interpolation : {'nearest', 'bilinear'}, optional
        'nearest' repeats each pixel. 'bilinear' interpolates between neighbours.

    Returns
    -------
    tensor
        It has the layout of `x`.

    Raises
    ------
    ValueError
        `data_format` or `interpolation` is neither of the two.

    Notes
    -----
    With 'bilinear', output row i is read at row i / height_factor of `x`. Columns are read in the same way. Beyond the
    last row or column, its values are repeated.

    Examples
    --------
    >>> x = K.reshape(K.variable([[1., 2.], [3., 4.]]), (1, 2, 2, 1))
    >>> K.eval(K.resize_images(x, 1, 2, 'channels_last'))[0, :, :, 0].tolist()
    [[1.0, 1.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0]]
    >>> K.eval(K.resize_images(x, 1, 2, 'channels_last', interpolation='bilinear'))[0, :, :, 0].tolist()
    [[1.0, 1.5, 2.0, 2.0], [3.0, 3.5, 4.0, 4.0]]
    """
    return K.resize_images(x, height_factor, width_factor, data_format, interpolation, **legacy)


def resize_volumes(
    x: TensorLike = None,
    depth_factor: Factor = None,
    height_factor: Factor = None,
    width_factor: Factor = None,
    data_format: Optional[DataFormat] = None,
    **legacy: Legacy,
) -> Tensor:
    """Enlarge volumes by whole factors, repeating each voxel.

    Parameters
    ----------
    x : tensor, shape (samples, depth, rows, cols, channels) or (samples, channels, depth, rows, cols)
        Volumes, laid out as `data_format` says.
    depth_factor : int
        Factor of the first spatial axis, at least 1.
    height_factor : int
        Factor of the second spatial axis, at least 1.
    width_factor : int
        Factor of the third spatial axis, at least 1.
    data_format : {'channels_last', 'channels_first'}
        Layout of `x` and of the result. None means `K.image_data_format()`.

    Returns
    -------
    tensor
        It has the layout of `x`.

    Raises
    ------
    ValueError
        `data_format` is neither of the two.

    Examples
    --------
    >>> x = K.placeholder(shape=(None, 2, 3, 4, 1))
    >>> K.int_shape(K.resize_volumes(x, 2, 2, 3, 'channels_last'))
    (None, 4, 6, 12, 1)
    """
    return K.resize_volumes(x, depth_factor, height_factor, width_factor, data_format, **legacy)


def repeat_elements(x: TensorLike, rep: Times, axis: Axis) -> Tensor:
    """Repeat each slice along an axis.

    Parameters
    ----------
    x : tensor
        At least 1-D.
    rep : int
        How often each slice occurs in the result, 0 or more.
    axis : int
        The axis; negative ones count from the end.

    Returns
    -------
    tensor
        It has the shape of `x`, with `axis` `rep` times as long. Copies are neighbours, as with
        `numpy.repeat`.

    See Also
    --------
    tile : repeat a tensor as a whole.

    Examples
    --------
    >>> K.eval(K.repeat_elements(K.variable([[1., 2.], [3., 4.]]), 2, axis=1)).tolist()
    [[1.0, 1.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0]]
    """
    return K.repeat_elements(x, rep, axis)


def repeat(x: TensorLike, n: TimesOrTensor) -> Tensor:
    """Repeat each row of a matrix along a new middle axis.

    Parameters
    ----------
    x : tensor, shape (samples, dim)
        Exactly 2-D.
    n : int or scalar integer tensor
        How often, 0 or more.

    Returns
    -------
    tensor, shape (samples, n, dim)
        Each sample, n times.

    Raises
    ------
    ValueError
        `x` is not 2-D.

    Examples
    --------
    >>> K.eval(K.repeat(K.variable([[1., 2.], [3., 4.]]), 2)).tolist()
    [[[1.0, 2.0], [1.0, 2.0]], [[3.0, 4.0], [3.0, 4.0]]]
    """
    return K.repeat(x, n)


def tile(x: TensorLike, n: Shape) -> Tensor:
    """Repeat a tensor as a whole along its axes.

    Parameters
    ----------
    x : tensor
        Of any shape.
    n : int, or list of int or scalar tensors
        How often along each axis. An int holds for the last axis; a list shorter than the rank holds
        for the last axes.

    Returns
    -------
    tensor
        It has the rank of `x`.

    Examples
    --------
    >>> K.eval(K.tile(K.variable([[1., 2.]]), [2, 2])).tolist()
    [[1.0, 2.0, 1.0, 2.0], [1.0, 2.0, 1.0, 2.0]]
    """
    return K.tile(x, n)


def flatten(x: TensorLike) -> Tensor:
    """Lay all elements of a tensor in a row.

    Parameters
    ----------
    x : tensor
        Of any shape.

    Returns
    -------
    tensor, shape (n,)
        The last axis varies fastest.

    Examples
    --------
    >>> K.eval(K.flatten(K.variable([[1., 2.], [3., 4.]]))).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    return K.flatten(x)


def batch_flatten(x: TensorLike) -> Tensor:
    """Lay the elements of each sample in a row.

    Parameters
    ----------
    x : tensor, shape (samples, ...)
        At least 1-D.

    Returns
    -------
    tensor, shape (samples, n)
        The first axis is kept.

    Examples
    --------
    >>> K.int_shape(K.batch_flatten(K.placeholder(shape=(None, 3, 4))))
    (None, 12)
    """
    return K.batch_flatten(x)


def expand_dims(x: TensorLike, axis: Axis = -1, **legacy: Legacy) -> Tensor:
    """Add an axis of length 1.

    Parameters
    ----------
    x : tensor
        Of any shape.
    axis : int, optional
        Where the new axis is found in the result; negative ones count from the end of the result.

    Returns
    -------
    tensor
        With one axis more.

    Examples
    --------
    >>> x = K.placeholder(shape=(None, 3))
    >>> K.int_shape(K.expand_dims(x)), K.int_shape(K.expand_dims(x, axis=1))
    ((None, 3, 1), (None, 1, 3))
    """
    return K.expand_dims(x, axis, **legacy)


def squeeze(x: TensorLike, axis: Axis) -> Tensor:
    """Remove an axis of length 1.

    Parameters
    ----------
    x : tensor
        At least 1-D.
    axis : int
        The axis; negative ones count from the end.

    Returns
    -------
    tensor
        With one axis less.

    Raises
    ------
    ValueError
        The axis is known to have another length.

    Examples
    --------
    >>> K.int_shape(K.squeeze(K.placeholder(shape=(None, 1, 3)), 1))
    (None, 3)
    """
    return K.squeeze(x, axis)


def temporal_padding(x: TensorLike, padding: Zeros = (1, 1), **legacy: Legacy) -> Tensor:
    """Add zeros before and after the time steps.

    Parameters
    ----------
    x : tensor, shape (samples, time, dim)
        Exactly 3-D.
    padding : tuple of two int, optional
        How many steps before and after.

    Returns
    -------
    tensor, shape (samples, before + time + after, dim)
        It has the dtype of `x`.

    Examples
    --------
    >>> x = K.reshape(K.variable([1., 2.]), (1, 2, 1))
    >>> K.eval(K.temporal_padding(x, padding=(1, 2)))[0, :, 0].tolist()
    [0.0, 1.0, 2.0, 0.0, 0.0]
    """
    return K.temporal_padding(x, padding, **legacy)


def spatial_2d_padding(
    x: TensorLike, padding: ZerosOfAxes = ((1, 1), (1, 1)), data_format: Optional[DataFormat] = None, **legacy: Legacy
) -> Tensor:
    """Add zeros around images.

    Parameters
    ----------
    x : tensor, shape (samples, rows, cols, channels) or (samples, channels, rows, cols)
        Images, laid out as `data_format` says.
    padding : tuple of two tuples of two int, optional
        ((top, bottom), (left, right)).
    data_format : {'channels_last', 'channels_first'}, optional
        Layout of `x` and of the result. None means `K.image_data_format()`.

    Returns
    -------
    tensor
        It has the layout and dtype of `x`.

    Raises
    ------
    ValueError
        `data_format` is neither of the two.

    Examples
    --------
    >>> x = K.ones((1, 1, 2, 1))
    >>> K.eval(K.spatial_2d_padding(x, ((1, 0), (0, 2)), 'channels_last'))[0, :, :, 0].tolist()
    [[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]
    """
    return K.spatial_2d_padding(x, padding, data_format, **legacy)


def spatial_3d_padding(
    x: TensorLike,
    padding: ZerosOfAxes = ((1, 1), (1, 1), (1, 1)),
    data_format: Optional[DataFormat] = None,
    **legacy: Legacy,
) -> Tensor:
    """Add zeros around volumes.

    Parameters
    ----------
    x : tensor, shape (samples, depth, rows, cols, channels) or (samples, channels, depth, rows, cols)
        Volumes, laid out as `data_format` says.
    padding : tuple of three tuples of two int, optional
        (before, after) for each spatial axis.
    data_format : {'channels_last', 'channels_first'}, optional
        Layout of `x` and of the result. None means `K.image_data_format()`.

    Returns
    -------
    tensor
        It has the layout and dtype of `x`.

    Raises
    ------
    ValueError
        `data_format` is neither of the two.

    Examples
    --------
    >>> x = K.placeholder(shape=(None, 1, 2, 3, 4))
    >>> K.int_shape(K.spatial_3d_padding(x, ((1, 1), (0, 2), (3, 0)), 'channels_first'))
    (None, 1, 4, 5, 7)
    """
    return K.spatial_3d_padding(x, padding, data_format, **legacy)


def stack(x: Tensors, axis: Axis = 0) -> Tensor:
    """Join tensors along a new axis.

    Parameters
    ----------
    x : list of tensor
        Of equal shapes.
    axis : int, optional
        Where the new axis is found in the result; negative ones count from the end of the result.

    Returns
    -------
    tensor
        With one axis more than the tensors; its length is that of the list.

    See Also
    --------
    concatenate : join along an axis the tensors have.

    Examples
    --------
    >>> x, y = K.variable([1., 2.]), K.variable([3., 4.])
    >>> K.eval(K.stack([x, y])).tolist(), K.eval(K.stack([x, y], axis=1)).tolist()
    ([[1.0, 2.0], [3.0, 4.0]], [[1.0, 3.0], [2.0, 4.0]])
    """
    return K.stack(x, axis)


def one_hot(indices: TensorLike, num_classes: TimesOrTensor) -> Tensor:
    """Encode class numbers as vectors with a single one.

    Parameters
    ----------
    indices : tensor of int
        Of any shape.
    num_classes : int or scalar integer tensor
        Length of the vectors.

    Returns
    -------
    tensor, `K.floatx()`, shape indices.shape + (num_classes,)
        1 at the index along the last axis, else 0; all 0 for an index out of range.

    Examples
    --------
    >>> K.eval(K.one_hot(K.constant([2, 0], dtype='int32'), 3)).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    return K.one_hot(indices, num_classes)


def reverse(x: TensorLike, axes: Axes) -> Tensor:
    """Turn a tensor around along some axes.

    Parameters
    ----------
    x : tensor
        At least 1-D.
    axes : int or iterable of int
        The axes; negative ones count from the end.

    Returns
    -------
    tensor
        It has the shape of `x`.

    Examples
    --------
    >>> K.eval(K.reverse(K.variable([[1., 2.], [3., 4.]]), axes=1)).tolist()
    [[2.0, 1.0], [4.0, 3.0]]
    """
    return K.reverse(x, axes)


def slice(x: TensorLike, start: Sizes, size: Sizes) -> Tensor:
    """Cut a block out of a tensor.

    Parameters
    ----------
    x : tensor
        Of any shape.
    start : tuple of int, or tensor of int
        The first index along each axis.
    size : tuple of int, or tensor of int
        The length along each axis; -1 for all that is left.

    Returns
    -------
    tensor
        `x[start[0]:start[0] + size[0], start[1]:start[1] + size[1], ...]`.

    Examples
    --------
    >>> x = K.variable([[1., 2., 3.], [4., 5., 6.], [7., 8., 9.]])
    >>> K.eval(K.slice(x, (1, 0), (2, 2))).tolist()
    [[4.0, 5.0], [7.0, 8.0]]
    >>> K.eval(K.slice(x, (0, 1), (1, -1))).tolist()
    [[2.0, 3.0]]
    """
    return K.slice(x, start, size)
