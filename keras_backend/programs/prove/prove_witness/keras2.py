"""The patches of Keras 1 and 2, and of programs in K alone."""

import functools
import sys

from . import updates, watch
from .draws import Offset, patch_graph_draws

_done = []


def patch(witness):
    """Patch Keras once it is imported."""
    keras, k = watch.complete('keras'), watch.complete('keras.backend')
    if _done or keras is None or k is None or watch.complete('keras.models') is None:
        return
    _done.append('keras')
    initializers = sys.modules.get('keras.initializers')
    if initializers is not None:
        constant = k.constant
        witness.initializers.patch(initializers, lambda value, dtype: constant(value, dtype=dtype or k.floatx()))
    for cls in keras.models.Model, keras.models.Sequential:
        witness.models.patch_compile(cls)
    patch_k(witness, k)


def patch_plain(witness):
    """Patch `keras_backend` once it is imported. The original has none, and Keras takes its place."""
    if _done:
        return
    if witness.settings['original']:
        if watch.complete('keras') is None:
            _done.append('importing')
            import keras.backend

            _done.pop()
            sys.modules['keras_backend'] = keras.backend
    name = 'keras.backend' if witness.settings['original'] else 'keras_backend'
    k = watch.complete(name)
    if k is not None and 'function' in vars(k):
        _done.append(name)
        patch_k(witness, k)
        witness.variables.patch(k)


def patch_k(witness, k):
    """Patch the functions of a module of K."""
    witness.initializers.patch_variables(k)
    offset = Offset(vars(k))
    patch_graph_draws(k, witness.draws, witness.record, offset)
    witness.functions.before_calls = offset.next_call
    for name in 'in_train_phase', 'in_test_phase', 'switch':
        if name in vars(k):
            _outside(k, name, offset)
    clear = getattr(k, 'clear_session', None)
    if clear is not None:

        def clear_session(*args, **kwargs):
            offset.forget()
            return clear(*args, **kwargs)

        k.clear_session = clear_session
    if witness.settings['original'] and k.backend() == 'tensorflow':
        updates.patch(witness, k)
    patch_dropout(witness, k)
    witness.functions.patch(k)
    if witness.settings['trace']:
        variable = k.variable(0.0)
        types = tuple(each.__class__ for each in (variable, k.constant(0.0), k.square(variable)))
        witness.trace.patch(k, lambda value: isinstance(value, types))


def _outside(k, name, offset):
    """Make the variable of the offset before a branch of TensorFlow 1, where none can be made."""
    original = getattr(k, name)

    @functools.wraps(original)
    def branch(*args, **kwargs):
        if any(callable(each) for each in args[:3] + tuple(kwargs.values())):
            offset.tensor()
        return original(*args, **kwargs)

    setattr(k, name, branch)


def patch_dropout(witness, k):
    """Turn K.dropout off."""

    def dropout(x, level, noise_shape=None, seed=None, **more):
        witness.record.note('dropout was off')
        return x

    k.dropout = dropout
