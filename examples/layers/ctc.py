"""Connectionist temporal classification as a layer: Graves, Fernandez, Gomez and Schmidhuber (2006), "Connectionist
Temporal Classification: Labelling Unsegmented Sequence Data with Recurrent Neural Networks"."""

import numpy as np

import keras_backend as K


class CTC:
    """Frames to labels. p(l | x) is the sum over all paths that give l after merging repetitions and dropping blanks,
    the last class (eq. 3). The forward algorithm computes it (section 4.1). The loss is minus its logarithm (eq. 12).
    """

    def __init__(self, features, classes):
        self.kernel = K.random_normal_variable((features, classes + 1), 0.0, features**-0.5)
        self.bias = K.zeros((classes + 1,))
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


if __name__ == '__main__':
    frames, lengths = K.placeholder((None, None, 8)), K.placeholder((None, 1), dtype='int32')
    labels, label_lengths = K.placeholder((None, 2), dtype='int32'), K.placeholder((None, 1), dtype='int32')
    layer = CTC(features=8, classes=4)
    cost = K.mean(layer.loss(labels, frames, lengths, label_lengths))
    updates = [K.update_sub(w, 0.1 * g) for w, g in zip(layer.weights, K.gradients(cost, layer.weights))]
    train = K.function([frames, lengths, labels, label_lengths], [cost], updates=updates)
    read = K.function([frames, lengths], [layer.read(frames, lengths)])
    heard, steps = np.random.normal(size=(1, 6, 8)), np.array([[6]])
    losses = [float(train([heard, steps, np.array([[3, 1]]), np.array([[2]])])[0]) for _ in range(200)]
    print(f'the loss falls from {losses[0]:.2f} to {losses[-1]:.2f}, the frames read as', read([heard, steps])[0][0])
