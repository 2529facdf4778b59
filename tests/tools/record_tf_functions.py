"""Writes what TensorFlow 2 gives for tf_function_cases.py, for the tests: python tests/tools/record_tf_functions.py"""

import os

import numpy as np
from tf_function_cases import CASES, called

PATH = os.path.join(os.path.dirname(__file__), os.pardir, 'engines', 'keras3', 'tf_functions.npz')


def function_of(tf):
    """Finds a function of TensorFlow by its name."""

    def find(name):
        found = tf
        for part in name.split('.'):
            found = getattr(found, part)
        return found

    return find


def main():
    import tensorflow as tf

    results = {}
    for number, case in enumerate(CASES):
        for place, result in enumerate(tf.nest.flatten(called(case, function_of(tf), tf.constant))):
            results[f'{number:03d}.{place}'] = np.asarray(result)
    np.savez_compressed(PATH, **results)


if __name__ == '__main__':
    main()
