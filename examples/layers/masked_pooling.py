"""Pooling over the steps of a sequence that count: means, maxima (Kim 2014, "Convolutional Neural Networks for Sentence
Classification", section 2) and attention (Lin et al. 2017, "A Structured Self-attentive Sentence Embedding")."""

import keras_backend as K

from .initial import glorot


def masked_mean(x, mask):
    """The mean over time where the mask is 1. It is zero if no step counts."""
    mask = K.expand_dims(K.cast(mask, K.dtype(x)))
    return K.sum(x * mask, axis=1) / K.maximum(K.sum(mask, axis=1), 1.0)


def masked_max(x, mask):
    """The maximum over time where the mask is 1: c^ = max(c)."""
    lowest = K.min(x, axis=1, keepdims=True)
    return K.max(K.switch(mask, x, K.zeros_like(x) + lowest), axis=1)


class AttentivePooling:
    """M = A H, A = softmax(W_s2 tanh(W_s1 H^T)) over the steps that count (eq. 5 to 8): `rows` weighted means."""

    def __init__(self, features, hidden, rows):
        self.first, self.second = glorot(features, hidden), glorot(hidden, rows)
        self.weights = [self.first, self.second]

    def __call__(self, x, mask):
        scores = K.dot(K.tanh(K.dot(x, self.first)), self.second)
        weights = K.exp(scores - K.max(scores, axis=1, keepdims=True)) * K.expand_dims(K.cast(mask, K.dtype(x)))
        weights /= K.sum(weights, axis=1, keepdims=True)
        return K.batch_dot(weights, x, axes=1)
