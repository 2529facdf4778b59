"""A stand-in for TensorFlow that has `tf.keras` and what Keras can compute. Only on request.

It is never there by itself: libraries that import TensorFlow to see whether it is installed would be deceived. What
Keras knows of TensorFlow is asked before it is there.
"""

import importlib.abc
import importlib.machinery
import os
import sys
import threading
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any, Dict, Optional

from ...basics.sessions import SessionOfSettings
from ..launcher.imports import MadeUp, Ready

# Asked for by this variable, so that child processes have it, too.
VARIABLE = 'KERAS_BACKEND_STAND_IN'
TF_KERAS = 'keras._tf_keras.keras'


def ask() -> None:
    """Ask for the stand-in in this process and its children."""
    os.environ[VARIABLE] = '1'


def watch() -> None:
    """Let `import tensorflow` find the stand-in, if it was asked for and nothing else is found."""
    if os.environ.get(VARIABLE) == '1' and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())


def keras_is_complete() -> None:
    """Let Keras look for TensorFlow before anything else asks for it, since Keras itself may be the first to ask."""
    for finder in sys.meta_path:
        if isinstance(finder, _Finder):
            finder.let_keras_look()


def in_its_place(tensorflow: ModuleType) -> str:
    """With --stand-in, let `import tensorflow` find `tf.keras` where TensorFlow is not installed."""
    return 'tf.keras, and functions of tf over keras.ops' if isinstance(tensorflow, StandIn) else ''


class Settings:
    """`tf.compat.v1.ConfigProto()`: takes any setting, also one of a part, `config.gpu_options.allow_growth = True`."""

    def __init__(self, **settings: Any) -> None:
        vars(self).update(settings)

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__'):
            raise AttributeError(name)
        setattr(self, name, Settings())
        return vars(self)[name]


# What programs give to K.set_session for memory and threads.
SETTINGS: Dict[str, Any] = {
    **dict.fromkeys(('ConfigProto', 'GPUOptions', 'OptimizerOptions'), Settings),
    **dict.fromkeys(('Session', 'InteractiveSession'), SessionOfSettings),
}


class StandIn(ModuleType):
    """The module `tensorflow` that has `keras` and functions over keras.ops, and raises for every other name.

    `tf.compat.v1` is the module itself. Settings of sessions change nothing.
    """

    __path__: Any = []
    # The first TensorFlow with Keras 3: programs compare it.
    __version__ = '2.16.0'

    def __getattr__(self, name: str) -> Any:
        if name == 'keras':
            return import_module(TF_KERAS)
        if name.startswith('__'):
            raise AttributeError(name)
        if name == 'compat':
            return SimpleNamespace(v1=self, v2=self)
        if name in SETTINGS:
            return SETTINGS[name]
        return import_module('keras_backend.programs.on_keras3.tf_on_keras.without_tensorflow').required(name)


class _Finder(importlib.abc.MetaPathFinder):
    """The last finder of `sys.meta_path`: it finds `tensorflow` and `tensorflow.keras` where nothing else does."""

    def __init__(self) -> None:
        self._asked = threading.local()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec of the stand-in or of a module of `tf.keras`; None for every other module."""
        if name == 'tensorflow' and not getattr(self._asked, 'busy', False):
            return importlib.machinery.ModuleSpec(name, MadeUp(self._made), is_package=True)
        if (name + '.').startswith('tensorflow.keras.') and isinstance(sys.modules.get('tensorflow'), StandIn):
            try:
                module = import_module(TF_KERAS + name[len('tensorflow.keras') :])
            except ModuleNotFoundError:
                return None
            return importlib.machinery.ModuleSpec(name, Ready(module), is_package=hasattr(module, '__path__'))
        return None

    def _made(self) -> ModuleType:
        self.let_keras_look()
        return StandIn('tensorflow')

    def let_keras_look(self) -> None:
        """Let Keras find out that TensorFlow is not installed. It remembers that."""
        self._asked.busy = True
        try:
            import_module('keras')
            for module in vars(import_module('keras.src.utils.module_utils')).values():
                if str(getattr(module, 'name', '')).partition('.')[0] == 'tensorflow':
                    getattr(module, 'available', None)
        finally:
            self._asked.busy = False
