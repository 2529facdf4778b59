"""Layers of files as models of Keras 3: the numbers are those that Keras 2.3.1 and tf.keras predict."""

import json
import pathlib
import re
import warnings

import keras
import numpy as np
import pytest
from processes import run
from recorded_layers import RECORDED, model_and_inputs

import keras_backend.files.keras3
from keras_backend import files
from keras_backend.errors import KerasBackendError, UnknownLayerError
from keras_backend.files.keras3 import choice, functions
from keras_backend.files.keras3.own_layers import k_inside_keras
from keras_backend.files.layers.parameters import KEPT, TRAINED
from keras_backend.files.layers.table import LAYERS, OTHERS
from keras_backend.files.reading.read import give_weights
from keras_backend.files.structure import File, Layer
from keras_backend.loader import load as engine

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


# -- functions of Lambda layers ----------------------------------------------------------------------------------------
# Each K function in a Lambda, which Keras 3 alone opens, or needs us.

A, STEPS, IMAGE, CUBE = (None, 4), (None, 5, 4), (None, 6, 6, 3), (None, 4, 4, 4, 1)
KERNEL = np.linspace(-1, 1, 24).reshape(2, 2, 3, 2)
ALONE = {
    'max': (lambda K, x: K.max(x, axis=1), STEPS),
    'min': (lambda K, x: K.min(x, axis=-1, keepdims=True), STEPS),
    'softmax': (lambda K, x: K.softmax(x), STEPS),
    'sigmoid': (lambda K, x: K.sigmoid(x), A),
    'logsumexp': (lambda K, x: K.logsumexp(x, axis=1), STEPS),
    'batch_dot': (lambda K, x: K.batch_dot(x, K.sum(x, axis=1), axes=(2, 1)), STEPS),
    'reshape': (lambda K, x: K.reshape(x, (K.shape(x)[0], 2, 10)), STEPS),
    'flatten': (lambda K, x: K.flatten(x), STEPS),
    'batch_flatten': (lambda K, x: K.batch_flatten(x), IMAGE),
    'tile': (lambda K, x: K.tile(x, [1, 3]), A),
    'slice': (lambda K, x: K.slice(x, [0, 1], [-1, 2]), A),
    'items': (lambda K, x: K.square(x)[:, None, ::2, 1], STEPS),
    'identity': (lambda K, x: K.identity(x) * 2, A),
    'pool2d': (lambda K, x: K.pool2d(x, (2, 2), (2, 2), 'same'), IMAGE),
    'pool2d_avg': (lambda K, x: K.pool2d(x, (2, 3), (1, 2), pool_mode='avg'), IMAGE),
    'pool3d': (lambda K, x: K.pool3d(x, (2, 2, 2)), CUBE),
    'conv1d': (lambda K, x: K.conv1d(x, K.constant(KERNEL[0, 0][:2, None] * np.ones((2, 4, 1)))), STEPS),
    'conv2d': (lambda K, x: K.conv2d(x, K.constant(KERNEL), (2, 2), 'same'), IMAGE),
    'depthwise_conv2d': (lambda K, x: K.depthwise_conv2d(x, K.constant(KERNEL), padding='same'), IMAGE),
}
WITH_US = {
    'random_normal': (lambda K, x: x + K.random_normal(K.shape(x)), A),
    'dropout': (lambda K, x: K.dropout(x, 0.5), A),
    'in_train_phase': (lambda K, x: K.in_train_phase(x, 2 * x), A),
    'map_fn': (lambda K, x: K.map_fn(lambda row: 2 * row, x), A),
    'print_tensor': (lambda K, x: K.print_tensor(x), A),
    'averages over a border': (lambda K, x: K.pool2d(x, (2, 2), (1, 1), 'same', pool_mode='avg'), IMAGE),
    'a conv1d that is causal': (lambda K, x: K.conv1d(x, K.constant(np.ones((2, 4, 1))), padding='causal'), STEPS),
    'backwards': (lambda K, x: K.square(x)[:, ::-1], STEPS),
    'sizes of a run': (lambda K, x: K.tile(x, [K.shape(x)[0], 1]), A),
}


def _as_operations(case):
    function, shape = case
    x = keras.Input(batch_shape=shape)
    K = k_inside_keras()
    return functions.as_operations(Layer('l', 'Lambda', {}), lambda t: function(K, t), [x], 'l')


OPENED_ALONE = """
import sys, keras, numpy as np
for path in {paths}:
    with np.load(path + '.npz') as arrays:
        found = keras.saving.load_model(path + '.keras')(arrays['x'])
        np.testing.assert_allclose(keras.ops.convert_to_numpy(found), arrays['y'], atol=1e-5, err_msg=path)
assert not [name for name in sys.modules if name.startswith('keras_backend')]
"""


def test_keras_alone_opens_functions_of_k(tmp_path):
    """Another process opens the saved models, and their numbers are those of K on NumPy."""
    paths = []
    for name, (function, shape) in ALONE.items():
        model = _as_operations((function, shape))
        assert model is not None, name
        assert keras_backend.files.keras3.needs_import(model) == []
        x = np.random.RandomState(0).normal(size=[3, *shape[1:]]).astype('float32')
        K = engine('numpy')
        t = K.placeholder(shape)
        wanted = K.function([t], [function(K, t)])([x])[0]
        np.testing.assert_allclose(keras.ops.convert_to_numpy(model(x)), wanted, atol=1e-5, err_msg=name)
        paths.append(str(tmp_path / name))
        model.save(paths[-1] + '.keras')
        np.savez(paths[-1], x=x, y=wanted)
    run(OPENED_ALONE.format(paths=paths), backend=keras.backend.backend(), home=tmp_path)


@pytest.mark.parametrize('name', WITH_US)
def test_functions_of_k_that_keras_alone_does_not_say(name):
    """They stay functions of K."""
    assert _as_operations(WITH_US[name]) is None


def test_the_table_has_each_function_of_k():
    """docs/old-models.md names those that need us, and those that do not."""
    page = pathlib.Path(__file__).parents[3].joinpath('docs', 'old-models.md').read_text(encoding='utf-8')
    for name in [*ALONE, *WITH_US]:
        word = f'`{name.partition("_avg")[0]}`'
        assert word in page or not name.isidentifier() or name in ('items', 'backwards'), name
