"""Whatever text a model file has, no letter that a terminal obeys gets out: not in summaries, errors and warnings."""

import json
import os
import warnings
import zipfile

import h5py
import numpy as np
import pytest
from files_of_models import FOLDER, arguments, recorded
from shares import one_in

from keras_backend import files
from keras_backend.__main__ import main
from keras_backend.basics.terminal import printable
from keras_backend.errors import ArgumentTypeError, KerasBackendError, LayerConfigError

# ESC with a colour, a bell, a change of direction, a new line, ESC and [ in one letter, a new line of Unicode.
EVIL = 'q\x1b[31m\x07\u202e\nThis is forged\r\x9b\x7f\u2028'
NAMES = ['keras231_python37_merges', 'keras231_python37_lambdas', 'keras3_python313_archive']


def config_of(name):
    """The configuration of a recorded file, and the version of its Keras."""
    path = arguments(name)['path']
    if path.endswith('.keras'):
        with zipfile.ZipFile(path) as archive:
            return json.loads(archive.read('config.json').decode()), '3.4.1'
    with h5py.File(path, 'r') as file:
        text = file.attrs['model_config']
    return json.loads(text if isinstance(text, str) else text.decode()), '2.3.1'


def texts(value):
    """All texts in a configuration: keys and values."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set(value).union(*map(texts, value.values()))
    return set().union(*map(texts, value)) if isinstance(value, list) else set()


def replaced(value, old, new):
    """The configuration with one text in the place of another, wherever it stands."""
    if isinstance(value, str):
        return new if value == old else value
    if isinstance(value, dict):
        return {replaced(key, old, new): replaced(item, old, new) for key, item in value.items()}
    return [replaced(item, old, new) for item in value] if isinstance(value, list) else value


def said(capsys, path):
    """All that is said about a file: by the command in its forms, by errors and by warnings, line by line."""
    lines = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        for more in ([], ['--json']):
            try:
                main(['model', path, *more])
            except Exception as error:  # a fault of its own, which other tests see
                lines.append(str(error) if isinstance(error, KerasBackendError) else '')
        for way in (files.function, lambda path: list(files.read(path).model.layers)):
            try:
                way(path)
            except KerasBackendError as error:
                lines.append(str(error))
            except Exception:  # likewise
                pass
    output = capsys.readouterr()
    lines += [str(warning.message) for warning in caught]
    return [*lines, *output.out.split('\n'), *output.err.split('\n')]


def check(capsys, path):
    """Nothing is said with a letter that a terminal obeys, nor in a line that the file made."""
    lines = said(capsys, path)
    assert any(lines)
    for line in lines:
        assert line.isprintable(), ascii(line)
        assert not line.lstrip().startswith('This is forged'), line


@pytest.mark.parametrize('name', one_in(3, NAMES))
def test_texts_of_configurations(capsys, tmp_path, name):
    """Each text in turn."""
    config, version = config_of(name)
    path = tmp_path / 'a.json'
    everything = sorted(texts(config))
    assert len(everything) > 30
    for text in everything:
        path.write_text(json.dumps({**replaced(config, text, text + EVIL), 'keras_version': version}))
        check(capsys, str(path))


def test_versions_and_engines(capsys, tmp_path):
    config, _ = config_of(NAMES[0])
    path = tmp_path / 'a.json'
    for head in ({'keras_version': '2.3.1' + EVIL}, {'keras_version': EVIL}, {'backend': EVIL, 'keras_version': '2.1'}):
        path.write_text(json.dumps({**config, **head}))
        check(capsys, str(path))


@pytest.mark.parametrize('name', ['keras231_python37_merges', 'keras122_python27_theano_conv2d_weights'])
def test_texts_of_hdf5(capsys, tmp_path, name):
    """Each attribute, and each name of a group or an array with what names it."""
    source, path = os.path.join(FOLDER, f'{name}.h5'), str(tmp_path / 'a.h5')
    for attribute in ('keras_version', 'backend', 'model_config', 'training_config', 'layer_names', 'weight_names'):
        with h5py.File(source, 'r') as old, h5py.File(path, 'w') as new:
            for key in old:
                old.copy(key, new)
            new.attrs.update(old.attrs)
            for place in (new, *[item for item in (new.get('model_weights'),) if item is not None]):
                change(place, attribute)
                for group in list(place.values()):
                    change(group, attribute)
        check(capsys, path)


def change(place, attribute):
    """Put letters into an attribute; a group or array that it names goes by the new name."""
    if attribute not in place.attrs:
        return
    value = place.attrs[attribute]
    if isinstance(value, (str, bytes)):
        text = value if isinstance(value, str) else value.decode()
        place.attrs[attribute] = text + EVIL
        return
    names = [name if isinstance(name, str) else name.decode() for name in value.tolist()]
    for name in names:
        if name in place:
            place.move(name, name + EVIL)
    place.attrs.create(attribute, [name + EVIL for name in names], dtype=h5py.string_dtype())


def test_predictions(capsys, tmp_path):
    config, version = config_of('keras231_python37_merges')
    path, weights = tmp_path / 'a.json', arguments('keras231_python37_merges')['path']
    output = config['config']['output_layers'][0][0]
    path.write_text(json.dumps({**replaced(config, output, output + EVIL), 'keras_version': version}))
    np.savez(str(tmp_path / 'x.npz'), *recorded('keras231_python37_merges')[0])
    main(['model', str(path), '--weights', weights, '--predict', str(tmp_path / 'x.npz'), str(tmp_path / 'y.npz')])
    found = capsys.readouterr()
    assert '\\x1b[31m' in found.out + found.err
    for line in (found.out + found.err).split('\n'):
        assert line.isprintable(), ascii(line)


def test_escapes():
    assert printable('a\x1b[2K\u202e\x9b\n\t\ud800é') == 'a\\x1b[2K\\u202e\\x9b\\n\\t\\ud800é'
    assert printable('a\x1b\n\tb', lines=True) == 'a\\x1b\n\tb'
    assert str(ArgumentTypeError('a\nb\x1b')) == 'a\nb\\x1b'
    assert str(LayerConfigError('a\nb\x1b', 'a')) == 'a\\nb\\x1b'
