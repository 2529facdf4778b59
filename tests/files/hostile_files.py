"""Small files that ask for much memory or for much time. Each function writes one into a folder, and gives its path.

FILES has those that the reader has to refuse, by name.
"""

import io
import json
import os
import shutil
import socket
import struct
import zipfile
import zlib

import h5py
import numpy as np
from files_of_models import FOLDER

MB = 2**20
DENSE = {'class_name': 'Dense', 'config': {'name': 'd', 'units': 2, 'batch_input_shape': [None, 3]}}
OF_TENSORFLOW = os.path.join(FOLDER, 'tf215_python311_folder')
FILES = {}
# Those that a system without such files cannot have.
POSIX = []


def hostile(write):
    """Note a file that has to be refused."""
    FILES[write.__name__] = write
    return write


def posix(write):
    """Note a file that only some systems have."""
    POSIX.append(write.__name__)
    return hostile(write)


# -- zip archives ------------------------------------------------------------------------------------------------------
def sequential(*layers):
    """The configuration of a Sequential."""
    return {'class_name': 'Sequential', 'config': {'name': 's', 'layers': list(layers or [DENSE])}}


def archive(path, config, weights=None, compression=zipfile.ZIP_DEFLATED):
    """A `.keras` file. config: data or bytes. weights: the bytes of the HDF5 file in it."""
    with zipfile.ZipFile(path, 'w', compression) as file:
        file.writestr('config.json', config if isinstance(config, bytes) else json.dumps(config))
        file.writestr('metadata.json', '{"keras_version": "3.4.1"}')
        if weights is not None:
            file.writestr('model.weights.h5', weights)
    return path


def of_chunks(length, count, packings=1):
    """An HDF5 file with a kernel of `count` equal chunks of `length` zeros, packed once or several times."""
    content = io.BytesIO()
    packed = bytes(length)
    for _ in range(packings):
        packed = zlib.compress(packed, 9)
    with h5py.File(content, 'w') as file:
        group = file.create_group('layers/dense/vars')
        layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        layout.set_chunk((length,))
        for _ in range(packings):
            layout.set_deflate(9)
        space = h5py.h5s.create_simple((length * count,))
        kernel = h5py.h5d.create(group.id, b'0', h5py.h5t.NATIVE_UINT8, space, layout)
        for number in range(count):
            kernel.write_direct_chunk((number * length,), packed)
        group['1'] = np.ones(2, 'float32')
    return content.getvalue()


@hostile
def zeros_packed_twice(folder):
    """Chunks of zeros, and the file of them packed again."""
    return archive(os.path.join(folder, 'a.keras'), sequential(), of_chunks(16 * MB, 128))


@hostile
def chunks_packed_twice(folder):
    """A chunk that is packed two times."""
    return archive(os.path.join(folder, 'a.keras'), sequential(), of_chunks(320 * MB, 1, 2), zipfile.ZIP_STORED)


def part_packed_by(folder, compression):
    """A part of an archive in a form that Keras never writes, which unpacks before its length is known."""
    return archive(os.path.join(folder, 'a.keras'), b'{"a": "' + b'a' * (48 * MB) + b'"}', None, compression)


@hostile
def part_of_bzip2(folder):
    """A part that bzip2 packed."""
    return part_packed_by(folder, zipfile.ZIP_BZIP2)


@hostile
def part_of_lzma(folder):
    """A part that lzma packed."""
    return part_packed_by(folder, zipfile.ZIP_LZMA)


@hostile
def lists_in_an_archive(folder):
    """60 kB that are 16 million lists."""
    return archive(os.path.join(folder, 'a.keras'), b'[' + b'[0],' * (15 * MB) + b'0]')


@hostile
def dicts_in_an_archive(folder):
    """A list of dicts in the place of the layers."""
    config = b'{"class_name": "Sequential", "config": [' + b'{"a":[]},' * (2 * MB) + b'{}]}'
    return archive(os.path.join(folder, 'a.keras'), config)


@hostile
def sizes_that_lie(folder):
    """A part whose entry says another length than its bytes have."""
    path = archive(os.path.join(folder, 'a.keras'), b' ' * (8 * MB))
    with open(path, 'rb') as file:
        content = file.read()
    with open(path, 'wb') as file:
        file.write(content.replace(struct.pack('<I', 8 * MB), struct.pack('<I', 2000 * MB)))
    return path


# -- JSON and YAML -----------------------------------------------------------------------------------------------------
def _written(folder, name, *parts):
    path = os.path.join(folder, name)
    with open(path, 'wb') as file:
        for part in parts:
            file.write(part)
    return path


@hostile
def long_json(folder):
    """A configuration of 40 MB, which are ten million lists."""
    return _written(folder, 'a.json', b'[', b'[0],' * (10 * MB), b'0]')


@hostile
def numbers_in_json(folder):
    """A configuration of six million numbers."""
    return _written(folder, 'a.json', b'{"class_name": [', b'1.5,' * (6 * MB), b'0]}')


@hostile
def long_number(folder):
    """An integer of a million digits, which takes the square of its length."""
    return _written(folder, 'a.json', b'{"class_name": ', b'9' * MB, b'}')


@hostile
def deep_json(folder):
    """Lists in lists, as deep as the parser goes."""
    deep = b'[' * 900 + b']' * 900
    return _written(
        folder,
        'a.json',
        b'{"class_name": "Sequential", "config": [{"class_name": "A", "config": {"a": ' + deep + b'}}]}',
    )


@hostile
def yaml_of_merges(folder):
    """Mappings that merge nine times the mapping before."""
    pairs = zip('abcdefghi', 'bcdefghij')
    lines = [f'{new}: &{new}\n  <<: [{", ".join(["*" + old] * 9)}]' for old, new in pairs]
    return _written(folder, 'a.yaml', '\n'.join(['a: &a {x: 1, y: 2}', *lines, 'class_name: *j']).encode())


@hostile
def yaml_of_many_entries(folder):
    """A list of half a million numbers."""
    return _written(folder, 'a.yaml', b'class_name:\n', b'- 1\n' * (MB // 2))


@hostile
def yaml_with_a_long_number(folder):
    """A number in base 60 of a hundred thousand digits."""
    return _written(folder, 'a.yaml', b'class_name: 1', b':1' * 100000)


# -- models ------------------------------------------------------------------------------------------------------------
def functional(name, layers, inputs, outputs):
    """The configuration of a functional model."""
    config = {'name': name, 'layers': layers, 'input_layers': inputs, 'output_layers': outputs}
    return {'class_name': 'Model', 'config': config}


def _layer(kind, name, config, nodes):
    return {'class_name': kind, 'name': name, 'config': {'name': name, **config}, 'inbound_nodes': nodes}


def called_twice(depth):
    """Models in each other, each of which is called two times in a row."""
    model = None
    for number in range(depth):
        entry = _layer('InputLayer', 'i', {'batch_input_shape': [None, 3], 'dtype': 'float32'}, [])
        nodes = [[['i', 0, 0, {}]], [['inner', 0, 0, {}]]]
        if model is None:
            inner = _layer('Activation', 'inner', {'activation': 'relu'}, nodes)
        else:
            inner = {**model, 'name': 'inner', 'inbound_nodes': nodes}
        model = functional(f'm{number}', [entry, inner], [['i', 0, 0]], [['inner', 1, 0]])
    return model


def _json(folder, config):
    return _written(folder, 'a.json', json.dumps(config).encode())


@hostile
def models_called_twice(folder):
    """40 models in each other, each called two times."""
    return _json(folder, called_twice(40))


@hostile
def wrappers_of_wrappers(folder, **more):
    """Bidirectional in Bidirectional: each has its layer for two directions. more: entries of each of them."""
    entry = {'class_name': 'LSTM', 'config': {'name': 'l', 'units': 1}}
    for number in range(30):
        entry = {'class_name': 'Bidirectional', 'config': {'name': f'b{number}', 'layer': entry, **more}}
    entry['config']['batch_input_shape'] = [None, 3, 2]
    return _json(folder, sequential(entry))


@hostile
def wrappers_without_a_second_layer(folder):
    """The same, where each has an empty entry for the second direction."""
    return wrappers_of_wrappers(folder, backward_layer={})


# -- HDF5 --------------------------------------------------------------------------------------------------------------
def hdf5(folder, fill):
    """A file of Keras 2 with one layer, whose group `fill` fills."""
    path = os.path.join(folder, 'a.h5')
    with h5py.File(path, 'w') as file:
        file.attrs['model_config'] = json.dumps(sequential())
        file.attrs['keras_version'] = '2.3.1'
        group = file.create_group('model_weights/d')
        file['model_weights'].attrs['layer_names'] = np.array([b'd'])
        group.attrs['weight_names'] = np.array([b'k', b'b'])
        group['b'] = np.ones(2, 'float32')
        fill(group)
    return path


@hostile
def chunks_of_one_element(folder):
    """60 MB in chunks of one byte, of which none is stored."""
    return hdf5(folder, lambda group: group.create_dataset('k', (60 * MB,), 'u1', chunks=(1,)))


@hostile
def never_stored(folder):
    """An array of zeros that the file never stored."""
    return hdf5(folder, lambda group: group.create_dataset('k', (4 * MB,), 'f4'))


@hostile
def chunk_larger_than_its_array(folder):
    """Six numbers in a chunk of 320 MB."""

    def fill(group):
        kernel = group.create_dataset('k', (6,), 'f4', maxshape=(None,), chunks=(80 * MB,), compression='gzip')
        kernel.id.write_direct_chunk((0,), zlib.compress(bytes(320 * MB), 1))

    return hdf5(folder, fill)


@hostile
def chunk_longer_than_it_says(folder):
    """A chunk of 24 kB that unpacks to 320 MB."""

    def fill(group):
        kernel = group.create_dataset('k', (6000,), 'f4', chunks=(6000,), compression='gzip')
        kernel.id.write_direct_chunk((0,), zlib.compress(bytes(320 * MB), 1))

    return hdf5(folder, fill)


@hostile
def one_array_many_times(folder):
    """One array of 8 MB under a thousand names."""

    def fill(group):
        names = [f'k{number}' for number in range(1000)]
        group['k'] = np.ones(2 * MB, 'float32')
        for name in names:
            group[name] = group['k']
        group.attrs['weight_names'] = np.array(names, 'S')

    return hdf5(folder, fill)


@hostile
def one_text_many_times(folder):
    """A list of names that all are one text of 1 MB."""

    def fill(group):
        names = np.array(['k' * MB, *[f'{number:06d}' for number in range(2000)]], dtype=object)
        group.attrs.create('weight_names', names, dtype=h5py.string_dtype())

    path = hdf5(folder, fill)
    with open(path, 'rb') as file:
        content = bytearray(file.read())
    long = next(place for place in _references(content, MB))
    for place in _references(content, 6):
        content[place : place + 16] = content[long : long + 16]
    with open(path, 'wb') as file:
        file.write(content)
    return path


def _references(content, length):
    """Where a text of this length is named: its length, the place of the texts, its number there."""
    places = []
    start = content.find(b'GCOL')
    while start >= 0:
        address = struct.pack('<Q', start)
        place = content.find(address)
        while place >= 0:
            if content[place - 4 : place] == struct.pack('<I', length):
                places.append(place - 4)
            place = content.find(address, place + 1)
        start = content.find(b'GCOL', start + 1)
    return places


# -- folders -----------------------------------------------------------------------------------------------------------
def saved_model(folder):
    """A folder that TensorFlow wrote."""
    path = os.path.join(folder, 'model')
    shutil.copytree(OF_TENSORFLOW, path)
    return path


def _instead(folder, part, make):
    path = saved_model(folder)
    place = os.path.join(path, *part.split('/'))
    os.remove(place)
    make(place)
    return path


@posix
def graph_without_end(folder):
    """A link to a device that never ends."""
    return _instead(folder, 'saved_model.pb', lambda place: os.symlink('/dev/zero', place))


@posix
def notes_without_end(folder):
    """The same in the place of the notes of Keras."""
    return _instead(folder, 'keras_metadata.pb', lambda place: os.symlink('/dev/zero', place))


@posix
def table_without_end(folder):
    """The same in the place of the table."""
    return _instead(folder, 'variables/variables.index', lambda place: os.symlink('/dev/zero', place))


@posix
def arrays_without_end(folder):
    """The same in the place of the arrays."""
    return _instead(folder, 'variables/variables.data-00000-of-00001', lambda place: os.symlink('/dev/zero', place))


@posix
def pipe_in_a_folder(folder):
    """A pipe, which waits for somebody to write."""
    return _instead(folder, 'saved_model.pb', os.mkfifo)


@posix
def pipe(folder):
    """A pipe in the place of a file."""
    path = os.path.join(folder, 'a.h5')
    os.mkfifo(path)
    return path


@posix
def device(folder):
    """A device in the place of a file."""
    path = os.path.join(folder, 'a.h5')
    os.symlink('/dev/zero', path)
    return path


@posix
def socket_of_a_program(folder):
    """A socket in the place of a file."""
    path = os.path.join(folder, 's')
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
    return path


@posix
def link_out_of_the_folder(folder):
    """A folder of which a part lies elsewhere."""
    outside = os.path.join(folder, 'outside')
    shutil.copy(os.path.join(OF_TENSORFLOW, 'saved_model.pb'), outside)
    return _instead(folder, 'saved_model.pb', lambda place: os.symlink(outside, place))


@posix
def folder_that_lies_outside(folder):
    """A folder whose variables lie elsewhere."""
    path, outside = saved_model(folder), os.path.join(folder, 'outside')
    shutil.move(os.path.join(path, 'variables'), outside)
    os.symlink(outside, os.path.join(path, 'variables'))
    return path


@posix
def table_of_holes(folder):
    """A table of 8 GB that takes no place on the disk."""

    def make(place):
        with open(place, 'wb') as file:
            file.truncate(8192 * MB)

    return _instead(folder, 'variables/variables.index', make)


# -- messages and tables -----------------------------------------------------------------------------------------------
def number(value):
    """A number of protocol buffers."""
    parts = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


def field(key, content):
    """A field of protocol buffers: bytes, or a number."""
    if isinstance(content, int):
        return number(key << 3) + number(content)
    return number(key << 3 | 2) + number(len(content)) + content


@hostile
def empty_messages(folder):
    """Ten million messages without a field."""
    graph = field(2, field(7, field(1, b'') * (5 * MB)))
    path = saved_model(folder)
    _written(path, 'saved_model.pb', graph)
    return path


def table(*blocks):
    """A table of a checkpoint. blocks: the bytes of entries, or the number of a block that is named again."""
    content, handles = b'', []
    for block in blocks:
        if isinstance(block, int):
            handles.append(handles[block])
            continue
        whole = block + struct.pack('<II', 0, 1)
        handles.append(number(len(content)) + number(len(whole)))
        content += whole + bytes(5)
    index = b''.join([entry(0, b'%08d' % place, handle) for place, handle in enumerate(handles)])
    index += struct.pack('<II', 0, 1)
    footer = (number(0) + number(0) + number(len(content)) + number(len(index))).ljust(40, b'\0')
    return content + index + bytes(5) + footer + struct.pack('<Q', 0xDB4775248B80FB57)


def entry(shared, rest, value):
    """An entry of a block."""
    return number(shared) + number(len(rest)) + number(len(value)) + rest + value


def _with_table(folder, content):
    path = saved_model(folder)
    _written(os.path.join(path, 'variables'), 'variables.index', content)
    return path


@hostile
def keys_that_share_a_megabyte(folder):
    """6,000 keys that have a million letters in common."""
    entries = [entry(0, b'a' * MB, b'')] + [entry(MB, b'%06d' % place, b'') for place in range(6000)]
    return _with_table(folder, table(b''.join(entries)))


@hostile
def block_named_many_times(folder):
    """A block of 1 MB that the index names 100,000 times."""
    entries = b''.join([entry(0, b'%08d' % place, b'\x08\x01' * 8) for place in range(40000)])
    return _with_table(folder, table(entries, *[0] * 100000))
