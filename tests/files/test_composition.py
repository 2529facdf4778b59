"""Compositions of models of files: what is not a number of Keras, and errors."""

import numpy as np
import pytest
from recorded_layers import RECORDED, model_and_inputs

import keras_backend as K
from keras_backend.errors import (
    LayerConfigError,
    ShapeError,
    UnknownLayerError,
    UnsupportedByEngine,
    UnsupportedMaskError,
    WrongWeightsError,
)
from keras_backend.files.layers import composition
from keras_backend.files.layers.parameters import parameters, shared_out
from keras_backend.files.structure import Call, Layer, Model, Reference, Weight

# Of Keras 2.3.1: `supports_masking` is False, and a mask raises TypeError.
REFUSE_MASKS = (
    'AveragePooling1D Conv1D Conv2D Conv2DTranspose Conv3DTranspose Conv3D Cropping1D Cropping2D Cropping3D '
    'DepthwiseConv2D Flatten GlobalAveragePooling2D GlobalAveragePooling3D GlobalMaxPooling1D GlobalMaxPooling2D '
    'GlobalMaxPooling3D LocallyConnected1D LocallyConnected2D MaxPooling1D MaxPooling2D MaxPooling3D Permute Reshape '
    'SeparableConv1D SeparableConv2D UpSampling1D UpSampling2D UpSampling3D ZeroPadding1D ZeroPadding2D ZeroPadding3D'
).split()


def chain(*layers, shape=(3,), dtype='float32', calls=None):
    """A model of layers, one after the other."""
    layers = [Layer('x', 'InputLayer', {'batch_input_shape': [None, *shape], 'dtype': dtype}), *layers]
    for before, layer in zip(layers, layers[1:]):
        layer.calls.append(Call([Reference(before.name, 0, 0)], calls))
    ends = [[Reference(layer.name, 0, 0)] for layer in (layers[0], layers[-1])]
    return Model('chain', layers, *ends)


def dense(name='d', units=2, size=3, **config):
    layer = Layer(name, 'Dense', dict(config, units=units))
    layer.weights = [Weight('kernel', np.ones((size, units), 'float32')), Weight('bias', np.zeros(units, 'float32'))]
    return layer


def predicted(model, *arrays, **options):
    return composition.compose(model, K, **options).function()(list(arrays))[0]


@pytest.mark.parametrize('kind', REFUSE_MASKS)
def test_layers_that_refuse_masks_as_in_keras(kind):
    name = next(name for name in sorted(RECORDED) if name.startswith(kind + ' ') and RECORDED[name][0] == 'keras')
    model, _ = model_and_inputs(*RECORDED[name][:2])
    layer = model.layers[-1]
    masking = Layer('masking', 'Masking', {'mask_value': 0.0})
    masking.calls, layer.calls = layer.calls, [Call([Reference('masking', 0, 0)])]
    model.layers.append(masking)
    with pytest.raises(UnsupportedMaskError, match=f'Layer {layer.name} does not support masking'):
        composition.compose(model, K)
    assert len(composition.compose(model, K, library='tf.keras').outputs) == 1


@pytest.mark.parametrize(
    ('recorded', 'kind'), [('LSTM units=4 use_bias=', 'CuDNNLSTM'), ('GRU reset_after=True units=4 f', 'CuDNNGRU')]
)
def test_layers_of_cudnn(recorded, kind):
    """Keras 2.3.1 reads such weights into an LSTM as below, which a black-box run has shown."""
    name = 'LSTM return_state=True units=4 use_bias=False f ?5 3' if kind == 'CuDNNLSTM' else f'{recorded} 5 3'
    library, case, expected = RECORDED[name]
    model, arrays = model_and_inputs(library, case)
    layer = model.layers[1]
    gates = 4 if kind == 'CuDNNLSTM' else 3
    kernel, recurrent = [np.split(weight.array, gates, axis=1) for weight in layer.weights[:2]]
    bias = layer.weights[2].array.ravel() if gates == 3 else np.tile([0.5, -0.5], (16, 1)).T.ravel()
    stored = [
        np.concatenate([part.T.reshape(part.shape) for part in kernel], axis=1),
        np.concatenate([part.T for part in recurrent], axis=1),
        bias,
    ]
    layer.kind = kind
    layer.weights = [Weight(name, array) for name, array in zip(('kernel', 'recurrent_kernel', 'bias'), stored)]
    np.testing.assert_allclose(predicted(model, *arrays), expected[0], rtol=1e-5, atol=1e-5)
    layer.calls[0].arguments['mask'] = Reference(model.layers[0].name, 0, 0)
    with pytest.raises(LayerConfigError, match='Masking is not supported for CuDNN RNNs'):
        composition.compose(model, K)


def test_functions_of_lambda_layers():
    x = np.arange(6, dtype='float32').reshape(2, 3)
    functions = {
        'twice': lambda x, factor=1: x * factor,
        'masked': lambda x, mask=None: x if mask is None else x + K.expand_dims(K.cast(mask, 'float32')),
        'kept': lambda x, mask: mask,
    }

    def lambdas(layer):
        return functions[layer.config['function']]

    layer = Layer('l', 'Lambda', {'function': 'twice', 'arguments': {'factor': 3}})
    np.testing.assert_array_equal(predicted(chain(layer), x, lambdas=lambdas), 3 * x)
    steps = np.array([[[1.0], [0.0], [2.0]]], 'float32')
    layers = [
        Layer('m', 'Masking', {}),
        Layer('l', 'Lambda', {'function': 'masked', 'mask': 'kept'}),
        Layer('g', 'GlobalAveragePooling1D', {}),
    ]
    assert predicted(chain(*layers, shape=(3, 1)), steps, lambdas=lambdas).tolist() == [[2.5]]
    layers[1].config['mask'] = None
    for layer in layers:
        layer.calls = []
    np.testing.assert_allclose(predicted(chain(*layers, shape=(3, 1)), steps, lambdas=lambdas), [[5 / 3]], rtol=1e-6)
    with pytest.raises(LayerConfigError, match='lambdas='):
        composition.compose(chain(Layer('l', 'Lambda', {'function': 'twice'})), K)


def test_layers_and_activations_of_the_user():
    def scale(K, layer, weights, inputs):
        return inputs * weights[0] + layer.config['shift']

    layer = Layer('own', 'Scale', {'shift': 1.0})
    layer.weights = [Weight('own/factor:0', np.float32([2.0, 3.0, 4.0]))]
    x = np.ones((2, 3), 'float32')
    composed = composition.compose(chain(layer), K, layers={'Scale': scale})
    assert composed.function()([x])[0].tolist() == [[3.0, 4.0, 5.0]] * 2
    assert list(composed.weights['own']) == ['own/factor:0']
    assert predicted(chain(dense(activation='own')), x, layers={'own': lambda x: -x}).tolist() == [[-3.0, -3.0]] * 2
    with pytest.raises(UnknownLayerError, match=r"The layer own is a Scale.*layers={'Scale': function}"):
        composition.compose(chain(Layer('own', 'Scale', {})), K)
    with pytest.raises(UnknownLayerError, match=r"'own' of the layer d .*layers={'own': function}"):
        composition.compose(chain(dense(activation='own')), K)

    def masked(K, layer, weights, inputs, mask=None):
        return inputs * K.expand_dims(K.cast(mask, 'float32')) + 1.0

    masked.supports_masking = True
    layers = [Layer('m', 'Masking', {}), Layer('own', 'Own', {}), Layer('g', 'GlobalAveragePooling1D', {})]
    steps = np.array([[[1.0], [0.0], [2.0]]], 'float32')
    assert predicted(chain(*layers, shape=(3, 1)), steps, layers={'Own': masked}).tolist() == [[2.5]]


@pytest.mark.parametrize(
    'said',
    [
        {'class_name': 'function', 'config': 'relu', 'module': 'builtins', 'registered_name': 'relu'},
        {'class_name': 'ReLU', 'config': {}},
        {'class_name': 'Activation', 'config': {'activation': 'relu'}},
        'relu',
    ],
)
def test_forms_of_activations(said):
    x = np.float32([[-1.0, 0.5, 2.0]])
    model = chain(Layer('a', 'Activation', {'activation': said}))
    assert predicted(model, x).tolist() == [[0.0, 0.5, 2.0]]


def test_activations_of_keras_3():
    x = np.float32([[-4.0, -1.0, 0.5, 5.0]])
    hard = np.clip(x / 6 + 0.5, 0, 1)
    truths = {
        'hard_sigmoid_of_keras_3': hard, 'hard_silu': x * hard, 'leaky_relu': np.where(x > 0, x, 0.2 * x),
        'silu': x / (1 + np.exp(-x)), 'log_softmax': x - np.log(np.exp(x).sum()),
        'gelu_approximate': 0.5 * x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))),
    }  # fmt: skip
    for name, truth in truths.items():
        found = predicted(chain(Layer('a', 'Activation', {'activation': name}), shape=(4,)), x)
        np.testing.assert_allclose(found, truth, rtol=1e-5, atol=1e-5, err_msg=name)


def test_weights_that_do_not_fit():
    layer = dense(size=4)
    with pytest.raises(
        WrongWeightsError, match=r'd \(Dense\) needs the weights kernel \(3, 2\), bias \(2,\), .*\(4, 2\)'
    ):
        composition.compose(chain(layer), K)
    layer = dense()
    layer.weights = layer.weights[:1]
    with pytest.raises(WrongWeightsError, match=r'has weights of the shapes \(3, 2\)\.'):
        composition.compose(chain(layer), K)
    layer.weights = []
    with pytest.raises(WrongWeightsError, match='has weights of the shapes none'):
        composition.compose(chain(layer), K)
    both = Layer('b', 'Bidirectional', {}, [Layer('l', 'LSTM', {'units': 2}), Layer('l', 'LSTM', {'units': 2})])
    both.weights = [Weight('kernel', np.zeros((1, 8), 'float32'))] * 5
    with pytest.raises(
        WrongWeightsError, match=r'b \(Bidirectional\) needs the weights kernel, recurrent_kernel, bias, k'
    ):
        composition.compose(chain(both, shape=(2, 1)), K)


def test_models_that_cannot_be_composed():
    model = chain(dense())
    model.layers[0].config['sparse'] = True
    with pytest.raises(LayerConfigError, match=r'The input x is sparse.*inputs='):
        composition.compose(model, K)
    with pytest.raises(LayerConfigError, match='has 1 inputs and gets 2'):
        composition.compose(model, K, inputs=[K.placeholder((None, 3))] * 2)
    model.layers[0].config = {}
    with pytest.raises(LayerConfigError, match='The input x has no batch_input_shape'):
        composition.compose(model, K)
    model = chain(dense())
    model.layers[1].calls[0].inputs = [Reference('d', 0, 0)]
    with pytest.raises(LayerConfigError, match='The layer d needs its own output'):
        composition.compose(model, K)
    model.layers[1].calls[0].inputs = [Reference('e', 0, 0)]
    with pytest.raises(LayerConfigError, match='has no call 0 of a layer e'):
        composition.compose(model, K)
    dot = chain(Layer('r', 'Dot', {'axes': [1, 2]}), shape=(2, 3))
    dot.layers[1].calls[0].inputs *= 2
    with pytest.raises(ShapeError, match=r'K\.batch_dot.*This is in the layer r, a Dot\.'):
        composition.compose(dot, K)
    with pytest.raises(LayerConfigError, match=r'r \(Reshape\) gets 3 elements for each sample'):
        composition.compose(chain(Layer('r', 'Reshape', {'target_shape': [2, 2]})), K)
    cell = Layer('r', 'RNN', {}, [Layer('c', 'OwnCell', {})])
    with pytest.raises(UnknownLayerError, match='has a cell of the kind OwnCell'):
        composition.compose(chain(cell, shape=(3, 1)), K)


@pytest.mark.parametrize(
    ('kind', 'config', 'refused'),
    [
        ('Dropout', {'rate': 0.5}, True),
        ('Dropout', {'rate': 0.0}, False),
        ('GaussianNoise', {'stddev': 1.0}, True),
        ('BatchNormalization', {'center': False, 'scale': False, 'epsilon': 0.001}, True),
        ('Activation', {'activation': 'tanh'}, False),
        ('Model', {}, True),
    ],
)
def test_calls_in_training(kind, config, refused):
    """A program may call a layer with training=True. It draws then, also when it predicts."""

    def model(training):
        layer = Layer('t', kind, dict(config))
        if kind == 'BatchNormalization':
            layer.weights = [Weight('moving_mean', np.zeros(3)), Weight('moving_variance', np.ones(3))]
        if kind == 'Model':
            layer.model = chain(Layer('d', 'Dropout', {'rate': 0.5}))
        return chain(layer, calls=training)

    x = np.ones((2, 3), 'float32')
    for said in ({}, {'training': False}, {'training': 0}):
        predicted(model(said), x)
    for said in ({'training': True}, {'training': 1}):
        if refused:
            with pytest.raises(LayerConfigError, match=r'The layer t .* is called with training=True'):
                predicted(model(said), x)
        else:
            predicted(model(said), x)


def test_tensors_and_weights_of_a_composition():
    x = K.placeholder((None, 3))
    inner = Layer('inner', 'Model', {}, model=chain(dense('deep')))
    composed = composition.compose(chain(inner, dense('top', size=2)), K, inputs=[x * 2.0])
    assert {name: sorted(own) for name, own in composed.weights.items()} == {
        'inner/deep': ['bias', 'kernel'],
        'top': ['bias', 'kernel'],
    }
    function = K.function([x], composed.outputs)
    assert function([np.ones((1, 3))])[0].tolist() == [[12.0, 12.0]]
    K.set_value(composed.weights['top']['bias'], np.float32([1.0, -1.0]))
    assert function([np.ones((1, 3))])[0].tolist() == [[13.0, 11.0]]
    gradients = K.gradients(K.sum(composed.outputs[0]), [composed.weights['inner/deep']['kernel']])
    assert K.int_shape(gradients[0]) == (3, 2)


def test_a_model_of_many_layers():
    layers = [Layer(f'a{number}', 'Dropout', {}) for number in range(3000)]
    assert predicted(chain(*layers), np.ones((1, 3))).tolist() == [[1.0, 1.0, 1.0]]


def test_weights_are_shared_out():
    """Frozen layers come behind the others; a frozen model stays as it is."""
    norm = Layer('n', 'BatchNormalization', {})
    layers = [Layer('d', 'Dense', {'units': 2, 'trainable': False}), norm, Layer('e', 'Dense', {'units': 2})]
    outer = Layer('m', 'Model', {}, model=chain(*layers))
    found = parameters(outer)
    assert [(one.owner.name, one.name, one.trainable) for one in found] == [
        ('n', 'gamma', True), ('n', 'beta', True), ('e', 'kernel', True), ('e', 'bias', True), ('d', 'kernel', False),
        ('d', 'bias', False), ('n', 'moving_mean', False), ('n', 'moving_variance', False),
    ]  # fmt: skip
    shared = shared_out(outer, [Weight(str(number), number) for number in range(8)])
    of_norm = next(named for owner, named in shared if owner is norm)
    assert {name: weight.array for name, weight in of_norm.items()} == {
        'gamma': 0, 'beta': 1, 'moving_mean': 6, 'moving_variance': 7,
    }  # fmt: skip
    with pytest.raises(ValueError, match='8 weights were expected, and 7'):
        shared_out(outer, [Weight('w', 0)] * 7)


X = np.random.RandomState(0).randn(2, 3, 4).astype('float32')
Y = np.random.RandomState(1).rand(2, 3, 4).astype('float32') + 0.5
MASKS = {'begin_mask': {'i': '1'}, 'end_mask': {'i': '3'}, 'new_axis_mask': {'i': '0'}, 'shrink_axis_mask': {'i': '4'}}
NODES = [
    ('Mul', ['x'], {1: '2.0'}, {}, lambda x, y: x * 2),
    ('Sub', ['x'], {0: '2.0'}, {}, lambda x, y: 2 - x),
    ('AddV2', ['x', 'y'], {}, {}, lambda x, y: x + y),
    ('RealDiv', ['x', 'y'], {}, {}, lambda x, y: x / y),
    ('BiasAdd', ['x'], {1: '[1. 2. 3. 4.]'}, {}, lambda x, y: x + [1, 2, 3, 4]),
    ('Mean', ['x'], {1: '1'}, {'keep_dims': {'b': True}}, lambda x, y: x.mean(1, keepdims=True)),
    ('Sum', ['x'], {1: [1, 2]}, {}, lambda x, y: x.sum((1, 2))),
    ('Max', ['x'], {1: '[-1]'}, {}, lambda x, y: x.max(-1)),
    ('ConcatV2', ['x', 'y'], {2: '-1'}, {'N': {'i': '2'}}, lambda x, y: np.concatenate([x, y], -1)),
    ('Pack', ['x', 'y'], {}, {'axis': {'i': '1'}}, lambda x, y: np.stack([x, y], 1)),
    ('StridedSlice', ['x'], {1: '[0 1 2]', 2: '[0 0 3]', 3: '[1 1 1]'}, MASKS, lambda x, y: x[:, 1:, 2]),
    ('Reshape', ['x'], {1: '[-1 6 2]'}, {}, lambda x, y: x.reshape(-1, 6, 2)),
    ('Transpose', ['x'], {1: '[0 2 1]'}, {}, lambda x, y: x.transpose(0, 2, 1)),
    ('ExpandDims', ['x'], {1: '1'}, {}, lambda x, y: x[:, None]),
    ('Tile', ['x'], {1: '[1 2 1]'}, {}, lambda x, y: np.tile(x, (1, 2, 1))),
    ('BatchMatMulV2', ['x', 'y'], {}, {'adj_y': {'b': True}}, lambda x, y: x @ y.transpose(0, 2, 1)),
    ('Pow', ['y'], {1: '3.0'}, {}, lambda x, y: y**3),
    ('Rsqrt', ['y'], {}, {}, lambda x, y: y**-0.5),
    ('Neg', ['x'], {}, {}, lambda x, y: -x),
    ('SquaredDifference', ['x', 'y'], {}, {}, lambda x, y: (x - y) ** 2),
    ('ClipByValue', ['x'], {1: '-0.5', 2: '0.5'}, {}, lambda x, y: x.clip(-0.5, 0.5)),
    ('Relu6', ['x'], {}, {}, lambda x, y: x.clip(0, 6)),
    ('LeakyRelu', ['x'], {}, {'alpha': {'f': 0.5}}, lambda x, y: np.where(x > 0, x, x / 2)),
    ('Cast', ['y'], {}, {'DstT': {'type': 'DT_INT32'}}, lambda x, y: y.astype('int32')),
    ('ArgMax', ['x'], {1: '2'}, {}, lambda x, y: x.argmax(2)),
    ('AddN', ['x', 'y'], {}, {}, lambda x, y: x + y),
    ('Sigmoid', ['x'], {}, {}, lambda x, y: 1 / (1 + np.exp(-x))),
    ('Maximum', ['x', 'y'], {}, {}, np.maximum),
]  # fmt: skip


@pytest.mark.parametrize('place', range(len(NODES)))
def test_operations_of_tensorflow(place):
    """The forms of constants and attributes are those that tf.keras of TensorFlow 1.15 writes."""
    op, names, constants, attributes, truth = NODES[place]
    layers = [Layer(name, 'InputLayer', {'batch_input_shape': [None, 3, 4]}) for name in 'xy']
    node = {'name': 'n', 'op': op, 'attr': attributes}
    config = {'node_def': node, 'constants': {str(key): value for key, value in constants.items()}}
    layers.append(Layer('n', 'TensorFlowOpLayer', config))
    layers[-1].calls = [Call([Reference(name, 0, 0) for name in names])]
    model = Model('m', layers, [Reference(name, 0, 0) for name in 'xy'], [Reference('n', 0, 0)])
    try:
        found = predicted(model, X, Y)
    except UnsupportedByEngine as error:
        pytest.skip(str(error))
    np.testing.assert_allclose(found, truth(X, Y), rtol=1e-5, atol=1e-5)


def test_functions_of_tensorflow_without_a_meaning():
    layer = Layer('f', 'TFOpLambda', {'function': 'linalg.svd'})
    with pytest.raises(UnknownLayerError, match=r'The layer f is the function linalg\.svd of TensorFlow'):
        composition.compose(chain(layer), K)
    layer = Layer('f', 'TensorFlowOpLayer', {'node_def': '{"op": "Svd"}'})
    with pytest.raises(UnknownLayerError, match='The layer f is the function Svd'):
        composition.compose(chain(layer), K)


def test_ways_to_name_an_operator():
    x = np.float32([[1.0, 2.0, 4.0]])
    for name, truth in (('add', x + 2), ('sub', x - 2), ('mul', x * 2), ('truediv', x / 2), ('pow', x**2)):
        layer = Layer('f', 'TFOpLambda', {'function': f'__operators__.{name}'})
        np.testing.assert_allclose(predicted(chain(layer, calls={'y': 2.0, 'name': None}), x), truth, rtol=1e-6)
    slices = [{'start': None, 'stop': None, 'step': None}, {'start': 1, 'stop': None, 'step': None}]
    layer = Layer('f', 'SlicingOpLambda', {'function': '__operators__.getitem'})
    assert predicted(chain(layer, calls={'slice_spec': slices}), x).tolist() == [[2.0, 4.0]]


def test_order_of_calls():
    """What a call needs comes before it; otherwise they are in the order of the layers. A circle is left out."""
    needs = {'d': 'b', 'a': '', 'c': 'ab', 'b': 'a', 'e': 'f', 'f': 'e', 'g': 'e'}
    layers = [Layer(name, 'Add', {}) for name in needs]
    for layer in layers:
        layer.calls.append(Call([Reference(name, 0, 0) for name in needs[layer.name]]))
    layers[1].calls.append(Call([Reference('d', 0, 0)]))
    model = Model('m', layers, [], [])
    order = [(layer.name, number) for layer, number in model.calls()]
    assert order == [('a', 0), ('b', 0), ('d', 0), ('a', 1), ('c', 0)]
    assert model.layer('c') is layers[2]
    layers.append(Layer('c', 'Dense', {}))
    layers.append(Layer('h', 'Dense', {}))
    assert (model.layer('c'), model.layer('h')) == (layers[2], layers[-1])
    with pytest.raises(KeyError):
        model.layer('i')
