"""Optimizers as TensorFlow before 2.11 had them: `lr`, `decay`, slots, `get_gradients`, own subclasses."""

import abc
import functools
import inspect
from importlib import import_module
from typing import Any, Dict

from ..launcher.cures import around


def classes(optimizers: Any) -> Dict[str, Any]:
    """The older classes by their names, of a module of optimizers."""
    legacy = vars(import_module('tf_keras.optimizers.legacy'))
    return {name: value for name, value in legacy.items() if inspect.isclass(value) and name in vars(optimizers)}


def older_optimizers(tf_keras: Any) -> str:
    """Give `keras.optimizers`, and the optimizers that `compile` and files name, the classes of before 2.11."""
    inside: Any = import_module('tf_keras.src.optimizers')
    names = {**classes(tf_keras.optimizers), 'Optimizer': _optimizer()}
    older = {name: _asking_for_older(vars(inside)[name]) for name in ('get', 'deserialize')}
    vars(inside).update(older)
    vars(tf_keras.optimizers).update({**names, **older})
    legacy: Any = import_module('tf_keras.optimizers.legacy').Optimizer
    legacy.get_gradients = _gradients_of_models(legacy.get_gradients, tf_keras.backend)
    return ', '.join(f'optimizers.{name}' for name in names)


def older_optimizers_of_tensorflow_1(optimizers: Any) -> str:
    """The same for `tf.compat.v1.keras.optimizers`."""
    names = classes(optimizers)
    vars(optimizers).update(names)
    return ', '.join(f'optimizers.{name}' for name in names)


@around
def _gradients_of_models(original: Any, K: Any, self: Any, loss: Any, params: Any) -> Any:
    """`get_gradients` of tensors of the functional API, too, which K.gradients takes."""
    if not K.is_keras_tensor(loss):
        return original(self, loss, params)
    gradients = K.gradients(loss, params)
    if any(gradient is None for gradient in gradients):
        raise ValueError('An operation has None for its gradient: the loss does not depend on some parameter.')
    return gradients


def _asking_for_older(function: Any) -> Any:
    @functools.wraps(function)
    def asking(*args: Any, **kwargs: Any) -> Any:
        kwargs.setdefault('use_legacy_optimizer', True)
        return function(*args, **kwargs)

    return asking


# -- own optimizers ----------------------------------------------------------------------------------------------------
# A class with `get_updates(self, loss, params)`, as Keras had them before tf.keras.


def _optimizer() -> Any:
    """The class Optimizer of programs. A subclass with `get_updates` is one of the optimizers that call it."""
    legacy: Any = import_module('tf_keras.optimizers.legacy').Optimizer
    of_updates: Any = import_module('tf_keras.src.optimizers.optimizer_v1').Optimizer

    # Of ABCMeta, so that a subclass may name it as its metaclass, as those of TensorFlow Addons do.
    class Kind(abc.ABCMeta, type(legacy)):  # type: ignore[misc]
        def __new__(cls, name: str, bases: Any, names: Dict[str, Any], **kwargs: Any) -> Any:
            if 'get_updates' in names and '__module__' in names and name != 'Optimizer':
                bases = tuple(of_updates if isinstance(base, Kind) else base for base in bases)
                return type(of_updates)(name, bases, names)
            return super().__new__(cls, name, bases, names, **kwargs)

        def __instancecheck__(cls, instance: Any) -> bool:
            return (
                isinstance(instance, (legacy, of_updates)) if cls is Optimizer else super().__instancecheck__(instance)
            )

    class Optimizer(legacy, metaclass=Kind):
        __doc__ = legacy.__doc__

    return Optimizer
