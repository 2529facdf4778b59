"""`tf.nn` by functions of K, with the names that TensorFlow gives to their arguments.

Source: the documentation of TensorFlow 1.15.
"""
# ruff: noqa: A002

from typing import Any, Callable, Tuple

from ..python_code.limits import STEPS_OF_CALL, running, word_or_number
from .tensorflow_arguments import binary


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
            sizes = [tuple(one) if isinstance(one, (list, tuple)) else None for one in (ksize, strides)]
            known = data_format == 'NHWC' and isinstance(padding, str)
            if not known or not all([one and len(one) == 4 and one[0] == one[3] == 1 for one in sizes]):
                raise ValueError(f'tf.nn.{mode}_pool takes images (NHWC) and sizes like [1, 2, 2, 1] here.')
            window, steps = [one[1:3] for one in sizes if one]
            images = input if value is None else value
            return self.K.pool2d(images, window, steps, padding.lower(), 'channels_last', mode)

        return pool


def _axis(axis: Any, dim: Any) -> Any:
    axis = dim if axis is None else axis
    return -1 if axis is None else axis


def _named(function: str, sentinel: Any, labels: Any, logits: Any) -> None:
    if sentinel is not None or labels is None or logits is None:
        raise ValueError(f'tf.nn.{function} takes labels= and logits= by their names.')
