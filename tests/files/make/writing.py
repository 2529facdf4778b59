"""Models of an original library as files, with inputs and predictions beside them. Syntax of Python 2.7 to 3.13.

A program of this folder says `@model` before a function that returns a model and its inputs, and calls `main`:

    python PROGRAM.py FOLDER PREFIX [NAME ...]

It writes FOLDER/PREFIX_NAME.h5 and PREFIX_NAME.npz (x0, x1 ... go in, y0, y1 ... come out), and an entry of index.json.
All models of the program are written where no NAME is given. By hand, with an original and its Python:

    KERAS_BACKEND=theano PYTHONPATH=keras-2.2.4 python2.7 recurrent_models.py ../models keras224_python27_theano
    LIBRARY=tf.keras python3.11 recurrent_models.py ../models tf215_python311
"""

import json
import os
import shutil
import sys

import h5py
import numpy as np

if os.environ.get('KERAS_BACKEND') == 'theano':
    import theano.ifelse  # noqa: F401 - Keras 1 uses it without an import
if os.environ.get('LIBRARY') == 'tf.keras':
    import tensorflow as tf

    keras = tf.keras
    LIBRARY, VERSION = 'tf.keras', getattr(keras, '__version__', tf.__version__)
else:
    import keras

    LIBRARY, VERSION = 'keras', keras.__version__
K = keras.backend
L = keras.layers
OLD = LIBRARY == 'keras' and VERSION.startswith('1.')
NUMBERS = tuple(int(n) for n in VERSION.split('-')[0].split('.')[:3])

# The layers that import without a path in Keras 2.3.1, with the classes that their files name.
KERAS_231 = set(
    'Activation ActivityRegularization Add AlphaDropout Average AveragePooling1D AveragePooling2D AveragePooling3D '
    'BatchNormalization Bidirectional Concatenate Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose ConvLSTM2D '
    'ConvLSTM2DCell Cropping1D Cropping2D Cropping3D CuDNNGRU CuDNNLSTM Dense DepthwiseConv2D Dot Dropout ELU '
    'Embedding Flatten Functional GRU '
    'GRUCell GaussianDropout GaussianNoise GlobalAveragePooling1D GlobalAveragePooling2D '
    'GlobalAveragePooling3D GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D InputLayer LSTM LSTMCell Lambda '
    'LeakyReLU LocallyConnected1D LocallyConnected2D Masking MaxPooling1D MaxPooling2D MaxPooling3D Maximum Minimum '
    'Model Multiply PReLU Permute RNN ReLU RepeatVector Reshape SeparableConv1D SeparableConv2D Sequential SimpleRNN '
    'SimpleRNNCell Softmax SpatialDropout1D SpatialDropout2D SpatialDropout3D StackedRNNCells Subtract '
    'ThresholdedReLU TimeDistributed UpSampling1D UpSampling2D UpSampling3D ZeroPadding1D ZeroPadding2D '
    'ZeroPadding3D'.split()
)
MODELS = []
# Files that keep the groups of HDF5 as h5py writes them by default. The others have the groups of HDF5 1.10, which take
# half the room; what they hold is the same.
WIDE = ('dense',)


class Compact(h5py.File):
    """A file with the groups of HDF5 1.10."""

    def __init__(self, name, mode='r', **options):
        """Open `name`."""
        new = 'v110' if h5py.version.hdf5_version_tuple >= (1, 10, 2) else 'latest'
        super(Compact, self).__init__(name, mode, libver=(new, new), **options)


FILE = h5py.File


def backend():
    """The engine of the original."""
    return K.backend()


def engine_version():
    """The name and version of the engine."""
    module = __import__(backend() if backend() != 'torch' else 'torch')
    return '%s %s' % (backend(), module.__version__)


def model(name, form='h5', needs=None, custom=None):
    """Register a function that returns (model, inputs).

    form: 'h5' (all in one), 'json' and 'yaml' (the configuration, and weights beside it), 'weights' (weights alone),
    'keras' (the archive of Keras 3), 'savedmodel' (a folder). needs: a function that says whether this original can.
    custom: the custom_objects that the original needs to open the file.
    """

    def register(make):
        MODELS.append((name, form, needs, custom, make))
        return make

    return register


def fill(given, seed=7):
    """Random values in every weight: scales and variances from 0.5 to 1.5, all else from -0.6 to 0.6."""
    rng, seen = np.random.RandomState(seed), set()
    for variable in list(given.weights):
        if id(variable) in seen:
            continue
        seen.add(id(variable))
        name = getattr(variable, 'path', None) or variable.name or ''
        new = LIBRARY == 'tf.keras' or NUMBERS >= (3,)
        shape = tuple(variable.shape) if new and NUMBERS >= (2, 4) else K.get_value(variable).shape
        positive = any(part in name for part in ('variance', 'running_std', 'gamma'))
        value = rng.uniform(0.5, 1.5, shape) if positive else rng.uniform(-0.6, 0.6, shape)
        if 'int' in str(variable.dtype):
            value = np.ones(shape, 'int64')  # counters
        if NUMBERS >= (3,):
            variable.assign(value.astype('float32'))
        else:
            K.set_value(variable, value.astype('float32' if 'float' in str(variable.dtype) else str(variable.dtype)))


def numbers(*shape, **options):
    """Random float32 inputs, from -1 to 1 or from `low` to `high`."""
    rng = np.random.RandomState(options.get('seed', 3))
    return rng.uniform(options.get('low', -1.0), options.get('high', 1.0), shape).astype('float32')


def kinds(config, found):
    """The classes of all layers in a configuration, inner ones with their wrapper."""
    if isinstance(config, dict):
        if 'class_name' in config and 'config' in config:
            found.add(str(config['class_name']))
        for key, value in config.items():
            if key in ('config', 'layers', 'layer', 'backward_layer', 'cell', 'cells'):
                kinds(value, found)
    elif isinstance(config, list):
        for part in config:
            kinds(part, found)
    return found


def predicted(given, inputs):
    """The predictions as a list."""
    found = given.predict(inputs if len(inputs) > 1 else inputs[0], batch_size=len(inputs[0]), verbose=0)
    return [np.asarray(part) for part in (found if isinstance(found, (list, tuple)) else [found])]


def write_files(given, form, path):
    """Write the model; the names of the files and a function that opens them again."""
    load = keras.models.load_model
    if form == 'h5':
        given.save(path + '.h5')
        return [path + '.h5'], lambda **options: load(path + '.h5', **options)
    if form == 'keras':
        given.save(path + '.keras', **({'save_format': 'keras_v3'} if NUMBERS[:2] == (2, 12) else {}))
        options = {'safe_mode': False} if NUMBERS >= (2, 13) else {}
        return [path + '.keras'], lambda **more: load(path + '.keras', **dict(options, **more))
    if form == 'savedmodel':
        shutil.rmtree(path, ignore_errors=True)
        given.save(
            path, include_optimizer=False, save_format='tf', **({'save_traces': False} if NUMBERS >= (2, 4) else {})
        )
        return [path], lambda **options: load(path, **options)
    weights = path + ('.weights.h5' if NUMBERS >= (3,) else '.h5' if form == 'weights' else '_weights.h5')
    given.save_weights(weights)
    if form == 'weights':

        def again(**options):
            fill(given, 11)
            given.load_weights(weights)
            return given

        return [weights], again
    text = given.to_json() if form == 'json' else given.to_yaml()
    with open(path + '.' + form, 'w') as file:
        file.write(text)

    def opened(**options):
        read = keras.models.model_from_json if form == 'json' else keras.models.model_from_yaml
        new = read(text, **options)
        new.load_weights(weights)
        return new

    return [path + '.' + form, weights], opened


def size(path):
    """The bytes of a file or a folder."""
    if os.path.isdir(path):
        return sum(size(os.path.join(path, name)) for name in os.listdir(path))
    return os.path.getsize(path)


def write(folder, prefix, name, form, custom, make):
    """Write one model and its entry of the index."""
    if hasattr(K, 'clear_session'):
        K.clear_session()
    h5py.File = FILE if name in WIDE else Compact
    made = make()
    given, inputs, more = made if len(made) == 3 else made + ({},)
    fill(given)
    path = os.path.join(folder, prefix + '_' + name)
    files, load = write_files(given, form, path)
    if 'predict' in more:
        outputs = more['predict'](files[-1])
    else:
        outputs = predicted(given, inputs)
    arrays = {'x%d' % i: x for i, x in enumerate(inputs)}
    arrays.update(('y%d' % i, y) for i, y in enumerate(outputs))
    if getattr(given, 'stateful', False) and more.get('twice'):
        arrays.update(('again%d' % i, y) for i, y in enumerate(predicted(given, inputs)))
    assert all(np.isfinite(y).all() for y in outputs), name
    np.savez_compressed(path + '.npz', **arrays)
    try:
        if 'predict' in more:
            raise NotImplementedError('there was no GPU')
        found = predicted(load(**({'custom_objects': custom} if custom else {})), inputs)
        far = max(float(np.abs(a - b).max()) for a, b in zip(found, outputs))
        reloads = True if far < 1e-5 else 'differs by %g' % far
    except Exception as error:
        reloads = '%s: %s' % (
            type(error).__name__,
            ' '.join(str(error).replace('\x1b[1m', '').replace('\x1b[0m', '').split())[:200],
        )
    if form == 'weights':
        has = sorted({type(layer).__name__ for layer in given.layers})
    else:
        has = sorted(kinds(json.loads(given.to_json()), set()))
    entry = {
        'files': [os.path.basename(file) for file in files],
        'library': LIBRARY,
        'version': VERSION,
        'python': '%d.%d' % sys.version_info[:2],
        'engine': engine_version(),
        'form': form,
        'about': ' '.join(make.__doc__.split()),
        'layers': has,
        'keras 2.3.1': not more.get('new') and not OLD and all(kind in KERAS_231 for kind in has),
        'inputs': len(inputs),
        'outputs': len(outputs),
        'reloads': reloads,
        'compact': name not in WIDE,
        'program': os.path.basename(sys.argv[0]),
    }
    index = os.path.join(folder, 'index.json')
    entries = {}
    if os.path.exists(index):
        with open(index) as file:
            entries = json.load(file)
    entries[prefix + '_' + name] = entry
    with open(index, 'w') as file:
        file.write(json.dumps(entries, indent=1, sort_keys=True, separators=(',', ': ')) + '\n')
    print('%s %s %s %s' % (prefix + '_' + name, [size(f) for f in files], [y.shape for y in outputs], reloads))


def main():
    """Write the models that the command line names."""
    folder, prefix, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    for name, form, needs, custom, make in MODELS:
        if (names and name not in names) or (needs is not None and not needs()):
            continue
        write(folder, prefix, name, form, custom, make)
