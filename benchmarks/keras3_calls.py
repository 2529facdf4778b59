"""Single calls of K functions on computed tensors, and between layers, beside the functions of keras.ops.

KERAS_BACKEND=jax python benchmarks/keras3_calls.py

Losses and layers that are compiled are in keras3_layers.py.
"""

import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('KERAS_BACKEND_QUIET', '1')

import time

import keras
import numpy as np
from _measure import best, main
from keras import ops

import keras_backend.keras3 as K

TARGET = 1.2
random = np.random.RandomState(0)
x, y, w = [K.constant(random.rand(*shape)) for shape in ((32, 64), (32, 64), (64, 64))]

# What is measured: the call of K, and the same in keras.ops.
CALLS = {
    'K.sum': (lambda: K.sum(x), lambda: ops.sum(x)),
    'K.sum, axis=-1': (lambda: K.sum(x, axis=-1), lambda: ops.sum(x, axis=-1)),
    'K.mean': (lambda: K.mean(x), lambda: ops.mean(x)),
    'K.mean, axis=1': (lambda: K.mean(x, axis=1), lambda: ops.mean(x, axis=1)),
    'K.relu': (lambda: K.relu(x), lambda: ops.relu(x)),
    'K.square': (lambda: K.square(x), lambda: ops.square(x)),
    'K.exp': (lambda: K.exp(x), lambda: ops.exp(x)),
    'K.softmax': (lambda: K.softmax(x), lambda: ops.softmax(x)),
    'K.dot': (lambda: K.dot(x, w), lambda: ops.matmul(x, w)),
    'K.reshape': (lambda: K.reshape(x, (-1, 16)), lambda: ops.reshape(x, (-1, 16))),
    'K.concatenate': (lambda: K.concatenate([x, y]), lambda: ops.concatenate([x, y], axis=-1)),
    'K.maximum': (lambda: K.maximum(x, y), lambda: ops.maximum(x, y)),
    'K.maximum with a number': (lambda: K.maximum(x, 0.5), lambda: ops.maximum(x, 0.5)),
    'x + y of results of K': (lambda: x + y, lambda: ops.add(x, y)),
}


def model_of_k():
    """Twenty K functions between layers."""
    inputs = z = keras.Input((8,))
    for _ in range(5):
        z = K.maximum(K.relu(K.exp(K.square(z))), inputs)
    return keras.Model(inputs, z)


def model_of_keras():
    """The same in keras.ops."""
    inputs = z = keras.Input((8,))
    for _ in range(5):
        z = ops.maximum(ops.relu(ops.exp(ops.square(z))), inputs)
    return keras.Model(inputs, z)


def run(report):
    for name, (ours, theirs) in CALLS.items():
        own, other = best(ours, theirs, rounds=25, least=0.01, clock=time.process_time)
        report.ratio(name, own, 'keras.ops', other, TARGET)
    own, other = best(model_of_k, model_of_keras, rounds=15, clock=time.process_time)
    report.ratio('building a model of 20 functions', own, 'with keras.ops', other, TARGET)


if __name__ == '__main__':
    main(run, __doc__.splitlines()[0])
