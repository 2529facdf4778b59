"""Configurations as programs write them: JSON in JSON, `get_config()`, and files of other libraries that look alike."""

import json
import os

import numpy as np
import pytest
from files_of_models import FOLDER, INDEX, recorded

from keras_backend import files
from keras_backend.errors import UnreadableFileError

NAMES = [name for name, entry in INDEX.items() if entry['form'] == 'json']


def config_of(name):
    """A recorded configuration, and the path of its weights."""
    configuration, weights = [os.path.join(FOLDER, part) for part in INDEX[name]['files']]
    with open(configuration) as file:
        return file.read(), weights


def agrees(path, weights, name):
    """The model predicts what is recorded."""
    inputs, outputs = recorded(name)
    engine = 'theano' if 'theano' in name else None
    predictions = files.function(str(path), weights=weights, engine=engine)(*inputs)
    for prediction, output in zip(predictions if isinstance(predictions, list) else [predictions], outputs):
        np.testing.assert_allclose(prediction, output, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize('name', NAMES)
def test_json_in_json(name, tmp_path):
    """As json.dump(model.to_json(), file) writes it."""
    text, weights = config_of(name)
    path = tmp_path / 'model.json'
    path.write_text(json.dumps(text))
    agrees(path, weights, name)


@pytest.mark.parametrize('name', NAMES)
def test_a_configuration_without_its_class(name, tmp_path):
    """As json.dump(model.get_config(), file) writes it."""
    text, weights = config_of(name)
    path = tmp_path / 'model.json'
    path.write_text(json.dumps(json.loads(text)['config']))
    agrees(path, weights, name)


def test_a_tag_of_yaml_that_is_no_list(tmp_path):
    """Nothing is imported or made, whatever the class is."""
    path = tmp_path / 'model.yaml'
    for tag in ('os.system', 'tensorflow.python.os.ListWrapper.system', 'tensorflow.ListWrapper'):
        path.write_text(f'class_name: Sequential\nconfig: !!python/object/apply:{tag}\n- [touch gone]\n')
        with pytest.raises(UnreadableFileError, match=f'the tag {tag}, which is not read'):
            files.read(str(path))


OTHERS = {
    'a model of TensorFlow.js.*tensorflowjs_converter': {'modelTopology': {}, 'weightsManifest': []},
    'a graph of TensorFlow.js': {'format': 'graph-model', 'modelTopology': {'node': []}},
    'Hugging Face': {'model_type': 'bert'},
    'configuration of training': {'optimizer_config': {}, 'loss': 'mse'},
    'history of training': {'loss': [1.0, 0.5]},
    'no class_name': {'a': 1},
    'no configuration is in it': 'text',
}


@pytest.mark.parametrize('words', OTHERS)
def test_json_of_others_is_named(words, tmp_path):
    path = tmp_path / 'model.json'
    path.write_text(json.dumps(OTHERS[words]))
    with pytest.raises(UnreadableFileError, match=words):
        files.read(str(path))
