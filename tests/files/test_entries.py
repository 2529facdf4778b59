"""What a file says of a layer changes the numbers, or is refused: nothing that it says is passed over."""

import json
import tracemalloc

import numpy as np
import pytest

import keras_backend as K
from keras_backend import files
from keras_backend.errors import LayerConfigError
from keras_backend.files.layers.composition import compose
from keras_backend.files.structure import Call, Layer, Model, Reference, Weight

X = np.array([[-4.0, -1.0, 0.5, 7.0]], 'float32')
RELU = [[0.0, 0.0, 0.5, 7.0]]


def function_of(tmp_path, layers, version='2.3.1'):
    """The function of a model of layers (class, configuration, call), the first of which gets the input."""
    entry = {'name': 'i', 'batch_input_shape': [None, *X.shape[1:]], 'dtype': 'float32'}
    entries = [{'class_name': 'InputLayer', 'name': 'i', 'config': entry, 'inbound_nodes': []}]
    for number, (kind, config, node) in enumerate(layers):
        name = f'd{number}'
        entries.append({'class_name': kind, 'name': name, 'config': {'name': name, **config}, 'inbound_nodes': [node]})
    config = {'name': 'm', 'layers': entries, 'input_layers': [['i', 0, 0]], 'output_layers': [[name, 0, 0]]}
    path = tmp_path / 'model.json'
    path.write_text(json.dumps({'class_name': 'Model', 'config': config, 'keras_version': version}))
    return files.function(str(path))


def predicted(tmp_path, kind, config, version='2.3.1', arguments=None, inputs=1):
    """What a model of one layer predicts."""
    return function_of(tmp_path, [(kind, config, [['i', 0, 0, arguments or {}]] * inputs)], version)(X).tolist()


@pytest.mark.parametrize(
    ('version', 'config'), [('2.3.1', {'alpha': 0.0}), ('2.15.0', {'alpha': 0.0}), ('3.4.1', {'negative_slope': 0.0})]
)
def test_a_slope_of_zero_is_no_missing_slope(tmp_path, version, config):
    assert predicted(tmp_path, 'LeakyReLU', config, version) == RELU
    assert predicted(tmp_path, 'Activation', {'activation': {'class_name': 'LeakyReLU', 'config': config}}) == RELU


@pytest.mark.parametrize(
    'said',
    [
        'hard_sigmoid',
        {'module': 'builtins', 'class_name': 'function', 'config': 'hard_sigmoid', 'registered_name': 'function'},
        {'module': 'keras.layers', 'class_name': 'Activation', 'config': {'activation': 'hard_sigmoid'}},
    ],
    ids=['name', 'function', 'layer'],
)
@pytest.mark.parametrize(('version', 'slope'), [('2.3.1', 0.2), ('2.15.0', 0.2), ('3.4.1', 1 / 6)])
def test_hard_sigmoid_is_that_of_the_writer(tmp_path, said, version, slope):
    """However the file names it: Keras 3 has another formula than those before."""
    found = predicted(tmp_path, 'Activation', {'activation': said}, version)
    np.testing.assert_allclose(found, np.clip(slope * X + 0.5, 0, 1), atol=1e-6)


@pytest.mark.parametrize(
    ('kind', 'config'),
    [
        ('Activation', {'activation': 'relu', 'gain': 3.0}),
        ('ReLU', {'sliding_window': 1}),
        ('Flatten', {'use_gate': 1}),
    ],
)
def test_entries_that_nothing_reads(tmp_path, kind, config):
    with pytest.raises(LayerConfigError, match=f'd0.*{[*config][-1]}=.*layers='):
        predicted(tmp_path, kind, config)


def test_entries_in_a_layer_of_a_layer(tmp_path):
    inner = {'class_name': 'Activation', 'config': {'name': 'a', 'activation': 'relu', 'gain': 3.0}}
    with pytest.raises(LayerConfigError, match='The layer a .*gain=3.0'):
        predicted(tmp_path, 'TimeDistributed', {'layer': inner})


def test_entries_that_ask_for_nothing(tmp_path):
    said = {'activation': 'relu', 'gain': None, 'gate': False, 'window': [], 'more': {}, 'mode_of_it': ''}
    assert predicted(tmp_path, 'Activation', {**said, 'seed': 3, 'gamma_initializer': 'ones'}) == RELU


@pytest.mark.parametrize('kind', ['Dropout', 'ReLU', 'Softmax', 'Flatten'])
def test_calls_with_more_than_the_layer_takes(tmp_path, kind):
    """The second input was passed over: a mask by its position, as Keras 3 takes it."""
    with pytest.raises(LayerConfigError, match='d0.*2 inputs'):
        predicted(tmp_path, kind, {}, inputs=2)
    with pytest.raises(LayerConfigError, match='d0.*the argument scale'):
        predicted(tmp_path, kind, {}, arguments={'scale': 2})
    with pytest.raises(LayerConfigError, match='d0.*the argument query_mask'):
        predicted(tmp_path, kind, {}, arguments={'query_mask': ['i', 0, 0]})


def test_calls_that_say_what_holds_anyway(tmp_path):
    assert predicted(tmp_path, 'ReLU', {}, arguments={'mask': None, 'training': False}) == RELU
    assert predicted(tmp_path, 'Add', {}, inputs=3) == (3 * X).tolist()


def test_a_function_takes_the_place_of_a_layer_that_is_refused(tmp_path):
    said = {'layers': {'ReLU': lambda K, layer, weights, x: x * layer.config['gain']}}
    with pytest.raises(LayerConfigError):
        predicted(tmp_path, 'ReLU', {'gain': 2.0})
    assert files.function(str(tmp_path / 'model.json'), **said)(X).tolist() == (2 * X).tolist()


LARGE = 2**13
TABLES = {
    'causal': ('Attention', {'causal': True}, [1, LARGE, 1], 2),
    'resizing': ('Resizing', {'height': LARGE, 'width': 1}, [1, LARGE, 1, 1], 1),
    'groups': ('Conv1D', {'filters': 5000, 'kernel_size': 1, 'groups': 5000}, [1, 1, 5000], 1),
    'whole': (
        'LocallyConnected1D', {'filters': 1, 'kernel_size': 1, 'implementation': 2}, [1, LARGE, 1], 1
    ),
    'sparse': (
        'LocallyConnected1D', {'filters': 1, 'kernel_size': 1, 'implementation': 3}, [1, LARGE, 1], 1
    ),
}  # fmt: skip


@pytest.mark.parametrize('name', TABLES)
def test_a_model_that_is_looked_at_makes_no_table_that_a_few_numbers_ask_for(name, monkeypatch):
    """The table has a quarter of a gigabyte, of a file of some kilobytes."""
    kind, config, shape, inputs = TABLES[name]
    reference = Reference('i', 0, 0)
    layer = Layer('d', kind, {'use_bias': False, **config})
    layer.calls = [Call([reference] * inputs)]
    stored = np.ones((1, 1, 5000) if name == 'groups' else (LARGE,), 'float32')
    layer.weights = [] if name in ('causal', 'resizing') else [Weight('kernel', stored)]
    entry = Layer('i', 'InputLayer', {'batch_input_shape': shape})
    entry.calls = [Call([])]
    model = Model('m', [entry, layer], [reference], [Reference('d', 0, 0)])
    tracemalloc.start()
    try:
        if name == 'causal':
            compose(model, K, library='tf.keras')
        else:
            with pytest.raises(LayerConfigError, match='the most|a kernel of'):
                compose(model, K, library='tf.keras')
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize('number', [-1, -(2**31), 1, 2**31])
def test_calls_that_the_file_does_not_have(number):
    entry = Layer('i', 'InputLayer', {'batch_input_shape': [None, 3]})
    entry.calls = [Call([])]
    layer = Layer('d', 'ReLU', {})
    layer.calls = [Call([Reference('i', 0, 0)])]
    model = Model('m', [entry, layer], [Reference('i', 0, 0)], [Reference('d', number, 0)])
    with pytest.raises(LayerConfigError, match=f'no call {number} of a layer d'):
        compose(model, K)
