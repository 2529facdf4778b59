"""The patches of Keras 3, and of tf.keras as the original has it."""

import importlib
import sys

from . import record
from .draws import TracedOffset, patch_graph_draws
from .keras2 import patch_dropout

NOISE = ('Dropout', 'SpatialDropout1D', 'SpatialDropout2D', 'SpatialDropout3D', 'AlphaDropout', 'GaussianDropout')
NOISE += ('GaussianNoise',)
OURS = ('keras.backend', 'tensorflow.keras.backend', 'keras._tf_keras.keras.backend', 'keras_backend.keras3')
ORIGINAL = ('keras.backend', 'tf_keras.backend', 'tf_keras.src.backend', 'tensorflow.keras.backend')
RANDOM = ('keras.random', 'keras.src.random', 'keras.src.backend.random')

_done, _modules, _offsets = [], set(), []


def patch(witness):
    """Patch Keras once it or TensorFlow is imported."""
    if 'importing' in _done:
        return
    keras = _keras(witness)
    if keras is None:
        return
    if 'keras' not in _done:
        _done.append('keras')
        _patch_classes(witness, keras)
    # `import tensorflow.keras.backend` makes a second copy of a module later.
    for name in ORIGINAL if witness.settings['original'] else OURS:
        module = record.complete(name)
        if module is not None and id(module) not in _modules and 'function' in vars(module):
            _modules.add(id(module))
            _patch_k(witness, module)
    if not witness.settings['original']:
        for name in RANDOM:
            module = record.complete(name)
            if module is not None and id(module) not in _modules and hasattr(module, 'dropout'):
                _modules.add(id(module))
                module.dropout = lambda inputs, *args, **kwargs: inputs


def _keras(witness):
    """Keras, as the program gets it. `tensorflow.keras` is imported when it is first used, which is too late here."""
    imported = [name for name in ('tensorflow', 'keras', 'tf_keras') if name in sys.modules]
    if not imported or any(record.complete(name) is None for name in imported):
        return None
    _done.append('importing')
    try:
        if not witness.settings['original']:
            return importlib.import_module('keras')
        for name in ('tf_keras', 'keras'):
            try:
                module = importlib.import_module(name)
                importlib.import_module(name + '.backend')
                return module
            except ImportError:
                continue
        return None
    finally:
        _done.remove('importing')


def _patch_classes(witness, keras):
    def constant(value, dtype):
        if hasattr(keras, 'ops'):
            return keras.ops.convert_to_tensor(value, dtype=dtype or keras.config.floatx())
        import tensorflow

        return tensorflow.constant(value, dtype=dtype or keras.backend.floatx())

    witness.initializers.patch(keras.initializers, constant)
    for name in NOISE:
        cls = getattr(keras.layers, name, None)
        if cls is not None:
            cls.call = _identity(witness)
    witness.models.patch_steps(keras.models.Model, keras.callbacks.Callback)
    if keras.models.Model is not keras.Model:
        witness.models.patch_steps(keras.Model, keras.callbacks.Callback)


def _identity(witness):
    def call(self, inputs, training=None):
        witness.record.note('dropout and noise of layers were off')
        return inputs

    return call


def _offset(witness):
    """One for all modules of K."""
    if not _offsets:
        keras = sys.modules.get('keras')
        config = None if witness.settings['original'] else getattr(keras, 'config', None)
        _offsets.append(TracedOffset(config.backend() if config else 'tensorflow'))
        witness.models.before_calls = witness.functions.before_calls = _offsets[0].next_call
    return _offsets[0]


def _patch_k(witness, module):
    if 'random_normal' in vars(module):
        patch_graph_draws(module, witness.draws, witness.record, _offset(witness), witness.trace.place)
    if 'dropout' in vars(module):
        patch_dropout(witness, module)
    if not witness.settings['original'] or 'src' not in module.__name__:
        witness.functions.patch(module)
