"""Defaults and formulas of tf.keras that Keras 3 changed without an error: ConvLSTM, `l1_l2`, `hard_sigmoid`."""

import inspect
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from .classes_of_keras import HOMES

PLACES = ['tensorflow.keras.regularizers']
_CONV_LSTM = ('ConvLSTM1D', 'ConvLSTM2D', 'ConvLSTM3D')


def older_defaults(keras: Any) -> str:
    """Let ConvLSTM have the activation 'hard_sigmoid', `l1_l2` rates of 0.01, `hard_sigmoid` the slope of tf.keras."""
    for name in _CONV_LSTM:
        _set_default(getattr(keras.layers, name).__init__, 'recurrent_activation', 'hard_sigmoid')
    # The function stays the object that it is: layers, files and other modules hold it, and name it by that.
    keras.activations.hard_sigmoid.__code__ = hard_sigmoid.__code__
    changed = [*_CONV_LSTM, 'hard_sigmoid']
    for place in HOMES:
        module = sys.modules.get(f'{place}.regularizers')
        if module is not None:
            changed.append(rates_of_l1_l2(module))
    return ', '.join(changed)


def rates_of_l1_l2(module: ModuleType) -> str:
    """Let `regularizers.l1_l2` have 0.01 for the rates that are not given."""
    vars(module)['l1_l2'] = l1_l2
    return f'{module.__name__}.l1_l2'


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> Any:
    """The regularizer L1L2, with the defaults that the function has in tf.keras. The class has 0."""
    return import_module('keras').regularizers.L1L2(l1=l1, l2=l2)


def hard_sigmoid(x: Any) -> Any:
    """0.2 x + 0.5, between 0 and 1. Keras 3 has x / 6 + 0.5."""
    from keras import ops

    return ops.clip(ops.add(ops.multiply(x, 0.2), 0.5), 0.0, 1.0)


def _set_default(function: Any, name: str, value: Any) -> None:
    """Change a default. Keras reads the parameters of `__init__` of a layer, so no other function may stand for it."""
    parameters = inspect.signature(function).parameters
    given = [value if p.name == name else p.default for p in parameters.values() if p.default is not p.empty]
    function.__defaults__ = tuple(given)
