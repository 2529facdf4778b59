"""Small files that ask for much memory or time are refused soon, and large models open."""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import zipfile

import h5py
import hostile_files
import numpy as np
import pytest
from checkout import ROOT
from files_of_models import FOLDER

from keras_backend import files
from keras_backend.errors import ConfigError, ExcessiveFileError, UnreadableFileError
from keras_backend.files.reading import hdf5, limits

HERE = os.path.dirname(os.path.abspath(__file__))
MEGABYTES = 300  # beyond the start of the process
SECONDS = 600  # a guard: what hangs ends
pytest.importorskip('yaml')


def writable():
    """The hostile files that this system can have."""
    return [name for name in hostile_files.FILES if os.name == 'posix' or name not in hostile_files.POSIX]


@pytest.fixture(scope='module')
def paths(tmp_path_factory):
    """The hostile files, by name."""
    found = {}
    for name in writable():
        found[name] = hostile_files.FILES[name](str(tmp_path_factory.mktemp(name)))
    return found


@pytest.fixture(scope='module')
def outcomes(paths):
    """What comes of each file in one process: its error, and the memory up to then. What hangs has none."""
    if not sys.platform.startswith('linux'):
        pytest.skip('the memory of a process is read as Linux says it')
    command = [sys.executable, os.path.join(HERE, 'read_files.py'), *paths.values()]
    root = os.path.dirname(os.path.dirname(HERE))
    environment = {**os.environ, 'PYTHONPATH': root, 'KERAS_BACKEND': 'numpy', 'PYTHONWARNINGS': 'ignore'}
    try:
        said = subprocess.run(command, stdout=subprocess.PIPE, timeout=SECONDS, env=environment).stdout
    except subprocess.TimeoutExpired as error:
        said = error.stdout or b''
    lines = [json.loads(line) for line in said.decode().splitlines() if line.startswith('[')]
    names = {path: name for name, path in paths.items()}
    return {names[path]: (error, memory) for path, error, memory in lines}


@pytest.mark.slow
@pytest.mark.parametrize('name', writable())
def test_hostile_files_are_refused(outcomes, name):
    """With an error of ours, before they take much memory. All are read, one after the other."""
    error, memory = outcomes.get(name, ('it hung, or ended the process', 0))
    assert error.startswith(('UnreadableFileError', 'ExcessiveFileError')), error
    assert memory <= MEGABYTES


def test_limits_are_those_of_the_page():
    """SECURITY.md has a row for each limit, in the same order."""
    with open(os.path.join(ROOT, 'SECURITY.md'), encoding='utf-8') as file:
        rows = re.findall(
            r'^  \| [A-Z][^|]*\| ([\d,]+)( MiB)? \| (\d+)(?:/([\d,]+))?(?: bytes?)? \|$', file.read(), re.M
        )
    said = [
        (int(least.replace(',', '')) * (2**20 if unit else 1), int(over) / int((under or '1').replace(',', '')))
        for least, unit, over, under in rows
    ]
    assert said == [(limit.least, limit.for_byte) for limit in limits.LIMITS.values()]


def test_the_error_says_what_and_how_to_allow_more(tmp_path):
    path = hostile_files.models_called_twice(str(tmp_path))
    with pytest.raises(ExcessiveFileError) as caught:
        files.read(path)
    assert (caught.value.resource, caught.value.limit) == ('calls', 4001)
    for part in (path, '4,001 calls of layers', 'files.read(path, budget=10)', 'KERAS_BACKEND_FILE_BUDGET=10'):
        assert part in str(caught.value)


def _more_than_usual(folder):
    """A model whose kernel of zeros is larger than a file of its size usually has."""

    def fill(group):
        group.create_dataset('k', data=np.zeros((3, 2), 'float32'))
        group.create_dataset('zeros', data=np.zeros((70, hostile_files.MB), 'u1'), compression='gzip')
        group.attrs['weight_names'] = np.array([b'k', b'b', b'zeros'])

    return hostile_files.hdf5(str(folder), fill)


def test_more_is_allowed_by_an_argument_and_by_the_environment(tmp_path, monkeypatch):
    path = _more_than_usual(tmp_path)
    with pytest.raises(ExcessiveFileError, match='bytes of arrays'):
        files.read(path)
    # The layer has two weights: the file is read, and does not fit its configuration.
    with pytest.raises(UnreadableFileError, match='has 2 weights by its configuration'):
        files.read(path, budget=2)
    monkeypatch.setenv('KERAS_BACKEND_FILE_BUDGET', '2')
    with pytest.raises(UnreadableFileError, match='has 2 weights by its configuration'):
        files.read(path)
    with pytest.raises(ExcessiveFileError, match='budget=10'):
        files.read(path, budget=1)


@pytest.mark.parametrize('value', ['many', '0', '-1', 'nan', 'inf'])
def test_a_budget_is_a_number_from_1(tmp_path, monkeypatch, value):
    path = hostile_files.models_called_twice(str(tmp_path))
    with pytest.raises(ConfigError, match='1 to 1e9'):
        files.read(path, budget=value)
    monkeypatch.setenv('KERAS_BACKEND_FILE_BUDGET', value)
    with pytest.raises(ConfigError, match='KERAS_BACKEND_FILE_BUDGET is'):
        files.read(path)


def test_limits_grow_with_the_file():
    """A gigabyte of weights, with all that its arrays and its configuration take in memory, is far from any limit."""
    large = limits.Budget('a', 2**30, 1)
    assert large.left('bytes') > 4 * 2**30
    assert large.left('texts') > 50 * 2**20
    assert large.left('entries') > 10**7
    assert large.left('chunks') > 10**6
    assert large.left('calls') > 10**5


def chain(count, folder):
    """A file of a functional model of dense layers in a row."""
    entry = {'class_name': 'InputLayer', 'name': 'i', 'config': {'name': 'i', 'batch_input_shape': [None, 2]}}
    layers = [{**entry, 'inbound_nodes': []}]
    for number in range(count):
        name, before = f'd{number}', 'i' if not number else f'd{number - 1}'
        config = {'name': name, 'units': 2, 'activation': 'tanh', 'use_bias': True}
        nodes = [[[before, 0, 0, {}]]]
        layers.append({'class_name': 'Dense', 'name': name, 'config': config, 'inbound_nodes': nodes})
    model = hostile_files.functional('m', layers, [['i', 0, 0]], [[f'd{count - 1}', 0, 0]])
    path = os.path.join(str(folder), f'{count}.h5')
    with h5py.File(path, 'w') as file:
        file.attrs['model_config'], file.attrs['keras_version'] = json.dumps(model), '2.3.1'
        group = file.create_group('model_weights')
        names = [f'd{number}' for number in range(count)]
        for part in range(0, count, 1000):
            group.attrs[f'layer_names{part // 1000}'] = np.array(names[part : part + 1000], 'S')
        for name in names:
            inside = group.create_group(name)
            inside.attrs['weight_names'] = np.array([b'k', b'b'])
            inside['k'], inside['b'] = np.eye(2, dtype='float32'), np.zeros(2, 'float32')
    return path


@pytest.mark.slow
def test_five_hundred_layers_open(tmp_path):
    predict = files.function(chain(500, tmp_path))
    expected = np.array([[0.5, -0.25]])
    for _ in range(500):
        expected = np.tanh(expected)
    np.testing.assert_allclose(predict(np.array([[0.5, -0.25]], 'float32')), expected, rtol=1e-4)


def test_arrays_that_gzip_packed_are_read(tmp_path):
    def fill(group):
        group.create_dataset('k', data=np.arange(6.0).reshape(3, 2), compression='gzip', shuffle=True, fletcher32=True)

    predict = files.function(hostile_files.hdf5(str(tmp_path), fill))
    assert predict(np.ones((1, 3))).tolist() == [[7.0, 10.0]]


def test_parts_that_zip_packed_are_read(tmp_path):
    """An archive of Keras 3 that was unpacked and packed again."""
    path, again = os.path.join(FOLDER, 'keras3_python313_archive.keras'), str(tmp_path / 'a.keras')
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(again, 'w', zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    first, second = files.read(path).model.layers, files.read(again).model.layers
    assert len(first) == len(second) > 0


def test_two_parts_of_one_name(tmp_path):
    path = str(tmp_path / 'a.keras')
    with zipfile.ZipFile(path, 'w') as archive:
        archive.writestr('config.json', '{}')
        with pytest.warns(UserWarning, match='Duplicate'):
            archive.writestr('config.json', json.dumps(hostile_files.sequential()))
    with pytest.raises(UnreadableFileError, match='2 parts with the name config.json'):
        files.read(path)


@pytest.mark.skipif(os.name != 'posix', reason='links of Windows need rights')
def test_links_that_stay_in_the_folder(tmp_path):
    """A link inside of the folder, and the cache of Hugging Face, in which every part is a link."""
    inside = hostile_files.saved_model(str(tmp_path))
    os.rename(os.path.join(inside, 'saved_model.pb'), os.path.join(inside, 'graph'))
    os.symlink('graph', os.path.join(inside, 'saved_model.pb'))
    cache, blobs = tmp_path / 'hub' / 'snapshots' / 'abc', tmp_path / 'hub' / 'blobs'
    shutil.copytree(hostile_files.OF_TENSORFLOW, str(cache))
    blobs.mkdir()
    for number, path in enumerate(sorted(path for path in cache.rglob('*') if path.is_file())):
        path.rename(blobs / str(number))
        path.symlink_to(os.path.relpath(str(blobs / str(number)), str(path.parent)))
    expected = files.read(hostile_files.OF_TENSORFLOW).model.layers
    for path in (inside, str(cache)):
        layers = files.read(path).model.layers
        assert [len(layer.weights) for layer in layers] == [len(layer.weights) for layer in expected]


# -- references to texts -----------------------------------------------------------------------------------------------


def test_places_of_a_word():
    assert list(hdf5._places(b'aaba', b'a')) == [0, 1, 3]
    assert list(hdf5._places(b'aaa', b'aa')) == [0, 1]
    assert list(hdf5._places(b'aaa', b'b')) == []


def references(lengths, longest=100, start=24):
    """The bytes of a file with a collection at `start`, and references to it of some lengths."""
    collection = b'GCOL' + bytes(4) + struct.pack('<Q', longest)
    return bytes(start) + collection + b''.join([struct.pack('<IQ', length, start) for length in lengths])


@pytest.mark.parametrize(
    ('lengths', 'total'), [([], 0), ([5], 5), ([5, 7], 12), ([100], 100), ([101], 0), ([101, 3], 3)]
)
def test_lengths_of_the_texts_of_a_collection(lengths, total, tmp_path):
    """All that name the collection are counted. What is longer than the collection is no reference."""
    content = references(lengths)
    assert hdf5._references(content, 24) == total
    (tmp_path / 'a.h5').write_bytes(content)
    assert hdf5.Attributes(h5py, str(tmp_path / 'a.h5'), None)._all_references() == total


def test_a_collection_that_is_cut():
    content = references([5])
    assert hdf5._references(content[:39], 24) == 0
    assert hdf5.Attributes(h5py, None, None)._all_references() == 2**62
