"""Learning rates that a program computes: with its own `LearningRateSchedule`, or for a `LearningRateScheduler`."""

import functools
import math
import sys
from typing import Any, Callable, Tuple

from ..launcher.cures import around, replacing
from .names import prepare_classes, put_around
from .tf_on_keras import gradients


def steps_of_schedules(keras: Any) -> str:
    """Hand the step to a program's own schedule as float32, as the optimizers of tf.keras 2.0 to 2.10 did.

    Keras 3 hands its counter, a variable of integers, whose square root and whose product with 0.5 TensorFlow refuses.
    """
    prepare_classes(keras.optimizers.schedules.LearningRateSchedule, functools.partial(_prepare, keras))
    return 'LearningRateSchedule.__init_subclass__'


def _prepare(keras: Any, made: Any) -> None:
    if '__call__' in vars(made):
        made.__call__ = _of_floats(keras, vars(made)['__call__'])


def _of_floats(keras: Any, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def __call__(self: Any, step: Any, *args: Any, **kwargs: Any) -> Any:
        # The counter of an optimizer. What a program hands to its schedule itself stays as it is.
        if not isinstance(step, keras.Variable) or 'int' not in str(step.dtype):
            return original(self, step, *args, **kwargs)
        try:
            return original(self, keras.ops.cast(step, 'float32'), *args, **kwargs)
        except _refused() as error:
            # Schedules of tf.keras 2.11 and later were given integers, and may look up a table by the step.
            try:
                return original(self, step, *args, **kwargs)
            except _refused():
                raise error from None

    return __call__


def _refused() -> Tuple[Any, ...]:
    """What the backends raise where a function does not take the dtype of an argument."""
    tensorflow = sys.modules.get('tensorflow')
    errors = getattr(tensorflow, 'errors', None)
    of_tensorflow = getattr(errors, 'InvalidArgumentError', None)
    return (TypeError, ValueError, IndexError, RuntimeError, *([of_tensorflow] if of_tensorflow else []))


def rates_of_functions(keras: Any) -> str:
    """Let the function of a `LearningRateScheduler` give a tensor of one float, such as `lr * tf.math.exp(-0.1)`."""

    @replacing(keras.callbacks.LearningRateScheduler, '__init__')
    def __init__(original: Any, self: Any, schedule: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        original(self, schedule, *args, **kwargs)
        self.schedule = _with_numbers(keras, schedule)

    return 'LearningRateScheduler.__init__'


def _with_numbers(keras: Any, schedule: Callable[..., Any]) -> Callable[..., Any]:
    def rate(*args: Any, **kwargs: Any) -> Any:
        value = schedule(*args, **kwargs)
        # tf.keras refuses a variable, and a tensor of integers or with axes.
        if not _is_tensor(keras, value) or tuple(value.shape) or 'float' not in str(value.dtype):
            return value
        return float(value)

    return rate


def _is_tensor(keras: Any, value: Any) -> bool:
    """Whether a value is a tensor of the backend of Keras or of TensorFlow, and no variable."""
    if hasattr(value, 'assign'):
        return False
    is_of_tensorflow = getattr(sys.modules.get('tensorflow'), 'is_tensor', None)
    return bool(keras.ops.is_tensor(value) or (is_of_tensorflow is not None and is_of_tensorflow(value)))


# -- fractions of steps ------------------------------------------------------------------------------------------------
# `step / decay_steps` in the schedules of Keras on PyTorch, as a compiled step computes it.
#
# TensorFlow and JAX multiply by 1 / decay_steps there. In float32, 21 * (1 / 7) is a little more than 3, and
# 41 * (1 / 41) is a little less than 1. So schedules that round the fraction begin their next period one step earlier
# or later.

# Class -> the attribute with the number of steps.
_ROUNDING = {
    **{'ExponentialDecay': 'decay_steps', 'InverseTimeDecay': 'decay_steps', 'PolynomialDecay': 'decay_steps'},
    'CosineDecayRestarts': 'first_decay_steps',
}


def fractions_of_graphs(keras: Any) -> str:
    """Let schedules with periods begin them on PyTorch at the step at which TensorFlow and JAX begin them."""
    if keras.backend.backend() != 'torch':
        return ''
    for name, attribute in _ROUNDING.items():
        schedule = getattr(keras.optimizers.schedules, name)
        schedule.__call__ = _as_multiplied(schedule.__call__, attribute)
    put_around(keras.Model, ('make_train_function',), _compiled)
    return ', '.join(f'{name}.__call__' for name in _ROUNDING)


@around
def _compiled(original: Any, model: Any, *args: Any, **kwargs: Any) -> None:
    original(model, *args, **kwargs)
    function = vars(model).get('train_function')
    if function is not None and not model.run_eagerly and not hasattr(function, '__wrapped__'):
        model.train_function = gradients.as_graph(function)


@around
def _as_multiplied(original: Any, attribute: str, self: Any, step: Any) -> Any:
    steps = getattr(self, attribute)
    if not gradients.GRAPH.runs or not isinstance(steps, (int, float)):
        return original(self, step)
    import torch
    from keras import ops

    step = ops.convert_to_tensor(step, 'float32')
    steps = torch.tensor(float(steps), dtype=step.dtype, device=step.device)
    divided, multiplied = step / steps, step * (1 / steps)
    # The number beside the step, whose quotient is on the side of the product.
    towards = torch.where(multiplied > divided, math.inf, -math.inf).to(step.dtype)
    return original(self, torch.where(multiplied == divided, step, torch.nextafter(step, towards)))
