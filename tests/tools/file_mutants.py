"""Model files, each changed at random in one way: `mutant(NUMBER, FOLDER)` writes one, the same for each run."""

import io
import json
import os
import random
import shutil
import zipfile

import h5py
import numpy as np
from files_of_models import arguments
from values_of_mutants import DIGITS, TEXTS, VALUES, hdf5_value, protocol_fields, protocol_message

MODELS = [
    'keras122_python27_theano_merge_lambda', 'keras122_python36_theano_dots', 'keras122_python36_theano_merge_sum',
    'keras122_python36_theano_maxout', 'keras122_python36_theano_stateful', 'keras208_python36_recurrent',
    'keras224_python27_theano_siamese', 'keras224_python27_theano_dense_yaml', 'keras224_python37_deep',
    'keras231_python37_dense_json', 'keras231_python37_embedding', 'keras231_python37_wiring',
    'keras231_python37_merges', 'keras231_python37_separable1d', 'keras231_python37_same',
    'keras231_python37_conv_lstm_first', 'keras231_python37_bidirectional', 'keras231_python37_normalization',
    'keras231_python37_noise', 'keras231_python37_upsampling', 'tf210_python310_normalizer', 'tf24_python38_cudnn',
    'tf210_python310_attention', 'tf24_python38_time_major', 'tf24_python38_folder_recurrent', 'tf215_python311_folder',
    'tf215_python311_archive', 'tf215_python311_archive_sequential', 'tf215_python311_archive_recurrent',
    'keras3_python313_ops', 'keras3_python313_functions_archive', 'keras3_python313_archive_masks_inside',
]  # fmt: skip
WEIGHTS = 'model.weights.h5'


def mutant(seed, folder):
    """Write a changed file. Result: the arguments of `files.read`, and the words for what was changed."""
    chance = random.Random(seed)
    said = dict(arguments(MODELS[seed % len(MODELS)]))
    part = 'weights' if 'weights' in said and chance.random() < 0.3 else 'path'
    source = said[part]
    target = os.path.join(folder, os.path.basename(source))
    if os.path.isdir(source):
        change = chance.choice(OF_FOLDERS)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target)
    else:
        change = chance.choice(BY_ENDING[os.path.splitext(source)[1]])
        shutil.copyfile(source, target)
    words = change(chance, target)
    said[part] = target
    return said, f'{os.path.basename(source)}: {words}'


def _content(path):
    with open(path, 'rb') as stream:
        return stream.read()


def _write(path, content):
    with open(path, 'wb') as stream:
        stream.write(content)


# -- bytes -------------------------------------------------------------------------------------------------------------
def changed_bytes(chance, content):
    """The bytes with a few flips, a cut or something inserted, and the words for it."""
    data = bytearray(content)
    way = chance.choice(['flip', 'flip', 'byte', 'cut', 'end', 'insert', 'move'])
    place = chance.randrange(max(len(data), 1))
    if way == 'flip':
        places = [chance.randrange(len(data)) for _ in range(chance.choice([1, 1, 2, 8, 64]))] if data else []
        for where in places:
            data[where] ^= 1 << chance.randrange(8)
        return bytes(data), f'bits flipped at {places[:4]}'
    if way == 'byte':
        data[place : place + 1] = bytes([chance.choice([0, 1, 127, 128, 255])])
    elif way == 'cut':
        del data[place : place + chance.choice([1, 2, 4, 8, 100])]
    elif way == 'end':
        del data[place:]
    elif way == 'insert':
        data[place:place] = bytes([chance.randrange(256) for _ in range(chance.choice([1, 2, 4, 8]))])
    else:
        start = chance.randrange(max(len(data), 1))
        data[place : place + 8] = data[start : start + 8]
    return bytes(data), f'{way} at the byte {place}'


def of_bytes(chance, path):
    """Change the bytes of a file."""
    content, words = changed_bytes(chance, _content(path))
    _write(path, content)
    return words


# -- configurations ----------------------------------------------------------------------------------------------------
def _places(value, path=()):
    """The place of each value in nested lists and dicts: the keys on the way to it."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _places(inner, (*path, key))


def changed_values(chance, config):
    """The JSON of a configuration with something else at one place, and the words for it."""
    place = chance.choice(list(_places(config)))
    holder = config
    for key in place[:-1]:
        holder = holder[key]
    key, way = place[-1], chance.random()
    words = '/'.join([str(part) for part in place])
    if way < 0.1:
        del holder[key]
        return json.dumps(config), f'{words} removed'
    if way < 0.2:
        holder.update({chance.choice(TEXTS): holder[key]}) if isinstance(holder, dict) else holder.append(holder[key])
        return json.dumps(config), f'{words} doubled'
    name = chance.choice(sorted(VALUES))
    holder[key] = VALUES[name](holder[key])
    # `json` of newer Pythons writes no number of so many digits.
    return json.dumps(config).replace(f'"{DIGITS}"', '9' * 5000), f'{words} is {name}'


def of_json(chance, path):
    """Change a value of a file of JSON."""
    content, words = changed_values(chance, json.loads(_content(path).decode()))
    _write(path, content.encode('utf-8'))
    return words


def of_yaml(chance, path):
    """Change a line of a file of YAML: another value behind a key, or a line more or less."""
    lines = _content(path).decode().splitlines()
    number = chance.randrange(len(lines))
    way = chance.choice(['value', 'value', 'value', 'removed', 'doubled', 'moved'])
    if way == 'value':
        key, colon, _ = lines[number].rpartition(': ')
        lines[number] = (
            key + colon + chance.choice(['null', '.nan', '[]', '{}', '1e400', '9' * 5000, '*a', '&a x', '-'])
        )
    elif way == 'removed':
        del lines[number]
    elif way == 'doubled':
        lines.insert(number, lines[number])
    else:
        lines[number] = '  ' + lines[number]
    _write(path, '\n'.join(lines).encode())
    return f'the line {number}: {way}'


def of_config(chance, path):
    """Change a value of the configuration in an HDF5 file."""
    with h5py.File(path, 'r+') as file:
        names = [name for name in ('model_config', 'training_config') if name in file.attrs]
        if not names:
            return 'nothing'
        name = chance.choice(names + ['model_config'] * 3 * ('model_config' in names))
        text = file.attrs[name]
        text = text if isinstance(text, str) else text.decode()
        changed, words = changed_values(chance, json.loads(text))
        del file.attrs[name]
        file.attrs[name] = np.bytes_(changed.encode('utf-8'))
    return f'{name}: {words}'


# -- HDF5 --------------------------------------------------------------------------------------------------------------
def of_hdf5(chance, path):
    """Change an attribute, a group or an array of an HDF5 file."""
    with h5py.File(path, 'r+') as file:
        places = ['/']
        file.visit(places.append)
        place = chance.choice(places)
        way = chance.choice(['attribute', 'attribute', 'attribute', 'array', 'name', 'removed', 'link'])
        if way == 'attribute':
            pairs = [(where, name) for where in places for name in file[where].attrs]
            place, name = chance.choice(pairs) if pairs else ('/', 'model_config')
            words = hdf5_value(chance, file[place], name)
            return f'the attribute {name} of {place} is {words}'
        if place == '/':
            place = chance.choice(places[1:] or ['new'])
        if way == 'array':
            arrays = [where for where in places if isinstance(file.get(where), h5py.Dataset)] or [place]
            place = chance.choice(arrays)
            file.pop(place, None)
            return f'{place} is {hdf5_value(chance, file, place, array=True)}'
        if way == 'removed':
            del file[place]
        elif way == 'link':
            del file[place]
            other = chance.choice(places)
            file[place] = chance.choice([h5py.SoftLink('/' + other), h5py.ExternalLink(path, other), file['/']])
        else:
            new = chance.choice([b'\xff\xfe', '²'.encode(), b'9' * 5000, b'0', b'a\x1b[31m', b'x' * 60000])
            holder = file[place].parent
            if holder.id.links.exists(new):
                return f'{place} stays: there is a {new[:10]!r} already'
            holder.id.links.move(os.path.basename(place).encode(), holder.id, new)
            return f'{place} has the name {new[:10]!r}'
    return f'{place}: {way}'


# -- archives ----------------------------------------------------------------------------------------------------------
def of_archive(chance, path):
    """Change the entries of an archive: without one, with two of one name, under another name, packed."""
    with zipfile.ZipFile(path) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    number = chance.randrange(len(entries))
    name, content = entries[number]
    way = chance.choice(['removed', 'doubled', 'renamed', 'empty', 'bytes', 'swapped'])
    if way == 'removed':
        del entries[number]
    elif way == 'doubled':
        entries.insert(number, entries[chance.randrange(len(entries))])
    elif way == 'renamed':
        entries[number] = (chance.choice(['../' + name, '/' + name, name.upper(), 'config.json', 'ü']), content)
    elif way == 'empty':
        entries[number] = (name, b'')
    elif way == 'bytes':
        entries[number] = (name, changed_bytes(chance, content)[0])
    else:
        other = chance.randrange(len(entries))
        entries[number] = (name, entries[other][1])
    _archive(path, entries, chance.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2]))
    return f'{name}: {way}'


def _archive(path, entries, packing=zipfile.ZIP_STORED):
    with io.BytesIO() as made:
        with zipfile.ZipFile(made, 'w', packing) as archive:
            for name, content in entries:
                if name in archive.namelist():  # `zipfile` warns of it
                    archive.filelist[-1].comment = b'again'
                    archive.NameToInfo.pop(name, None)
                archive.writestr(name, content)
        _write(path, made.getvalue())


def of_directory(chance, path):
    """Change bytes of the directory at the end of an archive, where its entries are named."""
    content = _content(path)
    start = content.find(b'PK\x01\x02')
    changed, words = changed_bytes(chance, content[start:])
    _write(path, content[:start] + changed)
    return f'the directory: {words}'


def of_part(chance, path):
    """Change one part of an archive as a file of its own is changed."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice([name for name in ('config.json', 'config.json', 'metadata.json', WEIGHTS) if name in entries])
    inside = os.path.join(os.path.dirname(path), 'part')
    _write(inside, entries[name])
    words = chance.choice([of_hdf5, of_bytes] if name == WEIGHTS else [of_json])(chance, inside)
    entries[name] = _content(inside)
    os.remove(inside)
    _archive(path, list(entries.items()))
    return f'{name}: {words}'


# -- folders of a SavedModel -------------------------------------------------------------------------------------------
def _file_of(chance, path):
    names = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    return chance.choice([name for name in sorted(names) if not name.endswith('fingerprint.pb')])


def of_file(chance, path):
    """Change the bytes of a file of a folder, or remove it."""
    inside = _file_of(chance, path)
    if chance.random() < 0.1:
        os.remove(inside)
        return f'{inside}: removed'
    return f'{os.path.relpath(inside, path)}: {of_bytes(chance, inside)}'


def of_message(chance, path):
    """Change a field of a message of protocol buffers: remove, double, move it, or give it another type."""
    names = [name for name in ('keras_metadata.pb', 'saved_model.pb') if os.path.exists(os.path.join(path, name))]
    inside = os.path.join(path, chance.choice(names))
    fields = protocol_fields(_content(inside))
    words = _changed_message(chance, fields, depth=chance.choice([0, 1, 2, 3, 4]))
    _write(inside, protocol_message(fields))
    return f'{os.path.basename(inside)}: {words}'


def _changed_message(chance, fields, depth):
    """Change one of the fields, or one of a message in them."""
    number = chance.randrange(len(fields))
    key, kind, value = fields[number]
    inner = protocol_fields(value) if kind == 2 and depth else None
    if inner:
        words = _changed_message(chance, inner, depth - 1)
        fields[number] = (key, kind, protocol_message(inner))
        return f'{key}/{words}'
    if kind == 2 and value[:1] == b'{':
        try:
            changed, words = changed_values(chance, json.loads(value.decode()))
        except ValueError:
            changed, words = '{', 'cut'
        fields[number] = (key, kind, changed.encode())
        return f'{key}: {words}'
    way = chance.choice(['removed', 'doubled', 'number', 'text', 'other'])
    if way == 'removed':
        del fields[number]
    elif way == 'doubled':
        fields.insert(number, fields[number])
    elif way == 'number':
        fields[number] = (key, 0, chance.choice([0, 1, 2**31, 2**63, 2**64 - 1]))
    elif way == 'text':
        fields[number] = (key, 2, chance.choice([b'', b'\xff\xfe', b'9' * 5000, b'\x08' * 40]))
    else:
        fields[number] = (chance.choice([0, 1, 2, 3, 2**28]), kind, value)
    return f'{key}: {way}'


OF_FOLDERS = [of_file, of_message, of_message]
BY_ENDING = {
    '.h5': [of_bytes, of_config, of_config, of_config, of_hdf5, of_hdf5],
    '.json': [of_json, of_json, of_json, of_bytes],
    '.yaml': [of_yaml, of_yaml, of_bytes],
    '.keras': [of_part, of_part, of_part, of_archive, of_directory, of_bytes],
}
