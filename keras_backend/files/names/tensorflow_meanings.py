"""Functions of TensorFlow by functions of K, with the names that TensorFlow gives to their arguments.

Source: the documentation of TensorFlow 1.15 and 2.
"""
# ruff: noqa: A001, A002

from typing import Any, Callable

from ..python_code import operators
from ..python_code.limits import STEPS_OF_CALL, running


class Meanings:
    """TensorFlow's functions by K."""

    def __init__(self, K: Any) -> None:
        self.K = K

    def transpose(self, a: Any, perm: Any = None, name: Any = None) -> Any:
        return self.K.transpose(a) if perm is None else self.K.permute_dimensions(a, tuple(perm))

    def concat(self, values: Any, axis: Any, name: Any = None) -> Any:
        return self.K.concatenate(list(values), axis)

    def stack(self, values: Any, axis: Any = 0, name: Any = None) -> Any:
        return self.K.stack(list(values), axis)

    def unstack(self, value: Any, num: Any = None, axis: int = 0, name: Any = None) -> Any:
        count = self.K.int_shape(value)[axis] if num is None else num
        running().step(STEPS_OF_CALL * count)
        return [self._at(value, i, axis) for i in range(count)]

    def _at(self, value: Any, index: int, axis: int) -> Any:
        return value[(slice(None),) * (axis % self.K.ndim(value)) + (index,)]

    def split(self, value: Any, num_or_size_splits: Any, axis: int = 0, num: Any = None, name: Any = None) -> Any:
        axis %= self.K.ndim(value)
        size = self.K.int_shape(value)[axis]
        parts = num_or_size_splits
        if isinstance(parts, int):
            if size is None or size % parts:
                raise ValueError(f'tf.split: an axis of size {size} has no {parts} equal parts.')
            running().step(parts)
            parts = [size // parts] * parts
        running().step(STEPS_OF_CALL * len(parts))
        found, start = [], 0
        for part in parts:
            found.append(value[(slice(None),) * axis + (slice(start, start + part),)])
            start += part
        return found

    def expand_dims(self, input: Any, axis: Any = None, name: Any = None, dim: Any = None) -> Any:
        return self.K.expand_dims(input, dim if axis is None else axis)

    def squeeze(self, input: Any, axis: Any = None, name: Any = None, squeeze_dims: Any = None) -> Any:
        axis = squeeze_dims if axis is None else axis
        if axis is None:
            axis = [i for i, size in enumerate(self.K.int_shape(input)) if size == 1]
        for one in sorted([one % self.K.ndim(input) for one in ([axis] if isinstance(axis, int) else axis)])[::-1]:
            input = self.K.squeeze(input, one)
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
        rank = self.K.ndim(a)
        swapped = (*range(rank - 2), rank - 1, rank - 2)
        a = self.K.permute_dimensions(a, swapped) if transpose_a else a
        b = self.K.permute_dimensions(b, swapped) if transpose_b else b
        return self.K.dot(a, b) if rank == 2 else self.K.batch_dot(a, b, axes=(rank - 1, rank - 2))

    def l2_normalize(self, x: Any, axis: Any = None, epsilon: float = 1e-12, name: Any = None, dim: Any = None) -> Any:
        K, axis = self.K, dim if axis is None else axis
        return x / K.sqrt(K.maximum(K.sum(K.square(x), axis, keepdims=True), epsilon))

    def norm(self, tensor: Any, ord: Any = 'euclidean', axis: Any = None, keepdims: Any = None, name: Any = None,
             keep_dims: Any = None) -> Any:  # fmt: skip
        if ord not in ('euclidean', 2):
            raise ValueError(f'tf.norm of the order {ord!r} has no meaning here.')
        return self.K.sqrt(self.K.sum(self.K.square(tensor), axis, keepdims=bool(keepdims or keep_dims)))

    def one_hot(self, indices: Any, depth: int, name: Any = None) -> Any:
        return self.K.one_hot(indices, depth)

    def gather(self, params: Any, indices: Any, name: Any = None) -> Any:
        return self.K.gather(params, indices)

    def argument(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def arg(input: Any, axis: Any = None, name: Any = None, dimension: Any = None) -> Any:
            axis = dimension if axis is None else axis
            return function(input, 0 if axis is None else axis)

        return arg

    def softmax(self, logits: Any, axis: int = -1, name: Any = None, dim: Any = None) -> Any:
        return self.K.softmax(logits, axis if dim is None else dim)

    def leaky_relu(self, features: Any, alpha: float = 0.2, name: Any = None) -> Any:
        return self.K.relu(features, alpha)

    def relu6(self, features: Any, name: Any = None) -> Any:
        return self.K.relu(features, max_value=6.0)

    def reverse(self, tensor: Any, axis: Any, name: Any = None) -> Any:
        return self.K.reverse(tensor, axis)

    def slice(self, input_: Any, begin: Any, size: Any, name: Any = None) -> Any:
        ends = [None if count == -1 else start + count for start, count in zip(begin, size)]
        return input_[tuple([slice(start, end) for start, end in zip(begin, ends)])]

    def pad(
        self, tensor: Any, paddings: Any, mode: str = 'CONSTANT', name: Any = None, constant_values: Any = 0
    ) -> Any:
        if mode not in ('CONSTANT', 'constant'):
            raise ValueError(f'tf.pad with the mode {mode!r} has no meaning here.')
        K = self.K
        for axis, (before, after) in enumerate(paddings):
            for count, first in ((before, True), (after, False)):
                if count:
                    running().step(count)
                    edge = K.zeros_like(self._edge(tensor, axis)) + K.cast(constant_values, K.dtype(tensor))
                    parts = [edge] * count
                    tensor = K.concatenate([*parts, tensor] if first else [tensor, *parts], axis)
        return tensor

    def _edge(self, value: Any, axis: int) -> Any:
        return value[(slice(None),) * axis + (slice(0, 1),)]

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

    def resize(self, interpolation: str) -> Callable[..., Any]:
        def resize(images: Any, size: Any, align_corners: bool = False, name: Any = None) -> Any:
            _, height, width, _ = self.K.int_shape(images)
            if (
                align_corners
                or not all([isinstance(one, int) for one in (*size, height, width)])
                or (size[0] % height or size[1] % width)
            ):
                raise ValueError('tf.image.resize is a whole multiple of a known size here, without align_corners.')
            factors = size[0] // height, size[1] // width
            return self.K.resize_images(images, *factors, 'channels_last', interpolation=interpolation)

        return resize

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

    def convert(self, value: Any, dtype: Any = None, name: Any = None) -> Any:
        return value if self.K.is_tensor(value) else self.K.constant(value, dtype)

    def add_n(self, inputs: Any, name: Any = None) -> Any:
        first, *rest = inputs
        for one in rest:
            first = operators.binary('+', first, one, running())
        return first
