"""Files that are broken or meant to do harm: an error of ours, soon, and nothing else read or written."""

import copy
import json
import os
import random
import shutil
import struct
import zipfile

import h5py
import numpy as np
import pytest
from files_of_models import FOLDER, arguments

from keras_backend import files
from keras_backend.errors import ExcessiveFileError, KerasBackendError, UnreadableFileError
from keras_backend.files.layers.composition import compose
from keras_backend.files.reading import saved_model
from keras_backend.files.reading.limits import Budget

MODEL = os.path.join(FOLDER, 'keras231_python37_merges.h5')
DENSE = {
    'class_name': 'Dense',
    'config': {'name': 'd', 'units': 2, 'batch_input_shape': [None, 3], 'activation': 'relu'},
}


def hdf5_file(path, fill):
    """A file of Keras with one layer, whose group `fill` fills."""
    with h5py.File(str(path), 'w') as file:
        file.attrs['model_config'] = json.dumps({'class_name': 'Sequential', 'config': [DENSE]})
        file.attrs['keras_version'] = '2.3.1'
        group = file.create_group('model_weights/d')
        file['model_weights'].attrs['layer_names'] = np.array([b'd'])
        group.attrs['weight_names'] = np.array([b'k', b'b'])
        fill(group)
    return str(path)


def _whole(group):
    group['k'], group['b'] = np.ones((3, 2), 'float32'), np.ones(2, 'float32')


def test_a_file_of_these_tests_is_read(tmp_path):
    assert files.function(hdf5_file(tmp_path / 'a.h5', _whole))(np.ones((1, 3))).tolist() == [[4.0, 4.0]]


def _link_outside(group):
    group['k'], group['b'] = h5py.ExternalLink(MODEL, '/model_weights'), np.ones(2)


def _soft_link(group):
    group['k'], group['b'] = h5py.SoftLink('/model_weights/d/b'), np.ones(2)


def _stored_outside(group):
    group['b'] = np.ones(2)
    group.create_dataset('k', (3, 2), 'f4', external=[('/etc/passwd', 0, 24)])


def _virtual(group):
    group['b'] = np.ones(2)
    layout = h5py.VirtualLayout((3, 2), 'f4')
    layout[:] = h5py.VirtualSource(MODEL, 'x', (3, 2))
    group.create_virtual_dataset('k', layout)


def _immense(group):
    group['b'] = np.ones(2)
    group.create_dataset('k', (2**40, 2**20), 'f4', chunks=(1024, 1024))


def _immense_together(group):
    group.create_dataset('k', (2**13, 2**13), 'f4', chunks=(1024, 1024))
    group.create_dataset('b', (2**13, 2**13), 'f4', chunks=(1024, 1024))


def _text(group):
    group['b'] = np.ones(2)
    group['k'] = np.array([b'abc'] * 3)


def _group(group):
    group['b'] = np.ones(2)
    group.create_group('k')


def _nothing(group):
    pass


@pytest.mark.parametrize(
    'fill',
    [_link_outside, _soft_link, _stored_outside, _virtual, _immense, _immense_together, _text, _group, _nothing],
    ids=lambda fill: fill.__name__,
)
def test_hdf5_that_is_not_what_keras_writes(tmp_path, fill):
    with pytest.raises(UnreadableFileError):
        files.read(hdf5_file(tmp_path / 'a.h5', fill))


def test_hdf5_is_cut_off(tmp_path):
    with open(MODEL, 'rb') as stream:
        content = stream.read()
    for length in (8, 100, len(content) // 2):
        path = tmp_path / f'{length}.h5'
        path.write_bytes(content[:length])
        with pytest.raises(UnreadableFileError, match='HDF5'):
            files.read(str(path))


def config_of(name):
    with h5py.File(arguments(name)['path'], 'r') as file:
        text = file.attrs['model_config']
    return json.loads(text if isinstance(text, str) else text.decode())


def _nested(depth):
    config = {'class_name': 'Sequential', 'config': [DENSE]}
    for _ in range(depth):
        config = {'class_name': 'Sequential', 'config': {'name': 's', 'layers': [config]}}
    return config


@pytest.mark.parametrize(
    'config',
    [
        {'class_name': 'Sequential', 'config': []},
        {'class_name': 'Sequential', 'config': 3},
        {'class_name': 'Sequential', 'config': [3]},
        {'class_name': 'Model', 'config': {'layers': [], 'input_layers': [['a', 0, 0]], 'output_layers': []}},
        {'class_name': 'Mine', 'config': {}},
        {'class_name': ['Model'], 'config': {}},
        {'class_name': 'Sequential'},
        {'keras_version': '9.9', **_nested(1)},
        {'class_name': 'Model', 'config': {'layers': [DENSE, DENSE], 'input_layers': [], 'output_layers': []}},
        _nested(100),
        [],
        3,
    ],
)
def test_configurations_that_are_none(tmp_path, config):
    path = tmp_path / 'a.json'
    path.write_text(json.dumps(config))
    with pytest.raises(UnreadableFileError):
        files.read(str(path))


def test_text_that_is_nested_without_end(tmp_path):
    path = tmp_path / 'a.json'
    path.write_text('[' * 200000)
    with pytest.raises(UnreadableFileError):
        files.read(str(path))


def _doubled_without_end():
    """Ten lists, each of nine times the list before it."""
    lines = [f'{new}: &{new} [{", ".join(["*" + old] * 9)}]' for old, new in zip('abcdefghi', 'bcdefghij')]
    return '\n'.join(['a: &a [1, 1]', *lines, 'class_name: *j'])


@pytest.mark.slow
@pytest.mark.parametrize(
    'text',
    [
        'class_name: !!python/object/apply:os.system ["touch owned"]',
        'class_name: !!python/name:os.system',
        _doubled_without_end(),
        'class_name: &a [*a]',
        'class_name: [',
    ],
)
def test_yaml_that_runs_or_grows(tmp_path, text):
    pytest.importorskip('yaml')
    path = tmp_path / 'a.yaml'
    path.write_text(text)
    with pytest.raises(UnreadableFileError):
        files.read(str(path))


def test_archives(tmp_path):
    """A bomb, an archive of something else, one that is cut off."""
    bomb, other, cut = [str(tmp_path / name) for name in ('bomb.keras', 'other.keras', 'cut.keras')]
    with zipfile.ZipFile(bomb, 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr('config.json', b' ' * (2**26 + 1))
    with zipfile.ZipFile(other, 'w') as archive:
        archive.writestr('../config.json', b'{}')
    with open(bomb, 'rb') as source, open(cut, 'wb') as target:
        target.write(source.read()[:-30])
    for path in (bomb, other, cut):
        with pytest.raises(UnreadableFileError):
            files.read(path)


def changed(value, draw):
    """A configuration with a few entries that are something else."""
    places = []

    def enter(item):
        for key in item if isinstance(item, dict) else range(len(item)):
            places.append((item, key))
            if isinstance(item[key], (dict, list)):
                enter(item[key])

    enter(value)
    values = [
        None,
        -1,
        0,
        3,
        2**70,
        1.5,
        float('nan'),
        '',
        'x',
        [],
        {},
        [None],
        [[]],
        ['a', 0, 0],
        {'class_name': 'Dense'},
        True,
    ]
    for item, key in draw.sample(places, draw.randint(1, 3)):
        if draw.random() < 0.2 and isinstance(item, dict):
            item.pop(key, None)
        elif isinstance(item, dict) or key < len(item):
            item[key] = draw.choice(values)
    return value


NAMES = [
    'keras231_python37_merges',
    'keras231_python37_cells',
    'keras122_python36_theano_merges',
    'tf24_python38_operations',
]


@pytest.mark.parametrize('name', NAMES)
def test_configurations_with_changes(tmp_path, name):
    """They are read, or refused. What is read is composed, or refused as K refuses arguments."""
    import keras_backend as K

    draw, config, path = random.Random(name), config_of(name), tmp_path / 'a.json'
    read = 0
    for _ in range(150):
        path.write_text(json.dumps(changed(copy.deepcopy(config), draw)))
        try:
            found = files.read(str(path))
        except UnreadableFileError:
            continue
        read += 1
        try:
            compose(found.model, K, library=found.library)
        except (KerasBackendError, ValueError, TypeError, NotImplementedError):
            pass
    assert read > 10


def test_checkpoints_with_changed_bytes(tmp_path):
    """Each is read, or refused."""
    for name in os.listdir(os.path.join(FOLDER, 'tf24_python38_folder_recurrent', 'variables')):
        shutil.copy(os.path.join(FOLDER, 'tf24_python38_folder_recurrent', 'variables', name), str(tmp_path))
    index = tmp_path / 'variables.index'
    content, draw = index.read_bytes(), random.Random(0)
    for _ in range(300):
        bad = bytearray(content)
        for _ in range(draw.randint(1, 4)):
            bad[draw.randrange(len(bad))] = draw.randrange(256)
        index.write_bytes(bytes(bad[: draw.choice([len(bad), len(bad), draw.randrange(len(bad))])]))
        try:
            found = saved_model.Checkpoint(str(tmp_path), 'variables', Budget('variables', len(content)))
            for key in list(found.entries):
                found.array(key)
        except (UnreadableFileError, OSError):
            pass


@pytest.mark.parametrize('data', [b'\xff' * 12, b'\x08', b'\x0a\x05ab', b'\x0b', b'\x0a' + b'\xff' * 9 + b'\x7f'])
def test_messages_that_are_none(data):
    with pytest.raises(UnreadableFileError):
        saved_model.Message(data, Budget('a', len(data)))


def test_fields_of_a_message():
    message = saved_model.Message(b'\x08\x96\x01\x12\x03abc\x1d' + struct.pack('<I', 7) + b'\x08\x02', Budget('a', 9))
    assert (message.number(1), message.text(2), message.number(3), message.number(9, 5)) == (2, 'abc', 7, 5)


@pytest.mark.parametrize('name', ['k', '/k', 'k//'])
def test_a_name_that_comes_twice(tmp_path, name):
    """No HDF5 file can hold two arrays of one name: Keras never wrote such a list."""

    def square(group):
        group['k'], group['b'] = np.ones((3, 3), 'float32'), np.ones(3, 'float32')
        group.attrs['weight_names'] = np.array([b'k', name.encode(), b'b'])

    with pytest.raises(UnreadableFileError, match='weight_names of .* twice'):
        files.read(hdf5_file(tmp_path / 'a.h5', square))


@pytest.mark.slow
def test_names_that_lead_through_one_group_again_and_again(tmp_path):
    """Each name is short for a file, and takes a second."""

    def circle(group):
        _whole(group)
        group['x'] = group
        del group.attrs['weight_names']
        for number in range(12):
            group.attrs[f'weight_names{number}'] = np.array([b'x/' * (10000 + number) + b'k'])

    with pytest.raises(ExcessiveFileError, match='steps from group to group') as caught:
        files.read(hdf5_file(tmp_path / 'a.h5', circle))
    assert len(str(caught.value)) < 1500


@pytest.mark.slow
def test_names_in_many_attributes(tmp_path):
    def fill(group):
        _whole(group)
        del group.attrs['weight_names']
        for number in range(3000):
            group.attrs[f'weight_names{number}'] = np.array([b'k%d' % number])

    with pytest.raises(ExcessiveFileError, match='weight_names'):
        files.read(hdf5_file(tmp_path / 'a.h5', fill))


def test_long_names_make_no_long_errors(tmp_path):
    """The end of the message, which says what to do, is still there."""
    path = tmp_path / 'a.json'
    path.write_text(json.dumps({'class_name': 'Sequential', 'config': [{**DENSE, 'class_name': 'D' * 100000}]}))
    with pytest.raises(KerasBackendError) as caught:
        files.function(str(path))
    assert len(str(caught.value)) <= 4010
    assert str(caught.value).endswith('function (K, layer, weights, inputs) -> tensor.')


@pytest.mark.parametrize('said', ['9' * 5000, '(99999999999)f4', '(' * 500, 'f4,f4', 'f4;'], ids=lambda said: said[:9])
def test_dtypes_that_numpy_reads_as_python(tmp_path, said):
    """NumPy answers each with another error of the parser of Python."""
    path = tmp_path / 'a.json'
    dense = {'class_name': 'Flatten', 'config': {'name': 'd', 'batch_input_shape': [None, 3], 'dtype': said}}
    path.write_text(json.dumps({'class_name': 'Sequential', 'config': [dense]}))
    with pytest.raises(KerasBackendError, match='not a dtype') as caught:
        files.function(str(path))
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize('part', [1, 2], ids=['defaults', 'closure'])
@pytest.mark.parametrize('said', [1.5, 'abc', {'a': 1}], ids=type)
def test_values_of_a_function_that_are_no_list(tmp_path, part, said):
    function = ['4wEAAAA=', None, None]
    function[part] = said
    layer = {'name': 'd', 'batch_input_shape': [None, 3], 'function': function, 'function_type': 'lambda'}
    path = tmp_path / 'a.json'
    path.write_text(json.dumps({'class_name': 'Sequential', 'config': [{'class_name': 'Lambda', 'config': layer}]}))
    with pytest.raises(UnreadableFileError, match=f'in the place of its {["defaults", "closure"][part - 1]}'):
        files.read(str(path))
