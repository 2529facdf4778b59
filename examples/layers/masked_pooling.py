"""Pooling over the steps of a sequence that count: means, maxima (Kim 2014, "Convolutional Neural Networks for Sentence
Classification", section 2) and attention (Lin et al. 2017, "A Structured Self-attentive Sentence Embedding")."""

import numpy as np

import keras_backend as K


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
        self.first = K.random_normal_variable((features, hidden), 0.0, features**-0.5)
        self.second = K.random_normal_variable((hidden, rows), 0.0, hidden**-0.5)
        self.weights = [self.first, self.second]

    def __call__(self, x, mask):
        scores = K.dot(K.tanh(K.dot(x, self.first)), self.second)
        weights = K.exp(scores - K.max(scores, axis=1, keepdims=True)) * K.expand_dims(K.cast(mask, K.dtype(x)))
        weights /= K.sum(weights, axis=1, keepdims=True)
        return K.batch_dot(weights, x, axes=1)


if __name__ == '__main__':
    x, mask = K.placeholder((None, None, 2)), K.placeholder((None, None))
    pool = K.function([x, mask], [masked_mean(x, mask), masked_max(x, mask), AttentivePooling(2, 4, rows=1)(x, mask)])
    steps, counted = np.array([[[1.0, 5.0], [3.0, 2.0], [9.0, 9.0]]]), np.array([[1.0, 1.0, 0.0]])
    for name, y in zip(('mean', 'maximum', 'attention'), pool([steps, counted])):
        print(name, 'of the two steps that count:', y.ravel())
