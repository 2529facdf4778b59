"""CTC by enumeration of all paths. This takes exponential time, but leaves no doubt."""

from itertools import groupby, product

import numpy as np


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
