"""Convolutions and pooling, by the names and arguments of TensorFlow 2's `tf.nn`.

Source: its documentation.
"""
# ruff: noqa: A001, A002

from typing import Any, List, Tuple

import numpy as np
from keras import ops

from .arguments import K, paired, sizes_of


def _spatial(value: Any, data_format: str, default: int = 1) -> List[int]:
    """The numbers of the axes of space, from one number, from those alone, or from all of them."""
    rank = len(data_format) - 2
    found = [int(each) for each in np.atleast_1d(default if value is None else value)]
    if len(found) == 1:
        return found * rank
    if len(found) == rank + 2:
        first = data_format.index('C')
        kept = found[1:-1] if first else found[2:]
        return kept if first != 1 else found[2:]
    return found


def _padding(padding: Any, data_format: str) -> Tuple[str, Any]:
    """The padding in the words of Keras, and what has to be padded before, for each axis."""
    if isinstance(padding, str):
        return padding.lower(), None
    return 'valid', [[int(each) for each in pair] for pair in padding]


def _format(data_format: Any, default: str) -> Tuple[str, str]:
    name = default if data_format is None else str(data_format)
    return name, 'channels_first' if name.startswith('NC') else 'channels_last'


def _convolved(x: Any, kernel: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, default: str) -> Any:
    name, ours = _format(data_format, default)
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
    name, ours = _format(data_format, 'NHWC')
    steps, spread = _spatial(strides, name), _spatial(dilations, name)
    shape = tuple(sizes_of(output_shape))
    return K.conv2d_transpose(input, filters, shape, tuple(steps), padding.lower(), ours, tuple(spread))


def depthwise_conv2d(
    input: Any, filter: Any, strides: Any, padding: Any, data_format: Any = None, dilations: Any = None,
    name: Any = None,
) -> Any:  # fmt: skip
    """Convolutions of each channel alone; filter (height, width, channels, multiplier)."""
    name, ours = _format(data_format, 'NHWC')
    words, counts = _padding(padding, name)
    input = input if counts is None else ops.pad(input, counts)
    steps, spread = _spatial(strides, name), _spatial(dilations, name)
    return K.depthwise_conv2d(input, filter, tuple(steps), words, ours, tuple(spread))


def separable_conv2d(
    input: Any, depthwise_filter: Any, pointwise_filter: Any, strides: Any, padding: Any, data_format: Any = None,
    dilations: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Convolutions of each channel alone, mixed by a kernel of one pixel."""
    made = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(made, pointwise_filter, 1, 'VALID', 'NHWC' if data_format is None else data_format)


_FORMATS = {3: 'NWC', 4: 'NHWC', 5: 'NDHWC'}


def _pooled(mode: str, x: Any, ksize: Any, strides: Any, padding: Any, data_format: Any) -> Any:
    name, ours = _format(data_format, _FORMATS[len(x.shape)])
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
    made = K.pool2d(ops.expand_dims(x, axis), (1, *window), (1, *steps), padding.lower(), ours, mode)
    return ops.squeeze(made, axis)


def max_pool(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: Any = None) -> Any:
    """The largest elements of windows."""
    return _pooled('max', input, ksize, strides, padding, data_format)


def avg_pool(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: Any = None) -> Any:
    """The means of windows, without what lies outside."""
    return _pooled('avg', input, ksize, strides, padding, data_format)


max_pool1d = max_pool2d = max_pool
avg_pool1d = avg_pool2d = avg_pool
