"""The cost of K itself on the NumPy engine: import, attribute access, calls of K.function, building graphs."""

import os
import subprocess
import sys
import timeit

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('KERAS_BACKEND_QUIET', '1')
os.environ['KERAS_BACKEND'] = 'numpy'

import numpy as np
from _measure import best, main

import keras_backend as K
import keras_backend.engines.numpy_backend as engine


def imports(report):
    def start(code):
        return lambda: subprocess.run([sys.executable, '-c', code], check=True)

    bare, library, whole = best(start('pass'), start('import numpy'), start('import keras_backend'), rounds=9, least=0)
    report.ratio('import keras_backend (NumPy engine)', whole - bare, 'import numpy', library - bare)


def attribute(report):
    number = 200000

    def seconds(statement):
        return min(timeit.repeat(statement, globals={'K': K, 'engine': engine}, number=number, repeat=9)) / number

    report.ratio('K.dot', seconds('K.dot'), 'engine.dot', seconds('engine.dot'), 1.1)


def calls(report):
    x, w, count = K.placeholder((32, 64)), K.variable(np.ones((64, 64))), K.variable(np.zeros(()))
    product = K.function([x], [K.dot(x, w)], updates=[(count, count + 1)])
    value, matrix, one = np.ones((32, 64), 'float32'), np.ones((64, 64), 'float32'), np.float32(1)
    state = {'count': np.float32(0)}

    def plain():
        y = np.dot(value, matrix)
        state['count'] = state['count'] + one
        return [y]

    by_k, by_hand = best(lambda: product([value]), plain)
    report.difference('K.function: a product, one update', by_k, 'the same in NumPy', by_hand, 5e-6)
    scalar = K.function([], [count + 1])
    by_k, by_hand = best(lambda: scalar([]), lambda: [state['count'] + one])
    report.difference('K.function: scalar + 1', by_k, 'the same in NumPy', by_hand, 5e-6)


def building(report):
    def layers(n):
        def build():
            K.clear_session()
            y = K.placeholder((None, 16))
            weights = []
            for _ in range(n):
                weights.append(K.variable(np.ones((16, 16))))
                y = K.relu(K.dot(y, weights[-1]))
            K.gradients(K.sum(y), weights)

        return build

    short, long = best(layers(10), layers(100), rounds=5)
    report.ratio('building 100 layers with gradients', long, 'building 10', short, 12)


def run(report):
    imports(report)
    attribute(report)
    calls(report)
    building(report)


if __name__ == '__main__':
    main(run, __doc__.splitlines()[0])
