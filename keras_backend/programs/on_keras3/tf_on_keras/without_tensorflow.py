"""What the stand-in for TensorFlow has beside `tf.keras`: functions over Keras, dtypes, shapes and parts of these."""

import functools
from importlib import import_module
from types import ModuleType
from typing import Any, Dict

import keras

from ....basics.tables import beside
from ....errors import MissingFromStandIn
from . import dispatch
from .arguments import K, dtype_of, is_tensor
from .dispatch import computed
from .gradients import GradientTape, custom_gradient, function
from .seeds import set_seed
from .types import DType, Shape

_DTYPES = 'bool float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64'.split()
# What tf has of tf.keras under a second name.
_OF_KERAS = 'losses', 'metrics', 'optimizers', 'initializers'
_INITIALIZERS: Dict[str, str] = beside(__file__, 'functions.json')['initializers']
_PARTS = {name.rpartition('.')[0] for name in dispatch.NAMES if '.' in name}


class _Tensors(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return is_tensor(value)


class Tensor(metaclass=_Tensors):
    """Whatever is a tensor of Keras is an instance of this class."""


class Part(ModuleType):
    """A part of `tf`, such as `tf.nn`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__'):
            raise AttributeError(name)
        return required(f'{self.__name__}.{name}')


def _variable(initial_value: Any, trainable: bool = True, dtype: Any = None, name: Any = None, **more: Any) -> Any:
    kind = None if dtype is None else dtype_of(dtype)
    return keras.Variable(initial_value, trainable=trainable, dtype=kind, name=name)


_OTHERS: Dict[str, Any] = {
    'Tensor': Tensor,
    'DType': DType,
    'TensorShape': Shape,
    'Variable': _variable,
    'GradientTape': GradientTape,
    'function': function,
    'custom_gradient': custom_gradient,
    'is_tensor': is_tensor,
    'executing_eagerly': lambda: True,
    'name_scope': K.name_scope,
    'print': print,
    'random.set_seed': set_seed,
    **{name: DType(name) for name in _DTYPES},
}


def required(name: str) -> Any:
    """`tf.NAME`, or an error that says what to do."""
    if name == 'newaxis':
        return None
    if name in _OTHERS:
        return _OTHERS[name]
    if name in dispatch.NAMES:
        return functools.partial(_call, name)
    if name in _PARTS:
        return Part(name)
    if name in _OF_KERAS:
        return import_module(f'keras.{name}')
    if name in _INITIALIZERS:
        return getattr(keras.initializers, _INITIALIZERS[name])
    raise MissingFromStandIn(
        f'tf.{name} is not there: TensorFlow is not installed, and the stand-in of keras_backend.keras3 has tf.keras '
        'and the functions whose meaning Keras has; type: pip install tensorflow, or take it from keras.ops'
    )


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return computed(name, args, kwargs)
