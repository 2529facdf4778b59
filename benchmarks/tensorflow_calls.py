"""The cost of calls and of the import on the TensorFlow engine, compared with TensorFlow itself and the peers."""

import os
import subprocess
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('KERAS_BACKEND_QUIET', '1')
os.environ['KERAS_BACKEND'] = 'tensorflow'

import numpy as np
from _measure import best, main
from peers.data import floats
from peers.race import race

import keras_backend as K
from keras_backend.engines.tensorflow_backend import vendor as _library

IMPORT = """
import time
started = time.perf_counter()
import tensorflow
between = time.perf_counter()
import keras_backend
print(between - started, time.perf_counter() - between)
"""


def calls(report):
    x, y = K.placeholder((None, 64)), K.placeholder((64, 64))
    product = K.dot(x, y)
    f = K.function([x, y], [product])
    a, b = floats(32, 64), floats(64, 64)
    raw = _library.make_callable(K.get_session(), [x, y], [product], [], _library.INLINE)
    mine, bare, run = best(
        lambda: f([a, b]), lambda: raw(a, b), lambda: K.get_session().run(product, {x: a, y: b}), rounds=25
    )
    what = 'K.function, (32, 64) by (64, 64)'
    report.ratio(what, mine, 'raw callable of the session', bare, 1.4)
    report.ratio(what, mine, 'Session.run', run)
    ours, tf_keras, tf_function = race('call', 'k', 'tf_keras', 'tf_function')
    if tf_keras is not None:
        report.ratio(what, ours, 'tf_keras.backend.function', tf_keras, 0.1)
    report.ratio(what, ours, 'tf.function, value as NumPy', tf_function, 0.1)


def values(report):
    v, small = K.variable(1.0), np.ones((), 'float32')
    session = K.get_session()
    get, put, run, initialise = best(
        lambda: K.get_value(v),
        lambda: K.set_value(v, small),
        lambda: session.run(v),
        lambda: session.run(v.initializer, {v.initializer.inputs[1]: small}),
        rounds=25,
    )
    report.ratio('K.get_value of a scalar', get, 'Session.run', run, 0.1)
    report.ratio('K.set_value of a scalar', put, 'Session.run', initialise, 0.1)
    large = np.ones((4096, 4096), 'float32')
    w = K.variable(large)
    get, put, copy = best(lambda: K.get_value(w), lambda: K.set_value(w, large), lambda: large.copy(), rounds=15)
    # A second copy would make it 2.
    report.ratio('K.get_value of 64 MB', get, 'one copy', copy, 1.5)
    report.ratio('K.set_value of 64 MB', put, 'one copy', copy, 1.5)


def imports(report):
    times = [
        [
            float(t)
            for t in subprocess.check_output(
                [sys.executable, '-c', IMPORT], universal_newlines=True, stderr=subprocess.DEVNULL
            ).split()
        ]
        for _ in range(7)
    ]
    alone, ours = [min(column) for column in zip(*times)]
    report.ratio('import tensorflow, then keras_backend', alone + ours, 'import tensorflow', alone, 1.05)


def run(report):
    calls(report)
    values(report)
    imports(report)


if __name__ == '__main__':
    main(run, __doc__.splitlines()[0])
