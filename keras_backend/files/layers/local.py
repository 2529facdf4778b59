"""LocallyConnected1D and LocallyConnected2D, with the three layouts of weights that tf.keras has."""

from typing import Any, List, Tuple

import numpy as np

from ..names.pixels import check_table
from .convolutional import rank_of
from .use import Use, numbers, spatial_axes


def locally_connected(use: Use) -> Any:
    """A kernel of its own at every place."""
    K, rank = use.K, rank_of(use.layer.kind)
    implementation = int(use.option('implementation', 1))
    size, strides = numbers(use.config['kernel_size'], rank), numbers(use.option('strides', 1), rank)
    if implementation != 1:
        found = _by_matrix(use, rank, size, strides, implementation)
    elif rank == 1:
        if use.channels_first:
            raise use.error("has the data format 'channels_first', which is not computed here")
        found = K.local_conv1d(use.x, use.weights['kernel'], size, strides, 'channels_last')
    else:
        new = [new for _, new in _lengths(use, rank, size, strides)]
        found = K.local_conv2d(use.x, use.weights['kernel'], size, strides, tuple(new), use.data_format)
    if 'bias' in use.weights:
        bias = use.weights['bias']
        if rank == 1 and implementation == 1:
            found = found + bias
        else:
            found = K.bias_add(found, bias, data_format=use.data_format)
    return use.function()(found)


def _lengths(use: Use, rank: int, size: Tuple[int, ...], strides: Tuple[int, ...]) -> List[Tuple[int, int]]:
    """The old and the new length of each axis."""
    found = []
    for axis, window, stride in zip(spatial_axes(use, rank), size, strides):
        old = use.shape[axis]
        if old is None:
            raise use.error('needs images or sequences of a known size; give the model a batch_input_shape with it')
        new = -(-old // stride) if use.option('padding', 'valid') == 'same' else (old - window) // stride + 1
        found.append((old, new))
    return found


def _connected(old: int, new: int, window: int, stride: int, padding: str) -> Any:
    """Which old places a new place depends on, as a matrix of (old, new)."""
    # 'same' of tf.keras has the window around each place here, whatever the stride is.
    starts = np.arange(new) * stride - (window // 2 if padding == 'same' else 0)
    places = np.arange(old)[:, None]
    return (places >= starts) & (places < starts + window)


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
        check_table(inputs, outputs)
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
        places = np.zeros(flat.shape, 'int32')
        places.T[flat.T] = np.arange(1, int(flat.sum()) + 1)
        padded = K.concatenate([K.zeros((1,)), kernel], axis=0)
        matrix = K.reshape(K.gather(padded, K.constant(places.ravel(), dtype='int32')), (inputs, outputs))
    new = [length for _, length in lengths]
    found = K.dot(K.batch_flatten(use.x), matrix)
    return K.reshape(found, (-1, filters, *new) if use.channels_first else (-1, *new, filters))


def _shape(lengths: List[Tuple[int, int]], channels: int, filters: int, channels_first: bool) -> List[int]:
    old, new = [old for old, _ in lengths], [new for _, new in lengths]
    return [channels, *old, filters, *new] if channels_first else [*old, channels, *new, filters]
