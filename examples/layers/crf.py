"""A linear-chain conditional random field: Lafferty, McCallum and Pereira (2001), "Conditional Random Fields:
Probabilistic Models for Segmenting and Labeling Sequence Data"."""

import numpy as np

import keras_backend as K


class CRF:
    """The negative log-likelihood of tag sequences.

        -log p(y | x) = log Z(x) - (start[y_1] + sum_t x_t[y_t] + sum_t T[y_t, y_t+1] + end[y_n])

    Z is the sum over all sequences. The forward recursion computes it:
    alpha_t[j] = x_t[j] + log sum_i exp(alpha_t-1[i] + T[i, j]).
    """

    def __init__(self, tags):
        self.transitions = K.random_normal_variable((tags, tags), 0.0, tags**-0.5)
        self.start, self.end = K.zeros((tags,)), K.zeros((tags,))
        self.weights = [self.transitions, self.start, self.end]

    def log_partition(self, scores, mask):
        def step(score, states):
            alpha = K.logsumexp(K.expand_dims(states[0], 2) + self.transitions, axis=1) + score
            return alpha, [alpha]

        first = self.start + scores[:, 0]
        _last, _all, (alpha,) = K.rnn(step, scores[:, 1:], [first], mask=mask[:, 1:])
        return K.logsumexp(alpha + self.end, axis=-1)

    def score(self, tags, scores, mask):
        mask = K.expand_dims(mask)
        following = K.concatenate([mask[:, 1:], K.zeros_like(mask[:, :1])], axis=1)
        last = tags * (mask - following)  # the tag of the last step that counts
        moves = K.dot(tags[:, :-1], self.transitions) * tags[:, 1:] * mask[:, 1:]
        return (
            K.dot(tags[:, 0], K.expand_dims(self.start))[:, 0]
            + K.sum(scores * tags * mask, axis=(1, 2))
            + K.sum(moves, axis=(1, 2))
            + K.sum(last * self.end, axis=(1, 2))
        )

    def __call__(self, tags, scores, mask):
        """tags: (samples, time, tags), one-hot; scores: the same shape; mask: (samples, time), ones, then zeros."""
        return self.log_partition(scores, mask) - self.score(tags, scores, mask)


if __name__ == '__main__':
    tags, scores, mask = K.placeholder((None, None, 3)), K.placeholder((None, None, 3)), K.placeholder((None, None))
    cost = K.function([tags, scores, mask], [CRF(3)(tags, scores, mask)])
    right = np.eye(3)[np.array([[0, 1, 2, 1]])]
    for name, given in (('right', right), ('wrong', right[:, ::-1, ::-1])):
        print('-log p(tags), where the scores are', name + ':', cost([right, 5.0 * given, np.ones((1, 4))])[0])
