"""The files of models in tests/files/models: where they are, and what goes in and comes out."""

import json
import os
import re
import shutil
import zipfile

import h5py
import numpy as np

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'files', 'models')

with open(os.path.join(FOLDER, 'index.json'), encoding='utf-8') as stream:
    INDEX = json.load(stream)

_ENDINGS = {'h5': '.h5', 'json': '.json', 'yaml': '.yaml', 'keras': '.keras', 'savedmodel': ''}


def of_models():
    """The names of files with a model."""
    return sorted(name for name, entry in INDEX.items() if entry['form'] != 'weights')


def arguments(name):
    """The arguments of `read` for a file: its path, its weights, the engine that Keras 1 does not write."""
    if name in LAMBDAS:
        return {'path': os.path.join(FOLDER, f'{name}.h5')}
    entry = INDEX[name]
    found = {'path': os.path.join(FOLDER, name + _ENDINGS[entry['form']])}
    if entry['form'] in ('json', 'yaml'):
        found['weights'] = os.path.join(FOLDER, name + '_weights.h5')
    if entry['version'].startswith('1.'):
        found['engine'] = entry['engine'].split()[0]
    return found


def without_weights(folder):
    """Copies, in a folder, of files whose weights were taken out: (path, a word of the error)."""
    archive, whole = [arguments(name)['path'] for name in ('keras3_python313_archive', 'keras231_python37_merges')]
    for new, word in (('none.keras', 'has no model.weights.h5'), ('objects.keras', 'model.weights.npz, as pickled')):
        with zipfile.ZipFile(archive) as old, zipfile.ZipFile(str(folder / new), 'w') as copy:
            for part in ('config.json', 'metadata.json'):
                copy.writestr(part, old.read(part))
            if new == 'objects.keras':
                copy.writestr('model.weights.npz', b'')
        yield str(folder / new), word
    path = shutil.copy(whole, str(folder / 'none.h5'))
    with h5py.File(path, 'a') as file:
        del file['model_weights']
    yield path, 'has no model_weights'


# Models with `Lambda` layers alone that each Python wrote, beside those of the index.
LAMBDAS = sorted(name[:-4] for name in os.listdir(FOLDER) if name.endswith('_lambdas.npz'))


def recorded(name):
    """The inputs and the predictions, two lists of arrays."""
    content = np.load(os.path.join(FOLDER, name + '.npz'))
    if name in LAMBDAS:
        return [content['u'], content['v']], [content['p']]

    return _numbered(content, 'x'), _numbered(content, 'y')


def recorded_again(name):
    """The predictions of a second call, where they differ: those of stateful models."""
    return _numbered(np.load(os.path.join(FOLDER, name + '.npz')), 'again')


def _numbered(content, word):
    keys = [key for key in content.files if re.match(word + r'\d+$', key)]
    return [content[key] for key in sorted(keys, key=lambda key: int(key[len(word) :]))]
