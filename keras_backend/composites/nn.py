"""Neural network functions, said in others."""

import numpy as np

from ..arrays import plain_number
from ..errors import ShapeError
from ..shapes import dropped_fraction, known, normalize_axes, normalize_axis
from ._dims import fill, sizes, spread

K = None  # the engine's namespace, set by binding.rebind


def tanh(x):
    return 2.0 * K.sigmoid(2.0 * x) - 1.0


def sigmoid(x):
    # Neither exp overflows, and the small tail keeps its digits. At a tie both functions give their gradient to the
    # first argument, which makes the two halves meet in the right slope at 0.
    return K.exp(K.minimum(0.0, x)) / (1.0 + K.exp(K.minimum(-x, x)))


def softplus(x):
    # The argument order matters as in sigmoid.
    return K.maximum(x, 0.0) + _log1p(K.exp(K.minimum(-x, x)))


def _log1p(x):
    # Kahan: the error of log(1 + x) is that of the rounded 1 + x, and so cancels in the quotient.
    rounded = 1.0 + x
    lost = K.equal(rounded, 1.0)
    step = K.switch(lost, K.ones_like(x), rounded - 1.0)
    return K.switch(lost, x, K.log(rounded) * (x / step))


def softsign(x):
    return x / (1.0 + K.abs(x))


def hard_sigmoid(x):
    return K.clip(0.2 * x + 0.5, 0.0, 1.0)


def relu(x, alpha=0.0, max_value=None, threshold=0.0):
    alpha, max_value, threshold = [plain_number(value) for value in (alpha, max_value, threshold)]
    flat = _is_number(alpha) and alpha == 0
    dtype = K.dtype(x)
    if 'float' not in dtype:
        # Integers stay what they are where nothing but whole numbers meets them.
        if flat and _is_whole(max_value) and _is_whole(threshold):
            max_value, threshold = [int(v) if isinstance(v, float) else v for v in (max_value, threshold)]
        else:
            x, dtype = K.cast(x, K.floatx()), K.floatx()
    alpha, max_value, threshold = [_of_dtype(value, dtype) for value in (alpha, max_value, threshold)]
    cap = np.inf if max_value is None else max_value
    fixed = _is_number(cap) and _is_number(threshold)
    if fixed and threshold == 0 and ((_is_number(alpha) and alpha >= 0 and cap >= 0) or max_value is None):
        # At a tie the gradient goes to the first argument: at 0 it is `alpha`, at `max_value` and at the threshold 0.
        if not _is_number(alpha) or alpha < 0:
            y = K.maximum(0, x) + alpha * K.minimum(x, 0)
        elif flat:
            y = K.maximum(0, x)
        else:
            y = K.maximum(alpha * x, x) if alpha <= 1 else K.minimum(alpha * x, x)
        return y if max_value is None else K.minimum(max_value, y)
    if not _is_number(alpha) and (K.ndim(alpha) or 0) > (K.ndim(x) or 0):
        # A condition of lower rank than what it chooses from would be laid along the wrong axes.
        x = x + K.zeros_like(alpha)
    above = K.maximum(threshold, x)
    above = above if max_value is None else K.minimum(max_value, above)
    below = K.zeros_like(x) if flat else alpha * (x - threshold)
    start = min(threshold, cap) if fixed else threshold if max_value is None else K.minimum(threshold, max_value)
    return K.switch(K.greater_equal(x, start), above, below)


def _is_number(value):
    return isinstance(value, (int, float))


def _is_whole(limit):
    """Whether a limit leaves integers what they are: a whole number, none, or a tensor of integers."""
    if limit is None or _is_number(limit):
        return limit is None or limit % 1 == 0
    return 'float' not in (
        np.asarray(limit).dtype.name if isinstance(limit, (np.ndarray, list, tuple)) else K.dtype(limit)
    )


def _of_dtype(value, dtype):
    """`value` as it is if it is a number or None, else as a tensor of `dtype`."""
    if value is None or _is_number(value):
        return value
    return K.constant(value, dtype=dtype) if isinstance(value, (np.ndarray, list, tuple)) else K.cast(value, dtype)


def elu(x, alpha=1.0):
    # exp(x) - 1 by way of tanh, which keeps the digits of a small x; what is not taken cannot overflow.
    t = K.tanh(0.5 * K.minimum(x, 0))
    return K.maximum(0, x) + alpha * (2.0 * t / (1.0 - t))


def softmax(x, axis=-1):
    axis = normalize_axis(axis, K.ndim(x))
    raised = K.exp(x - K.stop_gradient(K.max(x, axis=axis, keepdims=True)))
    return raised / K.sum(raised, axis=axis, keepdims=True)


def dropout(x, level, noise_shape=None, seed=None):
    if known(level) or isinstance(level, (float, np.floating)):
        dropped_fraction(level)
    here = sizes(K.int_shape(x), K.shape, x)
    if noise_shape is not None:
        entries = noise_shape if isinstance(noise_shape, (list, tuple)) else [noise_shape[i] for i in range(len(here))]
        here = [own if entry is None else entry for own, entry in zip(here, entries)]
    dtype = K.dtype(x) if K.dtype(x).startswith('float') else K.floatx()
    kept = K.random_binomial(here, p=1.0 - level, dtype=dtype, seed=seed)
    return x * (kept / (1.0 - level))


def l2_normalize(x, axis=None):
    # Small enough to matter only for zeros, yet not zero itself in half precision.
    floor = 1e-7 if K.dtype(x) == 'float16' else 1e-12
    return x / K.sqrt(K.maximum(K.sum(K.square(x), axis=axis, keepdims=True), floor))


def in_top_k(predictions, targets, k):
    classes = sizes(K.int_shape(predictions), K.shape, predictions)[1]
    chosen = K.equal(K.expand_dims(K.cast(targets, 'int32'), 1), K.arange(classes))
    score = K.sum(K.switch(chosen, predictions, K.zeros_like(predictions)), axis=1, keepdims=True)
    # Counted are the scores that the target's reaches, its own among them: none if it is NaN. A target that is no class
    # has no score.
    reached = K.sum(K.cast(K.greater_equal(score, predictions), 'int32'), axis=1)
    exists = K.sum(K.cast(chosen, 'int32'), axis=1)
    beaten = max(classes - k, 0) if known(classes) and known(k) else K.maximum(classes - k, 0)
    return K.greater(reached * exists, beaten)


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    axis = normalize_axis(axis, K.ndim(output))
    if from_logits:
        shifted = output - K.stop_gradient(K.max(output, axis=axis, keepdims=True))
        return K.sum(target * (K.log(K.sum(K.exp(shifted), axis=axis, keepdims=True)) - shifted), axis=axis)
    output = _inside(output / K.sum(output, axis=axis, keepdims=True))
    return -K.sum(target * K.log(output), axis=axis)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    shape = K.int_shape(output)
    axis = normalize_axis(axis, len(shape))
    classes = sizes(shape, K.shape, output)[axis]
    target = _laid_along(K.cast(target, 'int32'), shape, axis)
    places = K.arange(classes)
    if axis < len(shape) - 1:
        places = K.reshape(places, spread(len(shape), {axis: -1}))
    chosen = K.equal(target, places)
    if from_logits:
        output = output - K.stop_gradient(K.max(output, axis=axis, keepdims=True))
        total = K.log(K.sum(K.exp(output), axis=axis))
        # The logarithm is 0, or -inf for a target that is no class: it costs inf rather than nothing.
        exists = K.log(K.cast(K.any(chosen, axis=axis), K.dtype(output)))
        return total - K.sum(K.switch(chosen, output, K.zeros_like(output)), axis=axis) - exists
    output = _inside(output)
    picked = K.sum(K.switch(chosen, output, K.zeros_like(output)), axis=axis)
    # Two logarithms, because the quotient may overflow in half precision.
    return K.log(K.sum(output, axis=axis)) - K.log(picked)


def _laid_along(target, shape, axis):
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


def binary_crossentropy(target, output, from_logits=False):
    if from_logits:
        # softplus of -|x| is the tail of the logarithm; the argument order matters as in sigmoid.
        return K.maximum(output, 0.0) - output * target + K.softplus(K.minimum(-output, output))
    output = _inside(output)
    return -(target * K.log(output) + (1.0 - target) * K.log(1.0 - output))


def _inside(probabilities):
    eps = K.epsilon()
    # In half precision 1 - eps would be 1, whose distance from 1 has no logarithm.
    return K.clip(probabilities, eps, 1.0 - (max(eps, 2.0**-11) if K.dtype(probabilities) == 'float16' else eps))


def batch_normalization(x, mean, var, beta, gamma, axis=-1, epsilon=0.001):
    ndim = K.ndim(x)
    axis = normalize_axis(axis, ndim)
    if axis < ndim - 1:
        target = spread(ndim, {axis: -1})
        mean, var, beta, gamma = [
            K.reshape(statistic, target) if statistic is not None and K.ndim(statistic) == 1 else statistic
            for statistic in (mean, var, beta, gamma)
        ]
    return _scaled(x - mean, var, beta, gamma, epsilon)


def _scaled(centred, var, beta, gamma, epsilon):
    deviation = K.sqrt(var + epsilon)
    y = centred / deviation if gamma is None else centred * (gamma / deviation)
    return y if beta is None else y + beta


def normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon=0.001):
    shape = K.int_shape(x)
    axes = normalize_axes(reduction_axes, len(shape), 'reduction_axes')
    leading = sorted(axes) == list(range(len(axes)))
    mean = K.mean(x, axis=list(axes), keepdims=not leading)
    centred = x - mean
    var = K.mean(K.square(centred), axis=list(axes), keepdims=not leading)
    if not leading:
        kept = [i for i in range(len(shape)) if i not in axes]
        here = sizes(shape, K.shape, x)
        wide = fill(spread(len(shape), {i: here[i] for i in kept}))
        narrow = fill([here[i] for i in kept])
        gamma, beta = [
            K.reshape(scale, wide) if scale is not None and K.ndim(scale) == len(kept) else scale
            for scale in (gamma, beta)
        ]
    normalised = _scaled(centred, var, beta, gamma, epsilon)
    if not leading:
        mean, var = K.reshape(mean, narrow), K.reshape(var, narrow)
    return normalised, mean, var
