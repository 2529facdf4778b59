"""Functions of networks, by the names and arguments of TensorFlow 2's `tf.nn`.

Source: its documentation.
"""
# ruff: noqa: A001, A002

from typing import Any, List, Tuple

import keras
import numpy as np
from keras import ops

from ....engines.keras3_backend.primitives.elementwise import source
from .arguments import K, axes_of, paired, sizes_of
from .arithmetic import in_top_k as in_top_k
from .arithmetic import top_k as top_k
from .seeds import next_seed
from .shapes import gather


def softmax(logits: Any, axis: Any = None, name: Any = None) -> Any:
    """Shares of the exponentials along an axis, the last one unless another is given."""
    return ops.softmax(logits, axis=-1 if axis is None else int(axis))


def log_softmax(logits: Any, axis: Any = None, name: Any = None) -> Any:
    """Logarithms of the softmax."""
    return ops.log_softmax(logits, axis=-1 if axis is None else int(axis))


def leaky_relu(features: Any, alpha: float = 0.2, name: Any = None) -> Any:
    """The element, or alpha times it below 0."""
    return ops.leaky_relu(features, negative_slope=alpha)


def gelu(features: Any, approximate: bool = False, name: Any = None) -> Any:
    """The element times the share of a normal distribution below it."""
    return ops.gelu(features, approximate=approximate)


def silu(features: Any, beta: float = 1.0) -> Any:
    """The element times the sigmoid of beta times it."""
    return features * ops.sigmoid(features if beta == 1.0 else features * beta)


swish = silu


def crelu(features: Any, axis: int = -1, name: Any = None) -> Any:
    """The positive parts of the elements, and of the negative ones beside them."""
    return ops.relu(ops.concatenate([features, -features], axis))


def bias_add(value: Any, bias: Any, data_format: Any = None, name: Any = None) -> Any:
    """A bias for each channel, the last axis, or the second with a data format like 'NCHW'."""
    if data_format is not None and str(data_format).startswith('NC'):
        bias = ops.reshape(bias, (1, -1, *[1] * (len(value.shape) - 2)))
    return ops.add(*paired(value, bias))


def dropout(x: Any, rate: float, noise_shape: Any = None, seed: Any = None, name: Any = None) -> Any:
    """The elements over the share that is kept, or 0 at random places."""
    shape = None if noise_shape is None else tuple(sizes_of(noise_shape))
    return keras.random.dropout(x, rate, noise_shape=shape, seed=source(next_seed(seed)))


def moments(x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: Any = None) -> Tuple[Any, Any]:
    """Means and variances along axes."""
    mean, variance = ops.moments(x, axes_of(axes), keepdims=bool(keepdims))
    return mean, variance


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float, name: Any = None
) -> Any:
    """The element minus the mean, over the deviation, times a scale, plus an offset."""
    factor = ops.rsqrt(variance + variance_epsilon)
    factor = factor if scale is None else factor * scale
    scaled = (x - mean) * factor
    return scaled if offset is None else scaled + offset


def l2_loss(t: Any, name: Any = None) -> Any:
    """Half of the sum of the squares."""
    return ops.sum(ops.square(t)) / 2


def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: Any = None) -> Any:
    """Rows of a table."""
    if max_norm is not None:
        raise ValueError('tf.nn.embedding_lookup: max_norm is not taken here; write tf.clip_by_norm of the rows.')
    return gather(params, ids)


def zero_fraction(value: Any, name: Any = None) -> Any:
    """The share of elements that are 0."""
    return ops.mean(ops.cast(ops.equal(value, 0), 'float32'))


def local_response_normalization(
    input: Any, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5, name: Any = None
) -> Any:
    """Each element over a power of the sum of the squares of its channel and so many on either side."""
    channels = input.shape[-1]
    i, j = np.mgrid[:channels, :channels]
    band = ops.convert_to_tensor((np.abs(i - j) <= depth_radius).astype('float32'))
    return input / ops.power(bias + alpha * ops.matmul(ops.square(input), band), beta)


lrn = local_response_normalization


def depth_to_space(input: Any, block_size: int, data_format: str = 'NHWC', name: Any = None) -> Any:
    """Channels as blocks of pixels."""
    return ops.depth_to_space(input, block_size, data_format=_format(data_format))


def space_to_depth(input: Any, block_size: int, data_format: str = 'NHWC', name: Any = None) -> Any:
    """Blocks of pixels as channels."""
    return ops.space_to_depth(input, block_size, data_format=_format(data_format))


def _format(data_format: str) -> str:
    return 'channels_first' if data_format.startswith('NC') else 'channels_last'


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: Any = None) -> Any:
    """Minus the sums of the labels times the logarithms of the softmax."""
    logits, labels = paired(logits, labels)
    return -ops.sum(labels * ops.log_softmax(logits, axis=axis), axis)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: Any = None) -> Any:
    """Minus the logarithm of the softmax at the label."""
    classes = logits.shape[-1]
    return -ops.sum(ops.one_hot(ops.cast(labels, 'int32'), classes) * ops.log_softmax(logits), -1)


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: Any = None) -> Any:
    """The crossentropy of independent labels: max(x, 0) - x z + log(1 + exp(-|x|))."""
    logits, labels = paired(logits, labels)
    positive, rest = _softplus_parts(logits)
    return positive - logits * labels + rest


def _softplus_parts(x: Any) -> Tuple[Any, Any]:
    """max(x, 0) and log(1 + exp(-|x|)). Their derivatives at 0 are 1 and -1/2, so that of the softplus is 1/2."""
    above = ops.greater_equal(x, 0)
    return ops.where(above, x, ops.zeros_like(x)), ops.log1p(ops.exp(ops.where(above, -x, x)))


def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: Any = None) -> Any:
    """The same, where the labels that are 1 count pos_weight times."""
    logits, labels = paired(logits, labels)
    weight = 1 + (pos_weight - 1) * labels
    positive, rest = _softplus_parts(logits)
    return (1 - labels) * logits + weight * (rest + positive - logits)


# -- convolutions and pooling ------------------------------------------------------------------------------------------
# Convolutions and pooling, by the names and arguments of TensorFlow 2's `tf.nn`.
#
# Source: its documentation.


def _spatial(value: Any, data_format: str, default: int = 1) -> List[int]:
    """The numbers of the axes of space, from one number, from those alone, or from all of them."""
    rank = len(data_format) - 2
    numbers = [int(number) for number in np.atleast_1d(default if value is None else value)]
    if len(numbers) == 1:
        return numbers * rank
    if len(numbers) == rank + 2:
        first = data_format.index('C')
        kept = numbers[1:-1] if first else numbers[2:]
        return kept if first != 1 else numbers[2:]
    return numbers


def _padding(padding: Any, data_format: str) -> Tuple[str, Any]:
    """The padding in the words of Keras, and what has to be padded before, for each axis."""
    if isinstance(padding, str):
        return padding.lower(), None
    return 'valid', [[int(count) for count in pair] for pair in padding]


def _formats(data_format: Any, default: str) -> Tuple[str, str]:
    name = default if data_format is None else str(data_format)
    return name, 'channels_first' if name.startswith('NC') else 'channels_last'


def _convolved(x: Any, kernel: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, default: str) -> Any:
    name, ours = _formats(data_format, default)
    x, kernel = paired(x, kernel)
    words, counts = _padding(padding, name)
    x = x if counts is None else ops.pad(x, counts)
    steps, spread = _spatial(strides, name), _spatial(dilations, name)
    return ops.conv(x, kernel, strides=steps, padding=words, data_format=ours, dilation_rate=spread)


def conv1d(input: Any, filters: Any, stride: Any, padding: Any, data_format: Any = 'NWC', dilations: Any = None,
           name: Any = None) -> Any:  # fmt: skip
    """Convolutions of sequences; filters (width, channels, results)."""
    return _convolved(input, filters, stride, padding, data_format, dilations, 'NWC')


def conv2d(input: Any, filters: Any, strides: Any, padding: Any, data_format: Any = 'NHWC', dilations: Any = None,
           name: Any = None) -> Any:  # fmt: skip
    """Convolutions of images; filters (height, width, channels, results)."""
    return _convolved(input, filters, strides, padding, data_format, dilations, 'NHWC')


def conv3d(input: Any, filters: Any, strides: Any, padding: Any, data_format: Any = 'NDHWC', dilations: Any = None,
           name: Any = None) -> Any:  # fmt: skip
    """Convolutions of volumes; filters (depth, height, width, channels, results)."""
    return _convolved(input, filters, strides, padding, data_format, dilations, 'NDHWC')


def conv2d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = 'SAME', data_format: Any = 'NHWC',
    dilations: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """The transposes of convolutions; filters (height, width, results, channels)."""
    name, ours = _formats(data_format, 'NHWC')
    steps, spread = _spatial(strides, name), _spatial(dilations, name)
    shape = tuple(sizes_of(output_shape))
    return K.conv2d_transpose(input, filters, shape, tuple(steps), padding.lower(), ours, tuple(spread))


def depthwise_conv2d(
    input: Any, filter: Any, strides: Any, padding: Any, data_format: Any = None, dilations: Any = None,
    name: Any = None,
) -> Any:  # fmt: skip
    """Convolutions of each channel alone; filter (height, width, channels, multiplier)."""
    name, ours = _formats(data_format, 'NHWC')
    words, counts = _padding(padding, name)
    input = input if counts is None else ops.pad(input, counts)
    steps, spread = _spatial(strides, name), _spatial(dilations, name)
    return K.depthwise_conv2d(input, filter, tuple(steps), words, ours, tuple(spread))


def separable_conv2d(
    input: Any, depthwise_filter: Any, pointwise_filter: Any, strides: Any, padding: Any, data_format: Any = None,
    dilations: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Convolutions of each channel alone, mixed by a kernel of one pixel."""
    filtered = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(filtered, pointwise_filter, 1, 'VALID', 'NHWC' if data_format is None else data_format)


_FORMATS = {3: 'NWC', 4: 'NHWC', 5: 'NDHWC'}


def _pooled(mode: str, x: Any, ksize: Any, strides: Any, padding: Any, data_format: Any) -> Any:
    name, ours = _formats(data_format, _FORMATS[len(x.shape)])
    if not isinstance(padding, str):
        raise ValueError(f"tf.nn.{mode}_pool takes the padding 'SAME' or 'VALID' here, not {padding!r}.")
    window = tuple(_spatial(ksize, name))
    steps = window if strides is None else tuple(_spatial(strides, name))
    if len(name) == 5:
        return K.pool3d(x, window, steps, padding.lower(), ours, mode)
    if len(name) == 4:
        return K.pool2d(x, window, steps, padding.lower(), ours, mode)
    # A sequence is an image of one row.
    axis = 1 if name == 'NWC' else 2
    pooled = K.pool2d(ops.expand_dims(x, axis), (1, *window), (1, *steps), padding.lower(), ours, mode)
    return ops.squeeze(pooled, axis)


def max_pool(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: Any = None) -> Any:
    """The largest elements of windows."""
    return _pooled('max', input, ksize, strides, padding, data_format)


def avg_pool(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: Any = None) -> Any:
    """The means of windows, without what lies outside."""
    return _pooled('avg', input, ksize, strides, padding, data_format)


max_pool1d = max_pool2d = max_pool
avg_pool1d = avg_pool2d = avg_pool
