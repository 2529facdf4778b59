"""The groups of weights in `.keras` archives, as systems and versions of Keras name them."""

import io
import os
import zipfile

import h5py
import numpy as np
import pytest
from files_of_models import FOLDER, INDEX, recorded

from keras_backend import files
from keras_backend.errors import UnreadableFileError

ARCHIVES = [name for name, entry in INDEX.items() if entry['form'] == 'keras']
OF_TENSORFLOW = [name for name in ARCHIVES if name.startswith('tf2')]


def rewritten(name, target, change):
    """A recorded archive whose weights are changed. change: a function of the file of the weights."""
    with zipfile.ZipFile(os.path.join(FOLDER, f'{name}.keras')) as old, zipfile.ZipFile(target, 'w') as new:
        for entry in old.namelist():
            content = io.BytesIO(old.read(entry))
            if entry == 'model.weights.h5':
                with h5py.File(content, 'r+') as file:
                    change(file)
            new.writestr(entry, content.getvalue())
    return target


def as_windows_has_it(file):
    """Move each group to the top, under a name with backslashes, as tf.keras on Windows names it."""
    groups = []
    file.visititems(lambda place, group: groups.append(place) if isinstance(group, h5py.Group) else None)
    places = [place for place in groups if place.endswith('/vars') and place.count('/') > 1]
    for place in places:
        above = place[: -len('/vars')]
        file.move(place, above.replace('/', '\\') + '/vars')
    for top in {place.split('/')[0] for place in places}:
        del file[top]


@pytest.mark.parametrize('name', OF_TENSORFLOW)
def test_an_archive_that_windows_wrote(name, tmp_path):
    path = rewritten(name, str(tmp_path / 'model.keras'), as_windows_has_it)
    inputs, outputs = recorded(name)
    predictions = files.function(path)(*inputs)
    for prediction, output in zip(predictions if isinstance(predictions, list) else [predictions], outputs):
        np.testing.assert_allclose(prediction, output, rtol=1e-5, atol=1e-5)


def test_an_array_of_windows_that_no_layer_takes(tmp_path):
    def with_a_gate(file):
        as_windows_has_it(file)
        file['layers\\dense\\_gate/vars/0'] = np.ones(2, 'float32')

    path = rewritten('tf215_python311_archive_sequential', str(tmp_path / 'model.keras'), with_a_gate)
    with pytest.raises(UnreadableFileError, match='dense.* has weights in .*_gate'):
        files.read(path)


@pytest.mark.parametrize('version', ['tf212', 'tf213'])
def test_layers_with_weights_are_counted_twice(version):
    """The recorded archives have gaps in their numbers, so that they test it."""
    path = os.path.join(FOLDER, f'{version}_python310_archive_numbers.keras')
    with zipfile.ZipFile(path) as archive, h5py.File(io.BytesIO(archive.read('model.weights.h5')), 'r') as file:
        groups = list(file['_layer_checkpoint_dependencies'])
    assert {'sequential_1', 'sequential_3', 'time_distributed_4'} <= set(groups)
    assert 'time_distributed_2' not in groups
