"""Writes a model with Lambda layers, and what it predicts, as PATH.h5 and PATH.npz.

    python make_models.py PATH

By hand, with an original Keras and its Python.
"""

import sys

import numpy as np
from keras import backend as K
from keras.layers import Dense, Input, Lambda
from keras.models import Model


def normed(least):
    """A function with a variable of the function around it."""

    def norm(t):
        return t / (K.sqrt(K.sum(K.square(t), axis=-1, keepdims=True)) + least)

    return norm


def main(path):
    """A network that compares two inputs."""
    np.random.seed(0)
    a, b = Input((4,), name='a'), Input((4,), name='b')
    dense = Dense(3, name='dense')
    x, y = [Lambda(normed(1e-3), name=name)(dense(given)) for name, given in (('normed', a), ('normed2', b))]
    distance = Lambda(
        lambda t, p=2: K.sum(K.abs(t[0] - t[1]) ** p, axis=1, keepdims=True),
        output_shape=lambda s: (s[0][0], 1),
        name='distance',
    )
    model = Model([a, b], distance([x, y]))
    model.save(path + '.h5')
    u, v = np.random.rand(5, 4), np.random.rand(5, 4)
    np.savez(path + '.npz', u=u, v=v, p=model.predict([u, v]))


if __name__ == '__main__':
    main(sys.argv[1])
