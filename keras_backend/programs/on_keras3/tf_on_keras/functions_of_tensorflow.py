"""The functions of TensorFlow, which leave tensors of Keras to Keras."""

import functools
import sys
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, Callable, Dict, Iterator, Tuple

from . import names
from .table import over_keras
from .tensors_of_keras import any_of_keras, is_no_stand_in, without_tensorflow

_PARTS = 'math', 'nn', 'linalg', 'image', 'random', 'signal', 'debugging', 'bitwise', 'strings', 'sparse', 'ragged'
# They take anything, and compute nothing.
_HARMLESS = frozenset(
    'print is_tensor get_static_value executing_eagerly name_scope device init_scope no_op group type_spec_from_value '
    'constant_initializer grad_pass_through is_symbolic_tensor function custom_gradient'.split()
)


def tensors_of_keras(tensorflow: Any) -> str:
    """Let functions of `tf` take tensors of Keras on JAX and PyTorch, and those of a model that is built.

    A function that has no counterpart raises an error that says so.
    """
    if not is_no_stand_in(tensorflow):
        return ''
    changed = 0
    for prefix, module in _places(tensorflow):
        for name, original in list(vars(module).items()):
            if name.startswith('_') or not isinstance(original, FunctionType):
                continue
            full = prefix + name
            if full in names.NAMES and full not in names.OTHERS:
                setattr(module, name, _over_keras(full, original))
                changed += 1
            elif name not in _HARMLESS:
                setattr(module, name, _refusing(full, original))
    return f'{changed} functions'


def _places(tensorflow: Any) -> Iterator[Tuple[str, ModuleType]]:
    yield '', tensorflow
    for part in _PARTS:
        module = getattr(tensorflow, part, None)
        if isinstance(module, ModuleType):
            yield part + '.', module


def _over_keras(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if any_of_keras(args, kwargs):
            return computed(name, args, kwargs)
        return original(*args, **kwargs)

    return function


def computed(name: str, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    """The result of `tf.NAME` of tensors of Keras. Its operators are those of K where a model is built."""
    from ....engines.keras3_backend.tensors.k_tensor import as_k_tensor

    args = tuple([without_tensorflow(each, name) for each in args])
    kwargs = {key: without_tensorflow(each, name) for key, each in kwargs.items()}
    return as_k_tensor(over_keras(name)(*args, **kwargs))


def _refusing(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if any_of_keras(args, kwargs):
            for value in (*args, *kwargs.values()):
                refuse(name, value)
        return original(*args, **kwargs)

    return function


def refuse(name: str, value: Any) -> None:
    """Raise TypeError if TensorFlow cannot compute with a value, which may be a list."""
    if isinstance(value, (list, tuple)):
        for each in value:
            refuse(name, each)
        return
    import keras

    kind = ''
    if isinstance(value, keras.KerasTensor):
        kind = f'the KerasTensor {value.name}, which has no value while the model is built'
    elif keras.backend.backend() == 'jax' and _is_traced(value):
        kind = 'a tensor that JAX traces'
    elif getattr(value, 'requires_grad', False):
        kind = 'a tensor of PyTorch that has a gradient'
    if kind:
        raise TypeError(f'tf.{name} was given {kind}; write {_instead(name)}, or set KERAS_BACKEND=tensorflow.')


def _is_traced(value: Any) -> bool:
    return isinstance(value, sys.modules['jax'].core.Tracer)


def _instead(name: str) -> str:
    last = name.rpartition('.')[2]
    ops, K = import_module('keras.ops'), import_module('keras_backend.engines.keras3_backend')
    for found, module in ((f'K.{last}', K), (f'keras.ops.{last}', ops)):
        if hasattr(module, last):
            return found
    return 'it by functions of K or keras.ops'
