"""Keras 2 under the names that it has inside TensorFlow 1: `tensorflow.keras`, `tensorflow.python.keras` and others."""

import functools
import importlib.machinery
import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Dict, Optional

from ..launcher.imports import MadeUp, Ready
from . import tensorflow_cures

# The names of the package in TensorFlow 1.2 to 1.15. The longest come first, because some are inside others.
PACKAGES = (
    'tensorflow.python.keras._impl.keras',
    'tensorflow.python.keras',
    'tensorflow.contrib.keras.python.keras',
    'tensorflow.contrib.keras.api.keras',
    'tensorflow.contrib.keras',
    'tensorflow.keras',
)

# Packages between those names that have no code.
_EMPTY = ('tensorflow.python.keras._impl', 'tensorflow.contrib.keras.python', 'tensorflow.contrib.keras.api')

# Helpers that only TensorFlow's copy has. They have no layers and no models, so they serve Keras 2, too.
_HELPERS = [f'keras.utils.{name}' for name in ('tf_utils', 'tf_inspect', 'tf_contextlib', 'control_flow_util')]

# The modules of the copy that TensorFlow has loaded for itself, by name.
_of_tensorflow: Dict[str, ModuleType] = {}


def name_in_keras(name: str) -> Optional[str]:
    """The module of Keras that a module of TensorFlow's copy is: 'keras.layers' for 'tensorflow.python.keras.layers'.

    None for other modules.
    """
    for package in PACKAGES:
        if name == package or name.startswith(package + '.'):
            return 'keras' + name[len(package) :]
    return None


class _Finder:
    """Finds the modules of Keras 2 under the names of TensorFlow's copy."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec of a module of Keras; or of TensorFlow's copy where Keras has no such module."""
        if name in _EMPTY:
            return importlib.machinery.ModuleSpec(name, MadeUp(lambda: ModuleType(name)), is_package=True)
        if name in _HELPERS and not _is_there(name):
            # `from tensorflow.python.keras.utils import tf_utils` asks `keras.utils` for it.
            return self.find_spec(f'tensorflow.python.{name}')
        in_keras = name_in_keras(name)
        if in_keras is None:
            return None
        if _is_there(in_keras):
            return importlib.machinery.ModuleSpec(name, Ready(import_module(in_keras)))
        if name in _of_tensorflow:
            return importlib.machinery.ModuleSpec(name, Ready(_of_tensorflow[name]))
        return _in_files_of_tensorflow(name)


def _is_there(module: str) -> bool:
    if module in sys.modules:
        return True
    above = module.rpartition('.')[0]
    if not _is_there(above):
        return False
    return importlib.machinery.PathFinder.find_spec(module, getattr(import_module(above), '__path__', [])) is not None


def _in_files_of_tensorflow(name: str) -> Optional[importlib.machinery.ModuleSpec]:
    parts = name.split('.')
    folders = [os.path.join(folder, *parts[1:-1]) for folder in tensorflow_cures.real().__path__ if folder]
    return importlib.machinery.PathFinder.find_spec(name, folders)


def aliases(keras: ModuleType) -> str:
    """Let `from tensorflow.keras import ...` and `from tensorflow.python.keras import ...` give Keras 2."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return ''
    # The parts of TensorFlow 1 that use its copy are loaded first, and keep what they have of it.
    tf = tensorflow_cures.real().compat.v1
    for part in 'train', 'nn', 'saved_model', 'feature_column':
        getattr(tf, part)
    for name in [name for name in sys.modules if (name + '.').startswith('tensorflow.python.keras.')]:
        _of_tensorflow[name] = sys.modules.pop(name)
    sys.meta_path.insert(0, _Finder())
    python: Any = import_module('tensorflow.python')
    python.keras = keras
    return 'tensorflow.keras, tensorflow.python.keras, tensorflow.contrib.keras'


def whole_shapes(keras: ModuleType) -> str:
    """Let `compute_output_shape` of a layer return a `TensorShape`, as it may in TensorFlow's copy of Keras."""
    Layer: Any = import_module('keras.layers').Layer
    documented = getattr(Layer, '_add_inbound_node', None)
    if documented is None or hasattr(documented, '_of_keras2'):
        return ''  # Keras 1 has another method

    @functools.wraps(documented)
    def _add_inbound_node(self: Any, *args: Any, **kwargs: Any) -> Any:
        if 'output_shapes' in kwargs:
            kwargs['output_shapes'] = _whole(kwargs['output_shapes'])
        return documented(self, *args, **kwargs)

    _add_inbound_node._of_keras2 = True  # type: ignore[attr-defined]
    Layer._add_inbound_node = _add_inbound_node
    return 'keras.layers.Layer.compute_output_shape'


def _whole(shape: Any) -> Any:
    """A shape, or a list of shapes, with sizes that are integers of Python or None."""
    tf = tensorflow_cures.real().compat.v1
    if isinstance(shape, tf.TensorShape):
        return tuple(shape.as_list()) if shape.ndims is not None else shape
    if isinstance(shape, list):
        return [_whole(each) for each in shape]
    if isinstance(shape, tuple):
        return tuple([size.value if isinstance(size, tf.Dimension) else size for size in shape])
    return shape
