"""Functions of TensorFlow by functions of K, with the names that TensorFlow gives to their arguments.

Source: the documentation of TensorFlow 1.15 and 2.
"""
# ruff: noqa: A001, A002
# ruff: noqa: A002

from typing import Any, Callable, List, Tuple

from ..python_code import operators
from ..python_code.limits import STEPS_OF_CALL, running, word_or_number
from .counted import axis_of, binary, listed


class Meanings:
    """TensorFlow's functions by K."""

    def __init__(self, K: Any) -> None:
        self.K = K

    def transpose(self, a: Any, perm: Any = None, name: Any = None) -> Any:
        return self.K.transpose(a) if perm is None else self.K.permute_dimensions(a, tuple(listed(perm)))

    def concat(self, values: Any, axis: Any, name: Any = None) -> Any:
        if isinstance(values, int):  # the order before TensorFlow 1
            values, axis = axis, values
        return self.K.concatenate(listed(values), axis)

    def stack(self, values: Any, axis: Any = 0, name: Any = None) -> Any:
        return self.K.stack(listed(values), axis)

    def unstack(self, value: Any, num: Any = None, axis: int = 0, name: Any = None) -> Any:
        axis = axis_of(axis, self.K.ndim(value))
        size = self.K.int_shape(value)[axis]
        count = size if num is None else num
        if not isinstance(count, int) or size not in (None, count):
            raise ValueError(f'tf.unstack: an axis of size {size} has no {word_or_number(count)} parts.')
        running().step(STEPS_OF_CALL * count)
        return [value[(slice(None),) * axis + (i,)] for i in range(count)]

    def split(self, value: Any, num_or_size_splits: Any, axis: int = 0, num: Any = None, name: Any = None) -> Any:
        axis = axis_of(axis, self.K.ndim(value))
        size = self.K.int_shape(value)[axis]
        lengths = num_or_size_splits
        if isinstance(lengths, int):
            if size is None or lengths < 1 or size % lengths:
                raise ValueError(f'tf.split: an axis of size {size} has no {word_or_number(lengths)} equal parts.')
            running().step(lengths)
            lengths = [size // lengths] * lengths
        lengths = listed(lengths)
        running().step(STEPS_OF_CALL * len(lengths))
        tensors, start = [], 0
        for length in lengths:
            tensors.append(value[(slice(None),) * axis + (slice(start, start + length),)])
            start += length
        return tensors

    def expand_dims(self, input: Any, axis: Any = None, name: Any = None, dim: Any = None) -> Any:
        return self.K.expand_dims(input, dim if axis is None else axis)

    def squeeze(self, input: Any, axis: Any = None, name: Any = None, squeeze_dims: Any = None) -> Any:
        axis = squeeze_dims if axis is None else axis
        if axis is None:
            axis = [i for i, size in enumerate(self.K.int_shape(input)) if size == 1]
        axes = [axis] if isinstance(axis, int) else listed(axis)
        for dimension in sorted([axis_of(dimension, self.K.ndim(input)) for dimension in axes])[::-1]:
            input = self.K.squeeze(input, dimension)
        return input

    def reshape(self, tensor: Any, shape: Any, name: Any = None) -> Any:
        return self.K.reshape(tensor, shape)

    def tile(self, input: Any, multiples: Any, name: Any = None) -> Any:
        return self.K.tile(input, multiples)

    def cast(self, x: Any, dtype: Any, name: Any = None) -> Any:
        return self.K.cast(x, dtype)

    def clip_by_value(self, t: Any, clip_value_min: Any, clip_value_max: Any, name: Any = None) -> Any:
        return self.K.clip(t, clip_value_min, clip_value_max)

    def matmul(self, a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, name: Any = None) -> Any:
        a = self._swapped(a) if transpose_a else a
        b = self._swapped(b) if transpose_b else b
        ranks = self.K.ndim(a), self.K.ndim(b)
        if ranks[1] == 2:
            return self.K.dot(a, b)
        if ranks == (3, 3):
            self._same_batch(a, b)
            return self.K.batch_dot(a, b, axes=(2, 1))
        if ranks[0] != ranks[1]:
            raise ValueError(f'tf.matmul of tensors with {ranks[0]} and {ranks[1]} axes has no meaning here.')
        self._same_batch(a, b)
        sizes = [size if known is None else known for size, known in zip(self._sizes(a), self.K.int_shape(a))]
        rows, inner, columns = self.K.int_shape(a)[-2:] + self.K.int_shape(b)[-1:]
        a, b = self.K.reshape(a, (-1, rows, inner)), self.K.reshape(b, (-1, inner, columns))
        return self.K.reshape(self.K.batch_dot(a, b, axes=(2, 1)), (*sizes[:-2], rows, columns))

    def _sizes(self, x: Any) -> List[Any]:
        shape = self.K.shape(x)
        return [shape[i] for i in range(self.K.ndim(x))]

    def _swapped(self, x: Any) -> Any:
        rank = self.K.ndim(x)
        return self.K.permute_dimensions(x, (*range(rank - 2), rank - 1, rank - 2))

    def _same_batch(self, a: Any, b: Any) -> None:
        """batch_dot would give other numbers, or an error of its own."""
        shapes = self.K.int_shape(a)[:-2], self.K.int_shape(b)[:-2]
        if not all([None in (p, q) or p == q for p, q in zip(*shapes)]):
            raise ValueError(f'tf.matmul of batches {shapes[0]} and {shapes[1]} has no meaning here.')

    def tensordot(self, a: Any, b: Any, axes: Any, name: Any = None) -> Any:
        rank = self.K.ndim(a)
        if isinstance(axes, (list, tuple)):
            axes = [axis[0] if isinstance(axis, (list, tuple)) and len(axis) == 1 else axis for axis in axes]
        if self.K.ndim(b) != 2 or axes not in (1, [rank - 1, 0], [-1, 0]):
            raise ValueError('tf.tensordot is a product of a last axis and the first of a matrix here.')
        return self.K.dot(a, b)

    def norm(self, tensor: Any, ord: Any = 'euclidean', axis: Any = None, keepdims: Any = None, name: Any = None,
             keep_dims: Any = None) -> Any:  # fmt: skip
        if ord not in ('euclidean', 2):
            raise ValueError(f'tf.norm of the order {word_or_number(ord)} has no meaning here.')
        return self.K.sqrt(self.K.sum(self.K.square(tensor), axis, keepdims=bool(keepdims or keep_dims)))

    def one_hot(self, indices: Any, depth: int, name: Any = None) -> Any:
        return self.K.one_hot(indices, depth)

    def gather(
        self, params: Any, indices: Any, validate_indices: Any = None, name: Any = None, axis: Any = None
    ) -> Any:
        K, axis = self.K, 0 if axis is None else axis_of(axis, self.K.ndim(params))
        indices = self.convert(indices, 'int32')
        if not axis:
            return K.gather(params, indices)
        if K.ndim(indices) != 1:
            raise ValueError('tf.gather on another axis than the first takes a list of indices here.')
        order = (axis, *[i for i in range(K.ndim(params)) if i != axis])
        back = tuple([order.index(i) for i in range(len(order))])
        return K.permute_dimensions(K.gather(K.permute_dimensions(params, order), indices), back)

    def embedding_lookup(self, params: Any, ids: Any) -> Any:
        return self.gather(params, ids)

    def argument(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def arg(
            input: Any, axis: Any = None, name: Any = None, dimension: Any = None, output_type: str = 'int64'
        ) -> Any:
            axis = dimension if axis is None else axis
            return function(input, 0 if axis is None else axis)

        return arg

    def reverse(self, tensor: Any, axis: Any, name: Any = None) -> Any:
        return self.K.reverse(tensor, axis)

    def slice(self, input_: Any, begin: Any, size: Any, name: Any = None) -> Any:
        begin = listed(begin)
        ends = [None if count == -1 else binary('+', start, count) for start, count in zip(begin, listed(size))]
        return input_[tuple([operators.ends_of_slice(start, end) for start, end in zip(begin, ends)])]

    def where(self, condition: Any, x: Any, y: Any, name: Any = None) -> Any:
        return self.K.switch(condition, x, y)

    def depth_to_space(self, input: Any, block_size: int, name: Any = None) -> Any:
        return self._blocks(input, block_size, True)

    def space_to_depth(self, input: Any, block_size: int, name: Any = None) -> Any:
        return self._blocks(input, block_size, False)

    def _blocks(self, x: Any, n: int, to_space: bool) -> Any:
        """The channels c of (height, width, n * n * c) as blocks of n x n pixels, or back."""
        K = self.K
        sizes, static = K.shape(x), K.int_shape(x)
        height, width = [sizes[i] if static[i] is None else static[i] for i in (1, 2)]
        c = static[3]
        if to_space:
            x = K.reshape(x, (-1, height, width, n, n, c // (n * n)))
            return K.reshape(K.permute_dimensions(x, (0, 1, 3, 2, 4, 5)), (-1, height * n, width * n, c // (n * n)))
        x = K.reshape(x, (-1, height // n, n, width // n, n, c))
        return K.reshape(K.permute_dimensions(x, (0, 1, 3, 2, 4, 5)), (-1, height // n, width // n, n * n * c))

    def random_normal(self, shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None,
                      name: Any = None) -> Any:  # fmt: skip
        return self.K.random_normal(shape, mean, stddev, dtype, seed)

    def random_uniform(self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = None, seed: Any = None,
                       name: Any = None) -> Any:  # fmt: skip
        return self.K.random_uniform(shape, minval, 1.0 if maxval is None else maxval, dtype, seed)

    def zeros(self, shape: Any, dtype: Any = 'float32', name: Any = None) -> Any:
        return self.K.zeros(shape, dtype)

    def ones(self, shape: Any, dtype: Any = 'float32', name: Any = None) -> Any:
        return self.K.ones(shape, dtype)

    def constant(self, value: Any, dtype: Any = None, shape: Any = None, name: Any = None) -> Any:
        return self.K.constant(value, dtype, shape)

    def range(self, start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: Any = 'range') -> Any:
        whole = not any([isinstance(bound, float) for bound in (start, limit, delta)])
        return self.K.arange(start, limit, delta, dtype or ('int32' if whole else 'float32'))

    def cumulative(self, function: Callable[..., Any], first: Callable[..., Any]) -> Callable[..., Any]:
        """`cumsum` or `cumprod`, of which `first` makes the first element where it is exclusive."""

        def run(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: Any = None) -> Any:
            K, axis = self.K, axis_of(axis, self.K.ndim(x))
            x = K.reverse(x, axis) if reverse else x
            if exclusive:
                ahead = (slice(None),) * axis
                x = K.concatenate([first(x[(*ahead, slice(0, 1))]), x[(*ahead, slice(None, -1))]], axis)
            accumulated = function(x, axis)
            return K.reverse(accumulated, axis) if reverse else accumulated

        return run

    def shape(self, input: Any, name: Any = None, out_type: Any = None) -> Any:
        return self.K.shape(input)

    def convert(self, value: Any, dtype: Any = None, name: Any = None) -> Any:
        return value if self.K.is_tensor(value) else self.K.constant(value, dtype)

    def add_n(self, inputs: Any, name: Any = None) -> Any:
        first, *rest = listed(inputs)
        for tensor in rest:
            first = binary('+', first, tensor)
        return first


# -- tf.nn -------------------------------------------------------------------------------------------------------------
# `tf.nn` by functions of K, with the names that TensorFlow gives to their arguments.
#
# Source: the documentation of TensorFlow 1.15.


class Networks:
    """TensorFlow's functions of networks by K."""

    def __init__(self, K: Any) -> None:
        self.K = K

    def softmax(self, logits: Any, axis: Any = None, name: Any = None, dim: Any = None) -> Any:
        return self.K.softmax(logits, _axis(axis, dim))

    def log_softmax(self, logits: Any, axis: Any = None, name: Any = None, dim: Any = None) -> Any:
        K, axis = self.K, _axis(axis, dim)
        shifted = logits - K.max(logits, axis, keepdims=True)
        return shifted - K.log(K.sum(K.exp(shifted), axis, keepdims=True))

    def softmax_cross_entropy_with_logits(
        self, _sentinel: Any = None, labels: Any = None, logits: Any = None, dim: Any = None, name: Any = None,
        axis: Any = None,
    ) -> Any:  # fmt: skip
        _named('softmax_cross_entropy_with_logits', _sentinel, labels, logits)
        axis = _axis(axis, dim)
        return -self.K.sum(binary('*', labels, self.log_softmax(logits, axis)), axis)

    def sigmoid_cross_entropy_with_logits(
        self, _sentinel: Any = None, labels: Any = None, logits: Any = None, name: Any = None
    ) -> Any:
        _named('sigmoid_cross_entropy_with_logits', _sentinel, labels, logits)
        K = self.K
        linear = binary('-', K.relu(logits), binary('*', logits, labels))
        return binary('+', linear, K.log(1.0 + K.exp(-K.abs(logits))))

    def l2_normalize(self, x: Any, axis: Any = None, epsilon: float = 1e-12, name: Any = None, dim: Any = None) -> Any:
        K, axis = self.K, dim if axis is None else axis
        return binary('/', x, K.sqrt(K.maximum(K.sum(K.square(x), axis, keepdims=True), epsilon)))

    def leaky_relu(self, features: Any, alpha: float = 0.2, name: Any = None) -> Any:
        return self.K.relu(features, alpha)

    def relu6(self, features: Any, name: Any = None) -> Any:
        return self.K.relu(features, max_value=6.0)

    def moments(
        self, x: Any, axes: Any, shift: Any = None, name: Any = None, keep_dims: Any = None, keepdims: Any = None
    ) -> Tuple[Any, Any]:
        keep = bool(keep_dims or keepdims)
        return self.K.mean(x, axes, keepdims=keep), self.K.var(x, axes, keepdims=keep)

    def lrn(
        self, input: Any, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5,
        name: Any = None,
    ) -> Any:  # fmt: skip
        """Each element over a power of the sum of the squares of its channel and so many on either side."""
        K = self.K
        square, size = K.square(input), K.int_shape(input)[-1]
        total = square
        for far in range(1, min(depth_radius, size - 1) + 1):
            running().step(4 * STEPS_OF_CALL)
            none = K.zeros_like(square[..., :far])
            total = total + K.concatenate([square[..., far:], none], -1)
            total = total + K.concatenate([none, square[..., : size - far]], -1)
        return binary('/', input, K.pow(binary('+', bias, binary('*', alpha, total)), beta))

    def bias_add(self, value: Any, bias: Any, data_format: Any = None, name: Any = None) -> Any:
        if data_format not in (None, 'NHWC'):
            raise ValueError(f'tf.nn.bias_add with the data_format {word_or_number(data_format)} has no meaning here.')
        return binary('+', value, bias)

    def pool(self, mode: str) -> Callable[..., Any]:
        """`max_pool` or `avg_pool` of images."""

        def pool(
            value: Any = None, ksize: Any = None, strides: Any = None, padding: Any = None, data_format: str = 'NHWC',
            name: Any = None, input: Any = None,
        ) -> Any:  # fmt: skip
            sizes = [tuple(size) if isinstance(size, (list, tuple)) else None for size in (ksize, strides)]
            known = data_format == 'NHWC' and isinstance(padding, str)
            if not known or not all([size and len(size) == 4 and size[0] == size[3] == 1 for size in sizes]):
                raise ValueError(f'tf.nn.{mode}_pool takes images (NHWC) and sizes like [1, 2, 2, 1] here.')
            window, steps = [size[1:3] for size in sizes if size]
            images = input if value is None else value
            return self.K.pool2d(images, window, steps, padding.lower(), 'channels_last', mode)

        return pool


def _axis(axis: Any, dim: Any) -> Any:
    axis = dim if axis is None else axis
    return -1 if axis is None else axis


def _named(function: str, sentinel: Any, labels: Any, logits: Any) -> None:
    if sentinel is not None or labels is None or logits is None:
        raise ValueError(f'tf.nn.{function} takes labels= and logits= by their names.')
