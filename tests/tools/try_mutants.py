"""A program that reads changed model files, and says of each what came of it: two lines of JSON for each.

    python try_mutants.py WAY FIRST LAST

WAY: a name of WAYS. The first line is written before the file is read: a file that takes longer than SECONDS ends the
process, and so may HDF5. The second has the outcome: what a function of WAYS returns, the class of an error of ours, or
a word in capitals for what must not be.
"""

import faulthandler
import json
import os
import sys
import tempfile
import traceback
import warnings
from importlib import import_module

import file_mutants
import numpy as np

# `from keras_backend import files` starts the engine, and that of TensorFlow turns off eager mode, which Keras 3 needs.
import keras_backend.files as files
from keras_backend.basics.terminal import printable
from keras_backend.errors import KerasBackendError
from keras_backend.files.summary import Summary

SECONDS = 60
MOST_ELEMENTS = 20000
MOST_LINES = 3
MOST_WARNINGS = 20


def function(said):
    """Read the file, say what is in it, compose its model, and predict."""
    import keras_backend as K

    file = files.read(**said)
    lines = list(Summary(file).lines())
    assert all([line == printable(line) for line in lines]), 'the summary has control letters'
    if file.model is None:
        return 'weights'
    model = files.function(file)
    inputs = _inputs([K.int_shape(x) for x in model.inputs])
    if inputs is None:
        return 'large'
    outputs = model(inputs)
    for array, tensor in zip(outputs if isinstance(outputs, list) else [outputs], model.outputs):
        shape = K.int_shape(tensor)
        fits = shape is None or all([known in (None, size) for known, size in zip(shape, array.shape)])
        assert fits, f'the shape is {array.shape}, and K says {shape}'
    return 'predicts'


def load(said):
    """Load the file as a model of Keras 3."""
    model = files.load(**said)
    return 'loads' if model.outputs else 'empty'


WAYS = {'function': function, 'load': load}


def _inputs(shapes):
    """Zeros, which are rows of an Embedding, too. None where they are many."""
    filled = [[3 if size is None else size for size in shape] for shape in shapes]
    if sum([np.prod(shape, dtype='float64') for shape in filled]) > MOST_ELEMENTS:
        return None
    return [np.zeros(shape) for shape in filled]


def outcome(way, said):
    """What came of a file, and the message that a user would see."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        try:
            result, message = way(said), ''
        except KerasBackendError as error:
            result, message = type(error).__name__, str(error)
            if len(message.splitlines()) > MOST_LINES or message != printable(message, lines=True):
                result = 'MESSAGE'
        except Exception as error:
            result, message = 'RAW', f'{type(error).__name__}: {str(error)[:300]} ({_place(error)})'
    if len(seen) > MOST_WARNINGS:
        result, message = 'WARNINGS', str(seen[0].message)
    return result, message[:1000]


def _place(error):
    """Where an error came from: its last line, and the last ones of the package."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if 'keras_backend' in frame.filename]
    last = [frames[-1], *own[:-4:-1]]
    return ' < '.join([f'{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}' for frame in last])


def main(way, first, last):
    """Try the files of these numbers."""
    if way == 'load':
        import_module('keras_backend.files.keras3')
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            said, words = file_mutants.mutant(seed, folder)
            print(json.dumps([seed, words[:300], None, '']), flush=True)
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            result, message = outcome(WAYS[way], said)
            faulthandler.cancel_dump_traceback_later()
            print(json.dumps([seed, words[:300], result, message]), flush=True)


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
