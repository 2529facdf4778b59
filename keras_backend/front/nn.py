"""Activations, normalisation and losses. Libraries have few of them as one operation; the rest is composed."""

from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from ..basics.dtypes import plain_number
from ..basics.library import Axis, Tensor
from ..basics.shapes import (
    dropped_fraction,
    entries_of,
    known,
    normalize_axes,
    normalize_axis,
    rank_of,
    spread,
    with_rest,
)
from ..errors import ShapeError
from .base import Api, Operands, note
from .shape import sizes


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


# -- said in other K functions -----------------------------------------------------------------------------------------


class ComposedNN(Api):
    def softsign(self, x: Any) -> Tensor:
        x = self.floating(x)
        return x / (1.0 + self.abs(x))

    def hard_sigmoid(self, x: Any) -> Tensor:
        return self.clip(0.2 * self.floating(x) + 0.5, 0.0, 1.0)

    def elu(self, x: Any, alpha: Any = 1.0) -> Tensor:
        x = self.floating(x)
        # exp(x) - 1 by way of tanh, which keeps the digits of a small x; what is not taken cannot overflow.
        t = self.tanh(0.5 * self.minimum(x, 0))
        return self.maximum(0, x) + alpha * (2.0 * t / (1.0 - t))

    def dropout(self, x: Any, level: Any, noise_shape: Any = None, seed: Optional[int] = None) -> Tensor:
        x = self.floating(x)
        if known(level) or isinstance(level, (float, np.floating)):
            dropped_fraction(level)
        else:
            level = self.cast(self.operand(level), self.dtype(x))
        here = sizes(self.int_shape(x), self.shape, x)
        if noise_shape is not None:
            if hasattr(noise_shape, 'dtype') and not isinstance(noise_shape, np.ndarray):
                rank_of(self.int_shape(noise_shape), [1], 'noise_shape')
                entries = [noise_shape[i] for i in range(self.int_shape(noise_shape)[0] or len(here))]
            else:
                entries = entries_of(noise_shape)
            if len(entries) != len(here):
                raise ShapeError(f'noise_shape={entries} has to have an entry for each of the {len(here)} axes of x.')
            here = [own if entry is None else entry for own, entry in zip(here, entries)]
        dtype = self.dtype(x) if self.dtype(x).startswith('float') else self.floatx()
        kept = self.random_binomial(here, p=1.0 - level, dtype=dtype, seed=seed)
        return x * (kept / (1.0 - level))

    def l2_normalize(self, x: Any, axis: Any = None) -> Tensor:
        x = self.floating(x)
        # Small enough to matter only for zeros, yet not zero itself in half precision.
        floor = 1e-7 if self.dtype(x) == 'float16' else 1e-12
        return x / self.sqrt(self.maximum(self.sum(self.square(x), axis=axis, keepdims=True), floor))

    def in_top_k(self, predictions: Any, targets: Any, k: Any) -> Tensor:
        rank_of(self.int_shape(predictions), [2], 'predictions')
        rank_of(self.int_shape(targets), [1], 'targets')
        if not known(k):
            rank_of(self.int_shape(k), [0], 'k')
        predictions, k = self.operand(predictions), k if known(k) else self.operand(k)
        classes = sizes(self.int_shape(predictions), self.shape, predictions)[1]
        chosen = self.equal(self.expand_dims(_labels(self, targets), 1), self.arange(classes))
        score = self.sum(self.switch(chosen, predictions, self.zeros_like(predictions)), axis=1, keepdims=True)
        # The scores that are no higher than the target's are counted, its own among them: none if it is NaN. A target
        # that is no class has no score.
        reached = self.sum(self.cast(self.greater_equal(score, predictions), 'int32'), axis=1)
        exists = self.sum(self.cast(chosen, 'int32'), axis=1)
        beaten = max(classes - k, 0) if known(classes) and known(k) else self.maximum(classes - k, 0)
        return self.greater(reached * exists, beaten)

    def sparse_categorical_crossentropy(
        self, target: Any, output: Any, from_logits: bool = False, axis: Any = -1, ignore_class: Optional[int] = None
    ) -> Tensor:
        logits = None if from_logits else self.logits(output, 'softmax')
        if logits is not None and axis in (-1, self.ndim(output) - 1):
            output, from_logits = logits, True
        target, output = self.operand(target), self.floating(output)
        shape = self.int_shape(output)
        axis = normalize_axis(axis, len(shape))
        labels = _laid_along(self, _labels(self, target), shape, axis)
        if ignore_class is None:
            return _cost_of_labels(self, labels, output, from_logits, axis, self.is_class)
        ignored = self.equal(labels, ignore_class)
        # NaN in a row that is left out would pass through the gradient of a choice between losses.
        output = self.switch(ignored, self.ones_like(output), output)
        labels = self.switch(ignored, self.zeros_like(labels), labels)
        cost = _cost_of_labels(self, labels, output, from_logits, axis, self.is_class)
        return self.switch(self.squeeze(ignored, axis), self.zeros_like(cost), cost)

    def is_class(self, labels: Tensor, classes: Tensor) -> Tensor:
        """Whether each label is one of `classes`, the numbers from 0 on. Where the engine can tell, it refuses others.

        Libraries differ in what they read at a place that is not there, so it is compared.
        """
        return self.equal(self.gather(classes, labels), labels)

    def binary_crossentropy(self, target: Any, output: Any, from_logits: bool = False) -> Tensor:
        logits = None if from_logits else self.logits(output, 'sigmoid')
        if logits is not None:
            return self.binary_crossentropy(target, logits, True)
        target, output = self.together(target, self.floating(output))
        if from_logits:
            # softplus of -|x| is the tail of the logarithm; the argument order matters as in sigmoid.
            return self.maximum(output, 0.0) - output * target + self.softplus(self.minimum(-output, output))
        output, epsilon = inside(self, output), self.epsilon()
        return -(target * self.log(output + epsilon) + (1.0 - target) * self.log(1.0 - output + epsilon))

    def batch_normalization(
        self, x: Any, mean: Any, var: Any, beta: Any, gamma: Any, axis: Any = -1, epsilon: Any = 0.001
    ) -> Tensor:
        x, mean, var, beta, gamma, epsilon = _alike(self, x, mean, var, beta, gamma, epsilon)
        ndim = self.ndim(x)
        axis = normalize_axis(axis, ndim)
        if axis < ndim - 1:
            target = spread(ndim, {axis: -1})
            mean, var, beta, gamma = [
                self.reshape(statistic, target) if statistic is not None and self.ndim(statistic) == 1 else statistic
                for statistic in (mean, var, beta, gamma)
            ]
        return _scaled(self, x - mean, var, beta, gamma, epsilon)

    def normalize_batch_in_training(
        self, x: Any, gamma: Any, beta: Any, reduction_axes: Any, epsilon: Any = 0.001
    ) -> Tuple[Tensor, Tensor, Tensor]:
        x, gamma, beta, epsilon = _alike(self, x, gamma, beta, epsilon)
        shape = self.int_shape(x)
        axes = normalize_axes(reduction_axes, len(shape), 'reduction_axes')
        leading = sorted(axes) == list(range(len(axes)))
        mean = self.mean(x, axis=list(axes), keepdims=not leading)
        centred = x - mean
        var = self.mean(self.square(centred), axis=list(axes), keepdims=not leading)
        if not leading:
            kept = [i for i in range(len(shape)) if i not in axes]
            here = sizes(shape, self.shape, x)
            wide = with_rest(spread(len(shape), {i: here[i] for i in kept}))
            narrow = with_rest([here[i] for i in kept])
            gamma, beta = [
                self.reshape(scale, wide) if scale is not None and self.ndim(scale) == len(kept) else scale
                for scale in (gamma, beta)
            ]
        normalised = _scaled(self, centred, var, beta, gamma, epsilon)
        if not leading:
            mean, var = self.reshape(mean, narrow), self.reshape(var, narrow)
        return normalised, mean, var


def _labels(K: Api, labels: Any) -> Any:
    """Numbers of classes, as integers that hold all that the dtype of `labels` can count."""
    return K.cast(labels, 'int64' if K.dtype(labels) in ('int64', 'uint32', 'uint64') else 'int32')


def _laid_along(K: Api, target: Any, shape: Any, axis: Any) -> Tensor:
    ndim = K.ndim(target)
    if ndim == len(shape) - 1:
        return K.expand_dims(target, axis)
    static = K.int_shape(target)
    if ndim == len(shape) and static[axis] != 1 and static[-1] == 1:
        return K.expand_dims(K.squeeze(target, -1), axis)
    if ndim == len(shape) and static[axis] in (1, None):
        return target
    raise ShapeError(
        f'A target of shape {static} does not fit an output of shape {shape} with its classes on axis {axis}; it has '
        'to be of that shape without this axis.'
    )


def _cost_of_labels(
    K: Api, labels: Tensor, output: Tensor, from_logits: bool, axis: int, is_class: Callable[[Tensor, Tensor], Tensor]
) -> Tensor:
    """The cross-entropy against labels that have one entry on the axis of the classes."""
    shape = K.int_shape(output)
    classes = K.arange(sizes(shape, K.shape, output)[axis])
    # The logarithm is 0, or -inf for a label that is no class: it costs inf where no error can be raised.
    nothing = K.log(K.cast(K.squeeze(is_class(labels, classes), axis), K.dtype(output)))
    if axis < len(shape) - 1:
        classes = K.reshape(classes, spread(len(shape), {axis: -1}))
    chosen = K.equal(labels, classes)
    if from_logits:
        output = output - K.stop_gradient(K.max(output, axis=axis, keepdims=True))
        total = K.log(K.sum(K.exp(output), axis=axis))
        return total - K.sum(K.switch(chosen, output, K.zeros_like(output)), axis=axis) - nothing
    output = inside(K, output)
    picked = K.sum(K.switch(chosen, output, K.zeros_like(output)), axis=axis)
    # Two logarithms, because the quotient may overflow in half precision.
    return K.log(K.sum(output, axis=axis)) - K.log(picked) - nothing


def inside(K: Api, probabilities: Any) -> Tensor:
    """Probabilities with a distance from 0 and 1, so that their logarithms are finite."""
    eps = K.epsilon()
    # In half precision 1 - eps would be 1, whose distance from 1 has no logarithm.
    return K.clip(probabilities, eps, 1.0 - (max(eps, 2.0**-11) if K.dtype(probabilities) == 'float16' else eps))


def _alike(K: Api, x: Any, *others: Any) -> List[Any]:
    """All values as tensors of one float dtype; None among `others` stays."""
    tensors = iter(K.together(K.floating(x), *[v for v in others if v is not None]))
    return [next(tensors), *[None if v is None else next(tensors) for v in others]]


def _scaled(K: Api, centred: Any, var: Any, beta: Any, gamma: Any, epsilon: Any) -> Tensor:
    deviation = K.sqrt(var + epsilon)
    y = centred / deviation if gamma is None else centred * (gamma / deviation)
    return y if beta is None else y + beta
