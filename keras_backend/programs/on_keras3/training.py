"""Training beside losses and metrics: sequences, callbacks, several GPUs."""

import functools
import sys
from types import ModuleType
from typing import Any, Callable, List

from ...errors import ArgumentValueError
from ..launcher.cures import around, on_one_device, replacing, warn_once
from .names import prepare_classes

# -- Sequence.on_epoch_end ---------------------------------------------------------------------------------------------
# `on_epoch_end` of a `keras.utils.Sequence` is called at the end of each epoch, and then alone.
#
# Keras 3 calls it before the first epoch, too. A sequence that shuffles or counts there would be one call ahead of
# what it was in tf.keras.


# The method of Keras in which an epoch begins.
_BEGINS = 'reset'


def ends_of_epochs(keras: Any) -> str:
    """Let `on_epoch_end` of the sequences of a program be called after epochs only."""
    prepare_classes(keras.utils.Sequence, _prepare_sequence)
    return 'Sequence.on_epoch_end'


def _prepare_sequence(made: Any) -> None:
    if 'on_epoch_end' in vars(made):
        made.on_epoch_end = after_epochs(made.on_epoch_end)


def after_epochs(original: Callable[..., Any]) -> Callable[..., Any]:
    """A method that does nothing where Keras calls it at the beginning of an epoch."""

    @functools.wraps(original)
    def on_epoch_end(self: Any, *args: Any, **kwargs: Any) -> Any:
        # Keras calls through its adapter of data.
        adapter = sys._getframe(1)
        caller = adapter.f_back
        if caller is not None and caller.f_code.co_name == _BEGINS and _is_of_keras(adapter) and _is_of_keras(caller):
            return None
        return original(self, *args, **kwargs)

    return on_epoch_end


def _is_of_keras(frame: Any) -> bool:
    return str(frame.f_globals.get('__name__', '')).startswith('keras.')


# -- weights in callbacks ----------------------------------------------------------------------------------------------
# Weights and rates that a callback reads after a batch on JAX, by other ways than `self.model`.
#
# In a step Keras 3 on JAX takes the values out of the variables, and puts them back when a callback asks for
# `self.model`. A callback that reads `optimizer.lr`, or a model that it got elsewhere, finds variables without a
# value.


_MOMENTS = [f'on_{work}batch_{end}' for work in ('', 'train_', 'test_', 'predict_') for end in ('begin', 'end')]


def weights_in_callbacks(keras: Any) -> str:
    """Let callbacks of a program, and those of `LambdaCallback`, read weights after each batch on JAX."""
    if keras.backend.backend() != 'jax':
        return ''
    prepare_classes(keras.callbacks.Callback, _prepare_callback)

    @replacing(keras.callbacks.LambdaCallback, '__init__')
    def __init__(original: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        for name in _of(self):
            function = vars(self)[name]
            setattr(self, name, functools.partial(_with_values(_without_self(function)), self))

    return 'Callback, LambdaCallback'


def _prepare_callback(made: Any) -> None:
    for name in _of(made):
        setattr(made, name, _with_values(vars(made)[name]))


def _of(holder: Any) -> List[str]:
    return [name for name in _MOMENTS if callable(vars(holder).get(name))]


def _without_self(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda _, *args, **kwargs: function(*args, **kwargs)


@around
def _with_values(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    # Keras puts the values back when it is asked for the model. A callback may lack one.
    getattr(self, 'model', None)
    return original(self, *args, **kwargs)


# -- multi_gpu_model ---------------------------------------------------------------------------------------------------
# `multi_gpu_model`, which Keras 3 does not have: the model runs on one device and computes the same.


def models_of_several_gpus(module: ModuleType) -> str:
    """Let `multi_gpu_model(model, gpus=2)` give a model that computes the same on one device, and say so once."""
    if hasattr(module, 'multi_gpu_model'):
        return ''
    vars(module)['multi_gpu_model'] = multi_gpu_model
    return f'{module.__name__}.multi_gpu_model'


def multi_gpu_model(model: Any, gpus: Any = None, cpu_merge: bool = True, cpu_relocation: bool = False) -> Any:
    """A model with the inputs and outputs of `model`, as the original has it, on one device."""
    count = len(gpus) if isinstance(gpus, (list, tuple)) else gpus
    if count is not None and count < 2:
        raise ArgumentValueError(
            f'multi_gpu_model: gpus is {gpus!r}, and the original needs 2 or more; train the model itself, without '
            'multi_gpu_model.'
        )
    warn_once(
        f'multi_gpu_model asks for {"all" if count is None else count} GPUs; the model runs on one device. Keras 3 '
        'shares batches among several by keras.distribution on JAX, and by tf.distribute on TensorFlow.'
    )
    return on_one_device(model)
