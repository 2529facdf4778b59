"""Learning rates that a program computes: with its own `LearningRateSchedule`, or for a `LearningRateScheduler`."""

import functools
import sys
from typing import Any, Callable, Tuple

from ..launcher.cures import replacing
from .names import prepare_classes


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
