"""Models of files as models of Keras 3: what they predict, what is saved of them, layers of the user, training."""

import os
import re
import runpy
import warnings

import keras
import numpy as np
import pytest
from files_of_models import FOLDER, INDEX, LAMBDAS, arguments, of_models, recorded, recorded_again, without_weights
from keras3_backends import launch
from processes import fail, run

import keras_backend.files.keras3
from keras_backend.__main__ import main
from keras_backend.errors import KerasBackendError, RefusedCodeError, UnreadableFileError, WrongWeightsError
from keras_backend.files import read
from keras_backend.files.structure import Call, File, Layer, Model, Reference, Weight

BACKEND = keras.backend.backend()
load = keras_backend.files.keras3.load
NAMES = of_models() + LAMBDAS


def predictions(model, inputs):
    """The predictions of one batch, as a list."""
    found = model.predict(inputs if len(inputs) > 1 else inputs[0], batch_size=len(inputs[0]), verbose=0)
    return [np.asarray(one) for one in (found if isinstance(found, (list, tuple)) else [found])]


def agree(found, wanted):
    """The arrays are the same up to 1e-5."""
    assert [one.shape for one in found] == [one.shape for one in wanted]
    for one, other in zip(found, wanted):
        np.testing.assert_allclose(one, other, atol=1e-5, rtol=1e-5)


@pytest.fixture(scope='module')
def saved(tmp_path_factory):
    """A folder for models, which another process opens."""
    return tmp_path_factory.mktemp('saved')


@pytest.mark.parametrize('name', NAMES)
def test_predictions_of_the_original(name, saved):
    inputs, wanted = recorded(name)
    again = recorded_again(name)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        model = load(**arguments(name))
    agree(predictions(model, inputs), wanted)
    # On JAX, Keras 3 begins each `predict` with the states of the model before it, unless the launcher runs.
    if again and BACKEND != 'jax':
        agree(predictions(model, inputs), again)
    if not again:
        model.save(str(saved / f'{name}.keras'))
        parts = keras_backend.files.keras3.needs_import(model)
        arrays = {f'x{i}': one for i, one in enumerate(inputs)}
        np.savez(str(saved / name), ours=np.array(bool(parts)), **arrays, **{f'y{i}': y for i, y in enumerate(wanted)})


OPENING = """
import sys, glob, keras, numpy as np
folder, part = sys.argv[1], int(sys.argv[2])
def check(ours):
    for path in sorted(glob.glob(folder + '/*.npz'))[part::4]:
        with np.load(path) as file:
            arrays = dict(file)
        if bool(arrays['ours']) == ours:
            model = keras.saving.load_model(path[:-4] + '.keras', compile=False, safe_mode=True)
            given, wanted = [[arrays[k + str(i)] for i in range(99) if k + str(i) in arrays] for k in 'xy']
            found = model(given if len(given) > 1 else given[0])
            for one, other in zip(found if isinstance(found, (list, tuple)) else [found], wanted):
                np.testing.assert_allclose(keras.ops.convert_to_numpy(one), other, atol=2e-5, rtol=2e-5, err_msg=path)
            print('opened', path)
check(False)
assert not [name for name in sys.modules if name.startswith('keras_backend')]
import keras_backend.files.keras3
check(True)
"""


@pytest.mark.parametrize('part', range(4))
def test_another_process_opens_what_is_saved(part, saved, tmp_path):
    """With safe_mode=True, and without anything of this package where all layers are those of Keras 3."""
    if not list(saved.glob('*.npz')):
        for name in LAMBDAS[:1]:
            test_predictions_of_the_original(name, saved)
    program = tmp_path / 'program.py'
    program.write_text(OPENING)
    given = f'sys.argv = ["p", {str(saved)!r}, "{part}"]'
    code = f'import sys, runpy; {given}; runpy.run_path({str(program)!r}, run_name="__main__")'
    out = run(code, backend=BACKEND, home=tmp_path)
    assert out.count('opened') == len(sorted(saved.glob('*.npz'))[part::4])


@pytest.mark.skipif(BACKEND != 'tensorflow', reason='the engine of TensorFlow turns eager mode off')
def test_eager_mode_is_needed(tmp_path):
    path = os.path.join(FOLDER, f'{LAMBDAS[-1]}.h5')
    code = f'from keras_backend import files; files.load({path!r})'
    assert 'Type `import keras_backend.files`' in fail(code, backend='tensorflow', home=tmp_path)
    run(f'import keras_backend.files; keras_backend.files.load({path!r})', backend='tensorflow', home=tmp_path)


def net(layers):
    """A file of Keras 2.3.1 whose layers follow each other: (kind, configuration, weights)."""
    file = File('net.h5', 'h5', 'keras', '2.3.1', 'tensorflow')
    made = []
    for number, (kind, config, weights) in enumerate(layers):
        layer = Layer(config.get('name', f'layer_{number}'), kind, config)
        layer.weights = [Weight(f'w{place}', np.asarray(array, 'float32')) for place, array in enumerate(weights)]
        layer.calls = [Call([Reference(made[-1].name, 0, 0)] if made else [])]
        made.append(layer)
    file.model = Model('net', made, [Reference(made[0].name, 0, 0)], [Reference(made[-1].name, 0, 0)])
    file.weights = {layer.name: layer.weights for layer in made}
    return file


GIVEN = ('InputLayer', {'batch_input_shape': [None, 3]}, [])
X = np.cos(np.arange(12, dtype='float32')).reshape(4, 3)


class Scaled(keras.layers.Layer):
    """A layer of a program, by its configuration of Keras 2."""

    def __init__(self, factor, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor

    def build(self, shape):
        self.scale = self.add_weight(name='scale', shape=(shape[-1],))

    def call(self, x):
        return x * self.scale * self.factor


def test_layers_of_the_user():
    said = {'name': 'own/scaled', 'factor': 2.0, 'batch_input_shape': [None, 3], 'trainable': True, 'dtype': 'float32'}
    file = net([GIVEN, ('Scaled', said, [[1, 2, 3]])])
    model = load(file, custom_objects={'Scaled': Scaled})
    assert isinstance(model.get_layer('own_scaled'), Scaled)
    np.testing.assert_allclose(model.predict(X, verbose=0), X * [2, 4, 6], rtol=1e-6)
    with pytest.raises(KerasBackendError, match=r"own/scaled.*Scaled.*custom_objects=\{'Scaled': Scaled\}"):
        load(file)


def test_activations_of_the_user():
    file = net([GIVEN, ('Activation', {'activation': 'cubed'}, [])])
    model = load(file, custom_objects={'cubed': lambda x: x * x * x})
    np.testing.assert_allclose(model.predict(X, verbose=0), X**3, rtol=1e-5)
    with pytest.raises(KerasBackendError, match=r"'cubed' of the layer layer_1 .*custom_objects=\{'cubed': function\}"):
        load(file)


def test_functions_of_the_user_take_the_place_of_those_in_the_file():
    name = LAMBDAS[-1]
    inputs, _ = recorded(name)
    model = load(**arguments(name), lambdas={'distance': lambda t: 3.0 * t[0][:, :1]})
    first = keras.Model(model.inputs, model.get_layer('distance').input[0])
    agree(predictions(model, inputs), [3 * predictions(first, inputs)[0][:, :1]])
    attack = os.path.join(FOLDER, 'keras231_python37_attack.h5')
    if os.path.exists(attack):
        with pytest.raises(RefusedCodeError, match='lambdas='):
            load(attack)


@pytest.mark.parametrize('more', [{}, {'keras_1': True}])
def test_calls_that_say_training(more):
    """`predict` of Keras 3 does not train, whatever a call says, so what does is refused."""
    file = net([GIVEN, ('GaussianNoise', {'stddev': 1.0, **more}, [])])
    file.model.layers[1].calls[0].arguments = {'training': True}
    with pytest.raises(KerasBackendError, match='called with training=True'):
        load(file)
    file.model.layers[1].calls[0].arguments = {'training': False}
    with pytest.warns(UserWarning, match=r'layer_1 .* with training=False, and Keras 3 trains it nevertheless'):
        np.testing.assert_array_equal(load(file).predict(X, verbose=0), X)


def test_regularizers_of_layers_of_the_file():
    """The loss of what is computed with K has them, too."""
    config = {'units': 2, 'keras_1': True, 'kernel_regularizer': {'class_name': 'L2', 'config': {'l2': 0.5}}}
    config['bias_constraint'] = {'class_name': 'NonNeg', 'config': {}}
    model = load(net([GIVEN, ('Dense', config, [np.ones((3, 2)), -np.ones(2)])]))
    assert type(model.layers[1]).__name__ == 'LayerOfFile'
    model.compile('sgd', 'mse')
    loss = model.train_on_batch(X, model.predict(X, verbose=0))
    np.testing.assert_allclose(float(np.ravel(loss)[0]), 0.5 * 6, rtol=1e-5)
    assert (model.get_weights()[1] >= 0).all()


def test_masks_of_merges():
    """Keras 2 keeps a step that all inputs keep. Keras 3 keeps one that any input keeps."""
    file = net([('InputLayer', {'batch_input_shape': [None, 3, 2], 'name': 'x'}, []), ('Masking', {'name': 'm'}, [])])
    model = file.model
    for name, value in (('n', 5.0), ('sum', None), ('rnn', None)):
        kind = {'n': 'Masking', 'sum': 'Add', 'rnn': 'SimpleRNN'}[name]
        config = {'name': name, 'mask_value': value} if value else {'name': name}
        if name == 'rnn':
            config.update(units=2, activation='linear', use_bias=False)
        layer = Layer(name, kind, config)
        before = {'n': ['x'], 'sum': ['m', 'n'], 'rnn': ['sum']}[name]
        layer.calls = [Call([Reference(one, 0, 0) for one in before])]
        model.layers.append(layer)
    model.layer('rnn').weights = [Weight('k', np.eye(2, dtype='float32')), Weight('r', np.eye(2, dtype='float32'))]
    model.outputs = [Reference('rnn', 0, 0)]
    x = np.array([[[1, 2], [0, 0], [5, 5]], [[3, 4], [5, 5], [1, 1]]], 'float32')
    # A sum of the steps that neither of the two masks takes out; the second mask makes zeros of fives.
    np.testing.assert_allclose(load(file).predict(x, verbose=0), [[2, 4], [8, 10]], rtol=1e-6)


@keras.saving.register_keras_serializable('tests')
class Steps(keras.layers.Layer):
    """Which steps the mask keeps. Its own layer supports no masks, so Keras 3 takes them from its inputs."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.inner = keras.layers.EinsumDense('bsc,cd->bsd', (None, 1), kernel_initializer='zeros')

    def call(self, x, beside=None, mask=None):
        return keras.ops.cast(mask, 'float32') + self.inner(x)[..., 0] + 0.0 * keras.ops.sum(beside)


def test_masks_of_a_layer_of_the_user():
    """A class of the program gets the mask beside a second tensor, and those that are called after it get theirs."""
    kernel = [np.eye(2), np.eye(2)]
    rnn = {'name': 'rnn', 'units': 2, 'activation': 'linear', 'use_bias': False}
    file = net([('InputLayer', {'batch_input_shape': [None, 3, 2], 'name': 'x'}, []), ('Masking', {'name': 'm'}, []),
                ('Steps', {'name': 'steps'}, [np.zeros((2, 1))]), ('SimpleRNN', rnn, kernel)])  # fmt: skip
    steps, last = file.model.layers[2:]
    steps.calls[0].arguments['beside'] = Reference('x', 0, 0)
    last.calls = [Call([Reference('m', 0, 0)])]
    file.model.outputs = [Reference('steps', 0, 0), Reference('rnn', 0, 0)]
    x = np.array([[[1, 2], [0, 0], [5, 5]], [[3, 4], [5, 5], [0, 0]]], 'float32')
    kept, total = load(file, custom_objects={'Steps': Steps}).predict(x, verbose=0)
    np.testing.assert_array_equal(kept, [[1, 0, 1], [1, 1, 0]])
    np.testing.assert_allclose(total, x.sum(1), rtol=1e-6)


def test_gates_of_keras_2():
    """An LSTM whose configuration is of Keras 2.0: hard_sigmoid is 0.2 x + 0.5."""
    units = {'units': 1, 'activation': 'linear', 'recurrent_activation': 'hard_sigmoid'}
    kernels = [np.ones((3, 4)), np.zeros((1, 4)), np.zeros(4)]
    file = net([('InputLayer', {'batch_input_shape': [None, 1, 3]}, []), ('LSTM', units, kernels)])
    model = load(file)
    total = X.sum(1, keepdims=True)
    gate = np.clip(0.2 * total + 0.5, 0, 1)
    np.testing.assert_allclose(model.predict(X[:, None], verbose=0), gate * gate * total, rtol=1e-5, atol=1e-6)
    assert isinstance(model.layers[1], keras.layers.LSTM)
    assert keras_backend.files.keras3.needs_import(model) == ['hard_sigmoid_of_keras_2']


def test_training_goes_on():
    kernel = {'class_name': 'L1L2', 'config': {'l1': 0.0, 'l2': 0.01}}
    dense = {'units': 2, 'kernel_regularizer': kernel, 'kernel_constraint': {'class_name': 'NonNeg', 'config': {}}}
    start = {'class_name': 'VarianceScaling', 'config': {'scale': 1.0, 'mode': 'fan_avg', 'distribution': 'uniform'}}
    dense['kernel_initializer'] = start
    file = net([GIVEN, ('Dense', dense, [np.ones((3, 2)), np.zeros(2)]), ('ThresholdedReLU', {'theta': 0.1}, [])])
    optimizer = {'lr': 0.01, 'decay': 0.5, 'momentum': 0.0, 'nesterov': False}
    file.training = {
        'optimizer_config': {'class_name': 'SGD', 'config': optimizer}, 'loss': 'mean_squared_error',
        'metrics': ['mae'], 'sample_weight_mode': None, 'loss_weights': None,
    }  # fmt: skip
    model = load(file)
    assert model.compiled
    layer = model.layers[1]
    assert isinstance(layer.kernel_initializer, keras.initializers.VarianceScaling)
    assert isinstance(layer.kernel_constraint, keras.constraints.NonNeg)
    history = model.fit(X, np.zeros((4, 2)), epochs=2, batch_size=4, verbose=0).history
    y = X.sum(1, keepdims=True) * np.ones((1, 2))
    y = y * (y > 0.1)
    np.testing.assert_allclose(history['loss'][0], np.mean(y**2) + 0.06, rtol=1e-5)
    assert history['loss'][1] < history['loss'][0]
    assert not load(file, compile=False).compiled


def test_training_that_keras_3_does_not_know():
    file = net([GIVEN, ('Dense', {'units': 1}, [np.ones((3, 1)), np.zeros(1)])])
    for optimizer, loss in (('TFOptimizer', 'mse'), ('SGD', 'loss_of_the_program')):
        file.training = {'optimizer_config': {'class_name': optimizer, 'config': {}}, 'loss': loss, 'metrics': []}
        with pytest.warns(UserWarning, match=f'not compiled.*{optimizer if loss == "mse" else loss}'):
            assert not load(file).compiled


def test_weighted_metrics_of_a_file():
    """Keras 2.3.1 and tf.keras write them beside the others, and `evaluate` gives both."""
    file = net([GIVEN, ('Dense', {'units': 1}, [np.ones((3, 1)), np.zeros(1)])])
    optimizer = {'class_name': 'SGD', 'config': {'lr': 0.1}}
    file.training = {'optimizer_config': optimizer, 'loss': 'mse', 'metrics': ['mae'], 'weighted_metrics': ['mse']}
    found = load(file).evaluate(
        np.ones((2, 3)), np.zeros((2, 1)), sample_weight=np.array([1.0, 3.0]), verbose=0, return_dict=True
    )
    assert (found['mae'], found['mse']) == (3.0, 9.0)


def test_what_is_lost_in_training_is_said():
    """A layer that is computed with K predicts in training, too: its dropout is gone."""
    entry = {'filters': 2, 'kernel_size': 1, 'dropout': 0.5}
    layer = ('LocallyConnected1D', entry, [np.ones((3, 1, 2)), np.zeros((3, 2))])
    file = net([GIVEN, ('Reshape', {'target_shape': [3, 1]}, []), layer])
    with pytest.warns(UserWarning, match='LocallyConnected1D.* drops values .*custom_objects='):
        load(file)


def test_a_file_is_saved_whole_or_not_at_all(tmp_path, capsys, monkeypatch):
    """The command leaves a file of the user as it was where anything goes wrong, and says what it did not compare."""
    source, target, own = tmp_path / 'old.keras', tmp_path / 'new.keras', tmp_path / 'own.py'
    own.write_text("""import keras

class Twice(keras.layers.Layer):
    def call(self, x):
        return 2 * x
""")
    twice = runpy.run_path(str(own))['Twice']
    x = keras.layers.Input((3, 2))
    keras.Model(x, twice()(keras.layers.EinsumDense('abc,cd->abd', (None, 2))(x))).save(source)
    target.write_text('precious')
    command = ['model', str(source), '--save', str(target), '--custom', str(own)]
    assert main(command) == 0
    assert 'not compared' in capsys.readouterr().out
    assert keras.saving.load_model(target, custom_objects={'Twice': twice}).count_params() == 4
    target.write_text('precious')

    def fails(self, *given, **more):
        with open(given[0], 'w') as stream:
            stream.write('a part')
        raise OSError('No space left on device')

    monkeypatch.setattr(keras.Model, 'save', fails)
    assert main(command) == 2
    assert target.read_text() == 'precious'
    assert sorted(os.listdir(tmp_path)) == ['new.keras', 'old.keras', 'own.py']


def test_weights_alone_need_a_model():
    name = next(name for name, entry in INDEX.items() if entry['form'] == 'weights')
    with pytest.raises(UnreadableFileError, match='weights='):
        load(os.path.join(FOLDER, INDEX[name]['files'][0]))


def test_no_weight_stays_random(tmp_path):
    """A file without weights, or without those of a class of the user, is refused; a configuration alone warns."""
    for path, word in without_weights(tmp_path):
        with pytest.raises(UnreadableFileError, match=f'{word}.*weights='):
            load(path)
    file = net([GIVEN, ('Scaled', {'name': 'own', 'factor': 2.0}, []), ('Dense', {'units': 1}, [np.ones((3, 1)), [0]])])
    with pytest.raises(WrongWeightsError, match=r'own \(Scaled\).*\[\].*\(3,\)'):
        load(file, custom_objects={'Scaled': Scaled})
    path = arguments('keras231_python37_dense_json')['path']
    with pytest.warns(UserWarning, match=r"no weights: those of the model are random.*weights='weights.h5'"):
        load(path)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        load(read(path))


LAUNCHED = """
import sys, keras, numpy as np
from keras.models import load_model
from tensorflow.keras.models import load_model as again
assert again is load_model is keras.saving.load_model
arrays = np.load(sys.argv[1] + '.npz')
model = load_model(sys.argv[1] + '.h5')
np.testing.assert_allclose(model.predict([arrays['u'], arrays['v']], verbose=0), arrays['p'], atol=1e-5)
model.save('new.keras')
found = load_model('new.keras').predict([arrays['u'], arrays['v']], verbose=0)
np.testing.assert_allclose(found, arrays['p'], atol=1e-5)
try:
    load_model('absent.h5')
except (OSError, ValueError) as error:
    print('absent:', type(error).__name__)
"""


def test_load_model_of_a_program(tmp_path):
    """Under the launcher, `load_model` opens an old file with a Lambda, and files of Keras 3 as before."""
    program = tmp_path / 'program.py'
    program.write_text(LAUNCHED)
    path = os.path.join(FOLDER, LAMBDAS[-1])
    status, out, err = launch(str(program), path, backend=BACKEND, home=tmp_path / 'home', cwd=tmp_path)
    assert status == 0, err
    assert re.search('absent: (OSError|ValueError|FileNotFoundError)', out)
    assert read(f'{path}.h5').version.startswith('2')


def test_examples_for_a_file_of_keras(tmp_path, capsys):
    """`--example` gives the inputs that the new file is compared with."""
    name, x = 'keras231_python37_bidirectional', str(tmp_path / 'x.npy')
    np.save(x, recorded(name)[0][0])
    assert main(['model', arguments(name)['path'], '--save', str(tmp_path / 'new.keras'), '--example', x]) == 0
    assert f'Predictions of the first rows of {x} differ by at most' in capsys.readouterr().out
