"""The K graph with the composed functions in force: on top of the whole NumPy engine, or of its primitives alone."""

import types

import keras_backend.engines.numpy_backend as engine
from keras_backend.binding import complete

from .eager_k import primitives

TINY = set(primitives(0)) | {'function', 'placeholder', 'gradients', 'is_tensor', 'update', 'eval', 'stop_gradient'}


def namespace(kind, name):
    """K with the composite `name` in force: on top of the whole engine, or of its primitives alone."""
    K = types.ModuleType('graph_' + kind)
    vars(K).update({n: f for n, f in vars(engine).items() if n in engine.__all__ and (kind == 'whole' or n in TINY)})
    if kind == 'whole':
        del vars(K)[name]
    complete(vars(K), title='NumPy', name='numpy', module=K)
    return K
