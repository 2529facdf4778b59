"""Layers of files by K: the numbers are those that Keras 2.3.1 and tf.keras predict (`record_layers.py`)."""

import numpy as np
import pytest
from recorded_layers import RECORDED, model_and_inputs

import keras_backend as K
from keras_backend.errors import UnsupportedByEngine
from keras_backend.files.layers import composition
from keras_backend.files.layers.parameters import parameters
from keras_backend.files.layers.table import LAYERS


def _shares():
    """One case of each kind, and the others as slow ones where an engine compiles each: 160 seconds on TensorFlow."""
    found, seen = [], set()
    for name in sorted(RECORDED):
        kind = name.split()[0]
        slow = kind in seen and K.backend() not in ('numpy', 'torch')
        found.append(pytest.param(name, marks=[pytest.mark.slow] if slow else []))
        seen.add(kind)
    return found


@pytest.mark.parametrize('name', _shares())
def test_layers_of_files_predict_what_keras_predicts(name):
    K.clear_session()
    library, case, expected = RECORDED[name]
    model, arrays = model_and_inputs(library, case)
    try:
        composed = composition.compose(model, K, library=library)
        function = composed.function()
        for _ in range(case['times']):
            found = function(arrays)
    except UnsupportedByEngine as error:
        pytest.skip(str(error))
    assert len(found) == len(expected)
    for one, truth in zip(found, expected):
        np.testing.assert_allclose(one, truth, rtol=1e-5, atol=1e-5)
    if case['times'] > 1:
        composed.reset_states()
        again = [function(arrays) for _ in range(case['times'])][-1]
        np.testing.assert_allclose(again[0], expected[0], rtol=1e-5, atol=1e-5)


def test_every_kind_of_layer_has_a_case():
    """Those that are left are in test_composition."""
    found = set()

    def enter(layers):
        for layer in layers:
            found.add(layer.kind)
            enter(layer.model.layers if layer.model else layer.inner)

    for library, case, _ in RECORDED.values():
        enter(model_and_inputs(library, case)[0].layers)
    operations = {kind for kind in LAYERS if kind.startswith('ops.')}  # test_operations_of_keras3
    in_files = {'ParametricSoftplus', 'SReLU'}  # of test_models
    assert set(LAYERS) - found == {'CuDNNGRU', 'CuDNNLSTM', 'Lambda', 'TensorFlowOpLayer'} | in_files | operations


@pytest.mark.parametrize('name', sorted(RECORDED))
def test_parameters_of_files_are_named_as_keras_names_them(name):
    """Keras 2.3.1 gives the names of the second cell of an RNN a number: kernel_1."""
    model, _ = model_and_inputs(*RECORDED[name][:2])
    for layer in model.layers:
        found = [one.name for one in parameters(layer)]
        said = ['/'.join(weight.name.split(':')[0].split('/')[1:]) for weight in layer.weights]
        for own, theirs in zip(found, said):
            assert theirs.split('/')[-1].split('_1')[0].startswith(own.split('/')[-1]) or theirs.startswith(own), name
        assert len(found) == len(said)
