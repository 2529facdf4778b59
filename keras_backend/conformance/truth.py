"""The right answers, computed in plain NumPy, in other ways than any engine computes them."""

from itertools import groupby, product

import numpy as np

from ..basics.tables import beside

# -- convolution and pooling -------------------------------------------------------------------------------------------
# Convolutions and pooling by loops over all places of the output, for any number of spatial axes, and resizing.
#
# All is float64. The data is channels last. `to_last` and `from_last` convert.


def to_last(x, data_format):
    return np.moveaxis(x, 1, -1) if data_format == 'channels_first' else x


def from_last(x, data_format):
    return np.moveaxis(x, -1, 1) if data_format == 'channels_first' else x


def as_tuple(value, rank):
    return (value,) * rank if isinstance(value, int) else tuple(value)


def geometry(n, k, s, d, padding):
    """(output size, zeros before, zeros after) of one axis."""
    window = (k - 1) * d + 1
    if padding == 'same':
        out = -(-n // s)
        total = max((out - 1) * s + window - n, 0)
        return out, total // 2, total - total // 2
    before = window - 1 if padding == 'causal' else 0
    return (n + before - window) // s + 1, before, 0


def places(x, window, strides, dilation, padding, fill=0.0):
    """Yields the shape of the output, then (output index, patch of shape (batch, *window, channels)) for each place."""
    rank = x.ndim - 2
    strides, dilation = as_tuple(strides, rank), as_tuple(dilation, rank)
    axes = [geometry(n, k, s, d, padding) for n, k, s, d in zip(x.shape[1:-1], window, strides, dilation)]
    padded = np.pad(x, [(0, 0)] + [(b, a) for _, b, a in axes] + [(0, 0)], 'constant', constant_values=fill)
    out = tuple(o for o, _, _ in axes)
    yield out
    for index in np.ndindex(*out):
        cut = tuple(slice(i * s, i * s + (k - 1) * d + 1, d) for i, s, k, d in zip(index, strides, window, dilation))
        yield index, padded[(slice(None),) + cut]


def conv(x, kernel, strides=1, padding='valid', dilation=1):
    """Cross-correlation: kernel (*window, in, out)."""
    rank = x.ndim - 2
    patches = places(x, kernel.shape[:rank], strides, dilation, padding)
    y = np.zeros((x.shape[0],) + next(patches) + kernel.shape[-1:])
    for index, patch in patches:
        y[(slice(None),) + index] = np.tensordot(patch, kernel, rank + 1)
    return y


def depthwise(x, kernel, strides=1, padding='valid', dilation=1):
    """Kernel (*window, in, multiplier); output channel = in * multiplier + m."""
    rank = x.ndim - 2
    patches = places(x, kernel.shape[:rank], strides, dilation, padding)
    y = np.zeros((x.shape[0],) + next(patches) + (kernel.shape[-2] * kernel.shape[-1],))
    for index, patch in patches:
        products = (patch[..., None] * kernel).sum(axis=tuple(range(1, rank + 1)))
        y[(slice(None),) + index] = products.reshape(len(x), -1)
    return y


def transposed(x, kernel, output_shape, strides=1, padding='valid', dilation=1):
    """The adjoint of `conv` from output_shape to x. It scatters every product. The kernel is (*window, out, in)."""
    rank = x.ndim - 2
    strides, dilation = as_tuple(strides, rank), as_tuple(dilation, rank)
    window, out = kernel.shape[:rank], output_shape[1:-1]
    axes = [geometry(n, k, s, d, padding) for n, k, s, d in zip(out, window, strides, dilation)]
    assert tuple(o for o, _, _ in axes) == x.shape[1:-1], 'the case itself is wrong'
    y = np.zeros(output_shape)
    for index in np.ndindex(*x.shape[1:-1]):
        for offset in np.ndindex(*window):
            at = tuple(i * s + o * d - axis[1] for i, s, o, d, axis in zip(index, strides, offset, dilation, axes))
            if all(0 <= a < n for a, n in zip(at, out)):
                y[(slice(None),) + at] += x[(slice(None),) + index].dot(kernel[offset].T)
    return y


def pool(x, window, strides, padding, mode):
    """Pooling of the real elements. NaN marks the padding, which never counts."""
    patches = places(x, window, strides, 1, padding, fill=np.nan)
    y = np.zeros((x.shape[0],) + next(patches) + x.shape[-1:])
    axes = tuple(range(1, x.ndim - 1))
    for index, patch in patches:
        y[(slice(None),) + index] = (np.nanmax if mode == 'max' else np.nanmean)(patch, axis=axes)
    return y


def local(x, kernel, window, strides, data_format='channels_last'):
    """Unshared weights. The kernel is (places, features, filters); features are in the memory order of the window."""
    patches = places(to_last(x, data_format), window, strides, 1, 'valid')
    out = next(patches)
    y = np.zeros((x.shape[0],) + out + kernel.shape[-1:])
    for number, (index, patch) in enumerate(patches):
        if data_format == 'channels_first':
            patch = np.moveaxis(patch, -1, 1)
        y[(slice(None),) + index] = patch.reshape(len(x), -1).dot(kernel[number])
    return from_last(y, data_format)


def bilinear(x, height_factor, width_factor):
    """An enlarged image: source position = output index / factor, at most the last index."""
    for axis, factor in ((1, height_factor), (2, width_factor)):
        indices = np.arange(x.shape[axis] * factor)
        low, weight = indices // factor, (indices % factor) / float(factor)
        above = np.minimum(low + 1, x.shape[axis] - 1)
        weight = weight.reshape((-1,) + (1,) * (x.ndim - axis - 1))
        x = (1 - weight) * np.take(x, low, axis) + weight * np.take(x, above, axis)
    return x


# -- CTC ---------------------------------------------------------------------------------------------------------------
# CTC by enumeration of all paths. This takes exponential time, but leaves no doubt.


def normalised(y, eps=1e-7):
    """The probabilities after log(y + eps) and softmax."""
    return (y + eps) / (y + eps).sum(axis=-1, keepdims=True)


def collapse(path, blank):
    """A path without its repetitions, and then without its blanks."""
    return tuple(label for label, _ in groupby(path) if label != blank)


def labellings(y, length, eps=1e-7):
    """A dict: labelling -> probability of all paths of `length` steps that collapse to it."""
    p, classes = normalised(y.astype('float64'), eps), y.shape[-1]
    total = {}
    for path in product(range(classes), repeat=int(length)):
        label = collapse(path, classes - 1)
        total[label] = total.get(label, 0.0) + np.prod([p[t, c] for t, c in enumerate(path)])
    return total


def ended(label, blank):
    """A label up to its first blank, or None if a character comes after the blank."""
    kept = [int(c) for c in label]
    end = [i for i, c in enumerate(kept) if c >= blank] + [len(kept)]
    return None if any(c < blank for c in kept[end[0] :]) else tuple(kept[: end[0]])


def batch_cost(labels, y, input_length, label_length, eps=1e-7):
    """Minus the log of the probability of each labelling, (samples, 1). It is inf if the labelling does not fit."""
    costs = []
    for label, sample, n, m in zip(labels, y, np.ravel(input_length), np.ravel(label_length)):
        probability = labellings(sample, n, eps).get(ended(label[: int(m)], y.shape[-1] - 1), 0.0)
        costs.append([-np.log(probability) if probability > 0 else np.inf])
    return np.array(costs)


def padded(paths):
    """Paths of different lengths as one int64 array, padded with -1."""
    longest = max([len(path) for path in paths] + [0])
    return np.array([list(path) + [-1] * (longest - len(path)) for path in paths], 'int64').reshape(len(paths), longest)


def greedy(y, input_length, eps=1e-7):
    """The paths, and the negated sums of log(max p + eps), (samples, 1)."""
    paths, sums = [], []
    for sample, n in zip(y.astype('float64'), np.ravel(input_length)):
        best = sample[: int(n)]
        paths.append(collapse(best.argmax(-1), y.shape[-1] - 1))
        sums.append([-np.log(best.max(-1) + eps).sum()])
    return padded(paths), np.array(sums)


def beam(y, input_length, top_paths, merge_repeated=False, eps=1e-7):
    """The result of a beam that drops nothing: a list of arrays of paths, and log p, (samples, top_paths)."""
    best = [
        sorted(labellings(sample, n, eps).items(), key=lambda item: -item[1])[:top_paths]
        for sample, n in zip(y, np.ravel(input_length))
    ]
    paths = [
        padded(
            [tuple(k for k, _ in groupby(sample[rank][0])) if merge_repeated else sample[rank][0] for sample in best]
        )
        for rank in range(top_paths)
    ]
    return paths, np.log(np.array([[probability for _, probability in sample] for sample in best]))


# -- dtypes ------------------------------------------------------------------------------------------------------------
# The dtypes of results, by the rules of docs/semantics.md#mixed-dtypes.


FLOATS = ('float16', 'float32', 'float64')
ALL = FLOATS + ('int32', 'int64', 'bool')
PAIRS = [(a, b) for a in ALL for b in ALL if a != b]


def promote(a, b):
    """The dtype of two tensors: a float before an integer before a bool, and the wider of two floats or integers."""
    if a in FLOATS or b in FLOATS:
        return max((d for d in (a, b) if d in FLOATS), key=FLOATS.index)
    return np.promote_types(a, b).name


def arithmetic(a, b):
    """The dtype of +, -, *, // and %. Two bools give int32."""
    return 'int32' if a == b == 'bool' else promote(a, b)


def division(a, b, floatx='float32'):
    """The dtype of /. Two integers give floatx."""
    return promote(a, b) if a in FLOATS or b in FLOATS else floatx


# -- element-wise functions --------------------------------------------------------------------------------------------
# Element-wise functions in float64 NumPy, and their values at special numbers.


def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


def softplus(x):
    return np.logaddexp(0, x)


def sqrt(x):
    return np.sqrt(np.where(x < 0, 0, x))


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def relu(x, alpha=0.0, max_value=None, threshold=0.0):
    """x above the threshold, between 0 and max_value; alpha * (x - threshold) is added below the threshold."""
    above = np.where(x <= threshold, 0, x)
    if max_value is not None:
        above = np.maximum(np.minimum(above, max_value), 0)
    elif not np.any(threshold):
        return np.where(x > 0, x, alpha * np.where(alpha == 0, 0, x))
    return above - alpha * np.maximum(threshold - x, 0)


# name -> (truth, whether integers give floatx and not integers)
UNARY = {
    'square': (np.square, False),
    'abs': (np.abs, False),
    'sign': (np.sign, False),
    'sqrt': (sqrt, True),
    'exp': (np.exp, True),
    'log': (np.log, True),
    'sin': (np.sin, True),
    'cos': (np.cos, True),
    'tanh': (np.tanh, True),
    'sigmoid': (sigmoid, True),
    'softplus': (softplus, True),
    'softsign': (lambda x: x / (1 + np.abs(x)), True),
    'hard_sigmoid': (lambda x: np.clip(0.2 * x + 0.5, 0, 1), True),
    'elu': (elu, True),
    'relu': (relu, None),
    'round': (np.round, None),
}
POSITIVE = ('log', 'sqrt')  # functions of positive numbers

# name -> (arguments, results), for float32 and float64
EDGES = beside(__file__, 'edge_values.json')


# -- products ----------------------------------------------------------------------------------------------------------
# The NumPy implementation of batch_dot from the documents of Keras.


def batch_axes(x_ndim, y_ndim, axes):
    """`axes` as two non-negative ints. An int means both axes, None means the default of the documents."""
    if axes is None:
        axes = (x_ndim - 1, y_ndim - 1 if y_ndim == 2 else y_ndim - 2)
    elif isinstance(axes, int):
        axes = (axes, axes)
    return axes[0] % x_ndim, axes[1] % y_ndim


def batch_dot(x, y, axes=None):
    """A tensordot for each sample. A result of rank 1 becomes (batch, 1)."""
    a, b = batch_axes(x.ndim, y.ndim, axes)
    result = np.array([np.tensordot(xi, yi, (a - 1, b - 1)) for xi, yi in zip(x, y)])
    return result[:, None] if result.ndim == 1 else result


# -- losses ------------------------------------------------------------------------------------------------------------
# Losses and normalisations in float64 NumPy, by the rules of docs/semantics.md.


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def categorical(target, output, from_logits=False, axis=-1, eps=1e-7):
    p = softmax(output, axis) if from_logits else np.clip(output / output.sum(axis=axis, keepdims=True), eps, 1 - eps)
    return -(target * np.log(p)).sum(axis=axis)


def sparse(target, output, from_logits=False, axis=-1, eps=1e-7):
    """`target` has the shape of `output` without `axis`."""
    if from_logits:
        p = softmax(output, axis)
    else:
        p = np.clip(output, eps, 1 - eps)
        p = p / p.sum(axis=axis, keepdims=True)
    p = np.moveaxis(p, axis, -1).reshape(-1, output.shape[axis])
    return -np.log(p[np.arange(len(p)), target.ravel().astype(int)]).reshape(target.shape)


def binary(target, output, from_logits=False, eps=1e-7):
    if from_logits:
        return target * softplus(-output) + (1 - target) * softplus(output)
    p = np.clip(output, eps, 1 - eps)
    return -(target * np.log(p + eps) + (1 - target) * np.log(1 - p + eps))


def in_top_k(predictions, targets, k):
    """True if fewer than k scores are greater than that of the target; False for NaN and for a target out of range."""
    hits = []
    for row, target in zip(predictions, targets):
        inside = 0 <= target < len(row) and not np.isnan(row[target])
        hits.append(bool(inside and sum(score > row[target] for score in row) < k))
    return hits


# -- rnn ---------------------------------------------------------------------------------------------------------------
# The NumPy implementation of rnn from the documents of Keras, with the options of the newer documents.


def expand(mask, ndim):
    return mask.reshape(mask.shape + (1,) * (ndim - mask.ndim))


def rnn(
    step,
    inputs,
    initial_states,
    go_backwards=False,
    mask=None,
    constants=(),
    time_major=False,
    zero_output_for_mask=False,
):
    """(last_output, outputs, new_states). A mask has the first two axes of `inputs`."""
    x = inputs if time_major else np.swapaxes(inputs, 0, 1)
    if mask is not None:
        mask = np.asarray(mask).reshape(inputs.shape[:2]) != 0
        mask = mask if time_major else mask.T
    times = range(len(x))
    outputs, states, previous = [], list(initial_states), None
    for t in reversed(times) if go_backwards else times:
        output, new = step(x[t], states + list(constants))
        if mask is not None:
            if previous is None or zero_output_for_mask:
                previous = np.zeros_like(output)
            output = np.where(expand(mask[t], output.ndim), output, previous)
            new = [np.where(expand(mask[t], n.ndim), n, s) for n, s in zip(new, states)]
        outputs.append(output)
        states, previous = list(new), output
    stacked = np.stack(outputs)
    return outputs[-1], stacked if time_major else np.swapaxes(stacked, 0, 1), states
