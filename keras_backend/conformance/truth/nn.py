"""Losses and normalisations in float64 NumPy, by the rules of docs/semantics.md."""

import numpy as np

from .elementwise import softplus


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
