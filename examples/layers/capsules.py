"""Capsules with dynamic routing: Sabour, Frosst and Hinton (2017), "Dynamic Routing Between Capsules"."""

import numpy as np

import keras_backend as K


def squash(s):
    """v = |s|^2 / (1 + |s|^2) * s / |s|: short vectors shrink to zero, long ones to length 1 (eq. 1)."""
    square = K.sum(K.square(s), axis=-1, keepdims=True)
    return square / (1.0 + square) * s / K.sqrt(square + K.epsilon())


class Capsules:
    """Capsules that agree with the predictions of the layer below (eq. 2 and 3, procedure 1)."""

    def __init__(self, inputs, input_size, capsules, size, routings=3):
        self.shape, self.routings = (inputs, capsules, size), routings
        self.kernel = K.random_normal_variable((inputs, input_size, capsules * size), 0.0, input_size**-0.5)
        self.weights = [self.kernel]

    def __call__(self, u):
        """(samples, inputs, input_size) -> (samples, capsules, size)"""
        inputs, capsules, size = self.shape
        # Each lower capsule i predicts with a matrix of its own: u^_j|i = W_ij u_i.
        predicted = K.batch_dot(K.permute_dimensions(u, (1, 0, 2)), self.kernel)
        predicted = K.reshape(predicted, (inputs, -1, capsules, size))
        predicted = K.permute_dimensions(predicted, (1, 2, 0, 3))
        logits = K.zeros_like(predicted[:, :, :, 0])
        for _ in range(self.routings):
            coupling = K.softmax(logits, axis=1)
            v = squash(K.sum(K.expand_dims(coupling) * predicted, axis=2))
            logits = logits + K.sum(K.expand_dims(v, 2) * predicted, axis=-1)
        return v


def margin_loss(present, v, upper=0.9, lower=0.1, down_weight=0.5):
    """L = T max(0, m+ - |v|)^2 + lambda (1 - T) max(0, |v| - m-)^2, summed over the capsules (eq. 4)."""
    length = K.sqrt(K.sum(K.square(v), axis=-1) + K.epsilon())
    missed, false = K.square(K.relu(upper - length)), K.square(K.relu(length - lower))
    return K.sum(present * missed + down_weight * (1.0 - present) * false, axis=-1)


if __name__ == '__main__':
    u = K.placeholder((None, 6, 4))
    lengths = K.function([u], [K.sqrt(K.sum(K.square(Capsules(6, 4, capsules=3, size=8)(u)), axis=-1))])
    print('lengths of 3 capsules, each below 1:', lengths([np.random.normal(size=(1, 6, 4))])[0][0])
