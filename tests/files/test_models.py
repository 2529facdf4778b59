"""Models that the originals wrote predict with K as they did: Keras 1.2.2 to 2.3.1, tf.keras, Keras 3."""

import io
import json
import os
import shutil
import sys
import zipfile

import h5py
import numpy as np
import pytest
from checkout import ROOT
from files_of_models import FOLDER, INDEX, arguments, of_models, recorded, without_weights
from shares import one_in

from keras_backend import files
from keras_backend.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    RefusedCodeError,
    UnknownLayerError,
    UnreadableFileError,
    WrongWeightsError,
)
from keras_backend.loader import load

sys.path.insert(0, os.path.join(ROOT, 'tools'))

import grid_of_files


@pytest.mark.parametrize('name', one_in(2, of_models()))
def test_model_of_file_predicts(name):
    """Within 1e-5 of the predictions of the library that wrote it."""
    inputs, outputs = recorded(name)
    found = files.function(**arguments(name))(*inputs)
    for one, wanted in zip(found if isinstance(found, list) else [found], outputs):
        assert one.shape == wanted.shape
        np.testing.assert_allclose(one, wanted, rtol=1e-5, atol=1e-5)
    assert (len(found) if isinstance(found, list) else 1) == len(outputs)


def test_there_are_files_of_every_writer():
    writers = {(entry['library'], entry['version'], entry['python']) for entry in INDEX.values()}
    assert len(INDEX) >= 40
    assert {version for _, version, _ in writers} >= {'1.2.2', '2.0.8', '2.1.6', '2.2.4', '2.3.1', '2.2.4-tf', '2.4.0'}
    assert {python for _, _, python in writers} >= {'2.7', '3.6', '3.7', '3.8'}


def test_the_page_counts_the_files():
    """Files with a model, and the versions of Keras that wrote them."""
    entries = [entry for entry in INDEX.values() if entry['form'] != 'weights']
    versions = {(entry['library'], entry['version']) for entry in entries}
    with open(os.path.join(os.path.dirname(FOLDER), '..', '..', 'docs', 'old-models.md')) as page:
        assert f'{len(entries)} files by {len(versions)} versions' in page.read()


def test_the_keras_of_a_model_is_one_of_two():
    with pytest.raises(ArgumentValueError, match="'tf_keras'"):
        files.load('model.h5', keras='tf.keras')


@pytest.mark.parametrize('name', [name for name in of_models() if name.endswith('_upsampling')])
def test_a_configuration_without_a_version_means_the_same(name, tmp_path):
    """tf.keras reads images from the centres of pixels, and the package keras does not."""
    with h5py.File(arguments(name)['path'], 'r') as file:
        config = json.loads(file.attrs['model_config'])
    path = tmp_path / 'model.json'
    path.write_text(json.dumps(config))
    inputs, outputs = recorded(name)
    for one, wanted in zip(files.function(str(path))(*inputs), outputs):
        np.testing.assert_allclose(one, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize('name', [name for name, entry in INDEX.items() if entry['form'] == 'weights'])
def test_weights_alone(name):
    """Arrays by layer. There is nothing to call."""
    path = os.path.join(FOLDER, INDEX[name]['files'][0])
    found = files.read(path)
    assert found.model is None
    assert sum(map(len, found.weights.values())) > 0
    with pytest.raises(UnreadableFileError, match='weights alone'):
        files.function(path)


OF_KERAS_1 = [name for name in of_models() if INDEX[name]['version'].startswith('1.')]


@pytest.mark.parametrize('name', OF_KERAS_1)
def test_engine_of_keras_1_is_told_by_the_names_of_weights(name):
    """Theano turned the kernels around, and has no `:0` in the names of variables. No word of the user is needed."""
    given = arguments(name)
    given.pop('engine', None)
    engine = INDEX[name]['engine'].split()[0]
    file = files.read(**given)
    assert file.engine == (engine if any(file.weights.values()) else '')
    inputs, outputs = recorded(name)
    predictions = files.function(file)(*inputs)
    for prediction, output in zip(predictions if isinstance(predictions, list) else [predictions], outputs):
        np.testing.assert_allclose(prediction, output, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize('rename', [lambda name: 'param_1', lambda name: 'W:0' if 'W' in name else 'b'])
def test_engine_of_keras_1_is_asked_for(rename, tmp_path):
    """Where the names do not tell it."""
    given = arguments('keras122_python36_theano_conv2d_th')
    assert given.pop('engine') == 'theano'
    path = shutil.copy(given['path'], str(tmp_path / 'model.h5'))
    with h5py.File(path, 'r+') as file:
        for layer in file['model_weights'].values():
            names = [name.decode() for name in layer.attrs['weight_names']]
            renamed = [
                f'{number}/{rename(name)}' if ':' in rename(name) else rename(name) + str(number)
                for number, name in enumerate(names)
            ]
            for old, new in zip(names, renamed):
                layer.move(old, new)
            layer.attrs['weight_names'] = [name.encode() for name in renamed]
    with pytest.raises(UnreadableFileError, match="engine='theano' or engine='tensorflow'"):
        files.read(path)


def test_a_file_without_its_weights(tmp_path):
    """It is read, and no model is made of it. Another file may give the weights."""
    for path, word in without_weights(tmp_path):
        assert files.read(path).model is not None
        with pytest.raises(UnreadableFileError, match=f'{word}.*weights=') as raised:
            files.function(path)
        assert 'keras_backend.files.function(' in str(raised.value)
    inputs, outputs = recorded('keras231_python37_merges')
    found = files.function(path, weights=arguments('keras231_python37_merges')['path'])(*inputs)
    np.testing.assert_allclose(found[0], outputs[0], rtol=1e-5, atol=1e-5)
    shards = tmp_path / 'model.weights.json'
    shards.write_text('{"metadata": {"total_size": 8}, "weight_map": {"/layers/dense/vars": ["m_00000.weights.h5"]}}')
    with pytest.raises(UnreadableFileError, match='in several files'):
        files.read(str(shards))


def test_batches_and_names():
    name = 'keras231_python37_merges'
    inputs, outputs = recorded(name)
    model = files.function(**arguments(name))
    many = [np.concatenate([one] * 20) for one in inputs]
    found = model.predict(many, batch_size=7)
    for one, wanted in zip(found, outputs):
        np.testing.assert_allclose(one, np.concatenate([wanted] * 20), rtol=1e-5, atol=1e-5)
    assert len(model.input_names) == len(inputs)
    with pytest.raises(ArgumentTypeError, match='inputs'):
        model(inputs[0])


def test_a_function_of_the_user_takes_the_place_of_one_in_the_file():
    path = os.path.join(FOLDER, 'keras231_python37_lambdas.h5')
    zero = files.function(path, lambdas={'distance': lambda t: 0.0 * t[0][:, :1]})
    found = zero(np.ones((2, 4)), np.ones((2, 4)))
    np.testing.assert_array_equal(found, np.zeros((2, 1)))


def test_a_refused_function_says_what_takes_its_place():
    path = os.path.join(FOLDER, 'keras231_python37_attack.h5')
    with pytest.raises(RefusedCodeError, match=r'lambdas=\{') as raised:
        files.function(path)
    assert 'line' in str(raised.value)


def test_a_layer_of_the_program(tmp_path):
    """Its weights are those of the file, in their order."""
    config = {'name': 's', 'factor': 2.0, 'batch_input_shape': [None, 3]}
    path = str(tmp_path / 'own.h5')
    with h5py.File(path, 'w') as file:
        file.attrs['model_config'] = json.dumps(
            {'class_name': 'Sequential', 'config': [{'class_name': 'Scaled', 'config': config}]}
        )
        file.attrs['keras_version'] = '2.2.4'
        group = file.create_group('model_weights/s')
        file['model_weights'].attrs['layer_names'] = [b's']
        group.attrs['weight_names'] = [b's/scale:0', b's/shift:0']
        group['s/scale:0'], group['s/shift:0'] = np.arange(3, dtype='float32'), np.ones(3, 'float32')

    def scaled(K, layer, weights, inputs):
        return layer.config['factor'] * weights[0] * inputs + weights[1]

    found = files.function(path, layers={'Scaled': scaled})(np.ones((1, 3), 'float32'))
    np.testing.assert_array_equal(found, [[1.0, 3.0, 5.0]])
    with pytest.raises(UnknownLayerError, match="layers=\\{'Scaled': function\\}"):
        files.function(path)


def test_a_file_of_another_model(tmp_path):
    """Weights of another model are refused, whichever layer is the first that does not fit."""
    given = arguments('keras231_python37_merges')
    other = os.path.join(FOLDER, 'keras122_python27_theano_conv2d_weights.h5')
    with pytest.raises(WrongWeightsError, match='tower/left/dense'):
        files.function(given['path'], weights=other)
    target = tmp_path / 'no.h5'
    shutil.copy(os.path.join(FOLDER, 'index.json'), str(target))
    with pytest.raises(UnreadableFileError):
        files.read(str(target))
    with pytest.raises(OSError, match='absent'):
        files.read(str(tmp_path / 'absent.h5'))


@pytest.mark.parametrize('order', ['ab', 'ba'])
def test_weights_alone_go_by_the_order_of_the_layers(tmp_path, order):
    """As `load_weights` of Keras 2.3.1 and tf.keras 2.15 has it, also where the names are those of other layers."""
    layers = [{'class_name': 'Dense', 'config': {'name': one, 'units': 3, 'use_bias': False}} for one in 'ab']
    layers[0]['config']['batch_input_shape'] = [None, 3]
    (tmp_path / 'm.json').write_text(json.dumps({'class_name': 'Sequential', 'config': {'layers': layers}}))
    kernels = [np.diag([1.0, 2.0, 3.0]), np.roll(np.eye(3), 1, axis=1)]
    with h5py.File(str(tmp_path / 'w.h5'), 'w') as file:
        file.attrs['layer_names'] = np.array([name.encode() for name in order])
        for name, kernel in zip(order, kernels):
            group = file.create_group(name)
            group.attrs['weight_names'] = np.array([b'kernel:0'])
            group['kernel:0'] = kernel.astype('float32')
    read = files.function(str(tmp_path / 'm.json'), weights=str(tmp_path / 'w.h5'))
    assert read(np.array([[1.0, 2.0, 3.0]])).tolist() == [[9.0, 1.0, 4.0]]


def test_weights_of_an_archive_that_no_layer_takes(tmp_path):
    """An attention of Keras 3.15 with a gate has them."""
    source, target = os.path.join(FOLDER, 'tf215_python311_archive_sequential.keras'), str(tmp_path / 'a.keras')
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, 'w') as new:
        for name in old.namelist():
            content = io.BytesIO(old.read(name))
            if name == 'model.weights.h5':
                with h5py.File(content, 'r+') as file:
                    container = next(file[one] for one in ('layers', '_layer_checkpoint_dependencies') if one in file)
                    container['dense'].create_group('_gate/vars')['0'] = np.ones(2, 'float32')
            new.writestr(name, content.getvalue())
    assert files.read(source).model
    with pytest.raises(UnreadableFileError, match='dense.* has weights in .*_gate'):
        files.read(target)


# -- the grid ----------------------------------------------------------------------------------------------------------
# Each layer with each argument that changes its meaning, as the file of a version.

GRIDS = grid_of_files.grids()


def test_there_is_a_grid():
    assert 'keras 2.3.1' in GRIDS


@pytest.mark.parametrize('version', GRIDS)
def test_every_file_of_the_grid_predicts_what_its_version_did(version):
    """Or it is refused, with a reason. No number is another one."""
    K, count, refused, differing = load('numpy'), 0, [], []
    for case, content, expected in grid_of_files.cases(GRIDS[version]):
        reason, is_refused = grid_of_files.outcome(case, content, expected, K)
        count += 1
        if reason:
            (refused if is_refused else differing).append((case['name'], reason))
    assert [] == differing
    share = f'{100 * (count - len(refused)) / count:.1f} %'
    with open(os.path.join(ROOT, 'docs', 'old-models.md'), encoding='utf-8') as page:
        assert f'| {version} | {count} | {share} | {len(refused)} | 0 |' in page.read()
