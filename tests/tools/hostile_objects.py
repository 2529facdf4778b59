"""Objects that run code where a Keras deserializes them, and files that have one of them in some place."""

import base64
import copy
import json
import marshal
import os
import pickle
import re
import shutil
import zipfile

import h5py
from files_of_models import FOLDER, INDEX, arguments

# The program that reads them.
AUDITED = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'audited.py')


class _Pickled:
    """Its pickle calls a function, where it is loaded."""

    def __reduce__(self):
        return os.getcwd, ()


def _system(command):
    import subprocess

    return subprocess.call(command, shell=True)


_PICKLE = base64.b64encode(pickle.dumps(_Pickled())).decode()
_CODE = base64.b64encode(marshal.dumps(_system.__code__)).decode()


def _entry(module, name, config, registered=None):
    return {'module': module, 'class_name': name, 'config': config, 'registered_name': registered}


_DENSE = _entry('keras.layers', 'Dense', {'units': 1})
OBJECTS = {
    'torch': _entry('keras.layers', 'TorchModuleWrapper', {'module': _PICKLE, 'name': 't', 'output_shape': None}),
    'torch without a module': {'class_name': 'TorchModuleWrapper', 'config': {'module': _PICKLE}},
    'lambda': {'class_name': '__lambda__', 'config': {'code': _CODE, 'defaults': None, 'closure': None}},
    'layer of a lambda': _entry(
        'keras.layers', 'Lambda', {'function': {'class_name': '__lambda__', 'config': {'code': _CODE}}}
    ),
    'lambda of keras 2': {'class_name': 'Lambda', 'config': {'function': [_CODE, None, None], 'name': 'l'}},
    'system': _entry('os', 'function', 'system', 'function'),
    'class of os': _entry('os', 'system', {'command': 'true'}),
    'getattr': _entry('builtins', 'getattr', {'o': 'os', 'name': 'system'}),
    'subprocess': _entry('subprocess', 'Popen', {'args': ['true']}, 'Popen'),
    'a module that nobody has imported': _entry('this', 'Anything', {}),
    'get_file': _entry('keras.utils', 'function', 'get_file', 'function'),
    'unsafe': _entry('keras.config', 'function', 'enable_unsafe_deserialization', 'function'),
    'unsafe by a class': _entry('keras.config', 'enable_unsafe_deserialization', {}),
    'saved model': _entry('keras.layers', 'TFSMLayer', {'filepath': '/tmp', 'call_endpoint': 'serve'}),
    'load_model': _entry('keras.saving', 'load_model', {'filepath': '/tmp/x.keras', 'safe_mode': False}),
    'vocabulary': _entry('keras.layers', 'StringLookup', {'vocabulary': '/etc/hostname'}),
    'model': _entry(
        'keras.models',
        'Functional',
        {
            'name': 'm',
            'layers': [{**_DENSE, 'name': 'd', 'inbound_nodes': []}],
            'input_layers': [],
            'output_layers': [],
        },
    ),
    'typespec': {
        'class_name': '__typespec__',
        'module': 'subprocess',
        'spec_name': 'Popen',
        'serialized': [[['true']]],
    },
    'wrapped': _entry(
        'keras.losses', 'LossFunctionWrapper', {'fn': _entry('keras.layers', 'TorchModuleWrapper', {'module': _PICKLE})}
    ),
    'initializer with an object': _entry(
        'keras.initializers', 'Constant', {'value': _entry('keras.layers', 'TorchModuleWrapper', {'module': _PICKLE})}
    ),
    'policy': _entry('keras.layers', 'TorchModuleWrapper', {'module': _PICKLE}, 'DTypePolicy'),
}

# Those that Keras 3.11.0 has run from a training configuration: they come in each place.
RAN = ('torch', 'wrapped')
# The configurations of training, with HERE in the place of an object.
HERE = 'here'
_SGD = {'class_name': 'SGD', 'config': {'learning_rate': 0.1}}
TRAININGS = [
    {'optimizer_config': _SGD, 'loss': HERE, 'metrics': []},
    {'optimizer_config': _SGD, 'loss': {'p': HERE}, 'metrics': []},
    {'optimizer_config': _SGD, 'loss': [HERE], 'metrics': []},
    {'optimizer_config': _SGD, 'loss': {'class_name': 'LossFunctionWrapper', 'config': {'fn': HERE}}, 'metrics': []},
    {'optimizer_config': _SGD, 'loss': {'class_name': 'Huber', 'config': {'delta': HERE}}, 'metrics': []},
    {'optimizer_config': _SGD, 'loss': {'class_name': 'MeanSquaredError', 'config': {'name': HERE}}, 'metrics': []},
    {'optimizer_config': _SGD, 'loss': 'mse', 'metrics': [HERE]},
    {'optimizer_config': _SGD, 'loss': 'mse', 'metrics': [[HERE]]},
    {'optimizer_config': _SGD, 'loss': 'mse', 'metrics': {'p': HERE}},
    {'optimizer_config': _SGD, 'loss': 'mse', 'metrics': [{'class_name': 'MeanMetricWrapper', 'config': {'fn': HERE}}]},
    {'optimizer_config': _SGD, 'loss': 'mse', 'metrics': [{'class_name': 'AUC', 'config': {'curve': HERE}}]},
    {'optimizer_config': _SGD, 'loss': 'mse', 'metrics': [], 'weighted_metrics': [HERE]},
    {'optimizer_config': _SGD, 'loss': 'mse', 'metrics': [], 'loss_weights': HERE},
    {'optimizer_config': _SGD, 'loss': 'mse', 'metrics': [], 'loss_weights': [HERE]},
    {'optimizer_config': HERE, 'loss': 'mse', 'metrics': []},
    {'optimizer_config': {'class_name': 'SGD', 'config': {'learning_rate': HERE}}, 'loss': 'mse', 'metrics': []},
    {'optimizer_config': {'class_name': 'SGD', 'config': {'lr': HERE, 'decay': HERE}}, 'loss': 'mse', 'metrics': []},
    {'optimizer_config': {'class_name': 'Adam', 'config': {'beta_1': HERE}}, 'loss': 'mse', 'metrics': []},
    {
        'optimizer_config': {'class_name': 'LossScaleOptimizer', 'config': {'inner_optimizer': HERE}},
        'loss': 'mse',
        'metrics': [],
    },
    {
        'optimizer_config': {
            'class_name': 'SGD',
            'config': {
                'learning_rate': {
                    'class_name': 'ExponentialDecay',
                    'config': {'initial_learning_rate': HERE, 'decay_steps': 1, 'decay_rate': 1},
                }
            },
        },
        'loss': 'mse',
        'metrics': [],
    },
]


def filled(value, hostile):
    """A configuration with an object in the place of HERE."""
    if isinstance(value, dict):
        return {key: filled(one, hostile) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, hostile) for one in value]
    return copy.deepcopy(hostile) if value == HERE else value


def _config_of(path):
    if path.endswith('.keras'):
        with zipfile.ZipFile(path) as archive:
            return json.loads(archive.read('config.json').decode())
    with h5py.File(path, 'r') as file:
        text = file.attrs['model_config']
    return json.loads(text if isinstance(text, str) else text.decode())


def changed(path, target, config=None, training=None):
    """A copy of a file with another configuration of the model, or of its training."""
    if path.endswith('.keras'):
        config = config or _config_of(path)
        if training is not None:
            config['compile_config'] = {**training, 'optimizer': training['optimizer_config']}
        with zipfile.ZipFile(path) as archive, zipfile.ZipFile(target, 'w') as copied:
            for name in archive.namelist():
                copied.writestr(name, json.dumps(config) if name == 'config.json' else archive.read(name))
        return target
    shutil.copy(path, target)
    os.chmod(target, 0o644)
    with h5py.File(target, 'r+') as file:
        for key, value in (('model_config', config), ('training_config', training)):
            if value is not None:
                file.attrs.pop(key, None)
                file.attrs[key] = json.dumps(value)
    return target


def layers_in(config):
    """The entries of layers in the configuration of a model, with those in other layers."""
    if isinstance(config, dict):
        if isinstance(config.get('class_name'), str) and isinstance(config.get('config'), dict):
            yield config
        for value in config.values():
            yield from layers_in(value)
    elif isinstance(config, list):
        for value in config:
            yield from layers_in(value)


def places():
    """(file, number of the entry, key), one for each kind of layer and each of its keys, in small files."""
    seen = set()
    paths = [arguments(name)['path'] for name, entry in INDEX.items() if entry['form'] in ('h5', 'keras')]
    for path in sorted(paths, key=os.path.getsize):
        if os.path.getsize(path) > 300000:
            continue
        library = re.match('keras[123]|tf', os.path.basename(path)).group()
        for number, entry in enumerate(layers_in(_config_of(path))):
            for key in [*entry['config'], None]:
                if (library, entry['class_name'], key) not in seen:
                    seen.add((library, entry['class_name'], key))
                    yield path, number, key


def files_with_objects(folder, of_layers, of_trainings, first=0):
    """Make files with hostile objects, which take turns in the places of layers, and come in each of a training.

    of_layers, of_trainings: how many of them: one in this number, 0 for none. first: the layer to begin with.

    Result: their paths.
    """
    made = []

    def target(path):
        made.append(os.path.join(folder, f'{len(made)}{os.path.splitext(path)[1]}'))
        return made[-1]

    names = sorted(OBJECTS)
    layers = list(places())[first::of_layers] if of_layers else []
    for count, (path, number, key) in enumerate(layers, first):
        config = _config_of(path)
        entry = list(layers_in(config))[number]
        hostile = copy.deepcopy(OBJECTS[names[count % len(names)]])
        if key is None:
            entry.update(hostile)
        else:
            entry['config'][key] = hostile
        changed(path, target(path), config=config)
    bases = [os.path.join(FOLDER, f'{name}.h5') for name in ('keras231_python37_noise', 'tf210_python310_normalizer')]
    bases.append(os.path.join(FOLDER, 'keras3_python313_archive_masks.keras'))
    pairs = [(training, name) for training in TRAININGS for name in names]
    for count, (training, name) in enumerate(pairs if of_trainings else []):
        if count % of_trainings and name not in RAN:
            continue
        path = bases[count % len(bases)]
        changed(path, target(path), training=filled(training, OBJECTS[name]))
    return made


def folder_of_files(folder, of_layers, of_trainings, harmless=1, first=0):
    """Make the folders that `audited.py` reads.

    harmless: one in this number of the others. first: the layer to begin with.

    Result: the number of hostile files.
    """
    for name in ('harmless', 'hostile', 'out'):
        os.makedirs(os.path.join(folder, name))
    for name, entry in sorted(INDEX.items())[::harmless]:
        path = arguments(name)['path'] if entry['form'] in ('h5', 'keras') else ''
        if path and os.path.getsize(path) < 60000:
            shutil.copy(path, os.path.join(folder, 'harmless'))
    return len(files_with_objects(os.path.join(folder, 'hostile'), of_layers, of_trainings, first))
