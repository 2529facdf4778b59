"""Connectionist temporal classification as a layer: Graves, Fernandez, Gomez and Schmidhuber (2006), "Connectionist
Temporal Classification: Labelling Unsegmented Sequence Data with Recurrent Neural Networks"."""

import keras_backend as K

from .initial import glorot


class CTC:
    """Frames to labels. p(l | x) is the sum over all paths that give l after merging repetitions and dropping blanks,
    the last class (eq. 3). The forward algorithm computes it (section 4.1). The loss is minus its logarithm (eq. 12).
    """

    def __init__(self, features, classes):
        self.kernel, self.bias = glorot(features, classes + 1), K.zeros((classes + 1,))
        self.weights = [self.kernel, self.bias]

    def probabilities(self, frames):
        return K.softmax(K.bias_add(K.dot(frames, self.kernel), self.bias))

    def loss(self, labels, frames, frame_lengths, label_lengths):
        """labels: (samples, longest); lengths: (samples, 1); the result: (samples, 1)."""
        return K.ctc_batch_cost(labels, self.probabilities(frames), frame_lengths, label_lengths)

    def read(self, frames, frame_lengths):
        """The labels of the best path, padded with -1 (section 3.2)."""
        (labels,), _score = K.ctc_decode(self.probabilities(frames), frame_lengths[:, 0], greedy=True)
        return labels
