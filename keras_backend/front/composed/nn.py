"""Neural network functions, said in others."""

from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from ...basics.library import Tensor
from ...basics.shapes import (
    dropped_fraction,
    entries_of,
    known,
    normalize_axes,
    normalize_axis,
    rank_of,
    spread,
    with_rest,
)
from ...errors import ShapeError
from .api import Api
from .shape import sizes


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
