"""The objects of files inside Keras 3: each one that a Keras writes is made, and nothing else is."""

import json
import os
import warnings

import keras
import numpy as np
import pytest
from files_of_models import FOLDER
from hostile_objects import AUDITED, OBJECTS, TRAININGS, filled, folder_of_files
from processes import python

import keras_backend.files.keras3
from keras_backend.errors import KerasBackendError, LayerConfigError
from keras_backend.files.building.spellings import Spellings
from keras_backend.files.keras3.spellings import TrainingOfKeras3
from keras_backend.files.structure import Call, File, Layer, Model, Reference, Weight

BACKEND = keras.backend.backend()
with open(os.path.join(os.path.dirname(FOLDER), 'objects.json'), encoding='utf-8') as stream:
    WRITTEN = json.load(stream)
# Arguments that Keras 3 has in other words.
SPELT_ANEW = ('name', 'reduction', 'distribution', 'seed', 'dtype', 'num_thresholds', 'thresholds')
# Not in Keras 3.
GONE = {'MeanTensor', 'MeanRelativeError', 'RadialConstraint'}
SGD = {'class_name': 'SGD', 'config': {'learning_rate': 0.1}}
PARTS = {'initializers': 'initializer', 'regularizers': 'regularizer', 'constraints': 'constraint'}
X = np.cos(np.arange(6, dtype='float32')).reshape(2, 3)


def compiled(training, custom_objects=None):
    """A small model, compiled as a file says."""
    inputs = keras.Input((3,))
    model = keras.Model(inputs, keras.layers.Dense(2, name='p')(inputs))
    file = File('x.h5', 'h5', 'keras', '2.3.1', '')
    file.training = training
    TrainingOfKeras3(keras, 'Keras 3', custom_objects or {}).compile(model, file, {})
    return model


def made(space, entry):
    """The object of Keras 3 for an entry of a file; None for none."""
    if space in PARTS:
        return getattr(Spellings(keras, 'Keras 3', {}), PARTS[space])(entry, 'entry of a layer')
    training = {'optimizer_config': SGD, 'loss': 'mse', 'metrics': []}
    if space == 'optimizers':
        training['optimizer_config'] = entry
    elif space == 'optimizers.schedules':
        training['optimizer_config'] = {'class_name': 'SGD', 'config': {'learning_rate': entry}}
    else:
        training[{'losses': 'loss'}.get(space, space)] = entry if space == 'losses' else [entry]
    parts = {}

    class Compiled:
        def compile(self, **given):
            parts.update(given)

    file = File('x.h5', 'h5', 'keras', '2.3.1', '')
    file.training = training
    TrainingOfKeras3(keras, 'Keras 3', {}).compile(Compiled(), file, {})
    if not parts:
        return None
    if space.startswith('optimizers'):
        return parts['optimizer'] if space == 'optimizers' else parts['optimizer']._learning_rate
    return parts['loss'] if space == 'losses' else parts['metrics'][0]


@pytest.mark.parametrize('writer', WRITTEN)
def test_each_object_that_a_keras_writes(writer):
    """It is of the class of this name, and its arguments are those of the file."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for space, entries in WRITTEN[writer].items():
            for entry in entries:
                name, config = entry['class_name'], entry['config']
                found = made(space, entry)
                if name in GONE:
                    assert found is None, entry
                    continue
                wanted = 'L1L2' if name in ('L1', 'L2') else name
                if found is None:
                    # An older Keras 3 lacks what the newest writes.
                    assert writer.startswith('Keras 3'), entry
                    assert keras.__version__ < '3.15', entry
                    continue
                assert type(found).__name__ == wanted, entry
                own = found.get_config()
                for key, value in config.items():
                    if key in own and key not in SPELT_ANEW:
                        if isinstance(value, (int, float)) and not isinstance(value, bool):
                            np.testing.assert_allclose(float(own[key]), value, rtol=1e-6, err_msg=str(entry))
                        elif value is not None:
                            assert json.loads(json.dumps(own[key])) == value, entry


def test_losses_and_schedules_have_the_numbers_of_their_arguments():
    """Closed forms: an argument that went astray would change them."""
    y, p = np.float32([[0, 1]]), np.float32([[0.2, 3.0]])
    loss = made('losses', {'class_name': 'Huber', 'config': {'reduction': 'sum', 'delta': 0.5, 'fn': 'huber'}})
    np.testing.assert_allclose(float(loss(y, p)), (0.02 + 0.5 * 2 - 0.125) / 2, rtol=1e-5)
    smooth = {'from_logits': True, 'label_smoothing': 0.2, 'reduction': 'auto', 'fn': 'binary_crossentropy'}
    loss = made('losses', {'class_name': 'BinaryCrossentropy', 'config': smooth})
    t, s = y * 0.8 + 0.1, 1 / (1 + np.exp(-p))
    wanted = -np.mean(t * np.log(s) + (1 - t) * np.log(1 - s))
    np.testing.assert_allclose(float(loss(y, p)), wanted, rtol=1e-5)
    config = {'initial_learning_rate': 0.1, 'decay_steps': 10, 'decay_rate': 0.5, 'staircase': True, 'name': None}
    schedule = made('optimizers.schedules', {'class_name': 'ExponentialDecay', 'config': config})
    np.testing.assert_allclose([float(schedule(step)) for step in (0, 9, 25)], [0.1, 0.1, 0.025], rtol=1e-6)


def test_a_training_of_an_archive():
    """tf.keras 2.15 writes the optimizer under another key, and a schedule without a name."""
    schedule = {'class_name': 'ExponentialDecay', 'config': {'initial_learning_rate': 0.1, 'decay_steps': 1}}
    schedule['config'].update(decay_rate=0.5, staircase=False, name=None)
    optimizer = {'module': 'keras.optimizers', 'class_name': 'SGD', 'config': {'learning_rate': schedule}}
    model = compiled({'optimizer': optimizer, 'loss': 'mse', 'metrics': ['mae'], 'loss_weights': None})
    assert model.compiled
    assert np.isfinite(model.fit(X, np.zeros((2, 2)), verbose=0).history['loss'][0])


def test_a_decay_without_effect():
    """tf.keras 2.10 writes decay=0.004 for Nadam; its steps are the same for any."""
    optimizer = made('optimizers', {'class_name': 'Nadam', 'config': {'learning_rate': 0.01, 'decay': 0.004}})
    assert float(optimizer.learning_rate) == pytest.approx(0.01)
    assert not isinstance(optimizer._learning_rate, keras.optimizers.schedules.LearningRateSchedule)


@pytest.mark.parametrize('name', sorted(OBJECTS))
def test_a_training_with_an_object_that_is_none_of_keras(name):
    """The model is not compiled, and the message says so."""
    for training in TRAININGS:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter('always')
            model = compiled(filled(training, OBJECTS[name]))
        assert not model.compiled, training
        assert any('is not compiled, because Keras 3' in str(one.message) for one in seen)


def test_functions_of_the_program_in_a_training():
    wrapped = {'class_name': 'LossFunctionWrapper', 'config': {'fn': {'class_name': 'function', 'config': 'own'}}}

    def own(y, p):
        return keras.ops.mean(keras.ops.abs(y - p))

    for loss in ('own', {'class_name': 'function', 'config': 'own', 'module': 'x'}, wrapped):
        training = {'optimizer_config': SGD, 'loss': loss, 'metrics': ['own']}
        model = compiled(training, {'own': own})
        assert model.compiled
        with pytest.warns(UserWarning, match="not compiled, because Keras 3 .* the loss 'own'"):
            assert not compiled(training).compiled


def net(config, kind='Dense', weights=((3, 2), (2,))):
    """A file with one layer behind an input."""
    file = File('net.h5', 'h5', 'keras', '2.3.1', 'tensorflow')
    first = Layer('x', 'InputLayer', {'batch_input_shape': [None, 3], 'name': 'x'})
    layer = Layer('d', kind, {'name': 'd', **config})
    layer.weights = [Weight(f'w{place}', np.ones(shape, 'float32')) for place, shape in enumerate(weights)]
    first.calls, layer.calls = [Call([])], [Call([Reference('x', 0, 0)])]
    file.model = Model('net', [first, layer], [Reference('x', 0, 0)], [Reference('d', 0, 0)])
    file.weights = {'d': layer.weights}
    return file


@pytest.mark.parametrize('key', ['kernel_initializer', 'kernel_regularizer', 'kernel_constraint'])
@pytest.mark.parametrize(
    'said',
    [
        {'class_name': 'function', 'config': 'of_the_program', 'module': 'program'},
        'of_the_program',
        {'class_name': 'OfTheProgram', 'config': {}},
        {'class_name': 'L2', 'config': {'l2': {'class_name': 'X'}}},
        ['a list'],
    ],
)
def test_parts_that_only_training_needs(key, said):
    """The model predicts without them, and a warning names the layer, the key and the value."""
    with pytest.warns(UserWarning, match=rf'The {key} of the layer d \(Dense\) is .* the new model goes without it'):
        model = keras_backend.files.keras3.load(net({'units': 2, key: said}))
    np.testing.assert_allclose(model.predict(X, verbose=0), X.sum(1, keepdims=True) + np.ones((2, 2)), rtol=1e-5)


@pytest.mark.parametrize('key', ['units', 'use_bias', 'activation', 'lora_rank'])
def test_a_part_that_the_layer_needs(key):
    """The error names the layer, the key and the value."""
    for hostile in OBJECTS.values():
        with pytest.raises(KerasBackendError, match=r'layer d \(Dense\)|the layer d') as raised:
            keras_backend.files.keras3.load(net({'units': 2, key: hostile}))
        assert key in str(raised.value)


class Own(keras.layers.Layer):
    """A layer of a program, which hands a part of its configuration to Keras."""

    def __init__(self, units, regularizer=None, **kwargs):
        super().__init__(**kwargs)
        self.units, self.regularizer = units, keras.regularizers.get(regularizer)

    def call(self, x):
        return x * self.units


def test_what_a_class_of_the_user_gets():
    """Objects of Keras and of the user as plain data, and no others."""
    l2 = {'class_name': 'L2', 'config': {'l2': 0.5}}
    for said in (l2, {'module': 'subprocess', 'registered_name': 'Popen', **l2}, None):
        model = keras_backend.files.keras3.load(
            net({'units': 3, 'regularizer': said}, 'Own', ()), None, None, {'Own': Own}
        )
        np.testing.assert_allclose(model.predict(X, verbose=0), 3 * X, rtol=1e-6)
        assert model.layers[1].regularizer is None if said is None else float(model.layers[1].regularizer.l2) == 0.5
    for name, hostile in OBJECTS.items():
        if name in ('model', 'initializer with an object'):
            continue
        with pytest.raises(LayerConfigError, match=r'layer d \(Own\) has regularizer.*custom_objects'):
            keras_backend.files.keras3.load(
                net({'units': 3, 'regularizer': hostile}, 'Own', ()), None, None, {'Own': Own}
            )


def audited(folder, way, *before):
    """What audit hooks see while the files of a folder are read in a way."""
    status, out, err = python(*before, AUDITED, str(folder), way, home=folder, backend=BACKEND)
    assert status == 0, err
    return json.loads(out.split('seen:')[1])


@pytest.mark.slow
@pytest.mark.parametrize('way', ['load', 'save', 'load_model'])
def test_nothing_runs_when_files_are_loaded(tmp_path, way):
    """By `files.load`, by the command that writes a file of Keras 3, and by `load_model` under the launcher."""
    count = folder_of_files(str(tmp_path), *([200, 40, 8] if way == 'save' else [48, 16, 8]))
    before = ['-m', 'keras_backend.keras3'] if way == 'load_model' else []
    found = audited(tmp_path, way, *before)
    assert found['events'] == []
    assert found['read'] == count > 20
    assert found['opened'] > count / 3
