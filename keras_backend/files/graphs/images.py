"""Operations of images and volumes in graphs: convolution, pooling, normalization, sizes, blocks.

Source: the documentation of tf.raw_ops of TensorFlow 2.
"""

from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from ..names.tensorflow_images import matrix, resized
from .steps import Operation, Step, is_known, product


# -- convolution and pooling -------------------------------------------------------------------------------------------
class _Window:
    """What a node says about the axes of rows, columns and so on."""

    def __init__(self, step: Step, rank: int) -> None:
        """Read the attributes. rank: how many such axes there are. Error: LayerConfigError."""
        self.step, self.rank = step, rank
        written = step.node.text('data_format') or 'N...C'
        self.first = written.startswith('NC')
        self.data_format = 'channels_first' if self.first else 'channels_last'
        self.axes = tuple(range(2, rank + 2)) if self.first else tuple(range(1, rank + 1))
        self.strides = self.numbers('strides')

    def numbers(self, name: str) -> Tuple[int, ...]:
        """An attribute with a number for each axis of the tensor. Those of rows and channels have to be 1."""
        numbers = self.step.node.integers(name) or [1] * (self.rank + 2)
        others = [number for axis, number in enumerate(numbers) if axis not in self.axes]
        if len(numbers) != self.rank + 2 or set(others) != {1}:
            raise self.step.error(f'has {name} {numbers}, which has a meaning with 1 for rows and channels alone')
        return tuple([numbers[axis] for axis in self.axes])

    def padded(self, x: Any) -> Tuple[Any, str]:
        """The tensor with the padding that is said one by one, and the padding that is left to K."""
        padding = self.step.node.text('padding')
        if padding in ('SAME', 'VALID'):
            return x, padding.lower()
        pairs = np.reshape(self.step.node.integers('explicit_paddings') or [0] * (2 * self.rank + 4), (-1, 2)).tolist()
        if padding != 'EXPLICIT' or self.rank != 2 or len(pairs) != 4:
            raise self.step.error(f'has the padding {padding[:60]}, which has no meaning here')
        ends = tuple([tuple(pairs[axis]) for axis in self.axes])
        return self.step.K.spatial_2d_padding(x, ends, self.data_format), 'valid'


def _convolution(name: str, rank: int) -> Operation:
    def convolve(step: Step, inputs: List[Any]) -> Any:
        x, kernel = step.tensors(inputs)
        window = _Window(step, rank)
        x, padding = window.padded(x)
        rates = window.numbers('dilations')
        if any([rate > 1 for rate in rates]) and any([stride > 1 for stride in window.strides]):
            raise step.error('has strides and dilations at once, which is not done here')
        axis, taken = 1 if window.first else rank + 1, step.static(kernel)[-2]
        channels = step.static(x)[axis]
        if not channels or channels == taken or name == 'depthwise_conv2d':
            return getattr(step.K, name)(x, kernel, window.strides, padding, window.data_format, rates)
        # Groups of channels, each with its part of the kernels.
        groups, made = channels // taken, step.static(kernel)[-1]
        if groups * taken != channels or made % groups:
            raise step.error(f'has kernels of {taken} channels for a tensor of {channels}')
        parts, ahead = [], (slice(None),) * axis
        for number in range(groups):
            part = x[(*ahead, slice(number * taken, (number + 1) * taken))]
            own = kernel[..., number * made // groups : (number + 1) * made // groups]
            parts.append(getattr(step.K, name)(part, own, window.strides, padding, window.data_format, rates))
        return step.K.concatenate(parts, axis)

    return convolve


def _transposed(name: str, rank: int) -> Operation:
    """The gradient of a convolution by its input, which is a transposed convolution."""

    def convolve(step: Step, inputs: List[Any]) -> Any:
        sizes, kernel, x = inputs
        kernel, x = step.tensors([kernel, x])
        window = _Window(step, rank)
        padding = step.node.text('padding')
        if padding not in ('SAME', 'VALID'):
            raise step.error(f'has the padding {padding[:60]}, which has no meaning here')
        entries = sizes.tolist() if is_known(sizes) else getattr(sizes, 'entries', None)
        if entries is None or len(entries) != rank + 2:
            raise step.unknown('a shape')
        rates = window.numbers('dilations')
        more = [rates] if set(rates) != {1} else []
        output = getattr(step.K, name)(
            x, kernel, tuple(entries), window.strides, padding.lower(), window.data_format, *more
        )
        return output

    return convolve


def _pool(mode: str, rank: int) -> Operation:
    def pool(step: Step, inputs: List[Any]) -> Any:
        window = _Window(step, rank)
        padding = step.node.text('padding')
        if padding not in ('SAME', 'VALID'):
            raise step.error(f'has the padding {padding[:60]}, which has no meaning here')
        function = getattr(step.K, f'pool{rank}d')
        x = step.tensor(inputs[0])
        return function(x, window.numbers('ksize'), window.strides, padding.lower(), window.data_format, mode)

    return pool


def _normalized(step: Step, inputs: List[Any]) -> Any:
    """Channels with the mean 0 and the variance 1, by given statistics or, in training, by those of the tensor."""
    K, (x, *rest) = step.K, [step.tensor(value) for value in inputs]
    rank = step.rank(x)
    axis = 1 if step.node.text('data_format').startswith('NC') else rank - 1
    axes = [other for other in range(rank) if other != axis]
    if step.node.flag('is_training', True):
        if step.node.decimal('exponential_avg_factor', 1.0) != 1.0:
            raise step.error('mixes the statistics of the batch with older ones, which is not done here')
        rest[2:] = [K.mean(x, axis=axes), K.var(x, axis=axes)]
    shape = [-1 if other == axis else 1 for other in range(rank)]
    scale, offset, mean, variance = [K.reshape(part, shape) for part in rest]
    return [(x - mean) * K.pow(variance + step.node.decimal('epsilon', 1e-4), -0.5) * scale + offset]


# -- sizes -------------------------------------------------------------------------------------------------------------
def _resize(nearest: bool) -> Operation:
    def resize(step: Step, inputs: List[Any]) -> Any:
        K, x = step.K, step.tensor(inputs[0])
        dtype = K.dtype(x)
        whole = 'float' not in dtype
        x = K.cast(x, 'float32') if whole else x
        corners, halves = step.node.flag('align_corners'), step.node.flag('half_pixel_centers')
        for axis, new in zip((1, 2), step.numbers(inputs[1], 'a size')):
            old = K.int_shape(x)[axis]
            if not old or new < 1:
                raise step.unknown('a size')
            if old != new:
                x = resized(K, x, axis, matrix(old, new, nearest, corners, halves))
        return K.cast(x, dtype) if nearest and whole else x

    return resize


def _known_sizes(step: Step, x: Any, axes: Sequence[int]) -> List[int]:
    sizes = [step.static(x)[axis] for axis in axes]
    if None in sizes:
        raise step.unknown('a size')
    return [int(size) for size in sizes]


def _to_batch(step: Step, inputs: List[Any]) -> Any:
    """Blocks of pixels as more rows of the batch."""
    K, x = step.K, step.tensor(inputs[0])
    blocks = step.numbers(inputs[1], 'the sizes of blocks')
    pairs = step.known(inputs[2], 'the padding').reshape(-1, 2).tolist()
    count = len(blocks)
    if len(pairs) != count or product(blocks) < 1 or step.rank(x) not in (count + 1, count + 2):
        raise step.error('has blocks that do not fit the tensor')
    if count > 2:
        raise step.error('has blocks of more than two axes, which is not done here')
    x, is_line = (K.expand_dims(x, 2), True) if count == 1 else (x, False)
    x = K.expand_dims(x, -1) if step.rank(x) == 3 else x
    blocks, pairs = (blocks + [1], pairs + [[0, 0]]) if is_line else (blocks, pairs)
    x = K.spatial_2d_padding(x, tuple([tuple(pair) for pair in pairs]), 'channels_last')
    rows, columns, channels = _known_sizes(step, x, (1, 2, 3))
    (p, q), (high, wide) = blocks, (rows // blocks[0], columns // blocks[1])
    if (high * p, wide * q) != (rows, columns):
        raise step.error(f'has blocks {blocks} that do not fit the sizes {[rows, columns]}')
    x = K.reshape(x, (-1, high, p, wide, q, channels))
    # The blocks come before the batch, whose size may be open.
    x = K.reshape(K.permute_dimensions(x, (2, 4, 0, 1, 3, 5)), (-1, high, wide, channels))
    return _as_before(step, x, step.rank(step.tensor(inputs[0])), is_line)


def _of_batch(step: Step, inputs: List[Any]) -> Any:
    """Rows of the batch as blocks of pixels again."""
    K, x = step.K, step.tensor(inputs[0])
    blocks = step.numbers(inputs[1], 'the sizes of blocks')
    pairs = step.known(inputs[2], 'the numbers of pixels to cut').reshape(-1, 2).tolist()
    count = len(blocks)
    if len(pairs) != count or product(blocks) < 1 or step.rank(x) not in (count + 1, count + 2) or count > 2:
        raise step.error('has blocks that do not fit the tensor')
    x, is_line = (K.expand_dims(x, 2), True) if count == 1 else (x, False)
    x = K.expand_dims(x, -1) if step.rank(x) == 3 else x
    blocks, pairs = (blocks + [1], pairs + [[0, 0]]) if is_line else (blocks, pairs)
    high, wide, channels = _known_sizes(step, x, (1, 2, 3))
    p, q = blocks
    x = K.reshape(x, (p, q, -1, high, wide, channels))
    x = K.reshape(K.permute_dimensions(x, (2, 3, 0, 4, 1, 5)), (-1, high * p, wide * q, channels))
    (top, bottom), (left, right) = pairs
    x = x[:, top : high * p - bottom, left : wide * q - right]
    return _as_before(step, x, step.rank(step.tensor(inputs[0])), is_line)


def _as_before(step: Step, x: Any, rank: int, is_line: bool) -> Any:
    x = step.K.squeeze(x, 2) if is_line else x
    return x if step.rank(x) == rank else step.K.squeeze(x, step.rank(x) - 1)


def _blocks(to_space: bool) -> Operation:
    """Channels as blocks of pixels, or back."""

    def move(step: Step, inputs: List[Any]) -> Any:
        K, x, n = step.K, step.tensor(inputs[0]), step.node.integer('block_size', 1)
        if step.node.text('data_format', 'NHWC') != 'NHWC':
            raise step.error('has channels before rows, which has no meaning here')
        high, wide, c = _known_sizes(step, x, (1, 2, 3))
        if n < 1 or (c % (n * n) if to_space else high % n or wide % n):
            raise step.error(f'has blocks of {n} that do not fit the tensor')
        if to_space:
            x = K.reshape(x, (-1, high, wide, n, n, c // (n * n)))
            return K.reshape(K.permute_dimensions(x, (0, 1, 3, 2, 4, 5)), (-1, high * n, wide * n, c // (n * n)))
        x = K.reshape(x, (-1, high // n, n, wide // n, n, c))
        return K.reshape(K.permute_dimensions(x, (0, 1, 3, 2, 4, 5)), (-1, high // n, wide // n, n * n * c))

    return move


IMAGES: Dict[str, Operation] = {
    'Conv2D': _convolution('conv2d', 2),
    'Conv3D': _convolution('conv3d', 3),
    'DepthwiseConv2dNative': _convolution('depthwise_conv2d', 2),
    'Conv2DBackpropInput': _transposed('conv2d_transpose', 2),
    'Conv3DBackpropInputV2': _transposed('conv3d_transpose', 3),
    'MaxPool': _pool('max', 2),
    'AvgPool': _pool('avg', 2),
    'MaxPool3D': _pool('max', 3),
    'AvgPool3D': _pool('avg', 3),
    **dict.fromkeys(['FusedBatchNorm', 'FusedBatchNormV2', 'FusedBatchNormV3'], _normalized),
    'ResizeBilinear': _resize(False),
    'ResizeNearestNeighbor': _resize(True),
    'SpaceToBatchND': _to_batch,
    'BatchToSpaceND': _of_batch,
    'DepthToSpace': _blocks(True),
    'SpaceToDepth': _blocks(False),
}
