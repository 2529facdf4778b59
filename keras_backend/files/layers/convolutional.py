"""Layers over windows of Keras 2.3.1 and of tf.keras: convolutions, pooling, cropping, padding and upsampling.

The padding of Theano is here, too, and layers with a kernel for each window.
Longer than other files: a function for each of these layers is its content.
"""

from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from ..names import tensorflow_images
from .use import Use, numbers, pairs, spatial_axes

# Each is a convolution of its own. Networks have 32, or as many as channels, up to some thousand.
MOST_GROUPS = 4096


def _finished(use: Use, found: Any) -> Any:
    if 'bias' in use.weights:
        found = use.K.bias_add(found, use.weights['bias'], data_format=use.data_format)
    return use.function()(found)


def rank_of(kind: str) -> int:
    """The number of spatial axes of a layer, which its name says: 2 for Conv2DTranspose."""
    return next(int(kind[index]) for index in range(len(kind) - 1) if kind[index] in '123' and kind[index + 1] == 'D')


def _geometry(use: Use) -> Tuple[int, Tuple[int, ...], Tuple[int, ...]]:
    rank = rank_of(use.layer.kind)
    return rank, numbers(use.option('strides', 1), rank), numbers(use.option('dilation_rate', 1), rank)


def one_or_all(values: Sequence[int]) -> Any:
    """A number where there is one, as K.conv1d takes it."""
    return values[0] if len(values) == 1 else tuple(values)


def convolution(use: Use) -> Any:
    """Conv1D, Conv2D and Conv3D."""
    rank, strides, dilation = _geometry(use)
    function = getattr(use.K, f'conv{rank}d')

    def convolve(x: Any, kernel: Any) -> Any:
        def padded_by(padding: str, x: Any) -> Any:
            return function(x, kernel, one_or_all(strides), padding, use.data_format, one_or_all(dilation))

        return _padded(use, padded_by, x, kernel, strides, dilation)

    groups = int(use.option('groups', 1))
    if groups > MOST_GROUPS:
        raise use.error(f'has {groups} groups, each of which is a convolution, and {MOST_GROUPS} are the most')
    if groups == 1:
        return _finished(use, convolve(use.x, use.weights['kernel']))
    return _finished(use, _in_groups(use, convolve, groups))


def _padded(
    use: Use,
    padded_by: Callable[[str, Any], Any],
    x: Any,
    kernel: Any,
    strides: Sequence[int],
    dilation: Sequence[int],
    padding: Optional[str] = None,
) -> Any:
    """The convolution with the padding of the layer, or that of Theano. padded_by: (padding, x) -> the convolution."""
    if not has_theano_padding(use):
        return padded_by(padding or use.option('padding', 'valid'), x)
    sizes = [(size - 1) * rate + 1 for size, rate in zip(use.K.int_shape(kernel), dilation)]
    return convolved_as_theano(use, x, sizes, strides, lambda padded: padded_by('valid', padded))


def _in_groups(use: Use, convolve: Callable[[Any, Any], Any], groups: int) -> Any:
    K, kernel = use.K, use.weights['kernel']
    axis = 1 if use.channels_first else -1
    size, filters = K.int_shape(kernel)[-2], K.int_shape(kernel)[-1] // groups
    outputs: List[Any] = []
    for group in range(groups):
        channels = slice(group * size, (group + 1) * size)
        x = use.x[:, channels] if use.channels_first else use.x[..., channels]
        outputs.append(convolve(x, kernel[..., group * filters : (group + 1) * filters]))
    return K.concatenate(outputs, axis=axis)


def depthwise(use: Use) -> Any:
    """DepthwiseConv2D, and DepthwiseConv1D by it."""
    K = use.K
    rank, strides, dilation = _geometry(use)
    x, kernel, axis = use.x, use.weights['depthwise_kernel'], spatial_axes(use, 1)[0]
    if rank == 1:
        x, kernel = K.expand_dims(x, axis), K.expand_dims(kernel, 0)
        strides, dilation = strides * 2, (1, *dilation)

    def padded_by(padding: str, x: Any) -> Any:
        return K.depthwise_conv2d(x, kernel, strides, padding, use.data_format, dilation)

    output = _padded(use, padded_by, x, kernel, strides, dilation)
    return _finished(use, K.squeeze(output, axis) if rank == 1 else output)


def separable(use: Use) -> Any:
    """SeparableConv1D and SeparableConv2D."""
    K, x, padding = use.K, use.x, use.option('padding', 'valid')
    rank, strides, dilation = _geometry(use)
    if padding == 'causal':
        left = dilation[0] * (numbers(use.config['kernel_size'], 1)[0] - 1)
        padding = 'valid'
        x = _padded_left(use, left)
    depthwise, pointwise = use.weights['depthwise_kernel'], use.weights['pointwise_kernel']
    function = getattr(K, f'separable_conv{rank}d')

    def padded_by(padding: str, x: Any) -> Any:
        return function(x, depthwise, pointwise, one_or_all(strides), padding, use.data_format, one_or_all(dilation))

    return _finished(use, _padded(use, padded_by, x, depthwise, strides, dilation, padding))


def _padded_left(use: Use, left: int) -> Any:
    K = use.K
    if not use.channels_first:
        return K.temporal_padding(use.x, (left, 0))
    moved = K.temporal_padding(K.permute_dimensions(use.x, (0, 2, 1)), (left, 0))
    return K.permute_dimensions(moved, (0, 2, 1))


def transposed_size(
    size: Any, stride: int, kernel: int, padding: str, output_padding: Optional[int], dilation: int
) -> Any:
    """The length of an axis of a transposed convolution.

    Source: V. Dumoulin, F. Visin, A guide to convolution arithmetic for deep learning, 2016.
    """
    kernel = (kernel - 1) * dilation + 1
    if output_padding is not None:
        return (size - 1) * stride + kernel - 2 * (kernel // 2 if padding == 'same' else 0) + output_padding
    return size * stride + (max(kernel - stride, 0) if padding == 'valid' else 0)


def transposed(use: Use) -> Any:
    """Conv1DTranspose, Conv2DTranspose and Conv3DTranspose."""
    K, x, kernel = use.K, use.x, use.weights['kernel']
    rank, strides, dilation = _geometry(use)
    padding, more = use.option('padding', 'valid'), use.config.get('output_padding')
    extra = (None,) * rank if more is None else numbers(more, rank)
    axes = spatial_axes(use, rank)
    sizes = [
        transposed_size(use.size(axis), *spec)
        for axis, spec in zip(axes, zip(strides, K.int_shape(kernel)[:rank], (padding,) * rank, extra, dilation))
    ]
    if use.option('output_shape') is not None:  # of Keras 1
        sizes = [use.config['output_shape'][axis] for axis in axes]
    lengths, of_kernel = sizes, K.int_shape(kernel)[:rank]
    if has_theano_padding(use):
        padding = 'valid'
        sizes = [
            transposed_size(use.size(axis), *spec)
            for axis, spec in zip(axes, zip(strides, of_kernel, ('valid',) * rank, (None,) * rank, dilation))
        ]
    if rank == 1:
        x, kernel, sizes = K.expand_dims(x, axes[0]), K.expand_dims(kernel, 0), [1, *sizes]
        strides, dilation = (1, *strides), (1, *dilation)
    filters = K.int_shape(kernel)[-2]
    shape = (None, filters, *sizes) if use.channels_first else (None, *sizes, filters)
    if rank == 3:
        if set(dilation) != {1}:
            raise use.error('has a dilation, which K.conv3d_transpose cannot do')
        output = K.conv3d_transpose(x, kernel, shape, strides, padding, use.data_format)
    else:
        output = K.conv2d_transpose(x, kernel, shape, strides, padding, use.data_format, dilation)
    output = K.squeeze(output, axes[0]) if rank == 1 else output
    return _finished(use, transposed_as_theano(use, output, of_kernel, lengths) if has_theano_padding(use) else output)


# -- LocallyConnected1D and 2D -----------------------------------------------------------------------------------------
# LocallyConnected1D and LocallyConnected2D, with the three layouts of weights that tf.keras has.


def locally_connected(use: Use) -> Any:
    """A kernel of its own at every place."""
    K, rank = use.K, rank_of(use.layer.kind)
    implementation = int(use.option('implementation', 1))
    size, strides = numbers(use.config['kernel_size'], rank), numbers(use.option('strides', 1), rank)
    if implementation != 1:
        output = _by_matrix(use, rank, size, strides, implementation)
    elif rank == 1:
        if use.channels_first:
            raise use.error("has the data format 'channels_first', which is not computed here")
        output = K.local_conv1d(use.x, use.weights['kernel'], size, strides, 'channels_last')
    else:
        new = [new for _, new in _lengths(use, rank, size, strides)]
        output = K.local_conv2d(use.x, use.weights['kernel'], size, strides, tuple(new), use.data_format)
    if 'bias' in use.weights and rank == 1 and implementation == 1:
        return use.function()(output + use.weights['bias'])
    return _finished(use, output)


def _lengths(use: Use, rank: int, size: Tuple[int, ...], strides: Tuple[int, ...]) -> List[Tuple[int, int]]:
    """The old and the new length of each axis."""
    lengths = []
    for axis, window, stride in zip(spatial_axes(use, rank), size, strides):
        old = use.shape[axis]
        if old is None:
            raise use.error('needs images or sequences of a known size; give the model a batch_input_shape with it')
        new = -(-old // stride) if use.option('padding', 'valid') == 'same' else (old - window) // stride + 1
        lengths.append((old, new))
    return lengths


def _connected(old: int, new: int, window: int, stride: int, padding: str) -> Any:
    """Which old places a new place depends on, as a matrix of (old, new)."""
    # 'same' of tf.keras has the window around each place here, whatever the stride is.
    starts = np.arange(new) * stride - (window // 2 if padding == 'same' else 0)
    positions = np.arange(old)[:, None]
    return (positions >= starts) & (positions < starts + window)


def _by_matrix(use: Use, rank: int, size: Tuple[int, ...], strides: Tuple[int, ...], implementation: int) -> Any:
    """The implementations 2 and 3 of tf.keras: a matrix from all inputs to all outputs, whole or without its zeros."""
    K, kernel = use.K, use.weights['kernel']
    lengths = _lengths(use, rank, size, strides)
    channels, filters = use.shape[1 if use.channels_first else -1], int(use.config['filters'])
    if channels is None:
        raise use.error('needs a known number of channels')
    inputs = channels * int(np.prod([old for old, _ in lengths]))
    outputs = filters * int(np.prod([new for _, new in lengths]))
    if implementation == 2 and np.prod(K.int_shape(kernel)) != inputs * outputs:
        raise use.error(f'needs a kernel of {inputs * outputs} elements, and has one of {K.int_shape(kernel)}')
    if implementation == 3:
        tensorflow_images.check_table(inputs, outputs)
    lines = [
        _connected(old, new, window, stride, use.option('padding', 'valid'))
        for (old, new), window, stride in zip(lengths, size, strides)
    ]
    mask = lines[0] if rank == 1 else lines[0][:, None, :, None] & lines[1][None, :, None, :]
    if use.channels_first:
        whole = np.broadcast_to(mask[(None, *[slice(None)] * rank, None)], _shape(lengths, channels, filters, True))
    else:
        whole = np.broadcast_to(
            mask.reshape([o for o, _ in lengths] + [1] + [n for _, n in lengths] + [1]),
            _shape(lengths, channels, filters, False),
        )
    flat = whole.reshape(inputs, outputs)
    if implementation == 2:
        matrix = K.reshape(kernel, (inputs, outputs)) * K.constant(flat.astype('float32'))
    else:
        indices = np.zeros(flat.shape, 'int32')
        indices.T[flat.T] = np.arange(1, int(flat.sum()) + 1)
        padded = K.concatenate([K.zeros((1,)), kernel], axis=0)
        matrix = K.reshape(K.gather(padded, K.constant(indices.ravel(), dtype='int32')), (inputs, outputs))
    new = [length for _, length in lengths]
    product = K.dot(K.batch_flatten(use.x), matrix)
    return K.reshape(product, (-1, filters, *new) if use.channels_first else (-1, *new, filters))


def _shape(lengths: List[Tuple[int, int]], channels: int, filters: int, channels_first: bool) -> List[int]:
    old, new = [old for old, _ in lengths], [new for _, new in lengths]
    return [channels, *old, filters, *new] if channels_first else [*old, channels, *new, filters]


# -- padding of Theano -------------------------------------------------------------------------------------------------
# `padding='same'` as Theano has it, for files that it wrote: the rows before the first do not depend on the strides.
#
# A convolution of kernel size k has k // 2 rows of zeros before the first. A pooling of size k has k - 2 rows that do
# not count for an odd k > 1, and k - 1 for an even one. TensorFlow divides the rows that it needs into two halves: for
# 6 rows, kernel size 3 and strides 2 it needs one row and puts it behind the last, where Theano has one before the
# first. Measured with Keras 2.2.4 on Theano 1.0.5, for 5 to 8 rows, sizes of 1 to 5 and strides of 1 to 3.

# Larger than every number that a model computes with, and float32 has it.
_FAR = 1e30


def has_theano_padding(use: Use) -> bool:
    """Whether the file has this padding, and it differs."""
    return bool(use.option('theano_padding', False))


def _lengths_of_theano(use: Use, strides: Sequence[int]) -> List[Any]:
    return [(use.size(axis) + stride - 1) // stride for axis, stride in zip(spatial_axes(use, len(strides)), strides)]


def _with_zeros(use: Use, x: Any, sizes: Sequence[int], before: Sequence[int]) -> Any:
    """Rows of zeros on all spatial axes: `before`, and as many behind as any strides need."""
    pads = tuple([(first, size - 1) for first, size in zip(before, sizes)])
    if len(sizes) == 1:
        axis = 3 if use.channels_first else 2
        padded = use.K.spatial_2d_padding(use.K.expand_dims(x, axis), (*pads, (0, 0)), use.data_format)
        return use.K.squeeze(padded, axis)
    return getattr(use.K, f'spatial_{len(sizes)}d_padding')(x, pads, use.data_format)


def _cut(use: Use, x: Any, starts: Sequence[Any], lengths: Sequence[Any]) -> Any:
    cuts: List[slice] = [slice(None)] * (len(lengths) + 2)
    for axis, start, length in zip(spatial_axes(use, len(lengths)), starts, lengths):
        cuts[axis] = slice(start, start + length)
    return x[tuple(cuts)]


def convolved_as_theano(
    use: Use, x: Any, sizes: Sequence[int], strides: Sequence[int], valid: Callable[[Any], Any]
) -> Any:
    """A convolution. sizes: of the kernel, with its dilation. valid: x -> its convolution without padding."""
    output = valid(_with_zeros(use, x, sizes, [size // 2 for size in sizes]))
    return _cut(use, output, [0] * len(sizes), _lengths_of_theano(use, strides))


def pooled_as_theano(
    use: Use, x: Any, mode: str, sizes: Sequence[int], strides: Sequence[int], valid: Callable[[Any], Any]
) -> Any:
    """A pooling by 'max' or 'avg'. valid: x -> its pooling without padding."""
    K = use.K
    before = [size - 1 if size % 2 == 0 else max(size - 2, 0) for size in sizes]
    inside = _with_zeros(use, K.ones_like(x), sizes, before)
    padded = _with_zeros(use, x, sizes, before)
    padded = valid(padded + (inside - 1.0) * _FAR) if mode == 'max' else valid(padded) / K.maximum(valid(inside), 1e-6)
    return _cut(use, padded, [0] * len(sizes), _lengths_of_theano(use, strides))


def transposed_as_theano(use: Use, whole: Any, sizes: Sequence[int], lengths: Sequence[Any]) -> Any:
    """A transposed convolution, of `whole`, the one without padding. lengths: those of the result."""
    before = [size // 2 for size in sizes]
    return _cut(use, _with_zeros(use, whole, sizes, [0] * len(sizes)), before, lengths)


# -- pooling -----------------------------------------------------------------------------------------------------------
# Pooling layers of Keras 2.3.1, with `keepdims` of tf.keras.


def pooling(use: Use) -> Any:
    """MaxPooling and AveragePooling of one, two and three axes."""
    K, rank, x = use.K, rank_of(use.layer.kind), use.x
    mode = 'max' if use.layer.kind.startswith('Max') else 'avg'
    size = numbers(use.option('pool_size', 2), rank)
    strides = numbers(use.option('strides', size), rank)

    def pooled_by(padding: str, x: Any) -> Any:
        if rank > 1:
            return getattr(K, f'pool{rank}d')(x, size, strides, padding, use.data_format, mode)
        axis = 3 if use.channels_first else 2
        pooled = K.pool2d(K.expand_dims(x, axis), (*size, 1), (*strides, 1), padding, use.data_format, mode)
        return K.squeeze(pooled, axis)

    if has_theano_padding(use):
        return pooled_as_theano(use, x, mode, size, strides, lambda padded: pooled_by('valid', padded))
    return pooled_by(use.option('padding', 'valid'), x)


def adaptive_pooling(use: Use) -> Any:
    """AdaptiveMaxPooling and AdaptiveAveragePooling of Keras 3: as many places as the configuration says.

    The place i of m covers those of the input from floor(i n / m) to ceil((i + 1) n / m). Of 5 places, 2 cover 0 to 2
    and 2 to 4.
    """
    K, x, rank = use.K, use.x, rank_of(use.layer.kind)
    reduced = K.max if 'Max' in use.layer.kind else K.mean
    for axis, count in zip(spatial_axes(use, rank), numbers(use.option('output_size'), rank)):
        size = use.shape[axis]
        if size is None or count < 1:
            raise use.error(f'makes {count} places of an axis of {"unknown" if size is None else size} length')
        before = [slice(None)] * axis
        covered = [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
        x = K.stack([reduced(x[(*before, slice(*ends))], axis=axis) for ends in covered], axis=axis)
    return x


def global_pooling(use: Use) -> Any:
    """The maximum or the mean over all places. GlobalAveragePooling1D leaves out those that are masked."""
    K, rank = use.K, rank_of(use.layer.kind)
    axes = list(spatial_axes(use, rank))
    keep = bool(use.option('keepdims', False))
    if 'Max' in use.layer.kind:
        return K.max(use.x, axis=axes, keepdims=keep)
    if use.mask is None or rank != 1:
        return K.mean(use.x, axis=axes, keepdims=keep)
    mask = K.expand_dims(K.cast(use.mask, K.dtype(use.x)), 1 if use.channels_first else 2)
    return K.sum(use.x * mask, axis=axes, keepdims=keep) / K.sum(mask, axis=axes, keepdims=keep)


# -- other sizes -------------------------------------------------------------------------------------------------------
# Cropping, padding with zeros, and upsampling.


def cropping(use: Use) -> Any:
    """Cropping1D, Cropping2D and Cropping3D."""
    rank = rank_of(use.layer.kind)
    first = spatial_axes(use, rank)[0]
    cuts = [slice(before, -after if after else None) for before, after in pairs(use.option('cropping', 1), rank)]
    return use.x[(*[slice(None)] * first, *cuts)]


def padding(use: Use) -> Any:
    """ZeroPadding1D, ZeroPadding2D and ZeroPadding3D."""
    K, rank = use.K, rank_of(use.layer.kind)
    amounts = pairs(use.option('padding', 1), rank)
    if rank > 1:
        return getattr(K, f'spatial_{rank}d_padding')(use.x, amounts, use.data_format)
    if not use.channels_first:
        return K.temporal_padding(use.x, amounts[0])
    return K.permute_dimensions(K.temporal_padding(K.permute_dimensions(use.x, (0, 2, 1)), amounts[0]), (0, 2, 1))


def upsampling(use: Use) -> Any:
    """UpSampling1D, UpSampling2D and UpSampling3D."""
    K, rank = use.K, rank_of(use.layer.kind)
    factors = numbers(use.option('size', 2), rank)
    if rank == 1:
        return K.repeat_elements(use.x, factors[0], axis=1)
    if rank == 3:
        return K.resize_volumes(use.x, *factors, use.data_format)
    interpolation, axes = use.option('interpolation', 'nearest'), spatial_axes(use, 2)
    if interpolation == 'bilinear_at_centres':
        images = use.x
        for axis, factor in zip(axes, factors):
            images = tensorflow_images.multiplied(K, images, axis, factor)
        return images
    if interpolation not in ('nearest', 'bilinear'):
        old = [use.shape[axis] for axis in axes]
        sizes = [None if side is None else side * factor for side, factor in zip(old, factors)]
        return resized(use, K.cast(use.x, 'float32'), axes, sizes, str(interpolation))
    return K.resize_images(use.x, *factors, use.data_format, interpolation)


def resizing(use: Use) -> Any:
    """Resizing of tf.keras and Keras 3."""
    method = str(use.option('interpolation', 'bilinear')).lower()
    if any([use.option(name, False) for name in ('pad_to_aspect_ratio', 'antialias')]):
        raise use.error(f'resizes images by {method!r} with options, which is not done here')
    sizes = [int(use.config[name]) for name in ('height', 'width')]
    x = use.K.cast(use.x, 'float32')
    if use.option('crop_to_aspect_ratio', False):
        x = _window(use, x, sizes)
    return resized(use, x, spatial_axes(use, 2), sizes, method)


def random_crop(use: Use) -> Any:
    """RandomCrop, which makes images of its size when a model predicts: of the largest window in the middle."""
    sizes = [int(use.config[name]) for name in ('height', 'width')]
    x = use.K.cast(use.x, 'float32')
    if use.help.library == 'keras 3' and [use.shape[axis] for axis in spatial_axes(use, 2)] != sizes:
        raise use.error('crops images when the model predicts, where versions of Keras 3 differ; crop them before')
    return resized(use, _window(use, x, sizes), spatial_axes(use, 2), sizes, 'bilinear')


def _window(use: Use, images: Any, sizes: Sequence[int]) -> Any:
    """The largest part in the middle of images that has the ratio of two sizes."""
    axes = spatial_axes(use, 2)
    old = [use.shape[axis] for axis in axes]
    if None in old:
        raise use.error('crops images of unknown size')
    cuts = [slice(None)] * 4
    for axis, length, other, (own, across) in zip(axes, old, reversed(old), (sizes, sizes[::-1])):
        kept = min(int(length or 0), int(float((other or 0) * own) / across))
        start = int(float((length or 0) - kept) / 2)
        cuts[axis] = slice(start, start + kept)
    return images[tuple(cuts)]


def center_crop(use: Use) -> Any:
    """CenterCrop of tf.keras and Keras 3, for images that are not smaller."""
    cuts = [slice(None)] * 4
    for axis, name in zip(spatial_axes(use, 2), ('height', 'width')):
        old, new = use.shape[axis], int(use.config[name])
        if old is None or old < new:
            raise use.error(f'crops images of unknown size, or of one that is smaller than its {name} {new}')
        cuts[axis] = slice((old - new) // 2, (old - new) // 2 + new)
    return use.K.cast(use.x[tuple(cuts)], 'float32')


def resized(use: Use, images: Any, axes: Sequence[int], sizes: Sequence[Optional[int]], method: str) -> Any:
    """Images of other sizes along two axes, with the centers of pixels at halves, as TensorFlow 2 has it.

    method: 'bilinear', 'nearest' or 'bicubic'.
    """
    if method not in ('bilinear', 'nearest', 'bicubic'):
        raise use.error(f'resizes images by {method[:60]!r}, which is not done here')
    for axis, new in zip(axes, sizes):
        old = use.K.int_shape(images)[axis]
        if old is None or new is None:
            raise use.error('interpolates images of unknown size, which is not done here; give the model a fixed size')
        if method == 'bicubic':
            lines = tensorflow_images.cubic_matrix(old, new)
        else:
            lines = tensorflow_images.matrix(old, new, method == 'nearest', halves=True)
        images = tensorflow_images.resized(use.K, images, axis, lines)
    return images
