"""What an engine that was published for Keras has, and where its numbers are not those of NumPy.

    python tests/external_engines/published.py plaidml.keras.backend

docs/foreign-engines.md says what to install.
"""

import collections
import io
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from keras_backend.comparison import compare
from keras_backend.loader import load


def add(x, states):
    return x + states[0], [x + states[0]]


CALLS = [
    ('dot', [(3, 4), (4, 5)], lambda K, x, y: K.dot(x, y)),
    ('batch_dot', [(3, 4, 5), (3, 5, 2)], lambda K, x, y: K.batch_dot(x, y)),
    ('sum', [(2, 3, 4)], lambda K, x: K.sum(x, axis=[1, 2])),
    ('softmax', [(3, 4)], lambda K, x: K.softmax(x)),
    ('softmax over axis 1', [(3, 4, 2)], lambda K, x: K.softmax(x, axis=1)),
    ('l2_normalize', [(3, 4)], lambda K, x: K.l2_normalize(x, axis=-1)),
    ('conv2d', [(2, 6, 6, 3), (3, 3, 3, 4)], lambda K, x, w: K.conv2d(x, w, padding='same')),
    (
        'conv2d, even kernel, stride 2',
        [(2, 7, 7, 3), (4, 4, 3, 4)],
        lambda K, x, w: K.conv2d(x, w, padding='same', strides=(2, 2)),
    ),
    (
        'conv2d_transpose',
        [(2, 6, 6, 3), (3, 3, 4, 3)],
        lambda K, x, w: K.conv2d_transpose(x, w, (2, 6, 6, 4), padding='same'),
    ),
    ('max pool2d', [(2, 6, 6, 3)], lambda K, x: K.pool2d(x, (2, 2), strides=(2, 2))),
    (
        'average pool2d, padded',
        [(2, 5, 5, 3)],
        lambda K, x: K.pool2d(x, (2, 2), strides=(2, 2), padding='same', pool_mode='avg'),
    ),
    ('rnn, last output', [(2, 3, 4)], lambda K, x: K.rnn(add, x, [0.0 * x[:, 0]], unroll=True, input_length=3)[0]),
    ('gradients', [(3, 4)], lambda K, x: K.gradients(K.sum(K.square(K.tanh(x))), [x])[0]),
    (
        'second gradients',
        [(3, 4)],
        lambda K, x: K.gradients(K.sum(K.square(K.gradients(K.sum(K.tanh(x)), [x])[0])), [x])[0],
    ),
    ('slice', [(2, 3, 4)], lambda K, x: K.slice(x, [0, 1, 0], [2, 1, 4])),
    ('size', [(2, 3, 4)], lambda K, x: K.size(x)),
]


def main(engine):
    info = load(engine)._engine
    print(
        '{}: {}'.format(
            engine, ', '.join(f'{kind} {n}' for kind, n in collections.Counter(info.origins.values()).most_common())
        )
    )
    print('missing: {}'.format(', '.join(sorted(info.reasons))))
    print('composed: {}'.format(', '.join(sorted(name for name, kind in info.origins.items() if kind == 'composed'))))
    draws = np.random.RandomState(0)
    for name, shapes, build in CALLS:
        inputs = [draws.normal(size=shape).astype('float32') for shape in shapes]
        found = compare(build, inputs, ['numpy', engine], rtol=1e-4, file=io.StringIO())
        print('{:32}{}'.format(name, 'equal' if found else str(found).splitlines()[0][:200]))


if __name__ == '__main__':
    main(sys.argv[1])
