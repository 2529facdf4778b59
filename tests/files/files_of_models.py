"""The files of models beside this module: where they are, and what goes in and comes out."""

import json
import os
import re

import numpy as np

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'models')

with open(os.path.join(FOLDER, 'index.json'), encoding='utf-8') as stream:
    INDEX = json.load(stream)

_ENDINGS = {'h5': '.h5', 'json': '.json', 'yaml': '.yaml', 'keras': '.keras', 'savedmodel': ''}


def of_models():
    """The names of files with a model."""
    return sorted(name for name, entry in INDEX.items() if entry['form'] != 'weights')


def arguments(name):
    """The arguments of `read` for a file: its path, its weights, the engine that Keras 1 does not write."""
    entry = INDEX[name]
    found = {'path': os.path.join(FOLDER, name + _ENDINGS[entry['form']])}
    if entry['form'] in ('json', 'yaml'):
        found['weights'] = os.path.join(FOLDER, name + '_weights.h5')
    if entry['version'].startswith('1.'):
        found['engine'] = entry['engine'].split()[0]
    return found


def recorded(name):
    """The inputs and the predictions, two lists of arrays."""
    content = np.load(os.path.join(FOLDER, name + '.npz'))

    def numbered(letter):
        keys = [key for key in content.files if re.match(letter + r'\d+$', key)]
        return [content[key] for key in sorted(keys, key=lambda key: int(key[1:]))]

    return numbered('x'), numbered('y')
