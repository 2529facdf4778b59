"""Activations that libraries have as one operation. The rest is composed."""

from typing import Any

import numpy as np

from ..basics.arrays import plain_number
from ..basics.library import Axis, Tensor
from ..basics.shapes import normalize_axis
from .composed.nn import inside
from .operands import Operands, note


class NN(Operands):
    def logits(self, probabilities: Any, activation: str) -> Any:
        # Of the very tensor: a copy, a shape or a product of it is a number like any other.
        kind, logits = getattr(probabilities, '_k_logits', ('', None))
        return logits if kind == activation else None

    def sigmoid(self, x: Any) -> Tensor:
        x = self.floating(x)
        probabilities = self.F.sigmoid(x)
        note(probabilities, _k_logits=('sigmoid', x))
        return probabilities

    def tanh(self, x: Any) -> Tensor:
        return self.F.tanh(self.floating(x))

    def softplus(self, x: Any) -> Tensor:
        return self.F.softplus(self.floating(x))

    def softmax(self, x: Any, axis: Axis = -1) -> Tensor:
        x = self.floating(x)
        axis = self.axis(x, axis)
        probabilities = self.F.softmax(x, axis=axis)
        if axis in (-1, (self.library.rank(x) or 0) - 1):
            note(probabilities, _k_logits=('softmax', x))
        return probabilities

    def relu(self, x: Any, alpha: Any = 0.0, max_value: Any = None, threshold: Any = 0.0) -> Tensor:
        plain = isinstance(alpha, (int, float)) and isinstance(threshold, (int, float))
        if plain and alpha == 0 and max_value is None and threshold == 0:
            x = self.operand(x)
            return x if self.library.dtype(x) == 'bool' else self.F.relu(x)
        return _relu(self, self.operand(x), alpha, max_value, threshold)

    def categorical_crossentropy(self, target: Any, output: Any, from_logits: bool = False, axis: Axis = -1) -> Tensor:
        if not from_logits:
            logits = self.logits(output, 'softmax')
            if logits is not None and axis in (-1, self.ndim(output) - 1):
                return self.categorical_crossentropy(target, logits, True, axis)
        target, output = self.together(target, self.floating(output))
        axis = normalize_axis(axis, len(self.library.dims(output)))
        if from_logits:
            # With the logarithm that libraries have as one operation.
            scores = self.F.log_softmax(output, axis=axis)
        else:
            scores = self.log(inside(self, output / self.sum(output, axis=axis, keepdims=True)))
        return -self.sum(target * scores, axis=axis)


def _relu(K: Operands, x: Tensor, alpha: Any, max_value: Any, threshold: Any) -> Tensor:
    alpha, max_value, threshold = [plain_number(value) for value in (alpha, max_value, threshold)]
    flat = _is_number(alpha) and alpha == 0
    dtype = K.dtype(x)
    if 'float' not in dtype:
        # Integers stay what they are where nothing but whole numbers meets them.
        if flat and _is_whole(K, max_value) and _is_whole(K, threshold):
            max_value, threshold = [int(v) if isinstance(v, float) else v for v in (max_value, threshold)]
        else:
            x, dtype = K.cast(x, K.floatx()), K.floatx()
    alpha, max_value, threshold = [_of_dtype(K, value, dtype) for value in (alpha, max_value, threshold)]
    if max_value is None and _is_number(threshold) and threshold == 0:
        # At a tie the gradient goes to the first argument. It is `alpha` at 0.
        if not _is_number(alpha) or alpha < 0:
            return K.maximum(0, x) + alpha * K.minimum(x, 0)
        if flat:
            return x if dtype == 'bool' else K.maximum(0, x)
        return K.maximum(alpha * x, x) if alpha <= 1 else K.minimum(alpha * x, x)
    # The result is `x` above the threshold, and 0 elsewhere. A `max_value` limits it to between 0 and `max_value`.
    # Below the threshold, `alpha` times the distance to it is subtracted. A NaN is neither above nor below, and stays.
    if _is_number(threshold) and threshold == 0:
        y = K.maximum(0, x)
    else:
        if not _is_number(threshold) and (K.ndim(threshold) or 0) > (K.ndim(x) or 0):
            # A condition of lower rank than what it chooses from would be laid along the wrong axes.
            x = x + K.zeros_like(threshold)
        y = K.switch(K.less_equal(x, threshold), K.zeros_like(x), x)
    if max_value is not None:
        # The gradient at `max_value` is 1, and 0 where it is 6: libraries have a function for that.
        y = K.minimum(6, y) if _is_number(max_value) and max_value == 6 else K.minimum(y, max_value)
        if not (_is_number(max_value) and max_value >= 0 and _is_number(threshold) and threshold >= 0):
            y = K.maximum(y, 0)
    return y if flat else y - alpha * K.maximum(0, threshold - x)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _is_whole(K: Operands, limit: Any) -> bool:
    """Whether a limit leaves integers what they are: a whole number, none, or a tensor of integers."""
    if limit is None or _is_number(limit):
        return limit is None or limit % 1 == 0
    return 'float' not in (
        np.asarray(limit).dtype.name if isinstance(limit, (np.ndarray, list, tuple)) else K.dtype(limit)
    )


def _of_dtype(K: Operands, value: Any, dtype: Any) -> Tensor:
    """`value` as it is if it is a number or None, else as a tensor of `dtype`."""
    if value is None or _is_number(value):
        return value
    return K.constant(value, dtype=dtype) if isinstance(value, (np.ndarray, list, tuple)) else K.cast(value, dtype)
