"""Layers of files as models of Keras 3: the numbers are those that Keras 2.3.1 and tf.keras predict."""

import json
import re
import warnings

import keras
import numpy as np
import pytest
from recorded_layers import RECORDED, model_and_inputs

import keras_backend.files.keras3
from keras_backend import files
from keras_backend.errors import KerasBackendError, UnknownLayerError
from keras_backend.files.keras3 import choice
from keras_backend.files.layers.parameters import KEPT, TRAINED
from keras_backend.files.layers.table import LAYERS, OTHERS
from keras_backend.files.reading.read import give_weights
from keras_backend.files.structure import File

# They are in an RNN, which the table of layers has.
CELLS = {'SimpleRNNCell', 'GRUCell', 'LSTMCell', 'ConvLSTM2DCell'}


def test_a_layer_that_one_way_knows_is_known_to_all():
    assert set(choice.TABLE) - set(LAYERS) <= CELLS
    assert (set(TRAINED) | set(KEPT)) - set(LAYERS) <= CELLS


# Kinds that Keras 3.15 computes in another way, or has not. The others are slow tests.
SOON = (
    'CategoryEncoding Discretization EinsumDense GroupNormalization Identity Normalization RandomCrop SeparableConv1D '
    'TimeDistributed'
).split()


def _shares():
    """The cases of these kinds, and the others as slow ones."""
    names = sorted(RECORDED)
    return [pytest.param(name, marks=[] if name.split()[0] in SOON else [pytest.mark.slow]) for name in names]


@pytest.mark.parametrize('name', _shares())
def test_layers_of_files_in_keras3_predict_what_the_original_predicts(name):
    """Or the model is refused with an error of this package."""
    library, case, expected = RECORDED[name]
    file = File(name, 'h5', library, '', 'tensorflow')
    file.model, arrays = model_and_inputs(library, case)
    file.weights = {layer.name: layer.weights for layer in file.model.layers}
    give_weights(file)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            model = keras_backend.files.keras3.load(file)
        except KerasBackendError as error:
            pytest.skip(str(error))
    if case['times'] > 1 or any([np.ndim(truth) == 0 for truth in expected]):
        # Of a stateful model the second prediction is recorded; test_models_of_files has them. `predict` of Keras 3
        # makes a row of a number.
        return
    outputs = model.predict(arrays if len(arrays) > 1 else arrays[0], batch_size=len(arrays[0]), verbose=0)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    assert len(outputs) == len(expected)
    for output, truth in zip(outputs, expected):
        np.testing.assert_allclose(output, truth, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize('kind', OTHERS)
def test_layers_of_keras_that_are_not_read(kind, tmp_path):
    """The error says that Keras has the class, and its line opens the file."""
    made = {
        'AutoContrast': lambda: keras.layers.AutoContrast(),
        'Pipeline': lambda: keras.layers.Pipeline([keras.layers.Rescaling(2.0)]),
    }
    path = str(tmp_path / 'model.keras')
    layer = made[kind]() if kind in made else keras.layers.Dense(2)
    model = keras.Sequential([keras.Input((4, 4, 3)), layer])
    model.save(path)
    if kind not in made:
        configuration = model.get_config()
        configuration['layers'][1]['class_name'] = kind
        path = str(tmp_path / 'model.json')
        with open(path, 'w', encoding='utf-8') as stream:
            json.dump({'class_name': 'Sequential', 'module': 'keras', 'config': configuration}, stream)
    with pytest.raises(UnknownLayerError) as raised:
        files.load(path)
    (line,) = re.findall(
        r"a layer of Keras that .* Give the class: custom_objects=\{'\w+': keras\.layers\.(\w+)\}\.", str(raised.value)
    )
    assert kind == line
    if kind in made:
        images = np.ones((1, 4, 4, 3), 'float32')
        opened = files.load(path, custom_objects={kind: getattr(keras.layers, line)})
        np.testing.assert_array_equal(opened.predict(images, verbose=0), model.predict(images, verbose=0))
