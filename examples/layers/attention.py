"""Multi-head attention: Vaswani et al. (2017), "Attention Is All You Need", section 3.2."""

import numpy as np

import keras_backend as K


class MultiHeadAttention:
    """Self-attention of several heads.

    Attention(Q, K, V) = softmax(Q K^T / sqrt(size)) V                                    (eq. 1)
    MultiHead(x) = Concat(head_1, ..., head_h) W^O,   head_i = Attention(x W_i^Q, x W_i^K, x W_i^V)
    """

    def __init__(self, features, heads, size):
        self.heads, self.size = heads, size
        self.projections = [K.random_normal_variable((features, heads * size), 0.0, features**-0.5) for _ in range(3)]
        self.output = K.random_normal_variable((heads * size, features), 0.0, (heads * size) ** -0.5)
        self.weights = self.projections + [self.output]

    def split(self, x):
        """(samples, time, heads * size) -> (samples * heads, time, size)"""
        time = K.shape(x)[1]
        x = K.reshape(x, (-1, time, self.heads, self.size))
        return K.reshape(K.permute_dimensions(x, (0, 2, 1, 3)), (-1, time, self.size))

    def join(self, x):
        """(samples * heads, time, size) -> (samples, time, heads * size)"""
        time = K.shape(x)[1]
        x = K.reshape(x, (-1, self.heads, time, self.size))
        return K.reshape(K.permute_dimensions(x, (0, 2, 1, 3)), (-1, time, self.heads * self.size))

    def __call__(self, x, mask=None):
        """x: (samples, time, features); mask: (samples, time), 0 for steps that do not count."""
        query, key, value = [self.split(K.dot(x, w)) for w in self.projections]
        scores = K.batch_dot(query, key, axes=2) / np.sqrt(self.size)
        if mask is not None:
            seen = K.repeat_elements(K.cast(mask, K.dtype(x)), self.heads, axis=0)
            scores -= 1e9 * (1.0 - K.expand_dims(seen, 1))
        return K.dot(self.join(K.batch_dot(K.softmax(scores), value)), self.output)


if __name__ == '__main__':
    x = K.placeholder((None, None, 16))
    attend = K.function([x], [MultiHeadAttention(features=16, heads=4, size=8)(x)])
    print('3 sequences of 5 steps and 16 features ->', attend([np.random.normal(size=(3, 5, 16))])[0].shape)
