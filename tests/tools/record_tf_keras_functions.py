"""What functions of tf.keras 2.10 give: `python record_tf_keras_functions.py`, with TensorFlow 2.10, records it again.

The file has expressions of `tf.keras.backend` and their values. TensorFlow is run, and its code is not read.
"""

import json
import os

FILE = os.path.join(os.path.dirname(__file__), '..', 'engines', 'keras3', 'tf_keras_functions.json')


def names(np, K):
    """The names of an expression: `ramp(shape)` is a tensor of values that grow, `draws(shape)` one of drawn values."""

    def ramp(*shape, dtype='float32'):
        return K.constant(np.linspace(-1.4, 1.7, int(np.prod(shape))).reshape(shape), dtype=dtype)

    def draws(*shape):
        return K.constant(np.random.RandomState(0).rand(*shape).astype('float32'))

    return {'K': K, 'np': np, 'ramp': ramp, 'draws': draws}


if __name__ == '__main__':
    import numpy as np
    import tensorflow as tf

    assert tf.__version__.startswith('2.10.'), tf.__version__
    with open(FILE, encoding='utf-8') as stream:
        expressions = list(json.load(stream))
    values = {each: np.asarray(eval(each, names(np, tf.keras.backend))) for each in expressions}
    recorded = {each: [str(value.dtype), value.astype('float64').round(6).tolist()] for each, value in values.items()}
    with open(FILE, 'w', encoding='utf-8') as stream:
        lines = [f'{json.dumps(each)}: {json.dumps(value)}' for each, value in recorded.items()]
        stream.write('{\n' + ',\n'.join(lines) + '\n}\n')
